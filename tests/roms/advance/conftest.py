"""Places in MOSSLIGHT ADVANCE that many tests start from, reached once by playing."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.roms.advance.machine import Machine
from tests.roms.advance.player import Player

Start = Callable[[str], Machine]


def reach(place: str, states: dict[str, bytes]) -> bytes:
    """Play to a place, from another that lies on the way there; keep both.

    Args:
        place: "bedroom", "town" (no creature yet), "starter" (in the laboratory, just chosen) or a
            map's name, which is entered with a starter.
        states: Filled.
    """
    if place in states:
        return states[place]
    game = Machine(seed=1)
    player = Player(game)
    if place == "bedroom":
        player.start_game()
    elif place in ("town", "starter"):
        game.load(reach("bedroom", states))
        if place == "town":
            player.travel("FERNWICK")
            player.walk_to((10, 8))
        else:
            player.take_starter(2)
    else:
        game.load(reach("starter", states))
        player.travel(place)
    player.settle()
    states[place] = game.save()
    game.close()
    return states[place]


@pytest.fixture(scope="session")
def advance_states() -> dict[str, bytes]:
    """Saved states by place; `start` fills it."""
    return {}


@pytest.fixture
def start(advance_states: dict[str, bytes]) -> Iterator[Start]:
    """Return a machine at a place, as `reach` says them."""
    with ExitStack() as running:

        def start_at(place: str) -> Machine:
            game = Machine()
            running.callback(game.close)
            game.load(reach(place, advance_states))
            return game

        yield start_at
