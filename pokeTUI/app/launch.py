"""Turn the options of `poketui run` and `poketui attach` into a session and its screen."""

import contextlib
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.config import RunConfig, load_config
from engine.errors import TerminalError
from engine.events import ConnectionLost, ProgressReported, RunFailed, RunStopped
from engine.remote.folder import LiveRun, find_live_run, probe
from engine.remote.start import start_detached, stop_run, wait_for_start
from engine.runs.checkpoint import checkpoint_paths, steps_of
from engine.runs.folder import RunFolder, resume_command
from engine.runs.settings import read_settings, saved_session
from engine.sessions.train import EngineSession
from pokeTUI.terminal.printing import complain, say
from pokeTUI.terminal.signals import signal_exit_code

if TYPE_CHECKING:
    from engine.remote.protocol import Hello
    from pokeTUI.app.cockpit import CockpitApp
    from pokeTUI.serve.background import RunPage


MIN_COLUMNS, MIN_ROWS = 80, 24

EXIT_FAILED = 1
EXIT_REFUSED = 2
WEB_DRIVER_VARIABLE = "TEXTUAL_DRIVER"
"""Names the driver that Textual draws with instead of a terminal's."""


def launch(
    config_path: Path | None,
    overrides: dict[str, Any],
    *,
    resume: str | None = None,
    is_quiet: bool = False,
    is_detached: bool = False,
    color: str = "auto",
    web_port: int | None = None,
) -> int:
    """Run until the end, or start a run in the background, and return the exit code.

    The statistics page is served at `web_port`; 0 is any free one, None serves none.

    Raises:
        PokeTUIError: For what a user can correct, before anything is started.
    """
    from pokeTUI.terminal.probe import color_depth

    config = load_config(config_path, overrides)
    color_depth(color, os.environ)
    with contextlib.ExitStack() as stack:
        listener = None
        if web_port is not None:
            from pokeTUI.serve.background import listen_for_page

            listener = stack.enter_context(listen_for_page(web_port))
        if is_detached:
            return detach(config, resume, is_quiet=is_quiet, listener=listener)
        session = EngineSession(config, resume=resume)
        stack.callback(session.discard)
        if not config.headless:  # after what is wrong with the run itself, before anything is drawn
            check_terminal()
            check_preferences()
        page = None
        if listener is not None:
            from pokeTUI.serve.background import RunPage

            page = RunPage(listener, session, draws=config.headless)
            say(f"Statistics page: {page.address}")
        end: RunStopped | RunFailed | ConnectionLost | None
        if config.headless:
            end = _run_headless(session, page, is_quiet=is_quiet)
        else:
            end = run_cockpit(session, config, color, page)
    return report(end, session.run_dir)


def _run_headless(
    session: EngineSession, page: "RunPage | None", *, is_quiet: bool
) -> RunStopped | RunFailed:
    from pokeTUI.app.headless import HeadlessRunner

    runner = HeadlessRunner(session, is_quiet=is_quiet)
    if page is None:
        return runner.run()
    page.source = lambda: runner.state
    with page:
        return runner.run()


def detach(
    config: RunConfig,
    resume: str | None,
    *,
    is_quiet: bool = False,
    listener: socket.socket | None = None,
) -> int:
    """Start a run in the background, say how to reach it, and return the exit code.

    Args:
        config: Its settings.
        resume: A saved run to continue with, None for a new one.
        is_quiet: Say nothing.
        listener: Where its statistics page is served, None: nowhere.

    Raises:
        PokeTUIError: For what a user can correct, before anything is started.
    """
    live = start_detached(config, resume)
    failure = wait_for_start(live, lambda text: None if is_quiet else say(text))
    if failure is not None:
        return report(failure, live.hello.run_dir if live.hello else "")
    if listener is not None:
        from pokeTUI.serve.background import start_page

        say(f"Statistics page: {start_page(live, listener)}")
    if not is_quiet:
        say(f"The run {live.run_id} is running in the background.")
        say(f"Attach: poketui attach {live.run_id}")
        say(f"Stop:   poketui stop {live.run_id}")
    return 0


def check_preferences() -> None:
    """Read them once before a run is begun, so that a mistake in them is reported first."""
    from pokeTUI.input.keymap import KeyTable
    from pokeTUI.preferences import PreferenceFile

    file = PreferenceFile()
    KeyTable(file.load().keys, str(file.path))


def check_terminal(
    instead: str = "Use `poketui run --headless` to train without a screen.",
) -> None:
    """Make sure that the cockpit can be drawn here; `instead` says what to do if not.

    Raises:
        TerminalError: If this is no terminal, or one that is too small.
    """
    if os.environ.get(WEB_DRIVER_VARIABLE):
        return  # `poketui serve` draws in a browser, of any size, and there is no terminal
    # Textual reads standard input and draws on standard error.
    streams = (sys.stdin, sys.stdout, sys.stderr)
    if not all(stream.isatty() for stream in streams) or os.environ.get("TERM") == "dumb":
        raise TerminalError("The cockpit needs a terminal.", instead)
    columns, rows = os.get_terminal_size(sys.stdout.fileno())
    if columns < MIN_COLUMNS or rows < MIN_ROWS:
        raise TerminalError(
            f"The terminal is {columns}x{rows}; the minimum is {MIN_COLUMNS}x{MIN_ROWS}.",
            f"Enlarge it or choose a smaller font. {instead}",
        )


