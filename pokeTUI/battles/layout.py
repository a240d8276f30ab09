"""Decide where the parts of the battle screen go: a pure function of the terminal's size."""

from collections.abc import Mapping
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
MEDIUM, WIDE = (110, 32), (170, 45)
"""Columns and rows from which two and three columns fit."""
_FIELD_ROWS = 12
_CHOOSE_ROWS = 11


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


def make_plan(width: int, height: int, front: str, *, is_choosing: bool = False) -> BattlePlan:
    """Return the plan for a terminal; `front` is the view that is seen of those in one place."""
    if width < MIN_COLUMNS or height < MIN_ROWS:
        return BattlePlan({"too_small": Region(0, 0, width, height)}, (), is_small=True)
    frame = {
        "head": Region(0, 0, width, 1),
        "turns": Region(0, height - 2, width, 1),
        "battle_keys": Region(0, height - 1, width, 1),
    }
    body = Region(0, 1, width, height - 3)
    if (width, height) >= WIDE and height >= WIDE[1]:
        return BattlePlan({**frame, **_wide(body, is_choosing=is_choosing)}, ())
    if width >= MEDIUM[0] and height >= MEDIUM[1]:
        regions, tabs = _medium(body, front, is_choosing=is_choosing)
        return BattlePlan({**frame, **regions}, tabs)
    regions, tabs = _small(body, front, is_choosing=is_choosing)
    return BattlePlan({**frame, **regions}, tabs, is_small=True)


def _small(
    body: Region, front: str, *, is_choosing: bool
) -> tuple[dict[str, Region], tuple[str, ...]]:
    tabs = (CHOOSE, *VIEWS) if is_choosing else VIEWS
    front = front if front in tabs else tabs[0]
    rows = min(_FIELD_ROWS + max(0, body.height - 26) // 2, 24)
    field, rest = body.split_horizontal(rows)
    bar, view = rest.split_horizontal(1)
    return {FIELD: field, "views": bar, front: view}, tabs


def _medium(
    body: Region, front: str, *, is_choosing: bool
) -> tuple[dict[str, Region], tuple[str, ...]]:
    tabs = (SHEETS, RATES, WORKERS)
    front = front if front in tabs else SHEETS
    left, right = body.split_vertical(body.width * 58 // 100)
    field, below = left.split_horizontal(max(21, left.height - _CHOOSE_ROWS - 4))
    log, rest = right.split_horizontal(right.height * 55 // 100)
    bar, view = rest.split_horizontal(1)
    lower = CHOOSE if is_choosing else POLICY
    return {FIELD: field, lower: below, LOG: log, "views": bar, front: view}, tabs


def _wide(body: Region, *, is_choosing: bool) -> dict[str, Region]:
    left, rest = body.split_vertical(body.width * 44 // 100)
    middle, right = rest.split_vertical(rest.width // 2)
    field, below = left.split_horizontal(min(30, left.height * 55 // 100))
    policy = below
    choose: dict[str, Region] = {}
    if is_choosing:
        above, policy = below.split_horizontal(_CHOOSE_ROWS + 2)
        choose = {CHOOSE: above}
    sheets, rest = right.split_horizontal(right.height * 45 // 100)
    rates, workers = rest.split_horizontal(rest.height * 60 // 100)
    return {
        FIELD: field,
        **choose,
        POLICY: policy,
        LOG: middle,
        SHEETS: sheets,
        RATES: rates,
        WORKERS: workers,
    }
