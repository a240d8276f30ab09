"""How many of the last episodes reached each milestone: a view of the learning pane."""

from pokeTUI.dashboard.history import SUCCESS_WINDOW
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.panes.pane import empty, untrained
from pokeTUI.rendering.gauges import sparkline
from pokeTUI.rendering.lines import Line, add_bar
from pokeTUI.theme import Ink

_TREND_FROM = 50


def milestone_lines(state: DashboardState, width: int, height: int, first: int) -> list[Line]:
    """Return a heading and a bar a milestone, from number `first` where not all have room."""
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
