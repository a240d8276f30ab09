"""Lay out the database of decisions: its tables, its rows, and older files in this layout."""

import math
import os
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import aiosqlite

from engine.errors import CheckpointError, ConfigurationError, DecisionValidationError
from engine.ground.files import check_file, make_folder, open_file, remedy
from engine.planning.history.analysis import GameStateAnalysis
from engine.planning.history.patterns import context_key, context_of, read_context
from engine.types import action_index

SCHEMA_VERSION = 3

APPLICATION_ID = 0x504B5455
"""Marks a file as ours, in its header: "PKTU"."""

MAX_VALUE_SIZE = 1 << 24
"""Bytes of a text in the database, and of a row."""

COUNT_OF_PROGRAMS = "SELECT COUNT(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')"
"""Counts views and triggers, which would run what a file says; ours has none."""

_SMALLEST_PAGE = 512
_BUSY_TIMEOUT_S = 5.0

_STEPS: Mapping[int, tuple[str, ...]] = MappingProxyType(
    {
        1: (
            """CREATE TABLE decisions (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                timestamp REAL NOT NULL,
                state_hash INTEGER NOT NULL,
                context TEXT NOT NULL,
                action INTEGER NOT NULL,
                reasoning TEXT NOT NULL,
                confidence REAL NOT NULL,
                outcome TEXT NOT NULL,
                outcome_reward REAL NOT NULL,
                episode_id TEXT NOT NULL,
                step_number INTEGER NOT NULL,
                total_episode_reward REAL
            )""",
        ),
        2: (
            "ALTER TABLE decisions ADD COLUMN run TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE decisions ADD COLUMN source TEXT NOT NULL DEFAULT ''",
            "CREATE INDEX decisions_by_episode ON decisions (run, episode_id)",
            """CREATE TABLE folded_decisions (
                context TEXT NOT NULL,
                action INTEGER NOT NULL,
                frequency INTEGER NOT NULL,
                successes INTEGER NOT NULL,
                reward_sum REAL NOT NULL,
                PRIMARY KEY (context, action)
            ) WITHOUT ROWID""",
        ),
        3: (
            """CREATE TABLE judged_goals (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                timestamp REAL NOT NULL,
                run TEXT NOT NULL,
                env INTEGER NOT NULL,
                situation TEXT NOT NULL,
                setter TEXT NOT NULL,
                kind TEXT NOT NULL,
                goal TEXT NOT NULL,
                outcome TEXT NOT NULL,
                made_progress INTEGER NOT NULL,
                is_ignored INTEGER NOT NULL,
                steps INTEGER NOT NULL
            )""",
            """CREATE TABLE folded_goals (
                run TEXT NOT NULL,
                setter TEXT NOT NULL,
                made_progress INTEGER NOT NULL,
                is_ignored INTEGER NOT NULL,
                frequency INTEGER NOT NULL,
                PRIMARY KEY (run, setter, made_progress, is_ignored)
            ) WITHOUT ROWID""",
        ),
    }
)
"""Version -> statements that migrate a file from the version before it."""


class LimitedConnection(sqlite3.Connection):
    """Refuses values longer than any that we write, before they are read into memory."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_SIZE)


async def open_database(path: Path) -> aiosqlite.Connection:
    """Open a file of decisions, a new one or an older one too; no other is touched.

    Raises:
        ConfigurationError: It cannot be opened, belongs to something else or is of a newer version.
        CheckpointError: It is damaged.
    """
    try:
        make_folder(path.parent)
        # SQLite gives those that it makes the file's mode, and does not check existing ones.
        for suffix in ("-wal", "-shm", "-journal"):
            check_file(path.with_name(path.name + suffix))
        # aiosqlite leaves a thread with an unheard error behind when it cannot open a file.
        os.close(open_file(path, os.O_WRONLY | os.O_CREAT))
        database = await aiosqlite.connect(
            path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, factory=LimitedConnection
        )
    except (OSError, sqlite3.Error) as error:
        where = getattr(error, "filename", None) or path
        reason = getattr(error, "strerror", None) or error
        raise ConfigurationError(
            f"Cannot open the decision history {where}: {reason}.",
            remedy(error, "Set decision_db_path to a writable file."),
        ) from None
    try:
        await _prepare(database, path)
    except BaseException as error:  # its thread would outlive us; it is raised again
        await database.close()
        if isinstance(error, sqlite3.OperationalError):
            raise ConfigurationError(
                f"Cannot write the decision history {path}: {error}.",
                "Set decision_db_path to a writable file that no other program locks.",
            ) from None
        if isinstance(error, sqlite3.DatabaseError):
            raise CheckpointError(
                f"The decision history {path} is damaged or not an SQLite file: {error}.",
                "Move it away, or set another decision_db_path.",
            ) from None
        raise
    return database


async def _prepare(database: aiosqlite.Connection, path: Path) -> None:
    if 0 < path.stat().st_size < _SMALLEST_PAGE:  # SQLite would take it for an empty file
        raise sqlite3.DatabaseError("it is truncated")
    await _check(database, path)
    await database.execute("PRAGMA journal_mode = WAL")
    # In WAL mode this survives a killed process; a power cut may take the last transactions.
    await database.execute("PRAGMA synchronous = NORMAL")
    await database.execute("BEGIN IMMEDIATE")  # of two processes only one migrates
    version = await _check(database, path)
    for step in range(version + 1, SCHEMA_VERSION + 1):
        for statement in _STEPS[step]:
            await database.execute(statement)
    if version < SCHEMA_VERSION:
        await database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        await database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    await database.execute("COMMIT")


async def _check(database: aiosqlite.Connection, path: Path) -> int:
    """Return the version of the file's layout, 0 of an empty one; refuse one that is not ours."""
    version = await _number(database, "PRAGMA user_version")
    owner = await _number(database, "PRAGMA application_id")
    num_tables = await _number(database, "SELECT COUNT(*) FROM sqlite_schema")
    is_empty = not (version or owner or num_tables)
    if not is_empty and (owner != APPLICATION_ID or version < 1):
        raise ConfigurationError(
            f"{path} is a database of a different program.", "Set another decision_db_path."
        )
    if await _number(database, COUNT_OF_PROGRAMS):
        raise sqlite3.DatabaseError("it contains views or triggers")
    if version > SCHEMA_VERSION:
        raise ConfigurationError(
            f"The decision history {path} was written by a newer version of PokeTUI "
            f"(schema {version}, expected {SCHEMA_VERSION}).",
            "Update PokeTUI, or set another decision_db_path.",
        )
    return version


