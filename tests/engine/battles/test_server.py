import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from engine.battles.sim.server import HOST, ShowdownServer
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import Simulator
from engine.errors import WorkerError
from engine.ground.processes import code_command, python_environment
from tests.engine.processes import child_process, children, command_line, is_gone, wait_until


def _newest(folder: Path) -> float:
    return max(path.stat().st_mtime for path in (folder, *folder.iterdir()))


def test_server_listens_on_this_machine_only_and_restarts_on_its_port(showdown):
    package = showdown.modules / "pokemon-showdown"
    before = _newest(package / "config"), _newest(package)
    with ShowdownServer(showdown) as server:
        address, pid = server.address, server.pid
        assert pid is not None
        socket.create_connection((HOST, server.port)).close()
        with pytest.raises(WorkerError, match="address already in use"):
            ShowdownServer(showdown, server.port)
        listening = [
            line.split()[1]
            for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()
            if line.split()[1].endswith(f":{server.port:04X}") and line.split()[3] == "0A"
        ]
        assert listening == [f"0100007F:{server.port:04X}"]
        os.kill(pid, signal.SIGKILL)
        server.restart()
        assert server.address == address
        assert server.pid not in (None, pid)
        pid = server.pid
    assert pid is not None
    assert is_gone(pid)
    assert (_newest(package / "config"), _newest(package)) == before


def test_server_ends_when_the_process_that_started_it_is_killed(showdown):
    code = """
from pathlib import Path
from engine.battles.sim.server import ShowdownServer
from engine.battles.sim.setup import find_simulator
server = ShowdownServer(find_simulator())
print(server.pid, Path(f'/proc/{server.pid}/cwd').resolve(), flush=True)
input()
"""
    with child_process(
        code_command(code),
        env=python_environment(POKETUI_SHOWDOWN=str(showdown.modules)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as owner:
        assert owner.stdout is not None
        number, _, folder = owner.stdout.readline().decode().strip().partition(" ")
        pid = int(number)
        assert not is_gone(pid)
        owner.kill()
    assert wait_until(lambda: is_gone(pid))
    assert not Path(folder).exists()


@pytest.mark.tool("node")
def test_server_that_cannot_start_says_why(tmp_path):
    (tmp_path / "pokemon-showdown").mkdir()
    with pytest.raises(WorkerError, match=r"stopped while it started: .*Cannot find module"):
        ShowdownServer(NodeCommand("node", tmp_path, tmp_path))


@pytest.mark.parametrize("wait_s", [0.0, 0.1, 0.3])
def test_server_ends_when_its_parent_is_killed_while_it_starts(showdown, wait_s):
    code = "from pokeTUI.cli.main import app; app(['vgc', 'server', '--port', '0'])"
    with child_process(
        code_command(code),
        env=python_environment(POKETUI_SHOWDOWN=str(showdown.modules)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as owner:
        started: list[int] = []

        def has_server() -> bool:
            started[:] = [pid for pid in children(owner.pid) if b"dist/server" in command_line(pid)]
            return bool(started)

        assert wait_until(has_server)
        time.sleep(wait_s)
        owner.kill()
        assert wait_until(lambda: all(map(is_gone, started)))


OWN, FOREIGN = ("127.0.0.1", "localhost", "[::1]"), "evil.example"


@pytest.fixture(scope="module")
def running(showdown: NodeCommand) -> Iterator[ShowdownServer]:
    with ShowdownServer(showdown) as server:
        yield server


def status(server: ShowdownServer, *headers: tuple[str, str], path: str = "/showdown/info") -> int:
    connection = HTTPConnection(HOST, server.port, timeout=60)
    try:
        connection.putrequest("GET", path, skip_host=True)
        for header in headers:
            connection.putheader(*header)
        connection.endheaders()
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize("path", ["/", "/showdown/info"])
@pytest.mark.parametrize("name", OWN)
def test_requests_that_name_this_machine_are_answered(running, path, name):
    host = ("Host", f"{name}:{running.port}")
    assert status(running, host, path=path) == 200
    for origin in (
        f"http://{name}:{running.port}",
        "http://localhost:1",
        "https://localhost.psim.us",
    ):
        assert status(running, host, ("Origin", origin), path=path) == 200


@pytest.mark.parametrize("path", ["/", "/showdown/info", "/showdown/1/abcdefgh/jsonp?c=f"])
def test_pages_from_elsewhere_are_refused(running, path):
    host = ("Host", running.address)
    for origin in (
        "https://evil.example", "null", "", f"http://{HOST}.evil.example", "http://psim.us",
        "http://localhost.psim.us", "https://localhost.psim.us.evil.example", "http://127.0.0.1@evil",
    ):  # fmt: skip
        assert status(running, host, ("Origin", origin), path=path) == 403, origin
    assert status(running, host, ("Sec-Fetch-Site", "cross-site"), path=path) == 403
    assert status(running, ("Host", f"{FOREIGN}:{running.port}"), path=path) == 403
    assert status(running, host, ("Host", FOREIGN), path=path) in (400, 403)
    assert status(running, path=path) in (400, 403)


@pytest.mark.parametrize("path", ["/showdown/websocket", "/showdown/123/abcdefgh/websocket"])
def test_websockets_from_elsewhere_are_refused(running, path):
    websockets = pytest.importorskip("websockets.sync.client")
    refused = pytest.importorskip("websockets.exceptions").InvalidStatus

    def connect(host: str = running.address, origin: str | None = None) -> str:
        with (
            socket.create_connection((HOST, running.port)) as raw,
            websockets.connect(
                f"ws://{host}{path}", sock=raw, origin=origin, close_timeout=0.1
            ) as connection,
        ):
            return str(connection.recv(60))

    assert connect()
    assert connect(origin=f"http://localhost:{running.port}")
    for host, origin in (
        (running.address, "https://evil.example"),
        (running.address, "null"),
        (f"evil.example:{running.port}", None),
        (f"evil.example:{running.port}", f"http://evil.example:{running.port}"),
    ):
        with pytest.raises(refused):
            connect(host, origin)


def test_keys_are_not_handed_to_node(showdown, monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "NPM_TOKEN"):
        monkeypatch.setenv(name, "secret")
    with ShowdownServer(showdown) as server, Simulator((), showdown) as simulator:
        for pid in (server.pid, simulator._process.pid):
            assert b"secret" not in Path(f"/proc/{pid}/environ").read_bytes()
