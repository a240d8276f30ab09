"""Random buttons for a long time: nothing hangs, nothing breaks, and the game can still be won."""

import random
from collections.abc import Iterator

import pytest

from tests.engine.games.images import PRACTICE
from tests.roms.machine import Machine
from tests.roms.player import Player
from tests.roms.test_memory_contract import assert_screen_is_tilemap

pytestmark = pytest.mark.slow

BUTTONS = ("a", "b", "start", "select", "up", "down", "left", "right")
WEIGHTS = (24, 8, 2, 1, 17, 17, 17, 17)
ACTIONS_A_RUN = 50_000
CHECK_EVERY = 2_500
STACK_BOTTOM, STACK_GUARD = 0xC000, 32
MAX_WINDOWS = 4


def party_faults(game: Machine) -> Iterator[str]:
    """Yield what is wrong with the party."""
    count = game.get("wPartyCount")
    if count > 6:
        yield f"{count} creatures"
        return
    species = game.read("wPartySpecies")
    if species[count] != 0xFF:
        yield "the species list has no end"
    for slot in range(count):
        at = 48 * slot
        if game.get("wPartyMon1Species", at) != species[slot]:
            yield f"creature {slot} is another species than its list says"
        if game.get("wPartyMon1Species", at) not in PRACTICE.SPECIES:
            yield f"creature {slot} has no known species"
        if not 1 <= game.get("wPartyMon1Level", at) <= 100:
            yield f"creature {slot} has level {game.get('wPartyMon1Level', at)}"
        if game.number("wPartyMon1HP", at) > game.number("wPartyMon1MaxHP", at):
            yield f"creature {slot} has more HP than it can"


def faults(game: Machine) -> Iterator[str]:
    """Yield every broken invariant of a running game."""
    if game.map_key not in PRACTICE.MAPS:
        yield f"map {game.map_key}"
        return
    x, y = game.position
    if game.get("wMapStatus") == 2 and not (
        x < 2 * game.get("wMapWidth") and y < 2 * game.get("wMapHeight")
    ):
        yield f"position {x}, {y}"
    if game.is_free and (game.get("wPlayerMapX"), game.get("wPlayerMapY")) != (x + 4, y + 4):
        yield "struct and coordinates differ at rest"
    if game.number("wMoney", size=3) > 999_999:
        yield "too much money"
    if game.get("wJohtoBadges") not in (0, 1):
        yield f"badges {game.get('wJohtoBadges'):02x}"
    if game.get("wWindowStackSize") > MAX_WINDOWS:
        yield f"{game.get('wWindowStackSize')} windows"
    if game.get("wNumItems") > 20 or game.get("wNumBalls") > 12:
        yield "bag overflow"
    yield from party_faults(game)


def assert_alive(game: Machine) -> None:
    """The clock runs, and a player leads back to the map; the state is left as it was."""
    state = game.save()
    before = game.number("wGameTimeHours", size=5)
    game.act()
    Player(game).settle()
    game.tick(40)
    if game.is_free:
        assert_screen_is_tilemap(game)
    assert game.number("wGameTimeHours", size=5) != before, "the clock stands still"
    game.load(state)


@pytest.mark.parametrize("seed", [1, 2])
def test_random_buttons_never_break_the_game(seed: int) -> None:
    rng = random.Random(seed)
    game = Machine(seed=seed * 7919)
    guard = [game.byte(STACK_BOTTOM + i) for i in range(STACK_GUARD)]
    maps_seen = set()
    states = []
    for action in range(1, ACTIONS_A_RUN + 1):
        game.act(rng.choices(BUTTONS, WEIGHTS)[0], hold=rng.choice((2, 8, 8, 8, 14)))
        if not game.in_game:
            assert action < 1000, "the introduction never ends"
            continue
        maps_seen.add(game.map_key)
        broken = list(faults(game))
        assert not broken, f"action {action}: {broken}\n{Player(game).where()}"
        if action % CHECK_EVERY == 0:
            assert_alive(game)
            states.append(game.save())
    assert [game.byte(STACK_BOTTOM + i) for i in range(STACK_GUARD)] == guard, "stack overflow"
    assert len(maps_seen) >= 3
    for state in states[:: len(states) // 2]:
        game.load(state)
        Player(game).win_badge()
    game.close()
