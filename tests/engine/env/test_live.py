"""What a game does at a person's hands, frame by frame, on the practice game."""

import random

import pytest

from engine.config import EnvConfig
from engine.env.game_env import GameEnv
from engine.env.input_recording import Recording, Segment
from engine.env.input_replay import replay
from engine.env.live import NUM_BUTTONS, LiveInput, LiveStretch, buttons_of, mask_of
from engine.games.crystal.pressing import is_at_rest
from engine.types import Action, Facing

NOTHING: frozenset[Action] = frozenset()
RIGHT = frozenset({Action.RIGHT})
LEFT = frozenset({Action.LEFT})
TURN_FRAMES, TILE_FRAMES = 8, 16


@pytest.fixture
def env(env: GameEnv) -> GameEnv:
    env.reset(seed=0)
    return env


def x_of(env: GameEnv) -> int:
    return env.state.place.x


def play_wildly(env: GameEnv, changes: int, seed: int) -> None:
    """Hold whatever for a while, in pieces, with looks and readings at odd moments."""
    rng = random.Random(seed)
    for _ in range(changes):
        buttons = frozenset(rng.sample(env.game.actions.buttons, rng.randrange(3)))
        for _ in range(rng.randrange(1, 6)):
            env.play_frames(buttons, rng.randrange(1, 6), render=rng.random() < 0.5)
            if rng.random() < 0.2:
                env.frame()
            if rng.random() < 0.3:
                env.advance_live()


@pytest.mark.parametrize("tiles", [1, 3, 5])
def test_a_held_direction_turns_and_walks_a_tile_every_sixteen_frames(env, tiles: int) -> None:
    for _ in range(3):
        env.advance(Action.LEFT)
    x = x_of(env)
    for _ in range(TURN_FRAMES + tiles * TILE_FRAMES - 6):
        env.play_frames(RIGHT, 1)
    env.come_to_rest()
    env.advance_live()
    assert x_of(env) == x + tiles
    assert env.state.place.facing is Facing.RIGHT
    assert env.state.control.is_free


def test_a_tap_turns_and_walks_no_further_than_a_tile(env) -> None:
    x = x_of(env)
    env.play_frames(LEFT, 9)
    env.come_to_rest()
    env.advance_live()
    assert env.state.place.facing is Facing.LEFT
    assert x - x_of(env) in (0, 1)


def test_letting_go_in_mid_step_comes_to_rest_on_a_tile(env) -> None:
    env.play_frames(LEFT, 20)
    assert not is_at_rest(env.emulator)
    env.come_to_rest()
    assert is_at_rest(env.emulator)
    env.advance_live()
    before = x_of(env)
    env.play_frames(NOTHING, 60)
    env.advance_live()
    assert x_of(env) == before
    env.advance(Action.RIGHT)
    assert x_of(env) == before + 1


def test_the_same_inputs_lead_to_the_same_memory(env, game_env) -> None:
    start = env.save()
    play_wildly(env, 90, seed=3)
    env.come_to_rest()
    (stretch,) = env.recording().segments[-1].live
    memory, machine = env.memory_digest(), env.emulator.save_state()
    other = game_env()
    other.restore(start)
    assert other.memory_digest() != memory
    other.replay_live(stretch)
    assert other.memory_digest() == memory
    assert len(other.emulator.save_state()) == len(machine)
    assert stretch.frames > 500
    assert len(stretch.inputs) > 40


def test_memory_hash_differs_by_a_single_frame(env) -> None:
    start = env.save()
    env.replay_live(LiveStretch(0, 30, (LiveInput(0, LEFT), LiveInput(20, NOTHING))))
    memory = env.memory_digest()
    env.restore(start)
    env.replay_live(LiveStretch(0, 30, (LiveInput(0, LEFT), LiveInput(1, NOTHING))))
    assert env.memory_digest() != memory


def test_an_episode_with_actions_and_live_play_is_recorded_and_replayed(env) -> None:
    env.reset(seed=7)
    for number in range(4):
        for action in (Action.LEFT, Action.DOWN, Action.RIGHT):
            env.advance(action)
        play_wildly(env, 8, seed=number)
        env.come_to_rest()
        env.advance_live()
    recording = Recording.decode(env.recording().encode())
    assert recording == env.recording()
    assert len(recording.actions) == 12
    assert [stretch.after for stretch in recording.segments[-1].live] == [3, 6, 9, 12]
    for _ in replay(env, recording):
        pass  # it raises when the memory differs


