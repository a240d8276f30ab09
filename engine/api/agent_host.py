"""Give a HybridAgent what its arguments leave out, from a trainer or from a stand-in."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.agents.base import Agent, Guidance
from engine.config import CurriculumConfig
from engine.curriculum.scheduler import Curriculum, hand_over
from engine.env.batch import Batch
from engine.errors import ConfigurationError
from engine.planning.goals.adaptive import AdaptiveStrategySystem
from engine.planning.rules.advisor import RuleAdvisor
from engine.types import EpisodeSummary, Goal, Observation

_GOAL_REWARD = 500.0
"""The highest documented threshold: where no trainer knows better, what success pays."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step that was taken.

    Attributes:
        reward: What was paid for it.
        observation: That followed.
        is_done: The episode ended with it.
        is_planned: The planner's part chose it.
        is_answered: By a language model's answer.
    """

    reward: float
    observation: Observation
    is_done: bool
    is_planned: bool
    is_answered: bool


class AgentHost(Protocol):
    """Steps the environment that a HybridAgent acts in."""

    @property
    def goal(self) -> Goal | None:
        """Return the rules' current goal."""
        ...

    @property
    def reason(self) -> str:
        """Return the reason of their advice."""
        ...

    @property
    def guidance(self) -> Guidance:
        """Return how far advice is followed."""
        ...

    def now(self, observation: Observation, info: dict[str, Any]) -> Batch:
        """Return the environment as it is now, with the rules' advice."""
        ...

    def after(self, step: Step) -> Batch:
        """Return it as it is after a step."""
        ...

    def conclude(self, policy: Agent | None, batch: Batch) -> None:
        """Do what is due after a step that `policy` has observed; None where nothing learns."""
        ...


class StandaloneHost:
    """Stand in for the trainer: rules' advice, learning, curriculum and strategy.

    An episode that is paid what the last threshold asks for counts as a success.

    Args:
        config: Of the curriculum; its thresholds hold as they stand.
        strategy: Called with how episodes go.

    Attributes:
        goal: What the rules want now.
        reason: Why they advise what they advise.
    """

    def __init__(self, config: CurriculumConfig, strategy: AdaptiveStrategySystem) -> None:
        self.goal: Goal | None = None
        self.reason = ""
        self.curriculum = Curriculum(config, _GOAL_REWARD, initial_strategy=strategy.current.value)
        self._goal_reward = (config.reward_scale or 1.0) * config.stages[-1].reward_threshold
        self._strategy = strategy
        self._advisor: RuleAdvisor | None = None
        self._is_beginning = True
        self._reward = 0.0
        self._steps = self._planned_steps = self._answered_steps = 0

    @property
    def guidance(self) -> Guidance:
        """Return how far advice is followed, by the own curriculum or a forced strategy."""
        forced = self._strategy.forced
        self.curriculum.forced_share = None if forced is None else forced.planner_share
        return Guidance(self.curriculum.planner_share, self.curriculum.stage.needed_confidence)

    def now(self, observation: Observation, info: dict[str, Any]) -> Batch:
        """Return the environment as it is now; advised where `info` says what that takes."""
        features, mask = _arrays(observation)
        if "state" not in info or "game" not in info:
            return _batch(features, mask)
        if self._advisor is None:
            self._advisor = RuleAdvisor(info["game"])
        if self._is_beginning:
            self._advisor.reset(info["state"])
            self._is_beginning = False
        advice = self._advisor.advise(info["state"], mask)
        self.goal, self.reason = advice.goal, advice.reason
        return _batch(features, mask, prior=advice.prior, confidence=advice.confidence)

    def after(self, step: Step) -> Batch:
        """Return the environment as it is after a step, with a summary if the episode ended."""
        self._reward += step.reward
        self._steps += 1
        self._planned_steps += step.is_planned
        self._answered_steps += step.is_answered
        summary = self._end() if step.is_done else None
        return _batch(*_arrays(step.observation), reward=step.reward, summary=summary)

    def conclude(self, policy: Agent | None, batch: Batch) -> None:
        """Learn if it is due, and count an episode that ended."""
        if policy is not None and policy.is_update_due:
            policy.update(batch)
        for summary in batch.summaries.values():
            hand_over(self.curriculum, self._strategy, summary)

    def _end(self) -> EpisodeSummary:
        summary = EpisodeSummary(
            env_index=0,
            total_reward=self._reward,
            length=self._steps,
            components=(),
            is_success=self._reward >= self._goal_reward,
            planner_share=self._planned_steps / self._steps,
            llm_share=self._answered_steps / self._steps,
        )
        self._reward, self._steps = 0.0, 0
        self._planned_steps = self._answered_steps = 0
        self._is_beginning = True
        return summary


def _arrays(observation: Observation) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return an observation's features and mask.

    Raises:
        ConfigurationError: It has none.
    """
    for key in ("features", "action_mask"):
        if key not in observation:
            raise ConfigurationError(
                f"The observation has no '{key}'.",
                "Create the environment with observation_type 'multi_modal' or 'state'.",
            )
    return np.asarray(observation["features"]), np.array(observation["action_mask"], np.bool_)


def _batch(
    features: NDArray[np.float32],
    mask: NDArray[np.bool_],
    *,
    prior: NDArray[np.float32] | None = None,
    confidence: float = 0.0,
    reward: float = 0.0,
    summary: EpisodeSummary | None = None,
) -> Batch:
    """Return one environment; an episode that ended was over, whatever ended it.

    How far it has come is among the features, so the critic can foresee an end of time.
    """
    return Batch(
        features=np.array(features[None], np.float32),
        mask=mask[None],
        prior=np.zeros((1, len(mask)), np.float32) if prior is None else prior[None],
        advice_confidence=np.array([confidence], np.float32),
        rewards=np.array([reward], np.float32),
        terminated=np.array([summary is not None]),
        truncated=np.array([False]),
        final_features=np.array(features[None], np.float32),
        summaries={} if summary is None else {0: summary},
    )
