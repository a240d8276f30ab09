"""Ask the real server as browsers, strangers and hostile pages would, over loopback."""

import asyncio
import contextlib
import dataclasses
import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp
import pytest

from engine.errors import ConfigurationError
from engine.remote.folder import FOLDER_VARIABLE
from pokeTUI.serve.connections import COOKIE, Limits, is_own_host, is_own_origin, listen
from pokeTUI.serve.server import BrowserServer, Program, bounded
from tests.engine.processes import is_gone, wait_until
from tests.hostile_folder import HostileFolder
from tests.pokeTUI.in_process import ROOT, assert_refused, poketui
from tests.pokeTUI.says import assert_has
from tests.pokeTUI.served import LIMIT_S, Served, serving


@dataclass(frozen=True)
class Site(Served):
    """A server of terminals, and where those who are shown there note their process ids."""

    server: BrowserServer
    pids_file: Path

    @property
    def base(self) -> str:
        return f"http://{self.host}{self.guard.path}"

    @property
    def headers(self) -> dict[str, str]:
        """What a browser sends from our page."""
        return {**self.cookie, "Origin": f"http://{self.host}"}

    @property
    def pids(self) -> list[int]:
        return read_pids(self.pids_file)

    async def text(self, place: str) -> str:
        async with self.client.get(f"{self.base}{place}", headers=self.headers) as response:
            return await response.text()

    def watch(
        self, client: str = "one", **changes: str
    ) -> "aiohttp.client._WSRequestContextManager":
        headers = {name: value for name, value in {**self.headers, **changes}.items() if value}
        return self.client.ws_connect(
            f"{self.base}/ws/{client}?width=90&height=30", headers=headers, max_msg_size=0
        )

    async def refusal(self, client: str = "one", **changes: str) -> int:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            async with self.watch(client, **changes):
                pass
        return refused.value.status


@asynccontextmanager
async def open_site(*, command: tuple[str, ...] = (), **limits: float) -> AsyncIterator[Site]:
    with TemporaryDirectory() as folder:
        pids = Path(folder, "pids")
        shown = command or ("tests.pokeTUI.small_viewer", str(pids))
        allowed = dataclasses.replace(Limits.of_this_process(), **limits)  # type: ignore[arg-type]
        server = BrowserServer(Program(shown, "A <run>", "Opening"), allowed)
        async with serving(server) as served:
            yield Site(**vars(served), server=server, pids_file=pids)


def read_pids(file: Path) -> list[int]:
    lines = file.read_text().split() if file.exists() else []
    return [int(line) for line in lines if line.isdigit()]


async def comes_to_hang(file: Path) -> bool:
    return await asyncio.to_thread(wait_until, lambda: "hangs" in file.read_text(), LIMIT_S)


async def see(socket: aiohttp.ClientWebSocketResponse, text: str) -> None:
    """Read what the terminal is sent until `text` is in it."""
    seen = b""
    async with asyncio.timeout(LIMIT_S):
        while text.encode() not in seen:
            message = await socket.receive()
            assert message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT), seen
            if message.type is aiohttp.WSMsgType.BINARY:
                seen += message.data


async def come_to_its_end(socket: aiohttp.ClientWebSocketResponse) -> None:
    async with asyncio.timeout(LIMIT_S):
        async for _ in socket:
            pass


async def all_gone(pids: list[int]) -> bool:
    def are_gone() -> bool:
        return all(is_gone(pid) for pid in pids)

    return await asyncio.to_thread(wait_until, are_gone, LIMIT_S)


# Who may ask


async def test_the_page_needs_the_token() -> None:
    async with open_site() as site:
        token = site.guard.token
        assert len(token) >= 40
        assert await site.status(f"/?token={token}") == 200
        for path in ("/", "/?token=", f"/?token={token}x", f"/?token={token[:-1]}", "/?token=%ff"):
            assert await site.status(path) == 403, path
        assert await site.status(f"/?token={site.guard.key}") == 403


