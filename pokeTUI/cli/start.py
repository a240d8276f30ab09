"""Show the start screen, do what is chosen there, and return to it until the user leaves."""

import contextlib
import io
from collections.abc import Iterator, Mapping

from engine.errors import PokeTUIError
from engine.events import RunStopped
from pokeTUI.app.start.choices import (
    AttachRun,
    BattleChoice,
    Choice,
    NewRecording,
    NewRun,
    ReplayEpisode,
    ResumeRun,
    WatchDemo,
)
from pokeTUI.terminal.printing import say
from pokeTUI.terminal.signals import signal_exit_code

_TAKE_DOWN_S = 30.0
"""Longest wait for a session that was left while starting: it holds its run's folder."""


def start() -> int:
    """Show the start screen again and again; return the exit code.

    Raises:
        PokeTUIError: It cannot be drawn here.
    """
    from pokeTUI.app.start.app import StartApp

    notice, marked = "", "new"
    form: NewRun | None = None
    record_form: NewRecording | None = None
    while True:
        app = StartApp(notice=notice, marked=marked, form=form, record_form=record_form)
        app.run()
        if app.choice is None:
            return app.return_code or 0
        marked = app.marked
        form = app.choice if isinstance(app.choice, NewRun) else form
        record_form = app.choice if isinstance(app.choice, NewRecording) else record_form
        try:
            notice, code = _do(app.choice)
        except PokeTUIError as error:
            notice, code = str(error), None
        if code is not None:
            say(*notice.split("\n"))
            return code


def _do(choice: Choice) -> tuple[str, int | None]:
    """Return the result of a choice in words, and an exit code if the program is to end."""
    # Here, not above: the start screen is drawn before these are loaded.
    from engine.config import load_config
    from pokeTUI.app import launch, recordings

    launch.check_preferences()
    match choice:
        case NewRun(overrides=overrides, is_detached=is_detached):
            return _run(overrides, is_detached=is_detached)
        case ResumeRun(run=run):
            return _run({}, run)
        case NewRecording(given=given):
            from pokeTUI.app.start.forms import plan_of

            found = recordings.record(*plan_of(given, None))
            return "\n".join(found.lines()[-2:]), found.exit_code or None
        case AttachRun(run=run):
            report_end = launch.view(run, is_read_only=False)
            with _captured() as output:
                report_end()
            return output.getvalue().partition("\n")[0], None
        case ReplayEpisode(run=run, number=number):
            recorded = recordings.recorded_episode(None, run, number)
            return "\n".join(recordings.watch(recorded)), None
        case WatchDemo(path=path):
            recorded_demo = recordings.recorded_demo(load_config(), path)
            return "\n".join(recordings.watch(recorded_demo)), None
        case BattleChoice(what=what):
            from pokeTUI.battles.commands import do

            outcome = do(what)
            return outcome.text, None if outcome.is_failure else outcome.exit_code or None


def _run(
    overrides: Mapping[str, str], resume: str | None = None, *, is_detached: bool = False
) -> tuple[str, int | None]:
    from engine.config import load_config
    from engine.sessions.train import EngineSession
    from pokeTUI.app import launch

    config = load_config(None, dict(overrides))
    if is_detached:
        with _captured() as output:
            launch.detach(config, resume)
        lines = output.getvalue().strip().splitlines()
        return next((line for line in lines if "background" in line), "".join(lines[-1:])), None
    session = EngineSession(config, resume=resume)
    end = launch.run_cockpit(session, config)
    session.join(_TAKE_DOWN_S)
    with _captured() as output:
        code = launch.report(end, session.run_dir)
    is_by_signal = isinstance(end, RunStopped) and bool(signal_exit_code(end.reason))
    return output.getvalue().strip(), code if is_by_signal else None


@contextlib.contextmanager
def _captured() -> Iterator[io.StringIO]:
    """Catch what is printed, to show it on the start screen."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        yield text
