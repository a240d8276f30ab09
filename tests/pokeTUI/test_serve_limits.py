"""Peers of the real server that say nothing, read nothing or come in crowds, over loopback."""

import asyncio
import contextlib
import os
import resource
import socket
from collections.abc import Iterator

import pytest

from pokeTUI.serve.connections import Limits
from tests.engine.processes import is_gone
from tests.pokeTUI.served import LIMIT_S
from tests.pokeTUI.test_serve import Site, all_gone, open_site, see

HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


@contextlib.contextmanager
def peers(site: Site, count: int) -> Iterator[list[socket.socket]]:
    """Begin connections."""
    name, port = site.host.split(":")
    with contextlib.ExitStack() as opened:
        found = []
        for _ in range(count):
            peer = opened.enter_context(socket.socket())
            peer.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                peer.connect((name, int(port)))
            found.append(peer)
        yield found


async def say(peer: socket.socket, said: bytes) -> None:
    """Say something once the connection stands."""
    await is_connected(peer)
    with contextlib.suppress(ConnectionError):
        await asyncio.get_running_loop().sock_sendall(peer, said)


async def all_that_is_heard(peer: socket.socket) -> bytes:
    """Return what a peer is sent until the server closes its connection."""
    loop = asyncio.get_running_loop()
    heard = b""
    async with asyncio.timeout(LIMIT_S):
        with contextlib.suppress(ConnectionError):
            while data := await loop.sock_recv(peer, 65536):
                heard += data
    return heard


async def is_connected(peer: socket.socket) -> None:
    """Wait until the connection stands."""
    writable = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_writer(peer, writable.set)
    async with asyncio.timeout(LIMIT_S):
        await writable.wait()
    loop.remove_writer(peer)


@pytest.mark.slow
async def test_three_hundred_half_open_requests_are_ended_and_others_answered_meanwhile() -> None:
    async with open_site(request_s=1.0) as site:
        token = site.guard.token
        with peers(site, 300) as crowd:
            for peer in crowd:
                await say(peer, HALF)
            assert await site.status(f"/?token={token}") == 200
            heard = await asyncio.gather(*map(all_that_is_heard, crowd))
        late = [answer for answer in heard if answer.startswith(b"HTTP/1.1 408 ")]
        crowded = [answer for answer in heard if answer.startswith(b"HTTP/1.1 503 ")]
        lost = [answer for answer in heard if not answer]  # ended while it was still speaking
        assert len(late) + len(crowded) + len(lost) == 300
        assert len(late) >= 64
        assert await site.status(f"/?token={token}") == 200


async def test_a_peer_that_says_nothing_at_all_is_ended() -> None:
    async with open_site(request_s=0.2) as site:
        with peers(site, 1) as (peer,):
            await is_connected(peer)
            assert b"408 Request Timeout" in await all_that_is_heard(peer)


async def test_a_connection_that_is_kept_alive_ends_when_nothing_is_asked() -> None:
    async with open_site(idle_s=0.3) as site:
        with peers(site, 1) as (peer,):
            await say(peer, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert (await all_that_is_heard(peer)).startswith(b"HTTP/1.1 403 ")


async def test_a_second_request_that_never_is_whole_is_ended() -> None:
    async with open_site(answer_s=0.5) as site:
        with peers(site, 1) as (peer,):
            await say(peer, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + HALF)
            assert b" 403 " in await all_that_is_heard(peer)


async def test_an_answer_that_is_not_taken_is_given_up() -> None:
    async with open_site(answer_s=0.5) as site:
        with peers(site, 8) as crowd:
            for peer in crowd:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                await is_connected(peer)
                head = f"Host: {site.host}\r\nCookie: {site.headers['Cookie']}\r\n\r\n"
                path = f"{site.guard.path}/static/js/textual.js"
                await say(peer, f"GET {path} HTTP/1.1\r\n{head}".encode() * 20)
            async with asyncio.timeout(LIMIT_S):
                while len(site.server.connections):
                    await asyncio.sleep(0.02)
            assert await site.status(f"/?token={site.guard.token}") == 200


@pytest.mark.slow
@pytest.mark.parametrize("repaints", [0, 30])
async def test_a_browser_that_does_not_read_any_more_leaves_no_viewer(repaints: int) -> None:
    async with open_site(heartbeat_s=2.0) as site:
        watched = await site.watch()
        await see(watched, "nothing pressed")
        pids = site.pids
        watched._response.connection.transport.pause_reading()  # type: ignore[union-attr]
        for number in range(repaints):  # far more than fits between the two
            await watched.send_json(["resize", {"width": 900 + number, "height": 400}])
        assert await all_gone(pids)
        async with asyncio.timeout(LIMIT_S):
            while site.server.open_clients or len(site.server.connections):
                await asyncio.sleep(0.02)
        await watched.close()


@pytest.mark.slow
async def test_viewers_stay_while_strangers_crowd_in() -> None:
    async with open_site(connections=4) as site, site.watch() as watched:
        await see(watched, "nothing pressed")
        with peers(site, 40) as crowd:
            for peer in crowd:
                await say(peer, HALF)
            async with site.watch("two") as second:
                await see(second, "nothing pressed")
                await watched.send_json(["stdin", "a"])
                await see(watched, "pressed a")
        assert not any(map(is_gone, site.pids[:1]))


async def test_the_server_ends_at_once_among_half_open_requests() -> None:
    async with open_site(request_s=600.0) as site:
        with peers(site, 50) as crowd:
            for peer in crowd:
                await say(peer, HALF)
            site.stop.set()
            await asyncio.gather(*map(all_that_is_heard, crowd))


@pytest.mark.parametrize(
    ("files", "viewers", "connections"), [(64, 1, 5), (256, 8, 80), (1024, 8, 128)]
)
def test_limits_leave_room_within_the_files_that_may_be_open(
    monkeypatch: pytest.MonkeyPatch, files: int, viewers: int, connections: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (files, files))
    found = Limits.of_this_process()
    assert (found.viewers, found.connections) == (viewers, connections)


@contextlib.contextmanager
def hardly_any_files(left: int) -> Iterator[None]:
    """Let this process open so many files and no more."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
    taken = []
    try:
        with contextlib.suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        for _ in range(left):
            os.close(taken.pop())
        yield
    finally:
        for descriptor in taken:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


async def test_a_viewer_that_cannot_be_started_says_why_and_others_go_on() -> None:
    async with open_site() as site, site.watch() as watched:
        await see(watched, "nothing pressed")
        with hardly_any_files(4):  # two for the connection, too few for a process
            async with site.watch("two") as refused, asyncio.timeout(LIMIT_S):
                async for _ in refused:
                    pass
            await watched.send_json(["stdin", "a"])
            await see(watched, "pressed a")
        assert "Too many open files" in await site.text("/end/two")


async def test_nonsense_is_refused_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    async with open_site() as site:
        for nonsense in (b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):
            with peers(site, 1) as (peer,):
                await say(peer, nonsense + b"\r\n\r\n")
                assert b" 400 " in (await all_that_is_heard(peer))[:16]
    assert capfd.readouterr().err == ""
