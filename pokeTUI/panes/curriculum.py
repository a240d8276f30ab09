"""Show how far the hand-over from planner to policy has come."""

from math import isnan
from typing import ClassVar

from textual import events

from engine.events import CurriculumChanged
from engine.ground.text import counted
from pokeTUI.dashboard.curves import PLANNER, RETURN, brief
from pokeTUI.dashboard.history import CURRICULUM_WINDOW, SUCCESS_WINDOW, Move
from pokeTUI.dashboard.planner import planned_share, strategy_name
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.dashboard.status_report import story
from pokeTUI.draw.layout import TRAINING, PaneInfo
from pokeTUI.draw.lines import Line, add_bar, beside, column, labelled, source_mark, stacked_bar
from pokeTUI.draw.theme import Ink
from pokeTUI.panes.dialogs import ask_mode, ask_strategy
from pokeTUI.panes.pane import CommandWanted, Pane, PaneKey, empty, untrained
from pokeTUI.panes.plot import Axes, PlotLine, plot

# The lines of the curriculum pane: each from the state alone.

LABEL = 9
"""Width of the labels."""


def stage_lines(now: CurriculumChanged, width: int, room: int) -> list[Line]:
    """Return the strip of stages and the name of the current one, below it if need be."""
    line = Line(width).add("stage", Ink.dim, LABEL)
    for stage in range(1, now.num_stages + 1):
        if stage > 1:
            line.add("─", Ink.accent if stage <= now.stage else Ink.faint)
        mark, ink = ("●", Ink.accent) if stage < now.stage else ("○", Ink.faint)
        if stage == now.stage:
            mark, ink = "◉", Ink.strong
        line.add(mark, ink)
    line.add(f"  {now.stage} of {now.num_stages}", Ink.text)
    if room > 1 and line.room < len(now.name) + 2:
        return [line, Line(width).add("phase", Ink.dim, LABEL).add(now.name, Ink.strong)]
    return [line.add(f"  {now.name}", Ink.strong)]


def next_stage_lines(now: CurriculumChanged, width: int, room: int) -> list[Line]:
    """Return when the next stage begins."""
    text, ink = now.missing, Ink.warn
    if not text:
        text, ink = "nothing: this is the last stage", Ink.good
    return labelled("next", text, ink, width, LABEL, room)


_NOT_COUNTED = Ink.faint


def _bars(now: CurriculumChanged) -> tuple[list[tuple[float, Ink]], float]:
    """Return height and ink of the last ten episodes, and the threshold's height.

    Heights are shares of a scale that holds them all; episodes before this stage do not count.
    """
    line = 0.0 if isnan(now.threshold) else now.threshold
    low, high = min(0.0, line, *now.recent), max(line * 1.1, *now.recent, 1e-9)
    bars = []
    for age, value in zip(range(len(now.recent), 0, -1), now.recent, strict=True):
        ink = Ink.good if isnan(now.threshold) or value >= line else Ink.warn
        ink = ink if age <= now.episodes_in_stage else _NOT_COUNTED
        bars.append(((value - low) / (high - low), ink))
    return bars, (line - low) / (high - low)


def _add_average(line: Line, now: CurriculumChanged) -> Line:
    average = "–" if isnan(now.average_reward) else f"{now.average_reward:z.1f}"
    unit = "" if now.unit == "reward" else f" {now.unit}"
    if isnan(now.threshold):
        return line.add(f"mean {now.unit} {average}", Ink.text)
    is_enough = now.average_reward >= now.threshold
    sign, ink = (" ✓", Ink.good) if is_enough else ("", Ink.text)
    line.add(f"mean {average} of {now.threshold:.4g}", ink).add(sign, ink)
    return line.add_whole(unit, ink)


def ten_in_a_row(now: CurriculumChanged, width: int) -> Line:
    """Return the last ten episodes as one line of small bars, with their average."""
    line = Line(width).add("last 10", Ink.dim, LABEL)
    bars, _ = _bars(now)
    for height, ink in bars:
        line.add(column(height, 1)[0].replace(" ", "▁"), ink)
    line.add("·" * (CURRICULUM_WINDOW - len(bars)) + "  ", Ink.faint)
    return _add_average(line, now)


