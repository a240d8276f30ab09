import re
from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Region
from textual.pilot import Pilot
from textual.screen import ModalScreen

from pokeTUI.draw.encoders import GameMode
from pokeTUI.draw.layout import PaneInfo
from pokeTUI.panes.kinds import pane_infos
from pokeTUI.preferences import PreferenceFile
from tests.pokeTUI.conftest import open_cockpit, post, press, screen_lines, screen_text, settle
from tests.pokeTUI.says import assert_has

CONTENT = {
    "party": ["MILLBROOK PATH", "Follow MILLBROOK", "RILLET", "27/34", "WHISKIT", "12/18"],
    "rewards": ["milestone", "exploration", "whiteout", "+15.00", "+18.25", "-0.86", "sum", "━"],
    "reasoning": ["Follow MILLBROOK", "0.97", "a wild battle began", "RIGHT"],
    "curriculum": ["2 of 4", "balanced", "43%", "61.2 of 100", "(now 61.2)"],
    "learning": ["return", "success", "100%", "0%", "episode 87"],
}


def pane_text(lines: list[str], region: object) -> str:
    x, y, width, height = region  # type: ignore[misc]
    return "\n".join(line[x : x + width] for line in lines[y : y + height])


def assert_filled(pilot: Pilot[None], pane: PaneInfo) -> None:
    text = pane_text(screen_lines(pilot), pilot.app.screen.query_one(f"#{pane.key}").region)
    assert_has(text, *CONTENT.get(pane.key, []))
    assert re.search("[⠁-⣿]", text) or pane.key != "learning"


@pytest.mark.parametrize(("columns", "rows"), [(120, 40), (200, 60), (160, 44), (240, 78)])
async def test_every_pane_is_filled(columns: int, rows: int) -> None:
    async with open_cockpit(columns, rows) as (pilot, _):
        assert [len(line) for line in screen_lines(pilot)] == [columns] * rows
        for pane in pane_infos():
            if pane.key in pilot.app.board.plan.regions:
                assert_filled(pilot, pane)
                assert pane.title in screen_text(pilot)


async def test_every_tab_is_filled_at_80x24() -> None:
    async with open_cockpit(80, 24) as (pilot, _):
        for number, pane in enumerate(pane_infos(), 1):
            await press(pilot, str(number))
            assert_filled(pilot, pane)


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40), (200, 60)])
async def test_the_status_line_has_every_figure(columns: int, rows: int) -> None:
    async with open_cockpit(columns, rows) as (pilot, _):
        status, keys = screen_lines(pilot)[0], screen_lines(pilot)[-1]
        figures = ("playing", "123,456 steps", "1,234", "87", "0:12:34", "speed max", "1/16")
        assert_has(status, *figures)
        assert "…" not in status
        assert_has(keys, "pause", "speed", "play", "game", "view", "save", "help", "quit")


@pytest.mark.parametrize(
    ("columns", "rows", "picture"),
    [(80, 24, (40, 18)), (120, 40, (53, 24)), (200, 60, (120, 54)), (240, 78, (160, 72))],
)
async def test_the_picture_is_centred_and_as_large_as_fits(
    columns: int, rows: int, picture: tuple[int, int]
) -> None:
    async with open_cockpit(columns, rows) as (pilot, _):
        view = pilot.app.screen.query_one("#game_view").region
        game = pilot.app.screen.query_one("#game").region
        assert (view.width, view.height) == picture
        assert game.contains_region(view)
        stage = pilot.app.screen.query_one("#game_stage").region
        assert abs((view.x - stage.x) - (stage.right - view.right)) <= 1


