"""What all panes share: a border with a title, lines drawn from the state, keys of their own."""

from dataclasses import dataclass
from typing import ClassVar

from textual.message import Message

from engine.commands import Command
from pokeTUI.dashboard.conditions import is_replay, only_records
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.layout import PaneInfo
from pokeTUI.rendering.lines import Line, wrap
from pokeTUI.theme import Ink
from pokeTUI.widgets.lines_widget import LinesWidget


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


class CommandWanted(Message):
    """A pane asks for a command to be sent to the engine."""

    def __init__(self, command: Command) -> None:
        super().__init__()
        self.command = command


class Pane(LinesWidget):
    """Draw lines from the state; `parts` names what of it the pane depends on.

    A new pane is a class in a file of its own and its line in `pokeTUI.panes.kinds.PANES`.

    Attributes:
        INFO: What it is called, what it needs and where it likes to be.
        KEYS: What `act` understands. Footer, help, palette and bindings are made from it.
    """

    INFO: ClassVar[PaneInfo]
    KEYS: ClassVar[tuple[PaneKey, ...]] = ()

    def __init__(self) -> None:
        super().__init__(id=self.INFO.key, classes="pane")
        self.border_title = self.INFO.title
        self._state = DashboardState()

    def show(self, state: DashboardState) -> None:
        """Show `state`; nothing is drawn when the pane's parts of it are the same objects."""
        before, self._state = self.parts(self._state), state
        after = self.parts(state)
        if any(new is not old for new, old in zip(after, before, strict=True)):
            self.redraw()

    def act(self, name: str) -> None:
        """Do what one of `KEYS` stands for, and redraw."""

    def parts(self, state: DashboardState) -> tuple[object, ...]:
        """Return what the pane depends on."""
        raise NotImplementedError

    def draw(self, width: int, height: int) -> list[Line]:
        """Draw the pane's state."""
        return self.lines(self._state, width, height)

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return the lines for `state`."""
        raise NotImplementedError


def untrained(state: DashboardState) -> str:
    """Return that nothing is trained here, and why; "" where something is."""
    if is_replay(state):
        return "Nothing is trained here: an episode is played again."
    return "Nothing is trained here: demonstrations are recorded." if only_records(state) else ""


def empty(text: str, width: int) -> list[Line]:
    """Return what an empty pane says."""
    return [Line(width).add(part, Ink.dim) for part in wrap(text, width, 3)]
