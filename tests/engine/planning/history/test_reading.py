import contextlib
import os
import sqlite3
from pathlib import Path

import pytest

from engine.errors import CheckpointError, ConfigurationError
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.planning.history.reading import Wanted, read_decisions, read_patterns
from tests.pokeTUI.decision_file import add_decision, write_history

ANY = Wanted()


@pytest.fixture
def filled(path: Path) -> Path:
    write_history(path, 60)
    return path


def change(path: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute(statement)


def test_pages_hold_every_decision_once_newest_first(filled):
    ids: list[int] = []
    below = None
    while True:
        page = read_decisions(filled, ANY, 25, below)
        ids += [row.id for row in page.rows]
        if not page.has_older:
            break
        below = ids[-1]
    assert ids == list(range(60, 0, -1))
    assert (page.newest_id, page.count) == (60, 60)
    assert page.sources == ("planner", "policy", "rules")


def test_a_row_tells_all_of_its_decision(filled):
    (row,) = read_decisions(filled, ANY, 1).rows
    assert row.context == {"situation": "walking", "map": "STONEHOLLOW", "goal": "reach"}
    assert (row.step, row.episode_id, row.action) == (60, "mossy-otter-7/1", 7)
    assert (row.source, row.outcome, row.reward) == ("rules", "failure", -0.01)
    assert row.reasoning.startswith("reason 59")
    assert row.episode_reward is None


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        (Wanted(source="policy"), 30),
        (Wanted(outcome="success"), 20),
        (Wanted(action=4), 15),
        (Wanted("planner", 5, "success"), 5),
        (Wanted(source="human"), 0),
    ],
)
def test_decisions_are_filtered(filled, wanted, count):
    rows = read_decisions(filled, wanted, 100).rows
    assert len(rows) == count
    assert all(row.source == wanted.source for row in rows if wanted.source)
    assert all(row.outcome == wanted.outcome for row in rows if wanted.outcome)
    assert all(row.action == wanted.action for row in rows if wanted.action is not None)


def test_patterns_are_those_that_the_analyzer_finds(filled):
    page = read_patterns(filled, 100)
    with DecisionHistoryAnalyzer(filled) as history:
        expected = history.analyze_patterns()
    assert not page.has_more
    names = ("context", "action", "frequency", "success_rate", "success_interval")
    found = [{name: getattr(row, name) for name in names} for row in page.rows]
    assert found == [{name: one[name] for name in names} for one in expected]
    assert [row.action for row in read_patterns(filled, 100, action=4).rows] == [4] * 4
    assert read_patterns(filled, 3).rows + read_patterns(filled, 100, 3).rows == page.rows


def test_patterns_count_what_was_folded(path):
    with DecisionHistoryAnalyzer(path, max_rows=50) as history:
        for number in range(200):
            add_decision(history, number)
            history.flush()
    assert sum(row.frequency for row in read_patterns(path, 100, min_frequency=1).rows) == 200
    assert read_decisions(path, ANY, 1).count <= 50


def test_reading_is_read_while_it_is_written_and_leaves_nothing_behind(path, tmp_path):
    with DecisionHistoryAnalyzer(path) as history:
        for number in range(3):
            add_decision(history, number)
            history.flush()
            assert read_decisions(path, ANY, 9).newest_id == number + 1
    assert read_decisions(path, ANY, 9).newest_id == 3
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_not_there_is_not_made_and_one_without_tables_is_none_yet(path):
    with pytest.raises(FileNotFoundError):
        read_decisions(path, ANY, 9)
    assert not path.exists()
    path.touch()
    with pytest.raises(FileNotFoundError):
        read_patterns(path, 9)


def test_a_locked_file_is_a_matter_of_time(filled):
    with sqlite3.connect(filled) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("DELETE FROM decisions WHERE id = 1")
        with pytest.raises(TimeoutError):
            read_decisions(filled, ANY, 9)
        other.rollback()
    other.close()


@pytest.mark.parametrize(
    "content", [b"no database at all" * 100, b"SQLite format 3\0" + bytes(900), None]
)
def test_a_damaged_file_is_said_to_be_damaged(filled, content):
    filled.write_bytes(content or filled.read_bytes()[:4096] + os.urandom(8192))
    with pytest.raises(CheckpointError, match="damaged"):
        read_decisions(filled, ANY, 9)


@pytest.mark.parametrize(
    ("fixture", "statement", "said"),
    [
        ("path", "CREATE TABLE mine (x)", "a different program"),
        ("filled", "PRAGMA user_version = 99", "schema 99"),
    ],
)
def test_another_programs_and_another_versions_file_are_left_alone(
    request, fixture, statement, said
):
    path = request.getfixturevalue(fixture)
    change(path, statement)
    with pytest.raises(ConfigurationError, match=said):
        read_decisions(path, ANY, 9)


@pytest.mark.parametrize(
    "value",
    [
        "reasoning = x'ff'",
        "reasoning = CAST(x'ff' AS TEXT)",
        "source = x'05'",
        "outcome_reward = 'much'",
        "outcome_reward = 1e999",
        "timestamp = 1e300",
        "context = '[]'",
        "context = 'x'",
        "context = replace(hex(zeroblob(50000)), '0', '[')",
        "action = 'A'",
        "context = 'null'",
        "timestamp = 'soon'",
        "action = 4096",
        "confidence = 'x'",
        "step_number = 'x'",
    ],
)
def test_a_value_of_another_type_is_damage(filled, value):
    change(filled, f"UPDATE decisions SET {value}")
    with pytest.raises(CheckpointError, match="is damaged"):
        read_decisions(filled, ANY, 25)


def test_a_damaged_pattern_is_called_damaged(filled):
    change(filled, "UPDATE decisions SET context = '[]'")
    with pytest.raises(CheckpointError, match="is damaged"):
        read_patterns(filled, 5, min_frequency=1)
