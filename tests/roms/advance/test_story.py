"""People do what the first act promises."""

import struct

import pytest

from engine.games.facts import read_rows
from tests.roms.advance.conftest import Start
from tests.roms.advance.machine import FACTS, Cell, Machine
from tests.roms.advance.party import party
from tests.roms.advance.player import Player
from tests.roms.advance.test_story_contract import to_battle_menu
from tests.roms.advance.world import BADGE, COUNTER, map_names, map_of, people
from tests.roms.first_act import DIRECTIONS

ITEMS, BALLS = (0x560, 30), (0x650, 16)
"""Offset in save block 1 and number of places of two pockets."""
BALL, POTION = 4, 13
PARTY_HP, OWN_HP, ENEMY_HP = 0x020244EC + 86, 0x02024084 + 0x28, 0x02024084 + 0x58 + 0x28
SPECIES = {1: "CINDLE", 2: "RILLET", 3: "SPRIGOT"}


def quantity(game: Machine, pocket: tuple[int, int], item: int) -> int:
    """Return how many of an item the bag holds."""
    offset, places = pocket
    raw = struct.iter_unpack("<HH", game.block(1, offset, 4 * places))
    return next((count ^ game.key & 0xFFFF for found, count in raw if found == item), 0)


def event(game: Machine, name: str) -> bool:
    """Return whether something of the story has happened."""
    rows = read_rows(FACTS, "events")
    return game.flag(next(int(row["flag"]) for row in rows if row["name"] == name))


def weaken(game: Machine, *addresses: int) -> None:
    """Leave one HP."""
    for address in addresses:
        game.emulator.write(0, address, b"\1\0")


def test_each_ball_holds_its_creature(start: Start) -> None:
    for number, species in SPECIES.items():
        game = start("town")
        Player(game).take_starter(number)
        (one,) = party(game)
        names = game.profile.rom["gSpeciesNames"] + 11 * one.species
        assert game.at(names, 3) == bytes(0xBB + ord(letter) - ord("A") for letter in species[:3])
        assert (5 + number, 4) not in people(game)
        assert quantity(game, BALLS, BALL) == 5


@pytest.mark.parametrize(
    ("title", "at", "button"),
    [("HOME 1F", (3, 4), "left"), ("CENTER", (4, 4), "up"), ("HOME 2F", (1, 4), "left")],
)
def test_mother_nurse_and_bed_heal(start: Start, title: str, at: Cell, button: str) -> None:
    game = start("STONEHOLLOW" if title == "CENTER" else "starter")
    player = Player(game)
    player.travel(title)
    weaken(game, PARTY_HP)
    player.talk_at(at, button)
    player.wait_for(lambda: player.health() == 1)
    player.settle()
    assert game.map_key == map_of(title)


def test_wren_can_be_lost_to_without_a_whiteout(start: Start) -> None:
    game = start("starter")
    player = Player(game)
    money = game.money
    player.travel("FERNWICK")
    player.talk_at((12, 9), "up")
    player.answer_yes()
    player.wait_for(lambda: game.in_battle)
    to_battle_menu(game)
    assert game.get("gBattleTypeFlags", size=4) & 8
    weaken(game, PARTY_HP, OWN_HP)
    game.emulator.write(0, ENEMY_HP, b"\x63\0")
    seen = set()
    game.watch = lambda: seen.add(game.mode)
    player.settle()
    assert "CB2_WhiteOut" not in seen
    assert game.get("gBattleOutcome") == 2
    assert game.map_key == map_of("FERNWICK")
    assert game.money == money
    assert player.health() == 1
    assert event(game, "WREN_FOUGHT")
    assert "fun" in game.text


def test_the_mason_gives_potions_once(start: Start) -> None:
    game = start("MASON HOUSE")
    player = Player(game)
    for _ in range(2):
        player.talk_at((4, 4), "right")
        player.settle()
    assert quantity(game, ITEMS, POTION) == 2
    assert event(game, "GOT_POTION")


def test_visits_set_their_events(start: Start) -> None:
    game = start("CENTER")
    assert event(game, "ROUTE_ENTERED")
    assert event(game, "STONEHOLLOW_REACHED")
    assert event(game, "CENTER_VISITED")
    assert not event(game, "GYM_ENTERED")


def near(player: Player, at: Cell) -> tuple[Cell, str] | None:
    """Return where one can stand to talk to somebody, and where to look."""
    found, here = player.tiles(), player.game.position
    for button, (dx, dy) in DIRECTIONS.items():
        cell = at[0] - dx, at[1] - dy
        if found[cell].behaviour == COUNTER:
            cell = cell[0] - dx, cell[1] - dy
        if cell == here or player.path({cell}):
            return cell, button
    return None


@pytest.mark.slow
def test_everybody_says_something_and_lets_go(start: Start) -> None:
    game = start("starter")
    game.set_flag(BADGE)
    player = Player(game)
    spoken = 0
    for title in map_names().values():
        player.travel(title)
        for at, slot in people(game).items():
            if tuple(game.objects[slot][0xA:0x8:-1]) != game.map_key:
                continue  # of the map that the player has come from
            place = near(player, at)
            if place is None or title == "GYM":
                continue
            before = game.text
            player.talk_at(*place)
            was_talking = game.get("sGlobalScriptContextStatus") == 0
            game.tick(40)
            spoken += was_talking and bool(game.text) and game.text != before
            player.settle()
            player.travel(title)
    assert spoken >= 10
