"""Show why the agent does what it does."""

import math
from collections.abc import Sequence
from typing import ClassVar

from engine import events
from engine.ground.text import counted, printable
from engine.types import Source
from pokeTUI.dashboard.planner import (
    Exchange,
    PlannerView,
    describe_goal_outcome,
    describe_status,
    readable,
)
from pokeTUI.dashboard.state import DashboardState, LogLine
from pokeTUI.draw.layout import PaneInfo
from pokeTUI.draw.lines import Line, add_bar, beside, labelled, source_mark, wrap
from pokeTUI.draw.theme import SOURCE_MARKS, Ink
from pokeTUI.panes.dialogs import Passage
from pokeTUI.panes.scroll_log import ScrollLogPane

# The language model: its state, its questions and its answers.

_LABEL = 6
_WIDE = 66
_WELL = frozenset({"ready", "asking"})


def model_lines(view: PlannerView, width: int, max_lines: int, *, is_full: bool) -> list[Line]:
    """Return the language model's state and the end of its current answer; [] without a model.

    The answer takes at most `max_lines`; if `is_full`, there is room for every figure.
    """
    status = view.status
    if status is None:
        return []
    is_well = _is_well(status)
    if is_full:
        lines = _figures(status, width)
    else:
        ink = Ink.text if is_well else Ink.warn
        name = f"{printable(status.model)} " if width >= _WIDE else ""
        text = name + describe_status(status)
        lines = labelled("model", text, ink, width, _LABEL, 2 if max_lines > 1 else 1)
    if not is_well:
        # While other models answer, the trouble of one must leave room for their words.
        rows = max_lines if status.state not in _WELL else min(max_lines, 2 if is_full else 0)
        lines += labelled("", printable(status.detail), Ink.info, width, _LABEL, rows)
    if status.state not in _WELL or not view.is_open or not max_lines:
        return lines
    ink = Ink.dim if view.is_thinking else Ink.info
    return lines + labelled("", readable(view.text), ink, width, _LABEL, 100)[-max_lines:]


def model_column(view: PlannerView, width: int, height: int) -> list[Line]:
    """Return a column about the model: figures, the current question, earlier answers."""
    status = view.status
    assert status is not None
    lines = _figures(status, width)
    if not _is_well(status) and status.detail:
        lines += labelled("", printable(status.detail), Ink.info, width, _LABEL, 4)
    asked = view.find(view.exchange)
    if asked is not None:
        lines += [Line(width), *_question(view, asked, width)]
    before = [one for one in reversed(view.exchanges) if one.answer and one is not asked]
    if before and height - len(lines) > 4:
        lines += [Line(width), Line(width).add("earlier", Ink.dim)]
        for one in before:
            block = _answer_before(one, width)
            if len(lines) + len(block) > height:
                break
            lines += block
    if not view.exchanges:
        lines += [Line(width), Line(width).add("It has not been queried yet.", Ink.dim)]
    return lines[:height]


def exchange_passages(one: Exchange, *, has_prompt: bool = True) -> list[Passage]:
    """Return all that is known of an exchange, the answer first."""
    passages = [Passage("model", one.model), Passage("trigger", one.trigger)]
    answer = one.answer
    if answer is None:
        passages.append(Passage("answer", "not complete yet"))
    else:
        passages += _answer_passages(answer)
        if one.goal_outcome is not None:
            passages.append(Passage("outcome", describe_goal_outcome(one.goal_outcome), Ink.strong))
        elif answer.goal:
            passages.append(Passage("outcome", "none yet", Ink.dim))
    passages.append(Passage("answer text", readable(one.text), Ink.info))
    if has_prompt:
        passages.append(Passage("prompt", "\n".join(one.prompt), Ink.dim))
    return [passage for passage in passages if passage.text]


def _answer_passages(answer: events.PlanAnswered) -> list[Passage]:
    first = (
        "" if math.isnan(answer.first_token_s) else f", first token {answer.first_token_s:.1f} s"
    )
    cost = f", ${answer.cost:.4f}" if answer.cost else ""
    tokens = f"{answer.prompt_tokens:,} read, {answer.answer_tokens:,} written{cost}"
    return [
        Passage("goal", printable(answer.goal), Ink.strong),
        Passage("confidence", f"{answer.confidence:.2f}" if answer.goal else ""),
        Passage("reason", printable(answer.reasoning)),
        Passage("no goal", printable(answer.error), Ink.warn),
        Passage("repaired", printable(", ".join(answer.repairs))),
        Passage("latency", f"{answer.latency_s:.1f} s{first}"),
        Passage("tokens", tokens),
    ]


