"""`poketui bench play`: an agent plays several seeds from power-on."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.bench.play import Proof, table
from engine.bench.playthrough import Mark, Playthrough, Standstill
from engine.games.catalog import load_game
from pokeTUI.cli.main import main


@pytest.fixture
def exit_code(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    def run(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["poketui", "bench", "play", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0)

    return run


def test_table_has_seeds_milestones_and_standstills() -> None:
    stuck = Standstill(700, 20, "CAVE", (3, 5), "A rock.")
    proof = Proof(
        load_game(),
        "rules",
        "",
        [
            Playthrough(0, True, 90, 0.5, {"first_badge": Mark(90, 0.5)}, 0, None, "goal reached"),
            Playthrough(1, False, 1500, 2.0, {}, 2, stuck, "out of steps"),
        ],
    )
    lines = list(table(proof))
    assert "| 0 | goal reached | 90 | 0.5 | 0 | – |" in lines
    assert "| 1 | out of steps | 1,500 | 2.0 | 2 | 700 steps |" in lines
    assert "| first_badge | 90 (0.5) | – |" in lines
    assert (
        "Seed 1 was stuck for 700 steps after step 20: CAVE (3, 5); on the screen: A rock." in lines
    )
    assert lines[-1] == "rules: 1 of 2 seeds reached the first badge, median 90 steps."


def test_table_says_how_many_frames_a_step_took() -> None:
    played = [Playthrough(0, steps=90, frames=2700), Playthrough(1, steps=10, frames=800)]
    lines = list(table(Proof(load_game(), "rules", "", played)))
    assert "A step took 35 frames of the game on average." in lines


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
    code = exit_code("--seeds", "2", "--min-successes", "2", "--json", str(file), *saves)
    assert code == 0
    facts = json.loads(file.read_text())
    assert (facts["successes"], facts["min_successes"], facts["is_whole"]) == (2, 2, True)
    assert [each["seed"] for each in facts["seeds"]] == [0, 1]
    for each in facts["seeds"]:
        assert each.keys() == {
            "seed", "is_success", "steps", "minutes", "milestones", "whiteouts", "stuck", "ending",
        }  # fmt: skip
        assert each["milestones"]["first_badge"]["steps"] == each["steps"]
    assert "rules: 2 of 2 seeds reached the first badge" in capsys.readouterr().out


@pytest.mark.slow
def test_too_few_successes_are_exit_code_1(exit_code, tmp_path: Path) -> None:
    few = ("--agent", "random", "--seeds", "1", "--steps", "30", "--save-dir", str(tmp_path))
    assert exit_code(*few, "--min-successes", "1") == 1
    assert exit_code(*few) == 0
