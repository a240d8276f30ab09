"""Where faults happen: a folder of its own, a saved run to damage, the program to run."""

import contextlib
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from unittest import mock

from engine.commands import KeepState
from engine.config import EnvConfig, PlannerConfig, PPOConfig, RunConfig
from engine.events import CheckpointSaved
from engine.ground.processes import python_command
from engine.remote.folder import FOLDER_VARIABLE
from engine.sessions.train import EngineSession
from tests.engine.planning.models.servers.scripted_ollama import OllamaServer
from tests.engine.planning.models.servers.scripted_planner import ScriptedPlanner
from tests.engine.processes import wait_until

ROOT = Path(__file__).parents[3]
LIMIT_S = 120.0
"""Whatever takes longer hangs."""
SMALL = ("--envs", "2", "--workers", "1", "--set", "ppo.hidden_size=32")


class Workshop:
    """A folder with all that faults happen to; what lies outside of a save folder must not change.

    Attributes:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.soak_steps = 0
        self.count = 0
        self.outside = path / "outside"
        self.outside.mkdir()
        (self.outside / "victim").write_text("nobody may change this\n")
        self._before = fingerprint(self.outside)
        self._sockets = Path(tempfile.mkdtemp(prefix="pt", dir="/tmp"))
        (path / "config").mkdir()
        (path / "config" / "preferences.toml").write_text("has_seen_first_run = true\n")
        self.variables = {
            "POKETUI_CONFIG_DIR": str(path / "config"),
            FOLDER_VARIABLE: str(self._sockets),
            "PYTHONPATH": str(ROOT),
            "PYTHONWARNINGS": "ignore",
        }
        self.environment = os.environ | self.variables

    def close(self) -> None:
        shutil.rmtree(self._sockets, ignore_errors=True)

    @property
    def is_outside_whole(self) -> bool:
        """Return whether nothing has changed beside the save folders."""
        return fingerprint(self.outside) == self._before

    def folder(self) -> Path:
        """Return a new, empty folder."""
        self.count += 1
        path = self.path / f"{self.count:05d}"
        path.mkdir()
        return path

    @cached_property
    def saved_run(self) -> Path:
        """Return the folder of a run with every kind of file: nobody may change it."""
        saves = self.folder()
        with OllamaServer(ScriptedPlanner("oracle")) as server:
            config = RunConfig(
                save_dir=str(saves), headless=True, num_envs=2, workers=1, total_steps=1500,
                llm_model="scripted", llm_base_url=server.url, save_interval=1,
                planner=PlannerConfig(calls_per_minute=6000),
                ppo=PPOConfig(rollout_steps=64, minibatch_size=32, hidden_size=32),
                env=EnvConfig(max_steps=300, progress_steps=0),
            )  # fmt: skip
            session = EngineSession(config)
            session.start()
            is_saved = lambda: any(  # noqa: E731
                isinstance(event, CheckpointSaved) for event in session.mailbox.drain()
            )
            assert wait_until(is_saved, LIMIT_S)
            session.send(KeepState())
            assert session.join(LIMIT_S)
        (path,) = (saves / "runs").iterdir()
        return path

    def copy_of_saves(self, own: str = "") -> Path:
        """Return a save folder with two runs: one to damage, `bad`, and `good`.

        Args:
            own: Which file of checkpoints/ `bad` has a copy of; the others are shared.
        """
        saves = self.folder()

        def copy(source: str, target: str) -> str:
            is_shared = "checkpoints" in source and Path(source).name != own
            return str((os.link if is_shared else shutil.copy2)(source, target) or target)

        for name in ("good", "bad"):
            shutil.copytree(self.saved_run, saves / "runs" / name, copy_function=copy)
        return saves

    def command(self, *arguments: str) -> list[str]:
        """Return what runs the program."""
        return python_command("pokeTUI", *arguments)

    def run(self, *arguments: str, limit_s: float = LIMIT_S) -> subprocess.CompletedProcess[str]:
        """Run the program to its end, in a process of its own.

        Raises:
            subprocess.TimeoutExpired: It hangs.
        """
        return subprocess.run(
            self.command(*arguments), capture_output=True, text=True, check=False,
            env=self.environment, cwd=self.path, timeout=limit_s,
        )  # fmt: skip


def run_here(*arguments: str) -> tuple[int, str, str]:
    """Run a command of the program in this process; return its code and what it said."""
    from pokeTUI.cli.main import main

    said, complained = io.StringIO(), io.StringIO()
    code = 0
    with (
        mock.patch.object(sys, "argv", ["poketui", *arguments]),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(complained),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
    return code, said.getvalue(), complained.getvalue()


def fingerprint(folder: Path) -> str:
    """Return what tells whether anything in a folder has changed."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        found.update(f"{path.relative_to(folder)}{path.lstat().st_mode}".encode())
        if path.is_file():
            found.update(path.read_bytes())
    return found.hexdigest()


@contextlib.contextmanager
def workshop() -> Iterator[Workshop]:
    """Give a workshop that is gone afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)  # other users are let in for the folders that are theirs
        shop = Workshop(Path(name))
        try:
            with mock.patch.dict(os.environ, shop.variables):
                yield shop
        finally:
            shop.close()
