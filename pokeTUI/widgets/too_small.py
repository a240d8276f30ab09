"""What is shown where the cockpit does not fit."""

from pokeTUI.layout import MIN_COLUMNS, MIN_ROWS
from pokeTUI.rendering.lines import Line, wrap
from pokeTUI.theme import Ink
from pokeTUI.widgets.lines_widget import LinesWidget


class TooSmall(LinesWidget):
    """Say how large the terminal is and has to be."""

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the message in the middle."""
        text = (
            f"The terminal is {width}x{height}, PokeTUI needs {MIN_COLUMNS}x{MIN_ROWS}: enlarge it."
        )
        message = wrap(text, max(1, width - 2), max(1, height))
        lines = [Line(width) for _ in range(max(0, (height - len(message)) // 2))]
        for part in message:
            lines.append(Line(width).skip_to((width - len(part)) // 2).add(part, Ink.warn))
        return lines
