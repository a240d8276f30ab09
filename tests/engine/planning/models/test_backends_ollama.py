import dataclasses
import json
from collections.abc import Callable

import pytest

from engine.errors import ConfigurationError, LLMConnectionError
from engine.ground.providers import backend_of
from engine.planning.models.asking import ask
from engine.planning.models.backends import make_backend
from engine.planning.models.backends.base import Backend
from tests.engine.planning.models.conftest import say, until
from tests.engine.planning.models.servers import GOOD
from tests.engine.planning.models.servers.loopback import Call
from tests.engine.planning.models.servers.ollama import ScriptedOllama


@pytest.fixture
def backend(make: Callable[..., Backend], ollama: ScriptedOllama) -> Backend:
    return make("scripted", base_url=ollama.url)


@pytest.mark.parametrize(
    ("model", "backend"),
    [
        ("smollm2:1.7b", "ollama"),
        ("qwen3", "ollama"),
        ("gpt-oss:20b", "ollama"),
        ("o1-like:7b", "ollama"),
        ("olmo2", "ollama"),
        ("gpt-4o-mini", "openai"),
        ("ft:gpt-4o-mini:me::x", "openai"),
        ("chatgpt-4o-latest", "openai"),
        ("o1", "openai"),
        ("o3-mini", "openai"),
        ("o4-mini", "openai"),
        ("claude-haiku-4-5", "anthropic"),
    ],
)
def test_a_models_name_chooses_its_backend(model, backend):
    assert backend_of(model) == backend
    made = make_backend(model)
    assert (made.name, made.model) == (backend, model)


def test_the_backend_can_be_named(ollama):
    assert make_backend("gpt-4o", backend="ollama").name == "ollama"
    with pytest.raises(ConfigurationError, match="ollama, openai, anthropic or local"):
        make_backend("gpt-4o", backend="litellm")
    with pytest.raises(ConfigurationError, match="No language model is set"):
        make_backend(" ")


