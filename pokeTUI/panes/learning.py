"""Show the run's curves and milestones: whether it gets better."""

from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np
from textual import events
from textual.worker import get_current_worker

from engine.types import Evaluation
from pokeTUI.dashboard.curves import (
    ALONE,
    ALONE_HIGH,
    ALONE_LOW,
    ALONE_SUCCESS,
    MILESTONES,
    RETURN,
    SUCCESS,
    WINDOWS,
    Curve,
    brief,
    curves,
    cut,
    load_curves,
    saved_runs,
    value_at,
)
from pokeTUI.dashboard.history import SUCCESS_WINDOW
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.dashboard.status_report import story
from pokeTUI.draw.layout import TRAINING, PaneInfo
from pokeTUI.draw.lines import Line, add_bar, beside, sparkline
from pokeTUI.draw.theme import Ink
from pokeTUI.panes.dialogs import ChoiceScreen
from pokeTUI.panes.pane import Pane, PaneKey, empty, untrained
from pokeTUI.panes.plot import Axes, Frame, PlotLine, SmallChart, grid, place_of, plot

_LAST_SHARE = 0.1
_FIRST = {
    "updates": "with the first update",
    "evaluations": "with the first evaluation",
    "episodes": "when the first episode ends",
}
_SPLIT = 110
"""Cells from which the milestones stand beside the curve."""
_TREND_FROM = 50
"""Cells from which a milestone has its trend beside it, not below."""


