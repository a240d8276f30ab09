"""The table of runs without a screen: what is shown of a run, and which in which order."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from engine.config import PPOConfig, RunConfig
from engine.errors import ConfigurationError
from engine.runs.labels import RunLabels
from engine.runs.lock import RunStatus
from engine.runs.table import RunRow
from pokeTUI.cli.runs import COLUMN_KEYS
from pokeTUI.screens.run_table import (
    COLUMNS,
    WORDS,
    TableView,
    arrange,
    differing_keys,
    duration_text,
    fitting,
    number_text,
    size_text,
)

ROW = RunRow(
    run_id="20261101-120000",
    path=Path("saves/runs/20261101-120000"),
    labels=RunLabels(),
    status=RunStatus.STOPPED,
    reason="",
    total_steps=21_504,
    episodes=40,
    recent=30,
    success=0.5,
    mean_return=12.0,
    stage=2,
    num_stages=4,
    duration_s=3700.0,
    size=1_234_567,
    changed_at=1e9,
    num_checkpoints=2,
    agent="ppo",
    mode="adaptive",
    seed=1,
    settings=RunConfig(),
)
BEST = replace(
    ROW,
    run_id="best",
    labels=RunLabels("Baseline", "clip of 0.1", ("v2", "clean")),
    status=RunStatus.FINISHED,
    success=0.9,
    total_steps=50_000,
    settings=RunConfig(ppo=PPOConfig(clip=0.1)),
)
NEW = replace(
    ROW,
    run_id="new",
    status=RunStatus.RUNNING,
    success=math.nan,
    mean_return=math.nan,
    agent="dqn",
    settings=RunConfig(agent="dqn"),
)
DAMAGED = replace(NEW, run_id="bad", status=RunStatus.DAMAGED, reason="it is torn", settings=None)
ROWS = (ROW, BEST, NEW, DAMAGED)


def ids(view: TableView) -> list[str]:
    return [row.run_id for group in arrange(ROWS, view) for row in group.rows]


def test_the_columns_of_the_command_are_those_of_the_table() -> None:
    assert tuple(column.key for column in COLUMNS) == COLUMN_KEYS
    assert {c.key for c in COLUMNS if isinstance(c.value(ROW), str)} == WORDS


@pytest.mark.parametrize(
    ("sort", "is_reversed", "first"),
    [
        ("success", False, ["best", "20261101-120000"]),
        ("success", True, ["20261101-120000", "best"]),
        ("run", False, ["20261101-120000", "bad", "best", "new"]),
        ("run", True, ["new", "best", "bad", "20261101-120000"]),
        ("name", True, ["best"]),
        ("steps", False, ["best"]),
    ],
)
def test_numbers_come_the_largest_first_words_from_a_to_z_and_nothing_last(
    sort: str, is_reversed: bool, first: list[str]
) -> None:
    found = ids(TableView(sort, is_reversed=is_reversed))
    assert found[: len(first)] == first
    assert sorted(found) == sorted(row.run_id for row in ROWS)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", ["20261101-120000", "best", "new", "bad"]),
        ("BASE", ["best"]),
        ("clip", ["best"]),
        ("#v2", ["best"]),
        ("#v", []),
        ("tag=clean", ["best"]),
        ("tag!=clean", ["20261101-120000", "new", "bad"]),
        ("state=running", ["new"]),
        ("finished", ["best"]),
        ("agent=ppo success>80%", ["best"]),
        ("success>=0.5", ["20261101-120000", "best"]),
        ("success<60%", ["20261101-120000"]),
        ("success=90% stage=2/4", ["best"]),
        ("steps>30k", ["best"]),
        ("steps=21504", ["20261101-120000", "new", "bad"]),
        ("duration>1h", ["20261101-120000", "best", "new", "bad"]),
        ("duration>2h", []),
        ("size<1M", []),
        ("ppo.clip=0.1", ["best"]),
        ("ppo.clip>0.15", ["20261101-120000", "new"]),
        ("agent=dqn", ["new", "bad"]),
        ("agent>1", []),
        ("steps=many", []),
    ],
)
def test_a_filter_takes_words_tags_and_comparisons(words: str, found: list[str]) -> None:
    assert ids(TableView(words=words)) == found


@pytest.mark.parametrize(
    ("view", "text"),
    [
        (TableView(sort="sucess"), "no column 'sucess'. Did you mean success"),
        (TableView(words="ppo.clop=1"), "Did you mean ppo.clip"),
        (TableView(group="agnet"), "Did you mean agent"),
        (TableView(words="zzz=1"), "Columns: run, name"),
        (TableView(words="steps>many"), "'many', which is not a number"),
        (TableView(words="duration>x"), "invalid duration"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_may_be_meant(view: TableView, text: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        arrange(ROWS, view)
    assert text in str(error.value)


def test_a_group_has_the_means_and_sums_of_its_runs() -> None:
    ppo, dqn = arrange(ROWS, TableView(group="agent"))
    assert [row.run_id for row in ppo.rows] == ["20261101-120000", "best"]
    keys = ("run", "state", "steps", "episodes", "success", "return")
    texts = ["▾ ppo", "2 runs", "71,504", "80", "70%", "12.00"]
    assert [ppo.text(key) for key in keys] == texts
    assert dqn.text("success") == "–"
    assert [group.value for group in arrange(ROWS, TableView(group="ppo.clip"))] == [
        "0.2", "0.1", "–",
    ]  # fmt: skip


def test_runs_can_be_grouped_by_settings_that_differ() -> None:
    assert differing_keys(ROWS) == ["agent", "ppo.clip"]
    assert differing_keys(ROWS[:1]) == []


def test_eighty_columns_have_name_state_steps_success_return_and_when() -> None:
    found = fitting([ROW, BEST], 71)
    assert [c.key for c in found] == ["run", "state", "steps", "success", "return", "when"]
    assert [found[0].text(row) for row in (ROW, BEST)] == ["20261101-120000", "Baseline"]


def test_wide_screens_have_the_id_beside_the_name_and_every_column() -> None:
    found = fitting(ROWS, 250)
    assert [column.key for column in found] == list(COLUMN_KEYS)
    assert found[0].text(BEST) == "best"
    assert found[-1].text(DAMAGED) == "cannot be read: it is torn"


def test_columns_that_would_be_empty_are_left_out() -> None:
    keys = [column.key for column in fitting([ROW], None)]
    assert not {"name", "tags", "note"} & set(keys)


@pytest.mark.parametrize("width", range(1, 260, 7))
def test_columns_never_need_more_than_the_width(width: int) -> None:
    found = fitting(ROWS, width)
    assert sum(column.width for column in found) + 2 * (len(found) - 1) <= max(width, 15)


@pytest.mark.parametrize(
    ("value", "text"),
    [(12.345, "12.35"), (-999.0, "-999.00"), (12345.6, "12,346"), (math.nan, "–")],
)
def test_returns_have_room_in_eight_cells(value: float, text: str) -> None:
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (59.4, "59s"), (61, "1m 1s"), (3600, "1h 0m"), (90_061, "1d 1h"), (math.nan, "–")],
)
def test_durations_have_two_units(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (5e8, "477 MB"), (2.34e9, "2.2 GB")],
)
def test_sizes_are_short(size: float, text: str) -> None:
    assert size_text(size) == text
