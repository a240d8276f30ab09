"""Understand as much of a terminal's language as the cockpit speaks, to see what it shows."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pokeTUI.draw.encoders import FrameStrip

_TOKEN = re.compile(
    r"\x1b\[(?P<private>[?><=]?)(?P<codes>[\d;:]*)[ $]*(?P<final>[@-~])"
    r"|\x1b[_P\]](?P<string>.*?)(?:\x1b\\|\x07)"
    r"|\x1b(?P<short>[78=>c])"
    r"|(?P<control>[\r\n\x08])"
    r"|(?P<text>[^\x1b\x00-\x1f])",
    re.DOTALL,
)


@dataclass(slots=True)
class Cell:
    """A character and its colours as SGR parameters, "" for the terminal's own."""

    glyph: str = " "
    fore: str = ""
    back: str = ""

    @property
    def rgb(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Foreground and background of truecolor parameters."""
        fore, back = (
            tuple(int(part) for part in code.split(";")[2:]) for code in (self.fore, self.back)
        )
        return fore, back


@dataclass
class TinyTerminal:
    """A screen that text is fed to; every other thing it knows it leaves out.

    Attributes:
        strings: What came as APC, DCS or OSC.
        questions: Position reports that were asked for and not taken yet.
        identities: How often it was asked what it is, and that was not taken yet.
    """

    columns: int
    rows: int
    strings: list[str] = field(default_factory=list)
    questions: int = 0
    identities: int = 0

    def __post_init__(self) -> None:
        self.cells = [[Cell() for _ in range(self.columns)] for _ in range(self.rows)]
        self._x = self._y = 0
        self._fore = self._back = ""
        self._rest = ""

    def feed(self, text: str) -> None:
        """Draw `text`; a sequence that is cut off waits for its rest."""
        text, position = self._rest + text, 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is not None:
                self._apply(match)
                position = match.end()
            elif text[position] == "\x1b":
                break
            else:
                position += 1
        self._rest = text[position:]

    def draw(self, strips: Sequence[FrameStrip], rows: Iterable[int] | None = None) -> None:
        """Draw rows of a frame, all unless some are named, each in its place."""
        for row in range(len(strips)) if rows is None else rows:
            self.feed(f"\x1b[{row + 1};1H{strips[row].ansi}")

    @property
    def text(self) -> str:
        """All rows."""
        return "\n".join("".join(cell.glyph for cell in row) for row in self.cells)

    @property
    def position(self) -> str:
        """The report of where the cursor is."""
        return f"\x1b[{self._y + 1};{self._x + 1}R"

    def _apply(self, match: re.Match[str]) -> None:
        if match["text"]:
            self._put(match["text"])
        elif match["string"] is not None:
            self.strings.append(match["string"])
        elif match["control"]:
            self._x = 0 if match["control"] == "\r" else self._x
            self._y += match["control"] == "\n"
        elif match["final"] and not match["private"]:
            self._control(match["final"], match["codes"])

    def _put(self, glyph: str) -> None:
        if self._x < self.columns and self._y < self.rows:
            self.cells[self._y][self._x] = Cell(glyph, self._fore, self._back)
        self._x += 1

    def _control(self, final: str, codes: str) -> None:
        if final == "m":
            self._colors(codes.split(";"))
        elif final == "H":
            row, _, column = codes.partition(";")
            self._y, self._x = int(row or 1) - 1, int(column or 1) - 1
        elif final == "C":
            self._x += int(codes or 1)
        elif final == "n" and codes == "6":
            self.questions += 1
        elif final == "c":
            self.identities += 1

    def _colors(self, codes: list[str]) -> None:
        while codes:
            code = codes.pop(0)
            if code in ("38", "48"):
                size = {"2": 4, "5": 2}[codes[0]]
                code, codes = ";".join([code, *codes[:size]]), codes[size:]
            if code in ("0", ""):
                self._fore = self._back = ""
            elif code == "39":
                self._fore = ""
            elif code == "49":
                self._back = ""
            elif code.startswith("38;") or (code[0] in "39" and len(code) == 2):
                self._fore = code
            elif code.startswith("48;") or code[0] == "4" or (code[:2] == "10" and len(code) == 3):
                self._back = code if len(code) > 1 else self._back
