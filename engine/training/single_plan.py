"""Ask language models for one plan, as a run would, and show all that is said."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.config import RunConfig
from engine.errors import EnvironmentError, LLMConnectionError
from engine.llm.asking import Answer, Transcript, ask
from engine.llm.backends import make_backends
from engine.llm.backends.base import Backend, ChatRequest
from engine.llm.ensemble import vote
from engine.llm.prompt import Notes, compose
from engine.llm.reply import Reading, read_answer
from engine.planning_types import PlannerUpdate, PlanningQuery, Subgoal
from engine.strategy.advised import make_env


@dataclass(frozen=True, slots=True)
class OneAnswer:
    """What a model said.

    Attributes:
        answer: None if it gave none.
        reading: What is taken from it, or why nothing is.
    """

    model: str
    answer: Answer | None
    reading: Reading


@dataclass(frozen=True, slots=True)
class OnePlan:
    """What all models said, and the plan that won their vote, None if nobody gave one."""

    answers: tuple[OneAnswer, ...]
    plan: Subgoal | None


def plan_once(
    config: RunConfig,
    *,
    instruction: str = "",
    on_request: Callable[[ChatRequest], None],
    on_text: Callable[[str, bool], None],
) -> OnePlan:
    """Ask about the state that a run with these settings would start from.

    Args:
        config: `llm_model` names the model, or several that vote and weigh the same.
        instruction: A person's goal in words.
        on_request: Told the question before it is sent.
        on_text: Told each piece of one model's answer, and whether it is thought rather than said;
            of several that answer at once it is told nothing.

    Raises:
        PokeTUIError: The ROM, the state, the model or its server is unusable; where there are
            several models, a server is not: that is told in its answer's stead.
    """
    backends = make_backends(config)
    query = first_situation(config)
    request = compose(
        query,
        Notes(instruction=instruction),
        max_tokens=config.max_context_length,
        settings=config.planner,
    )
    on_request(request)
    answers = asyncio.run(_ask_all(backends, query, request, config, on_text))
    plans = [one.reading.plan for one in answers if one.reading.plan is not None]
    return OnePlan(tuple(answers), vote(plans))


def first_situation(config: RunConfig) -> PlanningQuery:
    """Return what a model would be asked about at the start of an episode.

    Raises:
        PokeTUIError: The ROM or the state is unusable.
    """
    env = make_env(config.model_copy(update={"mode": "adaptive"}), 0)
    try:
        env.update_planner(
            PlannerUpdate(is_on=True, fallback="none")
        )  # asked where rules would lead, too
        env.begin(config.seed)
        query = env.question()
    finally:
        env.close()
    if query is None:
        raise EnvironmentError(
            "There is nothing to decide in this state.", "Give one in which the game is played."
        )
    return query


async def _ask_all(
    backends: Sequence[Backend],
    query: PlanningQuery,
    request: ChatRequest,
    config: RunConfig,
    on_text: Callable[[str, bool], None],
) -> list[OneAnswer]:
    is_alone = len(backends) == 1

    async def ask_one(backend: Backend) -> OneAnswer:
        try:
            answer = await _ask(backend, request, config, on_text if is_alone else None)
        except LLMConnectionError as error:
            if is_alone:
                raise
            return OneAnswer(backend.model, None, Reading(None, error=str(error)))
        reading = read_answer(answer, query, backend.model)
        return OneAnswer(backend.model, answer, reading)

    return await asyncio.gather(*(ask_one(backend) for backend in backends))


async def _ask(
    backend: Backend,
    request: ChatRequest,
    config: RunConfig,
    on_text: Callable[[str, bool], None] | None,
) -> Answer:
    try:
        await backend.load()
        return await ask(
            backend,
            request,
            first_token_timeout_s=config.planner.first_token_timeout_s,
            answer_timeout_s=config.planner.answer_timeout_s,
            transcript=Transcript(request, on_text),
        )
    finally:
        await backend.close()
