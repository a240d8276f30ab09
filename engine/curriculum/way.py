"""Measure how far episodes get towards the run's goal, in milestones."""

from collections.abc import Iterable, Mapping

from engine.games.base import Milestone, final_milestone
from engine.types import EpisodeSummary


class WayToGoal:
    """The milestones that lead to a run's goal.

    Args:
        milestones: All of the game's, in order.
        goal: Key of the milestone that ends an episode; "": the next badge.
    """

    def __init__(self, milestones: Iterable[Milestone], goal: str) -> None:
        self._milestones = tuple(milestones)
        self._goal = goal
        self.size = len(self._keys(frozenset()))

    def walked(self, summary: EpisodeSummary) -> float:
        """Return how far an episode went, from 0 to `size` milestones.

        One that began further on has the rest of the way count for all of it.
        """
        return self.size * (1.0 if summary.is_success else self.share(summary.steps_to_milestone))

    def share(self, steps: Mapping[str, int]) -> float:
        """Return the same from 0 to 1, by the steps at which milestones were reached."""
        held = {key for key, step in steps.items() if step == 0}
        left = [key for key in self._keys(held) if key not in held]
        return sum(key in steps for key in left) / len(left) if left else 1.0

    def came(self, shares: Mapping[str, float]) -> float:
        """Return how far games from power-on came on average, by how many reached each milestone.

        `shares` are of the games, by the milestones' keys.
        """
        keys = self._keys(frozenset())
        return sum(shares.get(key, 0.0) for key in keys) / len(keys) if keys else 1.0

    def _keys(self, held: frozenset[str] | set[str]) -> tuple[str, ...]:
        """Return the keys up to the goal, where those `held` at the start are no goal."""
        keys = tuple(one.key for one in self._milestones)
        final = final_milestone(self._milestones, self._goal, held)
        return keys[: keys.index(final) + 1] if final in keys else keys
