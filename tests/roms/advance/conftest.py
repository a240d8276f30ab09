"""Places in MOSSLIGHT ADVANCE that many tests start from, reached once by playing."""

from collections.abc import Callable, Iterator

import pytest

from tests.roms.advance.machine import Machine
from tests.roms.advance.player import Player
from tests.roms.first_act import reach, started

Start = Callable[[str], Machine]


def _begin() -> Player:
    return Player(Machine(seed=1))


@pytest.fixture(scope="session")
def _advance_states() -> dict[str, bytes]:
    return {}


@pytest.fixture
def start(_advance_states: dict[str, bytes]) -> Iterator[Start]:
    """Return a machine at a place, as first_act.reach() names them."""
    with started(Machine, lambda place: reach(place, _advance_states, _begin)) as start_at:
        yield start_at
