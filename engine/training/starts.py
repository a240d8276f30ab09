"""Make starts of episodes along a demonstration: check it, replay it, and take snapshots."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from engine.config import RunConfig
from engine.curriculum.backward import BackwardStarts, DemoStart
from engine.demos.demonstration import MAX_DEMO_FILE, Demonstration, decode_demo
from engine.demos.exact_replay import Checks
from engine.demos.layout import decisions, directions_of, read_limited
from engine.env.game_env import GameEnv
from engine.env.input_recording import moves
from engine.env.input_replay import begin_replay
from engine.env.live import LiveStretch
from engine.env.stepping import make_game_env
from engine.errors import ConfigurationError, ReplayError
from engine.events import Event, ProgressReported
from engine.games.catalog import load_game
from engine.ground.folders import user_path

_REPORT_EVERY = 200


def with_demo_hash(config: RunConfig) -> RunConfig:
    """Return settings with the demonstration's absolute path and hash, for the saved run.

    Raises:
        PokeTUIError: It is missing, damaged, changed since the run began, or of another game.
    """
    backward = config.backward
    if not backward.demo:
        return config
    path = user_path(backward.demo).absolute()
    demo, digest = _read(path)
    if backward.sha256 and backward.sha256 != digest:
        raise ConfigurationError(
            f"The demonstration {path} has changed since the run started.",
            "Restore the original file, or start a new run.",
        )
    _check_game(demo, path, config)
    changes = {"demo": str(path), "sha256": digest}
    return config.model_copy(update={"backward": backward.model_copy(update=changes)})


def make_backward_starts(config: RunConfig, emit: Callable[[Event], None]) -> BackwardStarts:
    """Replay the settings' demonstration, and return the starts along it.

    Raises:
        PokeTUIError: It diverges, or does not reach the run's goal.
    """
    return BackwardStarts(
        config.backward, starts_along(config, emit, user_path(config.backward.demo))
    )


def starts_along(config: RunConfig, emit: Callable[[Event], None], path: Path) -> list[DemoStart]:
    """Replay a demonstration, and return starts along it, the last one first.

    Raises:
        PokeTUIError: As in `make_backward_starts`.
    """
    demo, _ = _read(path)
    with closing(make_game_env(config, 0)) as env:
        env.lift_limits()
        env.seed_random(config.seed)  # what it would draw is saved with every start
        end = sum(1 for _ in _parts(demo))
        starts, reached_at = _play(demo, env, path, config.backward.step, end, emit)
        if reached_at < end:  # it continues after the goal
            starts, _ = _play(demo, env, path, config.backward.step, reached_at, emit)
    return starts


def _read(path: Path) -> tuple[Demonstration, str]:
    data = read_limited(path, MAX_DEMO_FILE)
    return decode_demo(data, str(path)), hashlib.sha256(data).hexdigest()


def _check_game(demo: Demonstration, path: Path, config: RunConfig) -> None:
    """Refuse a demonstration that cannot be replayed in this run."""
    game, recording = load_game(config.rom_path, config.allow_unknown_rom), demo.recording
    frames = config.env.press
    reason = hint = ""
    if recording.rom != game.sha1:
        reason, hint = "was recorded with a different ROM", "Name its game: --rom or --game."
    elif recording.emulator != game.emulator_version:
        reason = f"was recorded with emulator {recording.emulator}, not {game.emulator_version}"
        hint = "Use that one (--core for Game Boy Advance games), or record a new one."
    elif recording.frames != frames:
        reason = f"was recorded with {recording.frames} frames per press, not {frames}"
        hint = f"Add {recording.frames.options}"
    elif len(recording.segments) > 1:
        reason = "starts within another episode, not at power-on"
        hint = "Record one from power-on."
    if reason:
        raise ConfigurationError(f"The demonstration {path} {reason}.", hint)


def _parts(demo: Demonstration) -> Iterator[int | tuple[tuple[frozenset[int], int], ...]]:
    """Yield its actions, and real-time play in parts of about an action's length."""
    frames, names = demo.recording.frames.usual, demo.action_names
    for move in moves(demo.recording.segments[-1]):
        if isinstance(move, LiveStretch):
            for _, holds in decisions(move, frames, directions_of(names)):
                yield tuple(holds)
        else:
            yield move


def _play(
    demo: Demonstration,
    env: GameEnv,
    path: Path,
    step: float,
    end: int,
    emit: Callable[[Event], None],
) -> tuple[list[DemoStart], int]:
    """Replay it up to `end`; return starts, the last one first, and where the goal was reached."""
    shares = [1 - number * step for number in range(1, round(1 / step))]
    wanted = {int(share * end): share for share in shares if int(share * end) > 0}
    starts: list[DemoStart] = []
    try:
        begin_replay(env, demo.recording)
    except ReplayError as error:
        raise ReplayError(f"{path}: {error.message}", error.hint) from None
    checks, was_live = Checks(demo, env, pays_alike=False), False
    for number, part in enumerate(_parts(demo)):
        if number in wanted:
            starts.append(DemoStart(wanted[number], end - number, _snapshot(env, was_live)))
        if number % _REPORT_EVERY == 0:
            emit(ProgressReported("playing the demonstration", number, end))
        was_live = not isinstance(part, int)
        if isinstance(part, int):
            env.advance(part)
            difference = checks.difference(env.episode_steps - 1, 0.0, is_done=False)
            if difference:
                raise _not_exact(path, env.episode_steps, difference)
        else:
            for buttons, frames in part:
                env.play_frames(buttons, frames)
            env.advance_live()
        if env.is_success:
            return starts[::-1], number + 1
    if difference := checks.end_difference():
        raise _not_exact(path, env.episode_steps, difference)
    keys = ", ".join(sorted(env.milestones)) or "none"
    raise ConfigurationError(
        f"The demonstration {path} does not reach the run's goal.",
        f"Set env.goal to a milestone that it reaches: {keys}.",
    )


def _not_exact(path: Path, step: int, difference: str) -> ReplayError:
    return ReplayError(
        f"The demonstration {path} diverges at step {step:,}: {difference}.",
        "It is damaged, or was not recorded with this game.",
    )


def _snapshot(env: GameEnv, is_live: bool) -> bytes:
    """Return a snapshot with the game at rest; it then continues as before."""
    now = env.save()
    if not is_live:
        return now
    env.come_to_rest()
    env.advance_live()
    at_rest = env.save()
    env.restore(now)
    return at_rest
