"""Runs that were saved before thresholds stood as given continue by the rule that they began
with."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.config import CurriculumConfig, RunConfig
from engine.curriculum.scheduler import Curriculum
from engine.errors import CheckpointError
from engine.runs.settings import load_settings

FORMER_STAGES = [
    {
        "reward_threshold": threshold,
        "min_episodes": 10,
        "llm_confidence": confidence,
        "strategy_preference": strategy,
    }
    for threshold, confidence, strategy in (
        (50.0, 0.9, "llm_heavy"),
        (100.0, 0.7, "balanced"),
        (200.0, 0.5, "rule_heavy"),
        (500.0, 0.3, "rule_heavy"),
    )
]


def saved(folder: Path, **curriculum: Any) -> RunConfig:
    """Return the settings of a run whose config.json holds every key of the former curriculum."""
    former = {
        "stages": FORMER_STAGES,
        "reward_scale": 0.0,
        "advancement_patience": 20,
        "confidence_decay_rate": 0.98,
        "archive_share": 0.0,
    }
    values = {"initial_strategy": "llm_heavy", "curriculum": former | curriculum}
    (folder / "config.json").write_text(json.dumps(values))
    return load_settings(folder)


def feed(config: CurriculumConfig, rewards: list[float]) -> list:
    subject = Curriculum(config, 80.0)
    return [subject.record(reward, is_success=reward > 60) for reward in rewards]


def test_a_former_default_run_has_todays_default_curriculum(tmp_path):
    assert saved(tmp_path).curriculum == CurriculumConfig()
    assert saved(tmp_path).initial_strategy == "llm_heavy"


def test_a_former_run_with_own_stages_keeps_scale_patience_and_last_stage(tmp_path):
    stages = [stage | {"min_episodes": 3} for stage in FORMER_STAGES[:2]]
    config = saved(
        tmp_path, stages=stages, advancement_patience=5, confidence_decay_rate=1e-9
    ).curriculum
    changes = feed(config, [20.0] * 21 + [0.0] * 10)
    assert [number for number, change in enumerate(changes, 1) if change.has_moved] == [10, 28]
    assert changes[0].threshold == pytest.approx(8.0)
    assert changes[10].planner_share == pytest.approx(0.05)
    assert changes[20].missing == "when 8 of 10 reach the goal (now 0)"


def test_todays_settings_are_read_as_they_were_saved(tmp_path):
    stages = [stage | {"min_episodes": 3} for stage in FORMER_STAGES[:2]]
    config = RunConfig.model_validate({"curriculum": {"stages": stages, "hold_episodes": 5}})
    (tmp_path / "config.json").write_text(config.model_dump_json())
    loaded = load_settings(tmp_path)
    assert loaded.curriculum == config.curriculum
    assert loaded.curriculum.stages[-1].strategy_preference == "balanced"
    assert (loaded.curriculum.reward_scale, loaded.curriculum.stages[0].min_episodes) == (1.0, 3)


@pytest.mark.parametrize("patience", ["x", None, [], 0])
def test_a_former_curriculum_that_is_damaged_is_one_clear_line(tmp_path, patience):
    with pytest.raises(CheckpointError, match="advancement_patience"):
        saved(tmp_path, advancement_patience=patience)
