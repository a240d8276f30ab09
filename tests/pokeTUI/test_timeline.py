"""The timeline of a replay: what it shows, and how the mouse seeks in it."""

from dataclasses import replace

import pytest
from textual.events import MouseMove
from textual.pilot import Pilot

from engine.commands import Seek
from engine.events import REPLAY, TimelineChanged
from pokeTUI.screens.timeline import Timeline
from tests.pokeTUI.conftest import OpenCockpit, settle
from tests.pokeTUI.fake_session import FakeSession, make_run, make_status

LENGTH = 200
KNOWN = TimelineChanged(
    LENGTH,
    150,
    milestones=((60, "got_starter"), (140, "first_badge")),
    rewards=((20, 1.0), (100, 4.0), (120, -1.0)),
    by_person=((160, 180),),
)


async def replay(pilot: Pilot[None], session: FakeSession, place: int) -> Timeline:
    session.post(replace(make_run(num_envs=1), mode=REPLAY))
    session.status = make_status(
        episode_steps=place, done=place, total=LENGTH, phase="paused", is_paused=True
    )
    session.post(session.status)
    session.post(KNOWN)
    await settle(pilot)
    return pilot.app.query_one(Timeline)


def sought(session: FakeSession) -> list[int]:
    return [one.step for one in session.sent if isinstance(one, Seek)]


async def drag_to(pilot: Pilot[None], timeline: Timeline, x: int) -> None:
    await pilot._post_mouse_events([MouseMove], timeline, offset=(x, 1), button=1)


def bar(timeline: Timeline) -> str:
    return timeline._lines[-1].text


@pytest.mark.parametrize(("columns", "rows", "height"), [(80, 24, 1), (120, 40, 2), (200, 60, 2)])
async def test_timeline_shows_place_milestones_rewards_and_a_persons_stretch(
    open_cockpit: OpenCockpit, columns: int, rows: int, height: int
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


async def test_click_and_drag_on_the_timeline_seek(open_cockpit: OpenCockpit) -> None:
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


async def test_click_on_a_milestones_name_seeks_to_it(open_cockpit: OpenCockpit) -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        timeline = await replay(pilot, session, 50)
        start = timeline._lines[0].text.index("got a first creature")
        await pilot.click(timeline, offset=(start + 12, 0))
        assert sought(session) == [60]


async def test_timeline_is_only_in_a_replay(open_cockpit: OpenCockpit) -> None:
    async with open_cockpit(80, 24) as (pilot, _session):
        await settle(pilot)
        assert not pilot.app.query_one(Timeline).display
