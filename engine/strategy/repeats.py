"""Notice questions and menus that come back without any progress, so that the answer can change."""

import hashlib
import re
from typing import Any

from engine.games.menus import menu_kind
from engine.strategy.prompts import prompt_of
from engine.types import GameState, Prompt

TIRED = 2
"""How often the same comes back before the answer changes: the third time it does."""

_PATIENCE = 30
"""Steps within one menu that count as its coming back."""
_MOST = 32
"""Questions that are remembered."""
_QUESTIONS = frozenset(set(Prompt) - {Prompt.NONE, Prompt.PRINTING, Prompt.TEXT})
_VARIES = re.compile(r"[▶▷\d\s]+")


class Repeats:
    """Count how often the questions came since the last progress.

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
        """Take in a state; `reached` counts the milestones."""
        question = _question(state)
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
        return self._asked.get(self._present, 1) - 1 + self._age // _PATIENCE

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


def _question(state: GameState) -> str:
    """Name what the screen asks, wherever the cursor stands; "" where it asks nothing."""
    prompt = prompt_of(state)
    if prompt not in _QUESTIONS:
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
