import dataclasses
from collections.abc import AsyncIterator
from typing import Any

import pytest

from engine.config import PlannerConfig
from engine.errors import LLMConnectionError
from engine.planning.models.asking import ask
from engine.planning.models.backends import make_backend
from engine.planning.models.backends.base import Backend
from engine.planning.models.backends.tokens import estimate_tokens
from engine.planning.models.prompt import Notes, compose
from engine.planning_types import Section
from tests.engine.planning.models.conftest import say, towards
from tests.engine.planning.models.queries import query
from tests.engine.planning.models.servers import GOOD, Call
from tests.engine.planning.models.servers.openai import ScriptedOpenAI


@pytest.fixture
async def backend(openai: ScriptedOpenAI) -> AsyncIterator[Backend]:
    made = make_backend("scripted", backend="openai", base_url=openai.base_url)
    yield made
    await made.close()


async def test_the_request_is_what_openai_expects(openai, backend, request_):
    await say(backend, request_)
    [body] = openai.asked
    described: Any = body["response_format"]
    assert described["type"] == "json_schema"
    assert described["json_schema"]["strict"] is True
    schema = described["json_schema"]["schema"]
    assert list(schema["properties"]) == schema["required"] == ["reasoning", "goal", "confidence"]
    assert schema["additionalProperties"] is False
    # Servers of one's own keep their models to the bounds, so that an answer has an end.
    assert schema["properties"]["reasoning"] == {"type": "string", "maxLength": 200}
    assert schema["properties"]["goal"]["enum"] == ["HEAL", "LEAVE"]
    assert (body["max_tokens"], body["temperature"]) == (160, 0.2)
    assert body["stream_options"] == {"include_usage": True}
    assert not {"max_completion_tokens", "reasoning_effort", "chat_template_kwargs"} & set(body)


async def test_openai_itself_is_asked_in_its_strict_mode_and_denied_only_what_it_names(
    openai, make, request_, monkeypatch
):
    backend = towards(openai, make("gpt-4o-mini"), monkeypatch)
    assert await say(backend, request_) == GOOD
    [body] = openai.asked
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["confidence"] == {"type": "integer"}
    assert body["max_completion_tokens"] == 160
    assert "max_tokens" not in body
    openai.refuses = {"temperature": "Unsupported value: 'temperature' does not support 0.2"}
    assert await say(backend, request_) == GOOD
    assert ["temperature" in body for body in openai.asked] == [True, True, False]
    openai.refuses = {"model": "Your organisation must be verified."}
    with pytest.raises(LLMConnectionError, match="must be verified"):
        await say(backend, request_)
    assert len(openai.asked) == 4


@pytest.mark.parametrize(
    ("model", "efforts"),
    [
        ("o3-mini", ["low", "medium"]),
        ("openai/o3", ["low", "medium"]),
        ("gpt-5-nano", ["low", "medium"]),
        ("gpt-oss:20b", ["low", "medium"]),
        ("openai/gpt-oss-120b", ["low", "medium"]),
        ("deepseek-reasoner", ["none", "medium"]),
        ("deepseek/deepseek-r1:free", ["none", "medium"]),
        ("qwen/qwen3-8b", ["none", "medium"]),
        ("mistralai/magistral-small", ["none", "medium"]),
        ("moonshotai/kimi-k2-thinking", ["none", "medium"]),
    ],
)
async def test_models_that_think_by_their_name_get_room_for_it(
    make, openai, request_, model, efforts
):
    backend = make(model, backend="openai", base_url=openai.base_url)
    await say(backend, request_)
    await say(backend, dataclasses.replace(request_, think=True))
    assert [body["reasoning_effort"] for body in openai.asked] == efforts
    templates = [body["chat_template_kwargs"] for body in openai.asked]
    assert templates == [{"enable_thinking": False}, {"enable_thinking": True}]
    assert all(int(str(body["max_tokens"])) > 1000 for body in openai.asked)
    takes_temperature = "o3" not in model and "gpt-5" not in model
    assert all(("temperature" in body) is takes_temperature for body in openai.asked)


