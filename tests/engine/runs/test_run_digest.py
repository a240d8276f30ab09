import math

import pytest

from engine.events import CurriculumChanged, EvaluationEnded, PolicyUpdated
from engine.runs.table import differing, digest_run
from engine.types import Evaluation
from tests.saved_runs import ended, save_run


def digest(saves, *events, **options):
    return digest_run(str(saves), save_run(saves, events=events).name, **options)


def test_a_run_in_figures(tmp_path):
    early = Evaluation(5, 2.0, 0.5, 30.0, 0.0, 0.2)
    late = Evaluation(5, 3.0, 0.5, 30.0, 0.0, 0.8)
    events = [ended(number, 1.0) for number in range(1, 11)]
    events += [ended(number, 4.0, is_success=True) for number in range(11, 41)]
    events.insert(3, ended(99, 0.0, steps_to_milestone={"badge": 3}, start="badge"))
    events[12:12] = [EvaluationEnded(11, 1100, early), EvaluationEnded(11, 1100, late)]
    events.append(ended(41, 4.0, steps_to_milestone={"house": 3, "badge": 9}))
    events.append(ended(42, 4.0, steps_to_milestone={"house": 1}))
    events.append(PolicyUpdated(7, 4300, {"kl": math.nan}))
    found = digest(tmp_path, *events)
    assert (found.total_steps, found.episodes, found.updates) == (9900, 42, 7)
    assert found.first_steps == {"house": 4100, "badge": 4100}
    assert (found.recent, found.recent_successes, found.recent_return) == (30, 28, 4.0)
    assert found.evaluation.evaluation == late


def test_a_run_without_an_episode_in_figures(tmp_path):
    found = digest(tmp_path)
    assert (found.episodes, found.recent, found.recent_return) == (0, 0, 0.0)
    assert found.evaluation is None


def test_settings_differ_by_dotted_key_but_not_in_how_a_run_is_carried_on(tmp_path):
    first = save_run(tmp_path, seed=1, workers=1, total_steps=5)
    second = save_run(tmp_path, seed=2, agent="dqn", workers=2, ppo={"epochs": 7}, total_steps=9)
    pair = [digest_run(str(tmp_path), run.name).settings for run in (first, second)]
    found = {"agent": ("ppo", "dqn"), "seed": ("1", "2"), "ppo.epochs": ("3", "7")}
    assert differing(*pair) == found
    assert not differing(pair[0], pair[0])


def test_settings_of_more_than_two_runs_differ_where_any_has_another_value():
    one, two, three = {"a": "1", "b": "1"}, {"a": "1", "b": "2"}, {"a": "1", "b": "1", "c": "3"}
    assert differing(one, two, three) == {"b": ("1", "2", "1"), "c": ("–", "–", "3")}


def test_whoever_watches_a_digest_gets_every_event_of_the_journal(tmp_path):
    events = [ended(1, 1.0), PolicyUpdated(1, 200, {"kl": 0.5}), ended(2, 2.0)]
    seen = []
    digest(tmp_path, *events, watch=seen.append)
    assert seen == events


def test_a_curriculum_that_moved_changes_no_figure(tmp_path):
    moved = CurriculumChanged(2, 5, "x", 0.7, 0.4, 3, 10, math.nan, math.nan, "", has_moved=True)
    found = digest(tmp_path, ended(1, 2.0), moved)
    assert (found.episodes, found.recent_return) == (1, pytest.approx(2.0))
