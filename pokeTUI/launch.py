"""Turn the options of `poketui run` into a session with or without a screen."""

import contextlib
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.config import RunConfig, load_config
from engine.errors import TerminalError
from engine.events import ConnectionLost, ProgressReported, RunFailed, RunStopped
from engine.session import EngineSession
from engine.training.checkpoint import steps_of
from engine.training.runs import resume_command
from pokeTUI.printing import complain, say
from pokeTUI.signals import signal_exit_code

if TYPE_CHECKING:
    from pokeTUI.serve.beside import RunPage

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
            from pokeTUI.serve.beside import listen_for_page

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
            from pokeTUI.serve.beside import RunPage

            page = RunPage(listener, session, is_followed=config.headless)
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
    from pokeTUI.headless import HeadlessRunner

    if page is None:
        return HeadlessRunner(session, is_quiet=is_quiet).run()
    with page:
        return HeadlessRunner(session, is_quiet=is_quiet, follow=page.take).run()


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
    from engine.remote.start import start_detached, wait_for_start

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
    from pokeTUI.keys.keymap import KeyTable
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
    from pokeTUI.app import CockpitApp

    def go_on() -> EngineSession:
        return EngineSession(config, resume=session.run_id)

    try:
        cockpit = CockpitApp(
            session, config, color=color, make_session=go_on, run_dir=session.run_dir
        )
        if page is None:
            cockpit.run()
            return cockpit.end
        page.source = lambda: cockpit.dashboard
        session.mailbox.post(ProgressReported(f"statistics page: {page.address}"))
        with page:
            cockpit.run()
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
