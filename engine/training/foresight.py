"""Ask the agent what it would do, beside what a person does, without disturbing its training."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.agents.base import Player

if TYPE_CHECKING:
    from engine.agents.base import Agent
    from engine.training.trainer import Trainer


class Foresight:
    """Plays beside a person as the agent would.

    It draws from random numbers of its own, and has the agent's memory of what a person saw.
    """

    def __init__(self) -> None:
        self._asked: tuple[Agent, Player] | None = None

    def forget(self) -> None:
        """Begin anew: with what the agent has learnt by then, and without memory."""
        self._asked = None

    def action(self, trainer: Trainer, env_index: int) -> int:
        """Return what the agent would do in an environment now."""
        if self._asked is None or self._asked[0] is not trainer.actor:
            seed = trainer.config.seed + trainer.metrics.total_steps
            self._asked = trainer.actor, trainer.actor.player(seed)
        choices = self._asked[1](trainer.batch, trainer.guidance())
        return int(choices.actions[env_index])
