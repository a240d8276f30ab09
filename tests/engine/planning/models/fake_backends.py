"""Models of which a test says what they do, and a planner that a test listens to."""

import asyncio
import contextlib
import itertools
import json
import selectors
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from engine.config import PlannerConfig
from engine.errors import LLMConnectionError
from engine.events import Event, PlanAnswered, PlannerStatusChanged, PlanRequested, PlanStreamed
from engine.planning.models.backends.base import Backend, ChatRequest, Chunk, ModelStatus
from engine.planning.models.planner import Planner
from engine.planning.models.prompt import Notes, name_of
from engine.planning_types import GoalOption, PlanningQuery, Subgoal
from tests.engine.planning.models.queries import TOWN
from tests.engine.processes import wait_until

Behaviour = Callable[[ChatRequest], AsyncIterator[Chunk]]

READY = ModelStatus("ready")
GIVE_UP_S = 60.0
"""No test waits for so long unless it fails."""

BUSY = LLMConnectionError("The server answered 503.", "It is busy.")
REFUSED = LLMConnectionError("The server answered 401.", "Check the key.", is_permanent=True)
LONG_S = 3600.0

E = TypeVar("E")


def answer(option: GoalOption = TOWN[1], confidence: int = 80) -> str:
    return json.dumps(
        {
            "choice": name_of(option),
            "success": str(option.conditions[0]),
            "confidence": confidence,
            "reasoning": "It is near.",
        }
    )


def says(
    text: str = "",
    *,
    thinks: str = "",
    piece: int = 8,
    tokens: tuple[int, int] = (700, 40),
) -> Behaviour:
    async def chat(request: ChatRequest) -> AsyncIterator[Chunk]:
        said = text or answer()
        for thought, words in ((True, thinks), (False, said)):
            for at in range(0, len(words), piece):
                yield Chunk(words[at : at + piece], is_thinking=thought)
        yield Chunk(done_reason="stop", prompt_tokens=tokens[0], answer_tokens=tokens[1])

    return chat


def fails(error: BaseException, after: str = "") -> Behaviour:
    async def chat(request: ChatRequest) -> AsyncIterator[Chunk]:
        if after:
            yield Chunk(after)
        raise error

    return chat


def held(gate: threading.Event, behaviour: Behaviour | None = None) -> Behaviour:
    """Wait until a test opens the gate, and be hung up on if that is too late."""

    async def chat(request: ChatRequest) -> AsyncIterator[Chunk]:
        await opened(gate)
        async for chunk in (behaviour or says())(request):
            yield chunk

    return chat


def paced(*pieces: tuple[float, str] | tuple[float, str, bool]) -> Behaviour:
    """Say each piece, or think it, after so many seconds."""

    async def chat(request: ChatRequest) -> AsyncIterator[Chunk]:
        for seconds, *piece in pieces:
            await asyncio.sleep(seconds)
            yield Chunk(*piece)
        yield Chunk(done_reason="stop")

    return chat


def drips() -> Behaviour:
    async def chat(request: ChatRequest) -> AsyncIterator[Chunk]:
        while True:
            yield Chunk(" ")
            await asyncio.sleep(0.005)

    return chat


async def opened(gate: threading.Event) -> None:
    while not gate.is_set():
        await asyncio.sleep(0.002)


class FakeBackend:
    """A model that does what `behaviours` say, one a question, the last one for ever.

    Attributes:
        status: What a probe finds; an exception is raised.
        load_error: Raised by `load`, or waited for if it is a gate.
    """

    name = "fake"
    is_paid = False

    def __init__(self, *behaviours: Behaviour, model: str = "fake") -> None:
        self.model = model
        self.behaviours = list(behaviours) or [says()]
        self.requests: list[ChatRequest] = []
        self.status: ModelStatus | BaseException | threading.Event = READY
        self.load_error: BaseException | threading.Event | None = None
        self.probes = 0
        self.loads = 0
        self.is_closed = False

    def chat(self, request: ChatRequest) -> AsyncIterator[Chunk]:
        self.requests.append(request)
        behaviour = self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]
        return behaviour(request)

    async def probe(self) -> ModelStatus:
        self.probes += 1
        status = self.status
        if isinstance(status, threading.Event):
            await opened(status)
            return READY
        if isinstance(status, BaseException):
            raise status
        return status

    async def load(self) -> None:
        self.loads += 1
        if isinstance(self.load_error, threading.Event):
            await opened(self.load_error)
        elif self.load_error is not None:
            raise self.load_error
        self.status = READY

    async def close(self) -> None:
        self.is_closed = True


