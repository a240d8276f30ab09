"""Frames of 160 x 240 and ten buttons, none of which waits, go through everything."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env

from engine import HybridAgent, HybridLLMRLTrainer, PokemonEnv
from engine.api.llm_manager import BaseLLMManager
from engine.config import EnvConfig, RunConfig
from engine.env.game_env import GameEnv
from engine.games.catalog import load_game
from engine.imitation.expert_data import load_expert_data
from engine.imitation.networks import ImpalaCNN
from engine.planning.goals.adaptive import AdaptiveStrategySystem
from engine.sessions.train import EngineSession
from engine.types import GAME_BOY_ADVANCE_ACTIONS, GAME_BOY_ADVANCE_FRAME_SHAPE, Action
from pokeTUI.app.cockpit import CockpitApp
from tests.pokeTUI.conftest import comes_to_show, screen_text
from tests.toy_game.install import WIDE
from tests.toy_game.playing import begin_recording, command, end_recording

pytestmark = pytest.mark.slow

SHAPE = GAME_BOY_ADVANCE_FRAME_SHAPE
R = 9


@pytest.fixture(scope="module")
def wide(rom: str) -> str:
    return str(Path(rom).with_name(WIDE))


@pytest.fixture(scope="module")
def folder(wide: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two demonstrations by the rules."""
    folder = tmp_path_factory.mktemp("wide")
    command(wide, folder, "record", "--headless", "--player", "rules", "--episodes", "2")
    return folder


def test_documented_environment_shows_wide_frames_and_takes_ten_actions(wide: str) -> None:
    env = PokemonEnv(rom_path=wide, headless=True, base_fps=240)
    assert env.observation_space.shape == SHAPE
    assert env.action_space.n == 10
    frame, info = env.reset(seed=1)
    assert frame.shape == SHAPE
    assert {"player", "map", "milestones"} <= info.keys()
    for action in range(10):
        frame, *_ = env.step(action)
    assert frame.shape == SHAPE
    codes = env.game_env.get_keys_to_action()
    assert [codes[ord(key),] for key in "zxas"] == [0, 1, 8, 9]
    env.close()


@pytest.mark.parametrize("kind", ["screen", "state"])
def test_gymnasium_accepts_ten_actions(wide: str, kind: str) -> None:
    env = GameEnv(wide, True, kind, config=EnvConfig(max_steps=60), render_mode="rgb_array")
    check_env(env, skip_render_check=True)
    env.close()


def test_an_npz_holds_wide_frames_and_is_read_again(wide: str, folder: Path) -> None:
    command(wide, folder, "demos", "export", "--out", str(folder / "npz"))
    files = sorted((folder / "npz").glob("*.npz"))
    with np.load(files[0]) as file:
        assert file["observations"].shape == (len(file["actions"]), *SHAPE)
        assert file["actions"].max() < 10
        foreign = {key: file[key] for key in file.files if key != "demo"}
    stranger = folder / "foreign.npz"
    np.savez_compressed(stranger, **foreign)
    command(wide, folder / "b", "demos", "import", str(stranger))
    assert len(list((folder / "b" / "demos").glob("*.demo"))) == 1
    buffer = load_expert_data(folder / "npz", config=RunConfig(rom_path=wide))
    assert buffer.observations.shape[1:] == (84, 84, 3)
    assert buffer.game_actions == GAME_BOY_ADVANCE_ACTIONS
    assert len(buffer) >= len(foreign["actions"])


def test_impala_sees_wide_frames_as_the_learners_shrink_them() -> None:
    rng = np.random.default_rng(1)
    frames = rng.integers(0, 256, (2, *SHAPE), dtype=np.uint8)
    network = ImpalaCNN(action_dim=10, hidden_dim=16)
    with torch.no_grad():
        assert network(frames).shape == (2, 10)


