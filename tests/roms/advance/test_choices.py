"""Screens and lists that ask: the starters, a gift by its text, an evolution that B stops."""

import pytest

from engine.games.emerald.screen import decode
from tests.roms.advance.conftest import Start
from tests.roms.advance.machine import Machine
from tests.roms.advance.party import party
from tests.roms.advance.player import Player

POINTER, LIST_SIZE = 4, 8
SPRIGOT, CINDLE, RILLET, GRUBBUD = 3, 1, 2, 8
SCENE = "CB2_EvolutionSceneUpdate"
PATIENCE = 400
NEW_LINE = 0xFE
TYPES, TYPE_NAMES, TYPE_SIZE, SPECIES_SIZE = 6, "gTypeNames", 7, 28


def number(game: Machine, address: int, size: int = 4) -> int:
    return int.from_bytes(game.at(address, size), "little")


def name_of(game: Machine, species: int) -> str:
    return decode(game.at(game.profile.rom["gSpeciesNames"] + 11 * species, 11))


# ---- the starters ------------------------------------------------------------------------------


def test_the_cursor_begins_in_the_middle_and_stops_at_the_ends(start: Start) -> None:
    game = start("town")
    Player(game).open_starters()
    seen = [game.starter]
    for button in ("right", "right", "left", "left", "left", "b"):
        game.act(button)
        seen.append(game.starter)
    assert seen == [1, 2, 2, 1, 0, 0, 0]


def test_the_image_says_which_starter_lies_where(start: Start) -> None:
    for ball in (1, 2, 3):
        game = start("town")
        player = Player(game)
        player.take_starter(ball)
        table = game.profile.rom["sStarterMon"]
        shown = [number(game, table + 2 * column, 2) for column in range(3)]
        assert shown == [SPRIGOT, CINDLE, RILLET]
        assert party(game)[0].species == ball


def test_no_leads_back_to_the_choice_and_the_party_stays_empty(start: Start) -> None:
    game = start("town")
    player = Player(game)
    player.open_starters()
    player.point_at_starter(2)
    player.wait_for(lambda: "Task_HandleConfirmStarterInput" in game.tasks)
    assert game.get("sMenu", 2) == 0
    assert "RILLET" in game.text
    game.act("down")
    game.act("a")
    player.wait_for(lambda: game.starter is not None, "")
    assert (game.starter, player.party_size) == (2, 0)
    assert not game.flag(0x860)


# ---- a gift by its text ------------------------------------------------------------------------


def ask_for_gift(start: Start) -> Player:
    """Talk to DR. ALDER, until the list waits."""
    player = Player(start("starter"))
    player.talk_at((5, 4), "up")
    player.wait_for(lambda: "Task_HandleMultichoiceInput" in player.game.tasks)
    return player


def test_the_entries_of_a_choice_are_found_by_its_number(start: Start) -> None:
    game = ask_for_gift(start).game
    data = game.task_data("Task_HandleMultichoiceInput")
    assert data is not None
    left, top, right, bottom, ignores_b, wraps, _, chosen = data
    assert left < right
    assert top < bottom
    assert (ignores_b, wraps) == (0, 0)
    entry = game.profile.rom["sMultichoiceLists"] + LIST_SIZE * chosen
    entries, count = number(game, entry), number(game, entry + POINTER)
    texts = [decode(game.at(number(game, entries + 8 * row), 20)) for row in range(count)]
    assert texts == ["POTION", "GRUBBUD", "NOTHING"]
    assert game.get("sMenu", 4) == count - 1


@pytest.mark.parametrize("row", [0, 1])
def test_a_gift_is_given_once(start: Start, row: int) -> None:
    game = start("starter")
    player = Player(game)
    player.take_gift(row)
    assert player.party_size == 1 + row
    assert [one.species for one in party(game)][1:] == [GRUBBUD] * row
    player.talk_at((5, 4), "up")
    player.settle()
    assert "MILLBROOK" in game.text


@pytest.mark.parametrize("buttons", ["b", "dda"])
def test_whoever_takes_nothing_may_ask_again(start: Start, buttons: str) -> None:
    player = ask_for_gift(start)
    for button in buttons:
        player.game.act({"d": "down"}.get(button, button))
    player.settle()
    assert player.party_size == 1
    player.take_gift(1)
    assert player.party_size == 2


# ---- evolution ---------------------------------------------------------------------------------


@pytest.fixture
def evolving(start: Start) -> Player:
    """Win, with the gift, the battle after which it is old enough, up to the first frame."""
    game = start("starter")
    player = Player(game)
    player.take_gift(1)
    player.travel("GYM")
    battle = player.battle_action

    def until_the_scene() -> None:
        if game.mode != SCENE:
            battle()

    player.battle_action = until_the_scene  # type: ignore[method-assign]
    player.walk_to((4, 10))
    for _ in range(PATIENCE):
        if game.in_battle:
            break
        game.act("up" if game.is_free else "b", hold=4)
    while game.mode != SCENE:
        before = game.save()
        battle()
    game.load(before)
    while game.mode != SCENE:
        game.tick()
    del player.battle_action  # type: ignore[attr-defined]
    return player


def test_the_scene_says_who_evolves_from_its_first_frame_on(evolving: Player) -> None:
    assert evolving.game.text == "What? GRUBBUD is evolving!"
    assert evolving.game.read("gStringVar4")[5] == NEW_LINE


def test_b_stops_an_evolution(evolving: Player) -> None:
    game = evolving.game
    evolving.stops_evolution = True
    evolving.wait_for(lambda: not game.text.startswith("What?"), "b")
    assert "stays" in game.text
    evolving.settle()
    assert [name_of(game, one.species) for one in party(game)] == ["RILLET", "GRUBBUD"]


def test_a_does_nothing_and_the_evolution_is_told(evolving: Player) -> None:
    game = evolving.game
    evolving.wait_for(lambda: not game.text.startswith("What?"), "a")
    assert game.text.startswith("Congratulations!")
    evolving.settle()
    assert [name_of(game, one.species) for one in party(game)] == ["RILLET", "MOTHLET"]


def test_the_first_leaders_team_fears_the_starter_on_the_right(start: Start) -> None:
    game = start("town")
    rom = game.profile.rom
    leader = rom["gTrainers"] + 40
    team, count = number(game, leader + 36), number(game, leader + 32, 1)
    kinds = {number(game, team + 8 * at + 4, 2) for at in range(count)}
    types = {game.at(rom["gSpeciesInfo"] + SPECIES_SIZE * kind + TYPES, 1)[0] for kind in kinds}
    names = {decode(game.at(rom[TYPE_NAMES] + TYPE_SIZE * one, TYPE_SIZE)) for one in types}
    assert names == {"ROCK"}
    water = game.at(rom["gSpeciesInfo"] + SPECIES_SIZE * RILLET + TYPES, 1)[0]
    rock = next(iter(types))
    assert bytes((water, rock, 20)) in game.at(rom["gTypeEffectiveness"], 135)
