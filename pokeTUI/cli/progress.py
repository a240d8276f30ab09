"""Show on the command line how far long work is: on standard error, if that is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from engine.ground.text import visible
from pokeTUI.terminal.printing import complain, say

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress

Advance = Callable[[float, float], None]
"""Called with how much is done, and of how much."""

REFRESHES_PER_S = 8


class Bar:
    """A progress bar with the time left, and lines above it; without `shown` the lines only."""

    def __init__(self, text: str, shown: "Progress | None", *, is_quiet: bool = False) -> None:
        self._text = text
        self._shown = shown
        self._is_quiet = is_quiet
        self._task = None if shown is None else shown.add_task(visible(text), total=None)

    def __call__(self, done: float, total: float, text: str = "") -> None:
        """Show how much is done; `text` names what is done, if that has changed."""
        if self._shown is None or self._task is None:
            return
        if text and text != self._text:
            self._text = text
            self._shown.reset(self._task, description=visible(text), total=total)
        self._shown.update(self._task, completed=done, total=total)

    def say(self, text: str) -> None:
        """Print a line above the bar, unless everything is to be quiet."""
        if self._is_quiet:
            return
        if self._shown is None:
            say(text)
            return
        self._shown.stop()  # it would be drawn over the line
        say(text)
        self._shown.start()


@contextmanager
def progress(
    text: str,
    *,
    left: str = "nothing was left half done",
    in_bytes: bool = False,
    is_quiet: bool = False,
) -> Iterator[Bar]:
    """Show a bar that is gone at the end; where nobody looks, nothing.

    Ctrl-C is reported in one line, with what is `left` after it, and raised on; "": it is only
    raised on.
    """
    shown = _rich_progress(in_bytes=in_bytes) if sys.stderr.isatty() and not is_quiet else None
    try:
        with shown or nullcontext():
            yield Bar(text, shown, is_quiet=is_quiet)
    except KeyboardInterrupt:
        if left:
            complain(f"poketui: Interrupted; {left}.")
        raise


def _rich_progress(*, in_bytes: bool) -> "Progress":
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
    )
    from rich.progress import TimeRemainingColumn as TimeLeftColumn
    from rich.text import Text

    class OnceKnown(ProgressColumn):
        """Another column, once it is known how much there is: a bar of nothing looks full."""

        def __init__(self, column: ProgressColumn) -> None:
            super().__init__()
            self._column = column

        def render(self, task: Task) -> "RenderableType":
            return Text() if task.total is None else self._column(task)

    columns = (
        TextColumn("{task.description}", markup=False),
        OnceKnown(BarColumn()),
        OnceKnown(DownloadColumn() if in_bytes else MofNCompleteColumn()),
        OnceKnown(TimeLeftColumn()),
        TextColumn("Ctrl-C stops"),
    )
    console = Console(file=sys.stderr)  # this one, whatever takes its place meanwhile
    return Progress(*columns, console=console, transient=True, refresh_per_second=REFRESHES_PER_S)
