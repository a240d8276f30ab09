"""Hold what a step changes: the games as they are now, and what was counted of them."""

from collections.abc import Callable

import numpy as np

from engine.config import RunConfig
from engine.curriculum.archive import StateArchive
from engine.curriculum.starts import EpisodeStarts
from engine.curriculum.way import WayToGoal
from engine.env.batch import Batch
from engine.games.base import Game
from engine.loop.metrics import RunMetrics
from engine.strategy.advisor import known_goals
from engine.training.kept_states import KeptStates
from engine.training.powers import with_powers
from engine.world import World


class EpisodeTally:
    """What was counted in each environment's current episode.

    Attributes:
        steps: (envs,) int64.
        planned_steps: (envs,) int64, actions for which the planner made the difference.
        llm_steps: (envs,) int64, those of them for which a language model did.
        is_touched: (envs,) bool, a person acted in it: it teaches and counts nothing.
    """

    def __init__(self, num_envs: int) -> None:
        self.steps, self.planned_steps, self.llm_steps = np.zeros((3, num_envs), np.int64)
        self.is_touched = np.zeros(num_envs, np.bool_)

    def reset(self, env_index: int) -> None:
        """Begin an episode."""
        self.steps[env_index] = self.planned_steps[env_index] = self.llm_steps[env_index] = 0
        self.is_touched[env_index] = False


class RunState:
    """Where a run stands; at first before its first step.

    Attributes:
        batch: What the last step led to.
        starts: Where episodes begin.
        kept_states: States of the watched game for a person to branch from.
        milestone_texts: Of the game, by key.
        way: The milestones to the run's goal.
        known_goals: Keys of the milestones that the rule planner knows a way to.
        is_save_due: A checkpoint is to be written after this step.
    """

    def __init__(
        self,
        config: RunConfig,
        vector: World,
        batch: Batch,
        game: Game,
        clock: Callable[[], float],
    ) -> None:
        self.config = config
        self.vector = with_powers(vector, batch)
        self.batch = batch
        self.metrics = RunMetrics()
        self.tally = EpisodeTally(vector.num_envs)
        self.starts: EpisodeStarts = StateArchive(config.curriculum.archive_share, config.seed)
        self.kept_states = KeptStates(config.keep_states, config.keep_states_interval, clock)
        self.actions = game.actions
        self.milestone_texts = dict(game.milestones)
        self.known_goals = known_goals(game)
        self.way = WayToGoal(game.tables.MILESTONES, config.env.goal)
        self.is_save_due = False
