"""Decide where everything goes at a terminal size: a pure function, so that it can be tested."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from textual.geometry import Region

from pokeTUI.rendering.encoders import FRAME_COLUMNS, FRAME_ROWS, fit

MIN_COLUMNS, MIN_ROWS = 80, 24
_EXACT = (FRAME_COLUMNS, FRAME_ROWS // 2)
_TEXT_ROWS = 2
"""The game's text, decoded, below a picture that is too coarse to read it."""
_BORDER = 2


@dataclass(frozen=True, slots=True)
class PaneInfo:
    """A pane besides the game.

    Attributes:
        tab: Its name where there is little room.
    """

    key: str
    title: str
    tab: str


PANES: tuple[PaneInfo, ...] = (
    PaneInfo("party", "Party and place", "Party"),
    PaneInfo("rewards", "Rewards", "Reward"),
    PaneInfo("reasoning", "Reasoning", "Why"),
    PaneInfo("curriculum", "Curriculum", "Stage"),
    PaneInfo("learning", "Learning curve", "Curve"),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Where things go; what is not in `regions` is not shown.

    Attributes:
        name: too-small, compact, medium or large.
        text_rows: Rows of decoded text below the game's picture.
    """

    name: str
    regions: Mapping[str, Region] = field(default_factory=dict)
    text_rows: int = 0

    @property
    def has_tabs(self) -> bool:
        """Tell whether the panes share one place."""
        return "tabs" in self.regions


def make_plan(columns: int, rows: int, active: str = PANES[0].key) -> Plan:
    """Lay the screen out for a terminal of `columns` x `rows`.

    Args:
        columns: Width.
        rows: Height.
        active: The pane that is shown where they share one place.
    """
    if columns < MIN_COLUMNS or rows < MIN_ROWS:
        return Plan("too-small", {"too_small": Region(0, 0, columns, rows)})
    if columns >= 160 and rows >= 44:
        name, panes, text_rows = _large(columns, rows - 2)
    elif columns >= 116 and rows >= 38:
        name, panes, text_rows = _medium(columns, rows - 2)
    else:
        name, panes, text_rows = _compact(columns, rows - 2, active)
    regions = {key: region.translate((0, 1)) for key, region in panes.items()}
    regions["status"] = Region(0, 0, columns, 1)
    regions["keys"] = Region(0, rows - 1, columns, 1)
    return Plan(name, regions, text_rows)


def _compact(columns: int, rows: int, active: str) -> tuple[str, dict[str, Region], int]:
    """Put the game left and one pane at a time beside it."""
    picture, _ = fit(columns - 40, rows - _BORDER - _TEXT_ROWS)
    game = picture + _BORDER
    return (
        "compact",
        {
            "game": Region(0, 0, game, rows),
            "tabs": Region(game, 0, columns - game, 1),
            active: Region(game, 1, columns - game, rows - 1),
        },
        _TEXT_ROWS,
    )


def _medium(columns: int, rows: int) -> tuple[str, dict[str, Region], int]:
    """Put the game left with the reasoning below it, all else in a column on the right."""
    left = columns * 52 // 100
    _, picture = fit(left - _BORDER, rows - _BORDER - _TEXT_ROWS - 8)
    game = picture + _BORDER + _TEXT_ROWS
    right = Region(left, 0, columns - left, rows)
    regions = {
        "game": Region(0, 0, left, game),
        "reasoning": Region(0, game, left, rows - game),
        **_stack(right, {"party": 10, "rewards": 14, "curriculum": 6, "learning": 8}),
    }
    return "medium", regions, _TEXT_ROWS


def _large(columns: int, rows: int) -> tuple[str, dict[str, Region], int]:
    """Put the game left in full height, all else in one or two columns on the right."""
    side = 76 if rows >= 54 else 108
    picture, _ = fit(columns - side - _BORDER, rows - _BORDER - _TEXT_ROWS)
    text_rows = _TEXT_ROWS
    if columns >= _EXACT[0] + _BORDER + 76 and rows >= _EXACT[1] + _BORDER:
        picture, text_rows = _EXACT[0], min(_TEXT_ROWS, rows - _EXACT[1] - _BORDER)
    game = picture + _BORDER
    right = Region(game, 0, columns - game, rows)
    if right.width >= 108:
        half = right.width // 2
        one = Region(game, 0, half, rows)
        two = Region(game + half, 0, right.width - half, rows)
        panes = _stack(one, {"party": 15, "rewards": 16, "curriculum": 8}) | _stack(
            two, {"learning": 18, "reasoning": 20}
        )
    else:
        panes = _stack(
            right, {"party": 15, "rewards": 16, "curriculum": 7, "learning": 9, "reasoning": 8}
        )
    return "large", {"game": Region(0, 0, game, rows), **panes}, text_rows


def _stack(area: Region, heights: dict[str, int]) -> dict[str, Region]:
    """Stack panes over each other; rows to spare go to those that can use them."""
    appetite = {"party": 1, "rewards": 2, "curriculum": 0, "learning": 3, "reasoning": 4}
    spare = max(0, area.height - sum(heights.values()))
    hunger = sum(appetite[key] for key in heights)
    grown = {key: rows + spare * appetite[key] // hunger for key, rows in heights.items()}
    last = list(heights)[-1]
    grown[last] += area.height - sum(grown.values())
    regions, y = {}, area.y
    for key, height in grown.items():
        regions[key] = Region(area.x, y, area.width, height)
        y += height
    return regions
