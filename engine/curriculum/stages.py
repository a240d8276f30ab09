"""Name the curriculum's stages: how far each follows the planner, and what it takes to leave it."""

import math
from dataclasses import dataclass

from engine.config import CurriculumConfig
from engine.strategy.performance import StrategyType

_AUTONOMOUS_SHARE = 0.05
_PHASES = (
    (
        "Guided exploration",
        "getting about: walking, doors, talking, menus",
        "chooses a first creature, finds its way out of rooms and towns",
    ),
    (
        "Strategic development",
        "taking battles, gathering things, going where the goals are",
        "levels rise, badges are won",
    ),
    (
        "Optimization",
        "doing in fewer steps what has worked before",
        "returns vary little, episodes get shorter",
    ),
    (
        "Autonomous operation",
        "deciding alone, with a word of the planner now and then",
        "returns stay high, goals are reached",
    ),
)
"""Name, focus and success metrics of the documented phases."""
_LAST_PHASE = (
    "Mastery",
    "playing without any planner",
    "reaches the run's goal in most episodes",
)
_DOCUMENTED_GOAL = 500.0
"""The highest documented threshold: what reaching the run's goal is taken to pay."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage.

    Attributes:
        focus: What is learnt in it.
        success_metrics: By what it shows that it is learnt.
        preference: Strategy that it begins with; None where strategies have no say.
        planner_share: How far the planner is followed, 0 to 1, unless a strategy says otherwise.
        needed_confidence: Confidence from which the policy may act against the planner's advice.
        threshold: Average reward needed to advance, in the game's own rewards; nan in the last.
        min_episodes: Episodes before which it is not left.
    """

    name: str
    focus: str
    success_metrics: str
    preference: StrategyType | None
    planner_share: float
    needed_confidence: float
    threshold: float
    min_episodes: int


def build_stages(
    config: CurriculumConfig, goal_reward: float, initial_strategy: str
) -> tuple[Stage, ...]:
    """Return the configured stages and, after them, the last one, which has no planner.

    The default thresholds (50, 100, 200, 500) belong to a game whose goal pays about 500: with a
    `config.reward_scale` of 0 they are read as shares of what reaching the run's goal pays here,
    10, 20, 40 and 100 %. Thresholds that somebody gives have a scale of 1: they stand as they are.
    `goal_reward` is what reaching every milestone of the run's goal pays; `initial_strategy` takes
    the place of the first stage's own preference.
    """
    scale = config.reward_scale or goal_reward / _DOCUMENTED_GOAL
    stages = []
    for number, stage in enumerate(config.stages):
        preference = None
        if stage.strategy_preference != "autonomous":
            preference = StrategyType(stage.strategy_preference if number else initial_strategy)
        stages.append(
            Stage(
                *_PHASES[min(number, len(_PHASES) - 1)],
                preference=preference,
                planner_share=preference.planner_share if preference else _AUTONOMOUS_SHARE,
                needed_confidence=stage.llm_confidence,
                threshold=stage.reward_threshold * scale,
                min_episodes=max(stage.min_episodes, config.advancement_patience),
            )
        )
    last = stages[-1]
    stages.append(
        Stage(*_LAST_PHASE, None, 0.0, last.needed_confidence, math.nan, last.min_episodes)
    )
    return tuple(stages)
