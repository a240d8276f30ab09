import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env

import engine.gymnasium
from engine import register_envs
from engine.config import EnvConfig
from engine.env.observation.space import ObservationType
from engine.errors import ConfigurationError, RomError
from engine.games.practice.game import rom_path
from engine.gymnasium import flat_observation, numeric_observation, screen_observation
from engine.types import GAME_BOY_ADVANCE_ACTIONS, Action
from tests.engine.cartridges import cartridge
from tests.engine.games.emerald.practice import needs_core

ID = "engine.gymnasium:PokeTUI/Mosslight-v0"
ADVANCE = "PokeTUI/MosslightAdvance-v0"
SHORT = EnvConfig(max_steps=20, progress_steps=0)


@pytest.fixture
def make() -> Iterator[Callable[..., Any]]:
    """Make environments by their ids, of the practice game by default; close them."""
    with ExitStack() as opened:

        def make_env(game: str = ID, **settings: Any) -> Any:
            return opened.enter_context(closing(gymnasium.make(game, **settings)))

        yield make_env


@pytest.mark.parametrize("game", [ID, pytest.param(ADVANCE, marks=needs_core)])
@pytest.mark.parametrize("kind", ["multi_modal", "screen", "state"])
def test_environment_by_its_id_passes_the_checker_without_a_warning(
    make, kind: ObservationType, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # the checker opens a window, too
    env = make(game, observation_type=kind, render_mode="rgb_array", config=SHORT)
    check_env(env.unwrapped, skip_close_check=True)


def test_registering_again_changes_nothing() -> None:
    before = dict(gymnasium.registry)
    register_envs()
    assert before == gymnasium.registry
    gymnasium.register_envs(engine.gymnasium)  # what Gymnasium's documentation writes
    assert {"PokeTUI/Mosslight-v0", "PokeTUI/Crystal-v0"} <= before.keys()
    assert {ADVANCE, "PokeTUI/Emerald-v0"} <= before.keys()


def test_registration_loads_neither_torch_nor_an_emulator() -> None:
    code = "import sys, engine.gymnasium; print(sys.modules.keys() & {'torch', 'pyboy', 'sdl2'})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("game", "rom", "problem"),
    [
        ("Crystal", "", "PM_CRYSTAL needs your own ROM"),
        ("Crystal", rom_path(), "is Mosslight .*, not PM_CRYSTAL"),
        ("Crystal", "/no/such.gbc", "no ROM file at /no/such.gbc"),
        ("Emerald", "", "POKEMON EMER needs your own ROM"),
        ("Emerald", "mosslight-advance", "is Mosslight Advance .*, not POKEMON EMER"),
        ("Emerald", rom_path(), "is Mosslight .*, not POKEMON EMER"),
    ],
)
def test_cartridge_without_its_rom_says_what_to_pass(
    game: str, rom: str | Path, problem: str
) -> None:
    with pytest.raises(RomError, match=problem):
        gymnasium.make(f"PokeTUI/{game}-v0", rom=rom)


def test_crystal_is_taken_by_its_title(tmp_path: Path) -> None:
    rom = tmp_path / "crystal.gbc"
    rom.write_bytes(cartridge(title=b"PM_CRYSTAL"))
    with pytest.raises(RomError, match="not a known build"):
        gymnasium.make("PokeTUI/Crystal-v0", rom=rom)
    changed = {"rom": rom, "allow_unknown_rom": True, "start_state": "no-such.state"}
    with pytest.raises(ConfigurationError, match=r"no-such\.state"):  # the next thing looked at
        gymnasium.make("PokeTUI/Crystal-v0", **changed)


def test_length_of_an_episode_is_the_environments_own(make) -> None:
    env = make(config=SHORT)
    assert env.spec.max_episode_steps is None
    env.reset(seed=0)
    ends = [env.step(Action.NOOP)[2:4] for _ in range(20)]
    assert ends == [(False, False)] * 19 + [(False, True)]


