from dataclasses import replace

import pytest
from textual.widgets import OptionList

from engine import events
from engine.commands import SetMode, SetStrategy
from engine.config import CurriculumConfig
from engine.curriculum.scheduler import Curriculum
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.panes.curriculum import CurriculumPane
from tests.pokeTUI.fake_session import make_curriculum, make_run, make_status
from tests.pokeTUI.long_run import long_run
from tests.pokeTUI.pane_app import fold_all, open_pane, texts

SIZES = ((24, 4), (38, 20), (54, 4), (54, 12), (74, 16), (118, 30), (198, 56))
STATE = long_run()


def make_pane() -> CurriculumPane:
    return CurriculumPane()


def shown(state: DashboardState, size: tuple[int, int]) -> list[str]:
    return [line.rstrip() for line in texts(make_pane(), state, size)]


@pytest.mark.parametrize("size", SIZES)
def test_stage_and_what_is_missing_show_at_every_size(size: tuple[int, int]) -> None:
    lines = shown(STATE, size)
    assert "3 of 4" in lines[0]
    assert "3 more" in "".join(lines[:3])
    assert len(lines) >= min(size[1], 10)


def test_where_episodes_begin_shows_if_not_at_power_on() -> None:
    long = "26 cells on 4 maps; farthest: 3 milestones"
    narrow = " ".join(
        line.strip() for line in shown(fold(STATE, events.StartsChanged(long)), (36, 21))
    )
    assert long in narrow
    text = "demo 85 %: 4 of the last 10 succeeded"
    assert text in " ".join(shown(fold(STATE, events.StartsChanged(text)), (54, 12)))
    assert "starts" not in " ".join(shown(STATE, (54, 12)))
    before = fold(STATE, make_curriculum(recent=()))  # no episode from power-on ended yet
    assert text in " ".join(shown(fold(before, events.StartsChanged(text)), (54, 4)))


def test_before_the_first_episode_it_says_so() -> None:
    assert "starts with the first episode" in " ".join(shown(DashboardState(), (38, 20)))


def test_a_replay_trains_nothing_and_says_so() -> None:
    state = fold(DashboardState(), replace(make_run(), mode=events.REPLAY))
    text = " ".join(shown(state, (38, 20)))
    assert "Nothing is trained here" in text
    assert "starts" not in text


@pytest.mark.parametrize("size", [(36, 18), (54, 4), (54, 12)])
def test_the_longest_that_can_be_missing_is_never_cut(size: tuple[int, int]) -> None:
    curriculum = Curriculum(CurriculumConfig(confidence_decay_rate=1e-9), 500.0)
    for _ in range(60):
        record = curriculum.record(400.0, is_success=True, is_approved=False)
    assert record.missing == "when the strategy relies less on the planner"
    lines = shown(fold(STATE, make_curriculum(missing=record.missing)), size)
    assert record.missing in " ".join(" ".join(lines[1:3]).split())


def test_the_last_stage_misses_nothing() -> None:
    last = make_curriculum(stage=4, missing="", threshold=float("nan"))
    assert "this is the last stage" in "\n".join(shown(fold(STATE, last), (54, 12)))


def test_ten_bars_stand_against_the_threshold() -> None:
    recent = (*[10.0] * 5, *[90.0] * 5)
    facts = {"threshold": 80.0, "average_reward": 50.0, "episodes_in_stage": 10}
    state = fold_all([make_run(), make_curriculum(recent=recent, **facts)])
    lines = shown(state, (54, 14))
    (line,) = [line for line in lines if line.lstrip().startswith("80")]
    assert "┄┄┄" in line[:30]
    assert "█" not in line[:28]
    assert "█" in line[28:]


@pytest.mark.parametrize("size", [(36, 18), (54, 4), (54, 12)])
def test_thresholds_in_milestones_have_their_unit_and_bars(size: tuple[int, int]) -> None:
    facts = {"threshold": 4.8, "average_reward": 3.5, "episodes_in_stage": 10}
    now = make_curriculum(unit="milestones", recent=(2.0, 5.0) * 5, **facts)
    lines = shown(fold(STATE, now), size)
    (last,) = [line for line in lines if line.startswith("last 10")]
    assert "3.5 of 4.8" in last
    assert "milestones" in last
    if size[1] >= 18:
        assert any(line.lstrip().startswith("4.80 ") for line in lines), "the threshold's line"


