"""What all panes share: a border with a title, lines drawn from the state."""

from pokeTUI.rendering.lines import Line, wrap
from pokeTUI.state import DashboardState
from pokeTUI.theme import Ink
from pokeTUI.widgets.lines_widget import LinesWidget


class Pane(LinesWidget):
    """Draw lines from the state; `parts` names what of it the pane depends on."""

    def __init__(self, title: str, *, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self.border_title = title
        self._state = DashboardState()

    def show(self, state: DashboardState) -> None:
        """Show `state`; nothing is drawn when the pane's parts of it are the same objects."""
        before, self._state = self.parts(self._state), state
        after = self.parts(state)
        if any(new is not old for new, old in zip(after, before, strict=True)):
            self.redraw()

    def parts(self, state: DashboardState) -> tuple[object, ...]:
        """Return what the pane depends on."""
        raise NotImplementedError

    def draw(self, width: int, height: int) -> list[Line]:
        """Draw the pane's state."""
        return self.lines(self._state, width, height)

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return the lines for `state`."""
        raise NotImplementedError


def empty(text: str, width: int) -> list[Line]:
    """Return what an empty pane says."""
    return [Line(width).add(part, Ink.dim) for part in wrap(text, width, 3)]
