import asyncio
import functools
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import textual.app
import textual.pilot
import typer.main
from textual._styles_cache import StylesCache
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot

from engine.config import RunConfig
from engine.events import Event
from pokeTUI.app import cockpit
from pokeTUI.app.cockpit import FRAMES_PER_FIGURES, CockpitApp
from tests.pokeTUI.fake_session import FakeSession

_MANY_TURNS = 1000
"""Of the event loop; more only where it cannot keep up with the polls."""
_PAINT_INTERVAL_S = 1 / 100
"""Longer than Textual's own: what was to be painted is due after it."""


@pytest.fixture(scope="session", autouse=True)
def _parsed_once() -> Iterator[None]:
    """Parse each style sheet, and put the commands together, once for all tests, not once a test.

    Neither result is changed by those who use it.
    """
    parsed: dict[tuple[object, ...], list[RuleSet]] = {}
    parse = Stylesheet._parse_rules

    def parse_once(sheet: Stylesheet, *source: Any, **more: Any) -> list[RuleSet]:
        key = (source, *more.items(), *sheet._variables.items())
        if key not in parsed:
            parsed[key] = parse(sheet, *source, **more)
        return parsed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse_once)
        patch.setattr(typer.main, "get_command", functools.cache(typer.main.get_command))
        yield


@pytest.fixture(autouse=True)
def _truecolor_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture(autouse=True)
def _quick_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Poll more often, and show the figures at full speed as often as at others."""
    monkeypatch.setattr(cockpit, "FRAME_INTERVAL_S", 1 / 60)
    monkeypatch.setattr(cockpit, "FRAMES_PER_FIGURES_AT_FULL_SPEED", FRAMES_PER_FIGURES)


@pytest.fixture(autouse=True)
def _patient_pilot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each press and pause last until the event loop has nothing left to do.

    Textual waits until its process has used no processor for a moment. So it does where others
    have all of it, and the next key may then come before the screen that is to take it.
    """

    async def wait(_min_sleep: float = 0.0, _max_sleep: float = 1.0) -> None:
        await asyncio.sleep(_PAINT_INTERVAL_S)
        loop = asyncio.get_running_loop()
        for _ in range(_MANY_TURNS):
            await asyncio.sleep(0)
            if not loop._ready:  # type: ignore[attr-defined]
                break

    monkeypatch.setattr(textual.pilot, "wait_for_idle", wait)
    monkeypatch.setattr(textual.app, "wait_for_idle", wait)


@pytest.fixture(autouse=True)
def _no_drawn_lines_left() -> Iterator[None]:
    """Drop the lines that closed applications drew: Textual's cache keeps them from the collector.

    It would look at each of them again and again.
    """
    yield
    StylesCache.get_inner_outer.cache_clear()


@pytest.fixture(autouse=True)
def _lasting_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no notice be gone before a slow machine has looked."""
    notify = CockpitApp.notify

    def last(app: CockpitApp, message: str, *, timeout: float | None = None, **rest: Any) -> None:
        notify(app, message, timeout=600.0, **rest)

    monkeypatch.setattr(CockpitApp, "notify", last)


@pytest.fixture(autouse=True)
def config_dir(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep the user's own preferences out of it: here the first run is over."""
    folder = tmp_path_factory.mktemp("config")
    (folder / "preferences.toml").write_text(
        "has_seen_first_run = true\nhas_seen_recording = true\n", encoding="utf-8"
    )
    monkeypatch.setenv("POKETUI_CONFIG_DIR", str(folder))
    return folder


@asynccontextmanager
async def open_cockpit(
    columns: int = 120, rows: int = 40, *, is_filled: bool = True
) -> AsyncIterator[tuple[Pilot[None], FakeSession]]:
    """Open the application on a fake session; by default everything is on the screen."""
    session = FakeSession()
    app = CockpitApp(session, RunConfig())
    async with app.run_test(size=(columns, rows), notifications=True) as pilot:
        if is_filled:
            session.post_all()
        await settle(pilot)
        yield pilot, session


async def settle(pilot: Pilot[None]) -> None:
    """Let the next polls happen and be drawn, however slow the machine is."""
    app = app_of(pilot)
    for _ in range(2):  # what the first shows may need a layout, which the second then fits
        polls = app.polls
        app._figures_at = -FRAMES_PER_FIGURES  # due with the next poll that may draw
        while app.is_running and app._figures_at <= polls:
            await asyncio.sleep(0.005)
        await pilot.pause()


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, and let what they do be drawn."""
    await pilot.press(*keys)
    await settle(pilot)


async def post(pilot: Pilot[None], session: FakeSession, *new: Event) -> None:
    """Post events, and let them be drawn."""
    session.post(*new)
    await settle(pilot)


def app_of(pilot: Pilot[None]) -> CockpitApp:
    """Return the cockpit that a pilot drives."""
    assert isinstance(pilot.app, CockpitApp)
    return pilot.app


async def comes_to_show(pilot: Pilot[None], text: str) -> bool:
    """Look until the screen shows `text`."""
    for _ in range(2000):
        if text in screen_text(pilot):
            return True
        await asyncio.sleep(0.01)
        await pilot.pause()
    return False


def screen_lines(pilot: Pilot[None]) -> list[str]:
    """Return what is on the screen as text, a string a row."""
    strips = pilot.app.screen._compositor.render_strips()
    return [strip.text for strip in strips]


def screen_text(pilot: Pilot[None]) -> str:
    """Return what is on the screen as one text."""
    return "\n".join(screen_lines(pilot))
