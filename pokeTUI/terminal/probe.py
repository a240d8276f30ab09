"""Find out what the terminal can do: from the environment, and by asking it."""

import fcntl
import os
import re
import select
import struct
import sys
import termios
import time
import tty
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.errors import ConfigurationError
from engine.types import GAME_BOY_FRAME_SHAPE
from pokeTUI.draw.colors import ColorDepth
from pokeTUI.draw.encoders import GameMode, exact_size
from pokeTUI.draw.graphics import MAX_COLORS, SharedPictures

COLOR_OPTIONS = ("auto", *(depth.value for depth in ColorDepth))
TIMEOUT_S, SSH_TIMEOUT_S = 0.2, 1.0
"""How long to wait for a terminal's answer; one that is far away answers later."""

_GRAPHICS_QUERY = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
_MEMORY_QUERY = "\x1b_Gi=32,s=1,v=1,a=q,t=s,f=24;{name}\x1b\\"
_QUERIES = "\x1b[?u\x1b[16t\x1b[?1;1;0S\x1b[?2;4;0S\x1b[>q\x1b[c"
"""Kitty keys, size of a cell, colours and largest size of sixel pictures, name, and what every
terminal answers, so that the end is known: its features, of which 4 is sixel."""
_GRAPHICS_ANSWER = re.compile(rb"\x1b_Gi=31;OK\x1b\\")
_MEMORY_ANSWER = re.compile(rb"\x1b_Gi=32;OK\x1b\\")
_KEYS_ANSWER = re.compile(rb"\x1b\[\?\d+u")
_CELL_ANSWER = re.compile(rb"\x1b\[6;(\d{1,4});(\d{1,4})t")
_COLORS_ANSWER = re.compile(rb"\x1b\[\?1;0;(\d{1,9})S")
_SIZE_ANSWER = re.compile(rb"\x1b\[\?2;0;(\d{1,9});(\d{1,9})S")
_NAME_ANSWER = re.compile(rb"\x1bP>\|([ -~]{1,60})\x1b\\")
_LAST_ANSWER = re.compile(rb"\x1b\[\?([\d;]*)c")
_SIXEL = b"4"
_MAX_ANSWER = 65536
_LATE_ANSWER = re.compile(
    r"\x1b\[\?[\d;]*[cS]|\x1b_G[^\x1b]*\x1b\\|\x1bP>\|[^\x1b]*\x1b\\|\x1b\[6;\d+;\d+t"
)

_PLAIN_TERMINALS = ("linux", "dumb", "unknown", "vt52", "vt100", "vt102", "vt220", "")
"""TERM values of terminals that may print a question instead of answering it."""
_COLORLESS = re.compile(r"dumb|unknown|vt(?:52|100|102|220|320|420)(?:[+-].*)?|.+-m(?:ono)?")
"""TERM values of terminals with one colour, as terminfo names them."""
_TRUECOLOR = ("kitty", "ghostty", "alacritty", "foot", "wezterm", "contour", "direct")
_OCTANTS = ("kitty", "ghostty", "foot", "wezterm", "contour")
_SEXTANTS = (*_OCTANTS, "alacritty", "vte", "konsole", "iterm", "windows terminal")
"""Parts of the names of terminals that draw these glyphs themselves, whatever the font has."""
_INLINE_IMAGES = ("iterm", "wezterm", "mintty", "konsole")
"""Those of terminals that know iTerm2's pictures; there is no question for that."""
_LARGEST_PX = (4096, 4096)
"""Of a sixel picture; terminals that answer more, or 0, have no limit of their own."""
_SSH = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")


