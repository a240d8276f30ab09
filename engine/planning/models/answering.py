"""Answer one question after the other with subgoals: from the cache, or by asking the models."""

import asyncio
import dataclasses
import logging
import math
import random
import statistics
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.config import PlannerConfig
from engine.events import Event, PlanAnswered, PlannerStatusChanged, WarningRaised
from engine.planning.goals.subgoal_codec import subgoal_from_json, subgoal_to_json
from engine.planning.models.backends.base import Backend, ChatRequest
from engine.planning.models.exchanges import ExchangeLog
from engine.planning.models.member import Member
from engine.planning.models.prompt import PROMPT_VERSION, Notes, compose
from engine.planning.models.questions import Answered, Budget, put_question
from engine.planning_types import GoalOption, PlanningQuery, Subgoal

_SIZE = 512
"""Subgoals that are remembered, and queries that brought none."""


class SubgoalCache:
    """The subgoals that were used last, by key; any thread may call any method."""

    def __init__(self, size: int = _SIZE) -> None:
        self._size = size
        self._plans: OrderedDict[str, Subgoal] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._plans)

    def get(self, key: str) -> Subgoal | None:
        """Return the subgoal for a key; it is then the last one to be forgotten."""
        with self._lock:
            plan = self._plans.get(key)
            if plan is not None:
                self._plans.move_to_end(key)
            return plan

    def put(self, key: str, plan: Subgoal) -> None:
        """Remember a subgoal; beyond the size, the least recently used one is forgotten."""
        with self._lock:
            self._plans[key] = plan
            self._plans.move_to_end(key)
            while len(self._plans) > self._size:
                self._plans.popitem(last=False)

    def save(self) -> list[list[Any]]:
        """Return the state as JSON-able facts, for `load`."""
        with self._lock:
            plans = list(self._plans.items())
        return [[key, subgoal_to_json(plan)] for key, plan in plans]

    def load(self, facts: Any) -> None:
        """Restore the state that `save` returned.

        Raises:
            TypeError, ValueError: It is not what `save` returns.
        """
        plans: OrderedDict[str, Subgoal] = OrderedDict()
        for key, plan in facts[-self._size :]:
            if not isinstance(key, str):
                raise ValueError(f"not a key: {key!r}")
            plans[key] = subgoal_from_json(plan)
        with self._lock:
            self._plans = plans


class Failures:
    """The queries that brought no subgoal and are not asked again for a while."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: OrderedDict[str, float] = OrderedDict()

    def __contains__(self, key: str) -> bool:
        return self._clock() < self._until.get(key, -math.inf)

    def add(self, key: str, rest_s: float) -> None:
        """Keep a query from being asked again for some seconds."""
        self._until[key] = self._clock() + rest_s
        self._until.move_to_end(key)
        while len(self._until) > _SIZE:
            self._until.popitem(last=False)

    def clear(self) -> None:
        """Let every query be asked again."""
        self._until.clear()


UNKNOWN_WEIGHT = 0.5
"""Of a model whose goals were not evaluated yet."""

_MOST_CONFIDENCE = 0.9
"""Stated confidence beyond it does not count: models are surer than they are right."""


def vote(plans: Sequence[Subgoal], weights: Mapping[str, float] | None = None) -> Subgoal | None:
    """Let several models vote; return the option with the most weight, or None where nobody chose.

    `plans` has one from each model that gave a valid answer, all for the same query; `weights`
    say how reliable each model is, by name, 0 to 1.

    The winner is in the words of its weightiest voter, and all its voters are its goal sources. Its
    confidence is its share of all weight times what its voters stated on average; a single one
    stays as it is.
    """
    if len(plans) < 2:
        return plans[0] if plans else None
    votes: dict[GoalOption, list[tuple[float, Subgoal]]] = {}
    for plan in plans:
        votes.setdefault(plan.option, []).append((_weight(plan, weights or {}), plan))
    # Of equals, `max` takes the one that came first.
    voters = max(votes.values(), key=lambda group: (_total(group), max(w for w, _ in group)))
    everything = math.fsum(_total(group) for group in votes.values())
    share = _total(voters) / everything if everything else len(voters) / len(plans)
    stated = math.fsum(plan.confidence for _, plan in voters) / len(voters)
    _, best = max(voters, key=lambda voter: voter[0])
    goal_sources = tuple(dict.fromkeys(name for _, plan in voters for name in plan.goal_sources))
    return dataclasses.replace(best, goal_sources=goal_sources, confidence=min(1.0, share * stated))


def _weight(plan: Subgoal, weights: Mapping[str, float]) -> float:
    believed = weights.get(plan.goal_source, UNKNOWN_WEIGHT)
    if not math.isfinite(believed):
        believed = UNKNOWN_WEIGHT
    return min(max(0.0, believed), 1.0) * min(max(0.0, plan.confidence), _MOST_CONFIDENCE)


def _total(group: Sequence[tuple[float, Subgoal]]) -> float:
    return math.fsum(weight for weight, _ in group)


_log = logging.getLogger(__name__)

_UNREADABLE_REST_S = 300.0
"""How long a situation without a readable answer is not asked about: it would bring the same."""
_SHORTEST_WAIT_S = 0.001
_UNPOLLED = 4096
"""Events and subgoals that wait to be polled; beyond it the oldest are lost."""
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


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, with what else the models are told and how reliable each of them is."""

    query: PlanningQuery
    notes: Notes
    weights: Mapping[str, float]