class Listener:
    """A running planner, with all that it said so far."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self.plans: list[Subgoal] = []
        self.events: list[Event] = []
        self._asked_at = 0

    def hear(self) -> None:
        plans, events = self.planner.poll()
        self.plans += plans
        self.events += events

    def until(self, is_so: Callable[[], object]) -> None:
        """Listen until something is so."""
        end = time.monotonic() + GIVE_UP_S
        while not is_so():
            assert time.monotonic() < end, (self.states, self.all(PlanAnswered))
            time.sleep(0.002)
            self.hear()

    def ask(
        self,
        query: PlanningQuery,
        notes: Notes | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        """Submit a question and listen until it is dealt with."""
        self._asked_at = len(self.events)
        self.planner.submit(query, notes or Notes(), weights or {})
        self.until(lambda: self.planner.is_idle)
        self.hear()

    def ask_until_planned(self, *situations: PlanningQuery) -> None:
        """Submit them in turn, as a trainer does whenever it is idle, until there is a plan."""
        turn = itertools.cycle(situations)
        before = len(self.plans)
        self.ask(next(turn))
        end = time.monotonic() + GIVE_UP_S
        while len(self.plans) == before:
            assert time.monotonic() < end, self.answered
            self.ask(next(turn))

    def until_state(self, state: str) -> PlannerStatusChanged:
        """Listen until a state has been told since the last `ask`, and return it."""
        self.until(lambda: self._told(state))
        return self._told(state)[0]

    def _told(self, state: str) -> list[PlannerStatusChanged]:
        events = self.events[self._asked_at :]
        return [e for e in events if isinstance(e, PlannerStatusChanged) and e.state == state]

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def status(self) -> PlannerStatusChanged:
        return self.all(PlannerStatusChanged)[-1]

    @property
    def states(self) -> list[str]:
        """Return the states so far, each change once."""
        states = [status.state for status in self.all(PlannerStatusChanged)]
        return [state for i, state in enumerate(states) if not i or state != states[i - 1]]

    @property
    def requested(self) -> list[PlanRequested]:
        return self.all(PlanRequested)

    @property
    def answered(self) -> list[PlanAnswered]:
        return self.all(PlanAnswered)

    def streamed(self, *, is_thinking: bool = False) -> str:
        events = self.all(PlanStreamed)
        return "".join(e.text for e in events if e.is_thinking == is_thinking)


def quick_settings(**changes: Any) -> PlannerConfig:
    """Return deadlines that no test reaches, unless it says so."""
    values = {
        "first_token_timeout_s": GIVE_UP_S,
        "answer_timeout_s": GIVE_UP_S,
        "load_timeout_s": GIVE_UP_S,
        "calls_per_minute": 60_000.0,
    }
    return PlannerConfig(**{**values, **changes})


def make_planner(*backends: Backend, **options: Any) -> Planner:
    settings = quick_settings(**options.pop("settings", None) or {})
    return Planner(backends, settings, max_context_length=4000, seed=0, **options)


@contextlib.contextmanager
def listening(
    *backends: Backend,
    settings: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
    cooldown_s: float = 0.05,
    before: Sequence[PlanningQuery] = (),
    **options: Any,
) -> Iterator[Listener]:
    """Start a planner, and see that nothing of it stays.

    Args:
        backends: Its models.
        settings: Changes to `quick_settings`.
        facts: What it continues from.
        cooldown_s: How long a failing model is left alone at first.
        before: Situations that are submitted before it is started.
        options: More for the planner.
    """
    planner = make_planner(*backends, settings=settings, cooldown_s=cooldown_s, **options)
    if facts is not None:
        planner.load(facts)
    for query in before:
        planner.submit(query)
    planner.start()
    listener = Listener(planner)
    try:
        yield listener
    finally:
        planner.close()
        until_no_thread_is_left()
        listener.hear()


class Clock:
    """A clock that stands still until a test sets it: no wait is over before a test looks at it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class _NoWait(selectors.SelectSelector):
    """Lets waits be over at once, by the clock of the loop that they are in."""

    now_s = 0.0

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if not ready and timeout:
            self.now_s += timeout
        return ready


def in_no_time(work: Callable[[], Coroutine[Any, Any, E]]) -> E:
    """Return what comes of work in a loop whose hours pass at once: deadlines are met exactly."""
    selector = _NoWait()
    loop = asyncio.SelectorEventLoop(selector)
    loop.time = lambda: selector.now_s  # type: ignore[method-assign]
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(work())


def until_no_thread_is_left() -> None:
    """Wait for what was told to end: on a busy machine that takes longer than `close` waits."""
    assert wait_until(lambda: not threads_of_planners(), GIVE_UP_S), threads_of_planners()


def threads_of_planners() -> list[str]:
    names = [thread.name for thread in threading.enumerate()]
    return [name for name in names if name.startswith(("planner", "asyncio"))]
