"""The battle screen's parts in their places: the panes, and the lines around them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from textual.app import ComposeResult
from textual.geometry import Size
from textual.widget import Widget

from pokeTUI.battles.choices import Option
from pokeTUI.battles.choosing import Choosing, options, so_far, title
from pokeTUI.battles.layout import CHOOSE, LOG, SHEETS, VIEWS, Wanted, make_plan
from pokeTUI.battles.panes import TITLES, BattlePane, Scene, make_panes
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.lines import Line, beside, flow
from pokeTUI.draw.lines_widget import LinesWidget
from pokeTUI.draw.menu import Column, Menu, Row
from pokeTUI.draw.splits import GAME
from pokeTUI.draw.theme import Ink
from pokeTUI.input.keymap import KeyTable
from pokeTUI.screens.bars import ActionBar, KeyBar, SeekBar, TooSmall
from pokeTUI.screens.planned import PlannedBoard, Regions


class Head(LinesWidget):
    """Say which battle this is, where in it, and how the training stands."""

    def __init__(self) -> None:
        super().__init__(id="head")
        self._shown: tuple[Scene, DashboardState] | None = None

    def show(self, scene: Scene, dashboard: DashboardState) -> None:
        """Show the scene."""
        self._shown = (scene, dashboard)
        self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the line."""
        if self._shown is None:
            return []
        scene, dashboard = self._shown
        view, playback = scene.view, scene.battles.playback
        line = Line(width)
        status = dashboard.status
        if dashboard.end is not None:
            line.add(" ended ", Ink.badge_warn)
        elif status is not None and status.is_paused:
            line.add(" paused ", Ink.badge_warn)
        elif dashboard.battle.is_playing:
            line.add(" ▶ ", Ink.badge)
        elif scene.battles.is_looking_ahead:
            line.add(" looking ahead ", Ink.badge_info)
        turn = f"turn {view.turn}" if view.turn else "team preview" if view.is_preview else "start"
        if scene.place == playback.end and view.has_ended:
            turn = "ended"
        line.add(f" {turn}", Ink.strong)
        shown = scene.battles.shown
        if shown is not None and shown.count > 1:
            line.add(f"  battle {shown.number + 1}/{shown.count}", Ink.dim)
        elif shown is not None and shown.set is not None:
            line.add(f"  {shown.set}", Ink.dim)
        players = [side.player or "?" for side in view.sides]
        line.add(f"  {players[scene.own]}", Ink.accent).add(" vs ", Ink.dim)
        line.add(players[1 - scene.own], Ink.bad)
        progress = scene.battles.progress
        if progress is not None:
            line.add_whole(
                f"  update {progress.update:,} · {progress.total_steps:,} decisions · "
                f"{progress.decisions_per_s:,.0f}/s",
                Ink.text,
            )
        return [line.add_whole(f"  {view.tier}", Ink.dim)]


class TurnBar(SeekBar):
    """The whole battle on one line; a click or a drag seeks."""

    def __init__(self) -> None:
        super().__init__(id="turns")
        self._scene: Scene | None = None

    def show(self, scene: Scene) -> None:
        """Show the scene's place."""
        if self._scene is None or not scene.is_same(self._scene):
            self._scene = scene
            self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the line."""
        if self._scene is None or not self._scene.battles.playback.lines:
            return [Line(width)]
        playback, place = self._scene.battles.playback, self._scene.place
        columns = self._columns
        marks = {self._column(stop) for stop in playback.stops}
        here = self._column(place)
        line = Line(width).add(" ", Ink.text)
        for column in range(columns):
            if column == here:
                line.add("┃", Ink.badge)
            elif column in marks:
                line.add("┻" if column < here else "┴", Ink.accent if column < here else Ink.dim)
            else:
                line.add("━" if column < here else "─", Ink.accent if column < here else Ink.faint)
        return [line.add(f" {self._label}", Ink.strong)]

    @property
    def _label(self) -> str:
        scene = self._scene
        assert scene is not None
        last = scene.battles.playback.view(scene.battles.playback.end).turn
        if not last or scene.view.is_preview:
            return "team preview"
        return f"turn {scene.view.turn}/{last}"

    @property
    def _columns(self) -> int:
        return max(2, self.content_size.width - len(" turn 999/999") - 2)

    @property
    def _length(self) -> int:
        return self._scene.battles.playback.end if self._scene is not None else 0

    def _column(self, place: int) -> int:
        return round(place / max(1, self._length) * (self._columns - 1))


class ViewBar(ActionBar):
    """The names of the views that share a place; a click shows another."""

    def __init__(self) -> None:
        super().__init__(id="views")
        self._tabs: tuple[str, ...] = ()
        self._front = ""
        self._has_numbers = True

    def show(self, tabs: tuple[str, ...], front: str, *, has_numbers: bool) -> None:
        """Show these names, one of them marked; `has_numbers`: their keys choose nothing else."""
        if (tabs, front, has_numbers) != (self._tabs, self._front, self._has_numbers):
            self._tabs, self._front, self._has_numbers = tabs, front, has_numbers
            self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the line."""
        line = Line(width)
        self._spans = []
        for key in self._tabs:
            number = f"{VIEWS.index(key) + 1} " if key in VIEWS and self._has_numbers else ""
            title = TITLES.get(key, "Choose")
            start = line.used
            line.add(f" {number}{title} ", Ink.badge if key == self._front else Ink.dim)
            self._spans.append((start, line.used, f"view('{key}')"))
            line.add(" ", Ink.dim)
        return [line]


