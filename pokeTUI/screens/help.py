"""All keys, from the table of actions."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from pokeTUI.actions import help_groups
from pokeTUI.rendering.lines import wrap

_TEXT_WIDTH = 58


class HelpScreen(ModalScreen[None]):
    """List every key; ?, esc or q leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,escape,enter", "dismiss", show=False),
    ]

    def compose(self) -> ComposeResult:
        """Yield the list."""
        with VerticalScroll(id="help_box") as box:
            box.border_title = "Keys"
            box.border_subtitle = "? or esc goes back"
            yield Static(help_text(), id="help_text")


def help_text() -> Content:
    """Return the help, group by group."""
    lines: list[Content] = []
    for group, rows in help_groups():
        if lines:
            lines.append(Content(""))
        lines.append(Content.styled(group, "bold $lichen"))
        for keys, text in rows:
            first, *rest = wrap(text, _TEXT_WIDTH, 3)
            lines.append(Content.assemble((f"  {keys:<7}", "bold $primary"), first))
            lines.extend(Content(" " * 9 + part) for part in rest)
    return Content("\n").join(lines)
