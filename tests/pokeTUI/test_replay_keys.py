"""What the cockpit's keys do in a replay, in an evaluation, and with other runs."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.commands import Save, Seek, SkipEvaluation, TakeOver
from engine.events import REPLAY, ProgressReported
from pokeTUI.app.cockpit import CockpitApp
from pokeTUI.screens.comparison import CompareScreen
from pokeTUI.screens.runs import RunsScreen
from tests.pokeTUI.conftest import OpenCockpit, comes_to_show, screen_text, settle
from tests.pokeTUI.fake_session import FakeSession, make_run, make_status
from tests.pokeTUI.test_start import make_run as make_saved_run


def replaying(session: FakeSession, step: int) -> None:
    session.post(replace(make_run(num_envs=1), mode=REPLAY))
    session.status = make_status(
        episode_steps=step, done=step, total=200, phase="paused", is_paused=True
    )
    session.post(session.status)


async def test_arrows_seek_in_a_replay_and_nothing_can_be_changed(
    open_cockpit: OpenCockpit,
) -> None:
    async with open_cockpit(80, 24) as (pilot, session):
        replaying(session, 50)
        await settle(pilot)
        assert "‖ replay 50/200" in screen_text(pilot)
        assert "10 steps" in screen_text(pilot)
        await pilot.press("left", "left", "right", "right", "right", "end", "home", "left", "s")
        steps = [one.step for one in session.sent if isinstance(one, Seek)]
        assert steps == [40, 30, 40, 50, 60, 200, 0, 0]
        assert not any(isinstance(one, Save) for one in session.sent)


async def test_t_leaves_a_replay_to_play_on_from_where_it_stands(open_cockpit: OpenCockpit) -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        replaying(session, 50)
        await settle(pilot)
        assert " t play " in screen_text(pilot)
        await pilot.press("t")
        assert isinstance(pilot.app, CockpitApp)
        assert (pilot.app.branch_at, pilot.app.return_code) == (50, 0)
        assert not any(isinstance(one, TakeOver) for one in session.sent)


async def test_t_says_in_a_replay_that_the_goal_is_reached_and_the_replay_stays(
    open_cockpit: OpenCockpit,
) -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        replaying(session, 200)
        session.post(replace(session.status, is_goal_reached=True))
        await settle(pilot)
        assert " t play " not in screen_text(pilot)
        await pilot.press("t")
        assert await comes_to_show(pilot, "t (play): the goal is reached here")
        assert isinstance(pilot.app, CockpitApp)
        assert pilot.app.is_running
        assert pilot.app.branch_at is None


@pytest.mark.parametrize("is_goal_reached", [True, False])
async def test_t_waits_until_the_replay_is_where_it_was_sent_to(
    open_cockpit: OpenCockpit, is_goal_reached: bool
) -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        replaying(session, 50)
        await settle(pilot)
        await pilot.press("end", "t")
        assert isinstance(pilot.app, CockpitApp)
        assert pilot.app.branch_at is None
        there = {"episode_steps": 200, "done": 200.0, "is_goal_reached": is_goal_reached}
        session.post(replace(session.status, **there))
        await settle(pilot)
        assert pilot.app.branch_at == (None if is_goal_reached else 200)
        assert ("the goal is reached here" in screen_text(pilot)) is is_goal_reached


async def test_arrows_do_not_seek_in_a_run(open_cockpit: OpenCockpit) -> None:
    async with open_cockpit(80, 24) as (pilot, session):
        await pilot.press("left", "end")
        assert not any(isinstance(one, Seek) for one in session.sent)


async def test_an_evaluation_says_how_far_it_is_and_is_skipped(open_cockpit: OpenCockpit) -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        await pilot.press("E")
        assert SkipEvaluation() not in session.sent
        session.post(make_status(phase="evaluating", done=3, total=10))
        assert await comes_to_show(pilot, "evaluating 3/10")
        await pilot.press("E")
        assert SkipEvaluation() in session.sent


async def test_a_start_shows_how_far_its_work_is(open_cockpit: OpenCockpit) -> None:
    async with open_cockpit(80, 24, is_filled=False) as (pilot, session):
        session.post(ProgressReported("playing", 100, 400), ProgressReported("playing", 200, 400))
        assert await comes_to_show(pilot, "50%")
        assert screen_text(pilot).count("playing") == 1


async def test_other_runs_are_listed_and_compared_with_this_one(
    open_cockpit: OpenCockpit, tmp_path: Path
) -> None:
    here, other = (make_saved_run(tmp_path, seed=seed) for seed in (1, 2))
    async with open_cockpit(120, 40, is_filled=False) as (pilot, session):
        session.post(replace(make_run(), run_id=here, run_dir=str(tmp_path / "runs" / here)))
        session.post(make_status())
        await settle(pilot)
        await pilot.press("O")
        assert await comes_to_show(pilot, other)
        app = pilot.app
        assert isinstance(app, CockpitApp)
        screen = app.screen
        assert isinstance(screen, RunsScreen)
        assert set(screen._rows) == {here, other}
        screen.menu.mark(other)
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(app.screen, CompareScreen)
        assert await comes_to_show(pilot, "seed")
        await pilot.press("escape")
