"""People do what the first act promises."""

import pytest

from tests.engine.games.images import PRACTICE
from tests.roms.conftest import Start
from tests.roms.machine import Machine
from tests.roms.player import Player, map_of, objects
from tests.roms.test_memory_contract import find_battle, to_battle_menu

BALL, POTION = 5, 18


def quantity(game: Machine, pocket: str, item: int) -> int:
    raw = game.read(pocket)
    return dict(zip(raw[::2], raw[1::2], strict=False)).get(item, 0)


def event(game: Machine, name: str) -> bool:
    return game.event(PRACTICE.EVENT_FLAGS[name])


def test_a_girl_can_be_chosen() -> None:
    game = Machine(seed=1)
    player = Player(game)
    game.tick(60)
    game.act("start")
    player.wait_for_menu()
    player.choose(1)
    player.start_game()
    assert game.get("wPlayerGender") == 1
    game.close()


def test_town_cannot_be_left_without_a_creature(start: Start) -> None:
    game = start("town")
    player = Player(game)
    player.walk_to((10, 2))
    player.face("up")
    for _ in range(12):
        player.step("up")
        assert game.map_key == map_of("FERNWICK")
    assert game.position[1] >= 1


@pytest.mark.parametrize(("ball", "species"), [(1, "CINDLE"), (2, "RILLET"), (3, "SPRIGOT")])
def test_each_ball_holds_its_creature(start: Start, ball: int, species: str) -> None:
    game = start("town")
    player = Player(game)
    player.take_starter(ball)
    assert PRACTICE.SPECIES[game.get("wPartySpecies")] == species
    assert (5 + ball, 4) not in objects(game)
    assert quantity(game, "wBalls", BALL) == 5


def test_no_leaves_the_ball_where_it_is(start: Start) -> None:
    game = start("town")
    player = Player(game)
    player.travel("LAB")
    player.talk_at((7, 5), "up")
    player.wait_for_menu()
    player.choose(1)
    player.settle()
    assert game.get("wPartyCount") == 0
    assert (7, 4) in objects(game)


@pytest.mark.parametrize(
    ("title", "at", "button"),
    [("HOME 1F", (3, 4), "left"), ("CENTER", (4, 4), "up"), ("HOME 2F", (1, 4), "left")],
)
def test_mother_bed_and_nurse_heal(
    start: Start, title: str, at: tuple[int, int], button: str
) -> None:
    game = start("STONEHOLLOW")
    player = Player(game)
    player.travel(title)
    game.poke("wPartyMon1HP", 1, offset=1)
    game.poke("wPartyMon1PP", 0)
    player.talk_at(at, button)
    for _ in range(40):
        game.act("a")
        if player.health() == 1:
            break
    player.settle()
    assert player.health() == 1
    moves = [move for move in game.read("wPartyMon1Moves") if move]
    full = [PRACTICE.MOVES[move][4] for move in moves]
    assert list(game.read("wPartyMon1PP"))[: len(full)] == full


def test_wren_can_be_lost_to_without_a_whiteout(start: Start) -> None:
    game = start("LAB")
    player = Player(game)
    player.travel("FERNWICK")
    player.talk_at((12, 9), "up")
    player.wait_for_menu()
    game.act("a")
    for _ in range(40):
        if game.get("wMenuCursorY") and game.get("wBattleMode"):
            break
        game.act("b")
    assert game.get("wBattleMode") == 2
    assert game.get("wBattleType") == 1
    game.poke("wBattleMonHP", 1, offset=1)
    game.poke("wEnemyMonHP", 2)
    player.settle()
    assert game.get("wBattleResult") == 1
    assert game.map_key == map_of("FERNWICK")
    assert game.number("wMoney", size=3) == 3000
    assert player.health() == 1
    assert event(game, "WREN_FOUGHT")


def test_the_mason_gives_potions_once(start: Start) -> None:
    game = start("MASON HOUSE")
    player = Player(game)
    for _ in range(2):
        player.talk_at((4, 4), "right")
        player.settle()
    assert quantity(game, "wItems", POTION) == 2
    assert event(game, "GOT_POTION")


def test_a_ball_catches_a_weak_creature(start: Start) -> None:
    game = start("MILLBROOK PATH")
    player = find_battle(game)
    to_battle_menu(game)
    species = game.get("wEnemyMonSpecies")
    for _ in range(20):
        if not game.get("wBattleMode"):
            break
        game.poke("wBattleMonHP", 20, offset=1)
        game.poke("wEnemyMonHP", 1, offset=1)
        if game.shows("FIGHT") and game.get("wMenuCursorY"):
            throw_ball(game)
        game.act("b")
        to_menu_or_end(game)
    player.settle()
    assert game.get("wPartyCount") == 2
    assert game.get("wPartySpecies", 1) == species
    assert game.get("wPokedexCaught", (species - 1) // 8) >> (species - 1) % 8 & 1
    assert quantity(game, "wBalls", BALL) < 5


def throw_ball(game: Machine) -> None:
    """BAG, the ball pocket, the first ball."""
    player = Player(game)
    while game.get("wMenuCursorX") != 1:
        game.act("left")
    while game.get("wMenuCursorY") != 2:
        game.act("down")
    game.act("a", frames=40)
    for _ in range(3):
        if game.get("wCurPocket") != 1:
            game.act("right", frames=40)
    player.wait_for_menu("")
    game.act("a", frames=60)
    if game.get("wMenuCursorY") and not game.shows("FIGHT"):
        game.act("a", frames=60)  # USE


def to_menu_or_end(game: Machine) -> None:
    for _ in range(60):
        if not game.get("wBattleMode") or game.get("wMenuCursorY"):
            return
        game.act("b")


def test_visits_set_their_events(start: Start) -> None:
    game = start("CENTER")
    assert event(game, "ROUTE_ENTERED")
    assert event(game, "STONEHOLLOW_REACHED")
    assert event(game, "CENTER_VISITED")
    assert not event(game, "GYM_ENTERED")


def test_a_whiteout_before_any_rest_house_ends_in_the_bedroom(start: Start) -> None:
    game = start("MILLBROOK PATH")
    player = find_battle(game)
    to_battle_menu(game)
    game.poke("wBattleMonHP", 1, offset=1)
    game.poke("wEnemyMonHP", 2)
    player.settle()
    assert game.map_key == map_of("HOME 2F")
    assert player.health() == 1
