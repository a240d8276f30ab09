"""Start runs in the background, show them, end them, and say in words what was done."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.events import RunStopped
from engine.remote.folder import LiveRun, find_live_run, probe
from engine.remote.start import start_detached, stop_run
from engine.training.checkpoint import checkpoint_paths, steps_of
from engine.training.run_settings import read_settings, saved_session
from engine.training.runs import RunFolder, resume_command
from pokeTUI.launch import EXIT_FAILED, check_terminal, report
from pokeTUI.printing import complain, say

if TYPE_CHECKING:
    from engine.remote.protocol import Hello
    from pokeTUI.app import CockpitApp

SAVE_TIMEOUT_S = 90.0
KILL_TIMEOUT_S = 10.0


def view(run: str | None, *, is_read_only: bool, color: str = "auto") -> Callable[[], int]:
    """Show a run until the user leaves it or it ends; return what reports the end.

    That prints how the run ended, and returns the exit code.

    Raises:
        PokeTUIError: There is no such run, or it cannot be shown here.
    """
    from engine.remote.client import RemoteSession
    from pokeTUI.app import CockpitApp

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
    """Say what is there to continue from."""
    if live.hello is None:
        return f"Resume with: poketui run --resume {live.run_id}"
    paths = checkpoint_paths(RunFolder(Path(live.hello.run_dir)).checkpoints_path)
    if not paths:
        return "It has no checkpoint."
    return (
        f"Its checkpoint is at step {steps_of(paths[0]):,}. "
        f"Resume with: {resume_command(live.hello.run_dir)}"
    )