class LearningPane(Pane):
    """One curve over the run, chosen with [ and ], or the milestones; more where there is room."""

    INFO: ClassVar[PaneInfo] = PaneInfo(
        "learning",
        "Learning curve",
        needs=TRAINING,
        rows=(8, 9, 14),
        appetite=3,
        presented=1,
    )
    PARTS = ("history", "updates", "evaluations", "evaluated", "policy", "run", "starts")
    KEYS: ClassVar[tuple[PaneKey, ...]] = (
        PaneKey(("right_square_bracket",), "next", "]", "curve", "Show the next curve."),
        PaneKey(("left_square_bracket",), "previous", "[", "", "Show the previous curve."),
        PaneKey(("m",), "smooth", "m", "mean", "Average over 30, 100, 1 or 10 episodes."),
        PaneKey(("y",), "log", "y", "log", "Toggle the logarithmic value axis."),
        PaneKey(("r",), "range", "r", "range", "Show the last tenth of the run, or all of it."),
        PaneKey(("c",), "compare", "c", "compare", "Compare with the curve of a saved run."),
        PaneKey(("left", "h"), "left", "←/h", "", "Read values: move the cursor left."),
        PaneKey(("right", "l"), "right", "→/l", "", "Move the cursor right."),
        PaneKey(("up", "k"), "up", "↑/k", "", "Scroll the milestones up."),
        PaneKey(("down", "j"), "down", "↓/j", "", "Scroll the milestones down."),
        PaneKey(("home",), "first", "home", "", "Move the cursor to the start."),
        PaneKey(("end",), "last", "end", "", "Hide the cursor."),
    )

    def __init__(self) -> None:
        super().__init__()
        self.curve = RETURN
        self._is_chosen = False
        self._window = 0
        self._is_log = False
        self._is_zoomed = False
        self._cursor: int | None = None
        self._first_milestone = 0
        self._other: DashboardState | None = None
        self._other_name = ""
        self._frame = Frame(0, 1)
        self._frame_rows = 0
        self._legend_row = 0

    # Keys and mouse

    def act(self, name: str) -> None:
        """Choose what is shown, and how."""
        match name:
            case "next" | "previous":
                self._choose(1 if name == "next" else -1)
            case "smooth":
                self._window = (self._window + 1) % len(WINDOWS)
            case "log":
                self._is_log = not self._is_log
            case "range":
                self._is_zoomed, self._cursor = not self._is_zoomed, None
            case "compare":
                self._ask()
            case "left" | "right" | "first" | "last":
                self._move(name)
            case "up" | "down":
                count = len(self._state.run.milestones) if self._state.run else 1
                at = self._first_milestone + (1 if name == "down" else -1)
                self._first_milestone = max(0, min(count - 1, at))
        self.redraw()

    def on_click(self, event: events.Click) -> None:
        """Put the mark under the pointer; a click on the legend shows the next curve."""
        at = event.get_content_offset(self)
        if at is None or self.curve == MILESTONES:
            return
        if at.y == self._legend_row:
            self.act("next")
        elif self._legend_row < at.y <= self._legend_row + self._frame_rows:
            self._cursor = max(0, min(self._frame.columns - 1, at.x - self._frame.start))
            self.redraw()

    def wheel(self, name: str, event: events.MouseEvent) -> None:
        """Scroll the milestones, or show another curve."""
        if self.curve != MILESTONES:
            name = "next" if name == "down" else "previous"
        self.act(name)

    def _choose(self, step: int) -> None:
        known = curves(self._state)
        at = known.index(self.curve) if self._is_chosen and self.curve in known else 0
        self.curve, self._is_chosen = known[(at + step) % len(known)], True
        self._cursor = None

    def _move(self, name: str) -> None:
        last = self._frame.columns - 1
        if name in ("first", "last"):
            self._cursor = 0 if name == "first" else None
        elif name == "left":
            self._cursor = max(0, last if self._cursor is None else self._cursor - 1)
        elif self._cursor is not None:
            self._cursor = None if self._cursor >= last else self._cursor + 1

    # Another run

    def _ask(self) -> None:
        run = self._state.run
        known = saved_runs(run.run_dir) if run is not None else []
        if not known:
            self.notify("No other saved run to compare with.", timeout=3)
            return
        choices = [("", "none: this run alone"), *known]
        screen = ChoiceScreen("Compare with a saved run", choices, self._other_name)
        self.ask(screen, self._compare)

    def _compare(self, run_id: str) -> None:
        self._other, self._other_name = None, run_id
        self.redraw()
        if run_id and self._state.run is not None:
            load = partial(self._load, self._state.run.run_dir, run_id)
            self.run_worker(load, thread=True, exclusive=True, group="compare")

    def _load(self, run_dir: str, run_id: str) -> None:
        """Read another run's curves, beside the event loop: a long run has a long journal."""
        worker = get_current_worker()
        warnings: list[str] = []
        other = load_curves(run_dir, run_id, lambda: worker.is_cancelled, warnings.append)
        if not worker.is_cancelled:
            self.app.call_from_thread(self._show_other, run_id, other, warnings)

    def _show_other(self, run_id: str, other: DashboardState, warnings: list[str]) -> None:
        if run_id == self._other_name:
            self._other = other
            self.redraw()
            for text in warnings:
                self.notify(text, severity="warning", markup=False)

    # Drawing

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return a legend and the curve; beside and below it more, where there is room."""
        self._frame_rows = self._legend_row = 0
        known = curves(state)
        if not self._is_chosen or self.curve not in known:
            self.curve = known[0]
        if self.curve == MILESTONES:
            return _milestones(state, width, height, self._first_milestone)
        has_milestones = state.run is not None and bool(state.run.milestones)
        if not (width >= _SPLIT and has_milestones and state.history.count):
            alone = self.sentence(story(state)[1], width)
            self._legend_row = len(alone)
            return [*alone, *self._chart(state, width, height - len(alone))]
        at = width - min(60, width // 3)
        small = self._small_charts(state, width, height // 2) if height >= 30 else []
        left = self._chart(state, at - 3, height - len(small) - bool(small))
        right = _milestones(state, width - at, len(left), self._first_milestone)
        return beside(left, right, at, width) + ([Line(width), *small] if small else [])

    def _chart(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return the chosen curve, with what is known about it above and below."""
        curve = self.curve
        points = curve.smoothed(state, WINDOWS[self._window])
        if not len(points[1]):
            first = _FIRST[curve.source]
            if state.starts and curve.source == "episodes":
                first = "when the first episode from power-on ends"
            return empty(untrained(state) or f"The curve starts {first}.", width)
        right = float(points[0][-1])
        left = float(points[0][0])
        if self._is_zoomed:
            left = right - _LAST_SHARE * (right - left)
        drawn = [PlotLine(cut(points, left, right), Ink.good)]
        if self._other is not None:
            behind = cut(curve.smoothed(self._other, WINDOWS[self._window]), left, right)
            drawn.append(PlotLine(behind, Ink.info, is_dotted=True))
        elif curve == RETURN and not self._other_name:
            rates = cut(SUCCESS.smoothed(state, SUCCESS_WINDOW), left, right)
            drawn.append(PlotLine(rates, Ink.info, is_dotted=True, is_on_right=True))
            alone = cut(ALONE.beside(curve, state, 1), left, right)
            if len(alone[0]):
                drawn.append(PlotLine(alone, Ink.warn, is_on_right=True))
        elif curve == ALONE and not self._other_name:
            led = cut(RETURN.beside(curve, state, SUCCESS_WINDOW), left, right)
            if len(led[0]):
                drawn = [replace(drawn[0], is_on_right=True), PlotLine(led, Ink.info, True)]
        elif curve in (SUCCESS, ALONE_SUCCESS) and not self._other_name:
            if curve == SUCCESS:
                alone = cut(ALONE_SUCCESS.beside(curve, state, 1), left, right)
                drawn.append(PlotLine(alone, Ink.warn))
            drawn += [
                PlotLine(cut(bound.beside(curve, state, 1), left, right), Ink.faint, is_dotted=True)
                for bound in (ALONE_LOW, ALONE_HIGH)
            ]
            drawn = [one for one in drawn if len(one.points[0])]
        can_log = all(np.all(one.points[1] > 0) for one in drawn if not one.is_on_right)
        is_log = self._is_log and can_log
        scaled = RETURN if drawn[0].is_on_right else curve
        is_share = scaled.is_share and not is_log
        axes = Axes(left, right, curve.unit, scaled.text, is_log, is_share)
        if self._cursor is not None:
            place = place_of(self._cursor, axes, self._frame.columns)
            axes = replace(axes, cursor=place)
        legend = _legend(
            curve, drawn, axes, width, self._other_name, is_read=self._other is not None
        )
        foot = [self._settings(state, width, can_log=can_log)] if height >= 5 else []
        rows = max(1, height - 1 - len(foot))
        lines, self._frame = plot(drawn, axes, width, rows)
        self._frame_rows = len(lines)
        return [legend, *lines, *foot]

    def _settings(self, state: DashboardState, width: int, *, can_log: bool) -> Line:
        """Return a line about the curve: its number, scale, averaging, and its latest figures."""
        known, curve = curves(state), self.curve
        place = f" {known.index(curve) + 1}/{len(known)} "
        line = Line(width).add("[", Ink.key).add(place, Ink.dim).add("]", Ink.key)
        if self._is_log and not can_log:
            line.add("  no log scale: values <= 0", Ink.warn)
        elif self._is_log:
            line.add("  log scale", Ink.text)
        size = max(WINDOWS[self._window], curve.stride(state))
        mean = f"  mean of {size}" if size > 1 else "  raw"
        line.add_whole("  the policy alone" if curve.source == "evaluations" else mean, Ink.dim)
        if self._is_zoomed:
            line.add_whole("  last tenth", Ink.text)
        if state.evaluated is not None and curve in (ALONE, ALONE_SUCCESS):
            for text in _alone(state, state.evaluated.evaluation):
                line.add_whole(text, Ink.text)
        if state.policy is not None and curve.source == "episodes":
            line.add_whole(f"  update {state.policy.update:,}", Ink.dim)
            for name in ("entropy", "value_loss", "epsilon", "distillation"):
                if name in state.policy.figures:
                    value = brief(state.policy.figures[name])
                    line.add_whole(f"  {name.replace('_', ' ')} {value}", Ink.dim)
        return line

    def _small_charts(self, state: DashboardState, width: int, room: int) -> list[Line]:
        """Return rows of small charts of the other curves."""
        others = [one for one in curves(state) if one not in (self.curve, MILESTONES)]
        others.sort(key=lambda one: one.name.startswith("milestone/"))
        window = WINDOWS[self._window]
        charts = [
            SmallChart(one.title, one.smoothed(state, window), one.unit, one.text, one.is_share)
            for one in others
        ]
        return grid(charts, width, room)


