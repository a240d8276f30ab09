import json

import pytest

from engine.config import RunConfig
from engine.errors import ConfigurationError
from engine.runs.settings import CONFIG_NAME, ignored_settings, read_settings, resumed_config


def test_more_workers_than_a_saved_run_has_games_are_refused_not_cut(tmp_path):
    (tmp_path / CONFIG_NAME).write_text(RunConfig(num_envs=2).model_dump_json())
    config, _ = resumed_config(tmp_path, RunConfig(workers=2))
    assert config.workers == 2
    with pytest.raises(ConfigurationError, match="workers = 3: the saved run has num_envs = 2"):
        resumed_config(tmp_path, RunConfig(workers=3))


def test_what_a_saved_run_keeps_in_spite_of_a_new_command_is_named():
    saved = RunConfig(seed=3)
    new = RunConfig(seed=4, env={"max_steps": 20}, workers=2)
    assert ignored_settings(saved, new, {"workers"}) == ["seed", "env"]
    assert ignored_settings(saved, RunConfig(), ()) == []


def test_a_run_from_before_there_were_layouts_keeps_its_features(tmp_path):
    values = RunConfig().model_dump(mode="json")
    without = values | {"env": {k: v for k, v in values["env"].items() if k != "features"}}
    no_env = {key: value for key, value in values.items() if key != "env"}
    for saved, features in ((values, "goal"), (without, "first"), (no_env, "first")):
        (tmp_path / CONFIG_NAME).write_text(json.dumps(saved))
        assert read_settings(tmp_path).env.features == features
        assert resumed_config(tmp_path, RunConfig())[0].env.features == features
