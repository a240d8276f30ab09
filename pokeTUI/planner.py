"""Fold what a language model's planner tells into what the reasoning pane shows of it."""

import math
import re
from dataclasses import dataclass, replace

from engine import events
from engine.plans import Outcome

_KEPT_CHARACTERS = 4000
"""Of an answer that streams in: no longer one is read."""

_FIELDS = tuple(
    re.compile(rf'"{name}"\s*:\s*"((?:[^"\\]|\\.)*)') for name in ("reasoning", "choice")
)
_ESCAPE = re.compile(r"\\(.)")

PlannerEvent = (
    events.PlanRequested
    | events.PlanStreamed
    | events.PlanAnswered
    | events.GoalJudged
    | events.PlannerStatusChanged
)


@dataclass(frozen=True, slots=True)
class PlannerView:
    """The model's state, and the question that it answers now or answered last.

    Attributes:
        text: The end of what has been streamed, printable.
        is_thinking: That is no answer yet.
        is_open: More is to come.
    """

    status: events.PlannerStatusChanged | None = None
    exchange: int = 0
    model: str = ""
    trigger: str = ""
    text: str = ""
    is_thinking: bool = False
    is_open: bool = False


def fold_planner(view: PlannerView, event: PlannerEvent) -> PlannerView:
    """Return what is shown after an event."""
    match event:
        case events.PlannerStatusChanged():
            return replace(view, status=event)
        case events.PlanRequested(exchange=number, model=model, trigger=trigger):
            return PlannerView(view.status, number, printable(model), trigger, is_open=True)
        case events.PlanStreamed(exchange=number) if number == view.exchange:
            before = view.text if event.is_thinking == view.is_thinking else ""
            text = (before + printable(event.text))[-_KEPT_CHARACTERS:]
            return replace(view, text=text, is_thinking=event.is_thinking)
        case events.PlanAnswered(exchange=number) if number == view.exchange:
            return replace(view, is_open=False)
        case _:
            return view


def planner_line(event: PlannerEvent) -> tuple[str, float | None] | None:
    """Return what the log says of an event, with a confidence, None if nothing."""
    match event:
        case events.PlanAnswered(is_cached=True):
            return None
        case events.PlanAnswered(goal=goal, reasoning=reasoning) if goal:
            why = f": {printable(reasoning)}" if reasoning else ""
            return f"{printable(goal)}{why}", event.confidence
        case events.PlanAnswered(error=error):
            return f"no goal from {printable(event.model)}: {printable(error)}", None
        case events.GoalJudged(verdict=verdict) if verdict.outcome is not Outcome.REPLACED:
            word = verdict.outcome.value
            if verdict.outcome is Outcome.REACHED and not verdict.made_progress:
                word = "reached, but it led nowhere"
            ignored = "not followed, to compare; " if verdict.is_ignored else ""
            return f"{ignored}{word} after {verdict.steps}: {printable(verdict.text)}", None
        case _:
            return None


def describe_status(status: events.PlannerStatusChanged) -> str:
    """Return the model's state, cost and worth in a line, the most important first."""
    parts = [status.state]
    if status.retry_in_s:
        parts[0] += f", again in {status.retry_in_s:.0f} s"
    if not math.isnan(status.uplift):
        low, high = 100 * status.uplift_low, 100 * status.uplift_high
        parts.append(f"uplift {100 * status.uplift:+.0f} % ({low:+.0f} to {high:+.0f})")
    if status.calls:
        parts.append(f"{status.median_latency_s:.1f} s")
        parts.append(f"{status.calls} asked")
    if status.failures:
        parts.append(f"{status.failures} failed")
    if status.cost:
        parts.append(f"${status.cost:.3f}")
    return " · ".join(parts)


def readable(text: str) -> str:
    """Return what an answer says as far as it has come, without the form it is said in."""
    parts = [match[1] for match in (field.search(text) for field in _FIELDS) if match]
    said = " → ".join(_ESCAPE.sub(r"\1", part) for part in parts)
    return said or text


def printable(text: str) -> str:
    """Return text of a model or a game with nothing in it that a terminal could obey."""
    return "".join(char if char.isprintable() else " " for char in text)