async def test_everything_else_needs_the_cookie() -> None:
    async with open_site() as site:
        path, good = site.guard.path, site.cookie
        for place in ("/", "/static/js/textual.js", "/page/page.js", "/end/one"):
            assert await site.status(f"{path}{place}", **good) == 200, place
            for wrong in (
                {},
                {"Cookie": f"{COOKIE}=x"},
                {"Cookie": f"{COOKIE}={site.guard.token}"},
            ):
                assert await site.status(f"{path}{place}", **wrong) == 403, place
        assert await site.status("/static/js/textual.js", **good) == 404
        assert await site.status(f"{path}/static/..%2f__init__.py", **good) in (403, 404)
        assert await site.status(f"{path}/static/", **good) == 403


async def test_the_cookie_stays_here() -> None:
    async with open_site() as site, site.client.get(site.address) as response:
        cookie = response.headers["Set-Cookie"]
        assert_has(cookie, "HttpOnly", "SameSite=Strict", f"Path={site.guard.path}")
        assert site.guard.token not in cookie


async def test_other_names_of_this_machine_are_refused() -> None:
    async with open_site() as site:
        token = site.guard.token
        port = site.host.partition(":")[2]
        for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", ""):
            assert await site.status(f"/?token={token}", Host=host) == 421, host
            assert await site.refusal(Host=host or "x", Origin=f"http://{host}") == 421
        for host in ("localhost:9999", f"127.0.0.1:{port}", f"LOCALHOST:{port}"):
            assert await site.status(f"/?token={token}", Host=host) == 200, host


async def test_a_websocket_must_be_of_our_page() -> None:
    async with open_site() as site:
        others = (
            "http://evil.example", "null", f"https://{site.host}", "",
            f"http://127.0.0.1:{site.port + 1}", f"http://localhost:{site.port}",
            f"http://{site.host}.evil.example",
        )  # fmt: skip
        for origin in others:
            assert await site.refusal(Origin=origin) == 403, origin
        for cookie in ("", f"{COOKIE}=wrong"):
            assert await site.refusal(Cookie=cookie) == 403
        assert site.pids == []


async def test_a_page_of_another_site_may_not_ask_even_with_the_token() -> None:
    async with open_site() as site:
        path = f"/?token={site.guard.token}"
        assert await site.status(path, Origin="http://evil.example") == 403


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        ("127.0.0.1:8080", True),
        ("localhost", True),
        ("[::1]:80", True),
        ("127.0.0.1:", False),
        ("127.0.0.1:８０", False),
        ("127.0.0.1@evil.example", False),
        ("0.0.0.0:8080", False),
        ("127.0.0.1:80; script-src *", False),
        ("", False),
    ],
)
def test_hosts_are_told_apart(host: str, is_own: bool) -> None:
    assert is_own_host(host) is is_own
    assert is_own_origin(f"http://{host}", host) is is_own


async def test_every_answer_carries_the_headers() -> None:
    expected = {
        "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
    }  # fmt: skip
    async with open_site() as site:
        for address in (site.address, f"http://{site.host}/", f"{site.base}/static/css/xterm.css"):
            async with site.client.get(address, headers=site.headers) as response:
                policy = response.headers["Content-Security-Policy"]
                assert policy.startswith("default-src 'none'; script-src 'self'; ")
                assert f"connect-src 'self' ws://{site.host};" in policy
                assert expected.items() <= dict(response.headers).items()
                assert "aiohttp" not in response.headers["Server"]


async def test_only_this_machine_can_connect() -> None:
    async with open_site() as site:
        port = site.port
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            with contextlib.suppress(OSError):  # where there is no network
                probe.connect(("192.0.2.1", 9))  # sends nothing; tells the address of the way out
            own = probe.getsockname()[0]
        if own.startswith(("127.", "0.")):
            pytest.skip("this machine has no other address")
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(own, port)


# What is served


