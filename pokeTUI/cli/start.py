"""Go from the start screen to what was chosen, and back, until the user leaves."""

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
"""What was left at its start is waited for so long: it holds its run's folder."""


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
    """Return the result of a choice in words, and the exit code if that is to be the end."""
    from pokeTUI.app.launch import check_preferences

    check_preferences()
    match choice:
        case NewRun(overrides=overrides, is_detached=is_detached):
            return _run(overrides, is_detached=is_detached)
        case ResumeRun(run=run):
            return _run({}, run)
        case NewRecording(given=given):
            from pokeTUI.app.recordings import record
            from pokeTUI.app.start.forms import plan_of

            found = record(*plan_of(given, None))
            return "\n".join(found.lines()[-2:]), found.exit_code or None
        case AttachRun(run=run):
            from pokeTUI.app.launch import view

            report_end = view(run, is_read_only=False)
            with _captured() as output:
                report_end()
            return output.getvalue().partition("\n")[0], None
        case ReplayEpisode(run=run, number=number):
            from pokeTUI.app.recordings import recorded_episode, watch

            return "\n".join(watch(recorded_episode(None, run, number))), None
        case WatchDemo(path=path):
            from engine.config import load_config
            from pokeTUI.app.recordings import recorded_demo, watch

            return "\n".join(watch(recorded_demo(load_config(), path))), None
        case BattleChoice(what=what):
            from pokeTUI.battles.commands import do

            outcome = do(what)
            return outcome.text, None if outcome.is_failure else outcome.exit_code or None


def _run(
    overrides: Mapping[str, str], resume: str | None = None, *, is_detached: bool = False
) -> tuple[str, int | None]:
    from engine.config import load_config
    from engine.sessions.train import EngineSession
    from pokeTUI.app.launch import detach, report, run_cockpit

    config = load_config(None, dict(overrides))
    if is_detached:
        with _captured() as output:
            detach(config, resume)
        lines = output.getvalue().strip().splitlines()
        return next((line for line in lines if "background" in line), "".join(lines[-1:])), None
    session = EngineSession(config, resume=resume)
    end = run_cockpit(session, config)
    session.join(_TAKE_DOWN_S)
    with _captured() as output:
        code = report(end, session.run_dir)
    is_by_signal = isinstance(end, RunStopped) and bool(signal_exit_code(end.reason))
    return output.getvalue().strip(), code if is_by_signal else None


@contextlib.contextmanager
def _captured() -> Iterator[io.StringIO]:
    """Catch what is printed: it belongs on the start screen."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        yield text
