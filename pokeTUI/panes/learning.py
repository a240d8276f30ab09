"""Whether it gets better."""

import numpy as np
from numpy.typing import NDArray

from pokeTUI.history import SUCCESS_WINDOW
from pokeTUI.panes.pane import Pane, empty
from pokeTUI.rendering.chart import Series, draw_chart, nice_bounds
from pokeTUI.rendering.lines import Line
from pokeTUI.state import DashboardState
from pokeTUI.theme import Ink

_FIGURES = (
    "entropy",
    "value_loss",
    "policy_loss",
    "approx_kl",
    "explained_variance",
    "epsilon",
    "error",
)


class LearningPane(Pane):
    """Return per episode, smoothed, and the success rate over the last 30 episodes."""

    def parts(self, state: DashboardState) -> tuple[object, ...]:
        """Return what the pane depends on."""
        return (state.history, state.policy)

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return a legend, the chart and the axis."""
        history = state.history
        if history.count == 0:
            return empty("The curve starts when the first episode ends.", width)
        lines = [_legend(state, width)]
        values = history.smooth_returns()
        if len(values) == 0:
            values = np.array([history.mean_return])
        low, high = _bounds(values)
        ticks = {value: _tick(value, high - low) for value in (low, (low + high) / 2, high)}
        label, right = max([4, *(len(text) for text in ticks.values())]) + 1, 5
        figures = _figures(state, width) if height >= 9 else None
        rows = max(1, height - 2 - (figures is not None))
        columns = max(4, width - label - right)
        drawn, owner = draw_chart(
            [
                Series(values, low, high),
                Series(np.array(history.success_rates or (0.0,)), 0.0, 1.0, is_dotted=True),
            ],
            columns,
            rows,
        )
        for row, text in enumerate(drawn):
            left, pct = "", ""
            if row == 0:
                left, pct = ticks[high], "100%"
            elif row == rows - 1:
                left, pct = ticks[low], "0%"
            elif row == rows // 2 and rows >= 5:
                left, pct = ticks[(low + high) / 2], "50%"
            line = Line(width).add(left, Ink.dim, label - 1, right=True).add("│", Ink.faint)
            _add_owned(line, text, owner[row].tolist())
            line.add("│", Ink.faint).add(pct, Ink.dim, right - 1, right=True)
            lines.append(line)
        lines.append(_axis(history.count, width, label, columns))
        if figures is not None:
            lines.append(figures)
        return lines


def _legend(state: DashboardState, width: int) -> Line:
    history = state.history
    line = Line(width).add("━ ", Ink.good).add("return ", Ink.dim)
    line.add(f"{history.mean_return:.1f}", Ink.strong)
    window = min(SUCCESS_WINDOW, history.count)
    line.add("  ┅ ", Ink.info).add("success ", Ink.dim)
    line.add(f"{history.success_rate:.0%}", Ink.strong)
    tail = f" of the last {window}"
    return line.add(tail if line.room >= len(tail) else f" of {window}", Ink.dim)


def _axis(count: int, width: int, label: int, columns: int) -> Line:
    line = Line(width).skip_to(label - 1).add("└" + "─" * columns + "┘", Ink.faint)
    text = f" episode {count:,} "
    axis = Line(width).add(" " * (label - 1), Ink.dim).add("└ 1 ", Ink.faint)
    axis.add("─" * max(0, columns - 3 - len(text)), Ink.faint)
    axis.add(text, Ink.dim).add("┘", Ink.faint)
    return axis if columns > len(text) + 4 else line


def _figures(state: DashboardState, width: int) -> Line | None:
    if state.policy is None:
        return None
    line = Line(width).add(f"update {state.policy.update:,}", Ink.dim)
    figures = dict(state.policy.figures)
    for name in _FIGURES:
        if name not in figures:
            continue
        text = f"  {name.replace('_', ' ')} {figures[name]:.3g}"
        if len(text) <= line.room:
            line.add(text, Ink.dim)
    return line


def _add_owned(line: Line, text: str, owners: list[int]) -> None:
    """Add a chart row, each run of cells in the ink of its series."""
    inks: dict[int, Ink] = {-1: Ink.faint, 0: Ink.good, 1: Ink.info}
    start = 0
    for column in range(1, len(text) + 1):
        if column == len(text) or owners[column] != owners[start]:
            line.add(text[start:column], inks[owners[start]])
            start = column


def _bounds(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return round bounds, wide enough that noise does not look like progress."""
    low, high = float(values.min()), float(values.max())
    margin = max(0.0, max(1.0, 0.2 * max(abs(low), abs(high))) - (high - low)) / 2
    return nice_bounds(low - margin, high + margin)


def _tick(value: float, span: float) -> str:
    return f"{value:.0f}" if span >= 4 else f"{value:.1f}"
