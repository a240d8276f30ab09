"""Keep Ctrl-C from being lost where C code runs Python functions.

Python handles signals in its main thread between any two instructions, so within a function that C
code calls back, too; the KeyboardInterrupt that is raised there has nobody to go to, and ctypes
prints and drops it.
"""

# What `signal` wraps: its functions look for members of enumerations first, and take ten times as
# long, which would be a twentieth of a frame.
import _signal  # type: ignore[import-not-found]
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")
    if hasattr(signal, name)
)
_Handler = Callable[[int, FrameType | None], object]
_Arrived = tuple[_Handler, int, FrameType | None]


@contextmanager
def delayed_signals() -> Iterator[list[_Arrived]]:
    """Have signals handled when the block is left; what it is given holds those that arrived.

    The block can look there whether it should end early. Other threads than the main one handle no
    signals, so nothing changes for them.
    """
    arrived: list[_Arrived] = []
    if threading.get_ident() != threading.main_thread().ident:
        yield arrived
        return
    replaced: dict[int, _Handler] = {}
    is_over = False

    def note(number: int, frame: FrameType | None) -> None:
        if is_over:  # a handler that raised kept us from putting this one back
            replaced[number](number, frame)
        else:
            arrived.append((replaced[number], number, frame))

    try:
        for number in _SIGNALS:
            handler = _signal.getsignal(number)
            if callable(handler):
                replaced[number] = handler
                _signal.signal(number, note)
        yield arrived
    finally:
        is_over = True
        for number, handler in replaced.items():
            _signal.signal(number, handler)
        for handler, number, frame in arrived:
            handler(number, frame)
