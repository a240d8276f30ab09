"""How far the hand-over from planner to policy has come."""

from math import isnan
from typing import ClassVar

from textual import events

from engine.events import CurriculumChanged
from pokeTUI.curves import PLANNER, RETURN, brief
from pokeTUI.history import SUCCESS_WINDOW
from pokeTUI.moves import WINDOW, Move
from pokeTUI.panes.pane import CommandWanted, Pane, PaneKey, empty
from pokeTUI.questions import Question, ask_mode, ask_strategy
from pokeTUI.rendering.gauges import beside, column, source_mark, stacked_bar
from pokeTUI.rendering.lines import Line, add_bar, wrap
from pokeTUI.rendering.plot import Axes, PlotLine, plot
from pokeTUI.state import DashboardState
from pokeTUI.theme import Ink

_LABEL = 9
_SPLIT = 100
"""From here on the history stands beside the rest."""


class CurriculumPane(Pane):
    """Stage, what is missing, who decides, which strategy leads, and how it came to that."""

    KEYS: ClassVar[tuple[PaneKey, ...]] = (
        PaneKey(("m",), "mode", "m", "mode", "Let planner and policy act together, or one alone."),
        PaneKey(("y",), "strategy", "y", "strategy", "Choose how far the planner is followed."),
        PaneKey(("up", "k"), "up", "↑", "", "Show later moves of the curriculum."),
        PaneKey(("down", "j"), "down", "↓", "", "Show earlier moves of the curriculum."),
        PaneKey(("pageup",), "page_up", "pgup", "", "Show much later moves."),
        PaneKey(("pagedown",), "page_down", "pgdn", "", "Show much earlier moves."),
    )
    _STEPS: ClassVar[dict[str, int]] = {"up": -1, "down": 1, "page_up": -10, "page_down": 10}

    def __init__(self, title: str, *, id: str) -> None:
        super().__init__(title, id=id)
        self._first_move = 0
        self._set_row = -1

    def parts(self, state: DashboardState) -> tuple[object, ...]:
        """Return what the pane depends on."""
        shares = state.status.shares if state.status is not None else ()
        return (
            state.curriculum,
            state.steering,
            state.moves,
            state.strategy,
            state.history,
            state.run,
            shares,
        )

    def act(self, name: str) -> None:
        """Ask for another mode or strategy, or scroll the history."""
        if name == "mode":
            self._ask(ask_mode(self._state))
        elif name == "strategy":
            self._ask(ask_strategy(self._state))
        elif name in self._STEPS:
            at = self._first_move + self._STEPS[name]
            self._first_move = max(0, min(len(self._state.moves) - 1, at))
            self.redraw()

    def on_click(self, event: events.Click) -> None:
        """Change what is clicked on: the mode left, the strategy right."""
        at = event.get_content_offset(self)
        if at is not None and at.y == self._set_row:
            self.act("mode" if at.x < _LABEL + 10 else "strategy")

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Show earlier moves."""
        self.act("down")
        event.stop()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Show later moves."""
        self.act("up")
        event.stop()

    def _ask(self, question: Question) -> None:
        def answer(chosen: str | None) -> None:
            if chosen is not None:
                self.post_message(CommandWanted(question.command(chosen)))

        self.app.push_screen(question.screen, answer)

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return where it stands, and below or beside it how it came to that."""
        self._set_row = -1
        if state.curriculum is None:
            return empty("The curriculum starts with the first episode.", width)
        if width >= _SPLIT and height >= 8:
            at = min(76, width // 2)
            top = min(height, 20) if height >= 34 else height
            left = self._standing(state, state.curriculum, at - 3, top)
            right = self._history(state, width - at, top)
            lines = beside(left, right, at, width)
            return lines + (_hand_over(state, width, height - len(lines)) if top < height else [])
        lines = self._standing(
            state, state.curriculum, width, height - 4 if height >= 15 else height
        )
        room = height - len(lines) - (height > 20)
        if room >= 2:
            if height > 20:
                lines.append(Line(width))
            lines += self._history(state, width, room)
        return lines

    def _standing(
        self, state: DashboardState, now: CurriculumChanged, width: int, height: int
    ) -> list[Line]:
        """Return the state of now; the fewer lines there are, the less of it."""
        lines = [_stage(now, width)]
        lines += _missing(now, width, 2 if height >= 8 else 1)
        rows = min(8, height - 9)
        if rows >= 3:
            lines += _ten_bars(state, now, width, rows if rows < 8 else 7, has_note=rows >= 8)
        else:
            lines.append(_ten_in_a_row(state, now, width))
        if height >= 5:
            lines.append(_episodes(now, width))
        lines.append(_share(now, width))
        sources = _sources(state, width, height - len(lines) - 1)
        if height > len(lines) + len(sources):
            lines += sources
        if height > len(lines):
            self._set_row = len(lines)
            lines.append(_as_set(state, width))
        if height >= len(lines) + 2:
            lines += _words("focus", now.focus, Ink.text, width, 2)
            lines += _words("shows in", now.success_metrics, Ink.text, width, 2)
        return lines[:height]

    def _history(self, state: DashboardState, width: int, room: int) -> list[Line]:
        """Return the moves, newest first, below a heading."""
        moves = list(reversed(state.moves))
        lines = [Line(width).add("history", Ink.dim, _LABEL)]
        if not moves:
            lines[0].add("no stage or strategy has changed yet", Ink.dim)
            return lines
        first = min(self._first_move, len(moves) - 1)
        of = f"{first + 1} to {len(moves)} of {len(moves)}" if first else f"{len(moves)} moves"
        lines[0].add(of if len(moves) > 1 else "1 move", Ink.dim)
        for move in moves[first:]:
            new = _move(move, width)
            if len(lines) + len(new) > room:
                break
            lines += new
        return lines


def _words(label: str, text: str, ink: Ink, width: int, room: int) -> list[Line]:
    """Return a labelled text in as many lines as there is room for."""
    return [
        Line(width).add(label if index == 0 else "", Ink.dim, _LABEL).add(part, ink)
        for index, part in enumerate(wrap(text, width - _LABEL, room))
    ]


def _stage(now: CurriculumChanged, width: int) -> Line:
    line = Line(width).add("stage", Ink.dim, _LABEL)
    for stage in range(1, now.num_stages + 1):
        if stage > 1:
            line.add("─", Ink.accent if stage <= now.stage else Ink.faint)
        mark, ink = ("●", Ink.accent) if stage < now.stage else ("○", Ink.faint)
        if stage == now.stage:
            mark, ink = "◉", Ink.strong
        line.add(mark, ink)
    return line.add(f"  {now.stage} of {now.num_stages}", Ink.text).add(f"  {now.name}", Ink.strong)


def _missing(now: CurriculumChanged, width: int, room: int) -> list[Line]:
    if not now.missing:
        return _words("missing", "nothing: this is the last stage", Ink.good, width, room)
    return _words("missing", now.missing, Ink.warn, width, room)


def _average(now: CurriculumChanged) -> str:
    return "–" if isnan(now.average_reward) else f"{now.average_reward:.1f}"


def _returns(state: DashboardState, now: CurriculumChanged) -> list[tuple[float, bool]]:
    """Return the last ten returns, and whether they count in this stage."""
    returns = [value for value, _ in state.history.recent[-WINDOW:]]
    older = len(returns) - min(now.episodes_in_stage, len(returns))
    return [(value, index >= older) for index, value in enumerate(returns)]


def _heights(values: list[float], threshold: float) -> tuple[list[float], float]:
    """Return the values as shares of a scale that holds them and the threshold, and its share."""
    line = 0.0 if isnan(threshold) else threshold
    low, high = min(0.0, line, *values), max(line * 1.1, *values, 1e-9)
    return [(value - low) / (high - low) for value in values], (line - low) / (high - low)


def _bar_ink(value: float, threshold: float, *, counts: bool) -> Ink:
    if not counts:
        return Ink.faint
    return Ink.good if isnan(threshold) or value >= threshold else Ink.warn


def _reward_text(now: CurriculumChanged) -> tuple[str, Ink]:
    if isnan(now.threshold):
        return f"{_average(now)} on average", Ink.text
    is_enough = now.average_reward >= now.threshold
    sign = " ✓" if is_enough else ""
    return f"{_average(now)} of {now.threshold:g}{sign}", Ink.good if is_enough else Ink.text


def _ten_in_a_row(state: DashboardState, now: CurriculumChanged, width: int) -> Line:
    """Return the last ten returns as one line of small bars, with their average."""
    line = Line(width).add("last 10", Ink.dim, _LABEL)
    returns = _returns(state, now)
    if returns:
        heights, _ = _heights([value for value, _ in returns], now.threshold)
        for (value, counts), height in zip(returns, heights, strict=True):
            line.add(
                column(height, 1)[0].replace(" ", "▁"),
                _bar_ink(value, now.threshold, counts=counts),
            )
    line.add("·" * (WINDOW - len(returns)) + "  ", Ink.faint)
    text, ink = _reward_text(now)
    return line.add(text, ink).add_whole(" on average" if not isnan(now.threshold) else "", Ink.dim)


def _ten_bars(
    state: DashboardState, now: CurriculumChanged, width: int, rows: int, *, has_note: bool
) -> list[Line]:
    """Return the last ten returns as bars, with the threshold as a line through them."""
    head = Line(width).add("last 10", Ink.dim, _LABEL)
    text, ink = _reward_text(now)
    head.add(text, ink).add_whole(" on average" if not isnan(now.threshold) else "", Ink.dim)
    returns = _returns(state, now)
    if not returns:
        return [head, Line(width).add("", Ink.dim, _LABEL).add("no episode yet", Ink.dim)]
    heights, share = _heights([value for value, _ in returns], now.threshold)
    columns = [column(height, rows) for height in heights]
    at = -1 if isnan(now.threshold) else min(rows - 1, int((1 - share) * rows))
    size = max(1, min(5, (width - _LABEL - 1) // WINDOW - 1))
    lines = [head]
    for row in range(rows):
        is_line = row == at
        label = f"{brief(now.threshold)} " if is_line else ""
        line = Line(width).add(label, Ink.strong, _LABEL, right=True)
        for (value, counts), cells in zip(returns, columns, strict=True):
            ink = _bar_ink(value, now.threshold, counts=counts)
            if is_line and cells[row] == " ":
                line.add("┄" * size, Ink.strong)
            else:
                line.add(cells[row] * size, ink)
            line.add("┄" if is_line else " ", Ink.strong)
        if is_line:
            line.add("┄" * ((WINDOW - len(returns)) * (size + 1)), Ink.strong)
        lines.append(line)
    if has_note and any(not counts for _, counts in returns):
        note = "grey: before this stage, not counted"
        lines.append(Line(width).add("", Ink.dim, _LABEL).add(note, Ink.dim))
    return lines


def _hand_over(state: DashboardState, width: int, height: int) -> list[Line]:
    """Return how the return rose and the planner's share fell over the run."""
    returns = RETURN.smoothed(state, SUCCESS_WINDOW)
    if not len(returns[1]):
        return []
    curves = [
        PlotLine(returns, Ink.good),
        PlotLine(PLANNER.smoothed(state, SUCCESS_WINDOW), Ink.info, True, is_on_right=True),
    ]
    head = Line(width).add("━ ", Ink.good).add("return  ", Ink.dim)
    head.add("┅ ", Ink.info).add("planner's share of the decisions", Ink.dim)
    head.add(f", mean of {SUCCESS_WINDOW} episodes", Ink.dim)
    axes = Axes(float(returns[0][0]), float(returns[0][-1]), "episode", brief)
    return [Line(width), head, *plot(curves, axes, width, height - 2)[0]]


