"""Draw how the language model does, and what it is asked and answers."""

import math

from engine import events
from engine.plurals import counted
from engine.quoting import printable
from pokeTUI.dashboard.planner import (
    Exchange,
    PlannerView,
    describe_goal_outcome,
    describe_status,
    readable,
)
from pokeTUI.dialogs.detail import Passage
from pokeTUI.rendering.lines import Line, labelled, wrap
from pokeTUI.theme import Ink

_LABEL = 6
_WIDE = 66
_WELL = frozenset({"ready", "asking"})


def model_lines(view: PlannerView, width: int, max_lines: int, *, is_full: bool) -> list[Line]:
    """Return how the language model does, and the end of what it is saying; [] without one.

    Its words take at most `max_lines`; if `is_full`, there is room for every figure.
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
        # While others answer, what is wrong with one leaves their words their room.
        rows = max_lines if status.state not in _WELL else min(max_lines, 2 if is_full else 0)
        lines += labelled("", printable(status.detail), Ink.info, width, _LABEL, rows)
    if status.state not in _WELL or not view.is_open or not max_lines:
        return lines
    ink = Ink.dim if view.is_thinking else Ink.info
    return lines + labelled("", readable(view.text), ink, width, _LABEL, 100)[-max_lines:]


def model_column(view: PlannerView, width: int, height: int) -> list[Line]:
    """Return all of the model in a column: figures, the current question, the answers before."""
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
    """Return the model's state, breaker, speed, cost and worth, a line each."""
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
