"""Read a file of decisions while another process writes it: read-only, a page at a time."""

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from engine.errors import CheckpointError, ConfigurationError
from engine.ground.numerals import MAX_TIME, is_number
from engine.planning.history.patterns import Context, read_context, success_interval
from engine.planning.history.schema import (
    APPLICATION_ID,
    COUNT_OF_PROGRAMS,
    MAX_ACTIONS,
    SCHEMA_VERSION,
    LimitedConnection,
)

_BUSY_TIMEOUT_S = 0.3

_ROW = (
    "id, timestamp, context, action, reasoning, confidence, outcome, outcome_reward, "
    "episode_id, step_number, total_episode_reward, source"
)
_KINDS = (int, float, str, int, str, float, str, float, str, int, float | None, str)
"""Of the columns of a row: SQLite takes anything in any of them."""
_PATTERNS = """
    SELECT context, action, SUM(frequency), SUM(successes), SUM(reward_sum) FROM (
        SELECT context, action, frequency, successes, reward_sum FROM folded_decisions
        UNION ALL
        SELECT context, action, COUNT(*), SUM(outcome = 'success'), SUM(outcome_reward)
        FROM decisions GROUP BY context, action
    ) WHERE ?1 IS NULL OR action = ?1
    GROUP BY context, action HAVING SUM(frequency) >= ?2
    ORDER BY SUM(frequency) DESC, context, action LIMIT ?3 OFFSET ?4
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which decisions are wanted; what is empty or None allows any.

    Attributes:
        outcome: "success" or "failure".
    """

    source: str = ""
    action: int | None = None
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A decision as it is kept.

    Attributes:
        timestamp: Seconds since the epoch.
        context: What kind of situation it was, by `engine.planning.history.patterns.CONTEXT_KEYS`.
        confidence: 0 to 1.
        reward: What it was paid.
        episode_reward: Of the whole episode; None while it lasts.
    """

    id: int
    timestamp: float
    context: Context
    action: int
    reasoning: str
    confidence: float
    outcome: str
    reward: float
    episode_id: str
    step: int
    episode_reward: float | None
    source: str


@dataclass(frozen=True, slots=True)
class DecisionPage:
    """Some decisions, newest first.

    Attributes:
        has_older: More of those that are wanted come after them.
        newest_id: Of all decisions in the file, 0 if there is none.
        count: About how many decisions the file holds one by one.
        sources: Who decided, of the newest few thousand.
    """

    rows: tuple[DecisionRow, ...]
    has_older: bool
    newest_id: int
    count: int
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PatternRow:
    """How an action does in a kind of situation.

    Attributes:
        success_interval: 95 %, Wilson.
    """

    context: Context
    action: int
    frequency: int
    success_rate: float
    success_interval: tuple[float, float]
    mean_reward: float


@dataclass(frozen=True, slots=True)
class PatternPage:
    """Some patterns, the most frequent first."""

    rows: tuple[PatternRow, ...]
    has_more: bool


def read_decisions(
    path: Path, wanted: Wanted, limit: int, below: int | None = None
) -> DecisionPage:
    """Return the newest decisions that are wanted.

    Args:
        path: The file.
        wanted: Which.
        limit: At most so many.
        below: Older than this id; None: from the newest on.

    Raises:
        FileNotFoundError: There is no such file yet.
        TimeoutError: Another program locks it.
        ConfigurationError: It belongs to something else, or to a newer version.
        CheckpointError: It is damaged.
    """
    conditions = ["id < ?"]
    values: list[int | str] = [below if below is not None else 1 << 62]
    for column, value in (("source", wanted.source), ("outcome", wanted.outcome)):
        if value:
            conditions.append(f"{column} = ?")
            values.append(value)
    if wanted.action is not None:
        conditions.append("action = ?")
        values.append(wanted.action)
    where = " AND ".join(conditions)
    with _opened(path) as database:
        rows = database.execute(
            f"SELECT {_ROW} FROM decisions WHERE {where} ORDER BY id DESC LIMIT ?",
            (*values, limit + 1),
        ).fetchall()
        first, last = database.execute(
            "SELECT (SELECT MIN(id) FROM decisions), (SELECT MAX(id) FROM decisions)"
        ).fetchone()
        found = database.execute(
            "SELECT DISTINCT source FROM decisions WHERE id > ?", ((last or 0) - 4000,)
        ).fetchall()
        count = last - first + 1 if last else 0
        sources = tuple(sorted(str(source) for (source,) in found if source))
        page = tuple(_decision(row) for row in rows[:limit])
    return DecisionPage(page, len(rows) > limit, last or 0, count, sources)


def read_patterns(
    path: Path, limit: int, offset: int = 0, action: int | None = None, min_frequency: int = 3
) -> PatternPage:
    """Return which actions were taken how often in which contexts, and the result.

    They count every decision that the file ever held.

    Args:
        path: The file.
        limit: At most so many.
        offset: So many more frequent ones are left out.
        action: Of one action alone.
        min_frequency: At least so often.

    Raises:
        FileNotFoundError, TimeoutError, ConfigurationError, CheckpointError: As `read_decisions`.
    """
    with _opened(path) as database:
        rows = database.execute(_PATTERNS, (action, min_frequency, limit + 1, offset)).fetchall()
        page = tuple(_pattern(row) for row in rows[:limit])
    return PatternPage(page, len(rows) > limit)


def _decision(row: tuple[Any, ...]) -> DecisionRow:
    """Return a row of the file; SQLite keeps anything in any column.

    Raises:
        TypeError, ValueError: A value is not what belongs in its column.
    """
    for value, kind in zip(row, _KINDS, strict=True):
        if not isinstance(value, kind):
            raise TypeError(f"unexpected value {value!r:.40}")
        if isinstance(value, float) and not is_number(value):
            raise ValueError("a number is too large, or none")
    number, timestamp, context, action, *rest = row
    if not (0 <= timestamp < MAX_TIME and 0 <= action < MAX_ACTIONS):
        raise ValueError(f"invalid action {action} at {timestamp}")
    return DecisionRow(number, timestamp, read_context(context), action, *rest)


def _pattern(row: tuple[Any, ...]) -> PatternRow:
    context, action, frequency, successes, reward_sum = row
    return PatternRow(
        read_context(context),
        action,
        frequency,
        successes / frequency,
        success_interval(successes, frequency),
        reward_sum / frequency,
    )


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file for reading, check that it is ours, and name what goes wrong."""
    if not path.is_file():
        raise FileNotFoundError(path)
    try:
        with contextlib.closing(_connect(path)) as database:
            database.execute("BEGIN")  # one snapshot for all that is read
            _check(database, path)
            yield database
    except (sqlite3.Error, ValueError, TypeError, ArithmeticError) as error:
        is_operational = isinstance(error, sqlite3.OperationalError)
        if is_operational and ("locked" in str(error) or "busy" in str(error)):
            raise TimeoutError(str(error)) from None
        raise CheckpointError(
            f"The decision history {path.name} is damaged: {error}.",
            "Move it away, or set another decision_db_path.",
        ) from None


