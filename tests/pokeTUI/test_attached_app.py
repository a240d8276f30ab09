"""The application on a run that continues without it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from engine.commands import Pause, ReleaseControl, RequestControl, Stop
from engine.config import RunConfig
from engine.events import ConnectionLost, ControlWanted, RunStopped, ViewersChanged
from pokeTUI.app.cockpit import CockpitApp
from pokeTUI.dashboard.state import DashboardState, fold
from tests.pokeTUI.conftest import comes_to_show, post, press, screen_lines, screen_text, settle
from tests.pokeTUI.fake_session import FakeSession
from tests.pokeTUI.says import assert_lacks


@asynccontextmanager
async def attached(viewers: ViewersChanged) -> AsyncIterator[tuple[Pilot[None], FakeSession]]:
    session = FakeSession()
    app = CockpitApp(session, RunConfig(), is_attached=True)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        session.post_all()
        await post(pilot, session, viewers)
        yield pilot, session


async def test_quitting_leaves_the_run_alone() -> None:
    async with attached(ViewersChanged(1, True)) as (pilot, session):
        await press(pilot, "q")
        assert session.sent == []
        assert pilot.app.return_code == 0
        assert pilot.app.end is None  # type: ignore[attr-defined]


async def test_the_run_itself_is_ended_by_a_key_of_its_own() -> None:
    async with attached(ViewersChanged(1, True)) as (pilot, session):
        await press(pilot, "Q")
        assert session.sent == [Stop("quit")]
        assert isinstance(pilot.app.end, RunStopped)  # type: ignore[attr-defined]
        assert pilot.app.is_running  # to look at how it ended
        assert await comes_to_show(pilot, "The run is saved and has ended. q quits.")
        await press(pilot, "q")
        assert pilot.app.return_code == 0


async def test_a_run_that_another_ended_is_left() -> None:
    async with attached(ViewersChanged(2, False)) as (pilot, session):
        session.finish("quit")
        await settle(pilot)
        assert pilot.app.return_code == 0


async def test_a_read_only_viewer_shows_only_keys_that_work_for_it() -> None:
    watching = ViewersChanged(2, is_yours=False, is_read_only=True)
    async with attached(watching) as (pilot, _):
        assert "read-only" in screen_lines(pilot)[0]
        footer = screen_lines(pilot)[-1]
        assert "q quit" in footer
        assert_lacks(footer, "control", "pause", "play", "save", "speed", "game")
        await pilot.press("C")
        assert "this viewer is read-only" in screen_text(pilot)


async def test_the_screen_says_who_steers_and_what_the_key_does() -> None:
    async with attached(ViewersChanged(1, True)) as (pilot, session):
        assert "has control" not in screen_text(pilot)
        assert "C " not in screen_lines(pilot)[-1]
        for viewers, badge, label in (
            (ViewersChanged(2, True), "", "C give control"),
            (ViewersChanged(2, False), "another has control", "C take control"),
            (ViewersChanged(2, False, is_held=False), "nobody has control", "C take control"),
        ):
            await post(pilot, session, viewers)
            assert badge in screen_lines(pilot)[0]
            assert ("has control" in screen_lines(pilot)[0]) is bool(badge)
            assert label in screen_lines(pilot)[-1]


async def test_controlling_viewer_is_told_of_a_control_request() -> None:
    async with attached(ViewersChanged(2, True)) as (pilot, session):
        session.post(ControlWanted())
        assert await comes_to_show(pilot, "Another viewer asks for control")


@pytest.mark.parametrize("is_running", [True, False])
async def test_a_run_that_is_lost_is_gone_on_with_by_a_key(is_running: bool) -> None:
    first, second = FakeSession(), FakeSession()
    app = CockpitApp(first, RunConfig(), is_attached=True, make_session=lambda: second)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        first.post_all()
        await settle(pilot)
        first.post(ConnectionLost("The connection was lost.", "Attach again.", is_running))
        first.is_alive = False
        offer = "r attach again" if is_running else "r resume from the checkpoint"
        assert await comes_to_show(pilot, offer)
        await press(pilot, "r")
        assert second.is_alive
        assert app.end is None
        assert len(app.screen_stack) == 1


async def test_viewer_without_control_can_only_request_it() -> None:
    async with attached(ViewersChanged(2, False)) as (pilot, session):
        await press(pilot, "p", "Q", "C")
        assert [one for one in session.sent if one != Pause()] == [RequestControl()]
        session.post(ViewersChanged(2, True))
        assert await comes_to_show(pilot, "You are in control now")
        await press(pilot, "C")
        assert session.sent[-1] == ReleaseControl()


async def test_a_lost_connection_stays_on_the_screen_and_says_how_to_go_on() -> None:
    lost = ConnectionLost("The connection was lost.", "Attach again: poketui attach x", True)
    async with attached(ViewersChanged(1, True)) as (pilot, session):
        session.post(lost)
        session.is_alive = False
        await settle(pilot)
        text = screen_text(pilot)
        assert lost.message in text
        assert lost.hint in text
        assert "error" not in text
        await press(pilot, "q")
        assert pilot.app.return_code == 1


def test_only_a_change_of_control_is_worth_a_notice() -> None:
    state = DashboardState()
    for told in ((1, True), (2, True), (3, True)):
        state = fold(state, ViewersChanged(*told))
    assert state.notices == ()
    state = fold(state, ViewersChanged(3, False))
    state = fold(state, ViewersChanged(2, True))
    assert [notice.text for notice in state.notices] == [
        "Another viewer is in control now",
        "You are in control now",
    ]