async def test_a_resize_switches_the_layout_and_back() -> None:
    async with open_cockpit(200, 60) as (pilot, _):
        board = pilot.app.board  # type: ignore[attr-defined]
        names = []
        for size in ((120, 40), (80, 24), (60, 20), (120, 40), (79, 60), (200, 60)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            names.append(board.plan.name)
            for child in board.children:
                if child.display:
                    assert child.region == board.plan.regions[child.id]
            assert [len(line) for line in screen_lines(pilot)] == [size[0]] * size[1]
        assert names == ["medium", "compact", "too-small", "medium", "too-small", "large"]
        assert "Follow MILLBROOK PATH east to STONEHOLLOW" in screen_text(pilot)


async def test_a_small_terminal_is_told_what_is_needed() -> None:
    async with open_cockpit(60, 20) as (pilot, _):
        text = " ".join(screen_text(pilot).split())
        assert text == "The terminal is 60x20, PokeTUI needs 80x24: enlarge it."
    async with open_cockpit(12, 3) as (pilot, _):
        assert "terminal" in screen_text(pilot)


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (79, 23)])
async def test_a_notice_hides_no_pane_of_a_small_terminal(columns: int, rows: int) -> None:
    async with open_cockpit(columns, rows) as (pilot, _):
        before = screen_lines(pilot)
        for text in ("You play now", "Saved at step 1,000", "Theme daylight"):
            pilot.app.notify(text)
        await settle(pilot)
        after = screen_lines(pilot)
        changed = {row for row in range(rows) if before[row] != after[row]}
        assert ("Theme daylight" in "\n".join(after)) is (columns == 80)
        assert changed <= {0, 1} if columns == 80 else not changed


async def test_an_empty_screen_says_what_it_waits_for() -> None:
    from engine.events import ProgressReported

    async with open_cockpit(120, 40, is_filled=False) as (pilot, session):
        text = screen_text(pilot)
        assert "Starting…" in text
        assert text.count("Loading…") >= 4
        session.post(ProgressReported("reading the game"), ProgressReported("starting 16 games"))
        await settle(pilot)
        text = screen_text(pilot)
        assert_has(text, "✓ reading the game", "► starting 16 games")


@pytest.mark.parametrize(
    ("environment", "codes"),
    [
        ({"COLORTERM": "truecolor"}, r"38;2;\d"),
        ({"COLORTERM": ""}, r"38;5;\d"),
        ({"COLORTERM": "", "TERM": "screen"}, r"\x1b\[\d\d;\d{2,3}m"),
    ],
)
async def test_the_picture_uses_the_terminals_colours(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], codes: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    async with open_cockpit() as (pilot, _):
        encoder = pilot.app.board.game._view.encoder  # type: ignore[attr-defined]
        assert any(re.search(codes, strip.ansi) for strip in encoder.strips)


async def test_a_view_chosen_in_colour_is_for_screens_with_colour_alone(
    monkeypatch: pytest.MonkeyPatch, config_dir: Path
) -> None:
    PreferenceFile(config_dir).save({"view": "half blocks"})
    monkeypatch.setenv("NO_COLOR", "1")
    async with open_cockpit() as (pilot, _):
        app = pilot.app
        encoder = app.board.game._view.encoder
        assert encoder.mode is GameMode.ASCII
        assert all("\x1b" not in strip.ansi for strip in encoder.strips)
        await pilot.press("v")
        assert app.board.game.mode is GameMode.HALF_BLOCKS
        await pilot.press("v")
        assert app.memory.preferences.view == "half blocks"
    monkeypatch.delenv("NO_COLOR")
    async with open_cockpit() as (pilot, _):
        assert pilot.app.board.game.mode is GameMode.HALF_BLOCKS  # type: ignore[attr-defined]


async def test_a_frame_repaints_only_the_rows_that_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.events import FrameRendered
    from pokeTUI.draw.game_view import GameView
    from tests.pokeTUI.scenery import draw_frame

    async with open_cockpit(200, 60) as (pilot, session):
        view = pilot.app.screen.query_one(GameView)
        repainted: list[Region] = []
        refresh = view.refresh

        def note(*regions: Region, **options: Any) -> GameView:
            repainted.extend(regions)
            return refresh(*regions, **options)

        monkeypatch.setattr(view, "refresh", note)
        frame = draw_frame(40, has_text_box=True)
        await post(pilot, session, FrameRendered(frame, 0))
        assert repainted == []
        changed = frame.copy()
        changed[70:74, 70:74] = 255
        await post(pilot, session, FrameRendered(changed, 0))
        assert [(region.y, region.height) for region in repainted] == [(26, 2)]


async def test_the_cockpit_stays_visible_behind_a_modal() -> None:
    async with open_cockpit(columns=80, rows=24) as (pilot, _):
        for key in ("ctrl+p", "question_mark", "comma", "M"):
            await press(pilot, key)
            front = pilot.app.screen
            assert isinstance(front, ModalScreen), key
            assert front.styles.background.a < 1, key
            await press(pilot, "escape")