def test_info_is_plain_and_tells_player_map_and_milestones(make) -> None:
    env = make()
    observation, info = env.reset(seed=0)
    assert info["player"] == {
        "x": 4, "y": 5, "facing": "down", "money": 3000, "badges": 0, "party": [],
    }  # fmt: skip
    assert info["map"]["name"] == "HOME 2F"
    assert info["milestones"] == ()
    assert np.array_equal(info["action_mask"], observation["action_mask"])
    env.action_space.sample(info["action_mask"])
    *_, info = env.step(Action.LEFT)
    assert info["rewards"]["step"] < 0


@needs_core
def test_advance_game_shows_documented_frames_and_takes_ten_buttons(make) -> None:
    env = make(ADVANCE, observation_type="screen")
    assert env.action_space == spaces.Discrete(10)
    observation, info = env.reset(seed=0)
    assert observation["screen"].shape == (160, 240, 3)
    assert observation["screen"].std() > 10
    assert info["map"]["name"] == "HOME 2F"
    assert {"x", "y", "facing", "money", "badges", "party"} == info["player"].keys()
    assert info["milestones"] == ()
    assert info["action_mask"].shape == (10,)
    assert not info["action_mask"][GAME_BOY_ADVANCE_ACTIONS.names.index("L")]
    keys = env.get_wrapper_attr("get_keys_to_action")()
    assert [keys[ord(key),] for key in "zxas"] == [0, 1, 8, 9]


def test_action_masks_are_reached_through_wrappers_and_in_vectors() -> None:
    envs = gymnasium.make_vec(
        "PokeTUI/Mosslight-v0", 2, vectorization_mode="sync", wrappers=[flat_observation]
    )
    _, infos = envs.reset(seed=0)
    masks = np.stack(envs.call("action_masks"))
    assert (masks.dtype, masks.shape) == (np.bool_, (2, 9))
    assert np.array_equal(masks, infos["action_mask"] == 1)
    assert not masks.all()
    envs.close()


@pytest.mark.slow
def test_processes_step_the_games_as_one_process_does() -> None:
    traces = []
    for mode, options in (("sync", {}), ("async", {"context": "forkserver"})):
        envs = gymnasium.make_vec(
            "PokeTUI/Mosslight-v0",
            2,
            vectorization_mode=mode,
            vector_kwargs=options,
            wrappers=[numeric_observation],
            observation_type="multi_modal",
            config=SHORT,
        )
        rng = np.random.default_rng(0)
        trace = [envs.reset(seed=5)[0]]
        for _ in range(25):  # beyond an episode's end
            masks = np.stack(envs.call("action_masks"))
            actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
            trace.append(envs.step(actions)[:4])
        traces.append(trace)
        envs.close()
    np.testing.assert_equal(*traces)


def test_wrappers_show_what_the_policies_of_other_libraries_take(make) -> None:
    env = make(observation_type="multi_modal")
    assert "strategic_context" in env.observation_space.spaces
    numeric, flat, screen = (
        wrap(env) for wrap in (numeric_observation, flat_observation, screen_observation)
    )
    assert {type(part) for part in numeric.observation_space.values()} == {spaces.Box}
    names = {"action_mask", "features", "screen", "state_variables"}
    assert set(numeric.observation_space) == names
    for wrapped, shape, kind in (
        (flat, (9 + 1088 + 25,), np.float32),
        (screen, (144, 160, 3), np.uint8),
    ):
        assert (wrapped.observation_space.shape, wrapped.observation_space.dtype) == (shape, kind)
    for wrapped in (numeric, flat, screen):
        observation, _ = wrapped.reset(seed=0)
        assert wrapped.observation_space.contains(observation)


def test_screen_of_an_environment_that_draws_none_is_refused(make) -> None:
    env = make()
    with pytest.raises(ConfigurationError, match=r"shows no screen.*observation_type"):
        screen_observation(env)
    with pytest.raises(ConfigurationError, match="Use one wrapper"):
        flat_observation(flat_observation(env))


def test_rendered_steps_show_the_game_whatever_is_observed(make) -> None:
    env = make(render_mode="rgb_array")
    env.reset(seed=0)
    env.step(Action.LEFT)
    assert env.unwrapped.emulator.is_drawn
    frame = env.render()
    assert frame.shape == (144, 160, 3)
    assert frame.std() > 10
    assert env.metadata["render_fps"] == 3  # steps a second at the game's own pace


