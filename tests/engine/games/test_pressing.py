"""What a press does on the practice game, frame by frame."""

from collections.abc import Iterator

import pytest

from engine.env.game_env import GameEnv
from engine.games.crystal.symbols import SYMBOLS
from engine.strategy.advisor import RuleAdvisor
from engine.types import DIRECTIONS, Action, Facing


@pytest.fixture
def env() -> Iterator[GameEnv]:
    env = GameEnv(observation_type="state")
    env.reset(seed=0)
    yield env
    env.close()


def byte(env: GameEnv, name: str) -> int:
    symbol = SYMBOLS[name]
    return env.emulator.read(symbol.bank, symbol.address, 1)[0]


def test_direction_turns_and_walks_one_tile(env: GameEnv) -> None:
    place = env.state.place
    assert place.facing is not Facing.LEFT
    for action, dx in ((Action.LEFT, -1), (Action.LEFT, -2), (Action.RIGHT, -1)):
        env.step(action)
        assert (env.state.place.x, env.state.place.y) == (place.x + dx, place.y)
        assert env.state.place.facing is DIRECTIONS[action]
        assert env.state.control.is_free


def test_no_state_is_read_in_mid_step_or_between_maps(
    env: GameEnv,
) -> None:
    """From bed to the gym, through doors, stairs, both kinds of edges and a choice."""
    advisor = RuleAdvisor(env.game)
    advisor.reset(env.state)
    maps = []
    for _ in range(400):
        advice = advisor.advise(env.state, env.action_mask())
        before = env.state
        action = int(advice.prior.argmax()) if advice.confidence else Action.B
        _, _, terminated, _, _ = env.step(action)
        state = env.state
        if state.battle is None:
            assert not state.control.in_transition
            assert byte(env, "wXCoord") != 255
            assert byte(env, "wYCoord") != 255
        if before.control.is_free and state.control.is_free:
            assert byte(env, "wPlayerWalking") == 255
        if state.place.map != before.place.map:
            maps.append(state.place.name)
        if terminated:
            break
    assert len(maps) >= 6
    assert env.is_success


def test_door_is_one_action(env: GameEnv) -> None:
    advisor = RuleAdvisor(env.game)
    advisor.reset(env.state)
    home = env.state.place.map
    while env.state.place.map == home:
        env.step(int(advisor.advise(env.state, env.action_mask()).prior.argmax()))
    assert env.state.control.is_free, "on the new map and in control"
