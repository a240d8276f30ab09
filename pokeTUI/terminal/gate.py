"""Send no more than the terminal has shown: on a slow link frames are left out, not queued.

After something is drawn the terminal is asked where its cursor is; the answer comes once all that
was sent before has arrived. So drawing follows the link's own pace, and a key's effect never waits
behind a second of old frames.
"""

import time
from collections import deque
from collections.abc import Callable

QUESTION = "\x1b[6n"
TIMEOUT_S = 5.0
"""An answer that is not there by then is lost."""
PLAIN_INTERVAL_S = 1 / 30
"""Between two drawings where the terminal never answers."""
_FAR_S = 0.06
_FAR_ON_THE_WAY = 2
_BUSY_FACTOR, _BUSY_MARGIN_S = 1.5, 0.02
"""A round trip so much longer than the shortest means that the link is full."""


class Gate:
    """Tell when the terminal is ready for more.

    Args:
        ask: Sends QUESTION after all that was drawn.
        is_deaf: The terminal is known not to answer.

    Attributes:
        is_deaf: The terminal does not answer, so that drawing keeps a plain rate.
        rtt_s: The latest round trip, None before the first.
    """

    def __init__(
        self,
        ask: Callable[[], object],
        clock: Callable[[], float] = time.monotonic,
        *,
        is_deaf: bool = False,
    ) -> None:
        self.rtt_s: float | None = None
        self._ask = ask
        self._clock = clock
        self.is_deaf = is_deaf
        self._asked: deque[float] = deque()
        self._last_sent = float("-inf")
        self._shortest_s = float("inf")

    @property
    def is_asked(self) -> bool:
        """Whether an answer is on its way."""
        return bool(self._asked)

    @property
    def is_open(self) -> bool:
        """Whether something may be drawn now."""
        now = self._clock()
        if self.is_deaf:
            # Half a poll early, so that a rate of 30 Hz does not become 15.
            return now - self._last_sent >= PLAIN_INTERVAL_S / 2
        if self._asked and now - self._asked[0] >= TIMEOUT_S:
            self.is_deaf = self.rtt_s is None
            self._asked.clear()
        return len(self._asked) < self._window()

    def sent(self) -> None:
        """Note that something was drawn."""
        self._last_sent = self._clock()
        if not self.is_deaf:
            self._asked.append(self._last_sent)
            self._ask()

    def acknowledged(self) -> None:
        """Note an answer of the terminal."""
        self.is_deaf = False
        if not self._asked:
            return  # it comes after its time-out
        self.rtt_s = self._clock() - self._asked.popleft()
        self._shortest_s = min(self._shortest_s, self.rtt_s)

    def _window(self) -> int:
        """Return how much may be on the way: more than one where the link is long but not full."""
        if self.rtt_s is None or self._shortest_s < _FAR_S:
            return 1
        is_full = self.rtt_s > self._shortest_s * _BUSY_FACTOR + _BUSY_MARGIN_S
        return 1 if is_full else _FAR_ON_THE_WAY
