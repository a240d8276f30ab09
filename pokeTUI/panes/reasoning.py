"""Why the agent does what it does."""

from pokeTUI.panes.pane import Pane
from pokeTUI.planner import PlannerView, describe_status, readable
from pokeTUI.rendering.lines import Line, add_bar, wrap
from pokeTUI.state import DashboardState, LogLine
from pokeTUI.theme import SOURCE_MARKS, Ink

_LABEL = 6
_WIDE = 66
_STEP = 5
_TALL = 14
"""Rows from which there is room for several lines of an answer."""


class ReasoningPane(Pane):
    """The goal, the decision of now, the language model's words as they come, and the log.

    The log holds decisions, goals and what became of them, newest last.
    """

    def parts(self, state: DashboardState) -> tuple[object, ...]:
        """Return what the pane depends on."""
        return (state.game and state.game.goal, state.log, state.decision, state.planner)

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return goal, decision and as much of the log as there is room for."""
        goal = state.game.goal if state.game else None
        text = goal.text if goal else "none yet"
        lines = [
            Line(width).add("goal" if index == 0 else "", Ink.dim, _LABEL).add(part, Ink.strong)
            for index, part in enumerate(wrap(text, width - _LABEL, 2 if height > 8 else 1))
        ]
        if height > 5:
            lines.append(_now(state, width))
        if height > 5:
            max_lines = 3 if height >= _TALL else 1 if height > 8 else 0
            lines += _model(state.planner, width, max_lines)
        lines_each = 1 if height < 9 else 2
        blocks: list[Line] = []
        for entry in reversed(state.log):
            block = _entry(entry, width, lines_each)
            if len(lines) + len(block) + len(blocks) > height:
                break
            blocks = block + blocks
        return lines + blocks


def _model(view: PlannerView, width: int, max_lines: int) -> list[Line]:
    """Return how the language model does, and the end of what it is saying; [] without one."""
    status = view.status
    if status is None:
        return []
    is_well = status.state in {"ready", "asking"}
    name = f"{status.model} " if width >= _WIDE else ""
    state_ink = Ink.text if is_well else Ink.warn
    said = wrap(name + describe_status(status), width - _LABEL, 2 if max_lines > 1 else 1)
    lines = [
        Line(width).add("" if index else "model", Ink.dim, _LABEL).add(part, state_ink)
        for index, part in enumerate(said)
    ]
    text = status.detail
    if is_well:
        text = readable(view.text) if view.is_open else ""
    parts = wrap(text, width - _LABEL, 100)
    parts = parts[-max_lines:] if is_well else parts[:max_lines]
    ink = Ink.dim if view.is_thinking else Ink.info
    return lines + [Line(width).skip_to(_LABEL).add(p, ink) for p in parts if max_lines]


def _now(state: DashboardState, width: int) -> Line:
    """Return who decided just now, how surely, and which button it was."""
    line = Line(width).add("now", Ink.dim, _LABEL)
    if state.decision is None:
        return line.add("no decision yet", Ink.dim)
    decision = state.decision.decision
    mark, ink = SOURCE_MARKS.get(decision.source.value, ("·", Ink.dim))
    line.add(f"{mark} {decision.source.value} ", ink, 10).add(
        f"{decision.action.name:<7}", Ink.strong
    )
    line.add(f"sure {decision.confidence:.2f} ", Ink.text)
    bar_width = min(20, line.room) if line.room >= 4 else 0
    return add_bar(line, decision.confidence, bar_width, ink, Ink.faint)


def _entry(entry: LogLine, width: int, max_lines: int) -> list[Line]:
    """Return step, mark, source, confidence and text; two lines if one is too short."""
    mark, ink = SOURCE_MARKS.get(entry.source, ("·", Ink.dim))
    is_wide = width >= _WIDE
    first = Line(width).add(f"{entry.step:,}", Ink.dim, _STEP, right=True).add(f" {mark} ", ink)
    if is_wide:
        first.add(entry.source, ink, 11)
    body_ink = Ink.strong
    if entry.confidence is not None:
        first.add(f"{entry.confidence:.2f} ", Ink.dim)
        body_ink = Ink.text
    elif is_wide:
        first.add("", Ink.dim, 5)
    indent = first.used
    repeat = f" ×{entry.count}" if entry.count > 1 else ""
    parts = wrap(entry.text, width - indent - len(repeat), max_lines) or [""]
    lines = [first.add(parts[0], body_ink)]
    lines += [Line(width).skip_to(indent).add(part, body_ink) for part in parts[1:]]
    lines[-1].add(repeat, Ink.dim)
    return lines