def _is_well(status: events.PlannerStatusChanged) -> bool:
    """Return whether every model can be asked."""
    return status.state in _WELL and not status.absent


def _figures(status: events.PlannerStatusChanged, width: int) -> list[Line]:
    """Return the model's state and breaker, its speed and cost, and its uplift."""
    is_well = _is_well(status)
    state = "● " if is_well else "! "
    first = Line(width).add("model", Ink.dim, _LABEL).add(f"{printable(status.model)} ", Ink.strong)
    first.add(f"{state}{status.state}", Ink.good if is_well else Ink.warn)
    if status.retry_in_s:
        again = f", breaker open, again in {status.retry_in_s:.0f} s"
        first.add(again, Ink.warn)
    else:
        first.add_whole(", breaker closed", Ink.dim)
    lines = [first, *labelled("", printable(status.absent), Ink.warn, width, _LABEL, 2)]
    asked = [
        counted(status.calls, "query", "queries"),
        f"{status.median_latency_s:.1f} s each" if status.calls else "",
        f"${status.cost:.3f}" if status.cost else "no cost",
        f"{status.failures:,} failed" if status.failures else "",
        f"{status.cached:,} cached" if status.cached else "",
        counted(status.prompt_tokens + status.answer_tokens, "token"),
    ]
    lines += labelled("", _joined(asked, width - _LABEL), Ink.text, width, _LABEL)
    if math.isnan(status.uplift):
        worth = f"uplift not known yet: {status.followed:,} followed, {status.ignored:,} control"
        return lines + labelled("goals", worth, Ink.dim, width, _LABEL)
    low, high = 100 * status.uplift_low, 100 * status.uplift_high
    ink = Ink.good if low > 0 else Ink.bad if high < 0 else Ink.text
    worth = f"uplift {100 * status.uplift:+.0f} % ({low:+.0f} to {high:+.0f})"
    lines += labelled("goals", worth, ink, width, _LABEL)
    lines[-1].add_whole(f" {status.followed:,} followed, {status.ignored:,} control", Ink.dim)
    return lines


def _question(view: PlannerView, asked: Exchange, width: int) -> list[Line]:
    lines = [
        Line(width).add(f"question {asked.number:,}", Ink.dim).add(f"  {asked.trigger}", Ink.text)
    ]
    if view.is_open:
        text, ink = readable(view.text) or "waiting for its first token", Ink.info
        if view.is_thinking:
            lines[0].add("  thinking", Ink.dim)
            ink = Ink.dim
        return lines + labelled("", text, ink, width, 0, 200)[-12:]
    return lines + (_answer_before(asked, width, max_lines=8) if asked.answer else [])


def _answer_before(one: Exchange, width: int, max_lines: int = 2) -> list[Line]:
    """Return goal, confidence and goal outcome of an answer, and why."""
    answer = one.answer
    assert answer is not None
    if not answer.goal:
        text = f"no goal: {printable(answer.error)}"
        return [Line(width).add("! ", Ink.warn).add(text, Ink.text)]
    line = Line(width).add("◇ ", Ink.info).add(f"{answer.confidence:.2f} ", Ink.dim)
    lines = [line.add(printable(answer.goal), Ink.strong)]
    if answer.reasoning:
        parts = wrap(printable(answer.reasoning), width - 2, max_lines)
        lines += [Line(width).skip_to(2).add(part, Ink.text) for part in parts]
    if one.goal_outcome is not None:
        lines.append(Line(width).skip_to(2).add(describe_goal_outcome(one.goal_outcome), Ink.dim))
    return lines


def _joined(parts: list[str], width: int) -> str:
    """Join as many parts as fit, without the empty ones."""
    text = parts[0]
    for part in filter(None, parts[1:]):
        if len(text) + 3 + len(part) > width:
            break
        text += f" · {part}"
    return text


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
        """Return the exchange with the model that a line is about, or the line in full."""
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
    """Return who decided last, what, with which confidence, and why if there is room."""
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
    """Return who made the last decisions; [] if that is not known."""
    if not state.shares:
        return []
    line = Line(width).add("who", Ink.dim, _LABEL)
    for source, share in sorted(state.shares, key=lambda one: -one[1]):
        if share >= 0.005:
            mark, ink = source_mark(source)
            line.add_whole(f"{mark} {source} {100 * share:.0f} %  ", ink)
    return [line]
