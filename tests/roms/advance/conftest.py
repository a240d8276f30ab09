"""Places and a battle of MOSSLIGHT ADVANCE that tests start from, reached once by playing."""

from collections.abc import Callable, Iterator

import pytest

from engine.games.emerald.screen import decode
from tests.roms.advance.battles import Battle, enter_wild_battle
from tests.roms.advance.machine import Machine
from tests.roms.advance.player import Player
from tests.roms.first_act import reach, started

Start = Callable[[str], Machine]
Wild = tuple[Machine, bytes]
"""A machine, and its state at the action menu of a wild battle."""


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


@pytest.fixture(scope="session")
def wild() -> Iterator[Wild]:
    game, state = enter_wild_battle()
    yield game, state
    game.close()


@pytest.fixture
def battle(wild: Wild) -> Battle:
    return Battle(*wild)


@pytest.fixture
def moves(wild: Wild) -> dict[str, int]:
    """Names in the image -> numbers."""
    game, _ = wild
    at = game.profile.rom["gMoveNames"]
    return {decode(game.at(at + 13 * number, 13)): number for number in range(1, 28)}


@pytest.fixture
def species(wild: Wild) -> dict[str, int]:
    game, _ = wild
    at = game.profile.rom["gSpeciesNames"]
    return {decode(game.at(at + 11 * number, 11)): number for number in range(1, 13)}
