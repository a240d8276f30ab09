"""The table of runs: its columns, and how it is sorted, filtered and grouped."""

import math
import re
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

from engine.config import RunConfig
from engine.errors import ConfigurationError
from engine.ground.numerals import parse_number
from engine.ground.text import counted
from pokeTUI.draw.units import duration_text, seconds, size_text
from pokeTUI.settings import settings_of, shown, value_of

if TYPE_CHECKING:
    from engine.runs.table import RunRow


# The columns of the table of runs: how values are written, and which a width has room for.

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
    """Return an episode's return in at most eight characters, unless it is huge."""
    return "–" if math.isnan(value) else f"{value:,.{2 if abs(value) < 1000 else 0}f}"


def count_text(count: int) -> str:
    """Return a number in at most nine characters."""
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


# Sort, filter and group the table of runs.

_CONDITION = re.compile(r"([a-z][\w.]*)(!=|>=|<=|=|>|<)(.*)")
_FACTORS = {"%": 0.01, "k": 1e3, "M": 1e6, "G": 1e9}
_ALIASES = {"tag": "tags", "id": "run", "changed": "when"}


@dataclass(frozen=True, slots=True)
class TableView:
    """How the table is sorted, filtered and grouped.

    Attributes:
        sort: Key of the column to sort by: numbers the largest first, words from a to z.
        is_reversed: Sort the other way round.
        words: What a run must match; see `matches`.
        group: The setting, or the column, by whose value runs are put together; "": none.
    """

    sort: str = "when"
    is_reversed: bool = False
    words: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class RunGroup:
    """Runs that have one value of what they are grouped by; all, if by nothing."""

    value: str
    rows: "tuple[RunRow, ...]"

    def text(self, key: str) -> str:
        """Return what a column shows for all of them: the value, their number, means and sums."""
        success = statistics.fmean(known) if (known := self._known("success")) else math.nan
        mean = statistics.fmean(known) if (known := self._known("return")) else math.nan
        texts = {
            "run": f"▾ {self.value}",
            "state": counted(len(self.rows), "run"),
            "steps": count_text(sum(row.total_steps for row in self.rows)),
            "episodes": f"{sum(row.episodes for row in self.rows):,}",
            "success": share_text(success),
            "return": number_text(mean),
        }
        return texts.get(key, "")

    def _known(self, key: str) -> list[float]:
        values = (BY_KEY[key].value(row) for row in self.rows)
        return [value for value in values if isinstance(value, float) and not math.isnan(value)]


def arrange(rows: "Sequence[RunRow]", view: TableView) -> list[RunGroup]:
    """Return the runs that match, sorted, in their groups: that of the first run first.

    Raises:
        ConfigurationError: There is no such column or setting, or a condition makes no sense.
    """
    if view.sort not in BY_KEY:
        raise _unknown(view.sort, BY_KEY, "column")
    tests = [_test(word) for word in view.words.split()]
    found = _sorted([row for row in rows if all(test(row) for test in tests)], view)
    if not view.group:
        return [RunGroup("", tuple(found))]
    key = _known(view.group)
    groups: dict[str, list[RunRow]] = {}
    for row in found:
        groups.setdefault(text_of(row, key), []).append(row)
    return [RunGroup(value, tuple(members)) for value, members in groups.items()]


def differing_keys(rows: "Sequence[RunRow]") -> list[str]:
    """Return by what the runs can be grouped: the settings that are not the same in all."""
    dumps = [row.settings.model_dump() for row in rows if row.settings is not None]
    return [
        key
        for key in _settings()
        if key != "save_dir" and len({shown(value_of(values, key)) for values in dumps}) > 1
    ]


def text_of(row: "RunRow", key: str) -> str:
    """Return the text of a column or a setting of a run, "–" where it has none."""
    value = _value(row, key)
    if isinstance(value, float) and math.isnan(value):
        return "–"
    return shown(value) or "–"


