"""Places in the practice game that many tests start from, reached once by playing."""

from collections.abc import Callable, Iterator

import pytest

from tests.roms.machine import Machine, started
from tests.roms.player import Player

Start = Callable[[str], Machine]


def _reach(place: str, states: dict[str, bytes]) -> bytes:
    """Play to a place, from another that lies on the way there; keep both."""
    if place in states:
        return states[place]
    game = Machine(seed=1)
    player = Player(game)
    if place == "bedroom":
        player.start_game()
    elif place in ("town", "starter"):
        game.load(_reach("bedroom", states))
        if place == "town":
            player.travel("FERNWICK")
            player.walk_to((10, 8))
        else:
            player.take_starter(2)
    else:
        game.load(_reach("starter", states))
        player.travel(place)
    player.settle()
    states[place] = game.save()
    game.stop()
    return states[place]


@pytest.fixture(scope="session")
def _states() -> dict[str, bytes]:
    return {}


@pytest.fixture
def start(_states: dict[str, bytes]) -> Iterator[Start]:
    """Return a machine at "bedroom", "town" (no creature yet) or, with a starter, on a map."""
    with started(lambda place: _reach(place, _states)) as start_at:
        yield start_at
