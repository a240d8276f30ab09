import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from engine.config import EnvConfig, RewardConfig
from engine.env.game_env import GameEnv
from engine.env.observation.space import STATE_VARIABLES, ObservationType
from engine.errors import CheckpointError, ConfigurationError, DecisionValidationError
from engine.games.crystal.game import FAST_OPTIONS
from engine.types import Action, GameState, Observation

SHORT = EnvConfig(max_steps=120)


def play(env: GameEnv, steps: int, seed: int = 0) -> list[tuple[Observation, float]]:
    """Take masked random actions; start anew where an episode ends."""
    rng = np.random.default_rng(seed)
    trace = []
    for _ in range(steps):
        action = int(rng.choice(np.flatnonzero(env.action_mask())))
        observation, reward, terminated, truncated, _ = env.step(action)
        trace.append((observation, reward))
        if terminated or truncated:
            env.begin_episode()
    return trace


@pytest.mark.parametrize("kind", ["multi_modal", "screen", "state"])
def test_gymnasium_accepts_the_environment(game_env, kind: ObservationType) -> None:
    env = game_env("", True, observation_type=kind, config=SHORT, render_mode="rgb_array")
    check_env(env, skip_render_check=True)
    assert env.render() is not None


def test_observation_holds_what_is_documented(game_env) -> None:
    env = game_env(observation_type="multi_modal")
    observation, info = env.reset(seed=1)
    assert observation["screen"].shape == (144, 160, 3)
    assert observation["state_variables"].shape == (len(STATE_VARIABLES),) == (25,)
    assert observation["action_mask"].shape == (9,)
    context = observation["strategic_context"]
    assert context["current_goal"] == "Go downstairs"
    assert "HOME 2F" in context["context_summary"]
    assert "DOWN" in context["action_suggestions"]
    assert not info["is_success"]
    env.step(Action.LEFT)
    assert env.step(Action.LEFT)[0]["screen"].std() > 10, "a picture is rendered"


@pytest.mark.parametrize("steps", [0, 1, 60])
def test_looking_changes_nothing(env: GameEnv, steps: int) -> None:
    env.reset(seed=2)
    play(env, steps)
    before = env.save()
    assert env.frame().std() > 0
    assert env.save() == before


def test_episode_starts_free_in_the_bedroom_with_fast_text(
    env: GameEnv,
) -> None:
    env.reset(seed=0)
    assert env.state.control.is_free
    assert (env.state.party, env.milestones) == ((), frozenset())
    assert env.final_milestone == "first_badge"
    assert env.emulator.read(0, 0xCFCC, 1) == bytes([FAST_OPTIONS])


def test_same_seed_and_actions_give_identical_observations(game_env) -> None:
    envs = [game_env() for _ in range(2)]
    first, other = ([(env.reset(seed=7)[0], 0.0), *play(env, 120)] for env in envs)
    np.testing.assert_equal(first, other)


def test_seed_decides_the_games_random_numbers(env: GameEnv) -> None:
    seeds = set()
    for seed in (1, 1, 2):
        env.reset(seed=seed)
        seeds.add(env.emulator.read(0, 0xFFE1, 2))
    assert len(seeds) == 2


@pytest.mark.parametrize("steps", [1, 200])
def test_restored_environment_continues_exactly(env: GameEnv, game_env, steps: int) -> None:
    env.reset(seed=3)
    play(env, steps)
    saved = env.save()
    state, features, breakdown = env.state, env.features().copy(), env.breakdown
    expected = play(env, 60, seed=9)
    other = game_env()
    other.restore(saved)
    assert np.array_equal(other.features(), features)
    assert (other.breakdown, other.state.place) == (breakdown, state.place)
    np.testing.assert_equal(play(other, 60, seed=9), expected)
    assert other.summary() == env.summary()


@pytest.mark.parametrize("damage", [b"", b"other", b"PokeTUI environment 2\n\x05\0\0\0{"])
def test_damaged_save_is_refused(env: GameEnv, damage: bytes) -> None:
    with pytest.raises(CheckpointError):
        env.restore(damage)


def test_long_random_play_keeps_to_the_contract(env: GameEnv) -> None:
    """Every reward is the sum of its components; every observation is in the space."""
    env.reset(seed=5)
    total, rng = 0.0, np.random.default_rng(0)
    for _ in range(300):
        action = int(rng.choice(np.flatnonzero(env.action_mask())))
        observation, reward, *_ = env.step(action)
        assert observation["action_mask"].any()
        assert env.observation_space.contains(observation)
        assert reward == sum(value for _, value in env.breakdown.components)
        total += reward
    assert sum(dict(env.episode_sums).values()) == pytest.approx(total)


def test_subclass_may_add_its_own_reward() -> None:
    class Bonus(GameEnv):
        def _calculate_reward(
            self, current_state: GameState, previous_state: GameState, action: int
        ) -> float:
            return super()._calculate_reward(current_state, previous_state, action) + 100.0

    env = Bonus(observation_type="state", rewards=RewardConfig(step=0.0))
    env.reset(seed=0)
    assert env.step(Action.NOOP)[1] == 100.0
    assert dict(env.breakdown.components)["custom"] == env.summary().total_reward == 100.0
    env.close()


