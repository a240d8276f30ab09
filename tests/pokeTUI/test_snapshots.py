"""Every screen at four sizes, against what it looked like before; three of them in two themes."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from textual.pilot import Pilot

from engine import events
from engine.config import RunConfig
from engine.types import (
    GAME_BOY_ADVANCE_ACTIONS,
    GAME_BOY_ADVANCE_FRAME_SHAPE,
    GAME_BOY_FRAME_SHAPE,
)
from pokeTUI.app.cockpit import CockpitApp
from pokeTUI.screens.endings import ClosingScreen
from tests.pokeTUI.conftest import settle
from tests.pokeTUI.fake_session import FakeSession, make_run
from tests.pokeTUI.snapshot import compare, draw

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


@pytest.mark.slow
@pytest.mark.parametrize(("size", "theme"), LOOKS)
@pytest.mark.parametrize("screen", SCREENS)
async def test_the_screen_looks_as_before(
    screen: str, size: tuple[int, int], theme: str, config_dir: Path
) -> None:
    text = f'has_seen_first_run = true\ntheme = "{theme}"\nview = "half blocks"\n'
    (config_dir / "preferences.toml").write_text(text, encoding="utf-8")
    session = FakeSession()
    app = CockpitApp(session, RunConfig())
    async with app.run_test(size=size) as pilot:
        app.animation_level = "none"
        session.post_all()
        session.post(events.FrameRendered(tiny_frame(), 0))
        await settle(pilot)
        await SCREENS[screen](pilot, session)
        app.clear_notifications()
        await settle(pilot)
        while app.workers:  # decisions are read beside the screen
            await asyncio.sleep(0.01)
        await settle(pilot)
        compare(f"{screen}-{size[0]}x{size[1]}-{theme}", draw(app))


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES[:-1], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_wide_game_with_ten_buttons_looks_as_before(
    size: tuple[int, int], config_dir: Path
) -> None:
    text = 'has_seen_first_run = true\ntheme = "mosslight"\nview = "half blocks"\n'
    (config_dir / "preferences.toml").write_text(text, encoding="utf-8")
    session = FakeSession()
    app = CockpitApp(session, RunConfig())
    async with app.run_test(size=size) as pilot:
        app.animation_level = "none"
        session.post_all()
        run = replace(
            make_run(),
            game="MOSSLIGHT ADVANCE",
            actions=GAME_BOY_ADVANCE_ACTIONS,
            frame_shape=GAME_BOY_ADVANCE_FRAME_SHAPE,
        )
        session.post(run, events.FrameRendered(tiny_frame(GAME_BOY_ADVANCE_FRAME_SHAPE), 0))
        await settle(pilot)
        await pilot.press("t")
        app.clear_notifications()
        await settle(pilot)
        while app.workers:
            await asyncio.sleep(0.01)
        await settle(pilot)
        compare(f"wide-{size[0]}x{size[1]}", draw(app))


def tiny_frame(
    shape: tuple[int, int, int] = GAME_BOY_FRAME_SHAPE,
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return a frame of two colours, uint8, so that a snapshot stays small."""
    frame = np.full(shape, (152, 200, 96), np.uint8)
    frame[48:96] = (40, 104, 56)
    return frame
