"""End cleanly when the terminal goes away, as a dropped SSH connection makes it do.

Textual's writing thread dies with the terminal, and then its event loop waits for it for ever. So
the end is watched from a thread of its own, and the process leaves without Textual's farewell.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

GRACE_S = 3.0
"""Time for an orderly end, once the run has ended, in case the terminal is still there."""
_POLL_INTERVAL_S = 0.2


@contextmanager
def end_on_hangup(
    stop: Callable[[], None],
    is_alive: Callable[[], bool],
    leave: Callable[[int], None] = os._exit,
) -> Iterator[None]:
    """While in the context, SIGHUP stops the run and then the process.

    Args:
        stop: Asks the run to save and end; called in the signal handler, so it must not block.
        is_alive: Tells whether the run still continues.
        leave: Ends the process with an exit code.
    """
    has_left = threading.Event()

    def wait_and_leave() -> None:
        while is_alive():
            if has_left.wait(_POLL_INTERVAL_S):
                return
        if not has_left.wait(GRACE_S):
            leave(128 + signal.SIGHUP)

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