def _episodes(now: CurriculumChanged, width: int) -> Line:
    line = Line(width).add("episodes", Ink.dim, _LABEL)
    fraction = now.episodes_in_stage / max(1, now.min_episodes)
    is_enough = fraction >= 1
    text = f" {now.episodes_in_stage} of {now.min_episodes}{' ✓' if is_enough else ''}"
    if width >= 60:
        text += " needed in this stage"
    ink = Ink.good if is_enough else Ink.warn
    add_bar(line, fraction, min(40, line.room - len(text)), ink, Ink.faint)
    return line.add(text, Ink.text)


def _share(now: CurriculumChanged, width: int) -> Line:
    line = Line(width).add("planner", Ink.dim, _LABEL)
    text = (
        f" {now.planner_share:.0%} of the lead" if width >= 50 else f" {now.planner_share:.0%} lead"
    )
    add_bar(line, now.planner_share, min(40, line.room - len(text)), Ink.info, Ink.faint)
    return line.add(text, Ink.text)


def _sources(state: DashboardState, width: int, room: int) -> list[Line]:
    """Return who made the last decisions: one bar, and what its signs mean."""
    shares = [pair for pair in (state.status.shares if state.status else ()) if pair[1] > 0]
    line = Line(width).add("decided", Ink.dim, _LABEL)
    if room <= 0:
        return []
    if not shares:
        return [line.add("nobody has counted yet", Ink.dim)]
    shares.sort(key=lambda pair: -pair[1])
    legend = Line(width).add("", Ink.dim, _LABEL)
    for source, share in shares:
        mark, ink = source_mark(source)
        text = f"{mark} {source} {share:.0%}"
        if len(text) <= legend.room:
            legend.add(f"{mark} ", ink).add(f"{source} ", Ink.dim).add(f"{share:.0%}", Ink.text)
            legend.add("  ", Ink.text)
    if room < 2:
        for source, share in shares:
            mark, ink = source_mark(source)
            line.add(f"{mark} ", ink).add(f"{source} {share:.0%}  ", Ink.text)
        return [line]
    return [stacked_bar(line, shares, min(60, line.room)), legend]