async def test_no_served_text_names_another_host() -> None:
    found = []
    async with open_site() as site:
        async with site.client.get(site.address) as response:
            page = await response.text()
        assert "A &lt;run&gt;" in page
        links = re.findall(r'(?:src|href)="(/[^"]+)"', page)
        assert len(links) >= 5
        texts = {"page": page}
        for link in links:
            async with site.client.get(f"http://{site.host}{link}", headers=site.headers) as answer:
                assert answer.status == 200, link
                if not link.endswith(".ttf"):
                    texts[link] = await answer.text()
    for name, text in texts.items():
        bare = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL) if name.endswith(".css") else text
        addresses = re.findall(r"(?:https?:|wss?:)?//[\w.-]+\.[a-z0-9]{2,}[:\w]*", bare)
        found += [(name, address) for address in addresses if f"//{site.host}" not in address]
    assert found == []


async def test_fonts_come_from_here() -> None:
    async with open_site() as site:
        async with site.client.get(f"{site.base}/page/page.css", headers=site.headers) as response:
            fonts = re.findall(r'url\("\.\.(/[^"]+)"\)', await response.text())
        assert len(fonts) == 2
        for font in fonts:
            async with site.client.get(f"{site.base}{font}", headers=site.headers) as response:
                assert (await response.read())[:4] == b"\x00\x01\x00\x00"


# The terminal


async def test_a_viewer_draws_and_takes_keys_and_sizes() -> None:
    async with open_site() as site, site.watch() as watched:
        await see(watched, "90x30")
        await watched.send_json(["stdin", "a"])
        await see(watched, "pressed a")
        await watched.send_json(["resize", {"width": 100, "height": 40}])
        await see(watched, "100x40")
        await watched.send_json(["ping", "7"])
        async with asyncio.timeout(LIMIT_S):
            while (message := await watched.receive()).type is not aiohttp.WSMsgType.TEXT:
                pass
        assert json.loads(message.data) == ["pong", "7"]


async def test_nonsense_is_passed_over() -> None:
    nonsense = [
        "", "[", "[" * 10_000, "7", "[]", '["stdin"]', '["stdin", 3]', '["exit"]', '["quit", {}]',
        '["resize", {"width": "x"}]', '["resize", {"width": -5, "height": 1e99}]',
        '["deliver_chunk_request", {"key": "x"}]',
    ]  # fmt: skip
    async with open_site() as site, site.watch() as watched:
        await see(watched, "nothing pressed")
        for text in nonsense:
            await watched.send_str(text)
        await watched.send_bytes(b"\xff\x00")
        await watched.send_json(["stdin", "a\udcffb"])
        await watched.send_json(["stdin", "z"])
        await see(watched, "z")


async def test_a_viewer_imports_nothing_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = HostileFolder(tmp_path / "hostile")
    folder.enter(monkeypatch)
    async with open_site() as site, site.watch() as watched:
        await see(watched, "nothing pressed")
    assert folder.imported == []


@pytest.mark.parametrize(
    ("given", "size"),
    [("90", 90), ("-3", 80), ("x", 80), (None, 80), ("999999999", 80), ("0", 4), (5000, 1000)],
)
def test_sizes_are_made_sane(given: object, size: int) -> None:
    assert bounded(given, 80) == size
    assert bounded(True, 80) == 80
    assert bounded(1e9, 80) == 80


async def test_there_is_an_end_to_how_many_may_watch() -> None:
    async with open_site(viewers=1) as site:
        async with site.watch("one") as watched:
            await see(watched, "nothing pressed")
            assert await site.refusal("two") == 503
            assert "1 viewer is already open" in await site.text("/end/two")
        assert await all_gone(site.pids)
        async with asyncio.timeout(LIMIT_S):
            while site.server.open_clients:
                await asyncio.sleep(0.01)
        async with site.watch("two") as watched:
            await see(watched, "nothing pressed")