def _value(row: "RunRow", key: str) -> Any:
    if key in BY_KEY:
        return BY_KEY[key].value(row)
    return value_of(row.settings.model_dump(), key) if row.settings is not None else ""


def _sorted(rows: "Sequence[RunRow]", view: TableView) -> "list[RunRow]":
    """Sort runs by a column; those without a value come last, whichever way round."""
    value = BY_KEY[view.sort].value
    known = [(value(row), row) for row in rows if _is_known(value(row))]
    known.sort(
        key=lambda pair: pair[0].casefold() if isinstance(pair[0], str) else pair[0],
        reverse=(view.sort in WORDS) == view.is_reversed,
    )
    return [row for _, row in known] + [row for row in rows if not _is_known(value(row))]


def _test(word: str) -> "Callable[[RunRow], bool]":
    """Return a predicate: whether a run matches a word of a filter.

    A word is in the id, name, note, tags, state, agent or mode, "#word" is a tag; KEY=VALUE, !=, <,
    <=, > or >= compare a column or a setting.
    """
    found = _CONDITION.fullmatch(word)
    if found is None:
        return lambda row: _has(row, word.casefold())
    key, sign, wanted = _known(found[1]), found[2], found[3]
    if sign in ("=", "!="):
        return lambda row: _equals(row, key, wanted) == (sign == "=")
    limit = _number(key, wanted)

    def compare(row: "RunRow") -> bool:
        value = _value(row, key)
        if isinstance(value, str) or value is None or isinstance(value, list | dict | tuple):
            return False
        is_equal = value == limit and "=" in sign
        return is_equal or (value > limit if sign[0] == ">" else value < limit)

    return compare


def _has(row: "RunRow", word: str) -> bool:
    tags = [f"#{tag}".casefold() for tag in row.labels.tags]
    if word.startswith("#"):
        return word in tags
    texts = (row.run_id, row.labels.name, row.labels.note, row.status, row.agent, row.mode, *tags)
    return any(word in text.casefold() for text in texts)


def _equals(row: "RunRow", key: str, wanted: str) -> bool:
    if key == "tags":
        return wanted.lstrip("#") in row.labels.tags
    if key in BY_KEY and BY_KEY[key].text(row).casefold() == wanted.casefold():
        return True  # as it is shown: success=67%, stage=2/4
    value = _value(row, key)
    if isinstance(value, float | int) and not isinstance(value, bool):
        try:
            return math.isclose(value, _number(key, wanted))
        except ConfigurationError:
            return False
    return shown(value).casefold() == wanted.casefold()


def _number(key: str, text: str) -> float:
    """Return a number as it is typed: 10k, 80%, and 1h30m for a duration."""
    if key == "duration":
        return seconds(text, key)
    factor = _FACTORS.get(text[-1:], 1.0)
    try:
        return parse_number(text if factor == 1.0 else text[:-1]) * factor
    except ValueError:
        raise ConfigurationError(
            f"{key} is compared with '{text}', which is not a number.",
            "Write it like steps>10k or success<80%.",
        ) from None


def _known(key: str) -> str:
    key = _ALIASES.get(key, key)
    if key not in BY_KEY and key not in _settings():
        raise _unknown(key, (*BY_KEY, *_settings()), "column or setting")
    return key


def _unknown(key: str, keys: Iterable[str], what: str) -> ConfigurationError:
    near = get_close_matches(key, keys, 3)
    hint = f"Did you mean {' or '.join(near)}?" if near else ""
    return ConfigurationError(
        f"There is no {what} '{key}'.",
        hint or f"Columns: {', '.join(column.key for column in COLUMNS)}.",
    )


@cache
def _settings() -> tuple[str, ...]:
    return tuple(one.key for one in settings_of(RunConfig))


def _is_known(value: Value) -> bool:
    return bool(value) if isinstance(value, str) else not math.isnan(value)
