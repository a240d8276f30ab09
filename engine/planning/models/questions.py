"""Put a question to one model: publish its answer as it comes, read it, count its cost."""

import asyncio
import dataclasses
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.config import PlannerConfig
from engine.errors import LLMConnectionError
from engine.events import Event, PlanAnswered, PlanRequested, PlanStreamed
from engine.planning.models.asking import Answer, Transcript, ask
from engine.planning.models.backends.base import ChatRequest
from engine.planning.models.backends.tokens import estimate_tokens, prompt_tokens
from engine.planning.models.budget import Budget
from engine.planning.models.exchanges import Exchange
from engine.planning.models.member import Member, describe
from engine.planning.models.prompt import name_of
from engine.planning.models.reply import Reading, read_answer
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
        plan: The subgoal; None: there is none.
        is_lost: There was no answer, rather than one that cannot be read.
    """

    exchange: Exchange
    plan: Subgoal | None
    is_lost: bool


class _Publisher:
    """Publish an answer's words as they come, several at once."""

    def __init__(self, exchange: int, emit: Callable[[Event], None]) -> None:
        self._exchange = exchange
        self._emit = emit
        self._waiting: list[str] = []
        self._is_thinking = False
        self._timer: asyncio.TimerHandle | None = None

    def add(self, text: str, is_thinking: bool) -> None:
        if is_thinking != self._is_thinking:
            self.flush()
            self._is_thinking = is_thinking
        self._waiting.append(text)
        if sum(map(len, self._waiting)) >= _BATCH_CHARACTERS:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_BATCH_S, self.flush)

    def flush(self) -> None:
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

    `number` is the exchange's; `member` notes how it did, and `budget` what it cost.
    """
    prompt = f"{request.system}\n\n{request.user}"
    env_index, trigger, key = query.env_index, query.trigger, query.key
    emit(PlanRequested(number, env_index, member.model, trigger, prompt, key))
    publisher = _Publisher(number, emit)
    transcript = Transcript(request, publisher.add, clock)
    prompt_size = prompt_tokens(request)
    first_s = member.first_token_timeout_s(prompt_size)
    try:
        answer = await _ask(member, request, first_s, settings.answer_timeout_s, transcript)
    finally:
        publisher.flush()
    if not math.isnan(transcript.first_token_s):
        member.began(prompt_size, transcript.first_token_s)
    written = transcript.text() + transcript.text(is_thinking=True)
    if isinstance(answer, Answer):
        reading = _read(answer, query, member.model)
        if reading.plan is None:
            member.failed(f"{member.model}'s answer: {reading.error}.", is_lost=False)
        else:
            member.succeeded()
        tokens = (
            answer.prompt_tokens or prompt_size,
            answer.answer_tokens or estimate_tokens(written),
        )
    else:
        reading = Reading(None, error=str(answer))
        member.failed(str(answer), is_permanent=answer.is_permanent)
        # What the server has probably read and written before it was lost.
        has_read = written or transcript.latency_s >= first_s
        tokens = prompt_size if has_read else 0, estimate_tokens(written)
    exchange = Exchange(
        exchange=number,
        env_index=env_index,
        trigger=trigger,
        key=key,
        place_key=query.place_key,
        model=member.model,
        prompt=prompt,
        text=transcript.text(),
        thinking=transcript.text(is_thinking=True),
        **_facts(reading),
        latency_s=transcript.latency_s,
        first_token_s=transcript.first_token_s,
        prompt_tokens=tokens[0],
        answer_tokens=tokens[1],
        cost=budget.spend(*tokens),
    )
    same = {field.name for field in dataclasses.fields(PlanAnswered)} - {"is_cached"}
    emit(PlanAnswered(**{name: getattr(exchange, name) for name in same}))
    return Answered(exchange, reading.plan, is_lost=not isinstance(answer, Answer))


async def _ask(
    member: Member, request: ChatRequest, first_s: float, answer_s: float, transcript: Transcript
) -> Answer | LLMConnectionError:
    try:
        async with asyncio.timeout(first_s + 2 * answer_s + _GRACE_S):
            return await ask(
                member.backend,
                request,
                first_token_timeout_s=first_s,
                answer_timeout_s=answer_s,
                transcript=transcript,
            )
    except LLMConnectionError as error:
        return error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return LLMConnectionError(describe(error))  # nobody but the backend wanted it
    except Exception as error:  # a backend may be anybody's: it must not end the thread
        _log.debug("The backend of %s failed.", member.model, exc_info=True)
        return LLMConnectionError(describe(error))


def _read(answer: Answer, query: PlanningQuery, model: str) -> Reading:
    try:
        return read_answer(answer, query, model)
    except Exception as error:  # the text is the world's: whatever it breaks, the run continues
        _log.exception("An answer of %s cannot be read.", model)
        return Reading(None, error=describe(error))


def _facts(reading: Reading) -> dict[str, Any]:
    """Return what an exchange keeps of what was read."""
    plan = reading.plan
    return {
        "choice": name_of(plan.option) if plan else "",
        "goal": plan.option.text if plan else "",
        "kind": str(plan.option.kind) if plan else "",
        "condition": str(plan.condition) if plan else "",
        "confidence": plan.confidence if plan else 0.0,
        "reasoning": plan.reasoning if plan else "",
        "error": reading.error,
        "repairs": reading.repairs,
    }
