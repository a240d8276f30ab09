"""Servers that flood, proxies that are not asked for, and why a server is not reached."""

import os
import socket
import subprocess
import sys
import time

import pytest

from engine.errors import ConfigurationError, LLMConnectionError
from engine.planning.models.asking import ask
from engine.planning.models.backends import make_backend
from engine.planning.models.backends.base import ChatRequest
from engine.planning.models.backends.ollama import OllamaBackend
from engine.planning.models.backends.transport import route_to
from tests.engine.planning.models.servers.floods import FLOODS, FloodServer
from tests.engine.planning.models.servers.loopback import Call, LoopbackServer

KINDS = ("ollama", "openai", "anthropic")
MOST_SENT = 24 << 20
"""Four MiB are taken at most; the rest fills the sockets' buffers."""
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
HOST = "https://models.example/v1"


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*PROXIES, *map(str.lower, PROXIES), "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)


async def failure_of(kind: str, url: str, request: ChatRequest) -> LLMConnectionError:
    backend = make_backend("scripted", backend=kind, base_url=url)
    try:
        await backend.probe()
        with pytest.raises(LLMConnectionError) as raised:
            await ask(backend, request, first_token_timeout_s=60, answer_timeout_s=60)
        return raised.value
    finally:
        await backend.close()


@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.parametrize("kind", KINDS)
async def test_a_flood_is_not_taken(kind, flood, request_):
    with FloodServer(FLOODS[flood]) as server:
        error = await failure_of(kind, server.url, request_)
        status = await make_backend("scripted", backend=kind, base_url=server.url).probe()
    assert server.sent < MOST_SENT
    assert server.url in error.message
    assert len(str(error).splitlines()) == 1
    assert error.hint
    assert status.state in ("unreachable", "ready")  # of an error that is said of the list alone
    if "error" in flood:
        assert "answered 500" in error.message


async def test_a_pull_may_tell_for_long_how_far_it_is(ollama):
    line = b'{"status": "pulling", "completed": 5, "total": 9, "note": "' + b"x" * 9000 + b'"}\n'

    def tell(call: Call) -> None:
        for _ in range(600):
            call.stream(line)
        call.stream(b'{"status": "success"}\n')
        call.finish()

    ollama.answer = tell  # type: ignore[method-assign]
    backend = OllamaBackend("scripted", base_url=ollama.url)
    parts = [part async for part in backend.pull()]
    assert (len(parts), parts[-1].status) == (601, "success")


async def test_a_line_without_an_end_ends_a_pull():
    with FloodServer(FLOODS["line"]) as server:
        backend = OllamaBackend("scripted", base_url=server.url)
        with pytest.raises(LLMConnectionError, match="1 MiB in one line"):
            async for _ in backend.pull():
                pass
    assert server.sent < MOST_SENT


def test_sizes_that_a_pull_states_are_numbers_of_bytes():
    from engine.planning.models.backends.ollama import _bytes

    assert [_bytes(size) for size in (None, -5, 7, 10**4000)] == [0, 0, 7, 1 << 63]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "[::1]", "localhost", "LOCALHOST.",
                                  "ollama.localhost", "0.0.0.0", "[::ffff:127.0.0.1]"])  # fmt: skip
@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
@pytest.mark.parametrize("value", ["http://proxy:3128", "socks5://proxy", "nonsense:xx", "ftp://x"])
def test_this_machine_is_never_proxied(host, name, value, monkeypatch):
    monkeypatch.setenv(name, value)
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file")
    assert route_to(f"http://{host}:11434").proxy == ""


