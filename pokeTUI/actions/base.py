"""What the parts of the cockpit that carry actions out need of the whole."""

from textual.app import App

from engine.commands import Command
from engine.config import RunConfig
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.dialogs.questions import Question
from pokeTUI.keys.keymap import KeyTable
from pokeTUI.keys.playing import Playing
from pokeTUI.memory import Memory
from pokeTUI.screens.board import Board


class ActionsApp(App[None]):
    """The cockpit as its parts know it; Textual finds their `action_` methods by name.

    Attributes:
        config: Of the run that is shown.
        table: What each key does.
        memory: What the user prefers.
        playing: Makes presses of what is typed while a person plays.
        branch_at: Step of a replay from which the user wants to continue by hand, None if not.
    """

    config: RunConfig
    table: KeyTable
    memory: Memory
    playing: Playing
    branch_at: int | None = None

    @property
    def dashboard(self) -> DashboardState:
        """What the screen shows."""
        raise NotImplementedError

    @property
    def has_colors(self) -> bool:
        """Return whether the terminal shows colours."""
        raise NotImplementedError

    @property
    def board(self) -> Board:
        """The panes."""
        raise NotImplementedError

    def send_command(self, command: Command) -> None:
        """Ask the engine for something; what comes of it is told by events."""
        raise NotImplementedError

    def ask(self, question: Question) -> None:
        """Ask the user, and send what comes of it."""

        def take(answer: str | None) -> None:
            if answer is not None:
                self.send_command(question.command(answer))

        self.push_screen(question.screen, take)
