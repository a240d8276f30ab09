"""Run the commands that start children in a folder full of modules with taken names."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from engine.config import RunConfig
from engine.demos.recorder import random_policy, record_policy
from engine.ground.processes import python_command, python_environment
from engine.remote.folder import FOLDER_VARIABLE
from tests.hostile_folder import HostileFolder
from tests.pokeTUI.in_process import ROOT, program, succeeded
from tests.pokeTUI.test_serve import open_as_browser, see

pytestmark = pytest.mark.slow

SMALL = (
    "--envs=2", "--workers=1", "--set=ppo.rollout_steps=32", "--set=ppo.distillation_gradients=4"
)  # fmt: skip
SHORT = ("--set", "env.max_steps=50")


class Here:
    """The folder, and the program in it.

    Attributes:
        hostile: The folder.
        environment: The program's.
    """

    def __init__(self, path: Path, sockets: str) -> None:
        self.hostile = HostileFolder(path)
        self.environment = python_environment(**{FOLDER_VARIABLE: sockets})

    def command(self, *arguments: str) -> list[str]:
        return python_command("pokeTUI", *arguments, options=("-W", "ignore"))

    def poketui(self, *arguments: str) -> str:
        """Run the program; it must succeed, and run nothing that lies here."""
        done = succeeded(program(*arguments, cwd=self.hostile.path, **self.environment))
        assert self.hostile.imported == []
        return done.stdout


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    """A hostile folder in which one demonstration is saved."""
    path = tmp_path_factory.mktemp("hostile")
    config = RunConfig(save_dir=str(path / "saves"))
    played = record_policy(random_policy(1), config, 1, path / "saves" / "demos", max_steps=30)
    assert len(list(played)) == 1
    sockets = tempfile.mkdtemp(prefix="pt", dir="/tmp")
    yield Here(path, sockets)
    shutil.rmtree(sockets)


def test_doctor_runs_no_module_of_the_current_folder(here: Here) -> None:
    here.poketui("doctor")


def test_python_m_poketui_runs_no_module_of_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit(7)")
    shutil.copy(tmp_path / "numpy.py", tmp_path / "typer.py")
    command = [part for part in python_command("pokeTUI", "runs") if part != "-P"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)


def test_demos_validate_calls_good_demonstrations_good_whatever_lies_here(here: Here) -> None:
    assert "30 steps, exactly as recorded" in here.poketui("demos", "validate")


def test_a_run_and_what_plays_it_again_run_no_module_of_the_current_folder(here: Here) -> None:
    here.poketui("run", "--headless", "--steps", "256", *SMALL, *SHORT)
    here.poketui("eval", "--episodes", "1")
    here.poketui("replay")
    here.poketui(
        "bc", "--rules", "1", "--epochs", "1", "--hidden-size", "16", "--eval-episodes", "0"
    )


async def test_a_run_in_the_background_and_its_browser_run_no_module_from_here(here: Here) -> None:
    here.poketui("run", "--detach", *SMALL)
    try:
        server = subprocess.Popen(
            here.command("serve", "--port", "0"),
            cwd=here.hostile.path,
            env=here.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            found = (re.search(r"http://\S+token=\S+", line) for line in server.stdout)
            address = next(match[0] for match in found if match)
            async with aiohttp.ClientSession() as client:
                watched = await open_as_browser(client, address)
                await see(watched, "\x1b[")
                await watched.close()
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=60)
    finally:
        here.poketui("stop")


def test_measurements_run_no_module_of_the_current_folder(here: Here) -> None:
    here.poketui("bench", "env", "--steps", "20", "--repeats", "1")
