"""Set goals aside that are pursued in vain, until there is a reason to try them again."""

from collections.abc import Callable
from typing import Any

from engine.types import GameState

UNREACHABLE = 1_000
"""Number of maps for a goal to which no way is known."""

Reason = list[int]
"""What decides whether a goal can be reached; the same numbers: there is nothing new."""


def highest_level(state: GameState) -> int:
    """Return the level of the party's strongest, 0 without a party."""
    return max((creature.level for creature in state.party), default=0)


class Patience:
    """Set goals aside that were pursued for long without coming nearer.

    Args:
        most: Steps without coming nearer.

    Attributes:
        set_aside: Keys of the goals that wait until the others were tried, or until something has
            changed of what they failed for.
        present: Key of the goal that is pursued; "" for none.
    """

    def __init__(self, most: int) -> None:
        self.set_aside: dict[str, Reason] = {}
        self.present = ""
        self._most = most
        self._nearest = UNREACHABLE
        self._steps = 0.0
        self._progress = (0, 0)  # milestones reached, highest level

    def pursue(
        self,
        key: str,
        state: GameState,
        away: int,
        num_reached: int,
        cost: float,
        reason_of: Callable[[str], Reason],
    ) -> None:
        """Count a step for a goal that is so far away; give up on it after too many in vain."""
        if not state.control.is_free:
            return
        progress = (num_reached, highest_level(state))
        if key != self.present or progress != self._progress or away < self._nearest:
            self.present, self._nearest, self._progress = key, away, progress
            self._steps = 0.0
        self._steps += cost
        if self._steps > self._most:
            self.set_aside[key] = reason_of(key)
            self.present, self._steps = "", 0.0

    def refresh(self, reason_of: Callable[[str], Reason]) -> None:
        """Let what was set aside be pursued again where its reason has changed."""
        for key, reason in list(self.set_aside.items()):
            if reason_of(key) != reason:
                del self.set_aside[key]

    def look_around(self, state: GameState, num_reached: int) -> None:
        """Count a step for which all milestones are set aside.

        They are tried again after many, or once another was reached meanwhile.
        """
        if not state.control.is_free:
            return
        self.present = ""
        self._steps += 1
        if self._steps > self._most or num_reached != self._progress[0]:
            self.set_aside.clear()
            self._steps = 0.0
            self._progress = (num_reached, self._progress[1])

    def save(self) -> list[Any]:
        """Return all of it, JSON-able."""
        return [self.present, self._nearest, self._steps, *self._progress, dict(self.set_aside)]

    def load(self, saved: list[Any]) -> None:
        """Restore the state that `save` returned."""
        self.present, self._nearest, self._steps = str(saved[0]), int(saved[1]), float(saved[2])
        self._progress = (int(saved[3]), int(saved[4]))
        # Older checkpoints have the keys without reasons: they are tried again.
        self.set_aside = {str(key): [] for key in saved[5]}
        if isinstance(saved[5], dict):
            self.set_aside = {str(key): list(reason) for key, reason in saved[5].items()}
