"""Find out, step by step, whether a language model can be used, and how fast it is."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from engine.errors import LLMConnectionError
from engine.llm.asking import Answer, ask
from engine.llm.backends.base import Backend, ChatRequest, ModelStatus
from engine.llm.reply import read_object
from engine.quoting import one_line

STEPS = ("server", "model", "load", "answer", "schema", "speed")
_CHOICES = ("REST", "LEAVE")
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
    *,
    first_token_timeout_s: float = 5.0,
    answer_timeout_s: float = 20.0,
    max_tokens: int = 160,
    think: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[CheckStep, ...]:
    """Return the steps of STEPS in order; none raises.

    Args:
        backend: The model.
        first_token_timeout_s: As in a run: a model that is slower is of no use there.
        answer_timeout_s: Likewise.
        max_tokens: Of the answer to the one small question that is asked.
        think: Whether the model may think first.
        clock: Measures.
    """
    steps = list(_reach(backend, await backend.probe()))
    if not all(step.is_ok for step in steps):
        return _completed(steps)
    began = clock()
    try:
        await backend.load()
    except LLMConnectionError as error:
        return _completed([*steps, CheckStep("load", False, error.message, error.hint)])
    steps.append(CheckStep("load", True, f"loaded after {clock() - began:.1f} s"))
    try:
        answer = await ask(
            backend,
            _question(max_tokens, think),
            first_token_timeout_s=first_token_timeout_s,
            answer_timeout_s=answer_timeout_s,
            clock=clock,
        )
    except LLMConnectionError as error:
        return _completed([*steps, CheckStep("answer", False, error.message, error.hint)])
    steps.append(_said(answer))
    steps.append(_schema(answer))
    steps.append(_speed(answer))
    return tuple(steps)


def _reach(backend: Backend, status: ModelStatus) -> tuple[CheckStep, ...]:
    if status.state in ("unreachable", "refused"):
        return (CheckStep("server", False, status.state, status.detail),)
    server = CheckStep("server", True, f"{backend.name} answers")
    if status.state == "missing":
        had = ", ".join(one_line(model, 60) for model in status.models[:_SHOWN_MODELS])
        more = ", ..." if len(status.models) > _SHOWN_MODELS else ""
        listed = f"; there are: {had}{more}" if had else ""
        return server, CheckStep("model", False, f"no {backend.model}{listed}", status.detail)
    return server, CheckStep("model", True, status.detail or f"{backend.model} is there")


def _question(max_tokens: int, think: bool) -> ChatRequest:
    return ChatRequest(
        system="You advise a player of a role-playing game. Answer with one JSON object.",
        user=(
            "Your only creature has 2 of 20 HP. Choose one goal: "
            "REST (heal it in the house you stand before) or LEAVE (walk on into the forest). "
            "Give reasoning (at most 15 words), goal, and confidence (0 to 100)."
        ),
        schema={
            "type": "object",
            "properties": {
                "reasoning": {"type": "string"},
                "goal": {"type": "string", "enum": list(_CHOICES)},
                "confidence": {"type": "integer"},
            },
            "required": ["reasoning", "goal", "confidence"],
            "additionalProperties": False,
        },
        max_tokens=max_tokens,
        temperature=0.0,
        think=think,
    )


def _said(answer: Answer) -> CheckStep:
    text = one_line(answer.text, 160)
    if text:
        return CheckStep("answer", True, text)
    thought = " but thoughts" if answer.thinking else ""
    return CheckStep(
        "answer", False, f"nothing{thought}", "Choose a model that answers without thinking."
    )


def _schema(answer: Answer) -> CheckStep:
    """Tell whether the answer is exactly what was asked for; a run mends some of what is not."""
    found = read_object(
        answer.text, "stop" if answer.done_reason == "stop" else "length", ("goal",)
    )
    larger = "A larger model keeps to the form better."
    if found.values is None:
        return CheckStep("schema", False, found.error, larger)
    wrong = [
        name
        for name, is_right in (
            ("reasoning", isinstance(found.values.get("reasoning"), str)),
            ("goal", found.values.get("goal") in _CHOICES),
            ("confidence", type(found.values.get("confidence")) is int),
        )
        if not is_right
    ]
    if wrong:
        return CheckStep("schema", False, f"wrong: {', '.join(wrong)}", larger)
    if found.repairs:
        mended = ", ".join(found.repairs)
        return CheckStep("schema", True, f"readable after mending: {mended}", larger)
    return CheckStep("schema", True, "kept to exactly")


def _speed(answer: Answer) -> CheckStep:
    tokens = answer.answer_tokens
    writing_s = answer.latency_s - answer.first_token_s
    rate = f", {tokens / writing_s:.0f} tokens/s" if tokens and writing_s > 0.05 else ""
    return CheckStep(
        "speed",
        True,
        f"first word after {answer.first_token_s:.2f} s, "
        f"the whole answer after {answer.latency_s:.2f} s{rate}",
    )


def _completed(steps: list[CheckStep]) -> tuple[CheckStep, ...]:
    """Return all steps, those after the failure as not tried."""
    names = [step.name for step in steps]
    rest = (CheckStep(name, None, "not tried") for name in STEPS if name not in names)
    return (*steps, *rest)
