"""Run a battle server (Pokémon Showdown) of our own on this machine."""

import contextlib
import time
from typing import Self

from engine.battles.sim.processes import NodeProcess
from engine.battles.sim.setup import NodeCommand, script_folder
from engine.errors import WorkerError
from engine.ground.processes import foreign_environment
from engine.ground.scratch import scratch_folder

HOST = "127.0.0.1"
_LINKED = ("dist", "data", "server", "translations", "package.json")
_MEGABYTES = 2048


class ShowdownServer:
    """A server without accounts, reachable from this machine only, which ends with this process.

    It runs from a folder of its own that links to the installed package, which it would write to
    otherwise.

    Raises:
        WorkerError: It does not start.
    """

    def __init__(self, node: NodeCommand, port: int = 0, *, timeout_s: float = 60.0) -> None:
        self._node = node
        self._timeout_s = timeout_s
        self._owned = contextlib.ExitStack()
        self._folder = self._owned.enter_context(scratch_folder())
        self._process: NodeProcess | None = None
        self.port = port
        try:
            self._make_tree()
            self._start()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    @property
    def address(self) -> str:
        """Host and port."""
        return f"{HOST}:{self.port}"

    @property
    def pid(self) -> int | None:
        """Return the id of the server's process, while it runs."""
        return self._process.pid if self._process and self._process.is_running else None

    def restart(self) -> None:
        """Start it again on the same port; the battles on it are lost."""
        self._stop()
        self._start()

    def wait(self) -> None:
        """Wait until it ends by itself."""
        if self._process:
            self._process.wait()

    def close(self) -> None:
        """End it and remove its folder."""
        self._stop()
        self._owned.close()

    def _make_tree(self) -> None:
        package = self._node.modules / "pokemon-showdown"
        for name in _LINKED:
            (self._folder / name).symlink_to(package / name)
        (self._folder / "node_modules").symlink_to(self._node.modules)
        for name in ("config/chat-plugins", "databases", "logs"):
            (self._folder / name).mkdir(parents=True)
        (self._folder / "config" / "config.js").symlink_to(script_folder() / "server.js")

    def _start(self) -> None:
        port_file = self._folder / "port"
        port_file.unlink(missing_ok=True)
        # Without the two flags it would look for its folders in the installed package.
        command = [
            *(self._node.node, "--preserve-symlinks", "--preserve-symlinks-main"),
            *(f"--max-old-space-size={_MEGABYTES}", "dist/server/index.js"),
        ]
        environment = foreign_environment(
            POKETUI_PORT=str(self.port), POKETUI_PORT_FILE=str(port_file)
        )
        self._process = NodeProcess(command, environment, self._folder)
        deadline = time.monotonic() + self._timeout_s
        while not port_file.exists():
            if not self._process.is_running:
                reason = self._process.complaint or ": it gave no reason"
                raise WorkerError(f"The battle server stopped while it started{reason}.")
            if time.monotonic() > deadline:
                raise WorkerError(f"The battle server did not start in {self._timeout_s:.0f} s.")
            time.sleep(0.02)
        self.port = int(port_file.read_text())

    def _stop(self) -> None:
        if self._process is not None:
            self._process.close(0.0)  # it has nothing to save
        self._process = None
