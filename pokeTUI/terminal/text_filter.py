"""Let nothing reach the terminal as text that it would obey."""

import unicodedata
from typing import Any

from rich.cells import cell_len
from rich.segment import Segment
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter

_OBEYED = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Unicode's categories of control and invisible characters, halves of others, and line breaks."""


class TextFilter(LineFilter):
    """Blanks characters that are no text, in whatever Textual draws: the last net there is.

    Names and answers come from elsewhere, and Textual sends what a widget is given.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments, as wide as they were."""
        if all(segment.control or segment.text.isprintable() for segment in segments):
            return segments
        return [
            segment if segment.control else Segment(_text(segment.text), segment.style)
            for segment in segments
        ]


def show_text_only(app: App[Any]) -> None:
    """Make all of `app` draw text only; call it before anything is drawn."""
    app._filters.append(TextFilter())


def _text(text: str) -> str:
    return "".join(
        " " * cell_len(char) if unicodedata.category(char) in _OBEYED else char for char in text
    )