def _alone(state: DashboardState, found: Evaluation) -> list[str]:
    """Return how often the policy alone reaches the goal, and how often it did at its best."""
    if not found.episodes:
        return ["  no game has ended yet"]
    low, high = (bound.points(state)[1][-1] for bound in (ALONE_LOW, ALONE_HIGH))
    best = ALONE_SUCCESS.points(state)[1].max()
    return [
        f"  success {found.success_rate:.0%} of {found.episodes} ({low:.0%} to {high:.0%})",
        f"  best {best:.0%}",
    ]


def _legend(
    curve: Curve, drawn: list[PlotLine], axes: Axes, width: int, other: str, *, is_read: bool
) -> Line:
    """Return what the curves are and their values, at the mark or now."""
    line = Line(width)
    place = axes.right if axes.cursor is None else axes.cursor
    if axes.cursor is not None:
        line.add(f"{axes.unit} {place:,.0f}  ", Ink.warn)
    names = [curve.title, other]
    if not other and curve == RETURN:
        names = [curve.title, "success", "policy alone"]
    elif not other and curve == ALONE:
        names = [curve.title, "return"]
    elif not other and curve in (SUCCESS, ALONE_SUCCESS):
        alone = ["policy alone"] if curve == SUCCESS else []
        names = [curve.title, *alone, "from", "to"]
    for number, one in enumerate(drawn):
        line.add("┅ " if one.is_dotted else "━ ", one.ink).add(f"{names[number]} ", Ink.dim)
        places = one.points[0]
        # Without a mark the last value stands, however long ago it came: evaluations take a while.
        value = value_at(one.points, places[-1] if axes.cursor is None and len(places) else place)
        text = "–" if value is None else f"{value:.0%}" if one.is_on_right else axes.text(value)
        line.add(text, Ink.strong).add("  ", Ink.dim)
    if other and not is_read:
        line.add(f"reading {other} …", Ink.dim)
    return line


