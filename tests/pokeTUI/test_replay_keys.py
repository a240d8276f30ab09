"""What the cockpit's keys do in a replay, in an evaluation, and with other runs."""

from dataclasses import replace
from pathlib import Path

import pytest
from textual.events import MouseMove
from textual.pilot import Pilot

from engine.commands import Save, Seek, SkipEvaluation, TakeOver
from engine.events import REPLAY, ProgressReported, TimelineChanged
from pokeTUI.screens.bars import Timeline
from pokeTUI.screens.comparison import CompareScreen
from tests.pokeTUI.conftest import comes_to_show, open_cockpit, post, press, screen_text, settle
from tests.pokeTUI.fake_session import FakeSession, make_run, make_status
from tests.pokeTUI.says import assert_has
from tests.pokeTUI.test_start import make_run as make_saved_run


async def replaying(pilot: Pilot[None], session: FakeSession, step: int, length: int = 200) -> None:
    """Show a replay that stands at a step."""
    session.post(replace(make_run(num_envs=1), mode=REPLAY))
    session.status = make_status(
        episode_steps=step, done=step, total=length, phase="paused", is_paused=True
    )
    await post(pilot, session, session.status)


async def test_arrows_seek_in_a_replay_and_nothing_can_be_changed() -> None:
    async with open_cockpit(80, 24) as (pilot, session):
        await replaying(pilot, session, 50)
        assert_has(screen_text(pilot), "‖ replay 50/200", "10 steps")
        await pilot.press("left", "left", "right", "right", "right", "end", "home", "left", "s")
        steps = [one.step for one in session.sent if isinstance(one, Seek)]
        assert steps == [40, 30, 40, 50, 60, 200, 0, 0]
        assert not any(isinstance(one, Save) for one in session.sent)


async def test_t_leaves_a_replay_to_play_on_from_where_it_stands() -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        await replaying(pilot, session, 50)
        assert " t play " in screen_text(pilot)
        await pilot.press("t")
        assert (pilot.app.branch_at, pilot.app.return_code) == (50, 0)
        assert not any(isinstance(one, TakeOver) for one in session.sent)


async def test_t_says_in_a_replay_that_the_goal_is_reached_and_the_replay_stays() -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        await replaying(pilot, session, 200)
        await post(pilot, session, replace(session.status, is_goal_reached=True))
        assert " t play " not in screen_text(pilot)
        await pilot.press("t")
        assert await comes_to_show(pilot, "t (play): the goal is reached here")
        assert pilot.app.is_running
        assert pilot.app.branch_at is None


@pytest.mark.parametrize("is_goal_reached", [True, False])
async def test_t_waits_until_the_replay_is_where_it_was_sent_to(is_goal_reached: bool) -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        await replaying(pilot, session, 50)
        await pilot.press("end", "t")
        assert pilot.app.branch_at is None
        there = {"episode_steps": 200, "done": 200.0, "is_goal_reached": is_goal_reached}
        await post(pilot, session, replace(session.status, **there))
        assert pilot.app.branch_at == (None if is_goal_reached else 200)
        assert ("the goal is reached here" in screen_text(pilot)) is is_goal_reached


async def test_arrows_do_not_seek_in_a_run() -> None:
    async with open_cockpit(80, 24) as (pilot, session):
        await pilot.press("left", "end")
        assert not any(isinstance(one, Seek) for one in session.sent)


async def test_an_evaluation_says_how_far_it_is_and_is_skipped() -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        await pilot.press("E")
        assert SkipEvaluation() not in session.sent
        session.post(make_status(phase="evaluating", done=3, total=10))
        assert await comes_to_show(pilot, "evaluating 3/10")
        await pilot.press("E")
        assert SkipEvaluation() in session.sent


async def test_a_start_shows_how_far_its_work_is() -> None:
    async with open_cockpit(80, 24, is_filled=False) as (pilot, session):
        session.post(ProgressReported("playing", 100, 400), ProgressReported("playing", 200, 400))
        assert await comes_to_show(pilot, "50%")
        assert screen_text(pilot).count("playing") == 1


