import dataclasses
from collections.abc import AsyncIterator
from typing import Any

import pytest

from engine.errors import LLMConnectionError
from engine.planning.models.backends import make_backend
from engine.planning.models.backends.base import Backend
from tests.engine.planning.models.conftest import say
from tests.engine.planning.models.servers import GOOD
from tests.engine.planning.models.servers.anthropic import ScriptedAnthropic


@pytest.fixture
async def backend(anthropic: ScriptedAnthropic) -> AsyncIterator[Backend]:
    made = make_backend("scripted", backend="anthropic", base_url=anthropic.base_url)
    yield made
    await made.close()


async def test_the_request_is_what_anthropic_expects(anthropic, backend, request_):
    await say(backend, request_)
    [body] = anthropic.asked
    described: Any = body["output_config"]
    assert described["format"]["type"] == "json_schema"
    schema = described["format"]["schema"]
    assert list(schema["properties"]) == schema["required"] == ["reasoning", "goal", "confidence"]
    assert schema["properties"]["confidence"] == {"type": "integer"}
    assert (body["max_tokens"], body["system"]) == (160, "You advise.")
    assert body["thinking"] == {"type": "disabled"}
    assert "temperature" not in body


async def test_thought_is_asked_for_in_the_way_that_the_model_takes(anthropic, backend, request_):
    anthropic.refuses = {"adaptive": "adaptive thinking is not supported on this model"}
    thinking = dataclasses.replace(request_, think=True)
    assert await say(backend, thinking) == GOOD
    assert await say(backend, thinking) == GOOD
    sent: list[Any] = [body["thinking"] for body in anthropic.asked]
    assert [way["type"] for way in sent] == ["adaptive", "enabled", "enabled"]
    body: Any = anthropic.asked[-1]
    assert body["max_tokens"] == sent[-1]["budget_tokens"] + 160


async def test_a_model_that_knows_nothing_of_thought_is_asked_without(anthropic, backend, request_):
    anthropic.refuses = {"thinking": "thinking: Extra inputs are not permitted"}
    for think, asked in ((False, 2), (True, 5)):
        assert await say(backend, dataclasses.replace(request_, think=think)) == GOOD
        assert len(anthropic.asked) == asked
        assert "thinking" not in anthropic.asked[-1]


async def test_refusal_that_no_simpler_request_answers_is_raised_once(anthropic, backend, request_):
    anthropic.refuses = {"model": "Your credit balance is too low"}
    with pytest.raises(LLMConnectionError, match="credit balance is too low") as caught:
        await say(backend, request_)
    assert caught.value.is_permanent
    assert len(anthropic.asked) == 1