def test_first_badge_ends_the_episode_as_success(env: GameEnv) -> None:
    env.reset(seed=0)
    env.emulator.write(1, 0xD857, b"\x01")
    _, _, terminated, truncated, info = env.step(Action.NOOP)
    assert (terminated, truncated, info["is_success"]) == (True, False, True)
    assert dict(env.breakdown.components)["badge"] == RewardConfig().badge
    assert env.summary().is_success
    env.reset(seed=0)
    assert not env.is_success


def test_goal_may_be_any_milestone(game_env) -> None:
    env = game_env(config=EnvConfig(goal="left_bedroom"))
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    terminated = False
    while not terminated:
        action = int(rng.choice(np.flatnonzero(env.action_mask())))
        _, _, terminated, truncated, _ = env.step(action)
        assert not truncated
    assert env.state.place.name == "HOME 1F"
    assert env.summary().steps_to_milestone == {"left_bedroom": env.episode_steps}
    assert env.final_milestone == "left_bedroom"


def test_unknown_goal_names_the_known_ones() -> None:
    with pytest.raises(ConfigurationError, match=r"no milestone 'win'.*first_badge"):
        GameEnv(config=EnvConfig(goal="win"))


def test_limits_left_to_the_game_are_its_own(game_env) -> None:
    env = game_env(config=EnvConfig(goal="moss_light"))
    assert (env.max_steps, env.config.stuck_steps, env.has_own_limit) == (4750, 0, False)


def test_milestone_puts_the_end_off(game_env) -> None:
    env = game_env(config=EnvConfig(max_steps=100, progress_steps=30))
    env.reset(seed=0)
    env.emulator.write(1, 0xDCD7, b"\x01")
    _, _, _, _, info = env.step(Action.NOOP)
    assert info["max_steps"] == env.max_steps == 130


def test_talk_that_leads_nowhere_is_masked_after_a_while(game_env) -> None:
    env = game_env(config=EnvConfig(stuck_repeats=4))
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    while Action.A in env.blocked or not env.state.control.is_free:
        env.step(int(rng.choice(np.flatnonzero(env.action_mask()))))
    for _ in range(4):
        env.step(Action.A)
        while not env.state.control.is_free:
            env.step(Action.B)
    assert "4 times" in env.blocked[Action.A]
    assert env.summary().interventions == 1
    assert env.action_mask().any()


def test_damaged_start_state_is_made_again(game_env, tmp_path: Path) -> None:
    game_env(cache_dir=tmp_path)
    (kept,) = tmp_path.iterdir()
    good = kept.read_bytes()
    for bad in (b"", good[:-20], good[:50] + b"\0\0\0\0" + good[54:]):
        kept.write_bytes(bad)
        assert game_env(cache_dir=tmp_path).state.control.is_free
        assert kept.read_bytes() == good


def test_folder_that_cannot_be_written_is_done_without(game_env, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    assert game_env(cache_dir=file / "states").state.control.is_free


@pytest.mark.parametrize("action", [3.7, 3.0, np.float64(3.0), 9, -1, True, "up", None, [3]])
def test_step_refuses_what_is_no_action_and_nothing_is_pressed(
    env: GameEnv, action: object
) -> None:
    env.reset(seed=1)
    with pytest.raises(
        DecisionValidationError, match=r"There is no action .*Use an index from 0 to 8"
    ):
        env.step(action)  # type: ignore[arg-type]
    assert env.episode_steps == 0


@pytest.mark.parametrize("action", [3, np.int64(3), np.uint8(3), np.array(3), Action.SELECT])
def test_step_takes_every_kind_of_whole_number(env: GameEnv, action: int) -> None:
    env.reset(seed=1)
    env.step(action)
    assert env.recording().segments[-1].actions == bytes([3])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"observation_type": "video"}, "observation_type = 'video'.*'multi_modal', 'screen'"),
        ({"observation_type": None}, "observation_type = None"),
        ({"render_mode": "video"}, "render_mode = 'video'.*'rgb_array'"),
    ],
)
def test_unknown_observation_type_and_render_mode_name_what_is_allowed(
    settings: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigurationError, match=said):
        GameEnv("", **settings)  # type: ignore[arg-type]


_WINDOWED = """
import os
from engine import PokeTUIError
from engine.env.game_env import GameEnv
frames = []
def make(driver):
    os.environ["SDL_VIDEODRIVER"] = driver
    return GameEnv("", headless=False, observation_type="state")
try:
    make("none-such")
except PokeTUIError as error:
    print(error)
env = make("dummy")
import sdl2
present = sdl2.SDL_RenderPresent
sdl2.SDL_RenderPresent = lambda renderer: (frames.append(renderer), present(renderer))
env.reset(seed=1)
env.step(8)
quit = sdl2.SDL_Event()
quit.type = sdl2.SDL_QUIT
sdl2.SDL_PushEvent(quit)
env.step(8)
env.step(8)
env.close()
print(len(frames), env.episode_steps)
env = GameEnv("", render_mode="human", observation_type="state", base_fps=6000)
env.reset(seed=1)
env.step(8)
print(len(frames), env.render())
"""


def test_without_headless_every_step_is_shown_in_a_window_if_one_can_be_opened() -> None:
    command = [sys.executable, "-c", _WINDOWED]
    found = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    refusal, shown, human = found.stdout.strip().rsplit("\n", 2)
    assert "Cannot open a window: " in refusal
    assert "Keep headless=True." in refusal
    assert shown == "2 3", found.stderr  # shown until the window was closed
    assert human == "4 None"
    assert "Traceback" not in found.stderr
