import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ConfigurationError, LLMConnectionError
from engine.planning.models.asking import ask
from engine.planning.models.backends import make_backend
from engine.planning.models.backends.base import Backend, ChatRequest
from tests.engine.planning.models.conftest import KEY
from tests.engine.planning.models.servers import GOOD, Call
from tests.engine.planning.models.servers.anthropic import ScriptedAnthropic


@pytest.fixture
async def backend(anthropic: ScriptedAnthropic) -> AsyncIterator[Backend]:
    made = make_backend("scripted", backend="anthropic", base_url=anthropic.base_url)
    yield made
    await made.close()


async def say(backend: Backend, request: ChatRequest) -> str:
    return (await ask(backend, request, first_token_timeout_s=30, answer_timeout_s=30)).text


async def test_the_request_is_what_anthropic_expects(
    anthropic: ScriptedAnthropic, backend: Backend, request_: ChatRequest
) -> None:
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


async def test_thought_is_asked_for_in_the_way_that_the_model_takes(
    anthropic: ScriptedAnthropic, backend: Backend, request_: ChatRequest
) -> None:
    anthropic.refuses = {"adaptive": "adaptive thinking is not supported on this model"}
    thinking = dataclasses.replace(request_, think=True)
    assert await say(backend, thinking) == GOOD
    assert await say(backend, thinking) == GOOD
    sent: list[Any] = [body["thinking"] for body in anthropic.asked]
    assert [way["type"] for way in sent] == ["adaptive", "enabled", "enabled"]
    body: Any = anthropic.asked[-1]
    assert body["max_tokens"] == sent[-1]["budget_tokens"] + 160


async def test_a_model_that_knows_nothing_of_thought_is_asked_without(
    anthropic: ScriptedAnthropic, backend: Backend, request_: ChatRequest
) -> None:
    anthropic.refuses = {"thinking": "thinking: Extra inputs are not permitted"}
    for think, asked in ((False, 2), (True, 5)):
        assert await say(backend, dataclasses.replace(request_, think=think)) == GOOD
        assert len(anthropic.asked) == asked
        assert "thinking" not in anthropic.asked[-1]


@pytest.mark.parametrize("status", [400, 404, 422, 500, 501])
async def test_a_schema_that_is_refused_is_told_in_words(
    anthropic: ScriptedAnthropic, backend: Backend, request_: ChatRequest, status: int
) -> None:
    anthropic.refusal_status = status
    anthropic.refuses = {"output_config": "output_config: Extra inputs are not permitted"}
    assert await say(backend, request_) == GOOD
    assert await say(backend, request_) == GOOD
    assert ["output_config" in body for body in anthropic.asked] == [True, False, False]
    assert '"enum": ["HEAL", "LEAVE"]' in str(anthropic.asked[-1]["system"])


async def test_refusal_that_no_simpler_request_answers_is_raised_once(
    anthropic: ScriptedAnthropic, backend: Backend, request_: ChatRequest
) -> None:
    anthropic.refuses = {"model": "Your credit balance is too low"}
    with pytest.raises(LLMConnectionError, match="credit balance is too low") as caught:
        await say(backend, request_)
    assert caught.value.is_permanent
    assert len(anthropic.asked) == 1


async def test_a_server_that_refuses_everything_is_not_asked_for_ever(
    anthropic: ScriptedAnthropic, backend: Backend, request_: ChatRequest
) -> None:
    anthropic.refuses = {"model": "thinking and output_config and all"}
    with pytest.raises(LLMConnectionError, match="400"):
        await say(backend, dataclasses.replace(request_, think=True))
    assert len(anthropic.asked) < 5
    anthropic.refuses = {}
    assert await say(backend, request_) == GOOD
    assert "output_config" in anthropic.asked[-1]  # nothing was learnt of it


async def test_a_probe_tells_ready_from_refused(
    anthropic: ScriptedAnthropic, backend: Backend
) -> None:
    status = await backend.probe()
    assert (status.state, status.models) == ("ready", ("scripted",))
    anthropic.scenario = "status 401"
    status = await backend.probe()
    assert status.state == "refused"
    assert "ANTHROPIC_API_KEY" in status.detail
    await backend.load()  # asks nobody
    assert not anthropic.asked


async def test_another_server_may_answer_to_names_that_it_does_not_list(
    anthropic: ScriptedAnthropic, backend: Backend
) -> None:
    anthropic.models = None
    status = await backend.probe()
    assert status.state == "ready"
    assert "does not list 'scripted'" in status.detail


async def test_anthropic_itself_has_the_models_that_it_lists_and_no_others(
    anthropic: ScriptedAnthropic, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend: Any = make_backend("claude-scripted")
    original = backend._make_client

    def towards_loopback() -> Any:
        client = original()
        client.base_url = anthropic.base_url
        return client

    monkeypatch.setattr(backend, "_make_client", towards_loopback)
    status = await backend.probe()
    assert status.state == "missing"
    assert "claude-scripted" in status.detail
    await backend.close()


async def test_a_probe_of_a_silent_server_comes_back(anthropic: ScriptedAnthropic) -> None:
    anthropic.scenario = "silent"
    backend = make_backend(
        "scripted", backend="anthropic", base_url=anthropic.base_url, connect_timeout_s=0.05
    )
    assert (await backend.probe()).state == "unreachable"
    await backend.close()


def test_a_missing_key_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(ConfigurationError, match="Set ANTHROPIC_API_KEY"):
        make_backend("claude-haiku-4-5")


async def test_keys_come_from_the_environment_and_nowhere_else(
    anthropic: ScriptedAnthropic,
    request_: ChatRequest,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    sent: list[str] = []
    play = anthropic.play

    def listen(call: Call) -> None:
        sent.append(call.headers["authorization"])
        play(call)

    anthropic.play = listen  # type: ignore[method-assign]
    monkeypatch.setenv("ANTHROPIC_BASE_URL", anthropic.base_url)
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("ANTHROPIC_PROFILE", "mine")  # the client would look for it on the disk
    for key in ("", KEY):
        monkeypatch.setenv("ANTHROPIC_API_KEY", key)
        backend = make_backend("claude-scripted")
        assert await say(backend, request_) == GOOD
        await backend.close()
    assert sent == ["Bearer none", f"Bearer {KEY}"]
