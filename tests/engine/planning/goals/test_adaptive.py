import json

import pytest

from engine.events import StrategySwitched
from engine.planning.goals.adaptive import AdaptiveStrategySystem, PerformanceMetrics, StrategyType
from engine.types import EpisodeSummary, Goal
from tests.engine.planning.goals.helpers import state

LLM_HEAVY, BALANCED, RULE_HEAVY = StrategyType


def episode(
    reward: float = 100.0,
    *,
    length: int = 200,
    is_success: bool = True,
    usage: float = 0.5,
    rules: float = 0.0,
) -> EpisodeSummary:
    return EpisodeSummary(
        0, reward, length, (), is_success=is_success, planner_share=usage, llm_share=usage - rules
    )


def feed(
    system: AdaptiveStrategySystem, summary: EpisodeSummary, count: int, *, may_switch: bool = True
) -> list[StrategySwitched]:
    for _ in range(count):
        system.record_episode(summary, 1, may_switch=may_switch)
    return system.pop_switches()


def balanced(**settings) -> AdaptiveStrategySystem:
    """Return a system that has seen twenty good episodes of half the planner."""
    system = AdaptiveStrategySystem(initial=BALANCED, **settings)
    assert not feed(system, episode(), 20)
    return system


class Patterns:
    """A history whose decisions succeed at this rate."""

    def __init__(self, success_rate: float) -> None:
        self.success_rate = success_rate

    def analyze_patterns(self, min_frequency=3, context_filter=None):
        return [{"frequency": 12, "success_rate": self.success_rate}]


class Goals:
    """A planner that knows these goals."""

    def __init__(self, *goals: Goal) -> None:
        self.goals = goals

    def next_goals(self, state):
        return self.goals


def test_strategies_have_the_documented_names_and_shares():
    assert {name.value: name.planner_share for name in StrategyType} == {
        "llm_heavy": 0.8,
        "balanced": 0.5,
        "rule_heavy": 0.2,
    }


def test_the_documented_constructor_and_first_strategy():
    system = AdaptiveStrategySystem(history_analyzer=None, goal_planner=None)
    assert system.select_strategy({}) is LLM_HEAVY


def test_metrics_have_the_documented_keys_and_count_the_last_ten():
    system = AdaptiveStrategySystem()
    feed(system, episode(50.0, is_success=False), 10)
    feed(system, episode(100.0, length=321, usage=0.75, rules=0.5), 5)
    assert system.metrics == {
        "episode_reward": 100.0, "average_reward": 75.0, "llm_usage_rate": 0.25,
        "rules_usage_rate": 0.5, "episode_length": 321, "strategy_switches": 0,
        "curriculum_stage": 1, "success_rate": 0.5,
    }  # fmt: skip
    assert system.metrics.keys() == PerformanceMetrics.__annotations__.keys()


def test_even_episodes_switch_nothing():
    assert not feed(balanced(), episode(), 500)


@pytest.mark.parametrize(
    ("summary", "cause"),
    [
        (episode(20.0), "average reward"),
        (episode(is_success=False), "success"),
        (episode(length=400), "400 steps to the goal, up from 200"),
    ],
)
def test_worse_episodes_bring_more_of_the_planner(summary, cause):
    switch, *_ = feed(balanced(), summary, 30)
    assert (switch.old, switch.new) == ("balanced", "llm_heavy")
    assert switch.cause.startswith(cause)


def test_longer_episodes_are_no_reason_where_the_goal_is_never_reached():
    system = AdaptiveStrategySystem(initial=BALANCED)
    feed(system, episode(is_success=False), 20)
    assert not feed(system, episode(is_success=False, length=900), 30)


def test_a_negative_reward_falls_too():
    system = AdaptiveStrategySystem(initial=BALANCED)
    feed(system, episode(-10.0, is_success=False), 20)
    (switch,) = feed(system, episode(-20.0, is_success=False), 12)
    assert switch.cause == "average reward -18.0, down from -10.0"


