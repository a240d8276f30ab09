"""Make what tests of training need; the documented names."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from engine import EnhancedPyBoyPokemonCrystalEnv, HybridLLMRLTrainer, create_trainer_from_config
from engine.config import EnvConfig

CONFIG = "config.json"
_WRITTEN = (CONFIG, "decisions.db", "decisions.db-wal", "decisions.db-shm", "runs", "states")


def create_mock_environment(max_steps: int = 50) -> EnhancedPyBoyPokemonCrystalEnv:
    """Return the practice game on the real emulator, in short episodes: nothing is pretended."""
    config = EnvConfig(max_steps=max_steps, progress_steps=0)
    return EnhancedPyBoyPokemonCrystalEnv("", observation_type="state", config=config)


def generate_test_config(temp_dir: str | Path, **settings: Any) -> dict[str, Any]:
    """Return the documented settings on the practice game, everything below `temp_dir`."""
    folder = Path(temp_dir)
    return {
        "rom_path": "",
        "headless": True,
        "observation_type": "state",
        "max_context_length": 8000,
        "initial_strategy": "llm_heavy",
        "decision_db_path": str(folder / "decisions.db"),
        "save_dir": str(folder),
        "log_level": "WARNING",
        "eval_episodes": 1,
        "env": {"max_steps": 50, "progress_steps": 0},
        "ppo": {"rollout_steps": 32, "minibatch_size": 32, "hidden_size": 32},
        **settings,
    }


def create_test_trainer(
    episodes: int = 10,
    headless: bool = True,
    temp_dir: str | Path | None = None,
    **settings: Any,
) -> HybridLLMRLTrainer:
    """Return a trainer that trains for `episodes` short ones unless it is told otherwise."""
    folder = Path(temp_dir or tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    config = generate_test_config(folder, headless=headless, **settings)
    (folder / CONFIG).write_text(json.dumps(config))
    trainer = create_trainer_from_config(str(folder / CONFIG))
    train = trainer.train

    def train_shortly(total_episodes: int = episodes, *args: Any, **kwargs: Any) -> dict[str, Any]:
        return train(total_episodes, *args, **kwargs)

    trainer.train = train_shortly
    return trainer


def cleanup_test_files(temp_dir: str | Path) -> None:
    """Delete what a test trainer wrote, and the folder if nothing else is in it."""
    folder = Path(temp_dir)
    for name in _WRITTEN:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
