import csv
import json
import math

import pytest

from engine.errors import CheckpointError, ConfigurationError
from engine.events import CurriculumChanged, EvaluationEnded, PolicyUpdated
from engine.runs.export import export_run
from engine.types import Evaluation
from tests.saved_runs import ended, save_run

EVALUATION = Evaluation(
    5, 2.0, 0.5, 30.0, 0.0, 0.2, {"badge": 0.6}, milestone_rate=0.3, avg_q_value=1.5
)


@pytest.fixture
def run(tmp_path) -> str:
    moved = CurriculumChanged(2, 5, "x", 0.7, 0.4, 3, 10, math.nan, math.nan, "", has_moved=True)
    events = [
        ended(1, 1.5, is_success=True, recording="long"),
        PolicyUpdated(1, 128, {"entropy": 1.0}),
        moved,
        ended(2, 2.5, steps_to_milestone={"badge": 9}),
        PolicyUpdated(2, 256, {"entropy": math.nan, "kl": 0.1}),
        EvaluationEnded(2, 256, EVALUATION),
    ]
    return save_run(tmp_path, events=events).name


def rows(path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_episodes_are_a_row_each_with_a_column_a_component_and_milestone(tmp_path, run):
    path, count = export_run(str(tmp_path), run, out=tmp_path / "episodes.csv")
    first, second = rows(path)
    assert count == 2
    assert (first["episode"], first["total_steps"], first["total_reward"]) == ("1", "100", "1.5")
    assert (first["is_success"], second["is_success"]) == ("1", "0")
    assert (first["component:goal"], second["component:goal"]) == ("1.5", "2.5")
    assert (first["milestone:badge"], second["milestone:badge"]) == ("", "9")
    assert "recording" not in first


def test_updates_and_evaluations_are_tables_too(tmp_path, run):
    path, _ = export_run(str(tmp_path), run, table="updates", out=tmp_path / "updates.csv")
    assert rows(path) == [
        {"update": "1", "total_steps": "128", "entropy": "1.0", "kl": ""},
        {"update": "2", "total_steps": "256", "entropy": "", "kl": "0.1"},
    ]
    path, _ = export_run(str(tmp_path), run, table="evaluations", out=tmp_path / "e.csv")
    (row,) = rows(path)
    assert (row["episode"], row["avg_reward"], row["milestone:badge"]) == ("2", "2.0", "0.6")
    assert (row["milestone_rate"], row["avg_q_value"], row["std_q_value"]) == ("0.3", "1.5", "")


def test_json_holds_everything_and_is_plain(tmp_path, run):
    path, count = export_run(str(tmp_path), run, form="json", out=tmp_path / "all.json")
    found = json.loads(path.read_text(), parse_constant=lambda name: pytest.fail(name))
    assert (found["run"], found["config"]["agent"]) == (run, "ppo")
    sizes = {name: len(found[name]) for name in ("episodes", "updates", "evaluations")}
    assert sizes == {"episodes": 2, "updates": 2, "evaluations": 1}
    assert found["updates"][1]["entropy"] is None
    assert found["curriculum"][0]["stage"] == 2
    assert count == 6


def test_a_run_without_episodes_is_an_empty_table(tmp_path):
    path, count = export_run(str(tmp_path), save_run(tmp_path).name, out=tmp_path / "episodes.csv")
    assert (count, rows(path)) == (0, [])


def test_export_overwrites_only_if_asked(tmp_path, run):
    path = tmp_path / "mine.csv"
    path.write_text("mine")
    with pytest.raises(ConfigurationError, match=r"mine\.csv already exists"):
        export_run(str(tmp_path), run, out=path)
    assert path.read_text() == "mine"
    export_run(str(tmp_path), run, out=path, is_forced=True)
    assert len(rows(path)) == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"form": "xml"}, "Unknown format: 'xml'.*csv, json"),
        ({"table": "x"}, "Unknown table: 'x'.*episodes, updates, evaluations"),
        ({"out": "no/such.csv"}, "Cannot write"),
        ({"out": ".", "is_forced": True}, "Cannot write"),
        ({"run": "nobody"}, "nobody"),
    ],
)
def test_export_refuses_in_one_line(tmp_path, run, options, words):
    given = {"run": run} | options
    given |= {"out": tmp_path / given["out"]} if "out" in given else {}
    with pytest.raises((ConfigurationError, CheckpointError), match=words):
        export_run(str(tmp_path), given.pop("run"), **given)
    assert not list(tmp_path.glob("*.tmp"))
