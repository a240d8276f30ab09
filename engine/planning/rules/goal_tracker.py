"""Evaluate from RAM how goals go, and set those aside that are pursued in vain."""

from collections.abc import Callable, Collection
from typing import Any

from engine.games.base import GameTables
from engine.planning.rules.battle import is_weak
from engine.types import GameState, Goal, GoalKind, GoalTally

LIFE_STEPS = 400
"""Steps after which a goal that is not reached counts as failed; then it is tried anew."""

RESTED = 0.9
"""Share of the best creature's health from which on it has rested."""

UNREACHABLE = 1_000
"""Number of maps for a goal to which no way is known."""

Reason = list[int]
"""What decides whether a goal can be reached; the same numbers: there is nothing new."""


class GoalTracker:
    """Count by kind which goals were reached, and which were not within their life.

    A milestone's goal is reached when RAM shows the milestone, rest when the party is healthy,
    training with every level gained, shopping when the bag holds more. A goal that is interrupted
    by another, a rest for example, counts once it comes true; until then it does not count as
    failed.
    """

    def __init__(self, goal_source: str, tables: GameTables | None = None) -> None:
        self._goal_source = goal_source
        self._tables = tables
        self.reset()

    def reset(self) -> None:
        """Start an episode."""
        self._tallies: dict[GoalKind, tuple[int, int]] = {}
        # Kind, age, and what there was of levels, or of items, at the beginning.
        self._open: dict[str, tuple[GoalKind, int, int]] = {}
        self._present = ""

    def evaluate(self, state: GameState, reached: Collection[str]) -> None:
        """Close the open goals that have come true, by state and keys of reached milestones."""
        for key, (kind, _, level) in list(self._open.items()):
            match kind:
                case GoalKind.HEAL:
                    is_true = not is_weak(state.party, RESTED, self._tables)
                case GoalKind.TRAIN:
                    is_true = highest_level(state) > level
                case GoalKind.BUY:
                    is_true = _num_items(state) > level
                case _:
                    is_true = key in reached
            if is_true:
                del self._open[key]
                self._count(kind, 1, 0)

    def pursue(self, goal: Goal, state: GameState) -> float:
        """Note what is pursued in this step; return how fresh the goal is, 1 falling to 0."""
        self._present = goal.key
        if goal.kind is GoalKind.EXPLORE:
            return 1.0
        is_trip = goal.kind is GoalKind.BUY
        measure = _num_items(state) if is_trip else highest_level(state)
        kind, age, level = self._open.get(goal.key, (goal.kind, 0, measure))
        if age == LIFE_STEPS:
            self._count(kind, 0, 1)
            age = 0
        self._open[goal.key] = (kind, age + 1, level)
        return 1 - age / LIFE_STEPS

    def pause(self) -> None:
        """Note that somebody else leads: none of the open goals is pursued in this step."""
        self._present = ""

    def outcomes(self) -> tuple[GoalTally, ...]:
        """Return how the goals went if the episode ends now: the present one has failed.

        One that was set in the last state only has not: nobody could act for it.
        """
        tallies = dict(self._tallies)
        kind, age, _ = self._open.get(self._present, (GoalKind.EXPLORE, 0, 0))
        if age > 1:
            reached, failed = tallies.get(kind, (0, 0))
            tallies[kind] = (reached, failed + 1)
        return tuple(
            GoalTally(self._goal_source, kind, *counts) for kind, counts in tallies.items()
        )

    def save(self) -> list[Any]:
        """Return all of it, JSON-able."""
        return [dict(self._tallies), dict(self._open), self._present]

    def load(self, saved: list[Any]) -> None:
        """Restore the state that `save` returned."""
        tallies, entries, self._present = saved
        self._tallies = {GoalKind(kind): (won, lost) for kind, (won, lost) in tallies.items()}
        self._open = {
            key: (GoalKind(kind), age, level) for key, (kind, age, level) in entries.items()
        }

    def _count(self, kind: GoalKind, reached: int, failed: int) -> None:
        before = self._tallies.get(kind, (0, 0))
        self._tallies[kind] = (before[0] + reached, before[1] + failed)


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


def highest_level(state: GameState) -> int:
    """Return the level of the party's strongest, 0 without a party."""
    return max((creature.level for creature in state.party), default=0)


def _num_items(state: GameState) -> int:
    return sum(count for _, count in (*state.bag.items, *state.bag.balls))
