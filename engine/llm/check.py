"""Find out, step by step, whether a language model can be used, and how fast it is."""

import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

from engine.config import PlannerConfig
from engine.errors import LLMConnectionError
from engine.llm.asking import Answer, Transcript, ask
from engine.llm.backends.base import Backend, ChatRequest, ModelStatus
from engine.llm.example import EXAMPLE, EXAMPLE_NOTES
from engine.llm.prompt import compose
from engine.llm.reply import read_answer
from engine.llm.tokens import estimate_tokens
from engine.quoting import one_line

STEPS = ("server", "model", "load", "answer", "schema", "speed")
_SHOWN_MODELS = 8


@dataclass(frozen=True, slots=True)
class CheckStep:
    """What a step of the check showed.

    Attributes:
        name: One of STEPS.
        is_ok: None: not tried, as an earlier step failed.
        text: What was found.
        remedy: What to do about it, "" where there is nothing to do.
    """

    name: str
    is_ok: bool | None
    text: str
    remedy: str = ""


async def check_model(
    backend: Backend,
    settings: PlannerConfig,
    *,
    max_context_length: int = 8000,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[CheckStep, ...]:
    """Return the steps of STEPS in order, those after a failure as not tried; none raises.

    Args:
        backend: The model; it is asked one question, as long as those of a run.
        settings: As in a run: a model that is too slow there is of no use.
        max_context_length: Most tokens of the question and its answer.
        clock: Measures.
    """
    steps = [step async for step in _steps(backend, settings, max_context_length, clock)]
    return (*steps, *(CheckStep(name, None, "not tried") for name in STEPS[len(steps) :]))


async def _steps(
    backend: Backend,
    settings: PlannerConfig,
    max_context_length: int,
    clock: Callable[[], float],
) -> AsyncGenerator[CheckStep]:
    for step in _reach(backend, await backend.probe()):
        yield step
        if not step.is_ok:
            return
    began = clock()
    try:
        await backend.load()
    except LLMConnectionError as error:
        yield CheckStep("load", False, error.message, error.hint)
        return
    yield CheckStep("load", True, f"loaded after {clock() - began:.1f} s")
    request = compose(EXAMPLE, EXAMPLE_NOTES, max_tokens=max_context_length, settings=settings)
    try:
        answer = await ask(
            backend,
            request,
            first_token_timeout_s=settings.first_token_timeout_s,
            answer_timeout_s=settings.answer_timeout_s,
            transcript=Transcript(request, clock=clock),
        )
    except LLMConnectionError as error:
        yield CheckStep("answer", False, error.message, error.hint)
        return
    text = one_line(answer.text, 160)
    silent = (
        f"It was {answer.cut}." if answer.cut else "Choose another model: this one returns nothing."
    )
    yield CheckStep("answer", bool(text), text or "nothing", "" if text else silent)
    yield _schema(answer)
    yield _speed(request, answer)


def _reach(backend: Backend, status: ModelStatus) -> tuple[CheckStep, ...]:
    if status.state in ("unreachable", "refused"):
        return (CheckStep("server", False, status.state, status.detail),)
    text = "not needed" if backend.name == "local" else f"{backend.name} responds"
    server = CheckStep("server", True, text)
    had = ", ".join(one_line(model, 60) for model in status.models[:_SHOWN_MODELS])
    more = ", ..." if len(status.models) > _SHOWN_MODELS else ""
    listed = f"; available: {had}{more}" if had else ""
    if status.state == "missing":
        return server, CheckStep("model", False, f"no {backend.model}{listed}", status.detail)
    if not status.detail:
        return server, CheckStep("model", True, f"{backend.model} is available")
    found = status.detail.rstrip(".") + (listed if status.state == "ready" else "")
    return server, CheckStep("model", True, found)


def _schema(answer: Answer) -> CheckStep:
    """Return whether a run could follow the answer, and whether it would have to mend it."""
    reading = read_answer(answer, EXAMPLE, "")
    if reading.plan is None:
        remedy = "" if answer.cut else "A larger model follows the format better."
        return CheckStep("schema", False, reading.error, remedy)
    if reading.repairs:
        return CheckStep("schema", True, f"readable after repair: {', '.join(reading.repairs)}")
    return CheckStep("schema", True, "followed exactly")


def _speed(request: ChatRequest, answer: Answer) -> CheckStep:
    read = answer.prompt_tokens or estimate_tokens(request.system + request.user)
    written = answer.answer_tokens or estimate_tokens(answer.text + answer.thinking)
    first_s, writing_s = answer.first_token_s, answer.latency_s - answer.first_token_s
    return CheckStep(
        "speed",
        True,
        f"read {read} tokens in {first_s:.2f} s{_rate(read, first_s)}, "
        f"wrote {written} in {writing_s:.2f} s{_rate(written, writing_s)}",
    )


def _rate(tokens: int, seconds: float) -> str:
    return f" ({tokens / seconds:.0f}/s)" if seconds > 0.05 else ""