class Answering:
    """The planner's side of a question; all but `save` and `load` happens in one event loop.

    The arguments are those of `Planner`.

    Attributes:
        members: The models; the owner runs their `tend`.
        events: What has happened; any thread may pop them.
        plans: The subgoals that were answered; likewise.
        wake: Set when a question that waits may have become possible.
    """

    def __init__(
        self,
        backends: Sequence[Backend],
        settings: PlannerConfig,
        *,
        max_context_length: int,
        seed: int,
        exchanges: ExchangeLog | None,
        clock: Callable[[], float],
        cooldown_s: float,
    ) -> None:
        # Appending to a deque and popping from it need no lock.
        self.events: deque[Event] = deque(maxlen=_UNPOLLED)
        self.plans: deque[Subgoal] = deque(maxlen=_UNPOLLED)
        self.wake = asyncio.Event()
        rng = random.Random(seed)
        self.members = [
            Member(b, settings, rng, clock, cooldown_s=cooldown_s, on_change=self._changed)
            for b in backends
        ]
        self._settings = settings
        self._max_context_length = max_context_length
        self._exchanges = exchanges
        self._clock = clock
        self._cooldown_s = cooldown_s
        self._budget = Budget(settings, clock, least_burst=len(backends))
        self._cache = SubgoalCache()
        self._failures = Failures(clock)
        self._counts = Counts()
        self._latencies: deque[float] = deque(maxlen=_LATENCIES)
        self._published: tuple[object, ...] = ()
        self._is_asking = False
        self._ready: set[str] = set()
        self._has_stumbled = False

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        return {
            "counts": dataclasses.asdict(self._counts),
            "budget": self._budget.save(),
            "cache": self._cache.save(),
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned; raises as `Planner.load`."""
        counts = Counts(**facts["counts"])
        if any(type(n) is not int or n < 0 for n in dataclasses.astuple(counts)):
            raise ValueError(f"not counts: {counts}")
        self._budget.load(facts["budget"])
        self._cache.load(facts["cache"])
        self._counts = counts

    def begin(self) -> None:
        """Continue numbering: the file may know of more than the checkpoint that was resumed."""
        if self._exchanges is not None:
            self._counts.exchange = max(self._counts.exchange, self._exchanges.last_number())

    async def handle(self, asked: Asked) -> float:
        """Answer a question and return 0, or return how many seconds it has to wait.

        Infinity means until something changes. No question is sent before all servers were
        looked at: else the first model that is ready would decide alone.
        """
        members = [member for member in self.members if member.can_be_asked]
        key = self._key(asked, self.members)
        plan = self._cache.get(key)
        if plan is None and all(member.state for member in self.members):
            # What was decided without a model that is away is decided anew once it is back.
            plan = self._cache.get(self._key(asked, members))
        if plan is not None:
            self._answer_from_cache(plan)
            return 0.0
        if key in self._failures:
            return 0.0
        if self._budget.exhausted or not members or not all(m.state for m in self.members):
            return math.inf
        if wait_s := self._budget.take(len(members)):
            return max(wait_s, _SHORTEST_WAIT_S)
        try:
            await self._ask(asked, key, members)
        except Exception:  # whatever it is about this situation, others are to be answered
            self._failures.add(key, _UNREADABLE_REST_S)
            self.stumble()
        self._publish_status(is_forced=True)
        return 0.0

    def flush(self) -> None:
        """Write exchanges, and goal outcomes, which come without a question."""
        warning = self._exchanges.flush() if self._exchanges is not None else ""
        if warning:
            self.events.append(WarningRaised(warning))

    def stumble(self) -> None:
        """Count an internal error, and log the first; called where it is caught."""
        self._counts.failures += 1
        if not self._has_stumbled:
            self._has_stumbled = True
            _log.exception("The planner failed once; it continues.")
            self.events.append(WarningRaised("Internal error in the planner; see the log."))

    def _answer_from_cache(self, plan: Subgoal) -> None:
        self._counts.cached += 1
        self._counts.exchange += 1
        self.events.append(
            PlanAnswered(
                exchange=self._counts.exchange,
                model=plan.goal_source,
                goal=plan.option.text,
                confidence=plan.confidence,
                reasoning=plan.reasoning,
                error="",
                repairs=(),
                latency_s=0.0,
                first_token_s=math.nan,
                prompt_tokens=0,
                answer_tokens=0,
                cost=0.0,
                is_cached=True,
            )
        )
        self.plans.append(plan)
        self._publish_status(is_forced=True)

    async def _ask(self, asked: Asked, key: str, members: Sequence[Member]) -> None:
        """Ask all the models at once, and let their answers vote."""
        max_tokens, settings = self._max_context_length, self._settings
        request = compose(asked.query, asked.notes, max_tokens=max_tokens, settings=settings)
        admitted = [member for member in members if member.breaker.admit()]
        self._is_asking = True
        try:
            self._publish_status()
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(self._ask_one(asked, request, member)) for member in admitted
                ]
        finally:
            self._is_asking = False
            for member in admitted:
                member.breaker.abandon()  # no more than that if the outcome is known
        answers = [task.result() for task in tasks]
        plan = vote([one.plan for one in answers if one.plan is not None], asked.weights)
        if self._exchanges is not None:
            for one in answers:
                exchange = one.exchange
                if plan is not None and one.plan is not None and one.plan.option == plan.option:
                    exchange = dataclasses.replace(
                        exchange, setter=plan.goal_source, condition=str(plan.condition)
                    )
                self._exchanges.add(exchange)
            self.flush()
        if plan is None:
            is_lost = all(one.is_lost for one in answers)
            self._failures.add(key, self._cooldown_s if is_lost else _UNREADABLE_REST_S)
        else:
            answers_by = zip(admitted, answers, strict=True)
            heard = [member for member, one in answers_by if not one.is_lost]
            self._cache.put(self._key(asked, heard), plan)
            self.plans.append(plan)

    async def _ask_one(self, asked: Asked, request: ChatRequest, member: Member) -> Answered:
        self._counts.calls += 1
        self._counts.exchange += 1
        answered = await put_question(
            self._counts.exchange,
            member,
            asked.query,
            request,
            settings=self._settings,
            budget=self._budget,
            emit=self.events.append,
            clock=self._clock,
        )
        if answered.plan is None:
            self._counts.failures += 1
        else:
            self._latencies.append(answered.exchange.latency_s)
        return answered

    def _key(self, asked: Asked, members: Iterable[Member]) -> str:
        models = sorted(member.model for member in members)
        return "\n".join((asked.query.key, *models, str(PROMPT_VERSION), asked.notes.instruction))

    def _changed(self) -> None:
        """Continue with what waits for a model, and publish the models' state."""
        ready = {member.model for member in self.members if member.state == "ready"}
        if ready - self._ready:  # a model came back: what failed may go well now
            self._failures.clear()
        self._ready = ready
        self.wake.set()
        self._publish_status()

    def _publish_status(self, *, is_forced: bool = False) -> None:
        """Emit the models' state if it changed, or if `is_forced`."""
        state, detail, retry_in_s = self._state()
        absent = _absent(self.members) if state in ANSWERING else ""
        shown = state, detail, absent, round(self._clock() + retry_in_s, 1) if retry_in_s else 0
        if shown == self._published and not is_forced:
            return
        self._published = shown
        self.events.append(
            PlannerStatusChanged(
                model=", ".join(member.model for member in self.members),
                state=state,
                detail=detail,
                retry_in_s=retry_in_s,
                calls=self._counts.calls,
                failures=self._counts.failures,
                cached=self._counts.cached,
                prompt_tokens=self._budget.prompt_tokens,
                answer_tokens=self._budget.answer_tokens,
                cost=self._budget.cost,
                median_latency_s=statistics.median(self._latencies) if self._latencies else 0.0,
                absent=absent,
            )
        )

    def _state(self) -> tuple[str, str, float]:
        """Return the state of all models as one: the best of them, and what is wrong with others.

        While none can be asked it is that of the model that is tried next.
        """
        if len(self.members) == 1:
            detail = self.members[0].detail
        else:
            detail = " ".join(f"{m.model}: {m.detail}" for m in self.members if m.detail)
        if self._budget.exhausted:
            return "exhausted", self._budget.exhausted, 0.0
        if self._is_asking:
            return "asking", detail, 0.0
        for state in ("ready", "loading"):
            if any(member.state == state for member in self.members):
                return state, detail, 0.0
        looked_at = [member for member in self.members if member.state]
        nearest = min(looked_at or self.members, key=lambda member: member.breaker.retry_in_s)
        return nearest.state, detail, nearest.breaker.retry_in_s


def _absent(members: Sequence[Member]) -> str:
    """Return which models cannot be asked; of one that was not looked at yet, nobody knows."""
    away = [member for member in members if member.state not in ("", "ready")]
    if not away or len(away) == len(members):
        return ""
    ready = f"{len(members) - len(away)} of {len(members)} models ready"
    return ", ".join((ready, *(f"{member.model}: {member.state}" for member in away)))
