import json
from pathlib import Path

import pytest

from engine.config import RunConfig
from engine.errors import ConfigurationError
from engine.runs.settings import CONFIG_NAME, ignored_settings, read_settings, resumed_config


def test_more_workers_than_a_saved_run_has_games_are_refused_not_cut(tmp_path: Path) -> None:
    (tmp_path / CONFIG_NAME).write_text(RunConfig(num_envs=2).model_dump_json())
    config, _ = resumed_config(tmp_path, RunConfig(workers=2))
    assert config.workers == 2
    with pytest.raises(ConfigurationError, match="workers = 3: the saved run has num_envs = 2"):
        resumed_config(tmp_path, RunConfig(workers=3))


def test_what_a_saved_run_keeps_in_spite_of_a_new_command_is_named() -> None:
    saved = RunConfig(seed=3)
    new = RunConfig(seed=4, env={"max_steps": 20}, workers=2)
    assert ignored_settings(saved, new, {"workers"}) == ["seed", "env"]
    assert ignored_settings(saved, RunConfig(), ()) == []


def test_a_run_from_before_there_were_layouts_keeps_its_features(tmp_path: Path) -> None:
    values = RunConfig().model_dump(mode="json")
    (tmp_path / CONFIG_NAME).write_text(json.dumps(values))
    assert read_settings(tmp_path).env.features == "goal"
    del values["env"]["features"]
    (tmp_path / CONFIG_NAME).write_text(json.dumps(values))
    assert read_settings(tmp_path).env.features == "first"
    assert resumed_config(tmp_path, RunConfig())[0].env.features == "first"
    del values["env"]
    (tmp_path / CONFIG_NAME).write_text(json.dumps(values))
    assert read_settings(tmp_path).env.features == "first"
