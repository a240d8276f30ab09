"""Play games whose goals a language model sets, and wait for its answers.

A run never waits for a model (`engine.training.planning`). Where the planner's play is learnt from
or recorded, its own goals matter more than speed: so here the games stand still while it is asked,
and no query is submitted twice.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.config import RunConfig
from engine.env.batch import Batch
from engine.env.observation.pixels import MakeSight
from engine.env.stepping import SteppedEnv
from engine.events import PlannerStatusChanged, WarningRaised
from engine.imitation.games import Games, make_games
from engine.planning.models.backends import make_backends
from engine.planning.models.exchanges import ExchangeLog
from engine.planning.models.planner import Planner
from engine.planning.rules.advisor import GOAL_SOURCE
from engine.planning_types import (
    GoalSources,
    PlannerUpdate,
    Subgoal,
    goal_source_names,
    with_goal_sources,
)

NO_MODEL = "No language model is set (--llm-model): the rules set the planner's goals."
_LOOKED_EVERY_S = 0.005
_LOADING_S = 60.0
"""Least time to wait for the first answer: the model may have to be loaded."""
_DOWN = frozenset({"missing", "unreachable", "refused", "exhausted", "waiting"})
_NOBODY_ANSWERS = "No language model answers. The rules set the goals until one does."


class BlockingPlanner:
    """Ask the language models of a run's settings for goals, while the games wait.

    Args:
        path: Where questions and answers are kept.
        say: Takes lines for the user.
        clock: Seconds that only rise.

    Attributes:
        plans: How many goals were set.

    Raises:
        ConfigurationError: A model's client is not installed, or its key is missing.
    """

    def __init__(
        self,
        config: RunConfig,
        path: Path | None,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        settings = config.planner
        self._planner = Planner(
            make_backends(config),
            settings,
            max_context_length=config.max_context_length,
            seed=config.seed,
            exchanges=None if path is None else ExchangeLog(path, settings.keep_exchanges),
        )
        self.plans = 0
        self._say, self._clock = say, clock
        self._fallback = settings.fallback
        self._goal_sources: GoalSources = [(GOAL_SOURCE,)]
        self._patience_s = (
            settings.first_token_timeout_s
            + 2 * settings.answer_timeout_s
            + 60.0 / settings.calls_per_minute
        )
        self._first_patience_s = max(self._patience_s, _LOADING_S)
        self._new: list[Subgoal] = []
        self._status: PlannerStatusChanged | None = None
        self._has_complained = False
        self._planner.start()

    def begin(self, envs: Sequence[SteppedEnv]) -> None:
        """Let models set the goals in games from now on."""
        self._update_planner(envs, ())

    def follow(self, envs: Sequence[SteppedEnv]) -> list[int]:
        """Submit each game's query; return the games for which a subgoal came."""
        planned = []
        for index, env in enumerate(envs):
            env.take_goal_outcomes()
            query = env.question() if env.wants_plan else None
            if query is None:
                continue
            self._planner.submit(query)
            self._wait()
            if any(plan.key == query.key for plan in self._collect(envs)):
                planned.append(index)
        self._collect(envs)
        return planned

    def close(self) -> None:
        """Stop the planner's thread."""
        self._planner.close()

    def _wait(self) -> None:
        """Wait for an answer, as long as one can be expected."""
        patience_s = self._patience_s if self.plans else self._first_patience_s
        until = self._clock() + patience_s
        while not self._planner.is_idle and self._clock() < until:
            if self._status is not None and self._status.state in _DOWN:
                break
            time.sleep(_LOOKED_EVERY_S)
            self._poll()
        if not self._planner.is_idle and not self._has_complained:
            self._has_complained = True
            self._say(f"{_NOBODY_ANSWERS} {self._status.detail if self._status else ''}".rstrip())

    def _poll(self) -> None:
        plans, events = self._planner.poll()
        self._new += plans
        for event in events:
            if isinstance(event, WarningRaised):
                self._say(event.message)
            elif isinstance(event, PlannerStatusChanged):
                self._status = event

    def _collect(self, envs: Sequence[SteppedEnv]) -> list[Subgoal]:
        self._poll()
        plans, self._new = self._new, []
        if plans:
            self._has_complained = False
            self.plans += len(plans)
            self._goal_sources = with_goal_sources(self._goal_sources, plans)
            self._update_planner(envs, tuple(plans))
        return plans

    def _update_planner(self, envs: Sequence[SteppedEnv], plans: tuple[Subgoal, ...]) -> None:
        update = PlannerUpdate(
            is_on=True,
            holdout_fraction=0.0,
            fallback=self._fallback,
            goal_sources=goal_source_names(self._goal_sources),
            plans=plans,
        )
        for env in envs:
            env.update_planner(update)


class AskedGames(Games):
    """Games that wait for a language model's goals.

    In a step for which a subgoal came, no advice is given: what was advised served another goal.
    """

    def __init__(self, envs: Sequence[SteppedEnv], planner: BlockingPlanner) -> None:
        super().__init__(envs)
        self._planner = planner
        planner.begin(envs)

    def reset(self, seeds: Sequence[int]) -> Batch:
        """Start an episode everywhere."""
        return self._asked(super().reset(seeds))

    def step(self, actions: NDArray[np.int64], *, shows: bool = True) -> Batch:
        """Take (envs,) actions; where an episode ends another one begins."""
        return self._asked(super().step(actions, shows=shows))

    def close(self) -> None:
        """Free the games, and stop the planner's thread."""
        self._planner.close()
        super().close()

    def _asked(self, batch: Batch) -> Batch:
        batch.prior[self._planner.follow(self.envs)] = 0.0
        return batch


def make_asked_games(
    config: RunConfig,
    count: int,
    make_sight: MakeSight | None,
    path: Path,
    say: Callable[[str], None],
) -> Games:
    """Make games in which the planner advises: the models of `config.llm_model`, else the rules.

    For `count` and `make_sight` see `make_games`, for `path` and `say` `BlockingPlanner`.

    Raises:
        PokeTUIError: The games or a model's client cannot be made.
    """
    if not config.models:
        say(NO_MODEL)
        return make_games(config, count, make_sight, is_advised=True)
    planner = BlockingPlanner(config, path, say)
    try:
        games = make_games(config, count, make_sight, is_advised=True)
    except BaseException:  # Ctrl-C too must leave no thread behind; it is raised again
        planner.close()
        raise
    return AskedGames(games.envs, planner)