def _milestones(state: DashboardState, width: int, height: int, first: int) -> list[Line]:
    """Return a heading and a bar for each milestone, from number `first` if not all fit."""
    milestones = state.run.milestones if state.run is not None else ()
    if not state.history.count or not milestones:
        later = "The milestones are counted when the first episode ends."
        return empty(untrained(state) or later, width)
    window = min(SUCCESS_WINDOW, state.history.count)
    is_tall = width < _TREND_FROM and height > 2 * len(milestones)
    room = max(1, (height - 1) // (2 if is_tall else 1))
    start = max(0, min(first, len(milestones) - room))
    shown = milestones[start : start + room]
    heading = Line(width).add("milestones ", Ink.strong)
    heading.add(f"reached in the last {window}", Ink.dim)
    if len(shown) < len(milestones):
        heading.add_whole(f"  {start + 1}-{start + len(shown)} of {len(milestones)} ↕", Ink.dim)
    name = min(
        max(len(text) for _, text in milestones) + 1,
        max(8, width - 16 if width < _TREND_FROM else width * 9 // 20),
    )
    trend = min(30, (width - name - 6) // 2) if width >= _TREND_FROM else 0
    lines, record = [heading], state.history.record
    for key, text in shown:
        share = state.history.milestone_share(key)
        ink = Ink.good if share >= 0.5 else Ink.warn if share > 0 else Ink.dim
        line = (
            Line(width).add(text, Ink.text if share > 0 else Ink.dim, name - 1).add(" ", Ink.text)
        )
        add_bar(line, share, max(0, width - name - 5 - (trend + 1 if trend else 0)), ink, Ink.faint)
        line.add(f"{share:.0%}", Ink.text, 5, right=True)
        values = record.points(f"milestone/{key}")[1].tolist() if trend or is_tall else []
        if trend:
            line.add(" ", Ink.text).add(sparkline(values, trend), Ink.dim)
        lines.append(line)
        if is_tall:
            lines.append(Line(width).add(sparkline(values, width - 6), Ink.dim))
    return lines[:height]