def test_result_of_live_play_is_saved_restored_and_branched_from(env) -> None:
    play_wildly(env, 10, seed=1)
    env.come_to_rest()
    env.advance_live()
    saved = env.save()
    env.advance(Action.LEFT)
    after = env.recording()
    env.restore(saved)
    env.advance(Action.LEFT)
    assert env.recording() == after
    env.begin_from(saved)
    env.advance(Action.LEFT)
    recording = env.recording()
    assert [len(segment.live) for segment in recording.segments] == [1, 0]
    for _ in replay(env, recording):
        pass


def test_live_play_pays_but_counts_no_step_and_masks_nothing(game_env) -> None:
    env = game_env(config=EnvConfig(stuck_repeats=1, stuck_steps=3))
    env.reset(seed=0)
    blocked = env.blocked
    for _ in range(20):
        env.play_frames(frozenset({Action.B}), 10)
        assert not any(env.advance_live()[1:])
    assert env.blocked == blocked
    total = 0.0
    for _ in range(10):
        env.play_frames(LEFT, 10)
        total += env.advance_live()[0]
        assert dict(env.breakdown.components).keys() == set(env.component_names)
    assert env.episode_steps == 0
    assert dict(env.episode_sums)["exploration"] > 0
    assert total > 0


def test_a_new_episode_holds_nothing(env) -> None:
    env.play_frames(LEFT, 5)
    env.begin_episode()
    x = x_of(env)
    env.play_frames(NOTHING, 60)
    env.advance_live()
    assert x_of(env) == x
    assert env.recording().segments[-1].live[0].inputs == (LiveInput(0, NOTHING),)


def test_mask_of_buttons_holds_sixteen() -> None:
    assert mask_of(frozenset({Action.A, Action.RIGHT, 15, 16})) == 0b1000_0000_1000_0001
    assert all(mask_of(buttons_of(mask)) == mask for mask in range(1 << NUM_BUTTONS))


def test_input_of_a_game_boy_is_a_frame_and_a_byte() -> None:
    buttons = frozenset({Action.A, Action.RIGHT})
    assert LiveInput(0x123456, buttons).pack() == b"\x56\x34\x12\x00\x81"


STRETCH = LiveStretch(3, 50, (LiveInput(0, LEFT), LiveInput(7, NOTHING), LiveInput(40, RIGHT)))


@pytest.mark.parametrize(
    "stretch",
    [
        pytest.param(STRETCH, id="a few inputs"),
        pytest.param(LiveStretch(0), id="nothing"),
        *(
            pytest.param(
                LiveStretch(0).then(buttons, 5).then(frozenset({1}), 5_000_000).then(buttons, 1),
                id=f"{len(buttons)} of many buttons",
            )
            for buttons in map(frozenset, ({8}, {0, 9, 15}, range(NUM_BUTTONS)))
        ),
    ],
)
def test_a_stretch_survives_its_json(stretch: LiveStretch) -> None:
    assert LiveStretch.unpack(stretch.pack()) == stretch
    segment = Segment((1, 2), b"\x04\x04\x04", (stretch,))
    assert Segment.unpack(segment.pack()) == segment


@pytest.mark.parametrize(
    "stretch",
    [
        LiveStretch(0, 5, (LiveInput(1, LEFT),)),
        LiveStretch(0, 5, (LiveInput(0, LEFT), LiveInput(0, RIGHT))),
        LiveStretch(0, 5, (LiveInput(0, LEFT), LiveInput(6, RIGHT))),
        pytest.param(STRETCH, id="after more actions than there are"),
    ],
)
def test_inputs_in_disorder_are_refused(stretch: LiveStretch) -> None:
    with pytest.raises(ValueError, match="order"):
        Segment.unpack(Segment((1, 2), b"\x04", (stretch,)).pack())


@pytest.mark.parametrize("looks", [False, True])
def test_buttons_held_when_saved_are_let_go_of(env, looks: bool) -> None:
    env.advance(Action.LEFT)
    env.play_frames(LEFT, 4)
    saved = env.save()
    env.come_to_rest()
    env.restore(saved)
    if looks:
        env.frame()
    x = x_of(env)
    env.advance(Action.NOOP)
    env.advance(Action.NOOP)
    env.advance(Action.NOOP)
    assert x - x_of(env) <= 1, "the step that had begun, and no more"


def test_an_action_lets_go_of_what_is_held(env) -> None:
    env.advance(Action.LEFT)
    env.play_frames(LEFT, 2)
    env.advance(Action.NOOP)
    x = x_of(env)
    env.advance(Action.NOOP)
    assert x_of(env) == x
    for _ in replay(env, env.recording()):
        pass
