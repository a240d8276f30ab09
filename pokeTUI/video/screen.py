"""Read what the application shows: a grid of cells, each a character with a look."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rich.cells import cell_len
from rich.color import Color
from rich.style import Style
from textual.app import App

Rgb = tuple[int, int, int]

_DIM = 0.5


@dataclass(frozen=True, slots=True)
class Look:
    """How a character is written."""

    color: Rgb
    ground: Rgb
    is_bold: bool = False
    is_italic: bool = False
    is_underlined: bool = False
    is_struck: bool = False


Cell = tuple[str, Look]


@dataclass(frozen=True, slots=True)
class Screen:
    """What is shown at one moment.

    Attributes:
        rows: Of equal length.
        ground: The colour of most cells' ground.
    """

    rows: tuple[tuple[Cell, ...], ...]
    ground: Rgb

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return len(self.rows[0]), len(self.rows)


def read_screen(app: App[Any]) -> Screen:
    """Return what `app` shows now: the cells that `App.export_screenshot` draws too."""
    columns, rows = app.size
    update: Any = app.screen._compositor.render_update(
        full=True, screen_stack=app._background_screens, simplify=True
    )
    ground = app.screen.styles.background.rgb
    default = Look((200, 200, 200), ground)
    grid: list[tuple[Cell, ...]] = []
    for strips in update.strips:
        cells: list[Cell] = []
        for segment in (segment for strip in strips for segment in strip):
            if segment.control:
                continue
            look = _look(segment.style, default) if segment.style else default
            for character in segment.text:
                # What is wide takes two cells, what has no width none.
                cells += [(character, look), (" ", look)][: cell_len(character)]
        cells += [(" ", default)] * (columns - len(cells))
        grid.append(tuple(cells[:columns]))
    empty = ((" ", default),) * columns  # before the first layout there is nothing
    return Screen(tuple((grid + [empty] * rows)[:rows]), ground)


@lru_cache(maxsize=4096)
def _look(style: Style, default: Look) -> Look:
    color = _rgb(style.color, default.color)
    ground = _rgb(style.bgcolor, default.ground)
    if style.reverse:
        color, ground = ground, color
    if style.dim:
        color = mix(ground, color, _DIM)
    return Look(
        color,
        ground,
        bool(style.bold),
        bool(style.italic),
        bool(style.underline),
        bool(style.strike),
    )


def _rgb(color: Color | None, default: Rgb) -> Rgb:
    if color is None or color.is_default:
        return default
    red, green, blue = color.get_truecolor()
    return red, green, blue


def mix(ground: Rgb, color: Rgb, share: float) -> Rgb:
    """Return `ground` with `share` of it covered by `color`."""
    red, green, blue = (
        round(low + (high - low) * share) for low, high in zip(ground, color, strict=True)
    )
    return red, green, blue
