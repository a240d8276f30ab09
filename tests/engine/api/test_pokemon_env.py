import subprocess
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces

from engine import PokemonEnv
from engine.api.bc_pokemon import ImpalaCNN, evaluate, load_expert_data
from engine.config import EnvConfig, RunConfig
from engine.demos.npz import from_npz
from engine.errors import ConfigurationError, DecisionValidationError, VideoError
from engine.types import Action
from tests.engine.games.emerald.practice import needs_core

SHORT = EnvConfig(max_steps=16, progress_steps=0)


@pytest.fixture
def env() -> Iterator[PokemonEnv]:
    env = PokemonEnv(rom_path="", headless=True, base_fps=240, config=SHORT)
    yield env
    env.close()


def test_observation_is_the_picture_and_info_tells_the_rest(env):
    assert env.observation_space == spaces.Box(0, 255, (144, 160, 3), np.uint8)
    assert env.action_space == spaces.Discrete(9)
    frame, info = env.reset(seed=0)
    assert frame in env.observation_space
    assert {"player", "map", "milestones"} <= info.keys()
    frame, reward, terminated, truncated, info = env.step(Action.LEFT)
    assert frame in env.observation_space
    assert frame.std() > 10
    assert (type(reward), terminated, truncated) == (float, False, False)
    assert np.array_equal(env.action_masks(), info["action_mask"] == 1)


@needs_core
def test_a_game_boy_advance_shows_the_documented_frames_and_takes_ten_buttons():
    env = PokemonEnv(rom_path="mosslight-advance", headless=True, base_fps=240, config=SHORT)
    assert env.observation_space == spaces.Box(0, 255, (160, 240, 3), np.uint8)
    assert env.action_space == spaces.Discrete(10)
    frame, info = env.reset(seed=0)
    assert frame in env.observation_space
    assert frame.std() > 10
    assert {"player", "map", "milestones"} <= info.keys()
    assert info["map"]["name"] == "HOME 2F"
    before = info["player"]["x"]
    for action in (6, 8, 9):  # LEFT, and L and R, which do nothing
        frame, *_, info = env.step(action)
    assert frame in env.observation_space
    assert info["player"]["x"] == before - 1
    env.close()


@needs_core
@pytest.mark.tool("ffmpeg")
def test_a_game_boy_advance_becomes_a_video_too(tmp_path):
    options = {"record_video": True, "video_folder": tmp_path, "config": SHORT}
    env = PokemonEnv(rom_path="mosslight-advance", **options)
    env.reset(seed=0)
    env.step(6)
    env.close()
    assert [path.suffix for path in env.videos] == [".mp4"]


def test_documented_collection_of_expert_data_writes_what_learners_read(env, tmp_path):
    obs, _ = env.reset()
    episode_data: dict[str, list[Any]] = {
        "observations": [],
        "actions": [],
        "rewards": [],
        "dones": [],
    }
    done = False
    while not done:
        action = (Action.LEFT, Action.DOWN)[len(episode_data["actions"]) % 2]
        next_obs, reward, terminated, truncated, _ = env.step(action)
        done = terminated or truncated
        episode_data["observations"].append(obs)
        episode_data["actions"].append(action)
        episode_data["rewards"].append(reward)
        episode_data["dones"].append(done)
        obs = next_obs
    np.savez_compressed(
        tmp_path / "episode_0000.npz",
        **episode_data,
        episode_return=sum(episode_data["rewards"]),
        episode_length=len(episode_data["rewards"]),
    )
    assert load_expert_data(tmp_path).size == 16
    config = RunConfig(save_dir=str(tmp_path), env=SHORT)
    demo, _ = from_npz(tmp_path / "episode_0000.npz", config, tmp_path)  # plays and compares it
    assert list(demo.actions) == episode_data["actions"]


def test_documented_evaluation_takes_it(env):
    torch.manual_seed(0)
    network = ImpalaCNN(action_dim=9, hidden_dim=16)
    assert evaluate(env, network, 1) != 0.0


def test_step_refuses_what_is_no_action(env):
    env.reset(seed=0)
    with pytest.raises(DecisionValidationError):
        env.step(3.7)  # type: ignore[arg-type]


def test_negative_frame_rate_is_refused():
    with pytest.raises(ConfigurationError, match="base_fps = -1"):
        PokemonEnv(base_fps=-1)


@pytest.mark.slow
@pytest.mark.tool("ffmpeg")
def test_each_episode_becomes_a_video_at_the_games_own_speed(tmp_path):
    folder = tmp_path / "new" / "videos"
    env = PokemonEnv(record_video=True, video_folder=folder, config=SHORT)
    plain = PokemonEnv(config=SHORT)
    for game in (env, plain):
        game.reset(seed=0)
    for number in range(16):
        action = (Action.LEFT, Action.DOWN)[number % 2]
        filmed, plainly = env.step(action), plain.step(action)
        assert np.array_equal(filmed[0], plainly[0]), "filming changes nothing"
        assert filmed[1] == plainly[1]
    assert [path.parent for path in env.videos] == [folder]
    env.reset()
    env.step(Action.LEFT)
    env.close()
    plain.close()
    assert sorted(folder.iterdir()) == env.videos
    probe = ["ffprobe", "-v", "error", "-show_entries", "stream=width,height,nb_frames,duration"]
    seconds = []
    for path in env.videos:
        shown = subprocess.check_output([*probe, "-of", "csv=p=0", path], text=True)
        width, height, duration, frames = shown.strip().split(",")
        assert (width, height) == ("320", "288")
        assert float(duration) == pytest.approx(int(frames) / 29.86, abs=0.05)
        seconds.append(float(duration))
    assert seconds[0] > 16 * 20 / 60 > seconds[1] > 0.3


def test_video_without_ffmpeg_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    env = PokemonEnv(record_video=True, video_folder=tmp_path / "videos")
    with pytest.raises(VideoError, match=r"ffmpeg, which is not installed.*Install it"):
        env.reset()
    env.close()
