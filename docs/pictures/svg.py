"""Write a screen as an SVG file that is small, asks no other host and needs no font for shapes.

A cell is 12 by 24 units. Equal neighbours are one rectangle; all rectangles of a colour and height
are one path, each a stroke as wide as they are high, which takes the fewest characters.
"""

from collections import defaultdict
from html import escape

from pokeTUI.draw.raster import (
    ACROSS,
    DOWN,
    Box,
    Boxes,
    Cell,
    Dots,
    Lines,
    Look,
    Rgb,
    Screen,
    mix,
    shape_of,
)

WIDTH, HEIGHT = 12, 24
_MARGIN, _TITLE = 16, 40
_BASELINE = 18
_THIN, _THICK, _DOT = 1.5, 3.0, 3.2
_X, _Y = 4, 4
"""Paths are in so many eighths and 24ths of a cell: for the game's sextants, in whole numbers."""
_FONTS = (
    "'DejaVu Sans Mono',Menlo,Consolas,'Cascadia Mono','Liberation Mono','Noto Sans Mono',"
    "'Courier New',monospace"
)

_Area = tuple[int, int, int, int]
"""Left, top, right and bottom on the whole screen, in eighths and 24ths of cells."""


def to_svg(screen: Screen, title: str) -> str:
    """Return `screen` in a window called `title`."""
    columns, rows = screen.size
    width, height = columns * WIDTH + 2 * _MARGIN, rows * HEIGHT + _TITLE + _MARGIN
    frame = hex_of(mix(screen.ground, (128, 128, 128), 0.5))
    middle = _TITLE // 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">',
        f"<title>{escape(title)}</title>",
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="10" '
        f'fill="{hex_of(screen.ground)}" stroke="{frame}"/>',
        '<g fill="#8a8a8a">',
        *(f'<circle cx="{24 + 22 * index}" cy="{middle}" r="7"/>' for index in range(3)),
        f'<text x="{width // 2}" y="{middle + 6}" text-anchor="middle" font-size="18" '
        f'font-family="{_FONTS}">{escape(title)}</text></g>',
        f'<g transform="translate({_MARGIN} {_TITLE})" fill="none" font-family="{_FONTS}" '
        'font-size="20">',
        *_filled(screen),
        *_lined(screen),
        *_written(screen),
        "</g></svg>",
    ]
    return "\n".join(parts) + "\n"


def hex_of(color: Rgb) -> str:
    """Return a colour as SVG writes it, in the short way where there is one."""
    text = "".join(f"{part:02x}" for part in color)
    return f"#{text[::2]}" if text[::2] == text[1::2] else f"#{text}"


def _place(cells: tuple[Cell, ...]) -> list[tuple[int, Cell]]:
    return list(enumerate(cells))


def _filled(screen: Screen) -> list[str]:
    """Return the paths of all that is filled: grounds and blocks."""
    areas: dict[Rgb, list[_Area]] = defaultdict(list)
    for y, row in enumerate(screen.rows):
        for x, (character, look) in _place(row):
            shape = shape_of(character)
            boxes = shape.boxes if isinstance(shape, Boxes) else ()
            share = shape.share if isinstance(shape, Boxes) else 1.0
            color = mix(look.ground, look.color, share)
            for box in boxes:
                areas[color].append(_shift(box, x, y))
            if look.ground != screen.ground:
                for box in _rest(boxes):
                    areas[look.ground].append(_shift(box, x, y))
    areas.pop(screen.ground, None)
    heights: dict[int, dict[Rgb, list[_Area]]] = defaultdict(lambda: defaultdict(list))
    for color, some in areas.items():
        for area in _merged(some):
            heights[area[3] - area[1]][color].append(area)
    across, down = WIDTH * _X // ACROSS, HEIGHT * _Y // DOWN
    parts = [f'<g shape-rendering="crispEdges" transform="scale({across} {down})">']
    for height, colors in sorted(heights.items()):
        paths = (
            f'<path stroke="{hex_of(color)}" d="{_strokes(ones)}"/>'
            for color, ones in colors.items()
        )
        parts.append(f'<g stroke-width="{_number(height / _Y)}">{"".join(paths)}</g>')
    return [*parts, "</g>"]


def _shift(box: Box, x: int, y: int) -> _Area:
    left, top, right, bottom = box
    return left + x * ACROSS, top + y * DOWN, right + x * ACROSS, bottom + y * DOWN


def _rest(boxes: tuple[Box, ...]) -> list[Box]:
    """Return what a cell's boxes, which lie in rows, leave of it."""
    rest: list[Box] = []
    below = 0
    for left, top, right, bottom in sorted(boxes, key=lambda box: box[1]):
        if top > below:
            rest.append((0, below, ACROSS, top))
        if left > 0:
            rest.append((0, top, left, bottom))
        if right < ACROSS:
            rest.append((right, top, ACROSS, bottom))
        below = bottom
    if below < DOWN:
        rest.append((0, below, ACROSS, DOWN))
    return rest


def _merged(areas: list[_Area]) -> list[_Area]:
    """Join areas of one colour that lie side by side, then those on top of each other."""
    beside: list[_Area] = []
    for left, top, right, bottom in sorted(areas, key=lambda one: (one[1], one[3], one[0])):
        if beside and beside[-1][1:] == (top, left, bottom):
            left, *_ = beside.pop()
        beside.append((left, top, right, bottom))
    above: list[_Area] = []
    for left, top, right, bottom in sorted(beside, key=lambda one: (one[0], one[2], one[1])):
        if above and (above[-1][0], above[-1][2], above[-1][3]) == (left, right, top):
            _, top, _, _ = above.pop()
        above.append((left, top, right, bottom))
    return sorted(above, key=lambda one: (one[1], one[0]))


