"""Show the progress of long work on standard error, if that is a terminal."""

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
"""Called with the amount of work that is done, and with all of it."""

REFRESHES_PER_S = 8


class Bar:
    """A progress bar with the time left, and lines above it; only the lines if `shown` is None."""

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
        """Print a line above the bar, unless `is_quiet`."""
        if self._is_quiet:
            return
        if self._shown is None:
            say(text)
            return
        self._shown.stop()  # else it would draw over the line
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
    """Show a bar that disappears at the end; without a terminal, none.

    After Ctrl-C, a line says what is `left`, unless that is ""; KeyboardInterrupt is raised again.
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
        """Shows a column once the total is known: a bar without a total looks full."""

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
    console = Console(file=sys.stderr)  # bound now: it may be redirected meanwhile
    return Progress(*columns, console=console, transient=True, refresh_per_second=REFRESHES_PER_S)
