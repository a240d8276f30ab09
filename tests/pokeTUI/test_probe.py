"""Ask scripted terminals behind real pseudo-terminals."""

import os
import pty
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine.errors import ConfigurationError
from pokeTUI.rendering.colors import ColorDepth
from pokeTUI.rendering.encoders import GameMode
from pokeTUI.terminal.probe import (
    Terminal,
    color_depth,
    probe_terminal,
    terminal_of,
    without_answers,
)
from tests.engine.processes import wait_until

LIMIT_S = 120.0
MODERN = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
LAST = b"\x1b[?62;4c"
KITTY = b"\x1b_Gi=31;OK\x1b\\\x1b[?1u\x1b[6;20;10t\x1bP>|kitty(0.38.1)\x1b\\" + LAST
TMUX = b"\x1bP>|tmux 3.3a\x1b\\\x1b[?1;2c"


@contextmanager
def scripted(answer: bytes, *, delay_s: float = 0.0) -> Iterator[tuple[int, list[bytes]]]:
    """Open a terminal that says `answer` to what it hears first; yield it and what it hears."""
    far, near = pty.openpty()
    heard: list[bytes] = []

    def listen() -> None:
        while True:
            try:
                data = os.read(far, 4096)
            except OSError:
                return
            if not data:
                return
            is_first = not heard
            heard.append(data)
            if is_first and answer:
                time.sleep(delay_s)
                try:
                    for start in range(0, len(answer), 700):
                        os.write(far, answer[start : start + 700])
                except OSError:  # nobody has waited for the rest
                    return

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        yield near, heard
    finally:
        os.close(near)
        thread.join()
        os.close(far)


def probe(answer: bytes, environment: dict[str, str] | None = None) -> Terminal:
    with scripted(answer) as (fd, _):
        return probe_terminal(fd, fd, LIMIT_S, environment=environment or MODERN)


def test_a_kitty_says_all_it_can() -> None:
    assert probe(KITTY) == Terminal(
        name="kitty(0.38.1)",
        term="xterm-256color",
        depth=ColorDepth.TRUECOLOR,
        is_answering=True,
        has_kitty_graphics=True,
        has_kitty_keys=True,
        cell_size_px=(10, 20),
    )


def test_a_plain_xterm_has_no_pictures() -> None:
    found = probe(LAST)
    assert found.is_answering
    assert not found.has_kitty_graphics
    assert not found.has_kitty_keys
    assert found.cell_size_px is None


def test_an_error_is_not_an_ok() -> None:
    assert not probe(b"\x1b_Gi=31;ENOTSUPPORTED\x1b\\" + LAST).has_kitty_graphics


def test_tmux_is_known_by_its_answer_too() -> None:
    found = probe(TMUX)
    assert found.is_tmux
    assert GameMode.OCTANTS not in found.modes


@pytest.mark.parametrize(
    "garbage",
    [
        b"lots of words",
        b"\x1b[?9999999;",
        bytes(range(256)) * 40,
        b"\x1b[6;0;0t\x1bP>|\x07\x1b\\",
        b"\xff\xfe\x1b[6;20t\x1b[?u",
    ],
)
def test_garbage_means_nothing(garbage: bytes) -> None:
    with scripted(garbage) as (fd, _):
        found = probe_terminal(fd, fd, 0.1, environment=MODERN)
    assert found == terminal_of(MODERN)


def test_garbage_before_the_answers_does_not_hide_them() -> None:
    assert probe(b"jjj\x1b[A\xff" + KITTY).has_kitty_graphics


def test_silence_costs_no_more_than_the_time_out() -> None:
    with scripted(b"") as (fd, heard):
        found = probe_terminal(fd, fd, 0.05, environment=MODERN)
        assert found == terminal_of(MODERN)
        assert wait_until(lambda: bool(heard), LIMIT_S)
        assert b"".join(heard).startswith(b"\x1b[?1049h")


def test_the_terminal_is_left_as_it_was_and_nothing_typed_remains() -> None:
    with scripted(b"qqq" + KITTY + b"qqq") as (fd, _):
        before = termios.tcgetattr(fd)
        probe_terminal(fd, fd, LIMIT_S, environment=MODERN)
        assert termios.tcgetattr(fd) == before
        os.set_blocking(fd, False)
        with pytest.raises(BlockingIOError):
            os.read(fd, 10)


