"""Make a video of what was recorded: of the game alone, or of the cockpit that shows it."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from math import ceil
from pathlib import Path

from engine.errors import ConfigurationError, ReplayError
from engine.events import Event
from engine.loop.controls import Controls, Pace
from engine.replay_viewer import ReplayReporter
from engine.training.replay_player import Playback
from engine.training.replay_sources import Recorded
from engine.types import Frame
from engine.video import gif_writer, mp4_writer
from pokeTUI.video.raster import check_tools

_WRITERS = {"gif": gif_writer, "mp4": mp4_writer}
_MAX_FPS = {"gif": 30.0, "mp4": 60.0}
_GAME_SCALE = {"gif": 2, "mp4": 4}


@dataclass(frozen=True, slots=True)
class Video:
    """What is asked for.

    Attributes:
        path: The file, replaced if it is there.
        kind: "gif" or "mp4".
        speed: How many times as fast as the game runs.
        scale: Size of the game's pixels, or of cells in units of 8x16 pixels; None: what suits.
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
                from pokeTUI.video.panes import film_cockpit

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
    """Yield each picture with what a viewer would be told before it."""
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
