"""The gatehouse's gallery has two levels, kept as Emerald keeps them in gObjectEvents."""

from collections.abc import Iterable
from contextlib import closing

import pytest

from engine.games.facts import read_rows
from tests.roms.advance.conftest import Start
from tests.roms.advance.machine import FACTS, Cell, Machine
from tests.roms.advance.player import Player
from tests.roms.advance.test_saving import continued, save
from tests.roms.advance.world import BADGE, DOOR, map_of, people, tiles

GROUND, UPPER, ANY, BRIDGE = 3, 4, 0, 15
KEEPER, UNDER = (3, 5), (4, 5)
TO_THE_STEPS = (*["up"] * 3, *["right"] * 5)
"""From before the gallery, under it, to the steps that lead up."""
ALONG_THE_GALLERY = (*["down"] * 2, *["left"] * 5)
"""From the steps to the cell beside the keeper, over that by which one came."""


def levels(game: Machine) -> tuple[int, int]:
    """Return the player's level of the present cell and the last that was not 0."""
    both = game.objects[0][0xB]
    return both & 15, both >> 4


def walk(game: Machine, buttons: Iterable[str]) -> None:
    """Take a step for each button; each must lead to the next cell."""
    player = Player(game)
    for button in buttons:
        player.face(button)
        before = game.position
        player.step(button)
        assert game.position != before, f"{button} at {before}"


@pytest.fixture
def hall(start: Start) -> Machine:
    """Return a game in the hall, on the ground before the gallery."""
    game = start("CENTER")
    game.set_flag(BADGE)
    player = Player(game)
    player.travel("GATEHOUSE")
    player.walk_to((4, 6))
    return game


def met(game: Machine) -> bool:
    """Return whether the keeper has been met."""
    rows = read_rows(FACTS, "events")
    return game.flag(next(int(row["flag"]) for row in rows if row["name"] == "MET_KEEPER"))


def test_the_door_opens_with_the_badge(start: Start) -> None:
    game = start("STONEHOLLOW")
    assert tiles(game)[10, 1].is_closed
    assert tiles(game)[10, 1].behaviour != DOOR


def test_a_walker_under_the_gallery_leaves_it_on_the_ground(hall: Machine) -> None:
    assert levels(hall) == (GROUND, GROUND)
    walk(hall, ["up"])
    assert tiles(hall)[hall.position].elevation == BRIDGE
    assert levels(hall) == (GROUND, GROUND)
    walk(hall, ["right"] * 3)
    player = Player(hall)
    player.face("right")
    player.step("right")
    assert hall.position == (7, 5), "the balcony is higher"
    walk(hall, ["up"])
    assert levels(hall) == (GROUND, GROUND)


def test_steps_lead_up_to_the_gallery_which_is_left_on_its_own_level(hall: Machine) -> None:
    walk(hall, [*TO_THE_STEPS, "down"])
    assert levels(hall) == (UPPER, UPPER)
    walk(hall, ALONG_THE_GALLERY[1:])
    assert (hall.position, levels(hall)) == (UNDER, (UPPER, UPPER))
    player = Player(hall)
    for button in ("up", "down"):
        player.face(button)
        player.step(button)
        assert hall.position == UNDER, "nobody jumps down"


def test_the_steps_keep_the_level_from_which_one_came(hall: Machine) -> None:
    walk(hall, TO_THE_STEPS)
    assert levels(hall) == (ANY, GROUND)


@pytest.mark.parametrize(("cell", "button"), [((3, 6), "up"), ((3, 4), "down"), ((4, 5), "left")])
def test_the_keeper_hears_nobody_from_below(hall: Machine, cell: Cell, button: str) -> None:
    player = Player(hall)
    player.walk_to(cell)
    assert KEEPER in people(hall)
    player.talk_at(cell, button)
    hall.tick(40)
    player.settle()
    assert not met(hall)


def test_nobody_above_is_in_the_way_below(hall: Machine) -> None:
    walk(hall, ["up", "left"])
    assert hall.position == KEEPER


def test_the_keeper_is_met_on_the_gallery(hall: Machine) -> None:
    walk(hall, [*TO_THE_STEPS, *ALONG_THE_GALLERY])
    Player(hall).talk_at(UNDER, "left")
    Player(hall).settle()
    assert met(hall)


@pytest.mark.parametrize(
    ("way", "level"), [(("up",), GROUND), ((*TO_THE_STEPS, *ALONG_THE_GALLERY), UPPER)]
)
def test_a_saved_game_continues_on_the_level_where_it_was_saved(
    hall: Machine, way: tuple[str, ...], level: int
) -> None:
    walk(hall, way)
    with closing(continued(save(hall))) as game:
        assert (game.map_key, game.position) == (map_of("GATEHOUSE"), UNDER)
        assert levels(game) == (level, level)


def test_the_gallery_hides_who_is_under_it_and_bears_who_is_on_it(hall: Machine) -> None:
    def is_hidden() -> bool:
        hall.tick(20)
        rows = hall.frame()[72:88]
        return bool((rows[:, 112:128] == rows[:, 128:144]).all())  # the player's cell and the next

    walk(hall, ["up"])
    assert is_hidden()
    walk(hall, [*TO_THE_STEPS[1:], *ALONG_THE_GALLERY])
    assert not is_hidden()
