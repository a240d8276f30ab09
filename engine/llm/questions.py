"""Put a question to one model: what is told while it answers, the result, what it cost."""

import asyncio
import dataclasses
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass

from engine.config import PlannerConfig
from engine.errors import LLMConnectionError
from engine.events import Event, PlanAnswered, PlanRequested, PlanStreamed
from engine.llm.asking import Answer, ask
from engine.llm.backends.base import ChatRequest
from engine.llm.budget import Budget, Usage
from engine.llm.exchanges import Exchange
from engine.llm.member import Member, describe
from engine.llm.reply import Reading, read_answer
from engine.llm.tokens import estimate_tokens
from engine.planning_types import PlanningQuery, Subgoal

_log = logging.getLogger(__name__)

_BATCH_S = 0.1
_BATCH_CHARACTERS = 200
_GRACE_S = 1.0
"""Beyond the deadline, for a backend that does not let go."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The result of a question.

    Attributes:
        plan: None if nothing.
        is_lost: There was no answer, rather than one that cannot be read.
    """

    exchange: Exchange
    plan: Subgoal | None
    is_lost: bool


@dataclass(frozen=True, slots=True)
class _Failure:
    text: str
    is_permanent: bool = False


class Stream:
    """Tell an answer's words as they come, several at once.

    Attributes:
        first_token_s: Until the first of them; nan before.
    """

    def __init__(
        self, exchange: int, emit: Callable[[Event], None], clock: Callable[[], float]
    ) -> None:
        self._exchange = exchange
        self._emit = emit
        self._clock = clock
        self._started_s = clock()
        self._said: dict[bool, list[str]] = {False: [], True: []}
        self._waiting: list[str] = []
        self._is_thinking = False
        self._timer: asyncio.TimerHandle | None = None
        self.first_token_s = math.nan

    @property
    def latency_s(self) -> float:
        """Return the time since the question."""
        return self._clock() - self._started_s

    def text(self, *, is_thinking: bool = False) -> str:
        """Return all that was said, or thought, so far."""
        return "".join(self._said[is_thinking])

    def add(self, text: str, is_thinking: bool) -> None:
        """Take some more."""
        if math.isnan(self.first_token_s):
            self.first_token_s = self.latency_s
        self._said[is_thinking].append(text)
        if is_thinking != self._is_thinking:
            self.flush()
            self._is_thinking = is_thinking
        self._waiting.append(text)
        if sum(map(len, self._waiting)) >= _BATCH_CHARACTERS:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_BATCH_S, self.flush)

    def flush(self) -> None:
        """Tell what was not told yet."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting:
            self._emit(PlanStreamed(self._exchange, "".join(self._waiting), self._is_thinking))
            self._waiting.clear()


async def put_question(
    number: int,
    member: Member,
    query: PlanningQuery,
    request: ChatRequest,
    *,
    settings: PlannerConfig,
    budget: Budget,
    emit: Callable[[Event], None],
    clock: Callable[[], float],
) -> Answered:
    """Ask a model; whatever it does, there is an answer or a failure in the end.

    Args:
        number: Of the exchange.
        member: Who is asked, and told how it did.
        query: About what.
        request: The question.
        settings: With the deadlines.
        budget: Told what it cost.
        emit: Told what happens.
        clock: Seconds that never go back.
    """
    prompt = f"{request.system}\n\n{request.user}"
    env_index, trigger, key = query.env_index, query.trigger, query.key
    emit(PlanRequested(number, env_index, member.model, trigger, prompt, key))
    stream = Stream(number, emit, clock)
    prompt_tokens = _prompt_tokens(request)
    first_s = member.first_token_timeout_s(prompt_tokens)
    try:
        answer = await _ask(member, request, first_s, settings.answer_timeout_s, stream, clock)
    finally:
        stream.flush()
    if not math.isnan(stream.first_token_s):
        member.began(prompt_tokens, stream.first_token_s)
    if isinstance(answer, Answer):
        reading = _read(answer, query, member.model)
        if reading.plan is None:
            member.failed(f"{member.model}'s answer: {reading.error}.", is_lost=False)
        else:
            member.succeeded()
        usage = _usage(budget, prompt_tokens, answer)
    else:
        reading = Reading(None, error=answer.text)
        member.failed(answer.text, is_permanent=answer.is_permanent)
        usage = _lost_usage(budget, prompt_tokens, stream, first_s)
    exchange = _exchange(number, member.model, query, prompt, stream, reading, usage)
    emit(_answered(exchange))
    return Answered(exchange, reading.plan, isinstance(answer, _Failure))


async def _ask(
    member: Member,
    request: ChatRequest,
    first_s: float,
    answer_s: float,
    stream: Stream,
    clock: Callable[[], float],
) -> Answer | _Failure:
    try:
        async with asyncio.timeout(first_s + 2 * answer_s + _GRACE_S):
            return await ask(
                member.backend,
                request,
                first_token_timeout_s=first_s,
                answer_timeout_s=answer_s,
                on_text=stream.add,
                clock=clock,
            )
    except LLMConnectionError as error:
        return _Failure(str(error), error.is_permanent)
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return _Failure(describe(error))  # nobody but the backend wanted it
    except Exception as error:  # a backend may be anybody's: it must not end the thread
        _log.debug("The backend of %s failed.", member.model, exc_info=True)
        return _Failure(describe(error))


def _read(answer: Answer, query: PlanningQuery, model: str) -> Reading:
    try:
        return read_answer(answer, query, model)
    except Exception as error:  # the text is the world's: whatever it breaks, the run continues
        _log.exception("An answer of %s cannot be read.", model)
        return Reading(None, error=describe(error))


def _usage(budget: Budget, prompt_tokens: int, answer: Answer) -> Usage:
    return budget.spend(
        answer.prompt_tokens or prompt_tokens,
        answer.answer_tokens or estimate_tokens(answer.text + answer.thinking),
    )


def _lost_usage(budget: Budget, prompt_tokens: int, stream: Stream, first_s: float) -> Usage:
    """Count what a server has probably read and written before it was lost."""
    written = stream.text() + stream.text(is_thinking=True)
    if written or stream.latency_s >= first_s:
        return budget.spend(prompt_tokens, estimate_tokens(written))
    return budget.spend(0, 0)


def _prompt_tokens(request: ChatRequest) -> int:
    return estimate_tokens(request.system) + estimate_tokens(request.user)


def _exchange(
    number: int,
    model: str,
    query: PlanningQuery,
    prompt: str,
    stream: Stream,
    reading: Reading,
    usage: Usage,
) -> Exchange:
    plan = reading.plan
    return Exchange(
        exchange=number,
        env_index=query.env_index,
        trigger=query.trigger,
        key=query.key,
        model=model,
        prompt=prompt,
        text=stream.text(),
        thinking=stream.text(is_thinking=True),
        goal=plan.option.text if plan else "",
        kind=str(plan.option.kind) if plan else "",
        condition=str(plan.condition) if plan else "",
        confidence=plan.confidence if plan else 0.0,
        reasoning=plan.reasoning if plan else "",
        error=reading.error,
        repairs=reading.repairs,
        latency_s=stream.latency_s,
        first_token_s=stream.first_token_s,
        **dataclasses.asdict(usage),
    )


def _answered(exchange: Exchange) -> PlanAnswered:
    same = {field.name for field in dataclasses.fields(PlanAnswered)} - {"is_cached"}
    return PlanAnswered(**{name: getattr(exchange, name) for name in same})
