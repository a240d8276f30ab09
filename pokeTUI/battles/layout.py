"""Decide where the parts of the battle screen go: a pure function of the terminal's size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual.geometry import Region

from pokeTUI.draw.layout import MIN_COLUMNS, MIN_ROWS

FIELD, LOG, POLICY, SHEETS, RATES, WORKERS, CHOOSE = (
    "field",
    "log",
    "policy",
    "sheets",
    "rates",
    "workers",
    "choose",
)
VIEWS = (LOG, POLICY, SHEETS, RATES, WORKERS)
"""The views that share a place where there is little room; their keys are 1 to 5."""
MEDIUM, WIDE = (110, 34), (170, 45)
"""Columns and rows from which two and three columns fit."""
_FIELD_ROWS, _MOST_FIELD_ROWS, _SHEETS_ROWS = 12, 24, 25
_POLICY_ROWS, _RATES_ROWS, _WORKERS_ROWS = 11, 16, 7
_CHOOSE_ROWS, _SELECT_ROWS = 10, 13
"""Of a choice in battle, and of one at team preview: without borders, as the field's."""
_BORDERS = 2


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be seen.

    Attributes:
        front: The view that is seen of those in one place.
        views: Those that have something to show, of `VIEWS`.
        is_preview: The team sheets stand in the field's place.
    """

    front: str = LOG
    views: tuple[str, ...] = VIEWS
    is_choosing: bool = False
    is_preview: bool = False

    @property
    def upper(self) -> str:
        """What stands on top."""
        return SHEETS if self.is_preview else FIELD

    @property
    def choose_rows(self) -> int:
        """How many rows the choice needs."""
        return _SELECT_ROWS if self.is_preview else _CHOOSE_ROWS

    def front_of(self, tabs: Sequence[str]) -> str:
        """Return which of the views in one place is seen."""
        usual = (self.front, CHOOSE, self.upper, *tabs)
        return next(key for key in usual if key in tabs)


@dataclass(frozen=True, slots=True)
class BattlePlan:
    """Where everything is.

    Attributes:
        tabs: Views that share a place, () where all have their own.
        is_small: Without borders.
    """

    regions: Mapping[str, Region]
    tabs: tuple[str, ...]
    is_small: bool = False


def make_plan(width: int, height: int, wanted: Wanted) -> BattlePlan:
    """Return the plan for a terminal."""
    if width < MIN_COLUMNS or height < MIN_ROWS:
        return BattlePlan({"too_small": Region(0, 0, width, height)}, (), is_small=True)
    frame = {
        "head": Region(0, 0, width, 1),
        "turns": Region(0, height - 2, width, 1),
        "battle_keys": Region(0, height - 1, width, 1),
    }
    body = Region(0, 1, width, height - 3)
    is_small = width < MEDIUM[0] or height < MEDIUM[1]
    is_wide = width >= WIDE[0] and height >= WIDE[1]
    arrange = _small if is_small else _wide if is_wide else _medium
    regions, tabs = arrange(body, wanted)
    return BattlePlan({**frame, **regions}, tabs, is_small)


def _small(body: Region, wanted: Wanted) -> tuple[dict[str, Region], tuple[str, ...]]:
    tabs = (CHOOSE,) * wanted.is_choosing + wanted.views
    front = wanted.front_of(tabs)
    if front == SHEETS:  # without the field: they need the room, and say more
        bar, sheets = body.split_horizontal(1)
        return {"views": bar, SHEETS: sheets}, tabs
    lower = wanted.choose_rows if wanted.is_choosing else 8
    least = 7 if wanted.is_preview and front == CHOOSE else _FIELD_ROWS
    rows = max(least, min(body.height - 1 - lower, _MOST_FIELD_ROWS))
    upper, rest = body.split_horizontal(rows)
    bar, view = rest.split_horizontal(1)
    return {wanted.upper: upper, "views": bar, front: view}, tabs


def _medium(body: Region, wanted: Wanted) -> tuple[dict[str, Region], tuple[str, ...]]:
    others = _others(wanted)
    if not others:
        return _main(body, wanted), ()
    left, right = body.split_vertical(body.width * 58 // 100)
    log, rest = right.split_horizontal(max(8, right.height - _SHEETS_ROWS))
    regions = {**_main(left, wanted), LOG: log}
    if len(others) < 2:
        return {**regions, others[0]: rest}, ()
    bar, view = rest.split_horizontal(1)
    return {**regions, "views": bar, wanted.front_of(others): view}, others


def _wide(body: Region, wanted: Wanted) -> tuple[dict[str, Region], tuple[str, ...]]:
    others = _others(wanted)
    if not others:
        return _main(body, wanted), ()
    left, rest = body.split_vertical(body.width * 44 // 100)
    middle, right = rest.split_vertical(rest.width // 2)
    rows = {RATES: _RATES_ROWS, WORKERS: _WORKERS_ROWS}
    below = {key: rows[key] for key in others[1:]}
    return {**_main(left, wanted), LOG: middle, **_stacked(right, others[0], 99, below)}, ()


def _others(wanted: Wanted) -> tuple[str, ...]:
    """Return what stands beside; at team preview the sheets do not, and nothing is logged yet."""
    elsewhere = (LOG, POLICY, wanted.upper)
    return tuple(key for key in wanted.views if key not in elsewhere)


def _main(region: Region, wanted: Wanted) -> dict[str, Region]:
    """Return the field, or the sheets at team preview, and below it what one decides by."""
    below = {CHOOSE: wanted.choose_rows + _BORDERS} if wanted.is_choosing else {}
    if POLICY in wanted.views and (not below or region.height >= 50):
        below[POLICY] = _POLICY_ROWS
    most = 99 if wanted.is_preview else _MOST_FIELD_ROWS
    return _stacked(region, wanted.upper, most, below)


def _stacked(region: Region, first: str, most: int, below: Mapping[str, int]) -> dict[str, Region]:
    """Return a part of at most so many rows, and those below it; the last one has the rest."""
    rows = region.height - sum(below.values())
    regions = {}
    for key, height in {first: min(rows, most), **below}.items():
        regions[key], region = region.split_horizontal(height)
    regions[key] = regions[key].grow((0, 0, region.height, 0))
    return regions
