import errno
import json
import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.planning.models import exchanges
from engine.planning.models.exchanges import Exchange, ExchangeLog, export_rows, scan
from engine.planning_types import GoalOutcome, Outcome
from tests.engine.states import make_goal_outcome as goal_outcome

FULL = Path("/dev/full")


def exchange(number: int = 1, **changes: Any) -> Exchange:
    made = Exchange(
        exchange=number, env_index=3, trigger="map", key="town", model="smollm2:1.7b",
        prompt="Where to?\nChoices: …", text='{"goal": "reach"}', thinking="", goal="exit 1",
        kind="reach", condition="entered the place", confidence=0.8, reasoning="It is near.",
        error="", repairs=("fence",), latency_s=1.5, first_token_s=0.5, prompt_tokens=700,
        answer_tokens=40, cost=0.0, setter="smollm2:1.7b", time=1e9,
    )  # fmt: skip
    return replace(made, **changes)


def write(log: ExchangeLog, *entries: Exchange | GoalOutcome) -> None:
    for entry in entries:
        if isinstance(entry, Exchange):
            log.add(entry)
        else:
            log.add_goal_outcome(entry)
    assert log.flush() == ""


@pytest.fixture
def log(path: Path) -> ExchangeLog:
    return ExchangeLog(path)


def numbers(path: Path) -> list[int]:
    return [row["exchange"] for row in scan(path).exchanges]


def test_an_exchange_comes_back_as_it_was(log, path):
    odd = exchange(text='\ud83d "“\u2028\x00\n', repairs=(), first_token_s=math.nan)
    write(log, odd)
    (row,) = scan(path).exchanges
    assert (row["text"], row["prompt"]) == (odd.text, odd.prompt)
    assert (row["repairs"], row["first_token_s"], row["outcome"]) == ([], None, "")


def test_exchange_log_writes_only_on_flush_and_a_missing_file_is_empty(log, path):
    log.add(exchange())
    log.add_goal_outcome(goal_outcome())
    assert not path.exists()
    assert scan(path).exchanges == []
    assert log.last_number() == 0
    assert log.flush() == log.flush() == ""
    assert log.last_number() == 1


def test_goal_outcomes_join_the_newest_exchange_that_set_the_goal(path):
    write(
        ExchangeLog(path),
        exchange(1),
        goal_outcome(Outcome.FAILED),
        exchange(2, key="cave"),
        exchange(3),
        goal_outcome(made_progress=True),
        goal_outcome(Outcome.REPLACED),
        goal_outcome(Outcome.FAILED, is_control=True, made_progress=True),
        goal_outcome(goal_source="rules"),
        goal_outcome(key="nowhere"),
    )
    first, cave, newest = scan(path).exchanges
    assert (first["verdicts"]["failed"], first["outcome"]) == (1, "failed")
    assert not any(cave["verdicts"].values())
    assert newest["verdicts"].pop("failed") == 0
    assert newest["verdicts"] == dict.fromkeys(
        ("reached", "replaced", "progress", "proven", "ignored", "ignored_progress"), 1
    )
    assert newest["outcome"] == "replaced"


def test_all_models_that_voted_for_a_goal_get_its_goal_outcome(path):
    write(
        ExchangeLog(path),
        exchange(1, model="a", setter="a+c"),
        exchange(2, model="b", setter=""),
        exchange(3, model="c", setter="a+c"),
        goal_outcome(goal_source="a+c"),
        goal_outcome(goal_source=""),
    )
    outcomes = [row["outcome"] for row in scan(path).exchanges]
    assert outcomes == ["reached", "", "reached"]


def test_the_file_is_bounded_and_keeps_the_last_with_their_goal_outcomes(path, tmp_path):
    log = ExchangeLog(path, keep=5)
    for number in range(1, 40):
        write(log, exchange(number, key=str(number)), goal_outcome(key=str(number)))
        assert len(path.read_bytes().splitlines()) <= 10
    assert numbers(path)[-5:] == [35, 36, 37, 38, 39]
    assert all(row["verdicts"]["reached"] == 1 for row in scan(path).exchanges)
    for _ in range(99):  # many outcomes of one goal do not fill it
        write(log, goal_outcome(key="39"))
    assert len(path.read_bytes().splitlines()) <= 10
    assert scan(path).exchanges[-1]["verdicts"]["reached"] == 100
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_second_log_goes_on_where_the_first_stopped(path):
    for number in range(1, 10):
        write(ExchangeLog(path, keep=2), exchange(number))
    assert len(path.read_bytes().splitlines()) <= 4
    assert ExchangeLog(path).last_number() == 9


