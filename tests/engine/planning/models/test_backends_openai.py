import dataclasses
import importlib.util
from collections.abc import AsyncIterator
from typing import Any

import pytest

from engine.config import PlannerConfig
from engine.errors import ConfigurationError, LLMConnectionError
from engine.planning.models.asking import ask
from engine.planning.models.backends import make_backend
from engine.planning.models.backends.base import Backend, ChatRequest
from engine.planning.models.backends.tokens import estimate_tokens
from engine.planning.models.prompt import Notes, compose
from engine.planning_types import Section
from tests.engine.planning.models.conftest import KEY
from tests.engine.planning.models.queries import query
from tests.engine.planning.models.servers import GOOD, Call
from tests.engine.planning.models.servers.openai import ScriptedOpenAI


@pytest.fixture
async def backend(openai: ScriptedOpenAI) -> AsyncIterator[Backend]:
    made = make_backend("scripted", backend="openai", base_url=openai.base_url)
    yield made
    await made.close()


async def say(backend: Backend, request: ChatRequest) -> str:
    return (await ask(backend, request, first_token_timeout_s=30, answer_timeout_s=30)).text


async def test_the_request_is_what_openai_expects(
    openai: ScriptedOpenAI, backend: Backend, request_: ChatRequest
) -> None:
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


