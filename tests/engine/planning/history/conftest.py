from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a history is written."""
    return tmp_path / "decisions.db"
