"""The columns of the table of runs: how values are written, and which a width has room for."""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.plurals import counted
from pokeTUI.units import duration_text, size_text

if TYPE_CHECKING:
    from engine.training.run_table import RunRow

Value = str | float
_GAP = 2
_LONGEST_NAME = 24
_YEAR_S = 180 * 86400
"""Dates further away show their year."""
SIGNS = {"running": "●", "finished": "✓", "stopped": "■", "crashed": "✗", "damaged": "!"}
"""Of a run's state; a journal with damaged lines has that of a damaged run."""


@dataclass(frozen=True, slots=True)
class RunColumn:
    """A column.

    Attributes:
        key: By which it is sorted and filtered, and its title.
        width: Cells; 0: what is left over.
        rank: Where there is no room for all columns, those with the highest go.
        value: What is sorted and filtered by; nan where there is none.
        text: What is shown.
    """

    key: str
    width: int
    rank: int
    value: "Callable[[RunRow], Value]"
    text: "Callable[[RunRow], str]"
    is_right: bool = False


def number_text(value: float) -> str:
    """Return a return in at most eight signs, unless it is huge."""
    return "–" if math.isnan(value) else f"{value:,.{2 if abs(value) < 1000 else 0}f}"


def count_text(count: int) -> str:
    """Return a number in at most nine signs."""
    return f"{count:,}" if count < 10_000_000 else f"{count / 1e6:,.1f}M"


def share_text(value: float) -> str:
    """Return a share in percent."""
    return "–" if math.isnan(value) else f"{value:.0%}"


def date_text(seconds: float) -> str:
    """Return a date with its time, or with its year where it is far away."""
    is_far = abs(time.time() - seconds) > _YEAR_S
    return time.strftime("%Y-%m-%d" if is_far else "%m-%d %H:%M", time.localtime(seconds))


def note_of(row: "RunRow") -> str:
    """Return the run's note, and what cannot be read of it."""
    if row.status == "damaged":
        return f"cannot be read: {row.reason}"
    damage = f"{counted(row.damaged, 'damaged line')} in journal.jsonl" if row.damaged else ""
    return "   ".join(filter(None, (damage, row.labels.note)))


def _state_of(row: "RunRow") -> str:
    return f"{SIGNS['damaged' if row.damaged else row.status]} {row.status}"


def _column(
    key: str,
    width: int,
    rank: int,
    value: "Callable[[RunRow], Any]",
    text: Callable[[Any], str] = str,
    *,
    is_right: bool = False,
) -> RunColumn:
    """Return a column that shows `text` of the value."""
    return RunColumn(key, width, rank, value, lambda row: text(value(row)), is_right)


COLUMNS = (
    _column("run", 15, 0, lambda row: row.run_id),
    _column("name", 8, 6, lambda row: row.labels.name),
    RunColumn("state", 10, 1, lambda row: row.status.value, _state_of),
    _column("steps", 9, 2, lambda row: row.total_steps, count_text, is_right=True),
    _column("episodes", 9, 7, lambda row: row.episodes, count_text, is_right=True),
    _column("success", 8, 3, lambda row: row.success, share_text, is_right=True),
    _column("return", 8, 4, lambda row: row.mean_return, number_text, is_right=True),
    RunColumn("stage", 5, 8, lambda row: row.stage, lambda row: f"{row.stage}/{row.num_stages}"),
    _column("duration", 8, 9, lambda row: row.duration_s, duration_text, is_right=True),
    _column("size", 6, 12, lambda row: row.size, size_text, is_right=True),
    _column("when", 11, 5, lambda row: row.changed_at, date_text),
    _column("agent", 7, 10, lambda row: row.agent),
    _column("mode", 8, 13, lambda row: row.mode),
    _column("seed", 5, 14, lambda row: row.seed, is_right=True),
    _column("tags", 12, 11, lambda row: " ".join(f"#{tag}" for tag in row.labels.tags)),
    _column("note", 0, 15, note_of),
)
WORDS = frozenset({"run", "name", "state", "agent", "mode", "tags", "note"})
"""Columns of words, which are sorted from a to z; all others the largest first."""
BY_KEY = {column.key: column for column in COLUMNS}
_SHOWN = replace(BY_KEY["run"], text=lambda row: row.shown_name)
"""In place of both id and name where there is room for one."""
_LEAST_REST = 12
_ELASTIC = ("run", "name", "tags")
"""Columns that are as wide as their longest text, where there is room."""


def fitting(rows: "Sequence[RunRow]", width: int | None) -> list[RunColumn]:
    """Return the columns for `rows` that `width` has room for, each with its width.

    Ones that would be empty are left out; None: there is room for all.
    """
    found = [
        column
        for column in COLUMNS
        if column.key not in ("name", "tags", "note") or any(map(column.text, rows))
    ]
    is_named = any(column.key == "name" for column in found)
    while width is not None and _total(found) > width and len(found) > 1:
        found.remove(max(found, key=lambda column: column.rank))
    if is_named and not any(column.key == "name" for column in found):
        found[0] = _SHOWN
    for at, column in enumerate(found):
        if column.key in _ELASTIC:
            room = math.inf if width is None else width - _total(found) + column.width
            found[at] = replace(column, width=int(min(_widest(column, rows), room)))
    return found


def _widest(column: RunColumn, rows: "Iterable[RunRow]") -> int:
    texts = (len(column.text(row)) for row in rows)
    return min(_LONGEST_NAME, max((column.width, *texts)))


def _total(columns: Sequence[RunColumn]) -> int:
    return sum(column.width or _LEAST_REST for column in columns) + _GAP * (len(columns) - 1)
