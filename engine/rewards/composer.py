"""Sum the reward components, each with its weight, in a fixed order."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from engine.config import RewardConfig
from engine.errors import CheckpointError, ConfigurationError
from engine.ground.registry import resolve
from engine.rewards.base import Payments, RewardComponent, Transition
from engine.rewards.battle import BattleReward, CatchReward, HealReward, LevelReward, WhiteoutCharge
from engine.rewards.exploration import (
    ExplorationReward,
    MapReward,
    StepCharge,
    StuckCharge,
    TalkReward,
    WarpReward,
)
from engine.rewards.progress import BadgeReward, KeyItemReward, MilestoneReward, MoneyGuard
from engine.types import GameState, RewardBreakdown

ENTRY_POINTS = "poketui.rewards"
"""Entry point group under which packages announce reward components."""

CUSTOM = "custom"
"""Name under which a subclass's own reward is shown."""


class RewardComposer:
    """Pay the weighted components; their sum is the reward, with nothing added or clipped.

    Args:
        config: The weights; a component with weight 0 pays 0.

    Raises:
        ConfigurationError: `config.extra` names what is no component, or one name twice.
    """

    def __init__(self, config: RewardConfig) -> None:
        own: tuple[RewardComponent, ...] = (
            MilestoneReward(),
            BadgeReward(),
            ExplorationReward(),
            MapReward(),
            WarpReward(),
            TalkReward(),
            LevelReward(),
            BattleReward(),
            CatchReward(),
            HealReward(),
            KeyItemReward(),
            MoneyGuard(),
            StuckCharge(),
            WhiteoutCharge(),
            StepCharge(),
        )
        parts = [(part, float(getattr(config, part.name))) for part in own]
        parts += [(_make(key), weight) for key, weight in config.extra.items()]
        self._parts = tuple(parts)
        self.names = tuple(part.name for part, _ in parts)
        name, count = Counter((*self.names, CUSTOM)).most_common(1)[0]
        if count > 1:
            raise ConfigurationError(
                f"rewards.extra: the name {name!r} is taken.", "Give your component another `name`."
            )

    @property
    def weights(self) -> tuple[tuple[str, float], ...]:
        """Return the current (component, weight)."""
        return tuple((part.name, weight) for part, weight in self._parts)

    def weigh(self, weights: Iterable[tuple[str, float]]) -> None:
        """Set the weights of these components from the next step on."""
        changed = dict(weights)
        self._parts = tuple((part, changed.get(part.name, old)) for part, old in self._parts)

    def reset(self, state: GameState) -> None:
        """Start an episode at `state`."""
        for part, _ in self._parts:
            part.reset(state)

    def pay(self, step: Transition) -> RewardBreakdown:
        """Return what a step pays, by component."""
        payments = Payments()
        components = []
        for part, weight in self._parts:
            name = payments.payer = part.name
            # Adding 0.0 turns the -0.0 of a charge that is switched off into 0.0.
            components.append((name, part.pay(step, payments) * weight + 0.0))
        return RewardBreakdown(tuple(components), tuple(payments.causes), tuple(payments.payers))

    def save(self) -> dict[str, Any]:
        """Return what has been paid for, JSON-able."""
        return {part.name: part.save() for part, _ in self._parts}

    def restore(self, saved: dict[str, Any]) -> None:
        """Put back what `save` returned.

        Raises:
            CheckpointError: It was saved with other components.
        """
        if saved.keys() != set(self.names):
            raise CheckpointError(
                f"It was saved with other reward components: {', '.join(saved)}.",
                "Restore `rewards.extra` and its components, or start a new run.",
            )
        for part, _ in self._parts:
            part.restore(saved[part.name])


def _make(key: str) -> RewardComponent:
    """Make the component that an entry of `rewards.extra` names."""
    found = resolve(key, ENTRY_POINTS)
    try:
        component = found()
    except TypeError as error:
        raise ConfigurationError(
            f"rewards.extra: cannot create a component from {key!r}: {error}.",
            "It must be a class whose constructor takes no arguments.",
        ) from None
    if not isinstance(component, RewardComponent):
        raise ConfigurationError(
            f"rewards.extra: {key!r} is not a reward component.",
            "It needs `name`, `reset`, `pay`, `save` and `restore`; see docs/rewards.md.",
        )
    return component
