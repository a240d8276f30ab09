"""Long work on the command line, at a real pseudo-terminal."""

import os
import pty
import select
import signal
import sys
import time
from pathlib import Path

import pytest

from pokeTUI.cli.progress import progress
from pokeTUI.draw.units import TimeLeft
from tests.pokeTUI.says import assert_has

ROOT = Path(__file__).parents[2]
_WORK = """
import sys, time
from pokeTUI.cli.progress import progress
with progress("digging") as report:
    for done in range(int(sys.argv[1])):
        report(done, 1000)
        time.sleep(0.02)
print("dug")
"""


def dig(spades: int, *, breaks_off: bool) -> tuple[str, int]:
    """Return what a terminal shows of work, and its exit code."""
    pid, terminal = pty.fork()
    if not pid:
        # What a shell starts in the background inherits that it is ignored.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.chdir(ROOT)
        os.execv(sys.executable, [sys.executable, "-c", _WORK, str(spades)])
    seen, end = b"", time.monotonic() + 300
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            new = os.read(terminal, 65536)
        except OSError:  # Linux says so at the end
            break
        if not new:
            break
        seen += new
        if breaks_off and b"/1000" in seen:
            os.write(terminal, b"\x03")
            breaks_off = False
    os.close(terminal)
    return seen.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_bar_with_the_time_left_is_shown_and_gone_at_the_end() -> None:
    shown, code = dig(60, breaks_off=False)
    assert_has(shown, "digging", "/1000")
    assert "0/?" not in shown  # before there is a total, nothing says how much is done
    assert shown.strip().endswith("dug")
    assert code == 0


def test_ctrl_c_ends_it_with_one_line() -> None:
    shown, _ = dig(50_000, breaks_off=True)
    assert "poketui: Interrupted; nothing was left half done." in shown
    assert "dug" not in shown


def test_where_nobody_looks_nothing_is_written(capfd: pytest.CaptureFixture[str]) -> None:
    with progress("digging") as report:
        report(1, 2)
    assert capfd.readouterr() == ("", "")


def test_the_time_left_is_told_once_it_can_be_known() -> None:
    now = [0.0]
    left = TimeLeft(lambda: now[0])
    assert left.text("digging", 0, 100) == ""
    now[0] = 0.5
    assert left.text("digging", 5, 100) == ""
    now[0] = 10.0
    assert left.text("digging", 25, 100) == "0:00:30 left"
    assert left.text("filling", 25, 100) == ""
    assert left.text("filling", 0, 0) == ""