def _as_set(state: DashboardState, width: int) -> Line:
    """Return mode and strategy, as set and in force."""
    set_mode = state.steering.mode if state.steering else state.run.mode if state.run else ""
    line = Line(width).add("mode", Ink.dim, _LABEL).add(set_mode or "–", Ink.text)
    wanted = state.steering.strategy if state.steering else ""
    in_force = state.strategy or (wanted if wanted != "adaptive" else "")
    line.add("  strategy " if width >= 50 else "  by ", Ink.dim)
    line.add(in_force or wanted or "–", Ink.strong)
    if wanted and in_force and wanted != in_force:
        line.add_whole(f" ({wanted})" if width < 50 else f"  set to {wanted}", Ink.dim)
    elif wanted and wanted != "adaptive":
        line.add_whole("  fixed by you" if width >= 50 else " fixed", Ink.dim)
    return line


def _move(move: Move, width: int) -> list[Line]:
    """Return a move in one line, or two where there is little room."""
    sign, ink = ("◂", Ink.warn) if move.is_back else ("▸", Ink.good)
    at = f"ep {move.episode:,} " if move.episode else "start "
    line = Line(width).add(at, Ink.dim, _LABEL + 1).add(f"{sign} ", ink)
    line.add(move.text, Ink.strong if move.is_stage else Ink.text)
    if not move.cause:
        return [line]
    if line.room >= len(move.cause) + 2:
        return [line.add(f"  {move.cause}", Ink.dim)]
    return [line, Line(width).add("", Ink.dim, _LABEL + 3).add(move.cause, Ink.dim)]
