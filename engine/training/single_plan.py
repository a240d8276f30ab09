"""Ask a language model for one plan, as a run would, and show all that is said."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from engine.config import RunConfig
from engine.errors import EnvironmentError
from engine.llm.asking import Answer, ask
from engine.llm.backends import make_backend
from engine.llm.backends.base import Backend, ChatRequest
from engine.llm.prompt import Notes, compose
from engine.llm.reply import Reading, read_plan
from engine.plans import Directions, Situation
from engine.strategy.advised import make_env


@dataclass(frozen=True, slots=True)
class OnePlan:
    """A question, the answer, and what is taken from it."""

    answer: Answer
    reading: Reading


def plan_once(
    config: RunConfig,
    *,
    wish: str = "",
    on_request: Callable[[ChatRequest], None],
    on_text: Callable[[str, bool], None],
) -> OnePlan:
    """Ask about the state that a run with these settings would start from.

    Args:
        config: `llm_model` names the model.
        wish: A person's goal in words.
        on_request: Told the question before it is sent.
        on_text: Told each piece of the answer, and whether it is thought rather than said.

    Raises:
        PokeTUIError: The ROM, the state, the model or its server is unusable.
    """
    backend = make_backend(
        config.llm_model, backend=config.llm_backend, base_url=config.llm_base_url
    )
    situation = first_situation(config)
    request = compose(
        situation,
        Notes(wish=wish),
        max_tokens=config.max_context_length,
        settings=config.planner,
    )
    on_request(request)
    answer = asyncio.run(_ask(backend, request, config, on_text))
    reason = "stop" if answer.done_reason == "stop" else "length"
    return OnePlan(answer, read_plan(answer.text, reason, situation, config.llm_model))


def first_situation(config: RunConfig) -> Situation:
    """Return what a model would be asked about at the start of an episode.

    Raises:
        PokeTUIError: The ROM or the state is unusable.
    """
    env = make_env(config.model_copy(update={"mode": "adaptive"}), 0)
    try:
        env.direct(Directions(is_on=True, fallback="none"))  # asked where rules would lead, too
        env.begin(config.seed)
        situation = env.question()
    finally:
        env.close()
    if situation is None:
        raise EnvironmentError(
            "There is nothing to decide in this state.", "Give one in which the game is played."
        )
    return situation


async def _ask(
    backend: Backend,
    request: ChatRequest,
    config: RunConfig,
    on_text: Callable[[str, bool], None],
) -> Answer:
    try:
        await backend.load()
        return await ask(
            backend,
            request,
            first_token_timeout_s=config.planner.first_token_timeout_s,
            answer_timeout_s=config.planner.answer_timeout_s,
            on_text=on_text,
        )
    finally:
        await backend.close()
