"""The strategy system in a run."""

import json

import pytest

from engine.events import CurriculumChanged, EpisodeEnded, ReasoningLogged, StrategySwitched
from engine.runs.journal import read_journal
from tests.engine.training.helpers import Run, played


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    return played(tmp_path_factory.mktemp("run"), total_steps=1000)


def test_each_switch_is_an_event_with_its_cause_said_and_journalled(run):
    switches = run.of(StrategySwitched)
    assert switches[0] == StrategySwitched("llm_heavy", "balanced", switches[0].cause, 10)
    assert all(switch.cause and switch.old != switch.new for switch in switches)
    assert len(switches) == run.trainer.learning.strategy.get_strategy_stats()["strategy_switches"]
    said = [event.text for event in run.of(ReasoningLogged) if event.source == "strategy"]
    assert said == [f"{s.new} after {s.old}: {s.cause}" for s in switches]
    kept = [e for e in read_journal(run.folder / "journal.jsonl") if type(e) is StrategySwitched]
    assert kept == switches


def test_metrics_follow_the_runs_episodes(run):
    strategy = run.trainer.learning.strategy
    assert strategy.metrics["curriculum_stage"] == run.of(CurriculumChanged)[-1].stage
    usual = [event.summary.is_usual for event in run.of(EpisodeEnded)]
    assert strategy.get_strategy_stats()["episodes"] == sum(usual)


def test_a_snapshot_holds_the_strategy(run):
    resumed = Run(run.folder, total_steps=1000).resume()
    saved = run.trainer.learning.strategy.save()
    assert resumed.trainer.learning.strategy.save() == json.loads(json.dumps(saved))


def planned_share(run: Run) -> float:
    """Return the share of the decisions of all ended episodes that the planner made."""
    summaries = [event.summary for event in run.of(EpisodeEnded)]
    steps = sum(summary.length for summary in summaries)
    return sum(summary.planner_share * summary.length for summary in summaries) / steps


@pytest.mark.parametrize(
    ("strategy", "share"), [("llm_heavy", 0.8), ("balanced", 0.5), ("rule_heavy", 0.2)]
)
def test_a_strategy_that_is_set_is_followed_all_along(tmp_path, strategy, share):
    run = played(tmp_path, total_steps=1000, strategy=strategy, exam_share=0.0)
    assert not run.of(StrategySwitched)
    assert run.of(CurriculumChanged)[-1].stage > 1
    assert {round(change.planner_share, 3) for change in run.of(CurriculumChanged)} == {share}
    assert planned_share(run) == pytest.approx(share, abs=0.02)


def test_a_run_with_a_fixed_strategy_resumes_bit_for_bit(tmp_path):
    whole = played(tmp_path / "whole", total_steps=600, strategy="balanced")
    played(tmp_path / "parts", total_steps=300, strategy="balanced")
    second = Run(tmp_path / "parts", total_steps=600, strategy="balanced").resume()
    second.play()
    assert second.journal_text == whole.journal_text


def test_a_run_that_was_saved_without_shares_goes_on_weighing(tmp_path):
    first = played(tmp_path, total_steps=200, strategy="rule_heavy")
    former = first.store.load_newest()[0]
    del former.arrays["shares"]
    second = Run(tmp_path, total_steps=1000, strategy="rule_heavy")
    second.trainer.saving.restore(former)
    second.play()
    assert planned_share(second) < 0.18
    assert "shares" not in second.store.load_newest()[0].arrays
