"""The application, noting what it costs: processor time, frames drawn, stalls of its loop."""

import asyncio
import resource
import time
from dataclasses import dataclass
from typing import Any

from pokeTUI.app.cockpit import CockpitApp
from pokeTUI.dashboard.state import DashboardState

_TICK_S = 0.005


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment of the program.

    Attributes:
        at_s: By `time.monotonic`, which all processes share.
        cpu_s: Processor time of the whole process so far.
    """

    at_s: float
    cpu_s: float
    frames: int


class MeasuredApp(CockpitApp):
    """Counts frames and feels how long the loop does something else.

    Attributes:
        worst_stall_s: The longest time in which a ticker did not get its turn.
        longest_queue: Most texts that waited to be written.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.frames = 0
        self.worst_stall_s = 0.0
        self.longest_queue = 0

    def mark(self) -> Mark:
        """Return the present moment."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return Mark(time.monotonic(), usage.ru_utime + usage.ru_stime, self.frames)

    async def feel(self) -> None:
        """Note stalls from now on."""
        while True:
            before = time.monotonic()
            await asyncio.sleep(_TICK_S)
            self.worst_stall_s = max(self.worst_stall_s, time.monotonic() - before - _TICK_S)
            writer = getattr(self._driver, "_writer_thread", None)
            if writer is not None:
                self.longest_queue = max(self.longest_queue, writer._queue.qsize())

    def _draw(self, state: DashboardState) -> None:
        self.frames += state.frame is not self._shown_frame
        super()._draw(state)
