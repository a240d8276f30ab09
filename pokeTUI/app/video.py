"""Make a video of a recording: the game alone, or the cockpit showing it."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from math import ceil
from pathlib import Path

import numpy as np
from textual.geometry import Region
from textual.pilot import Pilot

from engine.commands import Command
from engine.config import RunConfig
from engine.demos.video import gif_writer, mp4_writer
from engine.errors import ConfigurationError, ReplayError
from engine.events import Event, RunStarted
from engine.loop.controls import Controls, Pace
from engine.sessions.replay import ReplayReporter
from engine.sessions.replay_player import Playback
from engine.sessions.replay_sources import Recorded
from engine.types import Frame
from pokeTUI.app.cockpit import CockpitApp
from pokeTUI.dashboard.state import fold
from pokeTUI.draw.colors import ColorDepth
from pokeTUI.draw.game_view import GameView
from pokeTUI.draw.raster import Raster, check_tools, read_screen
from pokeTUI.terminal.probe import Terminal

# Film the cockpit without a terminal.

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
    """A session without events: the film hands them over itself."""

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
    """A cockpit that draws the events it is given, one film frame at a time."""

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


# Play the recording, and write its pictures.

_WRITERS = {"gif": gif_writer, "mp4": mp4_writer}
_MAX_FPS = {"gif": 30.0, "mp4": 60.0}
_GAME_SCALE = {"gif": 2, "mp4": 4}


@dataclass(frozen=True, slots=True)
class Video:
    """The video to make.

    Attributes:
        path: The file, replaced if it is there.
        kind: "gif" or "mp4".
        speed: How many times as fast as the game runs.
        scale: Size of the game's pixels, or of cells in units of 8x16 pixels; None: the kind's.
        first: The step to begin with; None: where the recording begins to show something.
        last: The step to end with; None: the last.
        size: Columns and rows of the cockpit; None: the game alone.
    """

    path: Path
    kind: str
    speed: float = 1.0
    scale: int | None = None
    first: int | None = None
    last: int | None = None
    size: tuple[int, int] | None = None


def write_video(
    recorded: Recorded, video: Video, report: Callable[[int, int], None] = lambda done, total: None
) -> str:
    """Write a video, and return what it is in words.

    `report` is called after each move with how many are played, and of how many.

    Raises:
        PokeTUIError: It cannot be played or written, or diverges from its recording.
    """
    pictures = 0
    with closing(Playback(recorded)) as playback:  # first: the emulator loads before Pillow
        if video.size is not None:
            check_tools()
        frames_per_s = playback.env.game.frames_per_s
        every = ceil(frames_per_s * video.speed / _MAX_FPS[video.kind])
        fps = frames_per_s * video.speed / every
        last = playback.length if video.last is None else playback.place_of(video.last)
        game_scale = (video.scale or _GAME_SCALE[video.kind]) if video.size is None else 1
        with _WRITERS[video.kind](video.path, fps, game_scale) as write:

            def add(frame: Frame) -> None:
                nonlocal pictures
                pictures += 1
                write(frame)

            _go_to_first(playback, video, last, report)
            played = _played(playback, last, every, report)
            if video.size is None:
                for frame in chain.from_iterable(played):
                    add(frame)
            else:
                moments = _moments(playback, played, fps, video.speed)
                cell, config = video.scale or 1, recorded.settings()
                film_cockpit(moments, config, size=video.size, scale=cell, fps=fps, add=add)
    return f"{pictures / fps:.0f} s, {fps:.1f} frames a second"


def _go_to_first(
    playback: Playback, video: Video, last: int, report: Callable[[int, int], None]
) -> None:
    """Play up to where the video begins.

    Raises:
        ConfigurationError: There is no such step, no such last one, or nothing between them.
    """
    step = playback.recorded.begins_at if video.first is None else video.first
    first = playback.place_of(step)
    is_beyond = video.last is not None and playback.place_of(video.last - 1) >= playback.length
    if first >= last or is_beyond:
        raise ConfigurationError(
            f"There is no video from step {step:,} to {video.last or 'the end'}.",
            f"It has {playback.length:,} steps: choose --first-step and --last-step within.",
        )
    while playback.place < first:
        playback.advance(renders=False)
        report(playback.place, last)


def _played(
    playback: Playback, last: int, every: int, report: Callable[[int, int], None]
) -> Iterator[list[Frame]]:
    """Yield the pictures of each move.

    Raises:
        ReplayError: It diverges from its recording.
    """
    for frames in playback.film(last, every):
        if playback.divergence:
            raise ReplayError(
                f"{playback.recorded.title} diverges from its recording: {playback.divergence}.",
                "Choose earlier steps with --last-step.",
            )
        report(playback.place, last)
        yield frames


def _moments(
    playback: Playback, played: Iterator[list[Frame]], fps: float, speed: float
) -> Iterator[tuple[list[Event], Frame]]:
    """Yield each picture with the events that a viewer would get before it."""
    waiting: list[Event] = []
    number = 0
    pace = Pace()
    frames_per_move = sum(playback.recorded.recording.frames)
    pace.limit(round(speed * playback.env.game.frames_per_s / frames_per_move, 1))
    reporter = ReplayReporter(playback, Controls(), pace, waiting.append, lambda: number / fps)
    reporter.begin()
    before = playback.step
    for frames in played:
        reporter.report_move(before)
        reporter.show_place()
        reporter.show_timeline()
        before = playback.step
        for frame in frames:
            yield list(waiting), frame
            waiting.clear()
            number += 1