def test_a_torn_last_line_is_skipped_and_spoils_nothing_after_it(log, path):
    write(log, exchange(1), exchange(2))
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for cut in range(first, len(whole) - 2, 97):
        path.write_bytes(whole[:cut])
        write(ExchangeLog(path), exchange(3))
        assert numbers(path) == [1, 3]


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense",
        b"\xff\xfe",
        b"[]",
        b"5",
        b"{}",
        b"[" * 100_000,
        b'{"verdict": "won", "key": "town", "setter": "smollm2:1.7b"}',
        b'{"verdict": "reached", "key": [], "setter": {}}',
        b'{"exchange": 5}',
        b'{"exchange": ' + b"9" * 5000 + b"}",
    ],
)
def test_a_damaged_line_is_counted_and_passed_over(log, path, line):
    write(log, exchange(1))
    with path.open("ab") as file:
        file.write(line + b"\n")
    write(log, exchange(2))
    assert numbers(path) == [1, 2]
    assert scan(path).damaged == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", "5"), ("exchange", '"1"'), ("exchange", "true"), ("cost", '"0"'), ("cost", "[1]"),
        ("repairs", '"fence"'), ("repairs", "[1]"), ("verdicts", "[]"), ("verdicts", "5"),
        ("verdicts", '{"reached": "1"}'), ("outcome", '"won"'), ("outcome", '["reached"]'),
        ("cost", "NaN"), ("cost", "Infinity"), ("cost", "1e999"), ("cost", "1" + "0" * 400),
    ],
)  # fmt: skip
def test_a_field_of_the_wrong_type_or_size_makes_a_line_damaged(log, path, field, value):
    write(log, exchange(1))
    line = json.dumps(json.loads(path.read_text()) | {field: "HERE"})
    path.write_text(line.replace('"HERE"', value) + "\n")
    assert scan(path).damaged == 1


@pytest.mark.skipif(not FULL.exists(), reason="needs Linux's /dev/full")
def test_a_full_disk_is_one_warning(log, path, monkeypatch):
    monkeypatch.setattr(exchanges, "open_file", lambda *_: os.open(FULL, os.O_RDWR))
    log.add(exchange(1))
    assert "disk space" in log.flush()
    log.add(exchange(2))
    assert log.flush() == ""
    monkeypatch.undo()
    write(log, exchange(3))
    assert numbers(path) == [3]


def test_a_folder_that_is_gone_is_one_warning(tmp_path):
    log = ExchangeLog(tmp_path / "gone" / "exchanges.jsonl")
    log.add(exchange(1))
    assert log.flush()
    log.add(exchange(2))
    assert log.flush() == ""
    assert log.last_number() == 0


def test_a_disk_that_fills_up_while_rewriting_loses_nothing(path, tmp_path, monkeypatch):
    log = ExchangeLog(path, keep=2)

    def refuse(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", refuse)
    for number in range(1, 5):
        write(log, exchange(number))
    log.add(exchange(5))
    assert "No space left" in log.flush()
    assert numbers(path) == [1, 2, 3, 4, 5]
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    monkeypatch.undo()
    write(log, exchange(6))
    assert numbers(path) == [5, 6]


def test_exchange_log_bounds_what_waits():
    log = ExchangeLog(Path("nowhere"))
    for _ in range(10_000):
        log.add_goal_outcome(goal_outcome())
    assert len(log._waiting) == 4096


def test_rows_for_export_are_flat(log, path):
    write(log, exchange(1, repairs=("fence", "enum")), goal_outcome())
    (row,) = export_rows(scan(path).exchanges)
    assert (row["repairs"], row["verdicts:reached"], row["outcome"]) == (
        "fence; enum",
        1,
        "reached",
    )
    assert all(isinstance(value, str | int | float | None) for value in row.values())