def test_frequent_decisions_that_begin_to_fail_bring_more_of_the_planner():
    history = Patterns(0.6)
    system = AdaptiveStrategySystem(history, initial=BALANCED)
    assert not feed(system, episode(), 30)
    history.success_rate = 0.4
    (switch,) = feed(system, episode(), 10)
    assert switch.cause == "frequent decisions succeed in 40%, down from 60%"


def test_decisions_that_always_failed_do_not_make_the_strategy_swing():
    system = AdaptiveStrategySystem(Patterns(0.1), initial=BALANCED)
    assert not feed(system, episode(), 200)


def test_a_policy_that_wins_alone_is_given_less_of_the_planner():
    switches = feed(AdaptiveStrategySystem(), episode(usage=0.01), 100)
    assert [switch.new for switch in switches] == ["balanced", "rule_heavy"]
    assert switches[0].cause == "success 100%, planner share 1%"


def test_a_planner_that_leads_nowhere_is_followed_less():
    switch, *_ = feed(AdaptiveStrategySystem(), episode(is_success=False, usage=0.9), 60)
    assert switch.new == "balanced"
    assert switch.cause.startswith("planner share 90%")


def test_help_ends_when_what_was_lost_is_back():
    system = balanced()
    feed(system, episode(20.0), 30)
    assert system.current is LLM_HEAVY
    (switch,) = feed(system, episode(usage=0.7), 40)
    assert (switch.new, switch.cause) == ("balanced", "average reward back at 100.0")


def test_help_ends_when_it_does_not_help():
    system = balanced()
    feed(system, episode(20.0), 30)
    (switch,) = feed(system, episode(20.0), 60)
    assert switch.new == "balanced"
    assert "no improvement" in switch.cause


def test_evidence_must_hold_several_episodes_in_a_row():
    system = balanced(hold_episodes=5)
    for _ in range(20):
        assert not feed(system, episode(length=400), 4)
        assert not feed(system, episode(), 1)
    assert len(feed(system, episode(length=400), 5)) == 1


def test_a_strategy_stays_a_while():
    system = AdaptiveStrategySystem(hold_episodes=1, min_stay=30)
    switches = feed(system, episode(usage=0.0), 90)
    assert [switch.episode for switch in switches] == [30, 60]


def test_rewards_that_swing_do_not_make_the_strategy_swing():
    system = AdaptiveStrategySystem(initial=BALANCED)
    for _ in range(200):
        feed(system, episode(60.0), 1)
        feed(system, episode(140.0), 1)
    assert system.get_strategy_stats()["strategy_switches"] == 0


def test_a_lighter_strategy_that_just_did_worse_is_not_tried_again():
    system = balanced()
    feed(system, episode(20.0, is_success=False), 30)
    assert system.current is LLM_HEAVY
    assert not feed(system, episode(usage=0.7), 60)
    assert feed(system, episode(usage=0.7), 100)[0].new == "balanced"


def test_the_heavier_strategy_that_did_best_lately_is_taken():
    system = AdaptiveStrategySystem(hold_episodes=1, min_stay=0)
    feed(system, episode(110.0), 15)
    system.adopt(BALANCED, "test")
    feed(system, episode(100.0), 12)
    system.adopt(RULE_HEAVY, "test")
    feed(system, episode(100.0), 12)
    assert feed(system, episode(10.0), 10)[0].new == "llm_heavy"


def test_a_forced_strategy_holds_until_it_is_let_go():
    system = balanced()
    system.force_strategy(RULE_HEAVY)
    assert [switch.cause for switch in system.pop_switches()] == ["forced"]
    assert not feed(system, episode(0.0, is_success=False), 100)
    system.adopt(LLM_HEAVY, "a stage")
    assert system.select_strategy({"episode_reward": -5.0}) is RULE_HEAVY
    system.force_strategy(None)
    assert feed(system, episode(0.0, is_success=False), 20)[0].old == "rule_heavy"


