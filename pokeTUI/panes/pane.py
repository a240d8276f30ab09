"""What all panes share: a border with a title, lines drawn from the state, keys of their own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual.events import MouseEvent, MouseScrollDown, MouseScrollUp
from textual.message import Message
from textual.screen import ModalScreen

from engine.commands import Command
from pokeTUI.dashboard.conditions import is_replay, only_records
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.layout import STORY_FROM_ROWS, PaneInfo
from pokeTUI.draw.lines import Line, labelled
from pokeTUI.draw.lines_widget import LinesWidget
from pokeTUI.draw.theme import Ink


@dataclass(frozen=True, slots=True)
class PaneKey:
    """A key that a pane obeys while the keyboard is on it.

    Attributes:
        keys: Textual key names.
        name: What `Pane.act` is given.
        shown: The keys as people read them.
        label: In the footer; "" keeps it out.
        help: One sentence.
    """

    keys: tuple[str, ...]
    name: str
    shown: str
    label: str
    help: str


@dataclass
class CommandWanted(Message):
    """A pane asks for a command to be sent to the engine."""

    command: Command


class Pane(LinesWidget):
    """Draw lines from the state.

    A new pane is a class in a file of its own and its line in `pokeTUI.panes.kinds.PANES`.

    Attributes:
        INFO: What it is called, what it needs and where it likes to be.
        PARTS: Attributes of the state that it depends on.
        IS_OF_RUN: There is nothing to draw before the run is known.
        KEYS: What `act` understands. Footer, help, palette and bindings are made from it.
    """

    INFO: ClassVar[PaneInfo]
    PARTS: ClassVar[tuple[str, ...]] = ()
    IS_OF_RUN: ClassVar[bool] = True
    KEYS: ClassVar[tuple[PaneKey, ...]] = ()

    def __init__(self) -> None:
        super().__init__(id=self.INFO.key, classes="pane")
        self.border_title = self.INFO.title
        self._state = DashboardState()

    def show(self, state: DashboardState) -> None:
        """Show `state`; nothing is drawn when the pane's parts of it are the same objects."""
        before, self._state = self._state, state
        parts = ("run", *self.PARTS)
        if any(getattr(state, name) is not getattr(before, name) for name in parts):
            self.redraw()

    def act(self, name: str) -> None:
        """Do what one of `KEYS` stands for, and redraw."""

    def wheel(self, name: str, event: MouseEvent) -> None:
        """Do what the wheel stands for, "up" or "down": what the key of that name does."""
        self.act(name)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self.wheel("down", event)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self.wheel("up", event)

    def ask(self, screen: ModalScreen[str | None], then: Callable[[str], object]) -> None:
        """Show a question and call `then` with the answer, if one is given."""

        def answer(text: str | None) -> None:
            if text is not None:
                then(text)

        self.app.push_screen(screen, answer)

    def draw(self, width: int, height: int) -> list[Line]:
        """Draw the pane's state, or say that nothing is known of it yet."""
        if self._state.run is None and self._state.end is None and self.IS_OF_RUN:
            return empty("Loading…", width)
        return self.lines(self._state, width, height)

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return the lines for `state`."""
        raise NotImplementedError

    def sentence(self, text: str, width: int) -> list[Line]:
        """Return a sentence of the story, where the screen has no line of its own for it."""
        if not self.is_attached or self.app.size.height >= STORY_FROM_ROWS:
            return []
        return labelled("", text, Ink.strong, width, 0, 2) if text else []


def untrained(state: DashboardState) -> str:
    """Return that nothing is trained here, and why; "" where something is."""
    if is_replay(state):
        return "Nothing is trained here: this is a replay."
    return (
        "Nothing is trained here: demonstrations are being recorded." if only_records(state) else ""
    )


def empty(text: str, width: int) -> list[Line]:
    """Return the lines of a pane that has nothing to show."""
    return labelled("", text, Ink.dim, width, 0, 3)
