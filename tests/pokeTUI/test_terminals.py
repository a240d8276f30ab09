"""The cockpit in terminals of many kinds, and what must not harm it there."""

import contextlib
import os
import random
import re
import time
from pathlib import Path

import pytest

from engine.ground.processes import python_command
from tests.benchmarks.cockpit.fast_terminal import FastTerminal
from tests.benchmarks.cockpit.keys import PROGRAM, drive
from tests.engine.processes import wait_until
from tests.pokeTUI.says import assert_has

_SGR = re.compile(rb"\x1b\[([\d;]*)m")
_HARMLESS = [*range(0x80, 0x100), *b"\x1b\x1b[]<>;?0123456789~\x00\x07\x7f"]
_FLOOD = 30_000
LIMIT_S = 180.0
_TERMINALS = [
    ("xterm-256color", "truecolor", "", "truecolor"),
    ("xterm-256color", "", "", "256"),
    ("xterm-256color", "truecolor", "1", "none"),
    ("screen", "truecolor", "", "16"),
    ("screen", "", "", "16"),
    ("tmux-256color", "truecolor", "", "truecolor"),
    ("tmux-256color", "", "", "256"),
    ("tmux-256color", "truecolor", "1", "none"),
]


def color_kinds(data: bytes) -> set[str]:
    """Return the kinds of colours that a text sets."""
    kinds = set()
    for match in _SGR.finditer(data):
        codes = match[1].decode().split(";")
        while codes:
            code = codes.pop(0)
            if code in ("38", "48"):
                kind = codes.pop(0)
                kinds.add("truecolor" if kind == "2" else "256")
                del codes[: 3 if kind == "2" else 1]
            elif re.fullmatch(r"(3|4|9|10)[0-7]", code):
                kinds.add("16")
    return kinds


@pytest.mark.slow
@pytest.mark.parametrize(("term", "colorterm", "no_color", "depth"), _TERMINALS)
def test_the_colours_are_those_of_the_terminal(
    tmp_path: Path, term: str, colorterm: str, no_color: str, depth: str
) -> None:
    variables = {"TERM": term, "COLORTERM": colorterm, "NO_COLOR": no_color}
    with FastTerminal([*PROGRAM, str(tmp_path / "out"), "{}"], environment=variables) as terminal:
        terminal.wait_for(b"MOSSLIGHT")
        seen = len(terminal.received)
        assert wait_until(lambda: len(terminal.received) > seen + 20_000, LIMIT_S)
        kinds = color_kinds(bytes(terminal.received))
    expected = {"none": set(), "16": {"16"}, "256": {"256", "16"}, "truecolor": {"truecolor"}}
    assert kinds <= expected[depth]
    assert depth == "none" or depth in kinds


def test_a_dumb_terminal_is_refused_in_one_line(tmp_path: Path) -> None:
    command = python_command("pokeTUI", "run", "--save-dir", str(tmp_path))
    with FastTerminal(command, environment={"TERM": "dumb"}) as terminal:
        assert terminal.wait(60) == 2
        said = terminal.received.decode()
    assert_has(said, "The cockpit needs a terminal", "--headless")
    assert (said.count("\n"), "\x1b" in said) == (1, False)


class Mute(FastTerminal):
    """Answers nothing: what it said would stand in the midst of what is pasted."""

    def _answer(self, data: bytes) -> None:
        pass


def quit_it(terminal: FastTerminal) -> int:
    """Look that the program goes on, and end it by the key that quits, whatever it has opened."""
    assert terminal.process.poll() is None
    terminal.press(b"\x1b\x1b\x1b\\")
    assert not wait_until(lambda: terminal.process.poll() is not None, 1.0)
    # The first may only leave what the flood has opened. A third, read before what the second asked
    # for is done, would be asked whether to leave without saving: so each is given time.
    for _ in range(6):
        with contextlib.suppress(OSError):  # it has just ended
            terminal.press(b"\x11")
        if wait_until(lambda: terminal.process.poll() is not None, LIMIT_S / 6):
            break
    return terminal.wait(LIMIT_S)


@pytest.mark.slow
def test_a_flood_of_garbage_does_no_harm_to_a_run(tmp_path: Path) -> None:
    run = ("run", "--envs", "2", "--workers", "1", "--save-dir", str(tmp_path))
    command = python_command("pokeTUI", *run, options=("-W", "ignore"))
    garbage = bytes(random.Random(7).choices(_HARMLESS, k=_FLOOD))
    with FastTerminal(command, columns=80, rows=24) as terminal:
        terminal.wait_for(b" steps")  # "playing" is said of the introduction, too
        for start in range(0, _FLOOD, 4096):
            terminal.press(garbage[start : start + 4096])
        assert quit_it(terminal) == 0
    assert list(tmp_path.glob("runs/*/checkpoints/*"))


@pytest.mark.slow
def test_a_megabyte_of_paste_does_no_harm() -> None:
    paste = b"\x1b[200~" + b"quit Q q \r\n" * 100_000 + b"\x1b[201~"
    with Mute(python_command("tests.pokeTUI.fake_session"), columns=80, rows=24) as terminal:
        terminal.wait_for("► playing".encode())
        os.set_blocking(terminal._far, False)  # a program that has ended takes nothing any more
        while paste:
            assert terminal.process.poll() is None
            try:
                paste = paste[os.write(terminal._far, paste[:4096]) :]
            except BlockingIOError:
                time.sleep(0.001)
        assert quit_it(terminal) in (0, 1)


# The cockpit over 100 KB/s, in a real pseudo-terminal; `slow_link` itself measures times


FULL_QUEUE = 30
"""At so many waiting texts Textual's event loop stands still."""
SEEN_WITHIN = 40_000
"""Bytes that 400 ms carry."""


@pytest.mark.slow
def test_keys_are_seen_before_much_else_arrives_and_nothing_piles_up() -> None:
    found = drive(100_000, (120, 40), presses=4)
    assert sorted(found.key_bytes)[1] < SEEN_WITHIN
    assert found.inside.longest_queue < FULL_QUEUE / 2
    assert found.inside.rtt_s is not None


@pytest.mark.slow
def test_a_terminal_that_never_answers_is_drawn_on_all_the_same() -> None:
    found = drive(3_000_000, (80, 24), presses=2, is_gated=False)
    assert len(found.key_s) == 2
    assert found.inside.rtt_s is None
