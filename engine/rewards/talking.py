"""Pay for talking to people and reading signs."""

from typing import Any

from engine.rewards.base import Payments, Transition
from engine.types import Action, GameState, Terrain

_Faced = tuple[int, ...]
"""Map group and number, then a person's number, or a sign's x and y."""

_SIGN_LENGTH = 4


class TalkReward:
    """Pay 1 for each person, thing or sign, the first time it answers in the episode.

    It has answered when A was pressed facing it and text came up before the player was free again.

    Farming: each pays once, a person wherever it walks, so talking on and on pays nothing, nor
    does pressing A before a wall. Its weight must stay small all the same: agents that are paid
    for A presses stop walking.
    """

    name = "talk"

    def reset(self, state: GameState) -> None:
        """Nobody has been talked to."""
        self._known: set[_Faced] = set()
        self._asked: _Faced | None = None

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return 1 when somebody new answers."""
        before, now = step.previous, step.current
        if before.control.is_free:
            self._asked = _faced(before) if step.button is Action.A else None
        if self._asked is None:
            return 0.0
        if now.control.is_free:
            self._asked = None
            return 0.0
        if not now.screen_text:
            return 0.0
        asked, self._asked = self._asked, None
        if asked in self._known:
            return 0.0
        self._known.add(asked)
        is_sign = len(asked) == _SIGN_LENGTH
        payments.note("read a new sign" if is_sign else "talked to someone new")
        return 1.0

    def save(self) -> Any:
        """Return who is known, and who was asked and has not answered yet."""
        return [sorted(self._known), self._asked]

    def restore(self, saved: Any) -> None:
        """Put back what `save` returned."""
        known, asked = saved
        self._known = {tuple(entry) for entry in known}
        self._asked = None if asked is None else tuple(asked)


def _faced(state: GameState) -> _Faced | None:
    """Return who or what would answer A: a person, also behind a counter, or else a sign."""
    place, view = state.place, state.map
    dx, dy = place.facing.delta
    x, y = place.x + dx, place.y + dy
    if not view.contains(x, y):
        return None
    here = (place.map.group, place.map.number)
    reach = 2 if view.terrain[y, x] & Terrain.COUNTER else 1
    across = (place.x + reach * dx, place.y + reach * dy)
    for thing in view.objects:
        if (thing.x, thing.y) == across:
            return (*here, thing.index)
    return (*here, x, y) if (x, y) in view.signs else None
