"""What is the same of OpenAI's client and of Anthropic's."""

import importlib.util

import pytest

from engine.errors import ConfigurationError, LLMConnectionError
from engine.planning.models.backends import make_backend
from tests.engine.planning.models.conftest import KEY, say, towards
from tests.engine.planning.models.servers import GOOD

OWN = {"openai": "gpt-scripted", "anthropic": "claude-scripted"}
"""A model's name by the provider whose own server is meant by it."""
SCHEMA = {
    "openai": ("json_schema", "response_format must be json_object"),
    "anthropic": ("output_config", "output_config: Extra inputs are not permitted"),
}
"""The part of a request that holds its schema, and how that is refused."""


@pytest.fixture(params=OWN)
def kind(request):
    return request.param


@pytest.fixture
def server(request, kind):
    return request.getfixturevalue(kind)


@pytest.fixture
def backend(make, kind, server):
    return make("scripted", backend=kind, base_url=server.base_url)


@pytest.mark.parametrize("status", [400, 501])
async def test_a_schema_that_is_refused_is_told_in_words(kind, server, backend, request_, status):
    part, said = SCHEMA[kind]
    server.refusal_status, server.refuses = status, {part: said}
    assert [await say(backend, request_) for _ in range(2)] == [GOOD] * 2
    first, *_, last, again = [part in str(body) for body in server.asked]
    assert (first, last, again) == (True, False, False)
    assert '"enum": ["HEAL", "LEAVE"]' in str(server.asked[-1])


async def test_a_server_that_refuses_everything_is_not_asked_for_ever(server, backend, request_):
    server.refuses = {"model": "temperature, thinking, response_format and all are wrong"}
    with pytest.raises(LLMConnectionError, match="400") as caught:
        await say(backend, request_)
    assert caught.value.is_permanent
    assert len(server.asked) < 12
    server.refuses = {}
    assert await say(backend, request_) == GOOD
    assert server.asked[-1].keys() == server.asked[0].keys()  # nothing was learnt of it


async def test_a_probe_tells_ready_from_refused(kind, server, backend):
    status = await backend.probe()
    assert (status.state, status.models) == ("ready", ("scripted",))
    server.scenario = "status 401"
    status = await backend.probe()
    assert status.state == "refused"
    assert f"{kind.upper()}_API_KEY" in status.detail
    await backend.load()  # asks nobody
    assert not server.asked


async def test_another_server_may_answer_to_names_that_it_does_not_list(server, backend):
    server.models = ("a-file.gguf",)
    status = await backend.probe()
    assert status.state == "ready"
    assert "does not list 'scripted'" in status.detail


async def test_a_provider_has_the_models_that_it_lists_and_no_others(
    kind, server, make, monkeypatch
):
    status = await towards(server, make(OWN[kind]), monkeypatch).probe()
    assert status.state == "missing"
    assert OWN[kind] in status.detail


def test_a_missing_key_is_told_at_once(kind, monkeypatch):
    monkeypatch.setenv(f"{kind.upper()}_API_KEY", " ")
    with pytest.raises(ConfigurationError, match=f"Set {kind.upper()}_API_KEY"):
        make_backend(OWN[kind])


async def test_keys_come_from_the_environment_and_a_server_of_ones_own_needs_none(
    kind, server, make, request_, monkeypatch, tmp_path
):
    sent: list[str] = []
    play = server.play
    server.play = lambda call: (sent.append(call.headers["authorization"]), play(call))
    monkeypatch.setenv(f"{kind.upper()}_BASE_URL", server.base_url)
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("ANTHROPIC_PROFILE", "mine")  # the client would look for it on the disk
    for key in ("", KEY):
        monkeypatch.setenv(f"{kind.upper()}_API_KEY", key)
        assert await say(make(OWN[kind]), request_) == GOOD
    assert sent == ["Bearer none", f"Bearer {KEY}"]


def test_a_missing_extra_is_told_with_its_remedy(kind, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == kind else find(name)
    )
    with pytest.raises(ConfigurationError, match=rf"pip install 'poketui\[{kind}\]'"):
        make_backend("scripted", backend=kind, base_url="http://127.0.0.1:9")
