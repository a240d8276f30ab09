"""Pay for seeing new places, and charge for standing still and for time."""

import math
from typing import Any

from engine.rewards.base import Payments, Transition
from engine.types import GameState

STILL_LIMIT = 40
"""Steps without walking or fighting on after which each further one is charged as stuck."""

TILES_TO_TIRE = 25
"""First visits since a milestone after which a further tile pays clearly less: 1 / sqrt(2)."""

WALKED_AGAIN = 0.25
"""What a tile pays that is new since the last milestone but was seen before it."""

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

    def __init__(self) -> None:
        self._first_visits = 0
        self._walked_again = 0

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


class MapReward:
    """Pay 1 for the first visit of each map in the episode.

    Farming: none; a map pays once an episode.
    """

    name = "map"

    def reset(self, state: GameState) -> None:
        """Nothing is kept: the tile memory does."""

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return 1 on a new map."""
        if not step.is_new_map:
            return 0.0
        payments.note(f"first visit to {step.current.place.name}")
        return 1.0

    def save(self) -> Any:
        """Return nothing."""
        return None

    def restore(self, saved: Any) -> None:
        """Put nothing back."""


class StuckCharge:
    """Charge 1 a step after `STILL_LIMIT` steps on the same tile without a fight going on.

    Farming: none; it is charged by the step and never given back. A state difference would be
    refunded on leaving.
    """

    name = "stuck"

    def __init__(self) -> None:
        self._still = 0

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


class StepCharge:
    """Charge 1 for every step, so that the shorter way is the better one.

    Farming: none.
    """

    name = "step"

    def reset(self, state: GameState) -> None:
        """Nothing is kept."""

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return -1."""
        return -1.0

    def save(self) -> Any:
        """Return nothing."""
        return None

    def restore(self, saved: Any) -> None:
        """Put nothing back."""