def ten_bars(now: CurriculumChanged, width: int, rows: int, *, has_note: bool) -> list[Line]:
    """Return the last ten episodes as bars, with the threshold as a line through them."""
    head = _add_average(Line(width).add("last 10", Ink.dim, LABEL), now)
    bars, share = _bars(now)
    if not bars:
        return [head, Line(width).add("", Ink.dim, LABEL).add("no episode yet", Ink.dim)]
    columns = [(column(height, rows), ink) for height, ink in bars]
    at = -1 if isnan(now.threshold) else min(rows - 1, int((1 - share) * rows))
    size = max(1, min(5, (width - LABEL - 1) // CURRICULUM_WINDOW - 1))
    lines = [head]
    for row in range(rows):
        is_line = row == at
        label = f"{brief(now.threshold)} " if is_line else ""
        line = Line(width).add(label, Ink.strong, LABEL, right=True)
        for cells, ink in columns:
            if is_line and cells[row] == " ":
                line.add("┄" * size, Ink.strong)
            else:
                line.add(cells[row] * size, ink)
            line.add("┄" if is_line else " ", Ink.strong)
        if is_line:
            line.add("┄" * ((CURRICULUM_WINDOW - len(bars)) * (size + 1)), Ink.strong)
        lines.append(line)
    if has_note and any(ink is _NOT_COUNTED for _, ink in bars):
        note = "grey: before this stage, not counted"
        lines.append(Line(width).add("", Ink.dim, LABEL).add(note, Ink.dim))
    return lines


def hand_over(state: DashboardState, width: int, height: int) -> list[Line]:
    """Return how the return rose and the planner's share fell over the run."""
    returns = RETURN.smoothed(state, SUCCESS_WINDOW)
    if not len(returns[1]):
        return []
    curves = [
        PlotLine(returns, Ink.good),
        PlotLine(PLANNER.smoothed(state, SUCCESS_WINDOW), Ink.info, True, is_on_right=True),
    ]
    head = Line(width).add("━ ", Ink.good).add("return  ", Ink.dim)
    head.add("┅ ", Ink.info).add("planner share of decisions", Ink.dim)
    head.add(f", mean of {SUCCESS_WINDOW} episodes", Ink.dim)
    axes = Axes(float(returns[0][0]), float(returns[0][-1]), "episode", brief)
    return [Line(width), head, *plot(curves, axes, width, height - 2)[0]]


def episodes_line(now: CurriculumChanged, width: int) -> Line:
    """Return how many episodes the stage has had, of those it needs."""
    line = Line(width).add("episodes", Ink.dim, LABEL)
    fraction = now.episodes_in_stage / max(1, now.min_episodes)
    text = f" {now.episodes_in_stage} of {now.min_episodes}"
    if width >= 60:
        text = f" {now.episodes_in_stage} in this stage, {now.min_episodes} needed"
    text += " ✓" if fraction >= 1 else ""
    ink = Ink.good if fraction >= 1 else Ink.warn
    add_bar(line, fraction, min(40, line.room - len(text)), ink, Ink.faint)
    return line.add(text, Ink.text)


def share_line(state: DashboardState, now: CurriculumChanged, width: int) -> Line:
    """Return the planner's share of the last decisions, if it was counted, and its weight."""
    line = Line(width).add("planner", Ink.dim, LABEL)
    decided = planned_share(state.shares)
    weight = f"weight {now.planner_share:.0%}"
    text = f" {weight}"
    if decided is not None:
        of = " of decisions" if width >= 50 else ""
        text = f" {decided:.0%}{of} ({weight})"
    if width >= 70 and state.planner.is_rules:
        text += ", by the rules"
        text += ": no --llm-model" * (not state.planner.has_model and width >= 90)
    share = now.planner_share if decided is None else decided
    add_bar(line, share, min(40, line.room - len(text)), Ink.info, Ink.faint)
    return line.add(text, Ink.text)


def source_lines(state: DashboardState, width: int, room: int) -> list[Line]:
    """Return who made the last decisions: one bar, and what its signs mean."""
    shares = sorted((pair for pair in state.shares if pair[1] > 0), key=lambda pair: -pair[1])
    line = Line(width).add("decided", Ink.dim, LABEL)
    if room <= 0:
        return []
    if not shares:
        return [line.add("no decisions counted yet", Ink.dim)]
    legend = Line(width).add("", Ink.dim, LABEL)
    for source, share in shares:
        mark, ink = source_mark(source)
        if room < 2:
            line.add(f"{mark} ", ink).add(f"{source} {share:.0%}  ", Ink.text)
        elif len(f"{mark} {source} {share:.0%}") <= legend.room:
            legend.add(f"{mark} ", ink).add(f"{source} ", Ink.dim).add(f"{share:.0%}", Ink.text)
            legend.add("  ", Ink.text)
    if room < 2:
        return [line]
    return [stacked_bar(line, shares, min(60, line.room)), legend]


def as_set(state: DashboardState, width: int) -> Line:
    """Return mode and strategy: as they are set, and which strategy is in force."""
    set_mode = state.steering.mode if state.steering else state.run.mode if state.run else ""
    line = Line(width).add("mode", Ink.dim, LABEL)
    has_model = state.planner.has_model
    line.add(strategy_name(set_mode, has_model=has_model) or "–", Ink.text)
    wanted = state.steering.strategy if state.steering else ""
    in_force = state.strategy or (wanted if wanted != "adaptive" else "")
    line.add("  strategy " if width >= 50 else "  by ", Ink.dim)
    line.add(strategy_name(in_force or wanted, has_model=has_model) or "–", Ink.strong)
    if wanted and in_force and wanted != in_force:
        line.add_whole(f" ({wanted})" if width < 50 else f"  set to {wanted}", Ink.dim)
    elif wanted and wanted != "adaptive":
        line.add_whole("  fixed by you" if width >= 50 else " fixed", Ink.dim)
    return line


def move_lines(move: Move, width: int) -> list[Line]:
    """Return a move in one line, or two where there is little room."""
    sign, ink = ("◂", Ink.warn) if move.is_back else ("▸", Ink.good)
    at = f"ep {move.episode:,} " if move.episode else "start "
    line = Line(width).add(at, Ink.dim, LABEL + 1).add(f"{sign} ", ink)
    line.add(move.text, Ink.strong if move.is_stage else Ink.text)
    if not move.cause:
        return [line]
    if line.room >= len(move.cause) + 2:
        return [line.add(f"  {move.cause}", Ink.dim)]
    return [line, Line(width).add("", Ink.dim, LABEL + 3).add(move.cause, Ink.dim)]


_SPLIT = 100
"""Cells from which the history stands beside the rest."""


class CurriculumPane(Pane):
    """Stage, what the next one needs, who decides, which strategy leads, and the history."""

    INFO: ClassVar[PaneInfo] = PaneInfo(
        "curriculum", "Curriculum", needs=TRAINING, rows=(6, 7, 8), column=1
    )
    PARTS = (
        "curriculum",
        "starts",
        "steering",
        "moves",
        "strategy",
        "history",
        "run",
        "shares",
        "planner",
    )
    KEYS: ClassVar[tuple[PaneKey, ...]] = (
        PaneKey(("m",), "mode", "m", "mode", "Choose the mode: planner and policy, or one alone."),
        PaneKey(
            ("y",),
            "strategy",
            "y",
            "strategy",
            "Choose the strategy: how far the planner is followed.",
        ),
        PaneKey(("up", "k"), "up", "↑/k", "", "Show later moves of the curriculum."),
        PaneKey(("down", "j"), "down", "↓/j", "", "Show earlier moves of the curriculum."),
        PaneKey(("pageup",), "page_up", "pgup", "", "Show much later moves."),
        PaneKey(("pagedown",), "page_down", "pgdn", "", "Show much earlier moves."),
    )
    _STEPS: ClassVar[dict[str, int]] = {"up": -1, "down": 1, "page_up": -10, "page_down": 10}

    def __init__(self) -> None:
        super().__init__()
        self._first_move = 0
        self._set_row = -1

    def act(self, name: str) -> None:
        """Ask for another mode or strategy, or scroll the history."""
        if name in ("mode", "strategy"):
            question = (ask_mode if name == "mode" else ask_strategy)(self._state)
            self.ask(
                question.screen,
                lambda chosen: self.post_message(CommandWanted(question.command(chosen))),
            )
        elif name in self._STEPS:
            at = self._first_move + self._STEPS[name]
            self._first_move = max(0, min(len(self._state.moves) - 1, at))
            self.redraw()

    def on_click(self, event: events.Click) -> None:
        """Change what is clicked on: the mode left, the strategy right."""
        at = event.get_content_offset(self)
        if at is not None and at.y == self._set_row:
            self.act("mode" if at.x < LABEL + 10 else "strategy")

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return the current state, with the history below or beside it."""
        self._set_row = -1
        if state.curriculum is None:
            return empty(untrained(state) or "The curriculum starts with the first episode.", width)
        if width >= _SPLIT and height >= 8:
            at = min(76, width // 2)
            top = min(height, 20) if height >= 34 else height
            left = self._standing(state, state.curriculum, at - 3, top)
            right = self._history(state, width - at, top)
            lines = beside(left, right, at, width)
            return lines + (hand_over(state, width, height - len(lines)) if top < height else [])
        told = self.sentence(story(state)[0], width)
        top = (height - 4 if height >= 15 else height) - len(told)
        lines = [*told, *self._standing(state, state.curriculum, width, top)]
        if self._set_row >= 0:
            self._set_row += len(told)
        gap = [Line(width)] if height > 20 else []
        room = height - len(lines) - len(gap)
        return [*lines, *gap, *self._history(state, width, room)] if room >= 2 else lines

    def _standing(
        self, state: DashboardState, now: CurriculumChanged, width: int, height: int
    ) -> list[Line]:
        """Return the current state; the fewer lines there are, the less of it."""
        lines = stage_lines(now, width, 2 if height >= 14 else 1)
        lines += next_stage_lines(now, width, 2 if height >= 8 else 1)
        rows = min(8, height - 8 - len(lines))
        if rows >= 3:
            lines += ten_bars(now, width, rows if rows < 8 else 7, has_note=rows >= 8)
        elif now.recent or not state.starts:
            lines.append(ten_in_a_row(now, width))
        if height >= 5:
            lines.append(episodes_line(now, width))
        lines.append(share_line(state, now, width))
        if state.starts and height > len(lines):
            room = 2 if height >= 14 else 1
            lines += labelled("starts", state.starts, Ink.text, width, LABEL, room)
        sources = source_lines(state, width, height - len(lines) - 1)
        if height > len(lines) + len(sources):
            lines += sources
        if height > len(lines):
            self._set_row = len(lines)
            lines.append(as_set(state, width))
        if height >= len(lines) + 2:
            lines += labelled("focus", now.focus, Ink.text, width, LABEL, 2)
            lines += labelled("signs", now.success_metrics, Ink.text, width, LABEL, 2)
        return lines[:height]

    def _history(self, state: DashboardState, width: int, room: int) -> list[Line]:
        """Return the moves, newest first, below a heading."""
        if not state.moves:
            text = "no stage or strategy change yet"
            return labelled("history", text, Ink.dim, width, LABEL, min(2, room))
        lines = [Line(width).add("history", Ink.dim, LABEL)]
        drawn = [move_lines(move, width) for move in reversed(state.moves)]
        count = len(drawn)
        first = 0 if sum(map(len, drawn)) < room else min(self._first_move, count - 1)
        of = f"{first + 1} to {count} of {count}" if first else counted(count, "move")
        lines[0].add(of, Ink.dim)
        for new in drawn[first:]:
            if len(lines) + len(new) > room:
                break
            lines += new
        return lines
