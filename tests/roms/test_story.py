"""People do what the first act promises."""

import pytest

from tests.engine.games.images import PRACTICE
from tests.roms.act_two import event
from tests.roms.conftest import Start
from tests.roms.machine import Machine
from tests.roms.player import Player, map_of, objects

BALL, POTION = 5, 18


def quantity(game: Machine, pocket: str, item: int) -> int:
    raw = game.read(pocket)
    return dict(zip(raw[::2], raw[1::2], strict=False)).get(item, 0)


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


def test_visits_set_their_events(start: Start) -> None:
    game = start("CENTER")
    assert event(game, "ROUTE_ENTERED")
    assert event(game, "STONEHOLLOW_REACHED")
    assert event(game, "CENTER_VISITED")
    assert not event(game, "GYM_ENTERED")
