import pytest

from tests.engine.rewards.played import PaidMachine
from tests.roms.player import Player


@pytest.fixture
def player(game: PaidMachine) -> Player:
    """Somebody who plays the module's game, from bed."""
    player = Player(game)
    player.settle()
    return player
