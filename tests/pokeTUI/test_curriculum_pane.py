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
from tests.pokeTUI.pane_app import Size, fold_all, line_of, open_pane, texts
from tests.pokeTUI.says import assert_has

SIZES = ((24, 4), (38, 20), (54, 4), (54, 12), (74, 16), (118, 30), (198, 56))
STATE = long_run()


def shown(state: DashboardState, size: Size) -> list[str]:
    return [line.rstrip() for line in texts(CurriculumPane(), state, size)]


def words(state: DashboardState, size: Size) -> str:
    """Return what the pane says as one line."""
    return " ".join(" ".join(shown(state, size)).split())


@pytest.mark.parametrize("size", SIZES)
def test_stage_and_what_is_missing_show_at_every_size(size: Size) -> None:
    lines = shown(STATE, size)
    assert "3 of 4" in lines[0]
    assert "3 more" in "".join(lines[:3])
    assert len(lines) >= min(size[1], 10)


def test_where_episodes_begin_shows_if_not_at_power_on() -> None:
    long = "26 cells on 4 maps; farthest: 3 milestones"
    assert long in words(fold(STATE, events.StartsChanged(long)), (36, 21))
    text = "demo 85 %: 4 of the last 10 succeeded"
    assert text in words(fold(STATE, events.StartsChanged(text)), (54, 12))
    assert "starts" not in words(STATE, (54, 12))
    before = fold(STATE, make_curriculum(recent=()))  # no episode from power-on ended yet
    assert text in words(fold(before, events.StartsChanged(text)), (54, 4))


def test_before_the_first_episode_and_in_a_replay_it_says_why_there_is_nothing() -> None:
    assert "starts with the first episode" in words(DashboardState(), (38, 20))
    text = words(fold_all([replace(make_run(), mode=events.REPLAY)]), (38, 20))
    assert "Nothing is trained here" in text
    assert "starts" not in text


@pytest.mark.parametrize("size", [(36, 18), (54, 4), (54, 12)])
def test_the_longest_that_can_be_missing_is_never_cut(size: Size) -> None:
    curriculum = Curriculum(CurriculumConfig(confidence_decay_rate=1e-9), 500.0)
    for _ in range(60):
        record = curriculum.record(400.0, is_success=True, is_approved=False)
    assert record.missing == "when the strategy relies less on the planner"
    lines = shown(fold(STATE, make_curriculum(missing=record.missing)), size)
    assert record.missing in " ".join(" ".join(lines[1:3]).split())


LAST = make_curriculum(stage=4, missing="", threshold=float("nan"))
FIXED = replace(
    fold(STATE, events.SteeringChanged("adaptive", "balanced", "", "", ())), strategy="balanced"
)


@pytest.mark.parametrize(
    ("state", "size", "parts"),
    [
        (fold(STATE, LAST), (54, 12), ["this is the last stage"]),
        (STATE, (74, 30), ["not counted"]),
        (fold(STATE, make_status()), (54, 12), ["no decisions counted yet"]),
        (FIXED, (74, 16), ["balanced  fixed by you"]),
        (replace(STATE, moves=()), (118, 30), ["change yet"]),
        (STATE, (198, 56), ["planner share of decisions", "episode 200"]),
    ],
    ids=[
        "the last stage misses nothing",
        "episodes before this stage are not counted",
        "nobody counted the sources",
        "a person fixed the strategy",
        "a history without moves",
        "zoomed: return and planner over the run",
    ],
)
def test_what_is_peculiar_is_said(state: DashboardState, size: Size, parts: list[str]) -> None:
    assert_has("\n".join(shown(state, size)), *parts)


def test_ten_bars_stand_against_the_threshold() -> None:
    recent = (*[10.0] * 5, *[90.0] * 5)
    facts = {"threshold": 80.0, "average_reward": 50.0, "episodes_in_stage": 10}
    state = fold_all([make_run(), make_curriculum(recent=recent, **facts)])
    line = line_of(shown(state, (54, 14)), "80")
    assert "┄┄┄" in line[:30]
    assert ("█" in line[:28], "█" in line[28:]) == (False, True)


@pytest.mark.parametrize("size", [(36, 18), (54, 4), (54, 12)])
def test_thresholds_in_milestones_have_their_unit_and_bars(size: Size) -> None:
    facts = {"threshold": 4.8, "average_reward": 3.5, "episodes_in_stage": 10}
    now = make_curriculum(unit="milestones", recent=(2.0, 5.0) * 5, **facts)
    lines = shown(fold(STATE, now), size)
    assert_has(line_of(lines, "last 10"), "3.5 of 4.8", "milestones")
    assert size[1] < 18 or line_of(lines, "4.80 "), "the threshold's line"


def test_a_stage_reached_by_milestones_says_how_many() -> None:
    now = make_curriculum(unit="milestones", recent=(6.0, 7.0), threshold=4.8)
    state = fold_all([now, replace(now, stage=now.stage + 1, has_moved=True)])
    assert state.moves[-1].cause == "mean 6.5 milestones, threshold 4.8"


def test_sources_are_one_bar_of_their_signs() -> None:
    lines = shown(STATE, (74, 16))
    bar = line_of(lines, "decided")
    assert bar.count("●") > bar.count("◆") > bar.count("■") >= bar.count("▲") > 0
    assert "policy 71%" in "\n".join(lines)


def test_the_strategy_in_force_and_the_one_that_is_set_both_show() -> None:
    # No model is set, whatever the strategy's name says.
    line = line_of(shown(STATE, (74, 16)), "mode")
    assert_has(line, "adaptive", "llm_heavy (rules)", "set to adaptive")
    state = fold(STATE, events.PlannerStatusChanged("smollm2", "ready"))
    assert "llm_heavy  set to" in line_of(shown(state, (74, 16)), "mode")


def test_the_history_has_the_newest_first_with_episode_and_cause() -> None:
    lines = shown(STATE, (118, 30))
    history = [line[59:] for line in lines if "ep " in line[50:]]
    assert_has(history[0], "ep 100", "llm_heavy (rules)  the reward fell", "◂")
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


async def test_mode_and_strategy_are_chosen_from_a_list() -> None:
    async with open_pane(CurriculumPane(), STATE, (54, 12)) as (pilot, app):
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
    async with open_pane(CurriculumPane(), STATE, (38, 20)) as (pilot, app):
        for _ in range(5):
            app.pane.act("down")
        await pilot.pause()
        text = "\n".join(line.text for line in app.pane._lines)
        assert "3 to 3 of 3" in text
        app.pane.act("page_up")
        assert "3 moves" in "\n".join(line.text for line in app.pane._lines)


def test_planner_line_has_its_share_of_decisions_and_in_brackets_its_weight() -> None:
    status = make_status(shares=(("policy", 0.82), ("planner", 0.18)))
    lines = shown(fold_all([make_run(), status, make_curriculum()]), (60, 12))
    assert "18% of decisions (weight 43%)" in line_of(lines, "planner")
