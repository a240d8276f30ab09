"""Publish how the models do, as one: in which state they are, what they did and what it cost."""

import statistics
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.events import PlannerStatusChanged
from engine.llm.budget import Budget
from engine.llm.member import Member

ANSWERING = frozenset({"ready", "asking"})
"""States in which a model can be asked."""
_LATENCIES = 101
"""Answers of which the median is published."""


@dataclass(slots=True)
class Counts:
    """What a run has counted.

    Attributes:
        exchange: The last one's number.
        calls: Questions sent.
        failures: Those that brought no goal, and errors of our own.
        cached: Questions that nobody had to be asked.
    """

    exchange: int = 0
    calls: int = 0
    failures: int = 0
    cached: int = 0


class Status:
    """What is published of a planner's models.

    Attributes:
        is_asking: A question is on its way.
    """

    def __init__(
        self,
        members: Sequence[Member],
        budget: Budget,
        clock: Callable[[], float],
        emit: Callable[[PlannerStatusChanged], None],
    ) -> None:
        self._members = members
        self._budget = budget
        self._clock = clock
        self._emit = emit
        self._latencies: deque[float] = deque(maxlen=_LATENCIES)
        self._published: tuple[object, ...] = ()
        self.is_asking = False

    def add_latency(self, latency_s: float) -> None:
        """Count an answer in the median."""
        self._latencies.append(latency_s)

    def publish(self, counts: Counts, *, is_forced: bool = False) -> None:
        """Emit the status if the state changed, or anyway."""
        state, detail, retry_in_s = self._state()
        absent = self._absent() if state in ANSWERING else ""
        shown = state, detail, absent, round(self._clock() + retry_in_s, 1) if retry_in_s else 0
        if shown == self._published and not is_forced:
            return
        self._published = shown
        self._emit(
            PlannerStatusChanged(
                model=", ".join(member.model for member in self._members),
                state=state,
                detail=detail,
                retry_in_s=retry_in_s,
                calls=counts.calls,
                failures=counts.failures,
                cached=counts.cached,
                prompt_tokens=self._budget.prompt_tokens,
                answer_tokens=self._budget.answer_tokens,
                cost=self._budget.cost,
                median_latency_s=statistics.median(self._latencies) if self._latencies else 0.0,
                absent=absent,
            )
        )

    def _absent(self) -> str:
        """Return which models cannot be asked; of one that was not looked at yet, nobody knows."""
        away = [m for m in self._members if m.state not in ("", "ready")]
        if not away or len(away) == len(self._members):
            return ""
        ready = f"{len(self._members) - len(away)} of {len(self._members)} models ready"
        return ", ".join((ready, *(f"{m.model}: {m.state}" for m in away)))

    def _state(self) -> tuple[str, str, float]:
        """Return the state of all models as one: the best of them, and what is wrong with others.

        While none can be asked it is that of the model that is tried next.
        """
        if len(self._members) == 1:
            detail = self._members[0].detail
        else:
            detail = " ".join(f"{m.model}: {m.detail}" for m in self._members if m.detail)
        if self._budget.exhausted:
            return "exhausted", self._budget.exhausted, 0.0
        if self.is_asking:
            return "asking", detail, 0.0
        for state in ("ready", "loading"):
            if any(member.state == state for member in self._members):
                return state, detail, 0.0
        looked_at = [member for member in self._members if member.state]
        nearest = min(looked_at or self._members, key=lambda member: member.breaker.retry_in_s)
        return nearest.state, detail, nearest.breaker.retry_in_s
