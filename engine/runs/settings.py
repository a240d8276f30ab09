"""Read the settings of saved runs, and merge those of a resumed run; imports nothing slow.

A run's folder, `path` here, has them in config.json.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from engine.config import CurriculumConfig, RunConfig, parse_config
from engine.errors import CheckpointError, ConfigurationError
from engine.ground.files import read_object
from engine.ground.trust import check_permissions, named_in, permissions_for_code

CONFIG_NAME = "config.json"

SESSION_KEYS = frozenset(
    {
        "headless",
        "save_dir",
        "log_level",
        "workers",
        "total_steps",
        "total_episodes",
        "checkpoint_interval_s",
        "keep_checkpoints",
        "decision_db_path",
        "allow_unknown_rom",
    }
)
"""Settings of a session rather than of the run: a resumed run takes them from the new command."""

_CHANGEABLE_KEYS = frozenset(
    {
        "save_interval",
        "eval_interval",
        "eval_episodes",
        "tensorboard",
        "wandb",
        "llm_model",
        "llm_backend",
        "llm_base_url",
        "llm_interval",
        "keep_states",
        "keep_states_interval",
        "record_interventions",
    }
)
"""Settings that a resumed run takes from the new command if it names them."""


def load_settings(path: Path) -> RunConfig:
    """Return a saved run's settings, to play its game with.

    Raises:
        CheckpointError: They are unreadable.
        ConfigurationError: They name code that the user does not trust.
    """
    config = read_settings(path)
    check_permissions(permissions_for_code(config.rewards.extra), path / CONFIG_NAME)
    return config


def read_settings(path: Path) -> RunConfig:
    """Return a saved run's settings, to show them, whether or not they are trusted.

    Raises:
        CheckpointError: They are unreadable.
    """
    try:
        return parse_settings(path)
    except (ValueError, ConfigurationError) as error:
        raise CheckpointError(
            f"The settings of run {path.name} are unreadable: {str(error).rstrip('.')}.",
            "Start a new run.",
        ) from None


def parse_settings(path: Path) -> RunConfig:
    """Return a saved run's settings, or raise ValueError or ConfigurationError."""
    values = read_object(path / CONFIG_NAME)
    for as_it_was in (_with_former_env, _with_former_curriculum, _with_former_teaching):
        values = as_it_was(values)
    return parse_config(values, CONFIG_NAME)


def resumed_config(path: Path, new: RunConfig) -> tuple[RunConfig, list[str]]:
    """Return the saved run's settings, with those of the session from the new command.

    What is learnt, from what and how belongs to the run and stays. The second value names the
    settings of the new command that differ and have no effect.

    Raises:
        CheckpointError: The saved settings are unreadable.
        ConfigurationError: They name hosts or code that the user does not trust.
    """
    saved = read_settings(path)
    given = _CHANGEABLE_KEYS & new.model_fields_set
    changes = {key: getattr(new, key) for key in SESSION_KEYS | given}
    if new.rom_path:
        changes["rom_path"] = new.rom_path
    if new.workers > saved.num_envs:
        raise ConfigurationError(
            f"workers = {new.workers}: the saved run has num_envs = {saved.num_envs}.",
            "Use as many workers at most.",
        )
    config = saved.model_copy(update=changes)
    check_permissions(config.permissions(), path / CONFIG_NAME, named_in(new.model_dump()))
    return config, ignored_settings(saved, new, changes)


def ignored_settings(saved: RunConfig, new: RunConfig, taken: Iterable[str]) -> list[str]:
    """Return the settings of a new command that differ from the saved run's, which stay."""
    env = new.env.completed(saved.env.max_steps, saved.env.stuck_steps)
    wanted = new.model_copy(update={"env": env})
    return [
        key
        for key in type(new).model_fields
        if key not in taken
        and getattr(new, key) != getattr(RunConfig(), key)
        and getattr(wanted, key) != getattr(saved, key)
    ]


def flat(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return settings by dotted key."""
    found: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            found |= flat(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found


def saved_session(saved: RunConfig) -> RunConfig:
    """Return settings to resume a run as in its last session, without any permissions."""
    kept = SESSION_KEYS - {"decision_db_path"}
    return RunConfig(**{key: getattr(saved, key) for key in kept})


def _with_former_teaching(values: dict[str, Any]) -> dict[str, Any]:
    """Complete settings from before exam games: the run has none, and draws as it did."""
    if "exam_share" in values:
        return values
    kept = {key: value for key, value in values.items() if key != "background_episodes"}
    if isinstance(ppo := values.get("ppo"), dict):
        learnt = {key: value for key, value in ppo.items() if key != "imitation"}
        kept["ppo"] = {"temperature": 1.0, **learnt}
    if isinstance(dqn := values.get("dqn"), dict):
        kept["dqn"] = {"distillation": 0.0, **dqn}
    return {**kept, "exam_share": 0.0}


def _with_former_env(values: dict[str, Any]) -> dict[str, Any]:
    """Complete settings from before limits, features and frames of steps could be chosen."""
    env = values.get("env", {})
    if isinstance(env, dict):
        former = {"max_steps": 1500, "stuck_steps": 0, "features": "first", "ask_frames": 0}
        values = values | {"env": former | env}
    return {"num_envs": 32} | values


def _with_former_curriculum(values: dict[str, Any]) -> dict[str, Any]:
    """Complete settings from before `hold_episodes`, so that the run continues as it began.

    `advancement_patience` then meant what `hold_episodes` does now, fewer than ten episodes never
    counted, the last of several stages was always autonomous, and the one after it took four
    successes of five.
    """
    curriculum = values.get("curriculum")
    if not isinstance(curriculum, dict) or "hold_episodes" in curriculum:
        return values
    former = CurriculumConfig.model_validate(curriculum)
    stages = [
        stage.model_dump() | {"min_episodes": max(stage.min_episodes, 10)}
        for stage in former.stages
    ]
    if len(stages) > 1:
        stages[-1]["strategy_preference"] = "autonomous"
    patience = former.advancement_patience if "advancement_patience" in curriculum else 20
    now = {
        "stages": stages,
        "reward_scale": former.reward_scale if "reward_scale" in curriculum else 0.0,
        "needed_success": 0.8,
        "advancement_patience": 1,
        "hold_episodes": max(patience, 10),
    }
    return values | {"curriculum": former.model_dump() | now}
