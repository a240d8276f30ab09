"""Every screen at four sizes, against what it looked like before; three of them in two themes."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from textual.pilot import Pilot

from engine import events
from engine.config import RunConfig
from engine.demos.demonstration import Demonstration, write_demo
from engine.demos.recorder import record_actions
from engine.types import (
    GAME_BOY_ADVANCE_ACTIONS,
    GAME_BOY_ADVANCE_FRAME_SHAPE,
    GAME_BOY_FRAME_SHAPE,
)
from pokeTUI.app.cockpit import CockpitApp
from pokeTUI.app.start.app import StartApp
from pokeTUI.screens.endings import ClosingScreen
from tests.pokeTUI.conftest import post, settle
from tests.pokeTUI.fake_session import FakeSession, make_run
from tests.pokeTUI.pane_app import Size
from tests.pokeTUI.snapshot import compare, draw
from tests.pokeTUI.test_start import shows, until

SIZES = ((80, 24), (120, 40), (200, 60), (300, 80))
LOOKS = [
    pytest.param(size, theme, id=f"{size[0]}x{size[1]}-{theme}")
    for size in SIZES
    for theme in (("mosslight",) if size == SIZES[-1] else ("mosslight", "daylight"))
]
Drive = Callable[[Pilot[None], FakeSession], Awaitable[None]]


def _press(*keys: str) -> Drive:
    async def drive(pilot: Pilot[None], session: FakeSession) -> None:
        await pilot.press(*keys)

    return drive


async def _fail(pilot: Pilot[None], session: FakeSession) -> None:
    session.post(events.RunFailed("The disk is full.", "Free some space.", True))


async def _lose(pilot: Pilot[None], session: FakeSession) -> None:
    session.post(events.ConnectionLost("The run was killed.", "poketui run --resume", False))


async def _close(pilot: Pilot[None], session: FakeSession) -> None:
    pilot.app.push_screen(ClosingScreen())


SCREENS: dict[str, Drive] = {
    "cockpit": _press(),
    "you_play": _press("t"),
    "paused": _press("p"),
    "presentation": _press("L"),
    "help": _press("question_mark"),
    "settings": _press("comma"),
    "mode": _press("M"),
    "wish": _press("W"),
    "failure": _fail,
    "lost": _lose,
    "closing": _close,
    **{f"zoom_{number}": _press(str(number), str(number), "Z") for number in range(1, 9)},
}


@asynccontextmanager
async def looked_at(
    size: Size, theme: str, config_dir: Path
) -> AsyncIterator[tuple[Pilot[None], FakeSession]]:
    """Open the application with all that fills it, and nothing that moves by itself."""
    text = f'has_seen_first_run = true\ntheme = "{theme}"\nview = "half blocks"\n'
    (config_dir / "preferences.toml").write_text(text, encoding="utf-8")
    session = FakeSession()
    app = CockpitApp(session, RunConfig())
    async with app.run_test(size=size) as pilot:
        app.animation_level = "none"
        session.post_all()
        yield pilot, session


async def compare_still(name: str, pilot: Pilot[None]) -> None:
    """Compare the screen once nothing moves any more."""
    pilot.app.clear_notifications()
    await settle(pilot)
    while pilot.app.workers:  # decisions are read beside the screen
        await asyncio.sleep(0.01)
    await settle(pilot)
    compare(name, draw(pilot.app))


@pytest.mark.slow
@pytest.mark.parametrize(("size", "theme"), LOOKS)
@pytest.mark.parametrize("screen", SCREENS)
async def test_each_screen_looks_as_before(
    screen: str, size: Size, theme: str, config_dir: Path
) -> None:
    async with looked_at(size, theme, config_dir) as (pilot, session):
        await post(pilot, session, events.FrameRendered(tiny_frame(), 0))
        await SCREENS[screen](pilot, session)
        await compare_still(f"{screen}-{size[0]}x{size[1]}-{theme}", pilot)


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES[:-1], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_wide_game_with_ten_buttons_looks_as_before(size: Size, config_dir: Path) -> None:
    shape = GAME_BOY_ADVANCE_FRAME_SHAPE
    run = replace(make_run(), game="MOSSLIGHT ADVANCE", frame_shape=shape)
    run = replace(run, actions=GAME_BOY_ADVANCE_ACTIONS)
    async with looked_at(size, "mosslight", config_dir) as (pilot, session):
        await post(pilot, session, run, events.FrameRendered(tiny_frame(shape), 0))
        await pilot.press("t")
        await compare_still(f"wide-{size[0]}x{size[1]}", pilot)


def tiny_frame(
    shape: tuple[int, int, int] = GAME_BOY_FRAME_SHAPE,
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return a frame of two colours, uint8, so that a snapshot stays small."""
    frame = np.full(shape, (152, 200, 96), np.uint8)
    frame[48:96] = (40, 104, 56)
    return frame


# The start screen's pages at three sizes in two themes, against what they looked like before


PAGES = {"start": (), "new_run": ("n",), "recordings": ("e",)}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demonstration:
    folder = tmp_path_factory.mktemp("made")
    _, demo = record_actions(bytes((7, 7, 0, 5)), RunConfig(save_dir=str(folder)), folder)
    return replace(demo, by="human", task="Walk to the door", tags=frozenset({"clean", "door"}))


@pytest.mark.slow
@pytest.mark.parametrize(("size", "theme"), LOOKS)
@pytest.mark.parametrize("page", PAGES)
async def test_the_page_looks_as_before(
    page: str,
    size: Size,
    theme: str,
    demo: Demonstration,
    config_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (config_dir / "preferences.toml").write_text(f'theme = "{theme}"\n', encoding="utf-8")
    (tmp_path / "runtime").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.chdir(tmp_path)
    write_demo(Path("saves/demos/20261122-101500-human-001.demo"), demo)
    write_demo(Path("saves/demos/doors/20261122-101600-human-002.demo"), demo)
    Path("saves/demos/20261122-101700-human-003.demo").write_bytes(b"no demonstration")
    app = StartApp("saves")
    async with app.run_test(size=size) as pilot:
        app.animation_level = "none"
        await shows(pilot, "no saved run yet", "newest first")
        await pilot.press(*PAGES[page])
        await _comes(pilot, page)
        await asyncio.sleep(0)
        compare(f"{page}-{size[0]}x{size[1]}-{theme}", draw(app))


async def _comes(pilot: Pilot[None], page: str) -> None:
    if page == "recordings":
        await shows(pilot, "! damaged", "in door")
    elif page == "new_run":
        await until(pilot, lambda: type(pilot.app.screen).__name__ == "NewRunScreen")
        await shows(pilot, "MOSSLIGHT")
    await pilot.pause()
