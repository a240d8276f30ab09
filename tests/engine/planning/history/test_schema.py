import contextlib
import json
import sqlite3

import pytest

from engine.errors import CheckpointError, ConfigurationError
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.planning.history.patterns import context_key
from engine.planning.history.schema import SCHEMA_VERSION
from tests.engine.planning.history.helpers import WALKING, record

# What version 1 wrote, by its own statement.
VERSION_1 = """
    CREATE TABLE decisions (
        id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp REAL NOT NULL, state_hash INTEGER NOT NULL,
        context TEXT NOT NULL, action INTEGER NOT NULL, reasoning TEXT NOT NULL,
        confidence REAL NOT NULL, outcome TEXT NOT NULL, outcome_reward REAL NOT NULL,
        episode_id TEXT NOT NULL, step_number INTEGER NOT NULL, total_episode_reward REAL
    );
    PRAGMA application_id = 1347114069;
    PRAGMA user_version = 1;
"""


def fill(path, script: str, *rows: tuple) -> None:
    """Make a database."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.executescript(script)
        for row in rows:
            database.execute(f"INSERT INTO decisions VALUES ({', '.join('?' * len(row))})", row)


def row(context: str, number: int = 1) -> tuple:
    return number, 1e9, 42, context, 4, "north", 0.5, "success", 1.5, "first", 3, 12.5


def test_an_older_file_is_brought_to_this_version_with_all_it_holds(path):
    fill(path, VERSION_1, row(context_key(WALKING), 7))
    with DecisionHistoryAnalyzer(path, run="new") as history:
        (decision,) = history.get_recent_decisions()
        assert decision["id"] == "7"
        assert (decision["state_hash"], decision["context"]) == (42, WALKING)
        assert (decision["episode_id"], decision["total_episode_reward"]) == ("first", 12.5)
        record(history, 1)
        assert history.analyze_patterns(1)[0]["frequency"] == 2
    with contextlib.closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_an_empty_file_counts_as_new_and_a_new_one_gets_its_folder(path):
    path.touch()
    for file in (path, path.parent / "new" / "decisions.db"):
        with DecisionHistoryAnalyzer(file) as history:
            record(history, 1)
        assert file.stat().st_size


def refusal(path, kind: type[Exception]) -> str:
    """Return the line that refuses a file, which stays as it was."""
    before = path.read_bytes()
    with pytest.raises(kind) as caught:
        DecisionHistoryAnalyzer(path)
    assert path.read_bytes() == before
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    assert caught.value.hint
    return str(caught.value)


def test_a_newer_file_is_refused(path):
    fill(path, VERSION_1 + f"PRAGMA user_version = {SCHEMA_VERSION + 1};")
    line = refusal(path, ConfigurationError)
    assert f"schema {SCHEMA_VERSION + 1}, expected {SCHEMA_VERSION}" in line


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE decisions (mine TEXT);",
        "CREATE TABLE other (x); PRAGMA user_version = 2;",
        "PRAGMA application_id = 5;",
    ],
)
def test_another_programs_database_is_refused(path, script):
    fill(path, script)
    assert "a different program" in refusal(path, ConfigurationError)


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"x", bytes(5000)])
def test_a_file_that_is_no_database_is_refused(path, content):
    path.write_bytes(content)
    assert "damaged or not an SQLite file" in refusal(path, CheckpointError)


def test_a_file_that_is_cut_or_overwritten_in_its_middle_is_refused(path):
    with DecisionHistoryAnalyzer(path) as history:
        record(history, *range(500))
    content = path.read_bytes()
    path.write_bytes(content[:8192] + b"\xff" * 16384 + content[24576:])
    refusal(path, CheckpointError)
    path.write_bytes(content[:30_000])
    with pytest.raises(CheckpointError, match=str(path)):
        DecisionHistoryAnalyzer(path)
    assert path.stat().st_size == 30_000


@pytest.mark.parametrize("context", ["", "no JSON", "[1]", json.dumps("word")])
def test_a_row_that_makes_no_sense_is_refused(path, context):
    fill(path, VERSION_1, row(context))
    with pytest.raises(CheckpointError, match="cannot be read"):
        DecisionHistoryAnalyzer(path)


def test_a_place_that_cannot_hold_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "file" / "decisions.db"):
        with pytest.raises(ConfigurationError, match="decision_db_path"):
            DecisionHistoryAnalyzer(path)
