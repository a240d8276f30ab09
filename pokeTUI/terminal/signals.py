"""Handle the signals of a terminal: hangup and suspension; name the one that ended a run."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from pokeTUI.terminal.printing import complain

if TYPE_CHECKING:
    from textual.app import App

GRACE_S = 3.0
"""Time for an orderly end, once the run has ended, in case the terminal is still there."""
_POLL_INTERVAL_S = 0.2
_STOP_S = 0.5
_LOOK_S = 0.01


def signal_exit_code(reason: str) -> int:
    """Return 128 and the number of the signal that `reason` names, as shells do; 0 for none."""
    return 128 + signal.Signals[reason] if reason in signal.Signals.__members__ else 0


def unwind_on_signals() -> None:
    """Have SIGTERM and SIGHUP end this process as Ctrl-C does, so that all is taken down.

    A second one ends it at once; one that is ignored, as under nohup, stays so.
    """

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, end)


@contextmanager
def end_on_hangup(stop: Callable[[], None], is_alive: Callable[[], bool]) -> Iterator[None]:
    """While in the context, SIGHUP stops the run and then the process.

    Textual's writing thread dies with the terminal, as when an SSH connection drops, and then its
    event loop waits for it for ever. So the end is watched from a thread of its own, and the
    process leaves without Textual's farewell. `stop` asks the run to save and end; it is called in
    the signal handler, so it must not block.
    """
    has_left = threading.Event()

    def wait_and_leave() -> None:
        while is_alive():
            if has_left.wait(_POLL_INTERVAL_S):
                return
        if not has_left.wait(GRACE_S):
            os._exit(128 + signal.SIGHUP)

    def hang_up(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        stop()
        threading.Thread(target=wait_and_leave, name="hangup", daemon=True).start()

    former = signal.signal(signal.SIGHUP, hang_up)
    try:
        yield
    finally:
        has_left.set()
        signal.signal(signal.SIGHUP, former)


def suspend(app: "App[Any]", words: str) -> None:
    """Give the terminal back with `words` left on it, and stop until the shell continues it."""
    if app._driver is None or not app._driver.can_suspend:
        app.notify("Cannot suspend: no shell to resume it.", timeout=4, markup=False)
        return
    with app.suspend():
        complain(words)
        # All that the shell started with it, as Ctrl-Z does where the terminal sends the signal.
        was_stopped = stop(lambda: os.killpg(0, signal.SIGTSTP))
    if not was_stopped:
        app.notify("Not suspended: no shell to resume it.", timeout=4, markup=False)


def stop(send: Callable[[], None]) -> bool:
    """Stop this process by `send`, and return when it is continued, or False if it was not stopped.

    In the main thread only. The kernel stops nothing that no shell could continue: what is the only
    program of a window would stand still for ever.
    """
    continued = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal continued
        continued = True

    former = {
        signal.SIGTSTP: signal.signal(signal.SIGTSTP, signal.SIG_DFL),
        signal.SIGCONT: signal.signal(signal.SIGCONT, note),
    }
    try:
        send()
        # Another thread may be the one that takes the signal, a moment later.
        end = time.monotonic() + _STOP_S
        while not continued and time.monotonic() < end:
            time.sleep(_LOOK_S)
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
    return continued
