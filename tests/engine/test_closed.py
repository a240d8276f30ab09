"""What is used after it was closed says so, whatever it is and whatever is asked of it."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from engine.api.pokemon_env import EnhancedPyBoyPokemonCrystalEnv, PokemonEnv
from engine.battles.env import NoBattleError, VGCDoublesEnv
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import Simulator
from engine.config import RunConfig
from engine.env.game_env import GameEnv
from engine.env.vector.world import PLAIN_FACTORY, GymnasiumEnv, LocalVector, VectorEnv
from engine.errors import ClosedError, PokeTUIError
from engine.games.catalog import load_game
from tests.engine.battles.conftest import showdown  # noqa: F401
from tests.engine.games.emerald.practice import needs_core
from tests.utils import create_test_trainer

ID = "engine.gymnasium:PokeTUI/Mosslight-v0"
GAMES = ["mosslight", pytest.param("mosslight-advance", marks=needs_core)]
ADVANCE = pytest.param("mosslight-advance", 0x0200_0000, marks=needs_core)
ACTION, NONE = np.zeros(1, np.int64), np.empty(0, np.int64)


def check(thing: Any, calls: dict[str, tuple[Any, ...]]) -> None:
    thing.close()
    thing.close()
    for name, arguments in calls.items():
        with pytest.raises(ClosedError, match=r"is closed\. Make a new one\.") as caught:
            getattr(thing, name)(*arguments)
        assert caught.value.__cause__ is None, name


@pytest.mark.parametrize("rom", GAMES)
@pytest.mark.parametrize("has_played", [True, False])
def test_game_environment(rom: str, has_played: bool) -> None:
    env = EnhancedPyBoyPokemonCrystalEnv(rom, render_mode="rgb_array")
    env.reset()
    if has_played:
        env.step(0)
    saved = env.save()
    names = (
        "reset", "render", "frame", "observe", "save", "summary", "recording", "memory_digest",
        "begin_episode", "come_to_rest",
    )  # fmt: skip
    calls: dict[str, tuple[Any, ...]] = dict.fromkeys(names, ())
    check(env, {"step": (0,), "restore": (saved,), "begin_from": (saved,), **calls})


@pytest.mark.parametrize(("rom", "address"), [(GAMES[0], 0xD000), ADVANCE])
def test_emulator(rom: str, address: int) -> None:
    machine: Any = load_game(rom).start()
    state = machine.save_state()
    check(machine, {
        "tick": (1,), "press": (0,), "release": (0,), "read": (1, address, 4),
        "read_strided": (1, address, 2, 4), "write": (1, address, b"x"), "frame": (),
        "save_state": (), "load_state": (state,),
    })  # fmt: skip


@pytest.mark.parametrize(
    ("make", "action"),
    [
        pytest.param(PokemonEnv, 0, id="pictures"),
        pytest.param(lambda: gymnasium.make(ID, render_mode="rgb_array"), 0, id="by id"),
        pytest.param(
            lambda: gymnasium.make_vec(ID, num_envs=1, vectorization_mode="sync"),
            ACTION,
            id="vector by id",
        ),
    ],
)
def test_wrapped_environment(make: Callable[[], Any], action: Any) -> None:
    env = make()
    env.reset()
    check(env, {"step": (action,), "reset": ()})


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: VectorEnv(PLAIN_FACTORY, RunConfig(), 1), id="processes"),
        pytest.param(lambda: LocalVector(GymnasiumEnv(GameEnv())), id="this process"),
    ],
)
def test_world(make: Callable[[], Any]) -> None:
    world = make()
    world.reset([1])
    check(world, {
        "step": (ACTION,), "step_one": (0, 0), "reset": ([1],), "save": (), "snapshot": (0,),
        "mend": (), "question": (0,), "watch": (0,), "inspect": (), "place": (0,),
    })  # fmt: skip


def test_trainer() -> None:
    check(create_test_trainer(), {"train": (1, 10)})


def test_battle_environment(showdown: NodeCommand) -> None:  # noqa: F811
    env: Any = VGCDoublesEnv(node=showdown, render_mode="ansi")
    for error in (PokeTUIError, gymnasium.error.ResetNeeded, NoBattleError):
        with pytest.raises(error, match=r"There is no battle\. Call reset\(\)\."):
            env.step(0)
        with pytest.raises(error, match=r"Call reset\(\)"):
            env.action_masks()
    assert env.render() is None
    env.reset(seed=1)
    check(env, {"step": (0,), "action_masks": (), "render": (), "reset": ()})


def test_simulator(showdown: NodeCommand) -> None:  # noqa: F811
    check(Simulator((), showdown), {"step": (NONE, NONE), "configure": ([],), "logs": ()})
