"""Film the cockpit: without a terminal, and at the pace of what it shows."""

import asyncio
from collections.abc import Callable, Iterator

import numpy as np
from textual.geometry import Region
from textual.pilot import Pilot

from engine.commands import Command
from engine.config import RunConfig
from engine.events import Event, RunStarted
from engine.types import Frame
from pokeTUI.app import CockpitApp
from pokeTUI.dashboard.state import fold
from pokeTUI.rendering.colors import ColorDepth
from pokeTUI.terminal.probe import Terminal
from pokeTUI.video.raster import Raster
from pokeTUI.video.screen import read_screen
from pokeTUI.widgets.game_view import GameView

CELL_WIDTH = 8
_FIGURES_PER_S = 5
"""As often as the cockpit draws its figures."""


def film_cockpit(
    moments: Iterator[tuple[list[Event], Frame]],
    config: RunConfig,
    *,
    size: tuple[int, int],
    scale: int,
    fps: float,
    add: Callable[[Frame], None],
) -> None:
    """Add a picture of the cockpit for each moment.

    Args:
        moments: What has happened since the moment before, and the game's picture.
        config: The settings of what is shown.
        size: Columns and rows.
        scale: A cell is so many times 8x16 pixels.
        fps: Moments a second.
        add: Takes the pictures.
    """
    raster = Raster(scale * CELL_WIDTH)
    app = _FilmedApp(config)

    async def shoot(pilot: Pilot[object]) -> None:
        pictures_each = max(1, round(fps / _FIGURES_PER_S))
        cockpit = np.empty(0, np.uint8)
        for number, (events, frame) in enumerate(moments):
            if app.is_interrupted:
                break
            app.take(events)
            if not number % pictures_each:
                app.draw()
                await pilot.pause()
                cockpit = raster.draw(read_screen(app))
            _paste(cockpit, frame, app.game_region, raster)
            add(cockpit)
        app.exit()

    asyncio.run(app.run_async(headless=True, size=size, auto_pilot=shoot))
    if app.is_interrupted:
        raise KeyboardInterrupt


class _Nobody:
    """A session of which nothing is asked: events come by another way."""

    is_alive = True

    @property
    def mailbox(self) -> "_Nobody":
        return self

    def drain(self) -> list[Event]:
        return []

    def start(self) -> None:
        pass

    def send(self, command: Command) -> None:
        pass


class _FilmedApp(CockpitApp):
    """The cockpit, which shows what it is given when it is told to."""

    def __init__(self, config: RunConfig) -> None:
        super().__init__(_Nobody(), config, is_attached=True, color="truecolor")
        self.terminal = Terminal(name="vte", depth=ColorDepth.TRUECOLOR)
        self.is_interrupted = False

    @property
    def game_region(self) -> Region:
        """Where the game's picture is."""
        return self.query_one(GameView).region

    def take(self, events: list[Event]) -> None:
        """Fold what has happened."""
        for event in events:
            if isinstance(event, RunStarted):
                self._begin(event)
            self.dashboard = fold(self.dashboard, event)

    def draw(self) -> None:
        """Show it."""
        self.board.game.show_frame(self.dashboard, at_once=False)
        self.board.show(self.dashboard)

    def _tick(self) -> None:
        pass

    def _explain(self) -> None:
        pass

    def _close(self, reason: str) -> None:
        self.is_interrupted = True


def _paste(cockpit: Frame, frame: Frame, region: Region, raster: Raster) -> None:
    """Put the game's pixels where the cockpit has blocks for them."""
    width, height = region.width * raster.width, region.height * raster.height
    rows = np.arange(height) * frame.shape[0] // max(1, height)
    columns = np.arange(width) * frame.shape[1] // max(1, width)
    top, left = region.y * raster.height, region.x * raster.width
    cockpit[top : top + height, left : left + width] = frame[rows][:, columns]
