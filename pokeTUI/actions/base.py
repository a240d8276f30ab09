"""What the parts of the cockpit that carry actions out need of the whole."""

from dataclasses import replace

from textual.app import App

from engine.commands import Command, KeepState, SaveSlot
from engine.config import RunConfig
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.dialogs.questions import Question
from pokeTUI.keys.keymap import KeyTable, RefusedKeys
from pokeTUI.keys.playing import Playing
from pokeTUI.link import Link
from pokeTUI.preferences import Memory
from pokeTUI.rendering.colors import ColorDepth
from pokeTUI.screens.board import Board
from pokeTUI.terminal.probe import Terminal


class ActionsApp(App[None]):
    """The cockpit as its parts know it; Textual finds their `action_` methods by name.

    Attributes:
        branch_at: Step of a replay from which the user wants to continue by hand, None if not.
    """

    config: RunConfig
    dashboard: DashboardState
    board: Board
    table: KeyTable
    refused_keys: RefusedKeys
    terminal: Terminal
    memory: Memory
    link: Link
    playing: Playing
    branch_at: int | None = None

    @property
    def has_colors(self) -> bool:
        """Whether the terminal shows colours."""
        return self.terminal.depth is not ColorDepth.NONE

    def send_command(self, command: Command) -> None:
        """Ask the engine for something; what comes of it is reported by events."""
        if isinstance(command, KeepState | SaveSlot):
            self.dashboard = replace(self.dashboard, is_keeping=True)
        self.link.send(command)

    def say_refusal(self, key: str) -> None:
        """Say why a key does nothing, if it does nothing."""
        why = self.refused_keys.why(key, self.dashboard, self.board.focused)
        if why:
            self.notify(why, timeout=3, markup=False)

    def ask(self, question: Question) -> None:
        """Ask the user, and send what comes of it."""

        def take(answer: str | None) -> None:
            if answer is not None:
                self.send_command(question.command(answer))

        self.push_screen(question.screen, take)
