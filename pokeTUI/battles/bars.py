"""The lines around the battle: what is shown, the turns to seek in, the views, and the keys."""

from pokeTUI.battles.layout import VIEWS
from pokeTUI.battles.panes import TITLES, Scene
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.lines import Line
from pokeTUI.draw.lines_widget import LinesWidget
from pokeTUI.draw.theme import Ink
from pokeTUI.screens.bars import ActionBar, SeekBar


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
        turn = f"turn {view.turn}" if view.turn else "team preview" if view.is_preview else "start"
        if scene.place == playback.end and view.has_ended:
            turn = "ended"
        line.add(f" {turn}", Ink.strong)
        shown = scene.battles.shown
        if shown is not None and shown.count > 1:
            line.add(f"  battle {shown.number + 1}/{shown.count}", Ink.dim)
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
