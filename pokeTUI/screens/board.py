"""The main screen: where panes are, which has the keyboard, and the mouse on their borders."""

from dataclasses import dataclass, replace

from textual.app import ComposeResult
from textual.events import Click, MouseDown, MouseMove, MouseUp
from textual.geometry import Offset, Size
from textual.message import Message

from engine.events import RunStarted
from engine.types import GAME_BOY_FRAME_SHAPE
from pokeTUI.dashboard.conditions import is_replay
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.layout import (
    Arrangement,
    Plan,
    border_at,
    border_of,
    hideable,
    make_plan,
    move_border,
)
from pokeTUI.draw.splits import GAME, Border
from pokeTUI.input.keymap import KeyTable
from pokeTUI.panes import kinds
from pokeTUI.panes.game import GamePane
from pokeTUI.panes.pane import Pane
from pokeTUI.screens.bars import KeyBar, StoryLine, TabBar, Timeline, TooSmall
from pokeTUI.screens.planned import PlannedBoard, Regions
from pokeTUI.screens.status_bar import StatusBar

_STEP = {"wider": 2, "narrower": -2, "taller": 1, "lower": -1}


class Board(PlannedBoard):
    """Hold the panes and arrange them for the terminal's size and the user's liking.

    Attributes:
        arrangement: How the user wants the panes arranged.
        focused: The pane that has the keyboard.
    """

    @dataclass
    class Arranged(Message):
        """The user has rearranged the panes."""

        arrangement: Arrangement

    def __init__(self, table: KeyTable, arrangement: Arrangement, *, id: str) -> None:
        super().__init__(id=id)
        self.focused = GAME
        self.arrangement = arrangement
        self.plan = Plan("too-small")
        self._state = DashboardState()
        self._drag: _Drag | None = None
        self.game = GamePane(id=GAME)
        self._panes = {pane.INFO.key: pane() for pane in kinds.PANES}
        self._status = StatusBar(id="status")
        self._story = StoryLine(id="story")
        self._keys = KeyBar(table, id="keys")
        self._tabs = TabBar(id="tabs")
        self._timeline = Timeline(id="timeline")

    def pane(self, key: str) -> Pane:
        """Return a pane besides the game."""
        return self._panes[key]

    def compose(self) -> ComposeResult:
        """Yield everything once; the plan decides what is shown."""
        yield self._status
        yield self._story
        yield self.game
        yield self._tabs
        yield from self._panes.values()
        yield self._timeline
        yield self._keys
        yield TooSmall(id="too_small")

    # Arranging

    def arrange_as(self, arrangement: Arrangement) -> None:
        """Use this arrangement from now on."""
        if arrangement == self.arrangement:
            return
        self.arrangement = arrangement
        self.apply_plan()
        self.post_message(self.Arranged(arrangement))

    def activate(self, key: str) -> None:
        """Show pane `key`, in front where panes share a place, and give it the keyboard."""
        wishes = self.arrangement.front(key) if key != GAME else self.arrangement
        wishes = replace(wishes, hidden=wishes.hidden - {key})
        if wishes.zoomed:
            wishes = replace(wishes, zoomed=key)
        self.focused = key
        self.arrange_as(wishes)
        self._mark_focus()

    def toggle(self, key: str) -> bool:
        """Show pane `key`, or hide it if it is shown; tabs are chosen, and do not hide.

        Returns:
            Whether that was possible: the last pane cannot be hidden.
        """
        if key in self.arrangement.absent:
            return False
        is_shown = key in self.plan.regions and not self.arrangement.zoomed
        if not is_shown or key not in hideable(self.plan.name, (key,)):
            self.activate(key)
            return True
        if len(self.plan.shown) < 2:
            return False
        self.arrange_as(replace(self.arrangement, hidden=self.arrangement.hidden | {key}))
        return True

    def cycle(self, step: int) -> None:
        """Give the keyboard to the next pane, or the one before, and show it."""
        keys = kinds.pane_keys()
        hidden = self.arrangement.hidden & hideable(self.plan.name, keys)
        keys = tuple(key for key in keys if key not in hidden | self.arrangement.absent)
        index = keys.index(self.focused) if self.focused in keys else -1
        self.activate(keys[(index + step) % len(keys)])

    def zoom(self) -> None:
        """Let the pane with the keyboard fill the screen, or put it back."""
        zoomed = "" if self.arrangement.zoomed else self.focused
        self.arrange_as(replace(self.arrangement, zoomed=zoomed))

    def resize(self, way: str) -> bool:
        """Make the pane with the keyboard wider, narrower, taller or lower, if it can be."""
        found = border_of(self.plan, self.focused, is_row=way in ("wider", "narrower"))
        if found is None:
            return False
        border, direction = found
        wishes = move_border(self.plan, self.arrangement, border, _STEP[way] * direction)
        has_moved = wishes is not self.arrangement
        self.arrange_as(wishes)
        return has_moved

    # The mouse

    def on_mouse_down(self, event: MouseDown) -> None:
        """Give the keyboard to the pane under the pointer; take hold of a border."""
        at = event.screen_offset - self.region.offset
        for key in self.plan.shown:
            if self.plan.regions[key].contains(*at):
                self.focused = key
                self._mark_focus()
        border = border_at(self.plan, *at)
        if border is not None and event.button == 1:
            self._drag = _Drag(border, at, self.plan, self.arrangement)

    def on_mouse_move(self, event: MouseMove) -> None:
        """Move the border that is held."""
        drag = self._drag
        if drag is None:
            return
        if event.button != 1:
            self._let_go()
            return
        self.capture_mouse()
        moved = event.screen_offset - self.region.offset - drag.start
        place = next(one for one in drag.plan.places if one.key == drag.border.place)
        cells = moved.x if place.is_row else moved.y
        self.arrange_as(move_border(drag.plan, drag.arrangement, drag.border, cells))

    def on_mouse_up(self, event: MouseUp) -> None:
        """Let go of the border."""
        self._let_go()

    def on_click(self, event: Click) -> None:
        """Zoom by a double click on a pane's border."""
        at = event.screen_offset - self.region.offset
        region = self.plan.regions.get(self.focused)
        if event.chain != 2 or region is None or not region.contains(*at):
            return
        if not region.shrink((1, 1, 1, 1)).contains(*at):
            self.zoom()

    def _let_go(self) -> None:
        if self._drag is not None:
            self._drag = None
            self.release_mouse()

    # Showing

    def show(self, state: DashboardState) -> None:
        """Show the figures of `state` in everything that is shown."""
        is_new = state.run is not self._state.run
        self._state = state
        if is_new and state.run is not None:
            self._suit(state, state.run)
        self._status.show(state)
        self._story.show(state)
        self._keys.show(state, self.focused)
        self._timeline.show(state)
        if GAME in self.plan.regions:
            self.game.show(state)
        for key, pane in self._panes.items():
            if key in self.plan.regions:
                pane.show(state)

    def _suit(self, state: DashboardState, run: RunStarted) -> None:
        """Leave out the panes that this run has nothing for, and fit the frames of its game."""
        suited = replace(
            self.arrangement,
            absent=kinds.absent_panes(state),
            has_timeline=is_replay(state),
            frame_shape=run.frame_shape or GAME_BOY_FRAME_SHAPE,
        )
        if suited != self.arrangement:
            self.arrangement = suited
            self.apply_plan()

    def regions_for(self, size: Size) -> Regions:
        """Return where the panes are on a board of that size."""
        return make_plan(kinds.pane_infos(), *size, self.arrangement).regions

    def apply_plan(self) -> None:
        """Put everything where it belongs now, and show it."""
        plan = make_plan(kinds.pane_infos(), *self.size, self.arrangement)
        self.set_class(plan.name == "compact", "-compact")
        # By the application's class, for the screens above this one have notices, too.
        self.app.set_class(plan.name in ("compact", "presentation"), "-brief-notices")
        self.app.set_class(plan.name == "too-small", "-no-notices")
        self.plan = plan
        self.show_planned(plan.regions)
        if plan.shown and self.focused not in plan.shown:
            self.focused = plan.shown[0]
        self._tabs.show(plan.tabs, next((key for key in plan.tabs if key in plan.regions), ""))
        self.game.set_text_rows(plan.text_rows)
        self.game.refresh(layout=True)  # a child: Textual only forgets its parents' arrangements
        self.refresh(layout=True)
        self._mark_focus()
        self.show(self._state)

    def _mark_focus(self) -> None:
        for key, pane in (*self._panes.items(), (GAME, self.game)):
            pane.set_class(key == self.focused, "-focused")
        self._keys.show(self._state, self.focused)


@dataclass(frozen=True, slots=True)
class _Drag:
    """A border in hand: all moves count from where it was taken."""

    border: Border
    start: Offset
    plan: Plan
    arrangement: Arrangement
