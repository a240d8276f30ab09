"""Show on the command line how far long work is: on standard error, if that is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine.ground.text import visible
from pokeTUI.terminal.printing import complain

if TYPE_CHECKING:
    from rich.console import RenderableType

Advance = Callable[[float, float], None]
"""Called with how much is done, and of how much."""

REFRESHES_PER_S = 8


@contextmanager
def progress(
    text: str, *, left: str = "nothing was left half done", in_bytes: bool = False
) -> Iterator[Advance]:
    """Show a bar with the time left, gone at the end; where nobody looks, nothing.

    Ctrl-C is reported in one line, with what is `left` after it, and raised on.
    """
    try:
        with _bar(text, in_bytes=in_bytes) as advance:
            yield advance
    except KeyboardInterrupt:
        complain(f"poketui: Interrupted; {left}.")
        raise


@contextmanager
def _bar(text: str, *, in_bytes: bool) -> Iterator[Advance]:
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
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
    with Progress(
        *columns, console=console, transient=True, refresh_per_second=REFRESHES_PER_S
    ) as shown:
        task = shown.add_task(visible(text), total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)