def test_where_it_has_no_say_nothing_switches():
    assert not feed(balanced(), episode(0.0), 50, may_switch=False)


def test_statistics_tell_each_strategys_achievements_and_the_switches():
    system = balanced()
    feed(system, episode(20.0, is_success=False, length=300, usage=0.75), 20)
    stats = system.get_strategy_stats()
    assert stats["current_strategy"] == "llm_heavy"
    assert stats["episodes"] == 40
    assert stats["strategy_switches"] == len(stats["switches"]) == 1
    assert stats["strategies"]["llm_heavy"] == {
        "episodes": 40 - stats["switches"][0]["episode"], "times_chosen": 1,
        "average_reward": 20.0, "success_rate": 0.0, "average_length": 300.0,
        "planner_usage": 0.75,
    }  # fmt: skip
    assert stats["strategies"]["rule_heavy"]["episodes"] == 0


def test_advancement_is_approved_while_no_more_of_the_planner_is_in_use_than_preferred():
    system = balanced()
    assert system.approves_advancement(LLM_HEAVY)
    assert system.approves_advancement(BALANCED)
    assert not system.approves_advancement(RULE_HEAVY)
    assert system.approves_advancement(None)


def test_advancement_is_not_approved_while_evidence_for_more_comes_in():
    system = balanced()
    feed(system, episode(length=400), 2)
    assert not system.approves_advancement(BALANCED)
    feed(system, episode(), 1)
    assert system.approves_advancement(BALANCED)
    system.force_strategy(LLM_HEAVY)
    assert system.approves_advancement(RULE_HEAVY), "a forced strategy holds nothing back"


def test_a_planner_without_a_goal_is_followed_least():
    lost = AdaptiveStrategySystem(goal_planner=Goals())
    assert lost.select_strategy({"state": state()}) is RULE_HEAVY
    known = AdaptiveStrategySystem(goal_planner=Goals(Goal("town", "Go to town")))
    assert known.select_strategy({"state": state()}) is LLM_HEAVY
    assert known.select_strategy({"state": None, "anything": 1}) is LLM_HEAVY


class Documented(AdaptiveStrategySystem):
    """The guide's example of a rule of one's own."""

    def _should_switch_strategy(self, performance_metrics):
        if performance_metrics["episode_reward"] < 10:
            return StrategyType.LLM_HEAVY
        if performance_metrics["llm_usage_rate"] > 0.8:
            return StrategyType.BALANCED
        return None


def test_a_rule_of_ones_own_switches_once_it_holds():
    system = Documented()
    assert not feed(system, episode(usage=0.9), 9)
    (switch,) = feed(system, episode(usage=0.9), 1)
    assert switch.cause == "episode reward 100.0, planner share 90%"
    assert feed(system, episode(5.0), 10)[0].new == "llm_heavy"


def test_a_rule_of_ones_own_answers_for_a_context():
    system = Documented(initial=RULE_HEAVY)
    assert system.select_strategy({"episode_reward": 50, "llm_usage_rate": 0.9}) is BALANCED
    assert system.select_strategy({"episode_reward": 5}) is LLM_HEAVY
    assert system.select_strategy({"badges": 2}) is RULE_HEAVY
    assert system.current is RULE_HEAVY


def test_a_loaded_system_goes_on_as_the_saved_one():
    system = balanced()
    feed(system, episode(20.0), 13)
    system.record_episode(episode(20.0), 1)
    other = AdaptiveStrategySystem()
    other.load(json.loads(json.dumps(system.save())))
    assert other.save() == system.save()
    for summary in (episode(20.0), episode(usage=0.7), episode(length=500)):
        assert feed(system, summary, 40) == feed(other, summary, 40)
    assert other.get_strategy_stats() == system.get_strategy_stats()