@dataclass(frozen=True, slots=True)
class Terminal:
    """What a terminal can do.

    Attributes:
        name: What it calls itself, "" if it does not say.
        is_tmux: Whether tmux or screen is between.
        is_answering: Whether it answered when it was asked; False if it was not asked.
        has_shared_memory: It reads Kitty's pictures from this machine's memory.
        has_kitty_keys: It reports when a key is released.
        sixel_colors: How many a sixel picture may have, 0 if it knows no sixel.
        sixel_size_px: How large one may be at most.
        cell_size_px: Width and height of a cell, None if it does not say.
    """

    name: str = ""
    term: str = ""
    depth: ColorDepth = ColorDepth.TRUECOLOR
    is_tmux: bool = False
    is_answering: bool = False
    has_kitty_graphics: bool = False
    has_shared_memory: bool = False
    has_kitty_keys: bool = False
    sixel_colors: int = 0
    sixel_size_px: tuple[int, int] = _LARGEST_PX
    cell_size_px: tuple[int, int] | None = None

    @property
    def modes(self) -> tuple[GameMode, ...]:
        """The ways to draw the game that make sense here."""
        left_out = set()
        if self.is_tmux:
            # An octant has no width in tmux 3.3: everything right of it would move.
            left_out.add(GameMode.OCTANTS)
        if self.depth is ColorDepth.NONE:
            left_out.add(GameMode.ASCII_COLOR)
        pictures = self._picture_modes
        return tuple(
            mode
            for mode in GameMode
            if mode not in left_out and (mode in pictures or not mode.is_picture)
        )

    @property
    def _picture_modes(self) -> tuple[GameMode, ...]:
        """The protocols for pictures that it knows, the one that costs least first."""
        known = {
            GameMode.KITTY: self.has_kitty_graphics,
            GameMode.ITERM: not self.is_tmux and _has_any(self.name.lower(), _INLINE_IMAGES),
            GameMode.SIXEL: self.sixel_colors > 0 and self.cell_size_px is not None,
        }
        has_colors = self.depth is not ColorDepth.NONE
        return tuple(mode for mode, is_known in known.items() if is_known and has_colors)

    def best_mode(
        self, columns: int, rows: int, shape: tuple[int, ...] = GAME_BOY_FRAME_SHAPE
    ) -> GameMode:
        """Return the mode that shows most of a frame of a shape in `columns` x `rows` cells."""
        return next(iter(self._picture_modes), self.best_cell_mode(columns, rows, shape))

    def best_cell_mode(self, columns: int, rows: int, shape: tuple[int, ...]) -> GameMode:
        """Return the same of the modes that draw in cells."""
        if self.depth is ColorDepth.NONE:
            return GameMode.ASCII
        exact = exact_size(shape)
        if columns >= exact[0] and rows >= exact[1]:
            return GameMode.HALF_BLOCKS
        known = f"{self.name} {self.term}".lower()
        if not self.is_tmux and _has_any(known, _OCTANTS):
            return GameMode.OCTANTS
        # Few fonts have sextants, nearly all have quadrants; behind tmux nobody knows who draws.
        is_known = not self.is_tmux and _has_any(known, _SEXTANTS)
        return GameMode.SEXTANTS if is_known else GameMode.QUADRANTS


def color_depth(option: str, environment: Mapping[str, str]) -> ColorDepth:
    """Return the colours to use.

    Args:
        option: One of COLOR_OPTIONS; anything but "auto" is obeyed.
        environment: NO_COLOR, TERM, COLORTERM, TMUX and TEXTUAL_COLOR_SYSTEM are looked at. ssh
            does not pass COLORTERM on, so the far end has 256 colours unless TERM says more.

    Raises:
        ConfigurationError: If there is no such option.
    """
    if option not in COLOR_OPTIONS:
        raise ConfigurationError(
            f"--color {option} is not valid.", f"Choose one of {', '.join(COLOR_OPTIONS)}."
        )
    if option != "auto":
        return ColorDepth(option)
    term = environment.get("TERM", "").lower()
    if environment.get("NO_COLOR") or _COLORLESS.fullmatch(term):
        return ColorDepth.NONE
    forced = {"standard": "16", "256": "256", "truecolor": "truecolor"}
    if (system := environment.get("TEXTUAL_COLOR_SYSTEM", "")) in forced:
        return ColorDepth(forced[system])
    is_screen = term.startswith("screen") and not environment.get("TMUX")
    if is_screen:  # GNU screen inherits COLORTERM but does not know such colours
        return ColorDepth.EIGHT_BIT if "256" in term else ColorDepth.STANDARD
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return ColorDepth.TRUECOLOR
    if _has_any(term, _TRUECOLOR):
        return ColorDepth.TRUECOLOR
    if "256" in term or environment.get("TMUX"):
        return ColorDepth.EIGHT_BIT
    return ColorDepth.STANDARD


def terminal_of(environment: Mapping[str, str], color: str = "auto") -> Terminal:
    """Return what the environment alone tells about the terminal."""
    term = environment.get("TERM", "")
    return Terminal(
        name=environment.get("TERM_PROGRAM", ""),
        term=term,
        depth=color_depth(color, environment),
        is_tmux=bool(environment.get("TMUX")) or term.startswith(("tmux", "screen")),
    )


