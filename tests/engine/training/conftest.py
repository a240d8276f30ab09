import pytest
import torch

from engine.training import reporter


@pytest.fixture(autouse=True, scope="session")
def single_thread() -> None:
    """Two threads on a busy machine wait for each other more than they work."""
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def every_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw every step that is watched: a saved game has its last picture in it.

    Which are drawn would depend on the clock else, and saved games would differ by that.
    """
    monkeypatch.setattr(reporter, "FAST_FRAME_INTERVAL_S", 0.0)
