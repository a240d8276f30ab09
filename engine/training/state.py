"""Hold what a step changes: the games as they are now, and what was counted of them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.config import RunConfig
from engine.curriculum.archive import StateArchive
from engine.env.batch import Batch
from engine.games.base import Game
from engine.loop.metrics import RunMetrics
from engine.strategy.advisor import known_goals
from engine.training.kept_states import KeptStates
from engine.training.powers import with_powers
from engine.types import ActionSet
from engine.world import FullWorld, World


@dataclass(slots=True)
class EpisodeTally:
    """What was counted in each environment's current episode.

    Attributes:
        steps: (envs,) int64.
        planned_steps: (envs,) int64, actions for which the planner made the difference.
        llm_steps: (envs,) int64, those of them for which a language model did.
        is_touched: (envs,) bool, a person acted in it: it teaches and counts nothing.
    """

    steps: NDArray[np.int64]
    planned_steps: NDArray[np.int64]
    llm_steps: NDArray[np.int64]
    is_touched: NDArray[np.bool_]

    def reset(self, env_index: int) -> None:
        """Begin an episode."""
        self.steps[env_index] = self.planned_steps[env_index] = self.llm_steps[env_index] = 0
        self.is_touched[env_index] = False


@dataclass(slots=True)
class RunState:
    """Where a run stands.

    Attributes:
        vector: Environments that step together.
        batch: What their last step led to.
        metrics: The run's sums.
        archive: States from which episodes begin.
        kept_states: States of the watched game for a person to branch from.
        milestone_texts: Of the game, by key.
        known_goals: Keys of the milestones that the rule planner knows a way to.
        is_save_due: A checkpoint is to be written after this step.
    """

    config: RunConfig
    vector: FullWorld
    batch: Batch
    metrics: RunMetrics
    tally: EpisodeTally
    archive: StateArchive
    kept_states: KeptStates
    actions: ActionSet
    milestone_texts: dict[str, str]
    known_goals: frozenset[str]
    is_save_due: bool = False

    @classmethod
    def begin(
        cls,
        config: RunConfig,
        vector: World,
        batch: Batch,
        game: Game,
        clock: Callable[[], float],
    ) -> "RunState":
        """Return the state of a run before its first step."""
        num_envs = vector.num_envs
        steps, planned, by_model = np.zeros((3, num_envs), np.int64)
        return cls(
            config,
            with_powers(vector, batch),
            batch,
            RunMetrics(),
            EpisodeTally(steps, planned, by_model, np.zeros(num_envs, np.bool_)),
            StateArchive(config.curriculum.archive_share, config.seed),
            KeptStates(config.keep_states, config.keep_states_interval, clock),
            game.actions,
            dict(game.milestones),
            known_goals(game),
        )
