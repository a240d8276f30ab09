import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from textual.geometry import Region
from textual.pilot import Pilot

from engine.config import RunConfig
from engine.events import FrameRendered, ProgressReported
from pokeTUI.app.cockpit import CockpitApp
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.draw.encoders import FrameEncoder, GameMode
from pokeTUI.draw.game_view import GameView
from pokeTUI.draw.graphics import DELETE
from pokeTUI.draw.layout import Arrangement
from pokeTUI.draw.units import TimeLeft
from pokeTUI.panes.game import Starting, game_title
from pokeTUI.panes.kinds import pane_infos
from pokeTUI.screens.first_run import FirstRunScreen
from pokeTUI.terminal.probe import Terminal
from tests.pokeTUI.conftest import open_cockpit, post, press, screen_lines, screen_text, settle
from tests.pokeTUI.fake_session import FakeSession, make_game, make_run, make_status, observe
from tests.pokeTUI.pane_app import Size
from tests.pokeTUI.scenery import draw_frame
from tests.pokeTUI.test_start import until

KITTY = Terminal(name="kitty(0.38)", has_kitty_graphics=True, cell_size_px=(10, 20))
ALL_PICTURES = Terminal(
    name="iTerm2 3.5", has_kitty_graphics=True, sixel_colors=256, cell_size_px=(10, 20)
)


