"""A main screen whose parts lie where a plan for the terminal's size puts them."""

from collections.abc import Callable, Mapping

from textual.app import ComposeResult
from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.screen import Screen
from textual.widget import Widget

Regions = Mapping[str, Region]
"""The place of each part that is shown, by its id."""


class PlanLayout(Layout):
    """Place the children that have a region."""

    name = "plan"

    def __init__(self, regions: Callable[[Size], Regions]) -> None:
        self._regions = regions

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        """Return a placement for every planned child; Textual keeps the result by size."""
        regions = self._regions(size)
        return [
            WidgetPlacement(region, NULL_OFFSET, NULL_SPACING, child)
            for child in children
            if (region := regions.get(child.id or "")) is not None
        ]


class PlannedBoard(Widget):
    """Hold all parts, and show those that the plan for the present size has a region for."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._plan_layout = PlanLayout(self.regions_for)

    @property
    def layout(self) -> Layout:
        """Return the layout that follows the plan."""
        return self._plan_layout

    def regions_for(self, size: Size) -> Regions:
        """Return the plan for a size."""
        raise NotImplementedError

    def apply_plan(self) -> None:
        """Put everything where it belongs now."""
        raise NotImplementedError

    def on_resize(self) -> None:
        """Plan for the new size."""
        self.apply_plan()

    def show_planned(self, regions: Regions) -> None:
        """Show the parts that have a region, and hide the others."""
        for child in self.children:
            child.display = (child.id or "") in regions


class BoardScreen(Screen[None], inherit_bindings=False):
    """Show the board. Without Textual's own bindings: tab moves between panes, not widgets."""

    AUTO_FOCUS = ""

    def __init__(self, board: Widget) -> None:
        super().__init__()
        self._board = board

    def compose(self) -> ComposeResult:
        """Yield the board."""
        yield self._board
