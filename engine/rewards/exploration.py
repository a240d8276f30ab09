"""Pay for new places, people and signs, and charge for standing still and for time."""

import math
from typing import Any

from engine.rewards.base import Payments, RewardComponent, Transition
from engine.types import Action, GameState, MapId, Terrain, Warp

STILL_LIMIT = 40
"""Steps without walking or fighting on after which each further one is charged as stuck."""

TILES_TO_TIRE = 25
"""First visits since a milestone after which a further tile pays clearly less: 1 / sqrt(2)."""

WALKED_AGAIN = 0.25
"""Pay for a tile that is new since the last milestone, but was visited before it."""

TILES_AGAIN_TO_HALF = 50
"""Tiles walked again since a milestone after which a further one pays half of that."""


class ExplorationReward:
    """Pay for each tile that is new since the last milestone, less and less.

    The n-th first visit since the milestone pays 1 / sqrt(1 + n / 25). A tile that was seen before
    that milestone pays 0.25 / (1 + n / 50): ways back are worth walking, but not as much as new
    ones. With equal pay, agents left the gym to sweep the town once more; with one count for both,
    sweeping the town left nothing to find beyond it.

    Farming: none within a milestone; a tile can pay at most once in each. Without the decline,
    sweeping a large town for hundreds of tiles was worth more than the door that leads on.
    """

    name = "exploration"

    def reset(self, state: GameState) -> None:
        """No tile has been paid."""
        self._first_visits = self._walked_again = 0

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return what a new tile is worth, else 0."""
        if step.reached:
            self._first_visits = self._walked_again = 0
        if not step.is_new_tile:
            return 0.0
        if step.is_first_visit:
            self._first_visits += 1
            return 1.0 / math.sqrt(1.0 + (self._first_visits - 1) / TILES_TO_TIRE)
        self._walked_again += 1
        return WALKED_AGAIN / (1.0 + (self._walked_again - 1) / TILES_AGAIN_TO_HALF)

    def save(self) -> Any:
        """Return how many tiles have been paid since the last milestone."""
        return [self._first_visits, self._walked_again]

    def restore(self, saved: Any) -> None:
        """Put back what `save` returned."""
        self._first_visits, self._walked_again = (int(count) for count in saved)


class MapReward(RewardComponent):
    """Pay 1 for the first visit of each map in the episode.

    Farming: none; a map pays once an episode.
    """

    name = "map"

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return 1 on a new map."""
        if not step.is_new_map:
            return 0.0
        payments.note(f"first visit to {step.current.place.name}")
        return 1.0


_Way = tuple[int, int, int, int, int]
"""Group and number of the map it leads from and of the one it leads to; the arrival's number."""

_LAST_WARP = 255


class WarpReward:
    """Pay 1 for each door, stairs or cave mouth to another map, the first time it is taken.

    Tiles of one map that lead to the same arrival, as the two halves of a mat, are one way; the way
    back is another.

    Farming: a way pays once an episode, so going in and out pays twice in all. Being carried home
    after a battle is no way, nor is walking over a map's edge.
    """

    name = "warp"

    def reset(self, state: GameState) -> None:
        """No way has been taken."""
        self._taken: set[_Way] = set()
        self._near: list[_Way] = []

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return 1 on the far side of a new way."""
        before, now = step.previous, step.current
        if before.control.is_free:
            if now.control.is_free and now.place.map == before.place.map:
                return 0.0
            self._near = _ways_near(before)
        if now.battle is not None or step.has_whited_out:
            self._near = []
        if not now.control.is_free:
            return 0.0
        near, self._near = self._near, []
        way = next((way for way in near if _leads_to(way, now.place.map)), None)
        if way is None or way in self._taken:
            return 0.0
        self._taken.add(way)
        payments.note(f"a new path to {now.place.name}")
        return 1.0

    def save(self) -> Any:
        """Return the ways taken, and those that the player may be taking."""
        return [sorted(self._taken), self._near]

    def restore(self, saved: Any) -> None:
        """Put back what `save` returned."""
        taken, near = ([(a, b, c, d, e) for a, b, c, d, e in ways] for ways in saved)
        self._taken, self._near = set(taken), near


def _ways_near(state: GameState) -> list[_Way]:
    """Return the ways under the player's feet, then those a step away."""
    place = state.place

    def distance(warp: Warp) -> int:
        return abs(warp.x - place.x) + abs(warp.y - place.y)

    near = sorted((warp for warp in state.map.warps if distance(warp) <= 1), key=distance)
    start = (place.map.group, place.map.number)
    return [(*start, warp.target.group, warp.target.number, warp.index) for warp in near]


def _leads_to(way: _Way, arrived: MapId) -> bool:
    here = (arrived.group, arrived.number)
    return way[:2] != here and (way[2:4] == here or way[4] == _LAST_WARP)


class StuckCharge:
    """Charge 1 a step after `STILL_LIMIT` steps on the same tile without a fight in progress.

    Farming: none; it is charged by the step and never given back, as a difference of states would
    be on leaving.
    """

    name = "stuck"

    def reset(self, state: GameState) -> None:
        """Start moving."""
        self._still = 0

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return -1 while stuck."""
        before, now = step.previous, step.current
        has_moved = (now.place.x, now.place.y) != (before.place.x, before.place.y)
        if has_moved or now.place.map != before.place.map or now.battle != before.battle:
            self._still = 0
        else:
            self._still += 1
        return -1.0 if self._still > STILL_LIMIT else 0.0

    def save(self) -> Any:
        """Return the steps stood still."""
        return self._still

    def restore(self, saved: Any) -> None:
        """Put the steps stood still back."""
        self._still = int(saved)


class StepCharge(RewardComponent):
    """Charge 1 for every step, so that the shorter way is the better one.

    Farming: none.
    """

    name = "step"

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return -1."""
        return -1.0


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
