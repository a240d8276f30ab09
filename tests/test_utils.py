from pathlib import Path

from gymnasium.utils.env_checker import check_env

from engine.config import parse_config
from tests.utils import (
    cleanup_test_files,
    create_mock_environment,
    create_test_trainer,
    generate_test_config,
)


def test_the_mock_environment_is_a_short_real_game() -> None:
    env = create_mock_environment(max_steps=16)
    check_env(env, skip_render_check=True)
    env.reset(seed=0)
    ends = [env.step(8)[3] for _ in range(16)]
    assert ends == [False] * 15 + [True]
    env.close()


def test_the_test_config_is_valid(tmp_path: Path) -> None:
    config = parse_config(generate_test_config(tmp_path, seed=4), "the test config")
    assert (config.seed, config.save_dir) == (4, str(tmp_path))


def test_cleaning_up_leaves_what_is_not_the_trainers(tmp_path: Path) -> None:
    folder = tmp_path / "test"
    trainer = create_test_trainer(episodes=1, headless=True, temp_dir=folder)
    trainer.train(max_steps_per_episode=5, eval_interval=0)
    trainer.close()
    (folder / "mine.txt").write_text("keep me")
    cleanup_test_files(folder)
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    (folder / "mine.txt").unlink()
    cleanup_test_files(folder)
    assert not folder.exists()
    cleanup_test_files(folder)
