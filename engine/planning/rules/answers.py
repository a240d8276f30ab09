"""Answer what the screen waits for outside of battles, and notice questions that come back."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.games.base import MenuKind, menu_kind
from engine.planning.rules.items import (
    CURSOR,
    MACHINE_POCKET,
    ItemUse,
    Suggestion,
    choose_creature,
    choose_goods,
    choose_item,
    choose_quantity,
    choose_service,
    confirm_use,
    is_bag,
    is_counter,
    is_party_list,
    is_quantity,
    is_replacement,
    is_use_menu,
    open_bag,
    prompt_of,
    says,
    to_entry,
    to_place,
)
from engine.planning.rules.teaching import teach_menu
from engine.types import Action, GameState, Prompt

# One table says which prompt calls for what, another which menu is used for what. A menu that
# nobody wants is closed.


@dataclass(frozen=True, slots=True)
class Wishes:
    """What menus are used for now.

    Attributes:
        use: An item to take out of the bag.
        buy: Item -> how many of it.
        wants_catch: A new creature would be welcome.
        species: Of these only; empty: of any.
        wants_run: Leave a wild battle, or never; None: when it is wise.
    """

    use: ItemUse | None = None
    buy: Mapping[int, int] = field(default_factory=dict)
    wants_catch: bool = False
    wants_run: bool | None = None
    species: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Tried:
    """What has led to nothing so far.

    Attributes:
        unchanged_steps: For how many steps nothing visible has changed.
        times: How often this question came back without progress.
        wants_other: Its usual answer has led to nothing, so that another one is due.
        useless: Moves that do nothing to the present foe.
    """

    unchanged_steps: int = 0
    times: int = 0
    wants_other: bool = False
    useless: frozenset[int] = frozenset()


NO_WISHES, NOTHING_TRIED = Wishes(), Tried()

_REFUSED = (
    # Words of questions to which YES leads nowhere, or costs.
    "nickname",
    "save the",
    "save your",
    "save some",
    "release",
    "toss",
    "throw away",
    "trade",
    "raise a",
    "quit",
)
_OF_SCREENS = (Action.B, Action.A, Action.UP, Action.A)
_PATIENCE = 8
"""Steps without any change after which one of waiting presses A."""


def answer(state: GameState, wishes: Wishes, tried: Tried) -> Suggestion:
    """Return the button that answers what the screen waits for."""
    return _ANSWERS[prompt_of(state)](state, wishes, tried)


def at_title(state: GameState) -> Action:
    """Return the button that leads from a title back into the saved game, never into a new one."""
    if any(line.strip(f"{CURSOR} ") == "CONTINUE" for line in state.screen_text):
        is_marked = any(line.startswith(CURSOR) for line in state.screen_text)
        return to_entry(state, "CONTINUE") if is_marked else Action.A
    return Action.A if says(state, "badges") else Action.START


def say(state: GameState, is_yes: bool, tried: Tried, why: str) -> Suggestion:
    """Answer a question, the other way where this has led to nothing."""
    if tried.wants_other:
        is_yes, why = not is_yes, f"{why}: no effect, try the other answer"
    if not is_yes:
        return Action.B, why
    return (Action.A if state.control.cursor[0] == 1 else Action.UP), why


def wait(_state: GameState, _: Wishes, tried: Tried) -> Suggestion:
    """Press nothing: a button that is down when a question opens would answer it.

    Press A now and then, for what waits without a sign; B would stop an evolution.
    """
    is_long = tried.unchanged_steps % (_PATIENCE + 1) == _PATIENCE
    return (Action.A, "nothing changes: try A") if is_long else (Action.NOOP, "wait")


def read_on(state: GameState, _: Wishes, tried: Tried) -> Suggestion:
    """Turn the page: by B, which never begins the same talk again, by A where B did nothing."""
    if says(state, "evolving"):
        return Action.A, "let it evolve"  # B would stop that
    is_ignored = tried.unchanged_steps % 2 == 1
    return Action.A if is_ignored else Action.B, "read on"


def _screen(_state: GameState, _: Wishes, tried: Tried) -> Suggestion:
    """Leave a screen with B; where that does not lead on, accept or change what it asks for."""
    return _OF_SCREENS[tried.unchanged_steps % len(_OF_SCREENS)], "read on"


def _question(state: GameState, _: Wishes, tried: Tried) -> Suggestion:
    if says(state, *_REFUSED):
        return say(state, False, tried, "decline")
    return say(state, True, tried, "answer yes")


def _keep_name(_state: GameState, _: Wishes, tried: Tried) -> Suggestion:
    """START leads to END, which A takes: nothing is typed."""
    is_at_end = tried.unchanged_steps % 2 == 1
    return Action.A if is_at_end else Action.START, "keep the name"


def _menu(state: GameState, wishes: Wishes, tried: Tried) -> Suggestion:
    kind = next((use for is_this, use in _MENUS if is_this(state)), None)
    if tried.wants_other:
        why = "this menu has no effect: close it"
        is_wished = wishes.buy or wishes.use or kind is not None
        return (Action.B, why) if is_wished else _in_turn(state, tried)
    if (
        wishes.use
        and wishes.use.pocket == MACHINE_POCKET
        and menu_kind(state) is not MenuKind.START
    ):
        return teach_menu(state, wishes.use)
    if kind is not None:
        return kind(state, wishes)
    # A list that shows no name of its own.
    if wishes.buy:
        return choose_goods(state, wishes.buy)
    if wishes.use is None and tried.unchanged_steps >= _STAYS_OPEN:
        return _in_turn(state, tried)
    return choose_item(state, wishes.use)


def _in_turn(state: GameState, tried: Tried) -> Suggestion:
    """Take another entry each time that a menu comes back which B does not close."""
    rows, columns = (max(size, 1) for size in state.control.menu_size)
    place = tried.times % (rows * columns)
    return to_place(state, place), f"this menu stays: take entry {place + 1}"


_STAYS_OPEN = 4
"""Steps without any change after which B does not close a menu."""

_MENUS: tuple[
    tuple[Callable[[GameState], bool], Callable[[GameState, Wishes], Suggestion]], ...
] = (
    (is_quantity, lambda s, wishes: choose_quantity(s, wishes.buy)),
    (is_counter, lambda s, wishes: choose_service(s, wishes.buy)),
    (
        lambda s: menu_kind(s) is MenuKind.START,
        lambda s, wishes: open_bag(s, wishes.use),
    ),
    (is_use_menu, lambda s, wishes: confirm_use(s, wishes.use)),
    (is_party_list, lambda s, wishes: choose_creature(s, wishes.use)),
    (is_bag, lambda s, wishes: choose_item(s, wishes.use)),
    (is_replacement, lambda *_: (Action.B, "keep the current moves")),
)
"""Which menu is used for what, the first that fits."""

_ANSWERS: Mapping[Prompt, Callable[[GameState, Wishes, Tried], Suggestion]] = {
    Prompt.NONE: wait,
    Prompt.PRINTING: wait,
    Prompt.TEXT: read_on,
    Prompt.YES_NO: _question,
    Prompt.MENU: _menu,
    Prompt.QUANTITY: lambda state, wishes, _: choose_quantity(state, wishes.buy),
    Prompt.NAMING: _keep_name,
    Prompt.SPINNER: lambda *_: (Action.A, "accept the time shown"),
    Prompt.SCREEN: _screen,
}


TIRED = 2
"""How often the same question comes before the answer changes: the third time it does."""

_STEPS_LIKE_A_REPEAT = 30
"""Steps within one menu that count as its coming back."""
_MOST = 32
"""Questions that are remembered."""
_QUESTIONS = frozenset(set(Prompt) - {Prompt.NONE, Prompt.PRINTING, Prompt.TEXT})
_VARIES = re.compile(r"[▶▷\d\s]+")


class Repeats:
    """Count how often questions came since the last progress, so that the answer can change.

    Progress is anything of worth: a milestone, an event, another place, a change of party, bag,
    money or battle.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Start an episode."""
        self._progress = ""
        self._asked: dict[str, int] = {}
        self._present = ""
        self._age = 0

    def notice(self, state: GameState, reached: int) -> None:
        """Note a state; `reached` counts the milestones."""
        question = _question_of(state)
        if not question:
            self._present = ""
            return
        progress = _digest(state, reached)
        if progress != self._progress or len(self._asked) > _MOST:
            self._progress, self._present = progress, ""
            self._asked.clear()
        if question == self._present:
            self._age += 1
            return
        self._present, self._age = question, 0
        self._asked[question] = self._asked.get(question, 0) + 1

    @property
    def times(self) -> int:
        """Return how often the present question came back since the last progress."""
        return self._asked.get(self._present, 1) - 1 + self._age // _STEPS_LIKE_A_REPEAT

    @property
    def wants_other_answer(self) -> bool:
        """Return whether the usual answer to the present question has led to nothing twice.

        After two other answers the usual one has its turn again.
        """
        return self.times // TIRED % 2 == 1

    @property
    def is_tired(self) -> bool:
        """Return whether any question has come a third time since the last progress."""
        return self.times >= TIRED or any(count > TIRED for count in self._asked.values())

    def save(self) -> list[Any]:
        """Return all of it, JSON-able."""
        return [self._progress, dict(self._asked), self._present, self._age]

    def load(self, saved: Any) -> None:
        """Put back what `save` returned."""
        self._progress, asked, self._present, self._age = saved
        self._asked = dict(asked)


_STUCK_AFTER = 6
"""Steps without any visible change after which no advice is given any more."""
_STUCK_WAITING = 40
"""The same while the game moves by itself: before a trainer's battle it does for 16, a creature
evolves for 30, and any button could stop that."""


class UnchangedView:
    """Count for how many steps nothing visible has changed.

    Attributes:
        steps: How many.
        view: What was visible last, JSON-able.
    """

    def __init__(self) -> None:
        self.steps = 0
        self.view: list[object] = []
        self._is_waiting = False

    def notice(self, state: GameState) -> None:
        """Note a state."""
        battle, place, control = state.battle, state.place, state.control
        view: list[object] = [
            [place.map.group, place.map.number, place.x, place.y, int(place.facing)],
            [*control.cursor, control.selection, control.pocket, control.prompt],
            list(state.screen_text),
            [battle.own.hp, battle.enemy.hp] if battle and battle.own and battle.enemy else [],
        ]
        self.steps = self.steps + 1 if view == self.view else 0
        self.view, self._is_waiting = view, control.is_busy

    @property
    def is_stuck(self) -> bool:
        """Return whether it has lasted too long for advice to be trusted."""
        return self.steps >= (_STUCK_WAITING if self._is_waiting else _STUCK_AFTER)

    def load(self, view: list[object], steps: int) -> None:
        """Put back what was visible last, and for how long."""
        self.view, self.steps = view, int(steps)


def _question_of(state: GameState) -> str:
    """Name what the screen asks, wherever the cursor stands; "" where it asks nothing."""
    prompt = prompt_of(state)
    if prompt not in _QUESTIONS or state.control.card:
        return ""
    lines = (_VARIES.sub(" ", line).strip() for line in state.screen_text)
    return "/".join((prompt, menu_kind(state).name, *lines))


def _digest(state: GameState, reached: int) -> str:
    place = state.place
    facts = (
        reached,
        state.event_flags,
        state.engine_flags,
        state.scenes,
        (place.map.group, place.map.number, place.x, place.y),
        state.party,
        state.money,
        state.bag,
        state.badges,
        state.battle,
    )
    return hashlib.blake2b(repr(facts).encode(), digest_size=8).hexdigest()
