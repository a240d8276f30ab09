"""A list in a box, to pick one of its rows."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from engine.ground.text import printable
from pokeTUI.draw.menu import Column, Menu, Row

LEAVE_KEYS = "escape,q,ctrl+c"


class ListScreen(ModalScreen[str | None]):
    """Show rows; the key of the one that is picked comes back, None on esc.

    `keys` stand in the lower border, `empty` where there is nothing to pick.
    """

    DEFAULT_CSS = """
    ListScreen { align: center middle; background: $background 70%; }
    #listing_box {
        width: 112; max-width: 100%; height: 90%; padding: 0 1; background: $panel;
        border: round $primary; border-title-color: $lichen; border-title-style: bold;
        border-subtitle-color: $stone;
    }
    #listing_menu { height: 1fr; background: $panel; }
    #listing_hint { height: 2; padding-top: 1; color: $stone; }
    """
    AUTO_FOCUS: ClassVar[str] = "#listing_menu"
    BINDINGS: ClassVar[list[BindingType]] = [Binding(LEAVE_KEYS, "dismiss", show=False)]

    def __init__(
        self,
        title: str,
        columns: Sequence[Column],
        *,
        hint: str = "",
        keys: str = "enter select   esc back",
        empty: str = "Nothing here.",
        can_toggle: bool = False,
    ) -> None:
        super().__init__()
        self._title = title
        self._hint = hint
        self._keys = keys
        self._told: str | None = None
        self.menu = Menu(columns, id="listing_menu", empty=empty, can_toggle=can_toggle)

    def compose(self) -> ComposeResult:
        """Yield the list."""
        with Vertical(id="listing_box") as box:
            box.border_title = Content(printable(self._title))
            box.border_subtitle = self._keys
            yield from self.parts()

    def parts(self) -> ComposeResult:
        """Yield what is in the box."""
        yield self.menu
        yield Static(Content(self._hint), id="listing_hint")

    def fill(self, rows: Sequence[Row], *, empty: str | None = None) -> None:
        """Show these rows."""
        self.menu.fill(rows, empty=empty)

    def report(self, text: str) -> None:
        """Show a text in the line below the list."""
        for hint in self.query("#listing_hint").results(Static):  # gone when the list is left
            hint.update(Content(text))

    # Textual calls the handlers of all base classes, too, so subclasses change these instead.

    def about(self, row: Row) -> str:
        """Return a line on the marked row: why it cannot be picked, or what the list is."""
        return row.why_not or self._hint

    def pick(self, key: str) -> None:
        """Do what a picked row stands for: give it back."""
        self.dismiss(key)

    def on_menu_marked(self, message: Menu.Marked) -> None:
        """Describe the marked row in the line below, unless it says so already."""
        row = self.menu.marked
        if row is not None and (about := self.about(row)) != self._told:
            self._told = about
            self.report(about)

    def on_menu_refused(self, message: Menu.Refused) -> None:
        """Say why."""
        self.report(message.reason)

    def on_menu_chosen(self, message: Menu.Chosen) -> None:
        """Do what the row stands for."""
        self.pick(message.key)
