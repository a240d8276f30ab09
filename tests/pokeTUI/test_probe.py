"""Ask scripted terminals behind real pseudo-terminals."""

import fcntl
import os
import pty
import re
import struct
import termios
import threading
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.errors import ConfigurationError
from pokeTUI.draw.colors import ColorDepth
from pokeTUI.draw.encoders import GameMode
from pokeTUI.terminal.probe import (
    Terminal,
    color_depth,
    probe_terminal,
    terminal_of,
    without_answers,
)
from tests.engine.processes import wait_until
from tests.pokeTUI.pane_app import Size

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
        sixel_colors=256,
        cell_size_px=(10, 20),
    )


@pytest.mark.parametrize(
    ("answer", "colors"),
    [
        (b"\x1b[?62;4;22c", 256),
        (b"\x1b[?1;2;4c", 256),
        (b"\x1b[?1;0;16S\x1b[?63;4c", 16),
        (b"\x1b[?1;0;2S\x1b[?63;4c", 8),
        (b"\x1b[?1;0;65536S\x1b[?63;4c", 256),
        (b"\x1b[?1;3;0S\x1b[?63;4c", 256),
        (b"\x1b[?4c", 0),
        (b"\x1b[?62;14;44c", 0),
    ],
)
def test_sixel_is_the_fourth_feature(answer: bytes, colors: int) -> None:
    assert probe(answer).sixel_colors == colors


def test_a_terminal_says_how_large_sixel_pictures_may_be() -> None:
    found = probe(b"\x1b[?1;0;1024S\x1b[?2;0;1000;800S\x1b[?63;4c")
    assert (found.sixel_colors, found.sixel_size_px) == (256, (1000, 800))
    for answer in (b"\x1b[?1;3;0S", b"\x1b[?2;0;0;0S", b"\x1b[?2;0;99999999;9999999S"):
        assert probe(answer + b"\x1b[?63;4c").sixel_size_px == (4096, 4096)


def test_cells_are_measured_by_the_window_where_the_terminal_does_not_say() -> None:
    with scripted(LAST) as (fd, _):
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 800, 384))
        found = probe_terminal(fd, fd, LIMIT_S, environment=MODERN)
    assert found.cell_size_px == (10, 16)
    assert found.best_mode(80, 36) is GameMode.SIXEL


MEMORY = re.compile(rb"a=q,t=s,f=24;([A-Za-z0-9+/=]+)\x1b")


def test_shared_memory_is_asked_for_on_this_machine_alone_and_removed() -> None:
    with scripted(b"\x1b_Gi=32;OK\x1b\\" + KITTY) as (fd, heard):
        assert probe_terminal(fd, fd, LIMIT_S, environment=MODERN).has_shared_memory
        asked = MEMORY.search(b"".join(heard))
    assert not Path("/dev/shm", b64decode(asked[1]).decode().lstrip("/")).exists()
    for variable in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"):
        with scripted(KITTY) as (fd, heard):
            probe_terminal(fd, fd, LIMIT_S, environment=MODERN | {variable: "x"})
            assert MEMORY.search(b"".join(heard)) is None
    assert not probe(b"\x1b_Gi=32;EBADF:no such\x1b\\" + KITTY).has_shared_memory


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
    late = "\x1b[?1;0;256S\x1b[?2;0;1000;1000S" + KITTY.replace(b"\x1b[?1u", b"").decode()
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
        ({"TERM": "xterm-mono"}, ColorDepth.NONE),
        ({"TERM": "vt320"}, ColorDepth.NONE),
        ({"TERM": "vt525"}, ColorDepth.STANDARD),
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
        (Terminal(name="WezTerm 2024"), (80, 36), GameMode.ITERM),
        (Terminal(name="WezTerm 2024", is_tmux=True), (80, 36), GameMode.QUADRANTS),
        (Terminal(name="iTerm2 3.5", has_kitty_graphics=True), (80, 36), GameMode.KITTY),
        (Terminal(sixel_colors=16, cell_size_px=(8, 16)), (160, 72), GameMode.SIXEL),
        (Terminal(sixel_colors=16), (80, 36), GameMode.QUADRANTS),
        (Terminal(depth=ColorDepth.NONE, has_kitty_graphics=True), (80, 36), GameMode.ASCII),
    ],
)
def test_the_best_mode_fits_the_terminal(terminal: Terminal, room: Size, mode: GameMode) -> None:
    assert terminal.best_mode(*room) is mode
    assert mode in terminal.modes