@pytest.mark.parametrize("term", ["linux", "dumb", "vt100", ""])
def test_a_terminal_that_would_print_the_question_is_not_asked(term: str) -> None:
    with scripted(LAST) as (fd, heard):
        assert not probe_terminal(fd, fd, 0.05, environment={"TERM": term}).is_answering
        assert heard == []


def test_apples_terminal_is_not_asked_for_pictures() -> None:
    with scripted(LAST) as (fd, heard):
        environment = MODERN | {"TERM_PROGRAM": "Apple_Terminal"}
        assert probe_terminal(fd, fd, LIMIT_S, environment=environment).is_answering
    assert b"\x1b_G" not in b"".join(heard)


def test_a_pipe_is_not_asked() -> None:
    read, write = os.pipe()
    try:
        assert probe_terminal(read, write, environment=MODERN) == terminal_of(MODERN)
        os.set_blocking(read, False)
        with pytest.raises(BlockingIOError):
            os.read(read, 1)
    finally:
        os.close(read)
        os.close(write)


def test_answers_that_come_too_late_are_no_keys() -> None:
    late = KITTY.replace(b"\x1b[?1u", b"").decode()
    assert without_answers(f"a{late}b\x1b[A\x1b[12;40R") == "ab\x1b[A\x1b[12;40R"


@pytest.mark.parametrize(
    ("environment", "depth"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, ColorDepth.TRUECOLOR),
        ({"TERM": "xterm-256color", "COLORTERM": "24bit"}, ColorDepth.TRUECOLOR),
        ({"TERM": "xterm-256color"}, ColorDepth.EIGHT_BIT),
        ({"TERM": "xterm-kitty"}, ColorDepth.TRUECOLOR),
        ({"TERM": "xterm-direct"}, ColorDepth.TRUECOLOR),
        ({"TERM": "screen"}, ColorDepth.STANDARD),
        ({"TERM": "screen", "COLORTERM": "truecolor"}, ColorDepth.STANDARD),
        ({"TERM": "screen", "TMUX": "/tmp/tmux"}, ColorDepth.EIGHT_BIT),
        ({"TERM": "tmux-256color", "TMUX": "x", "COLORTERM": "truecolor"}, ColorDepth.TRUECOLOR),
        ({"TERM": "tmux-256color"}, ColorDepth.EIGHT_BIT),
        ({"TERM": "xterm"}, ColorDepth.STANDARD),
        ({"TERM": "linux"}, ColorDepth.STANDARD),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, ColorDepth.NONE),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, ColorDepth.NONE),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, ColorDepth.EIGHT_BIT),
        ({"TERM": "xterm", "TEXTUAL_COLOR_SYSTEM": "truecolor"}, ColorDepth.TRUECOLOR),
    ],
)
def test_colours_follow_the_environment(environment: dict[str, str], depth: ColorDepth) -> None:
    assert color_depth("auto", environment) is depth


@pytest.mark.parametrize("depth", list(ColorDepth))
def test_probe_prefers_what_is_asked_for(depth: ColorDepth) -> None:
    assert color_depth(depth.value, {"TERM": "dumb", "NO_COLOR": "1"}) is depth


def test_an_unknown_depth_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="pink"):
        color_depth("pink", {})


@pytest.mark.parametrize(
    ("terminal", "room", "mode"),
    [
        (Terminal(name="foot(1.20)"), (160, 72), GameMode.HALF_BLOCKS),
        (Terminal(name="foot(1.20)"), (80, 36), GameMode.OCTANTS),
        (Terminal(name="foot(1.20)", is_tmux=True), (80, 36), GameMode.QUADRANTS),
        (Terminal(term="xterm-256color"), (80, 36), GameMode.QUADRANTS),
        (Terminal(term="xterm", depth=ColorDepth.STANDARD), (80, 36), GameMode.QUADRANTS),
        (Terminal(name="VTE(7600)", depth=ColorDepth.EIGHT_BIT), (80, 36), GameMode.SEXTANTS),
        (Terminal(name="textual"), (80, 36), GameMode.QUADRANTS),
        (Terminal(name="XTerm(390)"), (80, 36), GameMode.QUADRANTS),
        (Terminal(has_kitty_graphics=True), (160, 72), GameMode.KITTY),
        (Terminal(depth=ColorDepth.NONE, has_kitty_graphics=True), (80, 36), GameMode.ASCII),
    ],
)
def test_the_best_mode_fits_the_terminal(
    terminal: Terminal, room: tuple[int, int], mode: GameMode
) -> None:
    assert terminal.best_mode(*room) is mode
    assert mode in terminal.modes
