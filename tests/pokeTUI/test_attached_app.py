"""The application on a run that goes on without it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from engine.commands import Pause, ReleaseControl, RequestControl, Stop
from engine.config import RunConfig
from engine.events import ConnectionLost, RunStopped, ViewersChanged
from pokeTUI.app import CockpitApp
from pokeTUI.dashboard.state import DashboardState, fold
from tests.pokeTUI.conftest import Cockpit, comes_to_show, screen_text, settle
from tests.pokeTUI.fake_session import FakeSession


@asynccontextmanager
async def attached(viewers: ViewersChanged) -> AsyncIterator[Cockpit]:
    session = FakeSession()
    app = CockpitApp(session, RunConfig(), is_attached=True)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        session.post_all()
        session.post(viewers)
        await settle(pilot)
        yield pilot, session


async def test_quitting_leaves_the_run_alone() -> None:
    async with attached(ViewersChanged(1, True)) as (pilot, session):
        await pilot.press("q")
        await settle(pilot)
        assert session.sent == []
        assert pilot.app.return_code == 0
        assert pilot.app.end is None  # type: ignore[attr-defined]


async def test_the_run_itself_is_ended_by_a_key_of_its_own() -> None:
    async with attached(ViewersChanged(1, True)) as (pilot, session):
        await pilot.press("Q")
        await settle(pilot)
        assert session.sent == [Stop("quit")]
        assert isinstance(pilot.app.end, RunStopped)  # type: ignore[attr-defined]


async def test_who_is_not_in_control_can_ask_for_it_and_steers_nothing() -> None:
    async with attached(ViewersChanged(2, False)) as (pilot, session):
        await pilot.press("p", "Q", "C")
        await settle(pilot)
        assert [one for one in session.sent if one != Pause()] == [RequestControl()]
        session.post(ViewersChanged(2, True))
        assert await comes_to_show(pilot, "You are in control now")
        await pilot.press("C")
        await settle(pilot)
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
        await pilot.press("q")
        await settle(pilot)
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