@pytest.mark.parametrize("model", ["llama-3.1-8b", "qwen/qwen3-30b-a3b-instruct-2507", "olmo-2"])
async def test_models_that_do_not_think_by_their_name_get_no_room_for_it(
    make, openai, request_, model
):
    backend = make(model, backend="openai", base_url=openai.base_url)
    await say(backend, request_)
    assert openai.asked[0]["max_tokens"] == 160


async def test_a_model_that_is_seen_to_think_gets_room_for_it(openai, backend, request_):
    openai.scenario = "only_thinking"
    assert await say(backend, request_) == ""  # cut off, at once asked again with more room
    openai.scenario = "thinking"
    assert await say(backend, request_) == GOOD
    assert await say(backend, request_) == GOOD
    limits = [body["max_tokens"] for body in openai.asked]
    assert limits == [160, 2160, 2160, 2160]
    assert openai.asked[-1]["reasoning_effort"] == "none"


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("'maxLength'", "Invalid schema for response_format: 'maxLength' is not permitted"),
        ("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        ("'system'", "System role not supported"),
        ("temperature", "Unsupported value: 'temperature' does not support 0.2"),
        ("stream_options", "stream_options: extra fields not permitted"),
    ],
)
async def test_refused_part_is_left_out_from_then_on(openai, backend, request_, part, text):
    openai.refuses = {part: text}
    assert await say(backend, request_) == GOOD
    assert await say(backend, request_) == GOOD
    assert [part in str(body) for body in openai.asked] == [True, False, False]


async def test_a_schema_in_words_is_within_the_context(openai, backend):
    openai.refuses = {"json_schema": "response_format must be json_object"}
    long = query(sections=[Section(f"{n}", "blah " * 10, n) for n in range(200)])
    for most in (1000, 3000):
        request = compose(long, Notes(), max_tokens=most, settings=PlannerConfig())
        await say(backend, request)
        messages: Any = openai.asked[-1]["messages"]
        assert "fits this schema" in messages[0]["content"]
        asked = sum(estimate_tokens(message["content"]) for message in messages)
        assert most - 100 < asked + request.max_tokens <= most


async def test_a_server_that_does_not_say_what_it_refuses_is_asked_in_the_simplest_form(
    openai, backend, request_
):
    openai.refuses = {"response_format": "Bad Request", "'system'": "Bad Request"}
    assert await say(backend, request_) == GOOD
    assert len(openai.asked) == 5
    body: Any = openai.asked[-1]
    assert set(body) == {"model", "stream", "max_tokens", "messages"}
    [message] = body["messages"]
    assert message["role"] == "user"
    assert message["content"].startswith(request_.system)
    assert message["content"].endswith(request_.user)


@pytest.mark.parametrize(
    ("delta", "reason", "text", "thought"),
    [
        ('{"reasoning_content": "Hm."}', "stop", "", {"Hm", ""}),
        ('{"reasoning": "Hm."}', "stop", "", {"Hm", ""}),
        ('{"refusal": "I will not."}', "content_filter", "I will not.", {""}),
    ],
    ids=["thoughts", "thoughts of others", "a refusal"],
)
async def test_thoughts_and_refusals_are_taken_from_their_fields(
    openai, backend, request_, delta, reason, text, thought
):
    def play(call: Call) -> None:
        openai.raw(call, f'{{"choices": [{{"index": 0, "delta": {delta}}}]}}')
        openai.end(call, reason)

    openai.play = play
    found = await ask(backend, request_, first_token_timeout_s=30, answer_timeout_s=30)
    assert (found.text, found.done_reason) == (text, reason)
    assert set(found.thinking.split(".")) == thought


@pytest.mark.parametrize(
    ("status", "state"),
    [(404, "ready"), (405, "ready"), (501, "ready"), (403, "refused"), (500, "unreachable")],
)
async def test_a_server_without_a_list_may_have_the_model(openai, backend, status, state):
    openai.models, openai.unlisted = None, status
    found = await backend.probe()
    assert (found.state, found.models) == (state, ())
    assert ("does not list its models" in found.detail) is (state == "ready")