def test_a_clone_of_wide_frames_goes_on_as_dqn_with_cloning(wide: str, folder: Path) -> None:
    small = ("--inputs", "screen", "--hidden-size", "16", "--epochs", "1")
    small = (*small, "--eval-episodes", "0")  # a clone that is lost plays for minutes
    command(wide, folder, "bc", "--network", "impala", *small)
    dagger = ("--dagger", "rules", "--rounds", "1", "--round-episodes", "1")
    told = command(wide, folder, "bc", "--network", "tiny", "--rules", "1", *dagger, *small)
    assert "round   1" in told
    run = ("run", "--headless", "--quiet", "--from", "latest", "--agent", "dqn", "--envs", "2")
    settings = "imitation.rules=1", "imitation.offline_gradients=4", "env.max_steps=50"
    length = ("--workers", "1", "--steps", "120", *(f"--set={setting}" for setting in settings))
    command(wide, folder, *run, *length)
    (config,) = folder.glob("runs/*/config.json")
    assert json.loads(config.read_text())["encoder"] == "tiny"


class Confused(BaseLLMManager):
    """A language model that presses R, or names another button in words."""

    actions = GAME_BOY_ADVANCE_ACTIONS

    def __init__(self) -> None:
        self.contexts: list[str] = []

    def get_action(self, context: str) -> tuple[int, dict[str, object]]:
        self.contexts.append(context)
        return self.parse_action("I press 7 RIGHT"), {"confidence": 0.9}


def test_documented_agent_and_trainer_know_ten_actions(wide: str, tmp_path: Path) -> None:
    strategy, model = AdaptiveStrategySystem(), Confused()
    assert model.parse_action('{"action": "R"}') == R
    assert model.parse_action("8") == GAME_BOY_ADVANCE_ACTIONS.names.index("L")
    with GameEnv(wide, config=EnvConfig(max_steps=30)) as env:
        agent = HybridAgent(model, strategy, action_space_size=10)
        trainer = HybridLLMRLTrainer(env, agent, strategy, None, model, str(tmp_path))
        summary = trainer.train(total_episodes=1, max_steps_per_episode=30, eval_interval=0)
    assert summary["total_episodes"] == 1
    assert any("7 RIGHT" in context for context in model.contexts)
    assert agent.consultation.failed == 0


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_the_cockpit_is_played_by_the_shoulder_buttons_too(
    wide: str, tmp_path: Path, size: tuple[int, int]
) -> None:
    config = RunConfig(rom_path=wide, save_dir=str(tmp_path), num_envs=2, workers=1, agent="rules")
    session = EngineSession(config)
    app = CockpitApp(session, config)
    async with app.run_test(size=size, notifications=True) as pilot:
        assert await comes_to_show(pilot, "GARDEN")
        await pilot.press("t")
        assert await comes_to_show(pilot, "YOU PLAY")
        assert "a L" in screen_text(pilot)
        if size == (80, 24):
            await pilot.press("3")  # the pane with the decision is a tab here
        for key, name in (("a", "L"), ("s", "R"), ("z", "A")):
            await pilot.press(key)
            assert await comes_to_show(pilot, f"human   {name}")
        frame = app.dashboard.frame
        assert frame.shape == SHAPE
    assert session.stop(300)


def test_live_play_holds_the_last_buttons(wide: str) -> None:
    with GameEnv(wide, observation_type="screen") as env:
        env.reset(seed=1)
        before = env.state.place
        env.play_frames(frozenset({R, 8}), 6)
        env.play_frames(frozenset({int(Action.DOWN), R}), 4)
        env.come_to_rest()
        env.advance_live()
        assert env.state.place.y == before.y + 1
        assert load_game(wide).actions.idle == R


def test_a_recording_of_shoulder_buttons_replays(wide: str, tmp_path: Path) -> None:
    config = RunConfig(rom_path=wide, save_dir=str(tmp_path))
    watcher = begin_recording(config)
    watcher.press(bytes((8, R, 5, 5)))
    path, demo = end_recording(watcher)
    assert demo.recording.actions == bytes((8, R, 5, 5))
    assert "exactly as recorded" in command(wide, tmp_path, "demos", "validate", str(path))
