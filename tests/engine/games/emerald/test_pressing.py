"""What a press does on the practice game of the Game Boy Advance, frame by frame."""

import numpy as np
import pytest

from engine.config import EnvConfig
from engine.emulator.libretro import GameBoyAdvance
from engine.env.game_env import GameEnv
from engine.games.catalog import load_game
from engine.types import DIRECTIONS, Action, Facing, GameState, Prompt, Terrain
from engine.wayfinding.exits import Exit
from engine.wayfinding.navigation import Navigator
from tests.engine.games.emerald.practice import NAME, needs_core, talk_to
from tests.engine.led import action_of, lead_until, led, rules_of

pytestmark = needs_core


@pytest.fixture
def env(game_env) -> GameEnv:
    env = game_env(NAME)
    env.reset(seed=0)
    return env


class Counting(GameBoyAdvance):
    """Counts its frames, and those that are drawn."""

    frames = drawn = 0

    def tick(self, frames: int, render: bool = False) -> None:
        self.frames += frames
        self.drawn += render
        super().tick(frames, render)


def test_direction_turns_and_walks_one_tile(env: GameEnv) -> None:
    place = env.state.place
    assert place.facing is not Facing.LEFT
    for action, dx in ((Action.LEFT, -1), (Action.LEFT, -2), (Action.RIGHT, -1)):
        env.step(action)
        assert (env.state.place.x, env.state.place.y) == (place.x + dx, place.y)
        assert env.state.place.facing is DIRECTIONS[action]
        assert env.state.control.is_free


@pytest.mark.parametrize(("hold", "wait"), [(1, 4), (8, 4), (12, 12), (16, 4), (40, 4)])
def test_one_press_is_at_most_one_tile_however_long_it_is_held(
    env: GameEnv, hold: int, wait: int
) -> None:
    config = EnvConfig(hold_frames=hold, wait_frames=wait)
    reader = env.game.reader(env.emulator)
    before = reader.read()
    for presses in (1, 2):
        env.game.play(env.emulator, Action.LEFT, reader.read(), config, False)
        now = reader.read()
        assert env.game.is_at_rest(env.emulator)
        assert now.place.facing is Facing.LEFT
        # One frame longer than TURN_FRAMES only turns.
        assert now.place.x == before.place.x - presses + (hold == 1)


def test_no_state_is_read_in_mid_step_or_between_maps(env: GameEnv) -> None:
    """From bed to the gym, through doors, stairs, edges and a choice."""
    maps, before = [], env.state
    for _ in led(env, 121):
        now = env.state
        assert env.game.is_at_rest(env.emulator)
        assert env.game.is_readable(env.emulator)
        assert not now.control.in_transition
        if now.place.map == before.place.map and now.control.is_free and before.control.is_free:
            moved = abs(now.place.x - before.place.x) + abs(now.place.y - before.place.y)
            assert moved <= 2  # a hop goes two tiles
        if now.place.name not in maps:
            maps.append(now.place.name)
        before = now
    assert maps == [
        "HOME 2F", "HOME 1F", "FERNWICK", "LAB", "MILLBROOK PATH", "STONEHOLLOW", "GYM"
    ]  # fmt: skip


def test_a_hop_over_a_ledge_is_one_step(env: GameEnv) -> None:
    lead_until(env, lambda state: state.place.name == "MILLBROOK PATH")
    hops = np.argwhere(env.state.map.terrain & Terrain.HOPS[Facing.DOWN])
    exits = tuple(Exit((int(x), int(y)), Action.DOWN) for y, x in hops)
    tiles, navigator, rules = [entry.tile for entry in exits], Navigator(), rules_of(env)
    while (at := (env.state.place.x, env.state.place.y)) not in tiles:
        advised = action_of(rules.advise(env.state, env.action_mask()))
        is_free = env.state.control.is_free
        env.advance(navigator.step_towards(env.state, exits)[0][0] if is_free else advised)
    env.advance(Action.DOWN)
    assert (env.state.place.x, env.state.place.y) == (at[0], at[1] + 2)
    assert env.state.control.is_free


def test_a_text_is_printed_before_the_next_press(env: GameEnv) -> None:
    lead_until(env, lambda state: state.place.name == "FERNWICK")
    talk_to(env, env.state.map.signs[0])
    assert env.state.control.prompt is Prompt.TEXT
    assert env.state.screen_text


def test_a_step_ends_when_something_is_asked(game_env) -> None:
    steps, waits = [], []
    for ask_frames in (EnvConfig().ask_frames, 0):
        env = game_env(NAME, config=EnvConfig(ask_frames=ask_frames))
        states = [env.state for _ in led(env, 400)]
        assert env.is_success
        steps.append(len(states))
        waits.append(sum(state.control.is_busy for state in states))
    assert steps[0] < steps[1]
    assert waits[0] < waits[1] / 2, "it ends when a fighter falls, too"


def test_only_the_last_frame_of_a_step_is_drawn() -> None:
    game = load_game(NAME)
    emulator = Counting(game.rom)
    reader = game.reader(emulator)
    game.play_introduction(emulator, reader.read)
    config = EnvConfig()
    for action in (Action.LEFT, Action.UP, Action.B):
        emulator.frames = emulator.drawn = 0
        game.play(emulator, action, reader.read(), config, True)
        assert emulator.drawn == 1
        assert emulator.is_drawn
    emulator.close()


def test_drawing_changes_nothing() -> None:
    game = load_game(NAME)
    digests = []
    for render in (False, True):
        emulator = game.start()
        reader = game.reader(emulator)
        game.play_introduction(emulator, reader.read)
        rng = np.random.default_rng(5)
        for action in rng.integers(8, size=40).tolist():
            game.play(emulator, action, reader.read(), EnvConfig(), render)
        digests.append(game.digest(emulator))
        emulator.close()
    assert digests[0] == digests[1]


def test_who_is_far_away_stands_there_when_the_player_comes_near(env: GameEnv) -> None:
    far = lead_until(env, lambda state: state.place.name == "MILLBROOK PATH").map.beyond
    here = env.state.place.map
    assert {one.index for one in far}.isdisjoint(one.index for one in env.state.map.objects)

    def is_met(state: GameState) -> bool:
        return state.place.map == here and any(one in far for one in state.map.objects)

    met = lead_until(env, is_met).map
    assert {one.index for one in met.beyond} < {one.index for one in far}
