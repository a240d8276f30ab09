"""`poketui runs`: the table in its forms, and what it changes."""

import json
import re
from pathlib import Path

import pytest

from engine.runs.folder import RunFolder
from engine.runs.labels import read_labels
from engine.runs.lock import RunStatus
from pokeTUI.cli import run_reports
from tests.pokeTUI.in_process import poketui, succeed
from tests.saved_runs import save_run


@pytest.fixture
def saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POKETUI_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("POKETUI_RUNTIME_DIR", str(tmp_path / "sockets"))
    monkeypatch.setenv("POKETUI_SAVE_DIR", str(tmp_path / "saves"))
    saves = tmp_path / "saves"
    save_run(saves, [0.0, 0.0, 4.0], run_id="poor", changed_s=1e9, status=RunStatus.RUNNING)
    save_run(saves, [1.0, 3.0], run_id="good", changed_s=1e9 + 60, agent="dqn")
    return saves


def said(*arguments: str) -> str:
    done = succeed("runs", *arguments)
    return done.stdout


def refused(*arguments: str) -> str:
    done = poketui("runs", *arguments)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    return line


def listed(*arguments: str) -> list[str]:
    lines = said(*arguments).splitlines()
    return [line.split()[0] for line in lines if re.match("poor|good|▾", line)]


def test_the_table_has_the_figures_of_each_run(saves: Path) -> None:
    head, good, poor = said().splitlines()[:3]
    assert head.split()[:7] == ["run", "state", "steps", "episodes", "success", "return", "stage"]
    assert good.split()[:8] == ["good", "■", "stopped", "200", "2", "100%", "2.00", "1/5"]
    assert poor.split()[:8] == ["poor", "✗", "crashed", "300", "3", "33%", "1.33", "1/5"]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ((), ["good", "poor"]),
        (("--once",), ["good", "poor"]),
        (("--watch",), ["good", "poor"]),  # once: this is no terminal
        (("--reverse",), ["poor", "good"]),
        (("--sort", "steps"), ["poor", "good"]),
        (("--filter", "agent=dqn"), ["good"]),
        (("--filter", "crashed", "--filter", "success<50%"), ["poor"]),
        (("--group", "agent", "--sort", "success"), ["▾", "good", "▾", "poor"]),
    ],
)
def test_runs_are_sorted_filtered_and_grouped(
    saves: Path, arguments: tuple[str, ...], found: list[str]
) -> None:
    assert listed(*arguments) == found


def test_where_nothing_matches_or_nothing_is_saved_it_says_so(saves: Path, tmp_path: Path) -> None:
    assert said("--filter", "none") == "None of 2 runs matches: none\n"
    assert "No saved runs in " in said("--save-dir", str(tmp_path / "empty"))


def test_json_has_a_run_for_each_line(saves: Path) -> None:
    found = json.loads(said("--json", "--sort", "steps", "--group", "agent"))
    assert found["policies"] == []
    poor, good = found["runs"]
    assert (poor["run"], poor["state"], poor["group"]) == ("poor", "crashed", "ppo")
    assert (good["success"], good["return"], good["duration_s"]) == (1.0, 2.0, None)
    assert good["changed_at"] == "2001-09-09T01:47:40+00:00"
    assert Path(good["path"]) == saves / "runs" / "good"
    (only,) = json.loads(said("good", "--json"))["runs"]
    assert only == {key: value for key, value in good.items() if key != "group"}


def test_a_run_is_named_noted_and_tagged_and_found_by_its_name(saves: Path) -> None:
    text = said("good", "--name", "the best", "--note", "clip 0.1", "--tag", "v2", "--tag", "x")
    assert text == "good: name the best, #v2 #x, clip 0.1\n"
    assert said("the best", "--untag", "x") == "good: name the best, #v2, clip 0.1\n"
    assert said("good", "poor", "--tag", "both").splitlines()[1] == "poor: #both"
    assert read_labels(saves / "runs" / "good").tags == ("v2", "both")
    assert listed("--filter", "#both") == ["good", "poor"]
    assert "the best" in said()
    assert said("the best").splitlines()[0] == "good"
    assert said("good", "--name", "", "--note", "", "--untag", "v2", "--untag", "both") == (
        "good: no labels\n"
    )


def test_deleted_runs_are_restored(saves: Path) -> None:
    text = said("good", "poor", "--delete", "--yes")
    assert "poketui runs good --restore" in text
    assert listed() == []
    assert said("good", "--restore") == f"Restored to {saves / 'runs' / 'good'}.\n"
    assert listed() == ["good"]


def test_runs_are_not_deleted_without_a_yes(saves: Path) -> None:
    assert "Add --yes" in refused("good", "--delete")
    assert listed() == ["good", "poor"]


def test_a_run_in_use_is_listed_as_running_and_not_deleted(saves: Path) -> None:
    folder = RunFolder(saves / "runs" / "good")
    folder.lock()
    try:
        assert "● running" in said("--filter", "good")
        assert "in use by another process" in refused("good", "--delete", "--yes")
    finally:
        folder.unlock()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--name", "x"), "No run is named."),
        (("--delete",), "No run is named."),
        (("good", "poor", "--name", "x"), "2 runs cannot have one name."),
        (("good", "--name", "latest"), "cannot be named latest"),
        (("good", "--tag", "a b"), "A tag is one word"),
        (("good", "--delete", "--restore"), "exclude each other"),
        (("good", "--sort", "steps"), "The table lists all runs"),
        (("good", "--restore"), "It is empty."),
        (("--sort", "step"), "Did you mean steps"),
        (("--filter", "agnet=ppo"), "Did you mean agent"),
        (("--group", "x.y"), "no column or setting 'x.y'"),
        (("none", "--delete", "--yes"), "no saved run 'none'"),
    ],
)
def test_a_mistake_is_one_line_with_remedy(
    saves: Path, arguments: tuple[str, ...], text: str
) -> None:
    assert text in refused(*arguments)


def test_lines_are_no_wider_than_the_terminal(saves: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said("good", "--note", "much to say " * 20)
    table = run_reports.RunTable(str(saves))
    for width in (60, 80, 120, 200):
        groups = run_reports.arrange(table.look(), run_reports.TableView())
        lines = list(run_reports._lines(groups, run_reports.TableView(), width))
        assert max(map(len, lines)) <= width
        assert all("good" in lines[1] and "stopped" in lines[1] for _ in lines)


@pytest.mark.parametrize("number", ["1.7e308", "1e400", "9" * 5000, "true", "[]"])
def test_a_run_with_impossible_numbers_says_so_and_hides_no_other(saves: Path, number: str) -> None:
    journal = saves / "runs" / "poor" / "journal.jsonl"
    *_, last = journal.read_text().splitlines()
    odd = last.replace('"total_reward": 4.0', f'"total_reward": {number}')
    assert odd != last
    journal.write_text(f"{odd}\n{last}\n{odd}\n")
    lines = said().splitlines()[1:3]
    (poor,) = (line for line in lines if line.startswith("poor"))
    assert poor.split()[:8] == ["poor", "!", "crashed", "300", "1", "100%", "4.00", "1/5"]
    assert poor.endswith("2 damaged lines in journal.jsonl")
    assert "good" in "".join(lines)
    facts = {row["run"]: row["damaged_lines"] for row in json.loads(said("--json"))["runs"]}
    assert facts == {"good": 0, "poor": 2}
    for names in (["poor"], ["poor", "good"], ["poor", "good", "poor"]):
        done = succeed("runs", *names)
        assert "2 damaged lines" in done.stderr
