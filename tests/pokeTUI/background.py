"""Runs in the background, windows and SSH connections to look at them: all of it real."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from engine.remote.folder import LiveRun, probe
from tests.engine.processes import children, is_gone, wait_until
from tests.tools import find_tool

ROOT = Path(__file__).parents[2]
LIMIT_S = 180.0
"""A machine may be slow, and others at work on it."""
_FIXED_SIZE = {"COLUMNS", "LINES"}


def environment() -> dict[str, str]:
    """Return the variables of now, those of this test's own folders among them."""
    return {name: value for name, value in os.environ.items() if name not in _FIXED_SIZE}


class Background:
    """A folder for runs and one for their sockets.

    Attributes:
        saves: What is given as --save-dir.
    """

    def __init__(self, folder: Path) -> None:
        self.saves = folder / "saves"
        self._sockets = Path(tempfile.mkdtemp(prefix="pt", dir="/tmp"))
        config = folder / "config"
        config.mkdir()
        (config / "preferences.toml").write_text("has_seen_first_run = true\n", encoding="utf-8")
        # Over SSH nothing of this process's environment arrives: the shell line names them too.
        self._variables = {
            "POKETUI_RUNTIME_DIR": str(self._sockets),
            "POKETUI_CONFIG_DIR": str(config),
            "POKETUI_CACHE_DIR": str(folder / "cache"),
        }

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the program without a terminal."""
        return subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "pokeTUI", *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
            env=environment() | self._variables,
            timeout=300,
        )

    def detach(self) -> str:
        """Start a run in the background and return its id."""
        options = ["--envs", "4", "--workers", "1", "--save-dir", str(self.saves)]
        done = self.run("run", "--detach", *options)
        assert done.returncode == 0, done.stderr
        (run_id,) = (path.name for path in (self.saves / "runs").iterdir())
        assert f"poketui attach {run_id}" in done.stdout
        assert f"poketui stop {run_id}" in done.stdout
        return run_id

    def shell_line(self, *arguments: str) -> str:
        """Return what a shell takes to run the program in its place."""
        words = [sys.executable, "-W", "ignore", "-m", "pokeTUI", *arguments]
        variables = " ".join(f"{name}={value}" for name, value in self._variables.items())
        return f"cd {ROOT} && {variables} COLORTERM=truecolor exec {' '.join(words)}"

    def live(self) -> LiveRun:
        """Return the one run that continues."""
        (path,) = self._sockets.glob("*.sock")
        found = probe(path)
        assert found is not None
        return found

    def checkpoints(self) -> list[Path]:
        return sorted(self.saves.glob("runs/*/checkpoints/*"))

    def close(self) -> None:
        while self.run("stop", "--now").returncode == 0:
            pass
        shutil.rmtree(self._sockets)


class Window:
    """A terminal of its own: a tmux server with one window, in which a shell line runs."""

    def __init__(self, folder: Path, size: tuple[int, int], line: str) -> None:
        self._socket = Path(tempfile.mkdtemp(prefix="tm", dir="/tmp")) / "tmux"
        columns, rows = map(str, size)
        script = f"(TERM=xterm-256color; {line}); echo exit code $?; sleep 600"
        self.tmux("-f", os.devnull, "new-session", "-d", "-x", columns, "-y", rows, script)

    def tmux(self, *arguments: str) -> str:
        result = subprocess.run(
            ["tmux", "-S", str(self._socket), *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=environment(),
        )
        assert result.returncode == 0, f"tmux {arguments}: {result.stderr}"
        return result.stdout

    def press(self, key: str) -> None:
        self.tmux("send-keys", key)

    def wait_for(self, *texts: str, seconds: float = LIMIT_S) -> str:
        """Return the screen once it shows all `texts`."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            screen = self.tmux("capture-pane", "-p")
            if all(text in screen for text in texts):
                return screen
            time.sleep(0.2)
        pytest.fail(f"never saw {texts} on\n{self.tmux('capture-pane', '-p')}")

    def close(self) -> None:
        self.tmux("kill-server")
        shutil.rmtree(self._socket.parent)


class SecureShell:
    """An sshd on the loopback interface with keys of its own, for this user."""

    def __init__(self, folder: Path) -> None:
        sshd = find_tool("sshd")
        assert sshd is not None
        self._folder = Path(tempfile.mkdtemp(prefix="sh", dir="/tmp"))
        for name in ("host", "user"):
            command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self._folder / name]
            subprocess.run(command, check=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        settings = (
            f"Port {self.port}",
            "ListenAddress 127.0.0.1",
            f"HostKey {self._folder / 'host'}",
            f"AuthorizedKeysFile {self._folder / 'user.pub'}",
            f"PidFile {self._folder / 'pid'}",
            "StrictModes no",
            "UsePAM no",
            "PermitRootLogin prohibit-password",
        )
        (self._folder / "config").write_text("\n".join(settings) + "\n")
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd does not start without
        log = (self._folder / "log").open("w")
        self._process = subprocess.Popen(
            [sshd, "-D", "-e", "-f", str(self._folder / "config")], stderr=log
        )
        log.close()
        assert wait_until(self._answers, LIMIT_S), (self._folder / "log").read_text()

    def line(self, remote: str) -> str:
        """Return what a shell takes to run a line at the other end, in a terminal."""
        user = pwd.getpwuid(os.geteuid()).pw_name
        options = "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
        key = f"-o IdentitiesOnly=yes -i {self._folder / 'user'}"
        return f"ssh -tt -F none {options} {key} -p {self.port} {user}@127.0.0.1 '{remote}'"

    def programs(self) -> list[int]:
        """Return the processes that were started by logging in."""
        return [pid for pid in self._descendants() if not self._is_sshd(pid)]

    def drop(self) -> None:
        """End every connection by killing its server's process."""
        for pid in self._descendants():
            if self._is_sshd(pid):
                with contextlib.suppress(ProcessLookupError):  # it ended with the one before
                    os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        self.drop()
        self._process.terminate()
        self._process.wait()
        shutil.rmtree(self._folder)

    def _answers(self) -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def _descendants(self) -> list[int]:
        found, waiting = [], [self._process.pid]
        while waiting:
            below = children(waiting.pop())
            found += below
            waiting += below
        return found

    @staticmethod
    def _is_sshd(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/comm").read_text().startswith("sshd")
        except OSError:
            return False


def all_gone(pids: list[int]) -> bool:
    return wait_until(lambda: all(map(is_gone, pids)), LIMIT_S)