def _strokes(areas: list[_Area]) -> str:
    """Return horizontal strokes through the middle of areas of one height."""
    text, x, y = "", 0.0, 0.0
    for left, top, right, bottom in areas:
        at_x, at_y, to_x = left / _X, (top + bottom) / 2 / _Y, right / _X
        text += f"{'m' if text else 'M'}{_pair(at_x - x, at_y - y)}h{_number(to_x - at_x)}"
        x, y = to_x, at_y
    return text


def _pair(x: float, y: float) -> str:
    second = _number(y)
    return f"{_number(x)}{'' if second.startswith('-') else ' '}{second}"


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _lined(screen: Screen) -> list[str]:
    """Return the paths of all lines and dots."""
    lines: dict[tuple[Rgb, float], list[str]] = defaultdict(list)
    dots: dict[Rgb, list[str]] = defaultdict(list)
    for y, row in enumerate(screen.rows):
        x = 0
        while x < len(row):
            character, look = row[x]
            shape = shape_of(character)
            length = 1
            if isinstance(shape, Lines):
                while x + length < len(row) and row[x + length] == row[x] and character == "─":
                    length += 1
                width = _THICK if max(shape.arms) > 1 else _THIN
                lines[look.color, width].append(_line(shape, x, y, length))
            elif isinstance(shape, Dots):
                dots[look.color] += (
                    f"M{_pair(x * WIDTH + 3 + 6 * column, y * HEIGHT + 3 + 6 * level)}h0"
                    for column, level in shape.dots
                )
            x += length
    return [
        *(
            f'<path stroke="{hex_of(color)}" stroke-width="{width}" d="{"".join(parts)}"/>'
            for (color, width), parts in lines.items()
        ),
        *(
            f'<path stroke="{hex_of(color)}" stroke-width="{_DOT}" stroke-linecap="round" '
            f'd="{"".join(parts)}"/>'
            for color, parts in dots.items()
        ),
    ]


def _line(shape: Lines, x: int, y: int, length: int) -> str:
    """Return the lines of a cell, or of `length` equal ones side by side."""
    left, top = x * WIDTH, y * HEIGHT
    middle, centre = left + WIDTH // 2, top + HEIGHT // 2
    right, bottom = left + WIDTH * length, top + HEIGHT
    up, to_right, down, to_left = shape.arms
    if shape.is_arc:
        start_y = bottom if down else top
        end_x = right if to_right else left
        return f"M{middle} {start_y}Q{middle} {centre} {end_x} {centre}"
    text = ""
    if up or down:
        text += _dashed(shape.dashes, top if up else centre, bottom if down else centre, middle, 1)
    if to_left or to_right:
        start = left if to_left else middle
        text += _dashed(shape.dashes, start, right if to_right else middle, centre, 0)
    return text


def _dashed(dashes: int, start: int, end: int, across: int, is_down: int) -> str:
    count = dashes or 1
    step = (end - start) / count
    length = step * 0.6 if dashes else step
    text = ""
    for index in range(count):
        at = start + index * step + (step - length) / 2
        place = _pair(across, at) if is_down else _pair(at, across)
        text += f"M{place}{'v' if is_down else 'h'}{_number(length)}"
    return text


def _written(screen: Screen) -> list[str]:
    """Return all words; each has its place and its length, whatever the font."""
    words: dict[Look, list[str]] = defaultdict(list)
    for y, row in enumerate(screen.rows):
        baseline = y * HEIGHT + _BASELINE
        for x, text, look in _words(row):
            plain = Look(
                look.color, (0, 0, 0), look.is_bold, look.is_italic, look.is_underlined,
                look.is_struck,
            )  # fmt: skip
            if text.isascii() and len(text) > 1:
                at = f'x="{x * WIDTH}" y="{baseline}" textLength="{len(text) * WIDTH}"'
            else:  # a sign may come from any font: it stands in the middle of its cell
                middle = x * WIDTH + WIDTH // 2
                at = f'x="{middle}" y="{baseline}" text-anchor="middle"'
            words[plain].append(f"<text {at}>{escape(text, quote=False)}</text>")
    return [f"<g {_attributes(look)}>{''.join(some)}</g>" for look, some in words.items()]


def _words(row: tuple[Cell, ...]) -> list[tuple[int, str, Look]]:
    """Return the row's words with their columns; one space within is part of them."""
    found: list[tuple[int, str, Look]] = []
    for x, (character, look) in _place(row):
        if character == " " or shape_of(character) is not None:
            continue
        if found and character.isascii():
            start, text, before = found[-1]
            gap = x - start - len(text)
            is_joined = before == look and text.isascii() and gap in (0, 1)
            if is_joined and (not gap or row[x - 1] == (" ", look)):
                found[-1] = start, text + " " * gap + character, look
                continue
        found.append((x, character, look))
    return found


def _attributes(look: Look) -> str:
    text = f'fill="{hex_of(look.color)}"'
    if look.is_bold:
        text += ' font-weight="bold"'
    if look.is_italic:
        text += ' font-style="italic"'
    if look.is_underlined or look.is_struck:
        names = ("underline", look.is_underlined), ("line-through", look.is_struck)
        text += f' text-decoration="{" ".join(name for name, is_on in names if is_on)}"'
    return text
