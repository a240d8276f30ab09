"""Name the curriculum's stages: how far each follows the planner, and what it takes to leave it."""

import math
from dataclasses import dataclass

from engine.config import CurriculumConfig

PLANNER_SHARES = {"llm_heavy": 0.8, "balanced": 0.5, "rule_heavy": 0.2}
"""Share of the planner by strategy, as documented."""

_AUTONOMOUS_SHARE = 0.05
_NAMES = (
    "Guided exploration",
    "Strategic development",
    "Optimization",
    "Autonomous operation",
)
_LAST_NAME = "Mastery"
_DOCUMENTED_GOAL = 500.0
"""The highest documented threshold: what reaching the run's goal is taken to pay."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage.

    Attributes:
        planner_share: How far the planner is followed, 0 to 1.
        needed_confidence: Confidence from which the policy may act against the planner's advice.
        threshold: Average reward needed to advance, in the game's own rewards; nan in the last.
    """

    name: str
    planner_share: float
    needed_confidence: float
    threshold: float
    min_episodes: int


def build_stages(
    config: CurriculumConfig, goal_reward: float, initial_strategy: str
) -> tuple[Stage, ...]:
    """Return the configured stages and, after them, the last one, which has no planner.

    The documented thresholds (50, 100, 200, 500) belong to a game whose goal pays about 500.
    Unless `config.reward_scale` says otherwise they are read as shares of what reaching the run's
    goal pays here: 10, 20, 40 and 100 %.

    Args:
        config: Stages with the documented thresholds.
        goal_reward: What reaching every milestone of the run's goal pays.
        initial_strategy: Strategy of the first stage, in place of its own preference.
    """
    scale = config.reward_scale or goal_reward / _DOCUMENTED_GOAL
    stages = []
    for number, stage in enumerate(config.stages):
        share = PLANNER_SHARES[stage.strategy_preference if number else initial_strategy]
        if number == len(config.stages) - 1 > 0:
            share = min(share, _AUTONOMOUS_SHARE)
        stages.append(
            Stage(
                name=_NAMES[min(number, len(_NAMES) - 1)],
                planner_share=share,
                needed_confidence=stage.llm_confidence,
                threshold=stage.reward_threshold * scale,
                min_episodes=stage.min_episodes,
            )
        )
    last = config.stages[-1]
    stages.append(Stage(_LAST_NAME, 0.0, last.llm_confidence, math.nan, last.min_episodes))
    return tuple(stages)