@pytest.mark.parametrize(
    "address", ["http://[::1", "http://host:port", "ftp://host", "a b", "http://h:99999999"]
)
def test_bad_address_is_refused_at_once(address, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", address)
    with pytest.raises(ConfigurationError, match="OLLAMA_HOST is not a valid address"):
        make_backend("smollm2")
    for backend in ("ollama", "openai", "anthropic"):
        with pytest.raises(ConfigurationError, match="llm_base_url is not a valid address"):
            make_backend("smollm2", backend=backend, base_url=address)


async def test_the_environment_says_where_ollama_is(make, ollama, request_, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", ollama.url.removeprefix("http://"))  # a bare host and port
    backend = make("scripted")
    assert await say(backend, request_) == GOOD
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    backend = make("scripted", base_url=ollama.url)  # comes before it
    assert await say(backend, request_) == GOOD


async def test_the_request_is_what_ollama_expects(backend, make, ollama, request_):
    await say(backend, request_)
    [body] = ollama.asked
    assert body["think"] is False
    assert body["format"] == request_.schema
    assert list(body["format"]["properties"]) == ["reasoning", "goal", "confidence"]
    assert body["options"] == {"num_predict": 160, "temperature": 0.2, "num_ctx": 4096}
    assert body["keep_alive"] == "30m"
    assert [m["role"] for m in body["messages"]] == ["system", "user"]


def contexts(server: ScriptedOllama) -> list[int]:
    return [body["options"]["num_ctx"] for path, body in server.calls if path == "/api/chat"]


@pytest.mark.parametrize(
    ("most", "texts", "sizes"),
    [
        (8000, ["x" * 100, "x" * 20_000, "x" * 100], [4096, 8000, 8000, 8000]),
        (16_000, ["x" * 100, "x" * 20_000, "x" * 100], [4096, 8192, 8192, 8192]),
        (6000, ["x", "x" * 20_000], [4096, 6000, 6000]),
        (1000, ["x", "x" * 20_000], [1000] * 3),
        (16_000, ["語" * 2000], [8192, 8192]),  # room for a token a byte
    ],
)
async def test_the_context_grows_with_the_prompt_to_the_most_and_never_shrinks(
    make, ollama, request_, most, texts, sizes
):
    backend = make("scripted", base_url=ollama.url, max_context_length=most)
    for text in texts:
        await say(backend, dataclasses.replace(request_, user=text))
    await backend.load()
    assert contexts(ollama) == sizes


async def test_a_model_that_cannot_think_is_asked_without(backend, make, ollama, request_):
    thinking = dataclasses.replace(request_, think=True)
    assert await say(backend, thinking) == GOOD
    assert await say(backend, thinking) == GOOD
    assert [body.get("think") for body in ollama.asked] == [True, None, None]
    assert ollama.asked[-1]["options"]["num_predict"] > 1000  # thoughts count too


@pytest.mark.parametrize("status", [400, 500, 501])
async def test_a_format_that_ollama_refuses_is_told_in_words(
    backend, make, ollama, request_, status
):
    ollama.scenario = f"refusing_format {status}"
    assert await say(backend, request_) == GOOD
    assert await say(backend, request_) == GOOD
    formats = [body.get("format") for body in ollama.asked]
    assert formats[0] == request_.schema
    assert formats[-3:] == ["json", None, None]
    assert '"enum": ["HEAL", "LEAVE"]' in ollama.asked[-1]["messages"][0]["content"]


async def test_gpt_oss_is_told_how_much_to_think_and_not_whether(make, ollama, request_):
    with ScriptedOllama(models=["gpt-oss:20b"], thinking=["gpt-oss:20b"]) as server:
        backend = make("gpt-oss:20b", base_url=server.url)
        await backend.probe()
        await say(backend, request_)
        await say(backend, dataclasses.replace(request_, think=True))
        assert [body["think"] for body in server.asked] == ["low", "medium"]
        assert all(body["options"]["num_predict"] > 1000 for body in server.asked)


@pytest.mark.parametrize("can_think", [True, False])
async def test_a_model_that_cannot_think_by_its_capabilities_is_not_told_whether(
    make, request_, can_think
):
    with ScriptedOllama(thinking=["scripted:latest"] * can_think) as server:
        backend = make("scripted", base_url=server.url)
        await backend.probe()
        await say(backend, dataclasses.replace(request_, think=True))
        assert [body.get("think") for body in server.asked] == [can_think or None]


async def test_a_probe_tells_missing_from_not_loaded_from_ready(make, request_):
    with ScriptedOllama(models=["one:latest", "two:7b"]) as server:
        states = {}
        for model in ("one", "one:latest", "two:7b", "two", "three"):
            backend = make(model, base_url=server.url)
            states[model] = await backend.probe()
    found = {model: status.state for model, status in states.items()}
    assert found == {
        "one": "ready",
        "one:latest": "ready",
        "two:7b": "loading",
        "two": "missing",
        "three": "missing",
    }
    assert "ollama pull three" in states["three"].detail
    assert states["three"].models == ("one:latest", "two:7b")


async def test_loading_takes_longer_than_a_first_word_may(make, request_):
    with ScriptedOllama(models=["other", "scripted:latest"], load_s=60) as server:
        backend = make("scripted", base_url=server.url)
        await backend.probe()  # the client is imported
        while not server.asked:  # on a busy machine it may be given up before
            with pytest.raises(LLMConnectionError, match="No first token"):
                await ask(backend, request_, first_token_timeout_s=0.2, answer_timeout_s=0.3)
        await until(lambda: server.hung_up == len(server.asked))
        server.load_s = 0.5
        assert (await backend.probe()).state == "loading"
        await backend.load()
        assert (await backend.probe()).state == "ready"
        assert await say(backend, request_) == GOOD


async def test_a_load_without_end_is_given_up(make):
    with ScriptedOllama(models=["other", "scripted:latest"], load_s=60) as server:
        backend = make("scripted", base_url=server.url, load_timeout_s=0.1)
        while not server.calls:  # on a busy machine it may be given up before
            with pytest.raises(LLMConnectionError, match=r"within 0\.1 s.*load_timeout_s"):
                await backend.load()
        await until(lambda: server.hung_up == len(server.calls))


@pytest.mark.parametrize("missing", ["no-such-model", "no/such:7b"])
async def test_loading_a_missing_model_says_how_to_get_it(make, ollama, missing):
    backend = make(missing, base_url=ollama.url)
    with pytest.raises(LLMConnectionError, match=f"ollama pull {missing}") as caught:
        await backend.load()
    assert caught.value.is_permanent


@pytest.mark.parametrize("status", [404, 405, 501])
@pytest.mark.parametrize("said", ["404 page not found", {"error": "Not found"}, ""])
@pytest.mark.parametrize(
    "absent", [("/api/show",), ("/api/ps",), ("/api/tags",), ("/api/tags", "/api/ps", "/api/show")]
)
async def test_a_server_without_an_optional_path_has_its_model(
    make, ollama, request_, absent, said, status
):
    answer = ollama.answer

    def refuse_some(call: Call) -> None:
        call.send(status, said) if call.path in absent else answer(call)

    ollama.answer = refuse_some  # type: ignore[method-assign]
    backend = make("scripted", base_url=ollama.url)
    assert (await backend.probe()).state == "ready"
    assert await say(backend, request_) == GOOD


@pytest.mark.parametrize("status", [400, 404, 405, 422, 501])
async def test_a_server_that_loads_nothing_by_itself_is_asked_all_the_same(
    backend, make, ollama, status
):
    ollama.answer = lambda call: call.send(status, {"error": "messages: too short"})  # type: ignore[method-assign]
    await backend.load()


async def test_a_404_of_the_path_is_none_of_the_model(backend, make, ollama, request_):
    ollama.answer = lambda call: call.send(404, "404 page not found")  # type: ignore[method-assign]
    with pytest.raises(LLMConnectionError, match="answered 404: 404 page not found") as caught:
        async for _ in backend.chat(request_):
            pass
    assert "--llm-backend openai" in caught.value.hint


@pytest.mark.parametrize(
    "reply", ["no JSON", "[1]", '"text"', '{"models": 3}', '{"models": [{"model": 7}]}', "{}"]
)
async def test_a_probe_of_another_kind_of_server_does_not_raise(backend, make, ollama, reply):
    ollama.answer = lambda call: call.send(200, reply)  # type: ignore[method-assign]
    status = await backend.probe()
    assert status.state in ("unreachable", "missing")
    assert status.detail


async def test_an_error_that_is_no_object_is_told(make, ollama, request_):
    for text in ("<html>Bad gateway</html>", json.dumps(["no", "object"]), ""):
        ollama.answer = lambda call, text=text: call.send(502, text)  # type: ignore[misc]
        backend = make("scripted", base_url=ollama.url)
        with pytest.raises(LLMConnectionError) as caught:
            await say(backend, request_)
        assert not caught.value.is_permanent
