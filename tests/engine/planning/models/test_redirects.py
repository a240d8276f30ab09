"""A server that sends elsewhere gets neither the key nor the question there."""

from collections.abc import Iterator

import pytest

from engine.errors import LLMConnectionError
from engine.planning.models.backends import make_backend
from engine.planning.models.backends.base import ChatRequest
from tests.engine.planning.models.conftest import KEY
from tests.engine.planning.models.servers.loopback import Call, LoopbackServer


class Redirecting(LoopbackServer):
    """Sends every request to another address."""

    def __init__(self, status: int, target: str) -> None:
        super().__init__()
        self._status, self._target = status, target

    def answer(self, call: Call) -> None:
        call.redirect(self._status, self._target + call.path)


@pytest.fixture
def other() -> Iterator[LoopbackServer]:
    with LoopbackServer() as server:
        yield server


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("kind", ["ollama", "openai", "anthropic"])
async def test_a_redirect_is_not_followed_with_the_key(
    kind: str,
    status: int,
    other: LoopbackServer,
    request_: ChatRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", KEY)
    with Redirecting(status, other.url) as server:
        backend = make_backend("scripted", backend=kind, base_url=server.url)
        with pytest.raises(LLMConnectionError, match=f"answered {status}") as raised:
            async for _ in backend.chat(request_):
                pass
        assert raised.value.is_permanent
        assert "not followed" in raised.value.hint
        assert (await backend.probe()).state == "refused"
        await backend.close()
    assert server.calls
    assert not other.calls
