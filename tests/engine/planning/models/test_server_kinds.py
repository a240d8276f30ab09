"""Every kind of server that people run gives a plan: at once, and then with no refused request."""

from dataclasses import replace

import pytest

from engine.config import PlannerConfig
from engine.planning.models.asking import Answer, ask
from engine.planning.models.backends.base import Backend, strict_schema
from engine.planning.models.check import EXAMPLE, EXAMPLE_NOTES
from engine.planning.models.prompt import compose
from engine.planning.models.reply import read_plan
from tests.engine.planning.models.servers.kinds import KINDS, Kind
from tests.engine.planning.models.servers.modelled import server_of

REQUEST = compose(EXAMPLE, EXAMPLE_NOTES, max_tokens=8000, settings=PlannerConfig())


async def planned(backend: Backend) -> Answer:
    answer = await ask(backend, REQUEST, first_token_timeout_s=60, answer_timeout_s=60)
    reading = read_plan(answer.text, answer.done_reason, EXAMPLE, "")
    assert reading.plan is not None, f"{reading.error}: {answer}"
    return answer


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
async def test_a_kind_of_server_gives_a_plan_cold_and_warm(make, kind):
    with server_of(kind) as server:
        backend = make(
            kind.model,
            backend="ollama" if kind.is_ollama else "openai",
            base_url=getattr(server, "base_url", server.url),
        )
        await backend.probe()
        await planned(backend)
        cold, refused = len(server.asked), server.refused
        warm = await planned(backend)
        assert len(server.asked) == cold + 1
        assert server.refused == refused
        assert not warm.cut or "choice" in warm.text


async def test_the_model_behind_them_never_gets_to_a_choice_after_an_unbounded_reasoning(make):
    schema = strict_schema(REQUEST.schema)
    fields = schema["properties"]
    late = {"reasoning": fields["reasoning"], **fields}
    request = replace(REQUEST, schema={**schema, "properties": late})
    with server_of(Kind("llama.cpp")) as server:
        backend = make("some-model", backend="openai", base_url=f"{server.url}/v1")
        answer = await ask(backend, request, first_token_timeout_s=60, answer_timeout_s=60)
    assert answer.done_reason == "length"
    assert read_plan(answer.text, answer.done_reason, EXAMPLE, "").plan is None
