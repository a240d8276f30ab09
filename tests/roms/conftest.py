"""Places in the practice game that many tests start from, reached once by playing."""

from collections.abc import Callable, Iterator

import pytest

from tests.roms.first_act import reach, started
from tests.roms.machine import Machine
from tests.roms.player import Player

Start = Callable[[str], Machine]


def _begin() -> Player:
    return Player(Machine(seed=1))


@pytest.fixture(scope="session")
def _states() -> dict[str, bytes]:
    return {}


@pytest.fixture
def start(_states: dict[str, bytes]) -> Iterator[Start]:
    """Return a machine at a place, as first_act.reach() names them."""
    with started(Machine, lambda place: reach(place, _states, _begin)) as start_at:
        yield start_at
