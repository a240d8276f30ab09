"""`poketui bench play`: an agent plays several seeds from power-on."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.bench.play import LEAST_STEPS, usual_steps
from engine.bench.play_notes import Mark, Playthrough, Situation, Spent, Standstill
from engine.bench.play_tables import Proof, table
from engine.games.base import Scale
from engine.games.catalog import load_game
from engine.ground.processes import python_command
from pokeTUI.cli.main import main


@pytest.fixture
def exit_code(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    def run(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["poketui", "bench", "play", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0)

    return run


def _proof(*played: Playthrough) -> Proof:
    return Proof(load_game(), "rules", "", list(played))


def _long_game(seed: int) -> Playthrough:
    marks = {key: Mark(123_456, 123.4) for key, _ in load_game().milestones}
    texts = ["A long text that is on the screen. " * 4] * 5
    party = (("RILLET", 99, 300, 300),) * 6
    last = Situation("MOSS ISLE", (3, 4), "Take the stairs", "walk", (), party, 3, 9)
    spent = Spent(100_000, 20_000, 3_456, 0, 99)
    return Playthrough(
        seed, False, 123_456, 123.4, marks, 12, None, spent, 9_999_999, texts,
        ["MILLBROOK PATH"] * 10, last, "out of steps",
    )  # fmt: skip


def test_table_has_seeds_badges_milestones_and_standstills() -> None:
    stuck = Standstill(700, 20, "CAVE", (3, 5), "A rock.")
    won = {"left_house": Mark(14, 0.1), "first_badge": Mark(90, 0.5)}
    spent = Spent(45, 9, 36, 0, 9)
    lines = list(
        table(
            _proof(
                Playthrough(0, True, 90, 0.5, won, 0, None, spent, 2700, ending="goal reached"),
                Playthrough(1, False, 1500, 2.0, {}, 2, stuck, ending="out of steps"),
            )
        )
    )
    rows = [" ".join(line.split()) for line in lines]
    for row in (
        "| 0 | goal reached | 90 | 0.5 | 0 | – |",
        "| 1 | out of steps | 1,500 | 2.0 | 2 | 700 steps |",
        "| 0 | 50 % | 10 % | 40 % | 0 % | 10 % | 30 |",
        "| first_badge | 90 (0.5) | – |",
        "| left_house | 14 (0.1) | – |",
    ):
        assert rows.count(row) == 1
    assert "Seed 1: out of steps after 1,500 steps" in lines
    said = "700 steps after step 20, CAVE (3, 5); on the screen: A rock."
    assert said in " ".join(rows)
    assert lines[-1] == "rules: 1 of 2 seeds reached the first badge, median 90 steps."


@pytest.mark.parametrize("seeds", [1, 2, 10])
def test_table_fits_80_columns(seeds: int) -> None:
    lines = list(table(_proof(*map(_long_game, range(seeds)))))
    assert max(map(len, lines)) <= 80
    assert sum("123,456 (123.4)" in line for line in lines) >= seeds


def test_table_of_many_seeds_has_a_row_for_each_seed_and_ranges_of_milestones() -> None:
    marks = [{"left_house": Mark(steps, 0.1), "first_badge": Mark(9, 1)} for steps in (5, 7, 9, 30)]
    played = [Playthrough(seed, milestones=mark) for seed, mark in enumerate(marks)]
    rows = [" ".join(line.split()) for line in table(_proof(*played))]
    assert [f"| {seed} | 9 (1.0) |" in rows for seed in range(4)] == [True] * 4
    assert "| left_house | 4 | 8 | 5 | 30 |" in rows


def test_what_a_game_stopped_before_can_be_handed_on() -> None:
    last = Situation(
        "GLIMMER ROAD", (9, 15), "Rest", "heal RILLET", ("got_lamp",), (("RILLET", 11, 10, 35),),
        2, 1497,
    )  # fmt: skip
    found = Playthrough(
        0, steps=500, texts=["Use it?"], maps=["GYM", "GLIMMER ROAD"], last=last, ending="stuck"
    )
    lines = list(table(_proof(found)))
    for line in (
        "  place: GLIMMER ROAD (9, 15)",
        "  goal: Rest",
        "  last advice: heal RILLET",
        "  set aside: got_lamp",
        "  party: RILLET 11 (10/35)",
        "  bag: 2 kinds of items; money 1,497",
        "  maps, newest last: GYM, GLIMMER ROAD",
        "  text 1: Use it?",
    ):
        assert line in lines


def test_limit_of_steps_grows_with_the_way_to_the_goal() -> None:
    game = load_game()
    assert usual_steps(game, "") == LEAST_STEPS
    scale = Scale(episode_steps=30_000, milestone_steps=1_000)
    game.tables = dataclasses.replace(game.tables, SCALE=scale)
    assert usual_steps(game, "") == 30_000
    assert usual_steps(game, "second_badge") > 30_000


def test_unknown_goal_is_refused_with_exit_code_2(
    exit_code, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("--goal", "first_bage") == 2
    assert "first_badge" in capsys.readouterr().err


def test_more_successes_than_seeds_are_refused(
    exit_code, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("--seeds", "2", "--min-successes", "3") == 2
    assert "--min-successes" in capsys.readouterr().err


@pytest.mark.slow
def test_agent_that_nobody_knows_is_refused(
    exit_code, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("--agent", "nobody", "--seeds", "1", "--save-dir", str(tmp_path)) == 2
    assert "nobody" in capsys.readouterr().err


@pytest.mark.slow
def test_rules_reach_the_badge_and_all_figures_are_written(
    exit_code, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "figures.json"
    saves = ("--save-dir", str(tmp_path / "saves"))
    arguments = ("--seeds", "2", "--min-successes", "2", "--json", str(file), *saves)
    assert exit_code(*arguments) == 0
    facts = json.loads(file.read_text())
    assert (facts["successes"], facts["min_successes"], facts["is_whole"]) == (2, 2, True)
    assert [each["seed"] for each in facts["seeds"]] == [0, 1]
    for each in facts["seeds"]:
        assert each.keys() == {field.name for field in dataclasses.fields(Playthrough)}
        assert each["milestones"]["first_badge"]["steps"] == each["steps"]
    assert "rules: 2 of 2 seeds reached the first badge" in capsys.readouterr().out
    assert exit_code(*arguments) == 0
    assert json.loads(file.read_text()) == facts
    assert capsys.readouterr().err.count("was played before") == 2


@pytest.mark.slow
def test_too_few_successes_are_exit_code_1(exit_code, tmp_path: Path) -> None:
    few = ("--agent", "random", "--seeds", "1", "--steps", "30", "--save-dir", str(tmp_path))
    assert exit_code(*few, "--min-successes", "1") == 1
    assert exit_code(*few) == 0


def _command(folder: Path, *arguments: str) -> list[str]:
    out = ("--out", str(folder / "figures.json"), "--save-dir", str(folder / "saves"))
    game = ("--player", "random", "--goal", "moss_light", "--seeds", "1", "--minutes", "60")
    return python_command("pokeTUI", "bench", "play", *game, *out, *arguments)


def _interrupted(folder: Path, after_s: float) -> dict[str, Any]:
    """Play without end, and press Ctrl-C; return what is known of the seed."""
    command = _command(folder, "--steps", "1000000")
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, stdout=subprocess.PIPE)
    time.sleep(after_s)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "The same command resumes it." in said
    facts = json.loads((folder / "figures.json").read_text())
    assert facts["is_whole"] is False
    # On a slow machine it may not have begun to play by then.
    return facts["seeds"][0] if facts["seeds"] else _interrupted(folder, 2 * after_s)


@pytest.mark.slow
def test_ctrl_c_saves_the_game_and_the_same_command_resumes_it(tmp_path: Path) -> None:
    known = _interrupted(tmp_path, 5.0)
    assert (known["ending"], known["steps"] > 0) == ("", True)
    assert known["last"]["map"]
    steps = known["steps"] + 100

    def played(*arguments: str) -> tuple[dict[str, Any], str]:
        command = _command(tmp_path, "--steps", str(steps), *arguments)
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        (found,) = json.loads((tmp_path / "figures.json").read_text())["seeds"]
        del found["minutes"]
        found["milestones"] = {k: mark["steps"] for k, mark in found["milestones"].items()}
        return found, done.stderr

    resumed, said = played()
    assert f"seed 0: resumes, after {known['steps']:,} step" in said
    anew, said = played("--anew")
    assert "resumes" not in said
    assert resumed == anew
    assert resumed["steps"] == steps
