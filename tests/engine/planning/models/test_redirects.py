"""A server that sends elsewhere gets neither the key nor the question there."""

from collections.abc import Iterator

import pytest

from engine.errors import LLMConnectionError
from tests.engine.planning.models.conftest import KEY
from tests.engine.planning.models.servers.loopback import LoopbackServer


class Redirecting(LoopbackServer):
    """Sends every request to another address."""

    def __init__(self, status: int, target: str) -> None:
        super().__init__()
        self.answer = lambda call: call.redirect(status, target + call.path)


@pytest.fixture
def other() -> Iterator[LoopbackServer]:
    with LoopbackServer() as server:
        yield server


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("kind", ["ollama", "openai", "anthropic"])
async def test_a_redirect_is_not_followed_with_the_key(
    make, kind, status, other, request_, monkeypatch
):
    monkeypatch.setenv("OLLAMA_API_KEY", KEY)
    with Redirecting(status, other.url) as server:
        backend = make("scripted", backend=kind, base_url=server.url)
        with pytest.raises(LLMConnectionError, match=f"answered {status}") as raised:
            async for _ in backend.chat(request_):
                pass
        assert raised.value.is_permanent
        assert "not followed" in raised.value.hint
        assert (await backend.probe()).state == "refused"
    assert server.calls
    assert not other.calls
