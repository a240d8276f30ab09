import pytest

from engine.training import reporter


@pytest.fixture(autouse=True)
def every_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw every step that is watched: a saved game has its last picture in it.

    Which are drawn would depend on the clock else, and saved games would differ by that.
    """
    monkeypatch.setattr(reporter, "FAST_FRAME_INTERVAL_S", 0.0)
