import os
import sys
from collections.abc import Iterator

import pytest

from tests.pokeTUI.conftest import _patient_pilot, _quick_screen, _truecolor_terminal, config_dir  # noqa: F401 (fixtures of all tests that open a cockpit)
from tests.toy_game.install import install


@pytest.fixture(scope="module")
def rom(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Install the game for this process and those that it starts; return the game's file."""
    folder = tmp_path_factory.mktemp("installed")
    file = install(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        yield str(file)