async def test_the_page_can_tell_why_the_viewer_ended() -> None:
    async with open_site() as site:
        async with site.watch("one") as watched:
            await see(watched, "nothing pressed")
            await watched.send_json(["stdin", "q"])
            await come_to_its_end(watched)
        assert await site.text("/end/one") == "The run has ended."


async def test_the_page_tells_of_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "sockets"))
    async with open_site(command=("pokeTUI", "attach", "--read-only")) as site:
        async with site.watch("one") as watched:
            await come_to_its_end(watched)
        said = await site.text("/end/one")
        assert said.startswith("No run is running in the background.")
        assert "poketui run --detach" in said


# No process stays behind


@pytest.mark.parametrize("how", ["closes", "closes while it hangs", "vanishes"])
async def test_a_viewer_ends_with_its_browser(how: str) -> None:
    async with open_site() as site:
        watched = await site.watch()
        await see(watched, "nothing pressed")
        if how.endswith("hangs"):
            await watched.send_json(["stdin", "h"])
            assert await comes_to_hang(site.pids_file)
        if how == "vanishes":
            watched._response.connection.transport.abort()  # type: ignore[union-attr]
        else:
            await watched.close()
        assert len(site.pids) == 1
        assert await all_gone(site.pids)
        await watched.close()


async def test_the_viewers_end_with_the_server() -> None:
    async with open_site() as site:
        async with site.watch("one") as first, site.watch("two") as second:
            await see(first, "nothing pressed")
            await see(second, "nothing pressed")
            assert len(site.pids) == 2
            site.stop.set()
            await come_to_its_end(first)
            await come_to_its_end(second)
        assert await all_gone(site.pids)


PROGRAM = """
import asyncio, sys
from pokeTUI.serve.server import Program, serve
program = Program(("tests.pokeTUI.small_viewer", sys.argv[1]), "small", "Opening")
asyncio.run(serve(program, 0, lambda address: print(address, flush=True)))
"""


@contextmanager
def server_process(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder / "pids")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


async def open_as_browser(
    client: aiohttp.ClientSession, address: str
) -> aiohttp.ClientWebSocketResponse:
    """Open the page and then its websocket, knowing the printed address alone."""
    async with client.get(address) as response:
        page = await response.text()
        cookie = response.headers["Set-Cookie"].partition(";")[0]
    (terminal,) = re.findall(r'data-session-websocket-url="([^"]+)"', page)
    origin = "/".join(address.split("/")[:3])
    return await client.ws_connect(
        f"{terminal}?width=80&height=24", headers={"Cookie": cookie, "Origin": origin}
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGINT, 0),
        (signal.SIGTERM, 0),
        (signal.SIGHUP, 0),
        (signal.SIGKILL, -signal.SIGKILL),
    ],
)
async def test_a_signal_leaves_nobody(tmp_path: Path, number: signal.Signals, code: int) -> None:
    with server_process(tmp_path) as (process, address):
        async with aiohttp.ClientSession() as client:
            watched = await open_as_browser(client, address)
            hanging = await open_as_browser(client, address)
            await see(watched, "nothing pressed")
            await see(hanging, "nothing pressed")
            await hanging.send_json(["stdin", "h"])
            assert await comes_to_hang(tmp_path / "pids")
            pids = read_pids(tmp_path / "pids")
            assert len(pids) == 2
            process.send_signal(number)
            assert await asyncio.to_thread(process.wait, LIMIT_S) == code
            assert await all_gone(pids)
            await watched.close()
            await hanging.close()
        assert process.stderr.read() == ""


# The command


def test_a_port_that_is_taken_is_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ConfigurationError, match=r"Cannot listen.*--port"):
            listen(taken.getsockname()[1], "--port")


def test_without_a_run_it_says_how_to_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "sockets"))
    assert_refused(poketui("serve"), "No run", "poketui run --detach")
    assert_refused(poketui("serve", "--port", "70000"), "--port", "65535")
    assert_refused(poketui("serve", "--host", "0.0.0.0"), "--host")
