"""Fold the events of a language model's planner into what the reasoning pane shows of it."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine import events
from engine.ground.text import counted, printable
from engine.planning_types import GoalOutcome, Outcome

MAX_EXCHANGES = 30
_KEPT_PROMPT = 16_000
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
    | events.GoalEvaluated
    | events.PlannerStatusChanged
)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question to a language model and the result; its own texts are printable.

    Attributes:
        key: Of the situation that it was asked about.
        text: The model's own words, the end of them; "" where they were not streamed.
        answer: None while the model thinks.
        goal_outcome: What RAM showed of its goal, None before that.
    """

    number: int
    model: str
    trigger: str = ""
    key: str = ""
    prompt: tuple[str, ...] = ()
    text: str = ""
    answer: events.PlanAnswered | None = None
    goal_outcome: GoalOutcome | None = None


@dataclass(frozen=True, slots=True)
class PlannerView:
    """The model's state, and the question that it answers now or answered last.

    Attributes:
        text: The end of what has been streamed, printable; thoughts while it `is_thinking`.
        is_open: More is to come.
        exchanges: The last questions, oldest first.
    """

    status: events.PlannerStatusChanged | None = None
    exchange: int = 0
    text: str = ""
    is_thinking: bool = False
    is_open: bool = False
    exchanges: tuple[Exchange, ...] = ()

    @property
    def has_model(self) -> bool:
        """Return whether the run has a language model, whatever its state."""
        return self.status is not None

    @property
    def is_rules(self) -> bool:
        """Return whether all goals are the rules': no model is asked, or none has answered."""
        status = self.status
        return status is None or status.calls - status.failures + status.cached <= 0

    def find(self, number: int) -> Exchange | None:
        """Return an exchange by its number, if it is still kept."""
        return next((one for one in self.exchanges if one.number == number), None)

    def exchange_of(self, event: "PlannerEvent") -> int:
        """Return the number of the exchange that an event is about, 0 if none."""
        match event:
            case events.GoalEvaluated(goal_outcome=goal_outcome):
                ended = (one for one in self.exchanges if one.goal_outcome == goal_outcome)
                return next((one.number for one in ended), 0)
            case events.PlanRequested() | events.PlanStreamed() | events.PlanAnswered():
                return event.exchange
            case _:
                return 0


def strategy_name(name: str, *, has_model: bool) -> str:
    """Return a mode's or a strategy's name, and that the rules plan where it names a model."""
    return f"{name} (rules)" if name.startswith("llm_") and not has_model else name


def fold_planner(view: PlannerView, event: PlannerEvent) -> PlannerView:
    """Return what is shown after an event."""
    match event:
        case events.PlannerStatusChanged():
            return replace(view, status=event)
        case events.PlanRequested():
            return _asked(view, event)
        case events.PlanStreamed(exchange=number) if number == view.exchange:
            before = view.text if event.is_thinking == view.is_thinking else ""
            text = (before + printable(event.text))[-_KEPT_CHARACTERS:]
            return replace(view, text=text, is_thinking=event.is_thinking)
        case events.PlanAnswered(exchange=number, is_cached=False):
            found = view.find(number) or Exchange(number, printable(event.model))
            text = view.text if number == view.exchange and not view.is_thinking else ""
            exchanges = _put(view.exchanges, replace(found, text=text, answer=event))
            is_open = view.is_open and number != view.exchange
            return replace(view, is_open=is_open, exchanges=exchanges)
        case events.GoalEvaluated(goal_outcome=goal_outcome):
            return replace(view, exchanges=_with_outcome(view.exchanges, goal_outcome))
        case _:
            return view


def _asked(view: PlannerView, event: events.PlanRequested) -> PlannerView:
    prompt = tuple(printable(line) for line in event.prompt[:_KEPT_PROMPT].splitlines())
    model, trigger = printable(event.model), printable(event.trigger)
    asked = Exchange(event.exchange, model, trigger, event.key, prompt)
    exchanges = _put(view.exchanges, asked)
    return PlannerView(view.status, event.exchange, is_open=True, exchanges=exchanges)


def _put(exchanges: tuple[Exchange, ...], one: Exchange) -> tuple[Exchange, ...]:
    """Replace the exchange of this number, or append it."""
    if any(other.number == one.number for other in exchanges):
        return tuple(one if other.number == one.number else other for other in exchanges)
    return (*exchanges[-MAX_EXCHANGES + 1 :], one)


def _with_outcome(
    exchanges: tuple[Exchange, ...], goal_outcome: GoalOutcome
) -> tuple[Exchange, ...]:
    """Write a goal outcome down at the newest exchange that set its goal."""
    for one in reversed(exchanges):
        is_asked = one.key == goal_outcome.key and one.model in goal_outcome.goal_source.split("+")
        if is_asked and one.answer is not None and one.answer.goal:
            return _put(exchanges, replace(one, goal_outcome=goal_outcome))
    return exchanges


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
        case events.GoalEvaluated(goal_outcome=goal_outcome) if (
            goal_outcome.outcome is not Outcome.REPLACED
        ):
            return f"{describe_goal_outcome(goal_outcome)}: {printable(goal_outcome.text)}", None
        case _:
            return None


def describe_goal_outcome(goal_outcome: GoalOutcome) -> str:
    """Return the outcome of a goal."""
    word = goal_outcome.outcome.value
    if goal_outcome.outcome is Outcome.REACHED and not goal_outcome.made_progress:
        word = "reached, without progress"
    ignored = "control group; " if goal_outcome.is_control else ""
    return f"{ignored}{word} after {goal_outcome.steps}"


def planned_share(shares: Sequence[tuple[str, float]]) -> float | None:
    """Return the planner's share of decisions, rules for battles and texts included.

    None where nobody has counted.
    """
    found = dict(shares)
    return found.get("planner", 0.0) + found.get("rules", 0.0) if found else None


def describe_status(status: events.PlannerStatusChanged) -> str:
    """Return the model's state, cost and worth in a line, the most important first."""
    parts = [printable(status.absent) or status.state]
    if status.retry_in_s:
        parts[0] += f", again in {status.retry_in_s:.0f} s"
    if not math.isnan(status.uplift):
        low, high = 100 * status.uplift_low, 100 * status.uplift_high
        parts.append(f"uplift {100 * status.uplift:+.0f} % ({low:+.0f} to {high:+.0f})")
    if status.calls:
        parts.append(f"{status.median_latency_s:.1f} s")
        parts.append(counted(status.calls, "query", "queries"))
    if status.failures:
        parts.append(f"{status.failures} failed")
    if status.cost:
        parts.append(f"${status.cost:.3f}")
    return " · ".join(parts)


def readable(text: str) -> str:
    """Return the reasoning and choice of an answer as far as it has come, without its JSON."""
    parts = [match[1] for match in (field.search(text) for field in _FIELDS) if match]
    return " → ".join(_ESCAPE.sub(r"\1", part) for part in parts) or text
