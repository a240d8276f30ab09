"""The history of decisions."""

from pokeTUI.panes.pane import Pane, empty
from pokeTUI.rendering.lines import Line
from pokeTUI.state import DashboardState


class DecisionsPane(Pane):
    """The history of decisions."""

    def parts(self, state: DashboardState) -> tuple[object, ...]:
        """Return what the pane depends on."""
        return ()

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return the lines."""
        return empty("Nothing yet.", width)
