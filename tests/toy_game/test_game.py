"""A game that is a folder, announced as by another package, is read and played as the others."""

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from engine.config import EnvConfig, RunConfig
from engine.env.game_env import GameEnv
from engine.env.input_recording import Recording
from engine.env.input_replay import replay
from engine.env.observation.space import ObservationType
from engine.env.stepping import make_game_env
from engine.errors import ConfigurationError, DecisionValidationError, RomError
from engine.games.catalog import load_game
from engine.planning.rules.advisor import RuleAdvisor
from engine.types import TileKind
from tests.pokeTUI.in_process import poketui
from tests.toy_game.install import install

NORTH, EAST, SOUTH, WEST, WAIT = range(5)
GAME_BOY_FRAME_SHAPE = (96, 120, 3)
TO_THE_KEY = (SOUTH, SOUTH, SOUTH, WEST, WAIT)


@pytest.fixture
def env(rom: str) -> Iterator[GameEnv]:
    with closing(GameEnv(rom, observation_type="state")) as env:
        env.reset(seed=1)
        yield env


def wander(env: GameEnv, steps: int) -> list[tuple[float, bytes, str]]:
    """Take allowed actions; return reward, features and memory of each step."""
    rng = np.random.default_rng(0)
    trace = []
    for _ in range(steps):
        action = int(rng.choice(np.flatnonzero(env.action_mask())))
        reward, is_terminated, _ = env.advance(action)
        trace.append((reward, env.features().tobytes(), env.memory_digest()))
        if is_terminated:
            env.begin_episode()
    return trace


def test_poketui_rom_names_a_game_of_another_package(rom: str) -> None:
    done = poketui("rom", rom)
    assert done.returncode == 0, done.stderr
    assert "LANTERN GARDEN" in done.stdout
    assert f"poketui run --rom {rom}" in done.stdout


def test_a_file_of_no_game_is_still_refused(rom: str, tmp_path: Path) -> None:
    file = tmp_path / "none.garden"
    file.write_bytes(Path(rom).read_bytes()[:-1])
    with pytest.raises(RomError, match="is not a Game Boy ROM"):
        load_game(file)


def test_a_package_that_cannot_be_imported_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = install(tmp_path)
    (tmp_path / "lantern_garden" / "game.py").write_text("import nothing_of_the_kind\n")
    for name in [name for name in sys.modules if name.startswith("lantern_garden")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ConfigurationError, match=r"module of 'lantern_garden\.game:recognise'"):
        load_game(file)


@pytest.mark.parametrize("kind", ["multi_modal", "screen", "state"])
def test_gymnasium_accepts_another_game(rom: str, kind: ObservationType) -> None:
    config = EnvConfig(max_steps=120)
    env = GameEnv(rom, True, kind, config=config, render_mode="rgb_array")
    with closing(env):
        check_env(env, skip_render_check=True)
        assert env.action_space.n == 5
        assert env.reset(seed=0)[0]["action_mask"].shape == (5,)
        frame = env.render()
        assert frame.shape == GAME_BOY_FRAME_SHAPE
        with pytest.raises(DecisionValidationError, match="from 0 to 4"):
            env.step(5)


def test_state_holds_the_facts_of_this_game(env: GameEnv) -> None:
    assert env.state.get("oil") == 3
    assert env.state.place.name == "GARDEN"
    assert env.state.map.kinds is not None
    assert (env.state.map.kinds == TileKind.WATER).sum() == 2
    for action in TO_THE_KEY:
        env.step(action)
    assert env.state.has_event(0)
    assert env.state.bag.key_items == (1,)
    assert env.milestones == {"took_key"}


def test_mask_says_why_an_action_is_of_no_use(env: GameEnv) -> None:
    assert env.blocked == {WAIT: "nothing ahead is of use"}
    for action in TO_THE_KEY[:-1]:
        env.step(action)
    assert env.blocked[WEST] == "it is faced already"
    assert not env.action_mask()[WEST]
    assert env.action_mask()[WAIT]


def test_the_same_seed_plays_the_same_and_another_otherwise(env: GameEnv) -> None:
    traces = []
    for seed in (5, 5, 6):
        env.reset(seed=seed)
        traces.append(wander(env, 60))
    assert traces[0] == traces[1] != traces[2]


def test_a_saved_game_goes_on_bit_for_bit(env: GameEnv, rom: str) -> None:
    wander(env, 30)
    saved = env.save()
    expected = wander(env, 60)
    with closing(GameEnv(rom, observation_type="state")) as other:
        other.restore(saved)
        assert wander(other, 60) == expected


def test_an_episode_is_replayed_from_its_inputs_keys_held_by_hand_included(
    env: GameEnv, rom: str
) -> None:
    wander(env, 20)
    for held, frames in ((frozenset({EAST}), 7), (frozenset[int](), 3), (frozenset({NORTH}), 9)):
        env.play_frames(held, frames)
    env.come_to_rest()
    env.advance_live()
    wander(env, 5)
    recording = Recording.decode(env.recording().encode())
    with closing(GameEnv(rom, observation_type="state")) as other:
        assert len(list(replay(other, recording))) >= 25  # it raises where memory differs
        assert other.memory_digest() == env.memory_digest()


def test_the_rule_planner_plays_another_game_to_its_goal(rom: str) -> None:
    with closing(make_game_env(RunConfig(rom_path=rom), 0)) as env:
        env.seed_random(3)
        env.begin_episode()
        advisor = RuleAdvisor(env.game)
        advisor.reset(env.state)
        for _ in range(100):
            mask = env.action_mask()
            prior = advisor.advise(env.state, mask).prior
            assert prior.shape == (5,)
            _, is_terminated, _ = env.advance(int(np.argmax(np.where(mask, prior, -1))))
            if is_terminated:
                break
        assert env.is_success
        assert env.milestones == set(env.milestone_keys)
