"""Define the options that make a video of what is replayed, and write it."""

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import ConfigurationError
from engine.ground.numerals import parse_whole
from pokeTUI.cli.progress import progress
from pokeTUI.terminal.printing import say

if TYPE_CHECKING:
    from engine.sessions.replay_sources import Recorded

DEFAULT_SIZE = "120x40"
_SMALLEST, _LARGEST = (80, 24), (320, 100)


@dataclass(frozen=True, slots=True)
class VideoOptions:
    """Options for a video.

    Attributes:
        gif (FILE): Write it to this GIF file.
        mp4 (FILE): Write it to this MP4 file (ffmpeg).
        panes: Show the cockpit with its panes, not the game alone.
        size (COLUMNSxROWS): Size of the cockpit with --panes.
        speed: Speed: 1 is the game's own, 4 four times that.
        scale: Size of a pixel of the game; with --panes, of a cell in units of 8x16 pixels.
            Default: GIF 2, MP4 4; with --panes 1.
        first: First step. Default: the first.
        last: Last step. Default: the last.
        force: Overwrite the file.
    """

    gif: Path | None = None
    mp4: Path | None = None
    panes: bool = False
    size: str = DEFAULT_SIZE
    speed: Annotated[float, typer.Option(min=0.1, max=100)] = 1.0
    scale: Annotated[int | None, typer.Option(min=1, max=8)] = None
    first: Annotated[int | None, typer.Option("--first-step", min=0)] = None
    last: Annotated[int | None, typer.Option("--last-step", min=1)] = None
    force: bool = False

    def are_given(self) -> bool:
        """Return whether there is a file to write.

        Raises:
            ConfigurationError: There is none, but an option of one.
        """
        if self.gif is not None or self.mp4 is not None:
            return True
        if self.panes or (self.scale, self.first, self.last) != (None, None, None):
            raise ConfigurationError(
                "--panes, --scale, --first-step and --last-step are for videos.",
                "Add --gif FILE or --mp4 FILE.",
            )
        return False


def write_videos(recorded: "Recorded", options: VideoOptions) -> None:
    """Write what was recorded to the files that are asked for.

    Raises:
        PokeTUIError: A file is there already or cannot be written, or it cannot be replayed.
    """
    # Here, not above: it loads the emulator.
    from pokeTUI.app.video import Video, write_video

    asked = (("gif", options.gif), ("mp4", options.mp4))
    videos = [
        Video(
            path,
            kind,
            speed=options.speed,
            scale=options.scale,
            first=options.first,
            last=options.last,
            size=_parse_size(options.size) if options.panes else None,
        )
        for kind, path in asked
        if path is not None
    ]
    for video in videos:
        if video.path.exists() and not options.force:
            raise ConfigurationError(
                f"{video.path} already exists.", "Choose another file, or add --force."
            )
    for video in videos:
        with progress(f"writing {video.path}") as advance:
            written = write_video(recorded, video, advance)
        say(f"Wrote {video.path}: {written}, {video.path.stat().st_size / 1e6:.1f} MB.")


def _parse_size(text: str) -> tuple[int, int]:
    columns, _, rows = text.partition("x")
    with contextlib.suppress(ValueError):
        return (
            parse_whole(columns, _SMALLEST[0], _LARGEST[0]),
            parse_whole(rows, _SMALLEST[1], _LARGEST[1]),
        )
    raise ConfigurationError(
        f"--size {text}: a cockpit has {_SMALLEST[0]}x{_SMALLEST[1]} to "
        f"{_LARGEST[0]}x{_LARGEST[1]} columns and rows.",
        f"Example: --size {DEFAULT_SIZE}",
    )
