"""What a press does on the practice game, frame by frame."""

from collections.abc import Iterator

import numpy as np
import pytest

from engine.emulator.gameboy import GameBoy
from engine.env.game_env import GameEnv
from engine.games.crystal.memory import SYMBOLS
from engine.planning.rules.advisor import RuleAdvisor
from engine.types import DIRECTIONS, Action, Facing, Prompt

pytestmark = pytest.mark.slow


@pytest.fixture
def env() -> Iterator[GameEnv]:
    env = GameEnv(observation_type="state")
    env.reset(seed=0)
    yield env
    env.close()


class Drawing(GameBoy):
    """Draws the last frame of every tick, asked or not, and counts when it is asked."""

    asked = 0

    def tick(self, frames: int, render: bool = False) -> None:
        self.asked += render
        super().tick(frames, True)


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


def test_no_press_is_wasted_after_steps_and_turns(env: GameEnv) -> None:
    """Every press moves by a tile, whether it goes on, turns or turns back."""
    way = (Action.LEFT, Action.LEFT, Action.RIGHT, Action.DOWN, Action.UP, Action.LEFT) * 4
    tiles = 0
    for action in way:
        if action in env.blocked:
            continue
        x, y = env.state.place.x, env.state.place.y
        dx, dy = DIRECTIONS[action].delta
        env.step(action)
        assert (env.state.place.x, env.state.place.y) == (x + dx, y + dy)
        assert env.state.control.is_free
        tiles += 1
    assert tiles >= 16


def test_text_that_waits_is_told_from_what_is_written(env: GameEnv) -> None:
    """With middling text speed: what is printed waits in the end, and a press is never lost."""
    symbol = SYMBOLS["wOptions"]
    advisor = RuleAdvisor(env.game)
    advisor.reset(env.state)
    while not env.state.control.in_text:
        env.emulator.write(symbol.bank, symbol.address, b"\x03")
        env.step(int(advisor.advise(env.state, env.action_mask()).prior.argmax()))
    seen = [env.state.control.prompt]
    for _ in range(40):
        env.step(Action.NOOP)
        seen.append(env.state.control.prompt)
    waits = seen.index(Prompt.TEXT)
    assert seen == [Prompt.PRINTING] * waits + [Prompt.TEXT] * (41 - waits)
    assert waits > 0
    before = env.state.screen_text
    env.step(Action.A)
    assert env.state.screen_text != before


def test_steps_draw_their_last_frame_and_at_most_one_more(env: GameEnv) -> None:
    drawing = Drawing(env.emulator.rom)
    other = GameEnv(observation_type="state")
    other.emulator, replaced = drawing, other.emulator
    replaced.close()
    advisor = RuleAdvisor(env.game)
    advisor.reset(env.state)
    for each in (env, other):
        each.is_rendering = True
        each.reset(seed=0)
    for _ in range(150):
        advice = advisor.advise(env.state, env.action_mask())
        action = int(advice.prior.argmax()) if advice.confidence else Action.B
        before, drawing.asked = env.state, 0
        for each in (env, other):
            each.step(action)
        assert env.emulator.is_drawn
        assert np.array_equal(env.frame(), other.frame())
        is_walk = before.control.is_free and env.state.control.is_free
        if is_walk and env.state.place.map == before.place.map:
            assert drawing.asked <= 2, "of a step's 26 frames"
    other.close()
