from importlib.util import find_spec
from pathlib import Path

import pytest

from engine.emulator.base import Emulator
from engine.emulator.core import Core

_FILE = "mgba_libretro.so"


def assert_drawn_by_ticks_that_draw(machine: Emulator) -> None:
    """Check when the picture of a machine that has drawn none is that of now."""
    assert not machine.is_drawn
    state = machine.save_state()
    machine.tick(2, render=True)
    assert machine.is_drawn
    machine.tick(0)
    assert machine.is_drawn
    machine.tick(1)
    assert not machine.is_drawn
    machine.tick(1, render=True)
    machine.load_state(state)
    assert not machine.is_drawn


def _wheel() -> Path:
    package = find_spec("stable_retro")
    folders = (package and package.submodule_search_locations) or [""]
    return Path(folders[0], "cores", _FILE)


_PACKAGES = {"wheel": "pip install stable-retro", "debian": "apt install libretro-mgba"}


@pytest.fixture(params=_PACKAGES)
def core(request: pytest.FixtureRequest) -> Core:
    """Return each core that is installed: of the extra `gba`, and of Debian."""
    debian = Path("/usr/lib/x86_64-linux-gnu/libretro", _FILE)
    path = _wheel() if request.param == "wheel" else debian
    if not path.is_file():
        pytest.skip(f"needs {_FILE}: {_PACKAGES[request.param]}")
    return Core(path)
