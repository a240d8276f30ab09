"""Random buttons for a long time: nothing hangs, nothing breaks, and the game can still be won."""

import random
from collections.abc import Iterator

import pytest

from tests.roms.advance.conftest import Start
from tests.roms.advance.machine import OFFSET, Machine
from tests.roms.advance.party import party
from tests.roms.advance.player import Player
from tests.roms.advance.world import map_names, size

pytestmark = pytest.mark.slow

BUTTONS = ("a", "b", "start", "select", "up", "down", "left", "right", "l", "r")
WEIGHTS = (24, 8, 2, 1, 17, 17, 17, 17, 1, 1)
ACTIONS_A_RUN = 2_000
CHECK_EVERY = 400
SPECIES, MOVES = range(1, 13), range(1, 64)


def party_faults(game: Machine) -> Iterator[str]:
    """Yield what is wrong with the party."""
    count, creatures = game.get("gPlayerPartyCount"), party(game)
    if len(creatures) != count:
        yield f"{len(creatures)} creatures where {count} are counted"
    for slot, one in enumerate(creatures):
        if not one.is_sound:
            yield f"creature {slot} has a wrong checksum"
        if one.species not in SPECIES or not 1 <= one.level <= 100:
            yield f"creature {slot} is species {one.species} of level {one.level}"
        if one.hp > one.stats[0]:
            yield f"creature {slot} has {one.hp} HP of {one.stats[0]}"
        if one.moves[0] not in MOVES:
            yield f"creature {slot} has the moves {one.moves}"


def faults(game: Machine) -> Iterator[str]:
    """Yield every broken invariant of a running game."""
    if game.map_key not in map_names():
        yield f"map {game.map_key}"
        return
    first, second = (game.get(f"gSaveBlock{n}Ptr", size=4) for n in (1, 2))
    offset = first - 0x02025A00
    if offset not in range(0, 0x80, 4) or second - 0x02024A54 != offset:
        yield f"save blocks at {first:08X} and {second:08X}"
    if game.money > 999_999:
        yield f"{game.money} money"
    if not game.mode:
        yield "an unknown mode"
    if game.is_free:
        yield from standing_faults(game)
    yield from party_faults(game)


def standing_faults(game: Machine) -> Iterator[str]:
    """Yield what is wrong while the player stands in the field, in control."""
    (x, y), (width, height) = game.position, size(game)
    if not (0 <= x < width and 0 <= y < height):
        yield f"position {x}, {y} of {width} x {height}"
    raw = game.objects[0]
    places = [int.from_bytes(raw[at : at + 2], "little") for at in (0x10, 0x12, 0x14, 0x16)]
    if places != [x + OFFSET, y + OFFSET] * 2:
        yield f"object at {places}, player at {x}, {y}"
    if tuple(raw[0xA:0x8:-1]) != game.map_key:
        yield "the player's object is on another map"
    if any(game.get("sTextPrinters", 0x24 * i + 0x1B) for i in range(32)):
        yield "text is printed while the player is free"
    if game.tasks:
        yield f"tasks {game.tasks} while the player is free"


def assert_alive(game: Machine) -> None:
    """A player leads back to the field; the state is left as it was."""
    state = game.save()
    Player(game).settle()
    assert game.is_free
    game.load(state)


def soak(game: Machine, seed: int, actions: int) -> set[tuple[int, int]]:
    """Press random buttons, checking after each, then win the badge; return the maps seen."""
    rng, maps_seen, button, more = random.Random(seed), set(), "", 0
    for action in range(1, actions + 1):
        if not more:
            button, more = rng.choices(BUTTONS, WEIGHTS)[0], rng.choice((1, 1, 2, 3, 5, 8))
        more -= 1
        game.act(button, hold=rng.choice((2, 8, 12, 12, 16)))
        maps_seen.add(game.map_key)
        broken = list(faults(game))
        assert not broken, f"action {action}: {broken}\n{Player(game).where()}"
        if action % CHECK_EVERY == 0:
            assert_alive(game)
    Player(game).win_badge()
    return maps_seen


@pytest.mark.parametrize("place", ["bedroom", "starter", "MILLBROOK PATH", "STONEHOLLOW"])
def test_random_buttons_never_break_the_game(start: Start, place: str) -> None:
    game = start(place)
    game.seed(7919)
    assert len(soak(game, 1, ACTIONS_A_RUN)) >= 2
