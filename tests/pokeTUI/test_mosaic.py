"""All games at once, and the choice of one."""

from dataclasses import replace

import numpy as np
import pytest

from engine.commands import ShowGames, Watch
from engine.events import GamesShown
from engine.types import GAME_BOY_ADVANCE_FRAME_SHAPE, GAME_BOY_FRAME_SHAPE, SmallPicture
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.colors import ColorDepth
from pokeTUI.draw.encoders import GameMode
from pokeTUI.screens.mosaic import MosaicScreen, make_grid
from tests.pokeTUI.conftest import comes_to_show, open_cockpit, press, screen_text, settle
from tests.pokeTUI.fake_session import FakeSession, make_episode
from tests.pokeTUI.pane_app import Size


def shown(session: FakeSession, games: range, steps: int = 1_234) -> None:
    frame = np.full((36, 40, 3), 200, np.uint8)
    reached = frozenset({"left_house", "got_starter"})
    session.post(GamesShown(tuple(SmallPicture(game, frame, reached, steps) for game in games)))


@pytest.mark.parametrize("shape", [GAME_BOY_FRAME_SHAPE, GAME_BOY_ADVANCE_FRAME_SHAPE])
@pytest.mark.parametrize("games", [1, 4, 8, 16, 32, 100])
@pytest.mark.parametrize("size", [(20, 8), (78, 22), (118, 38), (198, 58)])
def test_places_lie_within_the_screen_and_hold_as_many_games_as_fit(
    games: int, size: Size, shape: tuple[int, int, int]
) -> None:
    grid = make_grid(games, *size, shape)
    assert grid.across * (grid.columns + 1) - 1 <= size[0]
    assert grid.down * (grid.rows + 1) <= size[1]
    assert grid.size >= min(games, 8) or size[0] < 78


def test_pictures_that_come_before_the_screen_is_laid_out_are_taken() -> None:
    screen = MosaicScreen(DashboardState(), lambda *_: (GameMode.QUADRANTS, ColorDepth.NONE), print)
    assert screen.show(DashboardState(games=GamesShown(())))
    assert not screen.show(DashboardState())


async def test_all_games_are_loading_until_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MosaicScreen, "on_resize", lambda *_: None)
    async with open_cockpit(80, 24) as (pilot, _):
        await press(pilot, "A")
        assert "All games" in (text := screen_text(pilot))
        assert "Loading…" in text


async def test_games_are_asked_for_while_they_are_looked_at_and_one_is_chosen() -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        await press(pilot, "A")
        assert [one.env_indices for one in session.sent] == [frozenset(range(16))]
        shown(session, range(16))
        assert await comes_to_show(pilot, "►1 1,234 got a fi")
        await press(pilot, "down", "right", "left", "enter")
        assert isinstance(pilot.app.screen, MosaicScreen) is False
        watched = [one for one in session.sent if isinstance(one, Watch)]
        assert len(watched) == 1
        assert watched[0].env_index > 1
        assert session.sent[-1] == ShowGames(frozenset())


async def test_the_end_of_an_episode_is_seen_and_passes() -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        await pilot.press("A")
        won, lost = make_episode(88, 60.0, is_success=True), make_episode(89, 1.0)
        session.post(won, replace(lost, summary=replace(lost.summary, env_index=2)))
        shown(session, range(16))
        assert await comes_to_show(pilot, "✓ WON 1,400")
        assert "✗ LOST 1,400" in screen_text(pilot)
        for steps in range(8):
            shown(session, range(16), steps)
            await settle(pilot)
        assert "WON" not in screen_text(pilot)


async def test_a_click_chooses_a_game_and_only_those_seen_are_drawn() -> None:
    async with open_cockpit(60, 20) as (pilot, session):
        await press(pilot, "A")
        seen = len(session.sent[-1].env_indices)  # type: ignore[attr-defined]
        assert seen < 16
        await press(pilot, "end")
        assert 15 in session.sent[-1].env_indices  # type: ignore[attr-defined]
        assert len(session.sent[-1].env_indices) <= seen  # type: ignore[attr-defined]
        await pilot.press("home")
        await pilot.click(offset=(25, 3))
        await press(pilot, "enter")
        assert Watch(1) in session.sent
        assert session.sent[-1] == ShowGames(frozenset())
