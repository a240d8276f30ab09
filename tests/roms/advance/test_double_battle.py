"""Two pupils of the gym fight together where two own creatures can fight."""

import pytest

from tests.roms.advance.conftest import Start
from tests.roms.advance.machine import Machine
from tests.roms.advance.player import Player
from tests.roms.advance.test_story import event

DOUBLE, TRAINER, TWO_TRAINERS = 1, 8, 0x8000
ACTION, MOVE, TARGET = (
    "HandleInputChooseAction",
    "HandleInputChooseMove",
    "HandleInputChooseTarget",
)
PATIENCE = 800
HP = 0x28


def meet(start: Start, gift: bool) -> Player:
    """Walk into MOE's sight, until the first action is asked for."""
    game = start("starter")
    player = Player(game)
    if gift:
        player.take_gift(1)
    player.travel("GYM")
    player.walk_to((4, 10))
    wait_for(game, ACTION)
    return player


def wait_for(game: Machine, menu: str, battler: int = 0) -> None:
    """Go on until a battler is asked for something."""
    for _ in range(PATIENCE):
        if game.function("gBattlerControllerFuncs", 4 * battler) == menu:
            return
        game.act("up" if game.is_free else "b" if not game.in_battle else "", hold=4, frames=8)
    raise AssertionError(f"{menu} never came: {game.mode}")


def test_one_creature_fights_one_pupil(start: Start) -> None:
    game = meet(start, gift=False).game
    assert game.get("gBattlersCount") == 2
    assert not game.get("gBattleTypeFlags", size=4) & DOUBLE


def test_two_creatures_fight_both_pupils(start: Start) -> None:
    game = meet(start, gift=True).game
    assert game.get("gBattlersCount") == 4
    assert game.get("gBattleTypeFlags", size=4) == DOUBLE | TRAINER | TWO_TRAINERS
    assert list(game.read("gBattlerPositions")) == [0, 1, 2, 3]
    assert [game.get("gBattlerPartyIndexes", 2 * one, 2) for one in range(4)] == [0, 0, 1, 1]
    assert game.get("gEnemyPartyCount") == 3
    assert all(game.get("gBattleMons", 0x58 * one + HP, 2) for one in range(4))


def test_each_creature_is_asked_by_its_own_controller(start: Start) -> None:
    game = meet(start, gift=True).game
    for battler in (0, 2):
        for menu in (ACTION, MOVE, TARGET):
            wait_for(game, menu, battler)
            assert game.function("gBattlerControllerFuncs", 8 - 4 * battler) == ""
            assert game.get("gActiveBattler") == battler
            game.act("a", hold=4)


@pytest.mark.parametrize(("button", "target"), [("", 1), ("right", 3), ("left", 2)])
def test_the_target_is_chosen_after_the_move(start: Start, button: str, target: int) -> None:
    game = meet(start, gift=True).game
    for menu in (ACTION, MOVE):
        wait_for(game, menu)
        game.act("a", hold=4)
    wait_for(game, TARGET)
    assert game.get("gMultiUsePlayerCursor") == 1
    if button:
        game.act(button, hold=4)
    assert game.get("gMultiUsePlayerCursor") == target


def test_b_leads_from_the_target_back_to_the_moves(start: Start) -> None:
    game = meet(start, gift=True).game
    for menu in (ACTION, MOVE):
        wait_for(game, menu)
        game.act("a", hold=4)
    wait_for(game, TARGET)
    game.act("b", hold=4)
    assert game.function("gBattlerControllerFuncs") == MOVE


def test_the_chosen_target_is_hit(start: Start) -> None:
    game = meet(start, gift=True).game
    before = [game.get("gBattleMons", 0x58 * one + HP, 2) for one in (1, 3)]
    for battler in (0, 2):
        for menu in (ACTION, MOVE, TARGET):
            wait_for(game, menu, battler)
            if menu == TARGET:
                game.act("right", hold=4)
            game.act("a", hold=4)
    wait_for(game, ACTION)
    after = [game.get("gBattleMons", 0x58 * one + HP, 2) for one in (1, 3)]
    assert after[0] == before[0]
    assert after[1] < before[1]


def test_victory_beats_both_pupils_and_pays_for_both(start: Start) -> None:
    player = meet(start, gift=True)
    game, money = player.game, player.game.money
    player.settle()
    assert event(game, "BEAT_MOE")
    assert event(game, "BEAT_IDA")
    assert game.money == money + 24 * 3 + 24 * 4


@pytest.mark.slow
@pytest.mark.parametrize("starter", [1, 2, 3])
@pytest.mark.parametrize("stops", [False, True])
def test_two_creatures_win_the_badge(starter: int, stops: bool) -> None:
    game = Machine(seed=starter)
    player = Player(game)
    player.stops_evolution = stops
    player.start_game()
    player.take_starter(starter)
    player.take_gift(1)
    player.win_badge()
    assert event(game, "BEAT_IDA")
    game.close()
