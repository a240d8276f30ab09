import pytest

from engine.config import CurriculumConfig
from engine.curriculum.scheduler import Curriculum, hand_over
from engine.planning.goals.adaptive import AdaptiveStrategySystem, StrategyType
from engine.types import EpisodeSummary

LLM_HEAVY, BALANCED, RULE_HEAVY = StrategyType


class Pair:
    """A curriculum whose share needs no time to settle, and a strategy system."""

    def __init__(self, *, fixed_share: float | None = None) -> None:
        config = CurriculumConfig(reward_scale=1.0, confidence_decay_rate=1e-9)
        self.curriculum = Curriculum(config, 500.0, fixed_share=fixed_share)
        self.strategy = AdaptiveStrategySystem()
        self.changes, self.switches = [], []

    def play(self, reward: float, count: int, *, is_success: bool = True, usage: float = 0.7):
        for _ in range(count):
            summary = EpisodeSummary(0, reward, 200, (), is_success=is_success, planner_share=usage)
            change, switches = hand_over(self.curriculum, self.strategy, summary)
            self.changes.append(change)
            self.switches += switches
        return self


def test_a_stage_begins_with_the_strategy_that_it_prefers():
    pair = Pair().play(60.0, 10)
    assert (pair.curriculum.number, pair.strategy.current) == (2, BALANCED)
    (switch,) = pair.switches
    assert (switch.cause, switch.episode) == ("set by stage 2 of 5", 10)
    pair.play(0.0, 20, is_success=False)
    assert (pair.curriculum.number, pair.strategy.current) == (1, LLM_HEAVY)
    assert pair.curriculum.planner_share == 0.8


def test_within_a_stage_the_strategys_share_is_followed():
    pair = Pair().play(60.0, 30)
    assert pair.curriculum.planner_share == pytest.approx(0.5)
    pair.play(30.0, 12)
    assert pair.strategy.current is LLM_HEAVY
    assert pair.curriculum.planner_share == 0.8


def test_planner_share_rises_at_once_and_falls_gradually():
    pair = Pair()
    pair.curriculum = Curriculum(CurriculumConfig(reward_scale=1.0), 500.0)
    pair.strategy.adopt(RULE_HEAVY, "test")
    pair.play(60.0, 3)
    assert pair.curriculum.planner_share == pytest.approx(0.2 + 0.6 * 0.98**3)
    pair.strategy.adopt(BALANCED, "test")
    pair.play(60.0, 1)
    assert pair.curriculum.planner_share > 0.5
    pair.strategy.adopt(LLM_HEAVY, "test")
    pair.play(60.0, 1)
    assert pair.curriculum.planner_share == 0.8


def test_a_stage_is_not_left_while_more_of_the_planner_is_in_use():
    pair = Pair().play(60.0, 10)
    pair.play(90.0, 30).play(40.0, 15, is_success=False)
    assert pair.strategy.current is LLM_HEAVY
    pair.play(110.0, 10, is_success=False)
    assert pair.curriculum.number == 2
    assert pair.changes[-1].missing == "when the strategy relies less on the planner"


def test_the_last_stages_follow_the_planner_hardly_then_not_at_all_and_switch_no_strategy():
    pair = Pair().play(600.0, 30)
    assert pair.curriculum.number == 4
    pair.play(600.0, 5)
    assert pair.curriculum.planner_share == pytest.approx(0.05)
    pair.play(600.0, 10)
    assert pair.curriculum.number == 5
    assert pair.curriculum.planner_share == pytest.approx(0.0)
    told = len(pair.switches)
    pair.play(400.0, 15)
    assert len(pair.switches) == told


def test_a_forced_strategy_is_followed_in_every_stage():
    pair = Pair()
    pair.strategy.force_strategy(LLM_HEAVY)
    pair.play(600.0, 60)
    assert pair.curriculum.number == 5
    assert {change.planner_share for change in pair.changes} == {0.8}


def test_without_a_policy_or_a_planner_strategies_have_no_say():
    pair = Pair(fixed_share=0.0).play(600.0, 60, usage=0.0)
    assert pair.curriculum.number == 5
    assert not pair.switches
    assert {change.planner_share for change in pair.changes} == {0.0}


def test_every_stage_tells_its_focus_and_success_metrics():
    pair = Pair().play(600.0, 60)
    told = {(change.stage, change.focus, change.success_metrics) for change in pair.changes}
    assert len(told) == len({focus for _, focus, _ in told}) == 5
    assert all(focus and metrics for _, focus, metrics in told)
