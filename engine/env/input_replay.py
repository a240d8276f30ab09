"""Play a recorded episode again exactly."""

import itertools
from collections.abc import Iterator

from engine.env.game_env import GameEnv
from engine.env.input_recording import RECORD_ANEW, Recording, moves
from engine.env.live import LiveStretch
from engine.errors import ReplayError


def replay(env: GameEnv, recording: Recording) -> Iterator[tuple[float, bool, bool]]:
    """Play a recorded episode in `env`; yield what every step returns.

    Raises:
        ReplayError: The environment is not the recorded one, or its memory is another at the end.
    """
    begin_replay(env, recording)
    for move in moves(recording.segments[-1]):
        yield _play(env, move)
    if env.memory_digest() != recording.memory:
        raise ReplayError(
            f"The replay diverged within the episode's {len(recording.actions):,} steps.",
            "It may have been recorded with other `env` settings.",
        )


def begin_replay(env: GameEnv, recording: Recording) -> None:
    """Bring `env` to where a recorded episode began.

    Raises:
        ReplayError: The environment is not the recorded one.
    """
    _check_same(env, recording)
    if any(action >= len(env.game.actions) for s in recording.segments for action in s.actions):
        raise ReplayError("The recording is damaged: invalid actions.", RECORD_ANEW)
    env.begin_recorded(recording.segments[0].random)
    for before, segment in itertools.pairwise(recording.segments):
        for move in moves(before):
            _play(env, move)
        env.begin_from(env.save(), segment.random)


def _play(env: GameEnv, move: int | LiveStretch) -> tuple[float, bool, bool]:
    return env.replay_live(move) if isinstance(move, LiveStretch) else env.advance(move)


def _check_same(env: GameEnv, recording: Recording) -> None:
    settings = "Replay it with its run's settings."
    version = "Install that version, or name that core's file with --core."
    emulator, frames = recording.emulator, env.config.press
    for what, is_same, hint in (
        ("with a different ROM", recording.rom == env.game.sha1, settings),
        (f"with emulator {emulator}", emulator == env.game.emulator_version, version),
        ("from a different start state", recording.start == env.start_hash, settings),
        ("with other frames per press", recording.frames == frames, settings),
    ):
        if not is_same:
            raise ReplayError(f"The episode was recorded {what}.", hint)
