"""How far an episode went is counted in milestones on the way to the run's goal."""

import pytest

from engine.config import CurriculumConfig
from engine.curriculum.scheduler import Curriculum, build_stages, hand_over
from engine.curriculum.starts import WayToGoal
from engine.planning.goals.adaptive import AdaptiveStrategySystem
from engine.types import EpisodeSummary
from tests.engine.games.images import CRYSTAL, PRACTICE


def episode(*keys: str, held: tuple[str, ...] = (), reward: float = 0.0, is_success: bool = False):
    steps = dict.fromkeys(held, 0) | dict.fromkeys(keys, 9)
    return EpisodeSummary(0, reward, 100, (), steps_to_milestone=steps, is_success=is_success)


@pytest.fixture
def way() -> WayToGoal:
    return WayToGoal(PRACTICE.MILESTONES, "got_starter")


@pytest.mark.parametrize(
    ("tables", "goal", "size"),
    [
        (PRACTICE, "", 10),
        (PRACTICE, "moss_light", 23),
        (PRACTICE, "deep_light", len(PRACTICE.MILESTONES)),
        (PRACTICE, "got_starter", 4),
        (CRYSTAL, "", 20),
        (CRYSTAL, "hive_badge", 27),
    ],
)
def test_the_way_ends_at_the_goal(tables, goal, size):
    assert WayToGoal(tables.MILESTONES, goal).size == size


def test_milestones_on_the_way_count_and_others_do_not(way):
    assert way.walked(episode()) == 0
    assert way.walked(episode("left_bedroom", "beat_moe", reward=500.0)) == 1
    assert way.walked(episode("left_bedroom", is_success=True)) == 4
    assert way.came({}) == 0
    assert way.came({"left_bedroom": 1.0, "left_house": 0.5, "beat_moe": 1.0}) == 0.375


def test_from_a_start_on_the_way_the_rest_counts_for_all_of_it(way):
    held = ("left_bedroom", "left_house")
    assert way.walked(episode(held=held)) == 0
    assert way.walked(episode("entered_lab", held=held)) == 2


def test_with_a_badge_held_the_way_leads_to_the_next():
    way = WayToGoal(CRYSTAL.MILESTONES, "")
    held = tuple(one.key for one in CRYSTAL.MILESTONES[:20])
    assert way.walked(episode(held=held)) == 0
    assert way.walked(episode("hive_badge", held=held)) == pytest.approx(20 / 7)


@pytest.mark.parametrize("tables", [PRACTICE, CRYSTAL], ids=["practice", "crystal"])
def test_a_policy_that_learned_nothing_does_not_advance(tables):
    """Play at random reaches some 3 milestones, and is paid for every tile and map."""
    way = WayToGoal(tables.MILESTONES, "")
    subject, strategy = Curriculum(CurriculumConfig(), 70.0, way=way), AdaptiveStrategySystem()
    start = [one.key for one in tables.MILESTONES[:3]]
    for _ in range(60):
        change, _ = hand_over(subject, strategy, episode(*start, reward=400.0))
    assert (change.stage, change.average_reward) == (1, 3)
    assert change.missing.endswith("(now 3.0)")


def test_reaching_the_goal_in_the_needed_share_of_episodes_passes_every_threshold():
    way = WayToGoal(PRACTICE.MILESTONES, "")
    config = CurriculumConfig()
    stages = build_stages(config, 70.0, "llm_heavy", way)
    assert [stage.threshold for stage in stages[:-1]] == pytest.approx([4.15, 4.8, 6.1, 8.0])
    assert max(stage.threshold for stage in stages[:-1]) <= config.needed_success * way.size


def test_given_thresholds_are_rewards_whatever_the_way():
    way = WayToGoal(PRACTICE.MILESTONES, "")
    subject = Curriculum(CurriculumConfig(reward_scale=1.0), 70.0, way=way)
    assert subject.stage.threshold == 50
    assert subject.measure(episode("left_bedroom", reward=12.5)) == 12.5
