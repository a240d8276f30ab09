import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine.planning.models import planner
from engine.planning.models.asking import ask
from engine.planning.models.backends import make_backend
from engine.planning.models.backends.base import Backend, ChatRequest
from tests.engine.planning.models.servers.anthropic import ScriptedAnthropic
from tests.engine.planning.models.servers.ollama import ScriptedOllama
from tests.engine.planning.models.servers.openai import ScriptedOpenAI

KEY = "sk-test-0123456789abcdef"


@dataclass
class Peer:
    """A server, and the way to it."""

    kind: str
    server: Any
    base_url: str
    backend: Backend


@pytest.fixture(autouse=True)
def _no_servers_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OLLAMA_HOST", "OLLAMA_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


@pytest.fixture(autouse=True)
def _patient_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may need more than a second to connect: where that is tested, it is said."""
    monkeypatch.setitem(make_backend.__kwdefaults__, "connect_timeout_s", 60.0)


@pytest.fixture(autouse=True)
def _patient_closing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that is not closed in time is garbage of which another test would be told."""
    monkeypatch.setattr(planner, "_BACKENDS_CLOSE_S", 60.0)


@pytest.fixture
def request_() -> ChatRequest:
    schema = {
        "type": "object",
        "properties": {
            "reasoning": {"type": "string", "maxLength": 200},
            "goal": {"type": "string", "enum": ["HEAL", "LEAVE"]},
            "confidence": {"type": "integer", "minimum": 0, "maximum": 100},
        },
        "required": ["reasoning", "goal", "confidence"],
        "additionalProperties": False,
    }
    return ChatRequest("You advise.", "2 of 20 HP.", schema, 160, 0.2, think=False)


@pytest.fixture
def ollama() -> Iterator[ScriptedOllama]:
    with ScriptedOllama() as server:
        yield server


@pytest.fixture
def openai() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI() as server:
        yield server


@pytest.fixture
def anthropic() -> Iterator[ScriptedAnthropic]:
    with ScriptedAnthropic() as server:
        yield server


@pytest.fixture
async def make() -> AsyncIterator[Callable[..., Backend]]:
    """Return what makes backends that are closed behind the test."""
    made: list[Backend] = []

    def make(*arguments: str, **options: Any) -> Backend:
        made.append(make_backend(*arguments, **options))
        return made[-1]

    yield make
    for backend in made:
        await backend.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where exchanges are written."""
    return tmp_path / "exchanges.jsonl"


@pytest.fixture(params=["ollama", "openai", "anthropic"])
async def peer(request: pytest.FixtureRequest) -> AsyncIterator[Peer]:
    server = request.getfixturevalue(request.param)
    base_url = getattr(server, "base_url", server.url)
    backend = make_backend("scripted", backend=request.param, base_url=base_url)
    await backend.probe()  # the client is imported: that is no part of a deadline
    made = Peer(request.param, server, base_url, backend)
    yield made
    for one in (backend, made.backend):  # a test may have put another in its place
        await one.close()


async def say(backend: Backend, request: ChatRequest) -> str:
    """Return what a model answers, however long it takes."""
    return (await ask(backend, request, first_token_timeout_s=30, answer_timeout_s=30)).text


def towards(server: Any, backend: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let a provider's backend take a server for the provider's own."""
    original = backend._make_client

    def towards_loopback() -> Any:
        client = original()
        client.base_url = server.base_url
        return client

    monkeypatch.setattr(backend, "_make_client", towards_loopback)
    return backend


async def until(is_so: Callable[[], bool], timeout_s: float = 60.0) -> None:
    """Wait for what another thread does."""
    end = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < end
        await asyncio.sleep(0.005)
