"""The one main screen."""

from textual.app import ComposeResult
from textual.screen import Screen

from pokeTUI.keys.keymap import KeyTable
from pokeTUI.layout import Arrangement
from pokeTUI.screens.board import Board


class CockpitScreen(Screen[None], inherit_bindings=False):
    """Show the board. Without Textual's own bindings: tab moves between panes, not widgets."""

    def __init__(self, table: KeyTable, arrangement: Arrangement) -> None:
        super().__init__()
        self.board = Board(table, arrangement, id="board")

    def compose(self) -> ComposeResult:
        """Yield the board."""
        yield self.board
