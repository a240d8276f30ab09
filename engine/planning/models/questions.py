"""Put a question to one model: publish its answer as it comes, read it, keep to the budget."""

import asyncio
import dataclasses
import logging
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.config import PlannerConfig
from engine.errors import LLMConnectionError
from engine.events import Event, PlanAnswered, PlanRequested, PlanStreamed
from engine.planning.models.asking import Answer, Transcript, ask
from engine.planning.models.backends.base import ChatRequest
from engine.planning.models.backends.tokens import estimate_tokens, prompt_tokens
from engine.planning.models.exchanges import Exchange
from engine.planning.models.member import Member, describe
from engine.planning.models.prompt import name_of
from engine.planning.models.reply import Reading, read_answer
from engine.planning_types import PlanningQuery, Subgoal

_MOST_AT_ONCE = 5
_BURST_MINUTES = 1 / 12
_PER_PRICE = 1_000_000


class Budget:
    """How many questions a minute, tokens and dollars a run may have.

    Prices come from the settings alone: a table of well-known models' would be wrong within
    months, and a wrong price is worse than none. Without a price only tokens are bounded. The
    bounds are looked at before a question, so the last one may go beyond them by what it costs.
    `least_burst` questions must be possible at once: as many as there are models that vote.
    """

    def __init__(
        self,
        settings: PlannerConfig,
        clock: Callable[[], float] = time.monotonic,
        *,
        least_burst: int = 1,
    ) -> None:
        self._settings = settings
        self._clock = clock
        burst = min(_MOST_AT_ONCE, settings.calls_per_minute * _BURST_MINUTES)
        self._burst = max(float(least_burst), burst)
        self._allowed = self._burst
        self._refilled_s = clock()
        self.prompt_tokens = 0
        self.answer_tokens = 0
        self.cost = 0.0

    @property
    def exhausted(self) -> str:
        """Say which bound of the run is reached, "" if none is."""
        tokens, most = self.prompt_tokens + self.answer_tokens, self._settings.max_tokens_per_run
        if most and tokens >= most:
            return f"{tokens:,} of {most:,} tokens spent; raise planner.max_tokens_per_run."
        if self._settings.max_cost_per_run and self.cost >= self._settings.max_cost_per_run:
            limit = self._settings.max_cost_per_run
            return f"${self.cost:.2f} of ${limit:.2f} spent; raise planner.max_cost_per_run."
        return ""

    def take(self, calls: int = 1) -> float:
        """Take so many questions out of the minute's, and return 0.

        If there are fewer, none is taken: return how many seconds until there are as many.
        """
        now_s = self._clock()
        gained = (now_s - self._refilled_s) * self._settings.calls_per_minute / 60
        self._allowed = min(self._burst, self._allowed + gained)
        self._refilled_s = now_s
        if self._allowed >= calls:
            self._allowed -= calls
            return 0.0
        # A hair more than is needed: what is left after it must not be the error of a rounding.
        return (calls - self._allowed) * 60 / self._settings.calls_per_minute + 1e-6

    def spend(self, prompt_tokens: int, answer_tokens: int) -> float:
        """Count what a question cost, and return it in US dollars."""
        prices = self._settings.input_price, self._settings.output_price
        cost = (prompt_tokens * prices[0] + answer_tokens * prices[1]) / _PER_PRICE
        self.prompt_tokens += prompt_tokens
        self.answer_tokens += answer_tokens
        self.cost += cost
        return cost

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        return {
            "prompt_tokens": self.prompt_tokens,
            "answer_tokens": self.answer_tokens,
            "cost": self.cost,
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned.

        Raises:
            KeyError, TypeError, ValueError: It is not what `save` returns.
        """
        prompt, answer, cost = facts["prompt_tokens"], facts["answer_tokens"], facts["cost"]
        if type(prompt) is not int or type(answer) is not int or min(prompt, answer) < 0:
            raise ValueError(f"not counts of tokens: {prompt!r}, {answer!r}")
        if type(cost) not in (int, float) or not math.isfinite(cost) or cost < 0:
            raise ValueError(f"not a cost: {cost!r}")
        self.prompt_tokens, self.answer_tokens, self.cost = prompt, answer, float(cost)


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
