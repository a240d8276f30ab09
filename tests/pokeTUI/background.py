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
from pathlib import Path

from engine.remote.folder import LiveRun, probe
from tests.engine.processes import children, is_gone, wait_until
from tests.pokeTUI.in_process import Done, program, succeeded
from tests.pokeTUI.pane_app import Size
from tests.pokeTUI.says import assert_has
from tests.pokeTUI.terminal import Terminal
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
        self._folder = folder
        self._windows: list[Terminal] = []

    def run(self, *arguments: str) -> Done:
        """Run the program without a terminal."""
        return program(*arguments, **self._variables)

    def detach(self) -> str:
        """Start a run in the background and return its id."""
        options = ["--envs", "4", "--workers", "1", "--save-dir", str(self.saves)]
        done = succeeded(self.run("run", "--detach", *options))
        (run_id,) = (path.name for path in (self.saves / "runs").iterdir())
        assert_has(done.stdout, f"poketui attach {run_id}", f"poketui stop {run_id}")
        return run_id

    def window(self, size: Size, line: str) -> Terminal:
        """Open a window in which a shell line runs."""
        folder = self._folder / f"window{len(self._windows)}"
        folder.mkdir()
        self._windows.append(Terminal(folder))
        script = f"(TERM=xterm-256color; {line}); echo exit code $?; sleep 600"
        self._windows[-1].start_line(size, script)
        return self._windows[-1]

    def shell_line(self, *arguments: str) -> str:
        """Return what a shell takes to run the program in its place."""
        words = [sys.executable, "-W", "ignore", "-m", "pokeTUI", *arguments]
        variables = " ".join(f"{name}={value}" for name, value in self._variables.items())
        return f"cd {ROOT} && {variables} COLORTERM=truecolor exec {' '.join(words)}"

    def live(self) -> LiveRun:
        """Return the one run that continues."""
        (path,) = self._sockets.glob("*.sock")
        found = probe(path)
        return found

    def checkpoints(self) -> list[Path]:
        return sorted(self.saves.glob("runs/*/checkpoints/*"))

    def close(self) -> None:
        for window in self._windows:
            window.close()
        while self.run("stop", "--now").returncode == 0:
            pass
        shutil.rmtree(self._sockets)


class SecureShell:
    """An sshd on the loopback interface with keys of its own, for this user."""

    def __init__(self, folder: Path) -> None:
        sshd = find_tool("sshd")
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
