"""Suspend the program as a shell's job control does: Ctrl-Z stops it, `fg` continues it."""

import os
import signal
import time
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

from pokeTUI.printing import complain

if TYPE_CHECKING:
    from textual.app import App

_STOP_S = 0.5
_LOOK_S = 0.01


def suspend(app: "App[Any]", words: str) -> None:
    """Give the terminal back, say what happens meanwhile, and stop until the shell continues it.

    Args:
        app: The application.
        words: Are left on the terminal.
    """
    if app._driver is None or not app._driver.can_suspend:
        app.notify("There is no shell here that could continue it.", timeout=4, markup=False)
        return
    with app.suspend():
        complain(words)
        # All that the shell started with it, as Ctrl-Z does where the terminal sends the signal.
        was_stopped = stop(lambda: os.killpg(0, signal.SIGTSTP))
    if not was_stopped:
        app.notify("No shell could continue it, so it was not suspended.", timeout=4, markup=False)


def stop(send: Callable[[], None]) -> bool:
    """Stop this process, and return when it is continued; in the main thread only.

    The kernel stops nothing that no shell could continue: what is the only program of a window
    would stand still for ever.

    Args:
        send: Sends SIGTSTP to it.

    Returns:
        Whether it was stopped.
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
