"""Why the agent does what it does."""

from collections.abc import Sequence
from typing import ClassVar

from engine.quoting import printable
from engine.types import Source
from pokeTUI.dashboard.state import DashboardState, LogLine
from pokeTUI.dialogs.detail import Passage
from pokeTUI.layout import PaneInfo
from pokeTUI.panes.model_lines import exchange_passages, model_column, model_lines
from pokeTUI.panes.scroll_log import ScrollLogPane
from pokeTUI.rendering.gauges import source_mark
from pokeTUI.rendering.lines import Line, add_bar, beside, labelled
from pokeTUI.theme import SOURCE_MARKS, Ink

_LABEL = 6
_WIDE = 66
_STEP = 5
_TALL = 14
"""Rows from which there is room for several lines of an answer."""
_TWO_COLUMNS = 118
"""Cells from which the model has a column of its own."""


class ReasoningPane(ScrollLogPane[LogLine]):
    """The goal, the current decision, the language model's words as they come, and the log.

    The log holds decisions, goals and the outcome of them, newest last.
    """

    INFO: ClassVar[PaneInfo] = PaneInfo(
        "reasoning", "Reasoning", rows=(0, 0, 14), appetite=4, presented=2
    )

    PARTS = ("goal", "log", "decision", "planner", "shares")

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return goal, decision, model and as much of the log as there is room for."""
        is_split = width >= _TWO_COLUMNS and height >= _TALL and state.planner.status is not None
        if is_split:
            left = width * 58 // 100
            lines = self._column(state, left, height, has_model=False)
            side = model_column(state.planner, width - left - 3, height)
            side += [Line(0)] * (height - len(side))
            parted = [Line(width).add("│ ", Ink.faint).append(line) for line in side]
            return beside(lines, parted, left + 1, width)
        return self._column(state, width, height, has_model=True)

    def _column(
        self, state: DashboardState, width: int, height: int, *, has_model: bool
    ) -> list[Line]:
        goal = printable(state.goal.text) if state.goal else "none yet"
        ink = Ink.strong if state.goal else Ink.dim
        lines = labelled("goal", goal, ink, width, _LABEL, 2 if height > 8 else 1)
        if height > 5:
            lines.append(_now(state, width))
        if height >= _TALL:
            lines += _shares(state, width)
        if height > 5 and has_model:
            max_lines = height // 6 if height >= _TALL else 1 if height > 8 else 0
            lines += model_lines(state.planner, width, max_lines, is_full=height >= 20)
        if height >= _TALL and len(state.log):
            lines.append(Line(width).add("─" * width, Ink.faint))
        room = height - len(lines)
        each = 1 if height < 9 else 2 if height < 40 else 3
        return lines + self.log_lines(state, width, room, max_lines=each, top=len(lines))

    def entries(self, state: DashboardState) -> Sequence[LogLine]:
        """Return the log."""
        return state.log

    def head(self, entry: LogLine, width: int) -> tuple[Line, Ink]:
        """Return step, mark, source and confidence."""
        mark, ink = source_mark(entry.source)
        line = Line(width).add(f"{entry.step:,}", Ink.dim, _STEP, right=True)
        line.add(f" {mark} ", ink)
        if width >= _WIDE:
            line.add(entry.source, ink, 11)
        if entry.confidence is not None:
            return line.add(f"{entry.confidence:.2f} ", Ink.dim), Ink.text
        return line.add("", Ink.dim, 5 if width >= _WIDE else 0), Ink.strong

    def body(self, entry: LogLine) -> str:
        """Return what a line says, without the confidence that stands beside it."""
        text = printable(entry.text)
        if entry.confidence is None:
            return text
        sure = f"{entry.confidence:.0%}"
        # Journals of earlier versions have the second.
        return text.removesuffix(f", confidence {sure}").removesuffix(f", {sure} certain")

    def text_of(self, entry: LogLine) -> str:
        """Return a line as it is searched and copied."""
        sure = "" if entry.confidence is None else f" ({entry.confidence:.2f})"
        return f"{entry.step} {entry.source}{sure}: {self.body(entry)}"

    def filters(self, state: DashboardState) -> list[str]:
        """Return the sources that are there."""
        found = {entry.source for entry in self.entries(state)}
        return [*(name for name in SOURCE_MARKS if name in found), *sorted(found - {*SOURCE_MARKS})]

    def is_in(self, entry: LogLine, shown: str) -> bool:
        """Return whether an entry is of a source."""
        return entry.source == shown

    def passages(self, entry: LogLine, state: DashboardState) -> tuple[str, list[Passage]]:
        """Return the exchange with the model that a line tells of, or the line."""
        exchange = state.planner.find(entry.exchange) if entry.exchange else None
        if exchange is not None:
            return f"Question {exchange.number}", exchange_passages(exchange)
        passages = [Passage("step", f"{entry.step:,}"), Passage("by", entry.source)]
        if entry.confidence is not None:
            passages.append(Passage("confidence", f"{entry.confidence:.2f}"))
        if entry.count > 1:
            passages.append(Passage("in a row", f"{entry.count:,} times"))
        title = "Reasoning" if entry.confidence is None else "Decision"
        return title, [*passages, Passage("", self.body(entry), Ink.strong)]

    def copied(self, state: DashboardState) -> tuple[str, str]:
        """Return the model's last answer, or the last line."""
        answered = [one for one in state.planner.exchanges if one.answer is not None]
        if answered:
            passages = exchange_passages(answered[-1], has_prompt=False)
            text = "\n".join(f"{one.heading}: {one.text}" for one in passages)
            return text, "the model's last answer"
        return super().copied(state)


def _now(state: DashboardState, width: int) -> Line:
    """Return who decided just now, how surely, which button it was, and why if there is room."""
    line = Line(width).add("now", Ink.dim, _LABEL)
    if state.decision is None:
        return line.add("no decision yet", Ink.dim)
    decision = state.decision.decision
    mark, ink = source_mark(decision.source.value)
    who = f"{mark} {decision.source.value} "
    width_of_name = 1 + max(map(len, state.actions.names))
    line.add(who, ink, max(10, len(who)))
    line.add(state.actions.name(decision.action), Ink.strong, width_of_name)
    if decision.source is not Source.RECORDED:
        number = f"{decision.confidence:.2f}"
        words = f"confidence {number}"
        line.add(words if len(words) <= line.room else number, Ink.text).add(" ", Ink.text)
        bar_width = min(20, line.room) if line.room >= 4 else 0
        add_bar(line, decision.confidence, bar_width, ink, Ink.faint)
    if line.room >= 24:
        line.add(f"  {printable(decision.reason)}", Ink.dim)
    return line


def _shares(state: DashboardState, width: int) -> list[Line]:
    """Return who made the last decisions; [] where nobody counted."""
    if not state.shares:
        return []
    line = Line(width).add("who", Ink.dim, _LABEL)
    for source, share in sorted(state.shares, key=lambda one: -one[1]):
        if share >= 0.005:
            mark, ink = source_mark(source)
            line.add_whole(f"{mark} {source} {100 * share:.0f} %  ", ink)
    return [line]
