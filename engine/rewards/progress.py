"""Pay for milestones, badges and key items, and charge for spending the last money."""

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


MONEY_GUARD = 500
"""What should stay in the purse: a Potion and a Poké Ball."""


class KeyItemReward:
    """Pay 1 for each key item the first time it is in the bag.

    Farming: none; an item pays once an episode, so putting it away and taking it out pays nothing.
    """

    name = "key_item"

    def reset(self, state: GameState) -> None:
        """Take the key items at the start as given."""
        self._held = set(state.bag.key_items)

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return the number of new key items."""
        if step.current.bag is step.previous.bag:
            return 0.0
        new = set(step.current.bag.key_items) - self._held
        if not new:
            return 0.0
        self._held |= new
        payments.note("a key item")
        return float(len(new))

    def save(self) -> Any:
        """Return the items that were ever held."""
        return sorted(self._held)

    def restore(self, saved: Any) -> None:
        """Put back what `save` returned."""
        self._held = {int(item) for item in saved}


class MoneyGuard:
    """Charge for spending below `MONEY_GUARD`, by the share of it that is gone: 1 in all.

    The purse is looked at when the player is free again, so that what is bought and sold in one
    visit cancels out. What a defeat costs is not charged here: the whiteout is.

    Farming: none; it never pays, and it charges the lowest purse so far, so that earning gives
    nothing back and spending the same money again costs nothing more.
    """

    name = "money"

    def reset(self, state: GameState) -> None:
        """Take the purse at the start as given."""
        self._lowest = min(MONEY_GUARD, state.money)

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return minus the share of the guarded money that was spent."""
        now = step.current
        if now.money >= self._lowest or not now.control.is_free:
            return 0.0
        spent = self._lowest - now.money
        self._lowest = now.money
        if step.has_whited_out:
            return 0.0
        payments.note("spent all money")
        return -spent / MONEY_GUARD

    def save(self) -> Any:
        """Return the lowest purse so far."""
        return self._lowest

    def restore(self, saved: Any) -> None:
        """Put back what `save` returned."""
        self._lowest = int(saved)
