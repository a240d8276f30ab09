"""The driver at a real pseudo-terminal, whose other end answers as Kitty does, or not at all."""

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.benchmarks.cockpit.fast_terminal import start_program
from tests.engine.processes import is_stopped

PUSHED, POPPED, QUERY, SET = b"\x1b[>25u", b"\x1b[<u", b"\x1b[?u", b"\x1b[=27;1u"
_SECONDS = 120.0


class Terminal:
    """A terminal that keeps what a program writes and answers its questions about keys.

    Attributes:
        flags: In force, as Kitty has them, a stack; None: it knows nothing of the protocol.
        has_releases: It grants the flag that is asked for.
    """

    def __init__(self, notes: Path, *, knows_kitty: bool = True, has_releases: bool = True) -> None:
        self.notes = notes
        self.flags: list[int] | None = [0] if knows_kitty else None
        self.has_releases = has_releases
        self.written = b""
        self._read = 0
        self._is_left = False
        command = [sys.executable, "-m", "tests.pokeTUI.key_listener", str(notes)]
        # ESCDELAY, in ms: what is typed in parts is one sequence, however late.
        variables = {"TERM": "xterm-256color", "PYTHONWARNINGS": "ignore", "ESCDELAY": "60000"}
        self._end, self._program = start_program(command, 80, 24, os.environ | variables)

    @property
    def told(self) -> list[str]:
        return self.notes.read_text().split() if self.notes.exists() else []

    @property
    def pid(self) -> int:
        return self._program.pid

    def type(self, *parts: bytes) -> None:
        for part in parts:
            os.write(self._end, part)
            self.pump(0.02)

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        end = time.monotonic() + _SECONDS
        while not is_so():
            assert time.monotonic() < end, (self.told, self.written[-300:])
            self.pump(0.05)

    def wait_for(self, *told: str) -> None:
        self.wait_until(lambda: self.told[-len(told) :] == list(told))

    def wait_for_end(self) -> int:
        self.wait_until(lambda: self._program.poll() is not None)
        self.pump(0.05)
        return self._program.returncode

    def pump(self, seconds: float) -> None:
        """Read what the program writes, and answer."""
        while select.select([self._end], [], [], seconds)[0]:
            try:
                self.written += os.read(self._end, 65536)
            except OSError:
                time.sleep(seconds)
                return
            self._answer()

    def close(self) -> None:
        if self._program.poll() is None:
            self._program.kill()
        self._program.wait()
        self.leave()

    def leave(self) -> None:
        """Close the window."""
        if not self._is_left:
            self._is_left = True
            os.close(self._end)

    def wait_for_death(self) -> int:
        return self._program.wait(_SECONDS)

    def _answer(self) -> None:
        """Obey what is new, in its order."""
        if self.flags is None:
            return
        while True:
            rest = self.written[self._read :]
            found = sorted(
                (rest.index(each), each) for each in (PUSHED, POPPED, QUERY, SET) if each in rest
            )
            if not found:
                return
            place, what = found[0]
            self._read += place + len(what)
            if what == PUSHED:
                self.flags.append(25)
            elif what == POPPED:
                self.flags.pop()
            elif what == SET and self.has_releases:
                self.flags[-1] = 27
            elif what == QUERY:
                os.write(self._end, b"\x1b[?%du" % self.flags[-1])


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    started: list[Terminal] = []

    def start_it(**traits: bool) -> Terminal:
        started.append(Terminal(tmp_path / "notes", **traits))
        return started[-1]

    yield start_it
    for terminal in started:
        terminal.close()


def test_a_terminal_that_knows_the_protocol_tells_of_releases(start) -> None:
    terminal = start()
    terminal.wait_for("ready", "releases")
    terminal.type(b"\x1b[1;1:1A", b"\x1b[1;1:2A", b"\x1b[122;1:1;122u", b"\x1b[1;1", b":3A")
    terminal.type(b"\x1b[122;1:3u")
    terminal.wait_for("+up", "+up", "+z", "-up", "-z")
    terminal.type(b"\x1b[113;1:1;113u")
    assert terminal.wait_for_end() == 0
    assert terminal.flags == [0], "what was there before is put back"
    assert terminal.written.count(SET) == 1


def test_a_terminal_that_does_not_know_it_is_asked_and_left_alone(start) -> None:
    terminal = start(knows_kitty=False)
    terminal.wait_for("ready")
    terminal.type(b"\x1b[A", b"z", b"q")
    assert terminal.wait_for_end() == 0
    assert terminal.told == ["ready", "+up", "+z", "+q"]
    assert QUERY in terminal.written
    assert SET not in terminal.written


def test_a_terminal_that_does_not_grant_releases_is_not_believed(start) -> None:
    terminal = start(has_releases=False)
    terminal.wait_for("ready")
    terminal.wait_until(lambda: SET in terminal.written)
    terminal.type(b"\x1b[113u")
    assert terminal.wait_for_end() == 0
    assert "releases" not in terminal.told
    assert terminal.written.count(QUERY) == 2


def test_a_crash_puts_the_flags_back(start) -> None:
    terminal = start()
    terminal.wait_for("ready", "releases")
    terminal.type(b"\x1b[99u")
    assert terminal.wait_for_end() == 1
    assert terminal.flags == [0]


def test_a_suspended_program_puts_the_flags_back_and_asks_again(start) -> None:
    terminal = start()
    terminal.wait_for("ready", "releases")
    os.kill(terminal.pid, signal.SIGTSTP)
    terminal.wait_until(lambda: terminal.flags == [0] and is_stopped(terminal.pid))
    os.kill(terminal.pid, signal.SIGCONT)
    terminal.wait_for("ready", "releases", "releases")
    terminal.type(b"\x1b[1;1:1A", b"\x1b[1;1:3A", b"\x1b[113u")
    assert terminal.wait_for_end() == 0
    assert terminal.flags == [0]
    assert terminal.told[3:] == ["+up", "-up", "+q"]


def test_a_program_continued_while_it_writes_does_not_hang(start) -> None:
    terminal = start()
    terminal.wait_for("ready", "releases")
    terminal.type(b"\x1b[115u")
    terminal.wait_for("+s", "continued", "releases")
    terminal.type(b"\x1b[113u")
    assert terminal.wait_for_end() == 0


def test_garbage_ends_nothing(start) -> None:
    terminal = start()
    terminal.wait_for("ready", "releases")
    terminal.type(b"\xff\xfe\x80", b"\x1b[1:2:3A", b"\x1b[:;:u", bytes(range(128, 256)))
    terminal.type(b"\x1b[201~", b"\x1b[1;1:3B")
    terminal.wait_until(lambda: "-down" in terminal.told)


def test_a_program_whose_terminal_is_gone_ends_without_being_told(start) -> None:
    """No signal comes where the terminal is not the controlling one."""
    terminal = start(knows_kitty=False)
    terminal.wait_for("ready")
    terminal.leave()
    assert terminal.wait_for_death() == -signal.SIGHUP