def towards(server: ScriptedOpenAI, model: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a backend that takes a server for OpenAI's own."""
    backend: Any = make_backend(model, backend="openai")
    original = backend._make_client

    def towards_loopback() -> Any:
        client = original()
        client.base_url = server.base_url
        return client

    monkeypatch.setattr(backend, "_make_client", towards_loopback)
    return backend


async def test_openai_itself_is_asked_in_its_strict_mode(
    openai: ScriptedOpenAI, request_: ChatRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = towards(openai, "gpt-4o-mini", monkeypatch)
    assert await say(backend, request_) == GOOD
    await backend.close()
    [body] = openai.asked
    schema = body["response_format"]["json_schema"]["schema"]  # type: ignore[index,call-overload]
    assert schema["properties"]["confidence"] == {"type": "integer"}
    assert body["max_completion_tokens"] == 160
    assert "max_tokens" not in body


async def test_openai_itself_is_denied_only_what_it_names(
    openai: ScriptedOpenAI, request_: ChatRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    openai.refuses = {"temperature": "Unsupported value: 'temperature' does not support 0.2"}
    backend = towards(openai, "gpt-4o-mini", monkeypatch)
    assert await say(backend, request_) == GOOD
    assert ["temperature" in body for body in openai.asked] == [True, False]
    openai.refuses = {"model": "Your organisation must be verified."}
    with pytest.raises(LLMConnectionError, match="must be verified"):
        await say(backend, request_)
    await backend.close()
    assert len(openai.asked) == 3


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
    openai: ScriptedOpenAI, request_: ChatRequest, model: str, efforts: list[str]
) -> None:
    backend = make_backend(model, backend="openai", base_url=openai.base_url)
    await say(backend, request_)
    await say(backend, dataclasses.replace(request_, think=True))
    await backend.close()
    assert [body["reasoning_effort"] for body in openai.asked] == efforts
    templates = [body["chat_template_kwargs"] for body in openai.asked]
    assert templates == [{"enable_thinking": False}, {"enable_thinking": True}]
    assert all(int(str(body["max_tokens"])) > 1000 for body in openai.asked)
    takes_temperature = "o3" not in model and "gpt-5" not in model
    assert all(("temperature" in body) is takes_temperature for body in openai.asked)


@pytest.mark.parametrize("model", ["llama-3.1-8b", "qwen/qwen3-30b-a3b-instruct-2507", "olmo-2"])
async def test_models_that_do_not_think_by_their_name_get_no_room_for_it(
    openai: ScriptedOpenAI, request_: ChatRequest, model: str
) -> None:
    backend = make_backend(model, backend="openai", base_url=openai.base_url)
    await say(backend, request_)
    await backend.close()
    assert openai.asked[0]["max_tokens"] == 160


async def test_a_model_that_is_seen_to_think_gets_room_for_it(
    openai: ScriptedOpenAI, backend: Backend, request_: ChatRequest
) -> None:
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
async def test_refused_part_is_left_out_from_then_on(
    openai: ScriptedOpenAI, backend: Backend, request_: ChatRequest, part: str, text: str
) -> None:
    openai.refuses = {part: text}
    assert await say(backend, request_) == GOOD
    assert await say(backend, request_) == GOOD
    assert [part in str(body) for body in openai.asked] == [True, False, False]


@pytest.mark.parametrize("status", [400, 404, 422, 500, 501])
async def test_a_schema_that_is_refused_is_told_in_words(
    openai: ScriptedOpenAI, backend: Backend, request_: ChatRequest, status: int
) -> None:
    openai.refusal_status = status
    openai.refuses = {"json_schema": "response_format must be json_object"}
    await say(backend, request_)
    messages: Any = openai.asked[-1]["messages"]
    assert openai.asked[-1]["response_format"] == {"type": "json_object"}
    assert '"enum": ["HEAL", "LEAVE"]' in messages[0]["content"]


async def test_a_schema_in_words_is_within_the_context(
    openai: ScriptedOpenAI, backend: Backend
) -> None:
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
    openai: ScriptedOpenAI, backend: Backend, request_: ChatRequest
) -> None:
    openai.refuses = {"response_format": "Bad Request", "'system'": "Bad Request"}
    assert await say(backend, request_) == GOOD
    assert len(openai.asked) == 5
    body: Any = openai.asked[-1]
    assert set(body) == {"model", "stream", "max_tokens", "messages"}
    [message] = body["messages"]
    assert message["role"] == "user"
    assert message["content"].startswith(request_.system)
    assert message["content"].endswith(request_.user)


async def test_a_server_that_refuses_everything_is_not_asked_for_ever(
    openai: ScriptedOpenAI, backend: Backend, request_: ChatRequest
) -> None:
    openai.refuses = {"model": "temperature, response_format and max_tokens are wrong"}
    with pytest.raises(LLMConnectionError, match="400") as caught:
        await say(backend, request_)
    assert caught.value.is_permanent
    assert len(openai.asked) < 12


async def test_a_missing_model_is_not_asked_for_in_simpler_forms(
    openai: ScriptedOpenAI, backend: Backend, request_: ChatRequest
) -> None:
    for said in ("model 'scripted' not found", "No endpoints found for some/model:free."):
        openai.refuses = {"model": said}
        with pytest.raises(LLMConnectionError, match="found"):
            await say(backend, request_)
    assert len(openai.asked) == 2


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_thoughts_of_open_models_are_taken_from_either_field(
    openai: ScriptedOpenAI, backend: Backend, request_: ChatRequest, field: str
) -> None:
    def play(call: Call) -> None:
        openai.raw(call, f'{{"choices": [{{"index": 0, "delta": {{"{field}": "Hm."}}}}]}}')
        openai.end(call, "stop")

    openai.play = play  # type: ignore[method-assign]
    answer = await ask(backend, request_, first_token_timeout_s=30, answer_timeout_s=30)
    assert answer.text == ""
    assert set(answer.thinking.split(".")) == {"Hm", ""}


async def test_a_refusal_to_answer_is_no_answer_and_no_error(
    openai: ScriptedOpenAI, backend: Backend, request_: ChatRequest
) -> None:
    def play(call: Call) -> None:
        openai.raw(call, '{"choices": [{"index": 0, "delta": {"refusal": "I will not."}}]}')
        openai.end(call, "content_filter")

    openai.play = play  # type: ignore[method-assign]
    answer = await ask(backend, request_, first_token_timeout_s=30, answer_timeout_s=30)
    assert (answer.text, answer.done_reason) == ("I will not.", "content_filter")


async def test_a_probe_tells_ready_from_refused(openai: ScriptedOpenAI, backend: Backend) -> None:
    assert (await backend.probe()).state == "ready"
    openai.scenario = "status 401"
    status = await backend.probe()
    assert status.state == "refused"
    assert "OPENAI_API_KEY" in status.detail


async def test_another_server_may_answer_to_names_that_it_does_not_list(
    openai: ScriptedOpenAI, backend: Backend
) -> None:
    openai.models = ("a-file.gguf",)
    status = await backend.probe()
    assert (status.state, status.models) == ("ready", ("a-file.gguf",))
    assert "does not list 'scripted'" in status.detail


@pytest.mark.parametrize("status", [404, 405, 501])
async def test_a_server_without_a_list_may_have_the_model(
    openai: ScriptedOpenAI, backend: Backend, status: int
) -> None:
    openai.models, openai.unlisted = None, status
    found = await backend.probe()
    assert (found.state, found.models) == ("ready", ())
    assert "does not list its models" in found.detail


@pytest.mark.parametrize(("status", "state"), [(403, "refused"), (500, "unreachable")])
async def test_a_list_that_is_refused_otherwise_speaks_of_the_server(
    openai: ScriptedOpenAI, backend: Backend, status: int, state: str
) -> None:
    openai.models, openai.unlisted = None, status
    assert (await backend.probe()).state == state


async def test_openai_itself_has_the_models_that_it_lists_and_no_others(
    openai: ScriptedOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = towards(openai, "gpt-scripted", monkeypatch)
    status = await backend.probe()
    assert status.state == "missing"
    assert "gpt-scripted" in status.detail
    await backend.close()


async def test_a_probe_of_a_silent_server_comes_back(openai: ScriptedOpenAI) -> None:
    openai.scenario = "silent"
    backend = make_backend(
        "scripted", backend="openai", base_url=openai.base_url, connect_timeout_s=0.05
    )
    assert (await backend.probe()).state == "unreachable"
    await backend.close()


async def test_loading_asks_nobody(openai: ScriptedOpenAI, backend: Backend) -> None:
    await backend.load()
    assert not openai.calls


def test_a_missing_key_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    with pytest.raises(ConfigurationError, match="Set OPENAI_API_KEY"):
        make_backend("gpt-4o-mini")


async def test_a_server_of_ones_own_needs_no_key(
    openai: ScriptedOpenAI, request_: ChatRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    play = openai.play

    def listen(call: Call) -> None:
        sent.append(call.headers["authorization"])
        play(call)

    openai.play = listen  # type: ignore[method-assign]
    monkeypatch.setenv("OPENAI_BASE_URL", openai.base_url)
    for key in ("", KEY):
        monkeypatch.setenv("OPENAI_API_KEY", key)
        backend = make_backend("gpt-scripted")
        assert await say(backend, request_) == GOOD
        await backend.close()
    assert sent == ["Bearer none", f"Bearer {KEY}"]


@pytest.mark.parametrize("extra", ["openai", "anthropic"])
def test_a_missing_extra_is_told_with_its_remedy(
    extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == extra else find(name)
    )
    with pytest.raises(ConfigurationError, match=rf"pip install 'poketui\[{extra}\]'"):
        make_backend("scripted", backend=extra, base_url="http://127.0.0.1:9")
