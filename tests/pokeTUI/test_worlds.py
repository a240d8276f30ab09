"""Worlds with frames of other shapes, without frames or without a GameState, and a new pane."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from engine.events import FrameRendered
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.encoders import exact_size, fit
from pokeTUI.draw.game_view import GameView
from pokeTUI.draw.layout import PaneInfo
from pokeTUI.draw.lines import Line
from pokeTUI.draw.theme import Ink
from pokeTUI.input.keymap import KeyTable
from pokeTUI.panes import kinds
from pokeTUI.panes.pane import Pane, PaneKey
from tests.pokeTUI.conftest import comes_to_show, open_cockpit, post, press, screen_text, settle
from tests.pokeTUI.fake_session import make_run, make_status
from tests.pokeTUI.pane_app import Size
from tests.pokeTUI.says import assert_has

SIZES = [(80, 24), (120, 40), (200, 60)]
SHAPES = [(120, 96, 3), (160, 240, 3)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", SHAPES)
async def test_frames_keep_their_proportions(size: Size, shape: tuple[int, int, int]) -> None:
    async with open_cockpit(*size, is_filled=False) as (pilot, session):
        frame = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
        session.post(replace(make_run(), frame_shape=shape), make_status())
        await post(pilot, session, FrameRendered(frame, 0))
        game, view = pilot.app.query_one("#game"), pilot.app.query_one(GameView)
        room = game.content_size.width, game.content_size.height
        assert view.region.width <= room[0]
        assert view.region.height <= room[1]
        assert view.region.width / (2 * view.region.height) == pytest.approx(
            shape[1] / shape[0], rel=0.05
        )
        texts = game.query_one("#game_text")
        text_rows = texts.size.height if texts.display else 0
        assert view.size == fit(room[0], room[1] - text_rows, shape)
        assert "▀" in screen_text(pilot) or "▌" in screen_text(pilot) or "▚" in screen_text(pilot)
        before = view.size
        session.post(FrameRendered(frame[::2, ::4].copy(), 0))  # none that was announced
        await settle(pilot)
        assert view.size != before


@pytest.mark.parametrize("shape", SHAPES)
async def test_a_frame_is_shown_pixel_by_pixel_where_it_fits(shape: tuple[int, int, int]) -> None:
    async with open_cockpit(330, 90, is_filled=False) as (pilot, session):
        session.post(replace(make_run(), frame_shape=shape), make_status())
        await post(pilot, session, FrameRendered(np.full(shape, 90, np.uint8), 0))
        assert pilot.app.query_one(GameView).size == exact_size(shape)
        assert "half blocks every pixel" in screen_text(pilot)


@pytest.mark.parametrize("size", SIZES)
async def test_panes_with_nothing_to_show_are_absent_and_say_why(size: Size) -> None:
    async with open_cockpit(*size, is_filled=False) as (pilot, session):
        session.post(replace(make_run(), frame_shape=None, has_game_state=False), make_status())
        await settle(pilot)
        app = pilot.app
        plan = app.board.plan
        assert not {"game", "party"} & {*plan.shown, *plan.tabs}
        assert {*plan.shown, *plan.tabs} == {*kinds.pane_keys()} - {"game", "party"}
        assert app.board.focused == plan.shown[0]
        await press(pilot, "0")
        assert "this world has no frames" in screen_text(pilot)
        await press(pilot, "1", "ctrl+r", "L", "tab")
        assert "this world has no map and no party" in screen_text(pilot)
        assert not {"game", "party"} & {*app.board.plan.shown, *app.board.plan.tabs}


class NotesPane(Pane):
    """Show what was pressed."""

    INFO: ClassVar[PaneInfo] = PaneInfo("notes", "Notes")
    KEYS: ClassVar[tuple[PaneKey, ...]] = (PaneKey(("w",), "write", "w", "write", "Write a note."),)

    text = "Nothing is noted yet."

    def act(self, name: str) -> None:
        """Write a note."""
        self.text = f"{name} was pressed."
        self.redraw()

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return the note."""
        return [Line(width).add(self.text, Ink.text)]


@pytest.mark.parametrize("size", SIZES)
async def test_a_pane_is_added_by_a_class(monkeypatch: pytest.MonkeyPatch, size: Size) -> None:
    monkeypatch.setattr(kinds, "PANES", (*kinds.PANES, NotesPane))
    async with open_cockpit(*size) as (pilot, _):
        assert "Notes" in screen_text(pilot) or "9" in screen_text(pilot)
        await press(pilot, "9")
        assert_has(screen_text(pilot), "Nothing is noted yet.", "w write")
        await press(pilot, "w")
        assert "write was pressed." in screen_text(pilot)
        for other in SIZES:
            await pilot.resize_terminal(*other)
            assert await comes_to_show(pilot, "write was pressed.")
    entries = {entry.id: entry for entry in KeyTable().entries}
    assert entries["pane_notes"].keys == ("9",)
    assert entries["notes.write"].help == "Write a note."


@pytest.mark.parametrize("size", SIZES)
async def test_a_pane_may_have_its_own_place(monkeypatch: pytest.MonkeyPatch, size: Size) -> None:
    class StackedPane(NotesPane):
        INFO = PaneInfo("notes", "Notes", rows=(4, 5, 5), column=1)

    monkeypatch.setattr(kinds, "PANES", (StackedPane, *kinds.PANES))
    async with open_cockpit(*size) as (pilot, _):
        assert "Nothing is noted yet." in screen_text(pilot)
