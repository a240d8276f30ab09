"""The games that the policy plays alone."""

import dataclasses
import json

import numpy as np
import pytest

from engine.agents.guided import GuidedPPO
from engine.agents.rules import RulesAgent
from engine.config import CurriculumConfig, PPOConfig, RunConfig, load_config
from engine.curriculum.starts import WayToGoal
from engine.errors import ConfigurationError
from engine.events import EpisodeEnded, EvaluationEnded, ReasoningLogged
from engine.games.catalog import load_game
from engine.training.exams import RATED, Exams
from engine.types import EpisodeSummary
from tests.engine.toy import SPACES, ToyVector
from tests.engine.training.helpers import played

MILESTONES = load_game("", False).tables.MILESTONES
KEYS = [one.key for one in MILESTONES]
WAY = WayToGoal(MILESTONES, KEYS[3])
CONFIG = RunConfig(num_envs=8)


def exams(**settings) -> Exams:
    return Exams(CONFIG.model_copy(update=settings), WAY, is_possible=True)


def ended(index: int = 7, *, is_success: bool = True) -> EpisodeSummary:
    steps = dict.fromkeys(KEYS[:4], 5) if is_success else {KEYS[0]: 5}
    return EpisodeSummary(
        index, 10.0 * is_success, 10, (), steps, is_success=is_success, is_exam=True
    )


@pytest.mark.parametrize(
    ("settings", "places"),
    [
        ({"num_envs": 8}, [7]),
        ({"num_envs": 32}, [28, 29, 30, 31]),
        ({"num_envs": 2, "exam_share": 0.01}, [1]),
        ({"num_envs": 1}, []),
        ({"num_envs": 8, "exam_share": 0.0}, []),
        ({"num_envs": 8, "curriculum": CurriculumConfig(swarm_share=0.5)}, [3]),
    ],
)
def test_one_game_in_eight_is_an_exam_game_and_never_the_first(settings, places):
    assert np.flatnonzero(exams(**settings).is_exam).tolist() == places


def test_all_games_cannot_be_exam_games():
    with pytest.raises(ConfigurationError, match=r"exam_share = 1: .* less than 1"):
        load_config(None, {"exam_share": 1})


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "exam games: the policy alone plays 1 of 4"),
        ({"exam_share": 0.0}, "no exam games (exam_share = 0): what the policy can do"),
        ({"agent": RulesAgent(0), "exam_share": 0.25}, "no exam games: the agent has no policy"),
    ],
)
def test_a_run_says_which_games_are_exam_games(tmp_path, settings, said):
    run = played(tmp_path, total_steps=8, **settings)
    assert any(event.text.startswith(said) for event in run.of(ReasoningLogged))


def test_a_running_game_counts_with_what_it_has_reached():
    found, batch = exams(), ToyVector(CONFIG).reset(range(8))
    assert found.evaluation(KEYS).progress == 0.0
    for index, key in ((7, KEYS[0]), (0, KEYS[1]), (7, KEYS[1])):
        reached = dataclasses.replace(batch, reached={index: (key, 3)}, summaries={})
        found.follow(reached, np.zeros(8, np.bool_))
    shown = found.evaluation(KEYS)
    assert (shown.episodes, shown.progress) == (0, 0.5)
    assert shown.milestones[KEYS[1]] == 1.0
    assert shown.milestones[KEYS[2]] == 0.0


def test_the_planner_teaches_less_as_the_policy_succeeds_and_again_when_it_fails():
    found = exams()
    assert found.teaching == 1.0
    falling = []
    for _ in range(50):
        found.count(ended())
        falling.append(found.teaching)
    assert falling == sorted(falling, reverse=True)
    assert falling[3] > 0.9  # four won games may be luck
    assert falling[7] > 0.4
    assert falling[-1] == 0.0
    for _ in range(100):
        found.count(ended(is_success=False))
    assert found.teaching > 0.9


def test_a_policy_is_rated_by_its_last_exam_games():
    found = exams()
    for number in range(RATED):
        assert found.score is None
        found.count(ended(is_success=number % 2 == 0))
    assert found.score == (True, 0.5, 5.0)


def test_it_is_told_once_that_the_policy_alone_earns_as_much_as_the_led_games():
    found = exams()
    for _ in range(RATED):
        assert not found.passes([10.0] * RATED)
        found.count(ended())
    assert not found.passes([11.0] * RATED)
    assert found.passes([10.0] * RATED)
    assert not found.passes([10.0] * RATED)


def test_a_game_in_which_somebody_else_acted_shows_nothing():
    found = exams()
    found.spoil()
    found.count(ended(is_success=False))
    found.count(ended())
    assert found.evaluation(KEYS).episodes == 1


def test_exam_games_get_no_advice_count_for_no_stage_and_are_saved(tmp_path):
    run = played(tmp_path, total_steps=1200)
    summaries = [event.summary for event in run.of(EpisodeEnded)]
    assert {summary.env_index for summary in summaries if summary.is_exam} == {3}
    assert all(summary.planner_share == 0 for summary in summaries if summary.is_exam)
    assert any(summary.planner_share > 0 for summary in summaries if not summary.is_exam)
    usual = sum(not summary.is_exam for summary in summaries)
    assert run.trainer.state.metrics.episodes_from_start == usual
    saved = run.trainer.learning.exams.save()
    assert saved["played"]
    other = exams(num_envs=4)
    other.load(json.loads(json.dumps(saved)))
    assert json.dumps(other.save()) == json.dumps(saved)


def test_exam_games_are_shown_more_often_at_first(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("engine.training.trainer._EXAM_STEPS", 256)
    shown = played(tmp_path, total_steps=1400).of(EvaluationEnded)
    assert all(one.is_exam and one.evaluation.progress is not None for one in shown)
    assert [one.total_steps for one in shown] == [*range(64, 1024, 64), 1024, 1280]


@pytest.mark.parametrize(("weight", "is_taught"), [(0.0, False), (1.0, True)])
def test_without_distillation_nothing_is_taught(tmp_path, weight, is_taught):
    ppo = PPOConfig(rollout_steps=8, minibatch_size=16, distillation=weight)
    run = played(tmp_path, total_steps=200, agent=GuidedPPO(ppo, 4, SPACES, 0))
    assert bool(run.trainer.learning.agent.ppo.save()[1]["taught/seen"]) is is_taught
