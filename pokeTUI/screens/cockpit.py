"""The one main screen: the game, the panes, the figures and the keys."""

from textual.app import ComposeResult
from textual.geometry import NULL_OFFSET, NULL_SPACING, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.screen import Screen
from textual.widget import Widget

from pokeTUI.layout import PANES, Plan, make_plan
from pokeTUI.panes.curriculum import CurriculumPane
from pokeTUI.panes.game import GamePane
from pokeTUI.panes.learning import LearningPane
from pokeTUI.panes.pane import Pane
from pokeTUI.panes.party import PartyPane
from pokeTUI.panes.reasoning import ReasoningPane
from pokeTUI.panes.rewards import RewardsPane
from pokeTUI.state import DashboardState
from pokeTUI.widgets.key_bar import KeyBar
from pokeTUI.widgets.status_bar import StatusBar
from pokeTUI.widgets.tab_bar import TabBar
from pokeTUI.widgets.too_small import TooSmall

_PANE_TYPES: dict[str, type[Pane]] = {
    "party": PartyPane,
    "rewards": RewardsPane,
    "reasoning": ReasoningPane,
    "curriculum": CurriculumPane,
    "learning": LearningPane,
}


class PlanLayout(Layout):
    """Place children where a plan has a region for their id."""

    name = "plan"

    def __init__(self) -> None:
        self.active = PANES[0].key

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        """Return a placement for every planned child; Textual keeps the result by size."""
        regions = make_plan(*size, active=self.active).regions
        return [
            WidgetPlacement(region, NULL_OFFSET, NULL_SPACING, child)
            for child in children
            if (region := regions.get(child.id or "")) is not None
        ]


class Board(Widget):
    """Hold the panes and arrange them for the terminal's size."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._layout = PlanLayout()
        self._plan = Plan("too-small")
        self._state = DashboardState()
        self.game = GamePane(id="game")
        self._panes = {pane.key: _PANE_TYPES[pane.key](pane.title, id=pane.key) for pane in PANES}
        self._status = StatusBar(id="status")
        self._keys = KeyBar(id="keys")
        self._tabs = TabBar(id="tabs")

    @property
    def layout(self) -> Layout:
        """Return the layout that follows the plan."""
        return self._layout

    @property
    def plan(self) -> Plan:
        """The plan in force."""
        return self._plan

    def compose(self) -> ComposeResult:
        """Yield everything once; the plan decides what is shown."""
        yield self._status
        yield self.game
        yield self._tabs
        yield from self._panes.values()
        yield self._keys
        yield TooSmall(id="too_small")

    def on_resize(self) -> None:
        """Plan for the new size."""
        self._apply_plan()

    def activate(self, key: str) -> None:
        """Show pane `key` where panes share a place."""
        self._layout.active = key
        self._tabs.activate(key)
        self._apply_plan()

    def cycle(self, step: int) -> None:
        """Show the next pane, or the one before."""
        keys = [pane.key for pane in PANES]
        self.activate(keys[(keys.index(self._layout.active) + step) % len(keys)])

    def show(self, state: DashboardState) -> None:
        """Show the figures of `state` in everything that is shown."""
        self._state = state
        self._status.show(state)
        self._keys.show(state)
        self.game.show(state)
        for key, pane in self._panes.items():
            if key in self._plan.regions:
                pane.show(state)

    def _apply_plan(self) -> None:
        plan = make_plan(*self.size, active=self._layout.active)
        self.set_class(plan.name == "compact", "-compact")
        self._plan = plan
        for child in self.children:
            child.display = (child.id or "") in plan.regions
        self.game.set_text_rows(plan.text_rows)
        self.refresh(layout=True)
        self.show(self._state)


class CockpitScreen(Screen[None]):
    """Show the board."""

    def __init__(self) -> None:
        super().__init__()
        self.board = Board(id="board")

    def compose(self) -> ComposeResult:
        """Yield the board."""
        yield self.board
