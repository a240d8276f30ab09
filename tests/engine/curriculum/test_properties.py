"""What holds for the curriculum whatever the rewards are."""

import json
import statistics

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import CurriculumConfig
from engine.curriculum.scheduler import MAX_VARIATION, WINDOW, Curriculum, build_stages

CONFIG = CurriculumConfig(reward_scale=1.0, confidence_decay_rate=0.5)
STAGES = build_stages(CONFIG, 500.0, "llm_heavy")

EPISODES = st.lists(
    st.tuples(
        st.one_of(st.floats(-50, 700), st.sampled_from([60.0, 120.0, 250.0, 600.0])),
        st.booleans(),
        st.integers(1, 25),
    ),
    min_size=1,
    max_size=12,
)
"""Reward, success, and for how many episodes in a row it is so."""


def play(runs):
    """Yield stage before, rewards since entering it, and the change, for each episode."""
    subject = Curriculum(CONFIG, 500.0)
    rewards: list[float] = []
    for reward, is_success, count in runs:
        for _ in range(count):
            before = subject.number
            rewards.append(reward)
            change = subject.record(reward, is_success=is_success)
            yield before, list(rewards), change
            if change.has_moved:
                rewards.clear()


@settings(max_examples=25, deadline=None)
@given(EPISODES)
def test_stages_are_taken_one_at_a_time_and_none_before_its_episodes(runs):
    for before, rewards, change in play(runs):
        assert abs(change.stage - before) == int(change.has_moved)
        assert 1 <= change.stage <= change.num_stages
        assert 0.0 <= change.planner_share <= STAGES[0].planner_share
        if change.stage > before:
            assert len(rewards) >= max(STAGES[before - 1].min_episodes, WINDOW)
        if change.stage < before:
            assert len(rewards) >= CONFIG.hold_episodes


@settings(max_examples=25, deadline=None)
@given(EPISODES)
def test_curriculum_advances_only_on_a_good_and_steady_mean(runs):
    for before, rewards, change in play(runs):
        if change.stage > before:
            recent = rewards[-WINDOW:]
            average = statistics.fmean(recent)
            assert average >= STAGES[before - 1].threshold
            assert statistics.pstdev(recent) <= MAX_VARIATION * average


@settings(max_examples=25, deadline=None)
@given(EPISODES)
def test_curriculum_stays_in_the_first_stage_without_reward(runs):
    num_stages = len(STAGES)
    idle = (0.0, False, CONFIG.hold_episodes * num_stages)
    *_, (_, _, change) = play([*runs, idle])
    assert change.stage == 1


@settings(max_examples=15, deadline=None)
@given(EPISODES, EPISODES)
def test_a_loaded_curriculum_goes_on_alike(first, second):
    subject, other = Curriculum(CONFIG, 500.0), Curriculum(CONFIG, 500.0)
    for reward, is_success, _ in first * 12:
        subject.record(reward, is_success=is_success)
    other.load(json.loads(json.dumps(subject.save())))
    for reward, is_success, _ in second * 12:
        assert str(subject.record(reward, is_success=is_success)) == str(
            other.record(reward, is_success=is_success)
        )
    assert subject.save() == other.save()


@settings(max_examples=25, deadline=None)
@given(EPISODES)
def test_without_approval_no_stage_is_left_upwards(runs):
    subject = Curriculum(CONFIG, 500.0)
    for reward, is_success, count in runs:
        for _ in range(count):
            change = subject.record(reward, is_success=is_success, is_approved=False)
            assert change.stage == 1