class Choices(Menu):
    """Options with what is to be known of each, in as many lines as that takes.

    Where there is no room for all, only the marked one has more than one line.
    """

    def __init__(self) -> None:
        super().__init__((), id="choice_menu", has_numbers=True)
        self._options: Sequence[Option] = ()
        self._shown: list[int] = []

    def show(self, found: Sequence[Option]) -> None:
        """Show options, the first one marked that can be chosen."""
        self._options = found
        rows = [Row(str(one.code), (one.text,), why_not=one.why_not) for one in found]
        self.fill(rows, columns=(Column("", max(len(one.text) for one in found)),))
        possible = [row.key for row in rows if not row.why_not]
        if self.marked is None or self.marked.key not in possible:
            self.mark(possible[0] if possible else "")

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the rows, so far down that the marked one is seen."""
        blocks = [self._block(index, width) for index in range(len(self._options))]
        if sum(map(len, blocks)) > height:
            blocks = [
                block if at == self._at or len(block) < 2 else [block[0].add(" …", Ink.dim)]
                for at, block in enumerate(blocks)
            ]
        owners = [index for index, block in enumerate(blocks) for _ in block]
        last = len(owners) - owners[::-1].index(self._at) if owners else 0
        start = max(0, last - height)
        self._shown = owners[start : start + height]
        return [line for block in blocks for line in block][start : start + height]

    def _block(self, index: int, width: int) -> list[Line]:
        option, head = self._options[index], self._row(index, width)
        parts = (option.why_not,) * bool(option.why_not) + option.parts
        ink = Ink.text if index == self._at else Ink.dim
        return beside([head], flow(parts, width - head.used, ink), head.used, width)

    def _index_at(self, y: int) -> int:
        return self._shown[y] if y < len(self._shown) else len(self._options)


class Chooser(Widget):
    """What can be chosen now, in a menu, with what is chosen already above it."""

    def __init__(self) -> None:
        super().__init__(id=CHOOSE, classes="pane")
        self.border_title = "Choose"
        self._head = _ChoiceHead(id="choice_head")
        self.menu = Choices()

    def compose(self) -> ComposeResult:
        """Yield the parts."""
        yield self._head
        yield self.menu

    def show(self, choosing: Choosing) -> None:
        """Show the choice that is being made."""
        self._head.show(choosing)
        self.menu.show(options(choosing))


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
        self.wanted = Wanted()
        self._head, self._turns, self._views = Head(), TurnBar(), ViewBar()
        self.panes: dict[str, BattlePane] = make_panes()
        self.chooser = Chooser()
        self._keys = KeyBar(table, id="battle_keys", widest_gap=2)
        self.plan = make_plan(0, 0, self.wanted)

    def regions_for(self, size: Size) -> Regions:
        """Return where the parts are on a board of that size."""
        return make_plan(*size, self.wanted).regions

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
        self.plan = make_plan(*self.size, self.wanted)
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

    @property
    def front(self) -> str:
        """The view that is in front."""
        return self.wanted.front

    def view(self, key: str) -> None:
        """Bring a view to the front."""
        self._want(replace(self.wanted, front=key))

    def _want(self, wanted: Wanted) -> None:
        if wanted != self.wanted:
            self.wanted = wanted
            self.apply_plan()

    def next_view(self, step: int) -> None:
        """Bring the next view to the front, or the one before."""
        tabs = self.plan.tabs or self.wanted.views
        at = tabs.index(self.wanted.front_of(tabs))
        self.view(tabs[(at + step) % len(tabs)])

    def scroll_view(self, rows: int) -> None:
        """Scroll what is in front."""
        panes = (self.panes.get(key) for key in (self.front, SHEETS))
        shown = (pane for pane in panes if pane is not None and pane.display)
        next(shown, self.panes[LOG]).scroll_lines(rows)

    def show(self, shown: Shown) -> None:
        """Show everything."""
        is_choosing, front = shown.choosing is not None, self.front
        if is_choosing != self.wanted.is_choosing:
            front = CHOOSE if is_choosing else LOG if front == CHOOSE else front
        is_preview = shown.scene.view.is_preview
        self._want(Wanted(front, shown.dashboard.battle.views, is_choosing, is_preview))
        scene = replace(shown.scene, parts=frozenset(self.plan.regions))
        self._head.show(scene, shown.dashboard)
        self._turns.show(scene)
        for pane in self.panes.values():
            if pane.display:
                pane.show(scene)
        self._keys.show(shown.dashboard, GAME)
