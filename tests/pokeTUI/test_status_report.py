from dataclasses import replace
from pathlib import Path

from engine import events
from engine.types import AntiStuckStatus, EpisodeSummary
from pokeTUI.app.headless import battles_line
from pokeTUI.dashboard.status_report import end_report, status_report
from tests.pokeTUI.fake_session import (
    make_curriculum,
    make_game,
    make_measured,
    make_reward,
    make_run,
    make_status,
)
from tests.pokeTUI.in_process import poketui, succeeded
from tests.pokeTUI.pane_app import fold_all
from tests.pokeTUI.test_cli import SMALL, headless

PAID = (("milestone", 20.0), ("exploration", 8.0), ("map", 0.5), ("step", -1.5), ("catch", 0.0))


def everything(anti_stuck: AntiStuckStatus | None = None) -> list[events.Event]:
    summary = EpisodeSummary(0, 27.0, 1400, PAID, is_success=True)
    return [
        make_run(),
        make_status(
            total_steps=12_345,
            steps_per_s=812.4,
            episode=9,
            uptime_s=132.0,
            shares=(("policy", 0.5), ("planner", 0.5)),
            watched_env=0,
            episodes_per_hour=405.2,
        ),
        events.EpisodeEnded(9, 12_000, summary),
        make_curriculum(stage=2, num_stages=5, planner_share=0.6),
        events.PlannerStatusChanged("smol", "ready", calls=12, median_latency_s=0.84),
        events.PolicyUpdated(41, 12_000, {"entropy": 1.234, "value_loss": 0.087}),
        events.GameObserved(make_game(), None, frozenset(), anti_stuck=anti_stuck),
        make_reward(),
        make_measured(),
    ]


def test_the_status_has_every_documented_figure_in_short_lines() -> None:
    lines = status_report(fold_all(everything(AntiStuckStatus(12))), 71)
    assert lines == [
        "steps 12,345 · 812 steps/s · episode 9 (405/hour) · up 2.2 min",
        "return 27.0 · success 100% of last 1 · milestone +20.0",
        "exploration +8.0 · step -1.5 · map +0.5",
        "stage 2/5 · planner 50% of decisions (weight 60%) · model ready · 0.8 s",
        f"12 queries · {make_run().agent} update 41 · value loss 0.09 · entropy 1.23",
        "game 1: MILLBROOK PATH 9,12 · level 11 · 0 badges · money 2,860",
        f"reward {sum(value for _, value in make_reward().episode):.1f} · idle 12 steps",
        "memory 1.1 GB · decision database 3 MB (+36 MB/hour)",
    ]


def test_the_status_says_what_is_masked_while_a_game_is_stuck() -> None:
    stuck = AntiStuckStatus(idle_steps=64, masked=(1, 5), interventions=3)
    names = make_run().actions
    text = " · ".join(status_report(fold_all(everything(stuck)), 71))
    assert f"stuck: {names.name(1)}, {names.name(5)} masked · 3 anti-stuck interventions" in text


def test_what_is_not_known_is_left_out_of_the_status() -> None:
    assert status_report(fold_all([make_run()]), 71) == ["starting"]
    bare = [make_run(), replace(make_status(), episodes_per_hour=0.0)]
    assert len(status_report(fold_all(bare), 71)) == 1


def test_the_end_of_a_run_is_told_with_its_speed_and_what_it_took() -> None:
    assert end_report(fold_all(everything())) == (
        "steps 12,345 · 812 steps/s · episode 9 (405/hour) · up 2.2 min · memory 1.1 GB · "
        "decision database 3 MB (+36 MB/hour)"
    )
    assert end_report(fold_all([make_run()])) == ""


def test_a_headless_run_of_the_practice_game_prints_its_status(tmp_path: Path) -> None:
    result = succeeded(headless(tmp_path, *SMALL, "--steps", "64"))
    status = result.stdout[result.stdout.rindex("steps 64 ·") :].splitlines()[:-1]
    assert max(map(len, status)) <= 80
    text = " ".join(status)
    for part in ("game 1: ", "· reward ", "· idle ", "memory ", "decision database ", "stage 1/5"):
        assert part in text


def test_the_documented_headless_example_runs_and_is_quiet(tmp_path: Path) -> None:
    done = poketui(
        "run", "--no-dqn", "--quiet", *SMALL, "--steps", "64", "--save-dir", str(tmp_path)
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Saved at step 64.")
    (config,) = tmp_path.glob("runs/*/config.json")
    assert '"agent": "rules"' in config.read_text()


def test_a_greedy_evaluation_is_told_from_drawn_play_and_has_an_interval() -> None:
    greedy = events.OpponentScore("heuristics (greedy)", 300, 90, 0, 200, 82.0)
    drawn = events.OpponentScore("random", 900, 800, 0, 500, 450.0)
    progress = events.BattlesProgressed(9, 8, 7, 1.0, 1.0, 9.0, 0, (greedy, drawn))
    line = battles_line(progress, uptime_s=60.0)
    assert " · heuristics (greedy) 41% (34-48%) of last 200 · random 90% of last 500 · " in line
