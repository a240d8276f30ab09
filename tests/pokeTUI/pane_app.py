"""One pane alone on the screen: to drive it, and to look at it."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import reduce

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from engine.commands import Command
from engine.config import RunConfig
from engine.events import Event
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.draw.theme import THEMES
from pokeTUI.panes.pane import CommandWanted, Pane

Size = tuple[int, int]
"""Columns and rows."""


class PaneApp(App[None]):
    """Show one pane.

    Attributes:
        copied: What was copied last.
        wanted: Commands that the pane asked for.
    """

    CSS = """
    .pane { background: $surface; border: round $frame; border-title-color: $lichen; }
    """

    def __init__(self, pane: Pane, config: RunConfig | None = None) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.config = config or RunConfig()
        self.pane = pane
        self.copied = ""
        self.wanted: list[Command] = []

    def compose(self) -> ComposeResult:
        """Yield the pane."""
        yield self.pane

    def on_command_wanted(self, message: CommandWanted) -> None:
        """Note what the pane asks for."""
        self.wanted.append(message.command)

    def copy_to_clipboard(self, text: str) -> None:
        """Note what is copied."""
        super().copy_to_clipboard(text)
        self.copied = text


@asynccontextmanager
async def open_pane(
    pane: Pane, state: DashboardState, size: Size, config: RunConfig | None = None
) -> AsyncIterator[tuple[Pilot[None], PaneApp]]:
    """Show a pane; `size` is that of its content."""
    app = PaneApp(pane, config)
    columns, rows = size
    async with app.run_test(size=(columns + 2, rows + 2), notifications=True) as pilot:
        pane.show(state)
        await pilot.pause()
        yield pilot, app


def fold_all(events: Iterable[Event], state: DashboardState | None = None) -> DashboardState:
    """Fold events."""
    return reduce(fold, events, state or DashboardState())


def texts(pane: Pane, state: DashboardState, size: Size) -> list[str]:
    """Return a pane's lines as text; none is wider or more than there is room."""
    lines = pane.lines(state, *size)
    assert all(line.used <= size[0] for line in lines)
    assert len(lines) <= size[1]
    return [line.text for line in lines]


def text_of(pane: Pane, state: DashboardState, size: Size) -> str:
    """Return a pane's lines as one text."""
    return "\n".join(texts(pane, state, size))


def line_of(lines: Iterable[str], start: str) -> str:
    """Return the one line that begins with a word."""
    (line,) = [line for line in lines if line.lstrip().startswith(start)]
    return line
