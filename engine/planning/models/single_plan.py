"""Ask language models for one plan, as a run would, and show all that is said."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from engine.config import RunConfig
from engine.errors import EnvironmentError, LLMConnectionError
from engine.planning.goals.planned import make_env
from engine.planning.models.answering import vote
from engine.planning.models.asking import Answer, Transcript, ask
from engine.planning.models.backends import make_backends
from engine.planning.models.backends.base import Backend, ChatRequest
from engine.planning.models.prompt import Notes, compose
from engine.planning.models.reply import Reading, read_answer
from engine.planning_types import PlannerUpdate, PlanningQuery, Subgoal


@dataclass(frozen=True, slots=True)
class OneAnswer:
    """What a model said, if anything, and what is taken from it, or why nothing is."""

    model: str
    answer: Answer | None
    reading: Reading


def plan_once(
    config: RunConfig,
    *,
    instruction: str = "",
    on_request: Callable[[ChatRequest], None],
    on_text: Callable[[str, bool], None],
) -> tuple[list[OneAnswer], Subgoal | None]:
    """Ask about the state that a run with these settings would start from.

    Args:
        config: `llm_model` names the model, or several that vote and weigh the same.
        instruction: A person's goal in words.
        on_request: Called with the question before it is sent.
        on_text: Called with each piece of one model's answer, and whether it is thought rather than
            said; not where several answer at once.

    Returns:
        All answers, and the subgoal that won their vote, None if there is none.

    Raises:
        PokeTUIError: The ROM, the state, the model or its server is unusable; of several models a
            server's failure stands in its answer's place.
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
    is_alone = len(backends) == 1

    async def ask_one(backend: Backend) -> OneAnswer:
        try:
            await backend.load()
            answer = await ask(
                backend,
                request,
                first_token_timeout_s=config.planner.first_token_timeout_s,
                answer_timeout_s=config.planner.answer_timeout_s,
                transcript=Transcript(request, on_text if is_alone else None),
            )
        except LLMConnectionError as error:
            if is_alone:
                raise
            return OneAnswer(backend.model, None, Reading(None, error=str(error)))
        finally:
            await backend.close()
        return OneAnswer(backend.model, answer, read_answer(answer, query, backend.model))

    async def ask_all() -> list[OneAnswer]:
        return await asyncio.gather(*map(ask_one, backends))

    answers = asyncio.run(ask_all())
    plans = [one.reading.plan for one in answers if one.reading.plan is not None]
    return answers, vote(plans)


def first_situation(config: RunConfig) -> PlanningQuery:
    """Return what a model would be asked about at the start of an episode.

    Raises:
        PokeTUIError: The ROM or the state is unusable.
    """
    env = make_env(config.model_copy(update={"mode": "adaptive"}), 0)
    try:
        # Without rules to fall back on, it also asks where these would lead.
        env.update_planner(PlannerUpdate(is_on=True, fallback="none"))
        env.begin(config.seed)
        query = env.question()
    finally:
        env.close()
    if query is None:
        raise EnvironmentError(
            "There is nothing to decide in this state.",
            "Use a state in which the player has control.",
        )
    return query