async def _number(database: aiosqlite.Connection, query: str) -> int:
    (row,) = await database.execute_fetchall(query)
    return int(row[0])


_MAX_TEXT = 500
"""Longest reasoning that is kept, so that the number of rows bounds the file."""
_MAX_SOURCE = 40
MAX_ACTIONS = 4096
"""More than any game has."""


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """A decision, described before its outcome is known.

    Attributes:
        timestamp: Seconds since the epoch.
        state_hash: `GameStateAnalysis.state_hash`.
        context: A `context_key`.
        confidence: 0 to 1.
        step_number: Of the episode, 1-based.
        source: Who decided; "" if nobody said.
    """

    timestamp: float
    state_hash: int
    context: str
    action: int
    reasoning: str
    confidence: float
    episode_id: str
    step_number: int
    source: str = ""

    @classmethod
    def of(
        cls,
        analysis: GameStateAnalysis,
        action: int,
        reasoning: str,
        confidence: float,
        *,
        timestamp: float,
        episode_id: str,
        step_number: int,
        goal_kind: str = "",
        source: str = "",
    ) -> Self:
        """Describe a decision that was made on `analysis`.

        Raises:
            DecisionValidationError: An action or a confidence that cannot be.
        """
        record = cls(
            timestamp=timestamp,
            state_hash=analysis.state_hash,
            context=context_key(context_of(analysis, goal_kind)),
            action=action,
            reasoning=str(reasoning)[:_MAX_TEXT],
            confidence=confidence,
            episode_id=episode_id,
            step_number=step_number,
            source=str(source)[:_MAX_SOURCE],
        )
        return record.checked()

    def checked(self) -> Self:
        """Return it with plain numbers.

        Raises:
            DecisionValidationError: An action or a confidence that cannot be.
        """
        action = action_index(self.action, MAX_ACTIONS)
        if not 0.0 <= self.confidence <= 1.0:
            raise DecisionValidationError(
                f"Invalid confidence: {self.confidence}.", "Use 0.0 to 1.0."
            )
        return replace(self, action=action, confidence=float(self.confidence))


def is_success(outcome_reward: float) -> bool:
    """Judge a decision by what it was paid, as long as nothing else is known.

    Raises:
        DecisionValidationError: The reward is no number.
    """
    if not math.isfinite(outcome_reward):
        raise DecisionValidationError(f"Invalid reward: {outcome_reward}.", "Use a finite number.")
    return outcome_reward > 0


def outcome(is_good: bool) -> str:
    """Return the documented word."""
    return "success" if is_good else "failure"


_COLUMNS = tuple(column.name for column in fields(DecisionRecord))
_WRITTEN = (*_COLUMNS, "outcome", "outcome_reward", "run")

INSERT = f"INSERT INTO decisions ({', '.join(_WRITTEN)}) VALUES ({', '.join('?' * len(_WRITTEN))})"
RECENT = (
    f"SELECT {', '.join(_COLUMNS)}, outcome, outcome_reward, total_episode_reward, id "
    "FROM decisions ORDER BY id DESC LIMIT ?"
)


def as_row(record: DecisionRecord, outcome_reward: float, run: str) -> tuple[Any, ...]:
    """Return the parameters of `INSERT`."""
    values = (getattr(record, name) for name in _COLUMNS)
    return (*values, outcome(is_success(outcome_reward)), float(outcome_reward), run)


def as_documented(row: Sequence[Any]) -> dict[str, Any]:
    """Return a row of `RECENT` with the documented keys; both names of the step."""
    record = DecisionRecord(*row[: len(_COLUMNS)])
    word, reward, total, number = row[len(_COLUMNS) :]
    return {
        "id": str(number),
        **asdict(record),
        "timestamp": datetime.fromtimestamp(record.timestamp, UTC),
        "context": read_context(record.context),
        "outcome": word,
        "outcome_reward": reward,
        "step_in_episode": record.step_number,
        "total_episode_reward": total,
    }