async def test_other_runs_are_listed_and_compared_with_this_one(tmp_path: Path) -> None:
    here, other = (make_saved_run(tmp_path, seed=seed) for seed in (1, 2))
    async with open_cockpit(120, 40, is_filled=False) as (pilot, session):
        session.post(replace(make_run(), run_id=here, run_dir=str(tmp_path / "runs" / here)))
        await post(pilot, session, make_status())
        await pilot.press("O")
        assert await comes_to_show(pilot, other)
        app = pilot.app
        screen = app.screen
        assert set(screen._rows) == {here, other}
        screen.menu.mark(other)
        await press(pilot, "enter")
        assert isinstance(app.screen, CompareScreen)
        assert await comes_to_show(pilot, "seed")
        await pilot.press("escape")


# The timeline of a replay: what it shows, and how the mouse seeks in it


LENGTH = 200
KNOWN = TimelineChanged(
    LENGTH,
    150,
    milestones=((60, "got_starter"), (140, "first_badge")),
    rewards=((20, 1.0), (100, 4.0), (120, -1.0)),
    by_person=((160, 180),),
)


async def replay(pilot: Pilot[None], session: FakeSession, place: int) -> Timeline:
    await replaying(pilot, session, place, LENGTH)
    await post(pilot, session, KNOWN)
    return pilot.app.query_one(Timeline)


def sought(session: FakeSession) -> list[int]:
    return [one.step for one in session.sent if isinstance(one, Seek)]


async def drag_to(pilot: Pilot[None], timeline: Timeline, x: int) -> None:
    await pilot._post_mouse_events([MouseMove], timeline, offset=(x, 1), button=1)


def bar(timeline: Timeline) -> str:
    return timeline._lines[-1].text


@pytest.mark.parametrize(("columns", "rows", "height"), [(80, 24, 1), (120, 40, 2), (200, 60, 2)])
async def test_timeline_shows_place_milestones_rewards_and_a_persons_stretch(
    columns: int, rows: int, height: int
) -> None:
    async with open_cockpit(columns, rows) as (pilot, session):
        timeline = await replay(pilot, session, 50)
        assert timeline.region.height == height
        assert timeline.region.bottom == rows - 1
        shown = bar(timeline)
        assert shown.endswith(" 50/200")
        cells = shown.removesuffix(" 50/200").strip()
        at = {sign: [x for x, cell in enumerate(cells) if cell == sign] for sign in "┃◆┻┴┬╌┈"}
        ends = len(cells) - 1
        assert at["┃"] == [round(50 / LENGTH * ends)]
        assert at["◆"] == [round(60 / LENGTH * ends), round(140 / LENGTH * ends)]
        assert at["┻"] == [round(20 / LENGTH * ends)]
        assert at["┴"] == [round(100 / LENGTH * ends)]
        assert at["┬"] == [round(120 / LENGTH * ends)]
        assert at["╌"][0] == round(160 / LENGTH * ends)
        assert at["┈"][-1] == ends
        if height > 1:
            names = timeline._lines[0].text
            assert names.index("got a first creature") == 1 + at["◆"][0]
            assert names.index("won the COBBLE BADGE") == 1 + at["◆"][1]


async def test_click_and_drag_on_the_timeline_seek() -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        timeline = await replay(pilot, session, 50)
        last = len(bar(timeline).removesuffix(" 50/200").rstrip()) - 1
        assert await pilot.click(timeline, offset=(last, 1))
        assert sought(session) == [LENGTH]
        assert await pilot.mouse_down(timeline, offset=(1, 1))
        await drag_to(pilot, timeline, (1 + last) // 2)
        assert sought(session)[1] == 0
        assert sought(session)[2] == pytest.approx(LENGTH / 2, abs=2)
        await pilot.mouse_up(timeline, offset=((1 + last) // 2, 1))
        await drag_to(pilot, timeline, 5)
        assert len(sought(session)) == 3


async def test_click_on_a_milestones_name_seeks_to_it() -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        timeline = await replay(pilot, session, 50)
        start = timeline._lines[0].text.index("got a first creature")
        await pilot.click(timeline, offset=(start + 12, 0))
        assert sought(session) == [60]


async def test_timeline_is_only_in_a_replay() -> None:
    async with open_cockpit(80, 24) as (pilot, _session):
        await settle(pilot)
        assert not pilot.app.query_one(Timeline).display