def record_writes(app: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    written: list[str] = []
    monkeypatch.setattr(app._driver, "write", written.append)
    return written


def pictures(written: list[str]) -> list[str]:
    return [text for text in written if "\x1b_Ga=T" in text]


@pytest.mark.parametrize("width", [38, 58, 118])
def test_the_introductions_progress_shows_the_time_left_and_no_cut_word(width: int) -> None:
    now = [0.0]
    pane = Starting(id="starting")
    pane._left = TimeLeft(lambda: now[0])
    text, state = "playing the introduction, once for this ROM", DashboardState()
    for done in (0, 1200, 2400):
        state = fold(state, ProgressReported(text, done, 4620))
        pane.show(state)
        lines = [line.text.strip() for line in pane.draw(width, 18)]
        now[0] += 2.0
    assert lines[-1].endswith(" 52% 0:00:03 left")
    assert lines[-1].startswith("━━━")
    assert text in " ".join(line.removeprefix("► ") for line in lines)
    pane.show(fold(state, ProgressReported("starting the games")))
    drawn = " ".join(line.text for line in pane.draw(width, 18))
    assert drawn.replace("Starting…", "").count("…") == 0


async def test_a_picture_lies_over_the_pane_and_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_cockpit() as (pilot, _):
        app: Any = pilot.app
        written = record_writes(app, monkeypatch)
        app.board.game.use_terminal(KITTY)
        view = app.screen.query_one("#game_view")

        def is_placed() -> bool:
            """Return whether the last picture has the size that fits, which comes a layout late."""
            room = app.screen.query_one("#game_stage").size
            columns, rows = app.board.game._grid(GameMode.KITTY, *room)
            size = f"c={columns},r={rows}"
            return view.size == (columns, rows) and size in "".join(pictures(written)[-1:])

        await until(pilot, is_placed)
        assert view._placed
        count = len(pictures(written))
        await settle(pilot)
        assert len(pictures(written)) == count  # an identical frame is not sent again
        await pilot.press("question_mark")
        await until(pilot, lambda: not view._placed)
        assert DELETE in written
        await pilot.press("escape")
        await until(pilot, lambda: view._placed)
        app.board.game.set_mode(GameMode.HALF_BLOCKS)
        await settle(pilot)
        assert not view._placed
        assert "▄" in screen_text(pilot)


async def test_a_notice_above_the_picture_hides_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_cockpit(120, 40) as (pilot, _):
        app: Any = pilot.app
        record_writes(app, monkeypatch)
        app.board.game.use_terminal(KITTY)
        await press(pilot, "Z")
        view = app.screen.query_one("#game_view")
        await until(pilot, lambda: view._placed)
        app.notify("x" * 300, timeout=60)
        await until(pilot, lambda: not view._placed)
        app.clear_notifications()
        await until(pilot, lambda: view._placed)


@pytest.mark.parametrize("mode", [mode for mode in GameMode if mode is not GameMode.AUTO])
async def test_screenshots_show_every_mode(monkeypatch: pytest.MonkeyPatch, mode: GameMode) -> None:
    async with open_cockpit(80, 24) as (pilot, _):
        app: Any = pilot.app
        record_writes(app, monkeypatch)
        app.board.game.use_terminal(ALL_PICTURES)
        app.board.game.set_mode(mode)
        await settle(pilot)
        view = app.screen.query_one("#game_view")
        assert view.encoder.mode is mode
        colors = {
            segment.style.bgcolor or segment.style.color
            for strip in view.encoder.strips
            for segment in strip
            if segment.style
        }
        assert len(colors) > 5 or mode is GameMode.ASCII
        assert "svg" in app.export_screenshot()


async def test_a_mode_that_the_terminal_lacks_is_not_taken() -> None:
    async with open_cockpit(80, 24) as (pilot, _):
        game = pilot.app.board.game  # type: ignore[attr-defined]
        game.use_terminal(Terminal(is_tmux=True))
        game.set_mode(GameMode.OCTANTS)
        assert game.mode is GameMode.AUTO
        assert GameMode.KITTY not in game.modes
        await settle(pilot)
        assert "quadrants" in screen_text(pilot)


async def test_uncovered_rows_go_straight_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        app: Any = pilot.app
        frame = draw_frame(40)
        session.post(FrameRendered(frame, 0))
        app.clear_notifications()
        await settle(pilot)
        written = record_writes(app, monkeypatch)
        view = app.screen.query_one("#game_view")
        monkeypatch.setattr(type(app), "is_headless", False)

        async def straight(fill: int) -> list[str]:
            """Show a frame with other rows at its top; return what was written of them."""
            written.clear()
            changed = frame.copy()
            changed[:12] = fill
            await post(pilot, session, FrameRendered(changed, 0))
            x, y = view.region.offset
            first = f"\x1b[{y + 1};{x + 1}H{view.encoder.strips[0].ansi}"
            return [text for text in written if text.startswith(first)]

        (text,) = await straight(255)
        assert 0 < len(re.findall(r"\x1b\[\d+;\d+H", text)) < view.encoder.rows
        await press(pilot, "question_mark")
        assert not await straight(9)
        await press(pilot, "escape")
        assert await straight(77)


async def test_a_part_of_the_picture_is_cut_out_of_its_rows() -> None:
    async with open_cockpit() as (pilot, _):
        view = pilot.app.query_one("#game_view", GameView)
        (row,) = view.render_lines(Region(0, 4, view.size.width, 1))
        (part,) = view.render_lines(Region(3, 4, 5, 1))
        assert list(part) == list(row.crop(3, 8))
        assert part.text.strip()


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
@pytest.mark.parametrize("arrangement", [None, Arrangement.for_recording(pane_infos())])
async def test_the_picture_that_came_behind_the_first_page_is_there_once_it_is_left(
    config_dir: Path, size: Size, arrangement: Arrangement | None
) -> None:
    (config_dir / "preferences.toml").unlink()
    session = FakeSession()
    app = CockpitApp(session, RunConfig(), arrangement=arrangement)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        assert isinstance(app.screen, FirstRunScreen)
        session.post_all()
        await settle(pilot)
        await press(pilot, "j")
        assert len(app.screen_stack) == 1
        assert shows_the_frame(pilot)


@pytest.mark.parametrize("key", ["question_mark", "comma", "ctrl+p"])
async def test_a_picture_that_came_behind_a_screen_is_there_once_it_is_left(key: str) -> None:
    async with open_cockpit(is_filled=False) as (pilot, session):
        await press(pilot, key)
        assert len(pilot.app.screen_stack) == 2
        session.post_all()
        await settle(pilot)
        await press(pilot, "escape")
        assert len(pilot.app.screen_stack) == 1
        assert shows_the_frame(pilot)


async def test_a_terminal_that_changed_behind_another_screen_fits_the_picture() -> None:
    async with open_cockpit(120, 40) as (pilot, _):
        await press(pilot, "question_mark")
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        await press(pilot, "escape")
        assert shows_the_frame(pilot)
        small = pilot.app.query_one("#game_view", GameView).size
        await pilot.press("question_mark")
        await pilot.resize_terminal(200, 60)
        await settle(pilot)
        await press(pilot, "escape")
        assert shows_the_frame(pilot)
        assert small.area < pilot.app.query_one("#game_view", GameView).size.area


def shows_the_frame(pilot: Pilot[None]) -> bool:
    """Return whether the screen shows the newest frame, whole."""
    app = pilot.app
    view = app.query_one("#game_view", GameView)
    if app.dashboard.frame is None or view.encoder is None or not view.size:
        return False
    wanted = FrameEncoder(view.encoder.mode, *view.size, view.encoder.depth)
    wanted.update(app.dashboard.frame)
    rows = screen_lines(pilot)[view.region.y : view.region.bottom]
    shown = [row[view.region.x : view.region.right] for row in rows]
    stage = app.query_one("#game_stage").region
    return shown == [strip.text for strip in wanted.strips] and stage.contains_region(view.region)


@pytest.mark.parametrize(
    ("size", "terminal", "mode", "has_text"),
    [
        ((80, 24), Terminal(), GameMode.HALF_BLOCKS, True),
        ((120, 40), Terminal(), GameMode.QUADRANTS, True),
        ((200, 60), Terminal(), GameMode.HALF_BLOCKS, False),
        ((200, 60), Terminal(), GameMode.ASCII, True),
        ((240, 78), Terminal(), GameMode.AUTO, False),
        ((80, 24), KITTY, GameMode.KITTY, False),
    ],
)
async def test_the_games_text_stands_below_pictures_that_are_too_coarse_alone(
    size: Size, terminal: Terminal, mode: GameMode, has_text: bool
) -> None:
    async with open_cockpit(*size) as (pilot, _):
        game = pilot.app.board.game  # type: ignore[attr-defined]
        game.use_terminal(terminal)
        for chosen in (GameMode.ASCII, mode):  # coming from one that is too coarse
            game.set_mode(chosen)
            await settle(pilot)
        text = pilot.app.screen.query_one("#game_text")
        assert (text.display, text.size.height > 0) == (has_text, has_text)
        buttons = pilot.app.screen.query_one("#inputs")
        below = [text.size.height, buttons.size.height * (buttons.styles.dock == "bottom")]
        assert game._stage.size.height + sum(below) == game.content_size.height


async def test_the_text_changes_with_the_picture_that_it_stands_in() -> None:
    async with open_cockpit(80, 24) as (pilot, _):
        app: Any = pilot.app
        frame = np.zeros((144, 160, 3), np.uint8)
        game = observe(make_game(screen_text=("You passed.",)))
        state = replace(app.dashboard, frame=frame, game=game)
        app.board.game.show_frame(state, at_once=True)
        assert "You passed." in app.screen.query_one("#game_text").draw(40, 2)[0].text


def test_title_of_a_paused_game_explains_a_picture_of_one_colour() -> None:
    white = np.full((144, 160, 3), 255, np.uint8)
    state = fold(fold(DashboardState(), make_run()), FrameRendered(white, 0))
    assert game_title(fold(state, make_status())) == make_run().game
    state = fold(state, make_status(is_paused=True))
    assert game_title(state) == f"{make_run().game}: the screen fades  . one step"
    assert game_title(fold(state, FrameRendered(draw_frame(40), 0))) == make_run().game
