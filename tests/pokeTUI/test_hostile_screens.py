"""Show what somebody hostile has written: no control reaches the terminal, no markup is obeyed."""

import dataclasses
import unicodedata
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engine import events
from engine.events import Event
from engine.types import EpisodeSummary
from pokeTUI.panes.dialogs import ChoiceScreen, DetailScreen, Passage, PromptScreen
from pokeTUI.screens.comparison import CompareScreen
from pokeTUI.screens.endings import FailureScreen
from pokeTUI.screens.listing import ListScreen
from pokeTUI.terminal.output import TextFilter
from tests.pokeTUI.conftest import comes_to_show, open_cockpit, press, screen_text
from tests.pokeTUI.fake_session import one_of_everything
from tests.pokeTUI.hostile import EVIL, MARKUP, NAME
from tests.pokeTUI.pane_app import Size
from tests.pokeTUI.terminal import Terminal, needs_tmux, terminal
from tests.pokeTUI.test_start import make_run, shows, started, until

__all__ = ["terminal"]


def assert_only_text(pilot: Pilot[None]) -> None:
    for strip in pilot.app.screen._compositor.render_strips():
        for segment in strip:
            kinds = {unicodedata.category(char) for char in segment.text}
            assert not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}, ascii(segment.text)
            assert "@click" not in (segment.style.meta if segment.style else {})


def test_the_filter_keeps_a_line_as_wide_as_it_was() -> None:
    from rich.segment import Segment
    from textual.color import Color
    from textual.strip import Strip

    strip = Strip([Segment(f"ab{EVIL}\udcff█"), Segment("c")])
    shown = strip.apply_filter(TextFilter(), Color(0, 0, 0))
    assert shown.text == "ab]0;owned[2J31mgnp.Saved at step 9. █c"
    assert shown.cell_length == strip.cell_length == Strip(list(shown)).cell_length


@pytest.fixture
def saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "runtime").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "saves"
    for seed, name in enumerate((NAME, "b\udcff[red]x")):
        run = make_run(folder, seed=seed)
        (folder / "runs" / run).rename(folder / "runs" / name)
    for name in (NAME, "[bold]\udcff"):
        (folder / "demos" / name).mkdir(parents=True)
        (folder / "demos" / name / f"x{EVIL}.demo").write_text(EVIL)
    return folder


@pytest.mark.parametrize("size", [(80, 24), pytest.param((200, 60), marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("r", "Resume"),
        ("u", "enter compare"),
        ("e", "! damaged"),
        ("p", "Replay: an episode of"),
        ("n", "MOSSLIGHT"),
        ("s", "Settings"),
    ],
)
async def test_the_start_screen_shows_hostile_saves_as_text(
    saves: Path, keys: str, text: str, size: Size
) -> None:
    async with started(saves, notice=f"It failed: {EVIL}{MARKUP}", size=size) as (pilot, app):
        assert_only_text(pilot)
        await pilot.press(keys)
        await shows(pilot, text)
        if keys in "ur":
            for run in ("owned", "[red]x"):  # the runs are read in a thread
                await shows(pilot, run)
        assert_only_text(pilot)
        if keys == "u":
            await pilot.press("space", "space", "enter")
            await until(pilot, lambda: isinstance(app.screen, CompareScreen))
            for run in ("return", "[red]x"):
                await shows(pilot, run)
            assert_only_text(pilot)


async def test_titles_hints_choices_and_passages_are_text(saves: Path) -> None:
    text = f"{MARKUP}{EVIL}"
    failure = events.RunFailed(text, text, has_checkpoint=False)
    async with started(saves, size=(120, 40)) as (pilot, app):
        for screen in (
            ListScreen(text, (), hint=text),
            PromptScreen(text, value=text, hint=text),
            ChoiceScreen(text, [(text, text)]),
            DetailScreen(text, [Passage(text, text)]),
            FailureScreen(failure, text, can_go_on=False),
        ):
            app.push_screen(screen)
            await pilot.pause()
            assert_only_text(pilot)
            assert "[red]m[/]" in screen_text(pilot)
            app.pop_screen()
            await pilot.pause()


_WORDS = frozenset(
    ("phase", "mode", "strategy", "old", "new", "component", "state", "command", "cause", "kind")
)
"""Fields that hold one of a few words of ours, and are looked up."""


def hostile(value: Any, field: str = "") -> Any:
    """Return an event with hostile text added to every text in it."""
    if isinstance(value, str) and not isinstance(value, Enum) and field not in _WORDS:
        return f"{value}{MARKUP}{EVIL}"
    if isinstance(value, tuple):
        return tuple(hostile(one) for one in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changes = {
            one.name: hostile(getattr(value, one.name), one.name)
            for one in dataclasses.fields(value)
            if one.init
        }
        return dataclasses.replace(value, **changes)
    return value


def hostile_events() -> Iterator[Event]:
    for event in one_of_everything():
        yield hostile(event)
    yield events.WarningRaised(f"{MARKUP}{EVIL}")
    yield events.ProgressReported(f"{MARKUP}{EVIL}")
    yield events.CommandRefused("Pause()", f"{MARKUP}{EVIL}")
    yield events.EpisodeEnded(3, 9, hostile(EpisodeSummary(0, 1.0, 9, (), is_success=True)))


@pytest.mark.parametrize("size", [(80, 24), pytest.param((200, 60), marks=pytest.mark.slow)])
async def test_the_cockpit_shows_hostile_events_as_text(size: Size) -> None:
    async with open_cockpit(*size, is_filled=False) as (pilot, session):
        session.post(*hostile_events())
        assert await comes_to_show(pilot, "[red]m[/]")
        assert_only_text(pilot)
        for key in ("1", "2", "3", "4", "5", "6", "7", "8", "question_mark", "escape"):
            await press(pilot, key)
            assert_only_text(pilot)
            await press(pilot, "enter")
            assert_only_text(pilot)
            await pilot.press("escape")
        session.post(events.RunFailed(f"{MARKUP}{EVIL}", f"{MARKUP}{EVIL}", has_checkpoint=True))
        assert await comes_to_show(pilot, "The run failed")
        assert_only_text(pilot)


@pytest.mark.slow
@needs_tmux
def test_a_real_terminal_shows_hostile_saves_as_text(saves: Path, terminal: Terminal) -> None:
    terminal.start_bare((100, 30))
    terminal.tmux("set-option", "-g", "allow-rename", "on")
    terminal.wait_for("New run", "to choose from")
    before = terminal.tmux("display-message", "-p", "#{pane_title} #{window_name}")
    terminal.press("u")
    terminal.wait_for("enter compare", "]0;owned")
    terminal.press("Space", "Space", "Enter")
    terminal.wait_for("Compare", "[red]x")
    assert terminal.tmux("display-message", "-p", "#{pane_title} #{window_name}") == before
    terminal.press("Escape")
    terminal.wait_for("2 selected")
    terminal.press("Escape")
    terminal.wait_for("New run")
    terminal.press("q")
    terminal.wait_for("exit code 0")
