"""Sum the reward components, each with its weight, in a fixed order."""

from typing import Any

from engine.config import RewardConfig
from engine.rewards.base import Payments, RewardComponent, Transition
from engine.rewards.battle import BattleReward, WhiteoutCharge
from engine.rewards.exploration import ExplorationReward, MapReward, StepCharge, StuckCharge
from engine.rewards.party import HealReward, LevelReward
from engine.rewards.progress import BadgeReward, MilestoneReward
from engine.types import GameState, RewardBreakdown


class RewardComposer:
    """Pay the weighted components; their sum is the reward, with nothing added or clipped.

    Args:
        config: The weights; a component with weight 0 pays 0.
    """

    def __init__(self, config: RewardConfig) -> None:
        parts: tuple[RewardComponent, ...] = (
            MilestoneReward(),
            BadgeReward(),
            ExplorationReward(),
            MapReward(),
            LevelReward(),
            BattleReward(),
            HealReward(),
            StuckCharge(),
            WhiteoutCharge(),
            StepCharge(),
        )
        self._parts = tuple((part, float(getattr(config, part.name))) for part in parts)
        self.names = tuple(part.name for part in parts)

    def reset(self, state: GameState) -> None:
        """Start an episode at `state`."""
        for part, _ in self._parts:
            part.reset(state)

    def pay(self, step: Transition) -> RewardBreakdown:
        """Return what a step pays, by component."""
        payments = Payments()
        # Adding 0.0 turns the -0.0 of a charge that is switched off into 0.0.
        components = tuple(
            (part.name, part.pay(step, payments) * weight + 0.0) for part, weight in self._parts
        )
        return RewardBreakdown(components, tuple(payments.causes))

    def save(self) -> dict[str, Any]:
        """Return what has been paid for, JSON-able."""
        return {part.name: part.save() for part, _ in self._parts}

    def restore(self, saved: dict[str, Any]) -> None:
        """Put back what `save` returned."""
        for part, _ in self._parts:
            part.restore(saved[part.name])