def run_cockpit(
    session: EngineSession,
    config: RunConfig,
    color: str = "auto",
    page: "RunPage | None" = None,
) -> RunStopped | RunFailed | ConnectionLost | None:
    """Show a run until it ends, and return how it ended."""
    from pokeTUI.app.cockpit import CockpitApp
    from pokeTUI.dashboard.status_report import end_report

    def go_on() -> EngineSession:
        return EngineSession(config, resume=session.run_id)

    try:
        cockpit = CockpitApp(
            session, config, color=color, make_session=go_on, run_dir=session.run_dir
        )
        if page is None:
            cockpit.run()
        else:
            page.source = lambda: cockpit.dashboard
            session.mailbox.post(ProgressReported(f"statistics page: {page.address}"))
            with page:
                cockpit.run()
        if text := end_report(cockpit.dashboard):
            say(text)
        return cockpit.end
    finally:
        session.discard()


def report(
    end: RunStopped | RunFailed | ConnectionLost | None,
    run_dir: str = "",
    command: str = "poketui run",
    save_dir: str = "",
) -> int:
    """Say how a run ended; return the exit code: 128 and its number if a signal ended it.

    Args:
        end: How it ended; None: it was left without waiting for that.
        run_dir: Its folder; "": it is the latest.
        command: What began it.
        save_dir: Where that looks for runs; "": in the usual folder.
    """
    resume = resume_command(run_dir, command, save_dir)
    from_checkpoint = f"Resume from the last checkpoint with: {resume}" if resume else ""
    match end:
        case RunStopped(checkpoint=checkpoint, total_steps=steps, reason=reason):
            if not checkpoint and not steps:
                say("Stopped before the first step: nothing was started.")
                return signal_exit_code(reason)
            is_there = bool(checkpoint and resume)
            saved = steps_of(Path(checkpoint))
            is_whole = is_there and saved >= steps
            if not is_whole:
                complain(f"poketui: The last state (step {steps:,}) could not be saved.")
            if is_there:
                say(f"Saved at step {saved:,}. Resume with: {resume}")
            return signal_exit_code(reason) if is_whole else EXIT_FAILED
        case RunFailed() | ConnectionLost():
            complain(f"poketui: {end.message} {end.hint}".rstrip())
            if isinstance(end, RunFailed) and end.is_refused:
                return EXIT_REFUSED
            if isinstance(end, RunFailed) and end.has_checkpoint and from_checkpoint:
                complain(from_checkpoint)
        case None:
            complain(
                f"poketui: Quit without saving. {from_checkpoint or 'There is no checkpoint.'}"
            )
    return EXIT_FAILED


# Attach to runs in the background, and stop them.

SAVE_TIMEOUT_S = 90.0
KILL_TIMEOUT_S = 10.0


def view(run: str | None, *, is_read_only: bool, color: str = "auto") -> Callable[[], int]:
    """Attach to a run until the user leaves or it ends; return a function that reports the end.

    It prints how the run ended, and returns the exit code.

    Raises:
        PokeTUIError: There is no such run, or it cannot be shown here.
    """
    from engine.remote.client import RemoteSession
    from pokeTUI.app.cockpit import CockpitApp

    live = find_live_run(run)
    check_terminal()
    session = RemoteSession(live, is_read_only=is_read_only)
    sessions = [session]
    hello = session.hello
    settings = read_settings(Path(hello.run_dir))

    def again() -> RemoteSession:
        """Attach again, to a run that was started again where its process is gone."""
        found = probe(live.path)
        if found is None:
            found = start_detached(saved_session(settings), hello.run_dir)
        sessions.append(RemoteSession(found, is_read_only=is_read_only))
        return sessions[-1]

    cockpit = CockpitApp(
        session,
        settings,
        is_attached=True,
        run_dir=hello.run_dir,
        color=color,
        make_session=None if is_read_only else again,
    )
    try:
        cockpit.run()
    finally:
        for each in sessions:
            each.close()
    return lambda: _say_end(live, hello, cockpit)


def _say_end(live: LiveRun, hello: "Hello", cockpit: "CockpitApp") -> int:
    end = cockpit.end
    if end is not None:
        code = report(end, hello.run_dir)
        return 0 if isinstance(end, RunStopped) and code > EXIT_FAILED else code
    if cockpit.return_code:
        return cockpit.return_code
    stays = "stays paused" if cockpit.dashboard.is_paused else "continues"
    say(f"Detached: the run {live.run_id} {stays} in the background.")
    say(f"Attach: poketui attach {live.run_id}")
    say(f"Stop:   poketui stop {live.run_id}")
    return 0


def stop_live(run: str | None, *, is_now: bool) -> int:
    """End a run and return the exit code.

    Raises:
        AttachError: There is no such run.
    """
    live = find_live_run(run)
    if not stop_run(live, KILL_TIMEOUT_S if is_now else SAVE_TIMEOUT_S, is_now=is_now):
        complain(
            f"poketui: The run {live.run_id} has not stopped yet. Wait, or stop it without saving: "
            f"poketui stop --now {live.run_id}"
        )
        return 1
    say(f"The run {live.run_id} has ended. {_saved(live)}")
    return 0


def _saved(live: LiveRun) -> str:
    """Say which checkpoint the run can be resumed from."""
    if live.hello is None:
        return f"Resume with: poketui run --resume {live.run_id}"
    paths = checkpoint_paths(RunFolder(Path(live.hello.run_dir)).checkpoints_path)
    if not paths:
        return "It has no checkpoint."
    return (
        f"Its checkpoint is at step {steps_of(paths[0]):,}. "
        f"Resume with: {resume_command(live.hello.run_dir)}"
    )