def test_a_stage_reached_by_milestones_says_how_many() -> None:
    now = make_curriculum(unit="milestones", recent=(6.0, 7.0), threshold=4.8)
    state = fold_all([now, replace(now, stage=now.stage + 1, has_moved=True)])
    assert state.moves[-1].cause == "mean 6.5 milestones, threshold 4.8"


def test_episodes_before_this_stage_are_marked_as_not_counted() -> None:
    assert "not counted" in "\n".join(shown(STATE, (74, 30)))


def test_sources_are_one_bar_of_their_signs() -> None:
    lines = shown(STATE, (74, 16))
    (bar,) = [line for line in lines if line.startswith("decided")]
    assert bar.count("●") > bar.count("◆") > bar.count("■") >= bar.count("▲") > 0
    assert "policy 71%" in "\n".join(lines)


def test_sources_that_nobody_counted_are_said_so() -> None:
    state = fold(STATE, make_status())
    assert "no decisions counted yet" in "\n".join(shown(state, (54, 12)))


def test_the_strategy_in_force_and_the_one_that_is_set_both_show() -> None:
    lines = shown(STATE, (74, 16))
    (line,) = [line for line in lines if line.startswith("mode")]
    assert "adaptive" in line
    assert "llm_heavy (rules)" in line  # no model is set, whatever the strategy's name says
    assert "set to adaptive" in line
    state = fold(STATE, events.PlannerStatusChanged("smollm2", "ready"))
    (line,) = [line for line in shown(state, (74, 16)) if line.startswith("mode")]
    assert "llm_heavy  set to" in line


def test_a_strategy_fixed_by_a_person_is_marked() -> None:
    steering = events.SteeringChanged("adaptive", "balanced", "", "", ())
    state = replace(fold(STATE, steering), strategy="balanced")
    assert "balanced  fixed by you" in "\n".join(shown(state, (74, 16)))


def test_the_history_has_the_newest_first_with_episode_and_cause() -> None:
    lines = shown(STATE, (118, 30))
    history = [line[59:] for line in lines if "ep " in line[50:]]
    assert "ep 100" in history[0]
    assert "llm_heavy (rules)  the reward fell" in history[0]
    assert "◂" in history[0]
    assert "▸" in history[1]
    assert "stage 2, Skill development" in history[-1]
    assert len(history) == 3


def test_a_stage_that_was_lost_again_is_told_with_its_cause() -> None:
    state = fold(STATE, make_curriculum(stage=2, name="Skill development", has_moved=True))
    move = state.moves[-1]
    assert move.is_back
    assert "performance fell in stage 3" in move.cause
    state = fold(state, make_curriculum(stage=3, name="Optimization", has_moved=True))
    assert not state.moves[-1].is_back
    assert state.moves[-1].episode == 200


def test_without_moves_the_history_says_so() -> None:
    assert "change yet" in "\n".join(shown(replace(STATE, moves=()), (118, 30)))


def test_the_zoomed_pane_draws_return_and_planner_over_the_run() -> None:
    text = "\n".join(shown(STATE, (198, 56)))
    assert "planner share of decisions" in text
    assert "episode 200" in text


async def test_mode_and_strategy_are_chosen_from_a_list() -> None:
    async with open_pane(make_pane(), STATE, (54, 12)) as (pilot, app):
        for name in ("mode", "strategy"):
            app.pane.act(name)
            await pilot.pause()
            assert app.screen.query_one(OptionList).highlighted == 0
            await pilot.press("down", "enter")
            await pilot.pause()
        assert app.wanted == [SetMode("rl_only"), SetStrategy("llm_heavy")]
        app.pane.act("mode")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert len(app.wanted) == 2


async def test_the_history_scrolls_and_stops_at_its_end() -> None:
    async with open_pane(make_pane(), STATE, (38, 20)) as (pilot, app):
        for _ in range(5):
            app.pane.act("down")
        await pilot.pause()
        text = "\n".join(line.text for line in app.pane._lines)
        assert "3 to 3 of 3" in text
        app.pane.act("page_up")
        assert "3 moves" in "\n".join(line.text for line in app.pane._lines)


def test_planner_line_has_its_share_of_decisions_and_in_brackets_its_weight() -> None:
    now = fold_all(
        [make_run(), make_status(shares=(("policy", 0.82), ("planner", 0.18))), make_curriculum()]
    )
    (line,) = [line for line in shown(now, (60, 12)) if line.startswith("planner")]
    assert "18% of decisions (weight 43%)" in line
