"""Pay for getting on in the story: milestones and badges."""

from typing import Any

from engine.rewards.base import Payments, RewardComponent, Transition
from engine.types import GameState


class MilestoneReward(RewardComponent):
    """Pay 1 for each milestone when it is first reached in the episode.

    Farming: none; the tracker reports a milestone once, and those already reached at the start of
    an episode never.
    """

    name = "milestone"

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return the number of milestones reached."""
        for _, text in step.reached:
            payments.note(f"milestone: {text}")
        return float(len(step.reached))


class BadgeReward:
    """Pay 1 for each badge won.

    Farming: none; a badge bit pays once, and is never lost in the game.
    """

    name = "badge"

    def reset(self, state: GameState) -> None:
        """Take the badges at the start as held."""
        self._held = state.badges

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return the number of new badge bits."""
        if step.current.badges == self._held:
            return 0.0
        first, second = step.current.badges
        new = (first & ~self._held[0]).bit_count() + (second & ~self._held[1]).bit_count()
        self._held = (first | self._held[0], second | self._held[1])
        if new:
            payments.note("a badge")
        return float(new)

    def save(self) -> Any:
        """Return both bit masks."""
        return list(self._held)

    def restore(self, saved: Any) -> None:
        """Put both bit masks back."""
        self._held = (saved[0], saved[1])
