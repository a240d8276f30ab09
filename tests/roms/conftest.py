"""Places in the practice game that many tests start from, reached once by playing."""

from collections.abc import Callable, Iterator

import pytest

from tests.roms.machine import Machine
from tests.roms.player import Player

Start = Callable[[str], Machine]


def _reach(place: str) -> bytes:
    game = Machine(seed=1)
    player = Player(game)
    player.start_game()
    if place == "town":
        player.travel("FERNWICK")
        player.walk_to((10, 8))
    elif place != "bedroom":
        player.take_starter(2)
        player.travel(place)
    player.settle()
    state = game.save()
    game.stop()
    return state


@pytest.fixture(scope="session")
def _states() -> dict[str, bytes]:
    return {}


@pytest.fixture
def start(_states: dict[str, bytes]) -> Iterator[Start]:
    """Return a machine at "bedroom", "town" (no creature yet) or, with a starter, on a map."""
    running: list[Machine] = []

    def at(place: str) -> Machine:
        if place not in _states:
            _states[place] = _reach(place)
        game = Machine()
        game.load(_states[place])
        running.append(game)
        return game

    yield at
    for game in running:
        game.stop()
