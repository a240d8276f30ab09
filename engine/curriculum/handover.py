"""Let curriculum and strategies decide together how far the planner is followed."""

from engine.curriculum.scheduler import Curriculum
from engine.events import CurriculumChanged, StrategySwitched
from engine.strategy.adaptive import AdaptiveStrategySystem
from engine.types import EpisodeSummary


def hand_over(
    curriculum: Curriculum, strategy: AdaptiveStrategySystem, summary: EpisodeSummary
) -> tuple[CurriculumChanged, list[StrategySwitched]]:
    """Count an episode for both; return where the curriculum stands, and the switches.

    A stage begins with the strategy that it prefers; within it the strategy system says how far the
    planner is followed. The last stages hardly follow it, and then not at all, unless a strategy is
    forced.
    """
    forced = strategy.forced
    curriculum.forced_share = None if forced is None else forced.planner_share
    may_switch = curriculum.preference is not None
    strategy.record_episode(summary, curriculum.number, may_switch=may_switch)
    if may_switch:
        curriculum.follow(strategy.current.planner_share)
    change = curriculum.record(
        summary.total_reward,
        is_success=summary.is_success,
        is_approved=strategy.approves_advancement(curriculum.preference),
    )
    if change.has_moved and curriculum.preference is not None:
        cause = f"stage {change.stage} of {change.num_stages} begins with it"
        strategy.adopt(curriculum.preference, cause)
    return change, strategy.pop_switches()