def test_keys_are_the_documented_ones(make) -> None:
    keys = make().get_wrapper_attr("get_keys_to_action")()
    sdl = {"return": 13, "left shift": 0x400000E1, "right shift": 0x400000E5}
    arrows = dict(zip(range(0x4000004F, 0x40000053), ("RIGHT", "LEFT", "DOWN", "UP"), strict=True))
    assert keys[(ord("z"),)] == Action.A
    assert keys[(ord("x"),)] == Action.B
    assert keys[(sdl["return"],)] == Action.START
    assert keys[(sdl["left shift"],)] == keys[(sdl["right shift"],)] == Action.SELECT
    assert {code: Action(keys[(code,)]).name for code in arrows} == arrows


@pytest.mark.slow
def test_gymnasiums_own_program_plays_by_keys(make, monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame", reason="pip install pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it wants matplotlib, for plots
        from gymnasium.utils.play import play
    env = make(render_mode="rgb_array")
    taken: list[int] = []

    def press(*step: object) -> None:
        taken.append(int(step[2]))  # type: ignore[call-overload]
        if len(taken) == 1:
            pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_LEFT))
        elif len(taken) == 3:
            pygame.event.post(pygame.event.Event(pygame.QUIT))

    play(env, noop=int(Action.NOOP), callback=press, fps=1000, zoom=2, seed=0)
    assert taken == [Action.NOOP, Action.LEFT, Action.LEFT]
    assert env.unwrapped.state.place.x == 2


@pytest.mark.slow
def test_gymnasium_records_videos_of_it(tmp_path: Path) -> None:
    pytest.importorskip("moviepy", reason="pip install moviepy")
    env = gymnasium.make(ID, render_mode="rgb_array", config=SHORT)
    env = gymnasium.wrappers.RecordVideo(env, str(tmp_path / "videos"), disable_logger=True)
    env.reset(seed=0)
    for _ in range(20):
        env.step(Action.LEFT)
    env.close()
    assert [path.name for path in (tmp_path / "videos").iterdir()] == ["rl-video-episode-0.mp4"]


@pytest.mark.slow
def test_maskable_ppo_learns_and_never_takes_a_masked_action() -> None:
    """Leaving the first room takes 6 steps at best, and some 50 by masked chance."""
    sb3_contrib = pytest.importorskip("sb3_contrib", reason="pip install 'poketui[sb3]'")
    from sb3_contrib.common.maskable.utils import get_action_masks
    from stable_baselines3.common.env_util import make_vec_env

    lengths: list[int] = []

    class Checked(gymnasium.Wrapper):  # type: ignore[type-arg]
        def step(self, action):  # type: ignore[no-untyped-def]
            assert self.get_wrapper_attr("action_masks")()[action]
            *result, info = super().step(action)
            if result[2] or result[3]:
                lengths.append(self.unwrapped.episode_steps)
            return *result, info

    options = {"config": EnvConfig(goal="left_bedroom", max_steps=200, progress_steps=0)}
    envs = make_vec_env(
        "PokeTUI/Mosslight-v0",
        2,
        seed=1,
        env_kwargs=options,
        wrapper_class=lambda env: Checked(flat_observation(env)),
    )
    model = sb3_contrib.MaskablePPO(
        "MlpPolicy", envs, n_steps=128, batch_size=64, n_epochs=8, learning_rate=1e-3,
        gamma=0.98, seed=1, device="cpu",
    )  # fmt: skip
    model.learn(1_536)
    envs.close()
    assert np.mean(lengths[-10:]) < 15 < np.mean(lengths[:8])
    env = flat_observation(gymnasium.make(ID, **options))
    observation, _ = env.reset(seed=3)
    is_over, steps = False, 0
    while not is_over:
        masks = get_action_masks(env)
        action, _ = model.predict(observation, action_masks=masks, deterministic=True)
        assert masks[action]
        observation, _, terminated, truncated, _ = env.step(action)
        is_over, steps = terminated or truncated, steps + 1
    assert steps < 15
    env.close()
