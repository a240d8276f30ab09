"""Give the replies that a game's tables hold to its questions."""

from collections.abc import Iterable
from typing import Any

from engine.games.base import Answer, MenuKind, menu_kind
from engine.planning.rules.items import (
    Suggestion,
    along,
    is_bag,
    is_counter,
    is_party_list,
    is_quantity,
    is_use_menu,
    lines_below,
    prompt_of,
    to_place,
)
from engine.types import Action, GameState, Prompt

_ASKS = frozenset({Prompt.YES_NO, Prompt.MENU, Prompt.SCREEN})
_WAITS = frozenset({Prompt.NONE, Prompt.PRINTING})
_YES_NO = ("YES", "NO")
_OWN = (is_bag, is_counter, is_party_list, is_quantity, is_use_menu)


class Replies:
    """Find the reply to what is asked; remembers the last text, and how far buttons were pressed.

    Args:
        answers: What to reply, the first that fits.
    """

    def __init__(self, answers: Iterable[Answer]) -> None:
        self._answers = tuple(answers)
        self.reset()

    def reset(self) -> None:
        """Start an episode."""
        self._text = ""
        self._row = -1  # of the answer whose buttons are being pressed
        self._pressed = 0

    def notice(self, state: GameState) -> None:
        """Note a state: some questions are gone from the screen once their menu is open."""
        if not self._answers:
            return
        if state.control.is_free or state.battle is not None:
            self.reset()
        elif prompt_of(state) in {Prompt.TEXT, Prompt.PRINTING}:
            self._text = " ".join(state.screen_text).lower()

    def reply(self, state: GameState, goal: str, here: Iterable[Answer] = ()) -> Suggestion | None:
        """Return the button that gives the reply; None where the tables know none.

        Args:
            state: The game now.
            goal: Key of the milestone that is pursued.
            here: Further answers, without buttons to press.
        """
        prompt = prompt_of(state)
        if self._row >= 0 and prompt not in _WAITS:
            return self._next_button()
        if prompt not in _ASKS:
            return None
        text = " ".join(state.screen_text).lower()
        is_own_menu = menu_kind(state) is MenuKind.START or any(is_this(state) for is_this in _OWN)
        for row, one in enumerate((*self._answers, *here)):
            is_here = one.map in (None, state.place.map) and one.goal in ("", goal)
            if not is_here or (one.question not in text and one.question not in self._text):
                continue
            if is_own_menu and not one.question:
                continue  # the player opened it: nobody asks
            if (buttons := _buttons(one.reply)) and prompt is not Prompt.YES_NO:
                self._row, self._pressed = row, 0
                return self._next_button()
            if not buttons and (action := _choice(state, prompt, one.reply)) is not None:
                return action, f"answer {one.reply}"
        return None

    def save(self) -> list[Any]:
        """Return all of it, JSON-able."""
        return [self._text, self._row, self._pressed]

    def load(self, saved: list[Any]) -> None:
        """Put back what `save` returned."""
        self._text, self._row, self._pressed = saved

    def _next_button(self) -> Suggestion:
        buttons = _buttons(self._answers[self._row].reply)
        action = buttons[self._pressed]
        why = f"press {action.name}, {self._pressed + 1} of {len(buttons)}"
        self._pressed += 1
        if self._pressed == len(buttons):
            self._row, self._pressed = -1, 0
        return action, why


def _buttons(reply: str) -> tuple[Action, ...]:
    """Return the buttons that a reply names; none where it is something else."""
    names = reply.split()
    is_known = all(name in Action.__members__ for name in names)
    return tuple(Action[name] for name in names) if is_known else ()


def _choice(state: GameState, prompt: Prompt, reply: str) -> Action | None:
    """Return the button that leads to an entry; None where it is not shown."""
    if (prompt is Prompt.YES_NO) is not (reply in _YES_NO):
        return None
    if reply in _YES_NO:
        row = 1 + _YES_NO.index(reply)
        return Action.B if row == 2 else Action.A if state.control.cursor[0] == 1 else Action.UP
    if reply.startswith("#"):
        return to_place(state, int(reply[1:]) - 1)
    below = lines_below(state, lambda entry: entry.lower() == reply.lower())
    if below is None:
        return None
    row, column = state.control.cursor
    columns = max(state.control.menu_size[1], 1)
    if columns == 1:
        return along(below)
    return to_place(state, (row - 1) * columns + column - 1 + below)
