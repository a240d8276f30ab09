import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from engine.battles.server import HOST, ShowdownServer
from engine.battles.setup import NodeCommand
from engine.child import code_command, python_environment
from engine.errors import WorkerError


def _newest(folder: Path) -> float:
    return max(path.stat().st_mtime for path in (folder, *folder.iterdir()))


def _is_running(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_server_listens_on_this_machine_only_and_restarts_on_its_port(
    showdown: NodeCommand,
) -> None:
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
    assert not _is_running(pid)
    assert (_newest(package / "config"), _newest(package)) == before


def test_server_ends_when_the_process_that_started_it_is_killed(showdown: NodeCommand) -> None:
    code = """
from pathlib import Path
from engine.battles.server import ShowdownServer
from engine.battles.setup import find_simulator
server = ShowdownServer(find_simulator())
print(server.pid, Path(f'/proc/{server.pid}/cwd').resolve(), flush=True)
input()
"""
    with subprocess.Popen(
        code_command(code),
        env=python_environment(POKETUI_SHOWDOWN=str(showdown.modules)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as owner:
        assert owner.stdout is not None
        number, _, folder = owner.stdout.readline().decode().strip().partition(" ")
        pid = int(number)
        assert _is_running(pid)
        owner.kill()
    while _is_running(pid):
        time.sleep(0.05)
    assert not Path(folder).exists()


@pytest.mark.tool("node")
def test_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    (tmp_path / "pokemon-showdown").mkdir()
    with pytest.raises(WorkerError, match=r"stopped while it started: .*Cannot find module"):
        ShowdownServer(NodeCommand("node", tmp_path, tmp_path))
