"""Run a program in a pseudo-terminal whose screen is at the far end of a slow link."""

import os
import select
import signal
import time
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType

from engine.ground.processes import python_environment
from tests.benchmarks.cockpit.fast_terminal import start_program
from tests.pokeTUI.tiny_terminal import TinyTerminal

_SLICE_S = 0.01


class ThrottledPty:
    """A program and a terminal with a link of so many bytes a second between them.

    What the program writes is taken from it no faster than the link carries, so it is held back as
    by ssh. The terminal answers position reports and the question what it is, when these reach it;
    answers and keys take half the delay.

    Args:
        command: The program.
        bytes_per_s: What the link carries.
        delay_s: The shortest way there and back.
        columns: The terminal's width.
        rows: Its height.
        environment: The program's, besides this process's.
        is_answering: False is a terminal that never says anything.
        identity: What it says of itself when it is asked what it is and can do.

    Attributes:
        received: Bytes that arrived.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        bytes_per_s: float = 100_000,
        delay_s: float = 0.0,
        columns: int = 120,
        rows: int = 40,
        environment: Mapping[str, str] | None = None,
        is_answering: bool = True,
        identity: str = "\x1b[?62c",
    ) -> None:
        self.screen = TinyTerminal(columns, rows)
        self.received = 0
        self._rate = bytes_per_s
        self._delay_s = delay_s
        self._is_answering = is_answering
        self._identity = identity
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._down: deque[tuple[float, bytes]] = deque()
        self._up: deque[tuple[float, bytes]] = deque()
        self._last = time.monotonic()
        self._credit = 0.0
        self._far, self.process = start_program(
            command, columns, rows, {**_without_size(python_environment()), **(environment or {})}
        )

    def __enter__(self) -> "ThrottledPty":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the program, kindly first."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self._run(lambda: self.process.poll() is not None, 5.0)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._far)

    def press(self, keys: str) -> None:
        """Type `keys` at the far end."""
        self._say(keys)

    def wait_for(self, is_seen: Callable[[TinyTerminal], bool], timeout_s: float = 30.0) -> float:
        """Let the link work until the far screen shows something.

        Returns:
            Seconds that it took.

        Raises:
            TimeoutError: It never did.
        """
        start = time.monotonic()
        if not self._run(lambda: is_seen(self.screen), timeout_s):
            raise TimeoutError(f"not seen on\n{self.screen.text}")
        return time.monotonic() - start

    def work(self, seconds: float) -> None:
        """Let the link work."""
        self._run(lambda: False, seconds)

    def _run(self, is_done: Callable[[], bool], timeout_s: float) -> bool:
        end = time.monotonic() + timeout_s
        while not is_done():
            if time.monotonic() >= end:
                return False
            self._carry()
        return True

    def _carry(self) -> None:
        """Carry what a moment allows, both ways."""
        now = time.monotonic()
        self._credit = min(self._rate * 0.05, self._credit + (now - self._last) * self._rate)
        self._last = now
        is_ready = bool(select.select([self._far], [], [], _SLICE_S)[0])
        if is_ready and self._credit >= 1:
            try:
                data = os.read(self._far, int(self._credit))
            except OSError:  # the program has ended
                time.sleep(_SLICE_S)
                return
            self._credit -= len(data)
            self._down.append((now + self._delay_s / 2, data))
        elif is_ready:
            time.sleep(_SLICE_S / 5)
        self._arrive(time.monotonic())

    def _arrive(self, now: float) -> None:
        while self._down and self._down[0][0] <= now:
            data = self._down.popleft()[1]
            self.received += len(data)
            self.screen.feed(self._decode(data))
        while self.screen.identities:
            self.screen.identities -= 1
            if self._is_answering:
                self._say(self._identity)
        while self.screen.questions:
            self.screen.questions -= 1
            if self._is_answering:
                self._say(self.screen.position)
        while self._up and self._up[0][0] <= now:
            os.write(self._far, self._up.popleft()[1])

    def _say(self, text: str) -> None:
        self._up.append((time.monotonic() + self._delay_s / 2, text.encode()))


def _without_size(environment: Mapping[str, str]) -> dict[str, str]:
    fixed = {"COLUMNS", "LINES", "NO_COLOR", "TMUX"}
    return {name: value for name, value in environment.items() if name not in fixed}
