"""All keys, from the table of actions."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from pokeTUI.draw.lines import wrap
from pokeTUI.input.keymap import KeyTable

_TEXT_WIDTH = 56
_KEY_WIDTH = 10


class HelpScreen(ModalScreen[None]):
    """List every key; / searches, and ?, esc or q leaves."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,escape,enter,q", "leave", show=False),
        Binding("slash", "search", show=False),
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
        Binding("space,pagedown", "scroll(12)", show=False),
        Binding("pageup", "scroll(-12)", show=False),
        Binding("home,g", "scroll(-999)", show=False),
        Binding("end,G", "scroll(999)", show=False),
    ]

    def __init__(self, table: KeyTable) -> None:
        super().__init__()
        self._table = table
        self._search = Input(placeholder="part of a word", id="help_search")
        self._search.display = False
        self._text = Static(help_text(table), id="help_text")

    def compose(self) -> ComposeResult:
        """Yield the list."""
        with Vertical(id="help_box") as box:
            box.border_title = "Keys"
            box.border_subtitle = "/ search   ↑↓ scroll   ? or esc back"
            yield self._search
            with VerticalScroll(id="help_scroll", can_focus=False):
                yield self._text

    def on_input_changed(self, event: Input.Changed) -> None:
        """List what has the word in it."""
        self._text.update(help_text(self._table, event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Give the keys back to the list."""
        self.set_focus(None)

    def action_search(self) -> None:
        """Search."""
        self._search.display = True
        self._search.focus()

    def action_scroll(self, rows: int) -> None:
        """Scroll the list."""
        self.query_one("#help_scroll").scroll_relative(y=rows, animate=False)

    def action_leave(self) -> None:
        """Leave the search, then the list."""
        if self._search.display:
            self._search.value = ""
            self._search.display = False
            self.set_focus(None)
        else:
            self.dismiss()


def help_text(table: KeyTable, word: str = "") -> Content:
    """Return the help, group by group; with a word only what has it."""
    lines: list[Content] = []
    wanted = word.casefold().strip()
    for group, entries in table.groups():
        found = [
            entry
            for entry in entries
            if wanted in f"{entry.shown} {entry.help} {group} {entry.id}".casefold()
        ]
        if not found:
            continue
        if lines:
            lines.append(Content(""))
        lines.append(Content.styled(group, "bold $lichen"))
        for entry in found:
            first, *rest = wrap(entry.help, _TEXT_WIDTH, 3)
            keys = f"  {entry.shown:<{_KEY_WIDTH - 2}} "
            lines.append(Content.assemble((keys, "bold $primary"), first))
            lines.extend(Content(" " * (_KEY_WIDTH + 1) + part) for part in rest)
    return Content("\n").join(lines or [Content("No match.")])
