"""What a press does on the practice game, frame by frame."""

from collections.abc import Callable

import numpy as np
import pytest

from engine.config import EnvConfig
from engine.emulator.gameboy import GameBoy
from engine.env.game_env import GameEnv
from engine.games.crystal.memory import SYMBOLS
from engine.games.crystal.pressing import DOOR_FRAMES, POLL_FRAMES
from engine.types import DIRECTIONS, Action, Prompt
from tests.engine.led import action_of, led, rules_of

pytestmark = pytest.mark.slow


@pytest.fixture
def env(env: GameEnv) -> GameEnv:
    env.reset(seed=0)
    return env


class Drawing(GameBoy):
    """Draws the last frame of every tick, asked or not, and counts when it is asked."""

    asked = 0

    def tick(self, frames: int, render: bool = False) -> None:
        self.asked += render
        super().tick(frames, True)


def byte(env: GameEnv, name: str) -> int:
    symbol = SYMBOLS[name]
    return env.emulator.read(symbol.bank, symbol.address, 1)[0]


def frames_run(env: GameEnv) -> int:
    return env.emulator.frames_run


def test_no_state_is_read_in_mid_step_or_between_maps(env: GameEnv) -> None:
    """From bed to the gym, through doors, stairs, both kinds of edges and a choice."""
    maps, before = [], env.state
    for _ in led(env, 400):
        state = env.state
        if state.battle is None:
            assert not state.control.in_transition
            assert byte(env, "wXCoord") != 255
            assert byte(env, "wYCoord") != 255
        if before.control.is_free and state.control.is_free:
            assert byte(env, "wPlayerWalking") == 255
        if state.place.map != before.place.map:
            maps.append(state.place.name)
        before = state
    assert len(maps) >= 6
    assert env.is_success


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


def test_text_that_waits_is_told_from_what_is_written(game_env: Callable[..., GameEnv]) -> None:
    """With middling text speed: what is printed waits in the end, and a press is never lost."""
    env = game_env(config=EnvConfig(ask_frames=0))
    symbol = SYMBOLS["wOptions"]
    for _ in led(env, 400):
        if env.state.control.in_text:
            break
        env.emulator.write(symbol.bank, symbol.address, b"\x03")
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


def test_a_step_ends_when_something_is_asked(
    env: GameEnv, game_env: Callable[..., GameEnv]
) -> None:
    former = game_env(config=EnvConfig(ask_frames=0))
    steps, waits = [], []
    for each in (env, former):
        states = [each.state for _ in led(each, 400)]
        assert each.is_success
        steps.append(len(states))
        waits.append(sum(state.control.is_busy for state in states))
    assert waits[0] < waits[1] / 2, "it ends when a fighter falls, too"
    assert steps[0] < 0.9 * steps[1]


def test_the_frames_of_a_step_are_counted(env: GameEnv) -> None:
    usual, advisor, taken = env.config.press.usual, rules_of(env), []
    for _ in range(120):
        action, before = action_of(advisor.advise(env.state, env.action_mask())), frames_run(env)
        taken.append(env.step(action)[4]["step_frames"])
        assert taken[-1] == frames_run(env) - before
    assert min(taken) == usual
    assert usual < max(taken) <= usual + DOOR_FRAMES + env.config.ask_frames + POLL_FRAMES + 1


def test_steps_draw_their_last_frame_and_at_most_one_more(env: GameEnv, game_env) -> None:
    drawing, other = Drawing(env.emulator.rom), game_env()
    other.emulator, replaced = drawing, other.emulator
    replaced.close()
    for each in (env, other):
        each.is_rendering = True
        each.reset(seed=0)
    advisor = rules_of(env)
    for _ in range(150):
        action = action_of(advisor.advise(env.state, env.action_mask()))
        before, drawing.asked = env.state, 0
        for each in (env, other):
            each.step(action)
        assert env.emulator.is_drawn
        assert np.array_equal(env.frame(), other.frame())
        is_walk = before.control.is_free and env.state.control.is_free
        if is_walk and env.state.place.map == before.place.map:
            assert drawing.asked <= 2, "of a step's 26 frames"
