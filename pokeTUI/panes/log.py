"""Events and warnings."""

from pokeTUI.panes.pane import Pane, empty
from pokeTUI.rendering.lines import Line
from pokeTUI.state import DashboardState


class LogPane(Pane):
    """Events and warnings."""

    def parts(self, state: DashboardState) -> tuple[object, ...]:
        """Return what the pane depends on."""
        return ()

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return the lines."""
        return empty("Nothing yet.", width)