def test_a_proxy_is_named_without_its_password(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://user:hunter2@proxy.example:3128")
    route = route_to(HOST)
    assert route.proxy == "http://user:hunter2@proxy.example:3128"
    assert route.origin == "https_proxy=http://proxy.example:3128"
    monkeypatch.setenv("NO_PROXY", "models.example")
    assert route_to(HOST).proxy == ""


@pytest.mark.parametrize(
    "value",
    [
        "ftp://user:hunter2@proxy",
        "http://user:hunter2@proxy:port",
        "http://user:hunter2@proxy:0",
        "http:/user:hunter2@proxy:99999",
        "http://user:hunter2@",
        "http://user:hunter2@[::1",
        "http://user:hunter2@pro xy",
        "user:hunter2@proxy:xx",
    ],
)
@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_variable_that_names_no_proxy_is_named(kind, value, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", value)
    with pytest.raises(ConfigurationError, match=r"^ALL_PROXY=") as raised:
        make_backend("some", backend=kind, base_url=HOST)
    assert "hunter2" not in str(raised.value)
    assert "unset it" in raised.value.hint


def test_a_proxy_whose_package_is_missing_is_named(monkeypatch):
    pytest.importorskip("httpx")
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("ALL_PROXY", "socks5://user:hunter2@proxy")
    with pytest.raises(ConfigurationError, match="ALL_PROXY=socks5://proxy needs") as raised:
        route_to(HOST)
    assert raised.value.hint == "Install it: pip install socksio, or unset ALL_PROXY."


@pytest.mark.parametrize("kind", KINDS)
async def test_a_proxy_that_is_not_there_is_named(kind, request_, monkeypatch):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        proxy = f"127.0.0.1:{unused.getsockname()[1]}"
        monkeypatch.setenv("HTTP_PROXY", f"http://user:hunter2@{proxy}")
        error = await failure_of(kind, "http://models.example", request_)
    assert error.message == f"HTTP_PROXY=http://{proxy} cannot be reached: connection refused."
    assert "NO_PROXY" in error.hint


async def test_a_proxy_that_answers_in_the_servers_place_is_named(request_, monkeypatch):
    class Proxy(LoopbackServer):
        status = 407

        def answer(self, call: Call) -> None:
            call.send(self.status, "no")

    with Proxy() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        wants = await failure_of("openai", "http://models.example/v1", request_)
        proxy.status = 502
        fails = await failure_of("openai", "http://models.example/v1", request_)
    assert wants.message == f"http_proxy={proxy.url} wants a user name and a password."
    assert f"(through http_proxy={proxy.url}) answered 502" in fails.message


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("SSL_CERT_FILE", "none.pem", "none.pem does not exist."),
        ("SSL_CERT_FILE", ".", "is not a file."),
        ("SSL_CERT_DIR", "none", "none does not exist."),
        ("SSL_CERT_FILE", "empty.pem", "empty.pem has no certificates that can be read"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
async def test_certificates_that_cannot_be_read_are_named(
    kind, variable, value, said, tmp_path, monkeypatch
):
    (tmp_path / "empty.pem").touch()
    monkeypatch.setenv(variable, str(tmp_path / value))
    try:
        backend = make_backend("some", backend=kind, base_url=HOST)
        told = (await backend.probe()).detail
    except ConfigurationError as error:
        told = str(error)
    assert told.startswith(f"{variable}={tmp_path}")
    assert said in told


@pytest.mark.parametrize("kind", KINDS)
async def test_why_a_server_is_not_reached_is_told(kind, request_, ollama):
    unknown = await failure_of(kind, "http://no-such-host.invalid", request_)
    assert "no such host (DNS)" in unknown.message
    secure = await failure_of(kind, ollama.url.replace("http:", "https:"), request_)
    assert "does not speak TLS" in secure.message
    assert "begins with http://" in secure.hint
    with FloodServer(lambda: iter((b"SSH-2.0-OpenSSH_9.9\r\n\r\n",))) as other:
        error = await failure_of(kind, other.url, request_)
    assert "does not speak HTTP" in error.message
    with FloodServer(lambda: iter(())) as other:
        error = await failure_of(kind, other.url, request_)
    assert "closed the connection without an HTTP answer" in error.message
    with FloodServer(FLOODS["page"]) as other:
        error = await failure_of(kind, other.url, request_)
    assert "sent a web page: something else answers" in error.message


@pytest.mark.parametrize("kind", KINDS)
async def test_an_error_page_is_told_without_its_markup(kind, request_):
    page = b"<html><head><title>502 Bad Gateway</title></head></html>"
    head = b"HTTP/1.1 502 Oh\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(page)
    with FloodServer(lambda: iter((head, page))) as server:
        error = await failure_of(kind, server.url, request_)
    assert "answered 502: 502 Bad Gateway." in error.message
    assert "behind that address" in error.hint


@pytest.mark.parametrize("key", ["schlüssel", "two\nlines"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_key_that_no_request_can_name_is_named(kind, key, monkeypatch):
    variable = f"{kind.upper()}_API_KEY"
    monkeypatch.setenv(variable, key)
    with pytest.raises(ConfigurationError, match=f"^{variable} is not a key") as raised:
        make_backend("some", backend=kind, base_url="http://127.0.0.1:9")
    assert key not in str(raised.value)


def test_variables_that_are_not_needed_do_not_keep_ollamas_client_from_being_imported(ollama):
    environment = os.environ | {
        "ALL_PROXY": "socks5://127.0.0.1:9",
        "http_proxy": "nonsense:xx",
        "SSL_CERT_FILE": "/no/such/file",
        "OLLAMA_HOST": "http://::x",
    }
    program = (
        "import asyncio, os\n"
        "from engine.planning.models.backends import make_backend\n"
        f"backend = make_backend('scripted', base_url={ollama.url!r}, connect_timeout_s=60)\n"
        "print(asyncio.run(backend.probe()).state, os.environ['ALL_PROXY'])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60
    )
    assert result.stdout == "ready socks5://127.0.0.1:9\n", result.stderr


async def test_a_deadline_does_not_count_what_is_imported(ollama, monkeypatch):
    backend = OllamaBackend("scripted", base_url=ollama.url, connect_timeout_s=0.2)
    make = backend._make_client

    def make_slowly() -> object:
        time.sleep(1.2)  # more than a probe may take
        return make()

    monkeypatch.setattr(backend, "_make_client", make_slowly)
    assert (await backend.probe()).state == "ready"
    await backend.close()
