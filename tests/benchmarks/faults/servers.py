"""Servers that are none, send without an end, or lack a part; and variables that lead astray."""

import asyncio
import contextlib
import random
from collections.abc import Iterator
from unittest import mock

from engine.errors import ConfigurationError, LLMConnectionError
from engine.planning.models.asking import ask
from engine.planning.models.backends import make_backend
from engine.planning.models.backends.base import ChatRequest
from tests.benchmarks.faults.fault import Fault, Lost, Strike
from tests.benchmarks.faults.inputs import one_line
from tests.benchmarks.faults.workshop import Workshop
from tests.engine.demos.damage import damaged
from tests.engine.planning.models.servers.floods import FLOODS, FloodServer
from tests.engine.planning.models.servers.loopback import Call
from tests.engine.planning.models.servers.scripted_ollama import OllamaServer
from tests.engine.planning.models.servers.scripted_planner import ScriptedPlanner

_KINDS = ("ollama", "openai", "anthropic")
_MOST_SENT = 24 << 20
_SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
_REQUEST = ChatRequest("You advise.", "2 of 20 HP.", _SCHEMA, 160, 0.2, think=False)
_ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n"
    b'{"models": [7]}'
)
_SECRET = "hunter2"
_VALUES = (
    f"http://me:{_SECRET}@127.0.0.1:9", f"socks5://me:{_SECRET}@127.0.0.1:9", "nonsense:xx",
    "://x", f"ftp://me:{_SECRET}@host", "127.0.0.1:9", "/no/such/file", "::1", "*",
)  # fmt: skip
_VARIABLES = (
    "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "http_proxy", "NO_PROXY",
    "SSL_CERT_FILE", "SSL_CERT_DIR",
)  # fmt: skip
_OPTIONAL = ("/api/ps", "/api/show", "/api/tags")


async def _asked(kind: str, url: str) -> str:
    """Return how a server's failure is told, "" if it has not failed."""
    backend = make_backend("scripted", backend=kind, base_url=url, connect_timeout_s=60)
    try:
        await backend.probe()
        await ask(backend, _REQUEST, first_token_timeout_s=60, answer_timeout_s=60)
    except LLMConnectionError as error:
        one_line(error)
        return str(error)
    finally:
        await backend.close()
    return ""


@contextlib.contextmanager
def floods(shop: Workshop) -> Iterator[Strike]:
    """Send what has no end, or no sense, in place of an answer."""

    def strike(rng: random.Random) -> None:
        flood = FLOODS[rng.choice(list(FLOODS))]
        if rng.random() < 0.5:
            wrong = damaged(_ANSWER, rng)
            flood = lambda: iter((wrong,))  # noqa: E731
        with FloodServer(flood) as server:
            if not asyncio.run(_asked(rng.choice(_KINDS), server.url)):
                raise Lost("a flood was taken for an answer")
        if server.sent > _MOST_SENT:
            raise Lost("too much was taken")

    yield strike


@contextlib.contextmanager
def variables(shop: Workshop) -> Iterator[Strike]:
    """Name proxies and certificates that are none: a server of this machine answers as before."""
    with OllamaServer(ScriptedPlanner("oracle")) as server:

        def strike(rng: random.Random) -> None:
            chosen = {name: rng.choice(_VALUES) for name in rng.sample(_VARIABLES, 3)}
            with mock.patch.dict("os.environ", chosen):
                if said := asyncio.run(_asked("ollama", server.url)):
                    raise Lost(f"a server of this machine was not reached: {said}")
                try:
                    said = asyncio.run(_asked("openai", "https://models.invalid/v1"))
                except ConfigurationError as error:
                    one_line(error)
                    said = str(error)
            if not said or _SECRET in said:
                raise Lost(f"a secret is told, or nothing: {said}")

        yield strike


@contextlib.contextmanager
def parts(shop: Workshop) -> Iterator[Strike]:
    """Leave out paths that a server need not have."""
    with OllamaServer(ScriptedPlanner("oracle")) as server:
        answer = server.answer

        def strike(rng: random.Random) -> None:
            absent = rng.sample(_OPTIONAL, rng.randint(1, 3))
            status = rng.choice([404, 405, 501])

            def refuse_some(call: Call) -> None:
                call.send(status, "404 page not found") if call.path in absent else answer(call)

            server.answer = refuse_some  # type: ignore[method-assign]
            if said := asyncio.run(_asked("ollama", server.url)):
                raise Lost(f"a server that answers has no model: {said}")

        yield strike


FAULTS = (
    Fault("language-model servers that flood or talk nonsense", 60, floods),
    Fault("proxies and certificates that are none", 40, variables),
    Fault("language-model servers without optional paths", 30, parts),
)
