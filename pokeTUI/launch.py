"""Turn the options of `poketui run` into a session with or without a screen."""

import os
import sys
import time
from pathlib import Path
from typing import Any

from engine.config import RunConfig, load_config
from engine.errors import TerminalError
from engine.events import RunFailed, RunStopped
from engine.session import EngineSession
from engine.training.runs import list_runs

MIN_COLUMNS, MIN_ROWS = 80, 24

EXIT_OK, EXIT_FAILED = 0, 1

PAID_ALIKE = 1e-6
"""Returns closer than this are the same."""


def launch(
    config_path: Path | None,
    overrides: dict[str, Any],
    *,
    resume: str | None = None,
    is_quiet: bool = False,
) -> int:
    """Run until the end and return the exit code.

    Raises:
        PokeTUIError: For what a user can correct, before anything is started.
    """
    config = load_config(config_path, overrides)
    if not config.headless:
        check_terminal()
    session = EngineSession(config, resume=resume)
    end = _run_headless(session, is_quiet) if config.headless else _run_cockpit(session, config)
    return _report(end)


def check_terminal() -> None:
    """Make sure that the cockpit can be drawn here.

    Raises:
        TerminalError: If this is no terminal, or one that is too small.
    """
    headless = "Use `poketui run --headless` to train without a screen."
    # Textual reads standard input and draws on standard error.
    streams = (sys.stdin, sys.stdout, sys.stderr)
    if not all(stream.isatty() for stream in streams) or os.environ.get("TERM") == "dumb":
        raise TerminalError("This is not a terminal that can be drawn on.", headless)
    columns, rows = os.get_terminal_size(sys.stdout.fileno())
    if columns < MIN_COLUMNS or rows < MIN_ROWS:
        raise TerminalError(
            f"The terminal is {columns}x{rows}; {MIN_COLUMNS}x{MIN_ROWS} are needed.",
            f"Enlarge it or choose a smaller font. {headless}",
        )


def _run_headless(session: EngineSession, is_quiet: bool) -> RunStopped | RunFailed | None:
    from pokeTUI.headless import HeadlessRunner

    return HeadlessRunner(session, is_quiet=is_quiet).run()


def _run_cockpit(session: EngineSession, config: RunConfig) -> RunStopped | RunFailed | None:
    from pokeTUI.app import CockpitApp

    cockpit = CockpitApp(session, config)
    cockpit.run()
    return cockpit.end


def _report(end: RunStopped | RunFailed | None) -> int:
    match end:
        case RunStopped(checkpoint=checkpoint, total_steps=steps):
            if checkpoint:
                print(f"Saved at step {steps:,}. Go on with: poketui run --resume")
            return EXIT_OK
        case RunFailed():
            print(f"poketui: {end.message} {end.hint}".rstrip(), file=sys.stderr)
            if end.has_checkpoint:
                print("Go on from the last checkpoint with: poketui run --resume", file=sys.stderr)
            return EXIT_FAILED
    return EXIT_FAILED


def print_runs(save_dir: str | None) -> None:
    """List the saved runs, the newest first."""
    config = load_config(None, {} if save_dir is None else {"save_dir": save_dir})
    infos = list_runs(config.save_dir)
    if not infos:
        print(f"No saved runs in {config.save_dir}. Start one with: poketui run")
        return
    print(f"{'run':<20} {'steps':>12}  {'agent':<7} {'mode':<9} {'seed':>5}  last change")
    for info in infos:
        changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(info.changed_at))
        print(
            f"{info.run_id:<20} {info.total_steps:>12,}  {info.agent:<7} {info.mode:<9} "
            f"{info.seed:>5}  {changed}"
        )
    print("Go on with the newest: poketui run --resume, or another: poketui run --resume RUN")


def print_replay(save_dir: str | None, run: str, episode: int | None) -> None:
    """Play a recorded episode again and say how it went.

    Raises:
        PokeTUIError: There is no such episode, or it goes another way.
    """
    from engine.training.replays import replay_episode

    config = load_config(None, {} if save_dir is None else {"save_dir": save_dir})
    replayed = replay_episode(config.save_dir, run, episode)
    recorded = replayed.recorded
    print(f"Episode {replayed.number} of run {replayed.run_id}, replayed to the same memory:")
    was = (
        ""
        if abs(replayed.total_reward - recorded.total_reward) < PAID_ALIKE
        else (f" ({recorded.total_reward:.2f} when it was played: by other weights)")
    )
    print(f"{recorded.length:,} steps, return {replayed.total_reward:.2f}{was}")
    for key, step in recorded.steps_to_milestone.items():
        print(f"  step {step:>5,}  {key}")