def _connect(path: Path) -> sqlite3.Connection:
    # Where no writer has it open, reading in the usual way would leave two files behind.
    is_written = path.with_name(f"{path.name}-wal").exists()
    mode = "mode=ro" if is_written else "mode=ro&immutable=1"
    uri = f"file:{quote(str(path.resolve()))}?{mode}"
    return sqlite3.connect(
        uri, uri=True, timeout=_BUSY_TIMEOUT_S, isolation_level=None, factory=LimitedConnection
    )


def _check(database: sqlite3.Connection, path: Path) -> None:
    (owner,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    (tables,) = database.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
    (odd,) = database.execute(COUNT_OF_PROGRAMS).fetchone()
    if not (owner or version or tables):
        raise FileNotFoundError(path)  # just made, nothing is in it yet
    if owner != APPLICATION_ID:
        raise ConfigurationError(
            f"{path.name} is a database of a different program.", "Set another decision_db_path."
        )
    if odd:
        raise sqlite3.DatabaseError("it contains views or triggers")
    if version != SCHEMA_VERSION:
        raise ConfigurationError(
            f"{path.name} has schema {version}, from a different version of PokeTUI "
            f"(expected {SCHEMA_VERSION}).",
            "Update PokeTUI, or set another decision_db_path.",
        )