def probe_terminal(
    fd_in: int,
    fd_out: int,
    timeout_s: float | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    color: str = "auto",
) -> Terminal:
    """Ask the terminal what it can do; call it before anything else reads from or draws on it.

    Every answer is read here, and whatever else is typed meanwhile is dropped, so that nothing is
    taken for keys later. A terminal that would print the question is not asked. Without `timeout_s`
    silence costs more over ssh than here.
    """
    environment = os.environ if environment is None else environment
    terminal = terminal_of(environment, color)
    is_plain = terminal.term.lower() in _PLAIN_TERMINALS
    if is_plain or not (os.isatty(fd_in) and os.isatty(fd_out)):
        return terminal
    is_far = any(environment.get(name) for name in _SSH)
    if timeout_s is None:
        timeout_s = SSH_TIMEOUT_S if is_far else TIMEOUT_S
    query, memory = _QUERIES, SharedPictures()
    if terminal.name != "Apple_Terminal":  # it prints the graphics query
        query = _GRAPHICS_QUERY + query
        if not is_far and (name := memory.write(bytes(3))):
            query = _MEMORY_QUERY.format(name=b64encode(name.encode()).decode()) + query
    try:
        answer = _ask(fd_in, fd_out, query, timeout_s)
    except (OSError, termios.error):
        return terminal
    finally:
        memory.clear()
    found = _understand(terminal, answer)
    return found if found.cell_size_px else replace(found, cell_size_px=_cell_size_px(fd_out))


def probe_own_terminal(color: str = "auto") -> Terminal:
    """Ask the terminal that Textual is going to use: it reads stdin and draws on stderr."""
    if sys.__stdin__ is None or sys.__stderr__ is None:
        return terminal_of(os.environ, color)
    return probe_terminal(sys.__stdin__.fileno(), sys.__stderr__.fileno(), color=color)


def own_cell_size_px() -> tuple[int, int] | None:
    """Return a cell's width and height as the system knows them, None if it does not."""
    return None if sys.__stderr__ is None else _cell_size_px(sys.__stderr__.fileno())


def without_answers(text: str) -> str:
    """Leave out of what arrives the answers that came too late, or they would count as keys."""
    return _LATE_ANSWER.sub("", text) if "\x1b" in text else text


def _cell_size_px(fd: int) -> tuple[int, int] | None:
    try:
        rows, columns, width, height = struct.unpack(
            "4H", fcntl.ioctl(fd, termios.TIOCGWINSZ, bytes(8))
        )
    except OSError:
        return None
    size = (width // columns, height // rows) if rows and columns else (0, 0)
    return size if all(size) else None


def _understand(terminal: Terminal, answer: bytes) -> Terminal:
    name, cell = _NAME_ANSWER.search(answer), _CELL_ANSWER.search(answer)
    size = (int(cell[2]), int(cell[1])) if cell else (0, 0)
    features, colors = _LAST_ANSWER.search(answer), _COLORS_ANSWER.search(answer)
    has_sixel = features is not None and _SIXEL in features[1].split(b";")[1:]
    largest = _SIZE_ANSWER.search(answer)
    sixel_colors = max(8, min(MAX_COLORS, int(colors[1]) if colors else MAX_COLORS))
    return replace(
        terminal,
        name=name[1].decode() if name else terminal.name,
        is_answering=features is not None,
        is_tmux=terminal.is_tmux or bool(name and name[1].startswith(b"tmux")),
        has_kitty_graphics=_GRAPHICS_ANSWER.search(answer) is not None,
        has_shared_memory=_MEMORY_ANSWER.search(answer) is not None,
        sixel_colors=sixel_colors if has_sixel else 0,
        sixel_size_px=(_at_most(largest[1]), _at_most(largest[2])) if largest else _LARGEST_PX,
        has_kitty_keys=_KEYS_ANSWER.search(answer) is not None,
        cell_size_px=size if all(size) else None,
    )


def _at_most(pixels: bytes) -> int:
    return min(int(pixels) or _LARGEST_PX[0], _LARGEST_PX[0])


def _ask(fd_in: int, fd_out: int, query: str, timeout_s: float) -> bytes:
    """Return what arrives until the last answer, on the other screen so that nothing remains."""
    before = termios.tcgetattr(fd_in)
    try:
        tty.setcbreak(fd_in, termios.TCSANOW)
        os.write(fd_out, f"\x1b[?1049h{query}\x1b[?1049l".encode())
        return _read_answers(fd_in, timeout_s)
    finally:
        # TCSAFLUSH drops what has arrived since.
        termios.tcsetattr(fd_in, termios.TCSAFLUSH, before)


def _read_answers(fd_in: int, timeout_s: float) -> bytes:
    end = time.monotonic() + timeout_s
    answer = b""
    while len(answer) < _MAX_ANSWER and not _LAST_ANSWER.search(answer):
        left = end - time.monotonic()
        if left <= 0 or not select.select([fd_in], [], [], left)[0]:
            break
        part = os.read(fd_in, 4096)
        if not part:
            break
        answer += part
    return answer


def _has_any(text: str, parts: tuple[str, ...]) -> bool:
    return any(part in text for part in parts)
