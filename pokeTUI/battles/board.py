"""The battle screen's parts in their places."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.geometry import Size
from textual.widget import Widget

from pokeTUI.battles.bars import Head, TurnBar, ViewBar
from pokeTUI.battles.choosing import Choosing, options, so_far, title
from pokeTUI.battles.layout import CHOOSE, LOG, VIEWS, BattlePlan, make_plan
from pokeTUI.battles.panes import BattlePane, Scene, make_panes
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.lines import Line
from pokeTUI.draw.lines_widget import LinesWidget
from pokeTUI.draw.menu import Column, Menu, Row
from pokeTUI.draw.splits import GAME
from pokeTUI.draw.theme import Ink
from pokeTUI.input.keymap import KeyTable
from pokeTUI.screens.bars import KeyBar, TooSmall
from pokeTUI.screens.planned import PlannedBoard, Regions


class Chooser(Widget):
    """What can be chosen now, in a menu, with what is chosen already above it."""

    def __init__(self) -> None:
        super().__init__(id=CHOOSE, classes="pane")
        self.border_title = "Choose"
        self._head = _ChoiceHead(id="choice_head")
        self.menu = Menu((Column("", 23), Column("", 0)), id="choice_menu", has_numbers=True)

    def compose(self) -> ComposeResult:
        """Yield the parts."""
        yield self._head
        yield self.menu

    def show(self, choosing: Choosing) -> None:
        """Show the choice that is being made."""
        self._head.show(choosing)
        self.menu.fill(
            [
                Row(str(one.code), (one.text, one.why_not or one.detail), why_not=one.why_not)
                for one in options(choosing)
            ]
        )
        possible = [row.key for row in self.menu.rows if not row.why_not]
        if self.menu.marked is None or self.menu.marked.key not in possible:
            self.menu.mark(possible[0] if possible else "")


class _ChoiceHead(LinesWidget):
    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._choosing: Choosing | None = None

    def show(self, choosing: Choosing) -> None:
        self._choosing = choosing
        self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        choosing = self._choosing
        if choosing is None:
            return []
        line = Line(width).add(title(choosing), Ink.strong)
        if choosing.gimmick:
            is_on = choosing.has_gimmick
            line.add("  ", Ink.dim).add(f" {choosing.gimmick} ", Ink.badge if is_on else Ink.dim)
            line.add(" g: off" if is_on else "g: on", Ink.key)
        done = so_far(choosing)
        return [line.add(f"  after {done}" if done else "", Ink.dim)]


@dataclass(frozen=True, slots=True)
class Shown:
    """All that the board shows."""

    scene: Scene
    dashboard: DashboardState
    choosing: Choosing | None


class BattleBoard(PlannedBoard):
    """Hold all parts and arrange them for the terminal's size."""

    def __init__(self, table: KeyTable) -> None:
        super().__init__(id="battle_board")
        self.front = LOG
        self.is_choosing = False
        self._head, self._turns, self._views = Head(), TurnBar(), ViewBar()
        self.panes: dict[str, BattlePane] = make_panes()
        self.chooser = Chooser()
        self._keys = KeyBar(table, id="battle_keys", widest_gap=2)
        self.plan = make_plan(0, 0, LOG)

    def regions_for(self, size: Size) -> Regions:
        """Return where the parts are on a board of that size."""
        return self._plan_for(size).regions

    def _plan_for(self, size: Size) -> BattlePlan:
        return make_plan(*size, self.front, is_choosing=self.is_choosing)

    def compose(self) -> ComposeResult:
        """Yield everything once; the plan decides what is shown."""
        yield self._head
        yield from self.panes.values()
        yield self._views
        yield self.chooser
        yield self._turns
        yield self._keys
        yield TooSmall(id="too_small")

    def apply_plan(self) -> None:
        """Put everything where it belongs now."""
        self.plan = self._plan_for(self.size)
        self.set_class(self.plan.is_small, "-small")
        self.app.set_class(self.plan.is_small, "-brief-notices")
        self.show_planned(self.plan.regions)
        front = next((key for key in self.plan.tabs if key in self.plan.regions), "")
        self._views.show(self.plan.tabs, front, has_numbers=CHOOSE not in self.plan.regions)
        self.refresh(layout=True)
        self.call_after_refresh(self._redraw)

    def _redraw(self) -> None:
        """Draw into the present insides: a border comes or goes with the plan, without a resize."""
        for pane in self.panes.values():
            pane.redraw()

    def view(self, key: str) -> None:
        """Bring a view to the front."""
        self.front = key
        self.apply_plan()

    def next_view(self, step: int) -> None:
        """Bring the next view to the front, or the one before."""
        tabs: Sequence[str] = self.plan.tabs or VIEWS
        at = tabs.index(self.front) if self.front in tabs else -1
        self.view(tabs[(at + step) % len(tabs)])

    def scroll_view(self, rows: int) -> None:
        """Scroll what is in front."""
        pane = self.panes.get(self.front)
        shown = pane if pane is not None and pane.display else self.panes[LOG]
        shown.scroll_lines(rows)

    def show(self, shown: Shown) -> None:
        """Show everything."""
        if (shown.choosing is not None) != self.is_choosing:
            self.is_choosing = shown.choosing is not None
            if self.is_choosing:
                self.front = CHOOSE
            elif self.front == CHOOSE:
                self.front = LOG
            self.apply_plan()
        self._head.show(shown.scene, shown.dashboard)
        self._turns.show(shown.scene)
        for pane in self.panes.values():
            if pane.display:
                pane.show(shown.scene)
        self._keys.show(shown.dashboard, GAME)
