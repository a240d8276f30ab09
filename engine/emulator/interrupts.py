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
from collections.abc import Callable
from types import FrameType, TracebackType

_SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")
    if hasattr(signal, name)
)
_Handler = Callable[[int, FrameType | None], object]
_Arrived = tuple[_Handler, int, FrameType | None]


class DelayedSignals:
    """A block in which signals wait until it is left.

    A class rather than a generator, which would take three times as long, and that 200 times a
    second and game.
    """

    __slots__ = ("_is_over", "_replaced", "arrived")

    def __init__(self) -> None:
        self.arrived: list[_Arrived] = []
        self._replaced: dict[int, _Handler] = {}
        self._is_over = False

    def __enter__(self) -> list[_Arrived]:
        global _outermost
        if (outer := _outermost) is not None:
            return outer.arrived
        if threading.get_ident() != threading.main_thread().ident:
            return self.arrived
        try:
            _outermost = self
            for number in _SIGNALS:
                handler = _signal.getsignal(number)
                if callable(handler):
                    self._replaced[number] = handler
                    _signal.signal(number, self._note)
        except BaseException:  # of a handler that was not replaced yet
            self._leave()
            raise
        return self.arrived

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if _outermost is self:
            self._leave()

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._is_over:  # a handler that raised kept us from putting this one back
            self._replaced[number](number, frame)
        else:
            self.arrived.append((self._replaced[number], number, frame))

    def _leave(self) -> None:
        global _outermost
        _outermost = None  # first: a handler that raises from here on does not keep it set
        self._is_over = True
        for number, handler in self._replaced.items():
            _signal.signal(number, handler)
        for handler, number, frame in self.arrived:
            handler(number, frame)


_outermost: DelayedSignals | None = None
"""The block in which the main thread is."""


def delayed_signals() -> DelayedSignals:
    """Have signals handled when the block is left; what it is given holds those that arrived.

    The block can look there whether it should end early. A block within another changes nothing:
    signals are handled when the outer one is left. Other threads than the main one handle no
    signals, so nothing changes for them.
    """
    return DelayedSignals()
