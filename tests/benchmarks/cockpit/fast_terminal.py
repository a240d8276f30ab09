"""Run a program in a pseudo-terminal that swallows everything at once and counts it."""

import os
import pty
import select
import signal
import subprocess
import termios
import threading
import time
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from engine.ground.processes import python_environment

_POSITION_QUESTION, _POSITION = b"\x1b[6n", b"\x1b[1;1R"
_IDENTITY_QUESTION, _IDENTITY = b"\x1b[c", b"\x1b[?62c"
_IDENTITY_WITH_SIXEL = b"\x1b[?62;4c"
_PICTURE_QUESTION = b"\x1b_Gi=31"
_PICTURES = b"\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1bP>|iTerm2 3.5\x1b\\"
"""With the size of a cell, which sixel needs, and the name of one that draws PNG files."""
_LONGEST_QUESTION = 16
_ENDING_S, _TIMEOUT_S = 5.0, 60.0
_LEFT_OUT = {"COLUMNS", "LINES", "NO_COLOR", "TMUX", "SSH_CONNECTION", "TERM_PROGRAM"}


class FastTerminal:
    """A program and a terminal that answers, but draws nothing, so that it costs next to nothing.

    Args:
        environment: The program's, besides this process's.
        has_pictures: It says that it knows all protocols for pictures.

    Attributes:
        started: When the program was started, by `time.monotonic`.
        received: What has arrived, as long as `keeps` is true.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        columns: int = 120,
        rows: int = 40,
        environment: Mapping[str, str] | None = None,
        has_pictures: bool = False,
    ) -> None:
        self.received = bytearray()
        self.keeps = True
        self._has_pictures = has_pictures
        self._times: list[float] = []
        self._counts: list[int] = []
        self._count = 0
        self._tail = b""
        self._lock = threading.Lock()
        kept = {
            name: value for name, value in python_environment().items() if name not in _LEFT_OUT
        }
        kept |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self.started = time.monotonic()
        self._far, self.process = start_program(
            command, columns, rows, {**kept, **(environment or {})}
        )
        self._thread = threading.Thread(target=self._read, name="terminal", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the program, kindly first."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(_ENDING_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._thread.join(_ENDING_S)
        os.close(self._far)

    def press(self, keys: bytes) -> None:
        """Type `keys`."""
        os.write(self._far, keys)

    def wait(self, timeout_s: float) -> int:
        """Wait for the end of the program and return its exit code."""
        code = self.process.wait(timeout_s)
        self._thread.join(_ENDING_S)
        return code

    def wait_for(self, *texts: bytes, count: int = 1, since: int = 0) -> float:
        """Wait until `texts` have come `count` times in all; return when, by `time.monotonic`.

        Texts are as they are sent, without a change of colour in between; the first `since` bytes
        are not looked at.

        Raises:
            TimeoutError: It never did.
        """
        end = time.monotonic() + _TIMEOUT_S
        while time.monotonic() < end:
            with self._lock:
                if sum(self.received.count(text, since) for text in texts) >= count:
                    return time.monotonic()
            if self.process.poll() is not None:
                break
            time.sleep(0.002)
        raise TimeoutError(f"{texts} did not come {count} times: {bytes(self.received[-2000:])!r}")

    def cpu_s(self) -> float:
        """Return the processor time that the program itself has taken so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").split(") ")[1]
        user, system = fields.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def bytes_between(self, start: float, end: float) -> int:
        """Return how many bytes arrived between two times."""
        with self._lock:
            first, last = bisect_left(self._times, start), bisect_left(self._times, end)
            before = self._counts[first - 1] if first else 0
            return (self._counts[last - 1] if last else 0) - before

    def _read(self) -> None:
        """Take what comes, in a thread, until the program has closed its end."""
        while True:
            try:
                if not select.select([self._far], [], [], 0.2)[0]:
                    if self.process.poll() is not None:
                        return
                    continue
                data = os.read(self._far, 1 << 16)
            except OSError:  # the program has ended
                return
            if not data:
                return
            with self._lock:
                self._count += len(data)
                self._times.append(time.monotonic())
                self._counts.append(self._count)
                if self.keeps:
                    self.received += data
            self._answer(data)

    def _answer(self, data: bytes) -> None:
        """Answer every question that is complete now."""
        text = self._tail + data
        end = 0
        for question, answer in (
            (_PICTURE_QUESTION, _PICTURES if self._has_pictures else b""),
            (_IDENTITY_QUESTION, _IDENTITY_WITH_SIXEL if self._has_pictures else _IDENTITY),
            (_POSITION_QUESTION, _POSITION),
        ):
            for _ in range(text.count(question)):
                os.write(self._far, answer)
            end = max(end, text.rfind(question) + len(question) if question in text else 0)
        self._tail = text[max(end, len(text) - _LONGEST_QUESTION) :]


def start_program(
    command: Sequence[str], columns: int, rows: int, environment: Mapping[str, str]
) -> tuple[int, subprocess.Popen[bytes]]:
    """Return the terminal's far end and the program, in a session of its own as a login has."""
    far, near = pty.openpty()
    termios.tcsetwinsize(near, (rows, columns))
    program = subprocess.Popen(
        list(command),
        stdin=near,
        stdout=near,
        stderr=near,
        start_new_session=True,
        env=dict(environment),
    )
    os.close(near)
    return far, program
