"""Show one thing whole: a line of a log, an exchange with a model, a decision."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from engine.plurals import counted
from engine.quoting import printable
from pokeTUI.theme import Ink, palette


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text under a heading; the text is printable, line breaks apart."""

    heading: str
    text: str
    ink: Ink = Ink.text


class DetailScreen(ModalScreen[None]):
    """Show passages, to be scrolled and copied."""

    DEFAULT_CSS = """
    DetailScreen { align: center middle; background: $background 60%; }
    #detail_box {
        width: 110; max-width: 94%; height: auto; max-height: 90%; padding: 0 2;
        background: $panel; border: round $primary; border-title-color: $lichen;
        border-subtitle-color: $stone; scrollbar-size-vertical: 1;
        scrollbar-color: $primary; scrollbar-background: $panel;
    }
    #detail_text { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss", show=False),
        Binding("y", "copy", show=False),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]

    def __init__(self, title: str, passages: Sequence[Passage]) -> None:
        super().__init__()
        self._title = title
        self._passages = tuple(passages)

    @property
    def text(self) -> str:
        """All of it, as it is copied."""
        return "\n".join(
            f"{one.heading}: {one.text}" if one.heading else one.text for one in self._passages
        )

    def compose(self) -> ComposeResult:
        """Yield the passages."""
        with VerticalScroll(id="detail_box") as box:
            box.border_title = Content(printable(self._title))
            box.border_subtitle = "↑↓ scroll   y copy   esc back"
            yield Static(self._styled(), id="detail_text")

    def on_mount(self) -> None:
        """Let the keys scroll."""
        self.query_one("#detail_box").focus()

    def _styled(self) -> Text:
        inks = palette(self.app.current_theme)
        text = Text()
        for index, one in enumerate(self._passages):
            is_short = len(one.text) < 60 and "\n" not in one.text
            if one.heading:
                is_block = not is_short and index > 0
                text.append("\n" if is_block else "")
                text.append(f"{one.heading:<11}" if is_short else one.heading, inks[Ink.dim])
                text.append("" if is_short else "\n")
            text.append(one.text, inks[one.ink])
            text.append("\n" if index + 1 < len(self._passages) else "")
        return text

    def action_copy(self) -> None:
        """Copy all of it."""
        self.app.copy_to_clipboard(self.text)
        self.app.notify(f"Copied {counted(len(self.text), 'character')}", timeout=2, markup=False)

    def action_scroll(self, rows: int) -> None:
        """Scroll by rows."""
        self.query_one("#detail_box").scroll_relative(y=rows, animate=False)
