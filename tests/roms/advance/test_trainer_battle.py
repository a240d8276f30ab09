"""A trainer's battle in MOSSLIGHT ADVANCE: the second pupil of the gym, who has two creatures."""

from engine.games.emerald.memory import SYMBOLS
from tests.roms.advance.battles import FOE, OWN, SPEED, STATUS, Battle
from tests.roms.advance.conftest import Start
from tests.roms.advance.machine import Machine
from tests.roms.advance.player import Player

TRAINER, TRAINER_BIT = 3, 8
REWARD, LEVEL = 24, 4
PARTY_STATS, SIZE = 0x56, 100
STRONG = 400
SET_STYLE = 1 << 9
WON = 1
PATIENCE = 400


def strengthen(game: Machine, creatures: int) -> None:
    """Give the first creature great numbers (HP, stats), and as many companions like it."""
    address = SYMBOLS["gPlayerParty"].address
    numbers = STRONG.to_bytes(2, "little") * 7
    game.emulator.write(0, address + PARTY_STATS, numbers)
    game.emulator.write(0, address + SIZE, game.read("gPlayerParty", 0, SIZE))
    game.emulator.write(0, SYMBOLS["gPlayerPartyCount"].address, bytes((creatures,)))


def challenge(start: Start, options: int) -> Battle:
    """Win against the first pupil, walk into the second one's sight."""
    game = start("GYM")
    strengthen(game, 1)
    at = game.get("gSaveBlock2Ptr", size=4) + 0x14
    game.emulator.write(0, at, options.to_bytes(2, "little"))
    player = Player(game)
    player.walk_to((4, 9))
    strengthen(game, 2)
    for _ in range(PATIENCE):
        if game.in_battle:
            break
        game.act("up" if game.is_free else "a", hold=12)
    for _ in range(PATIENCE):
        if game.function("gBattlerControllerFuncs") == "HandleInputChooseAction":
            return Battle(game, game.save())
        game.tick(4)
    raise AssertionError(f"no battle: {player.where()}")


def win_first(battle: Battle) -> str:
    """Beat the creature that is out; return what waits next."""
    waits = "action"
    while waits == "action" and not battle.game.get("gBattlerPartyIndexes", 2, 2):
        waits = battle.use()
    return waits


def test_trainers_battle_says_who_fights_with_what(start: Start) -> None:
    battle = challenge(start, 2)
    game = battle.game
    assert game.get("gBattleTypeFlags", size=4) & TRAINER_BIT
    assert game.get("gTrainerBattleOpponent_A", size=2) == TRAINER
    assert game.get("gEnemyPartyCount") == 2
    assert [battle.creature(at, "gEnemyParty").level for at in range(2)] == [LEVEL, LEVEL]
    assert all(battle.creature(at, "gEnemyParty").is_sound for at in range(2))


def test_one_may_change_before_the_next_creature_comes(start: Start) -> None:
    battle = challenge(start, 2 | 1 << 10)
    assert win_first(battle) == "question"
    assert battle.confirm() == "party"
    assert battle.game.get("gPartyMenu", 9) == 1
    assert battle.confirm() == "menu"
    assert battle.confirm() == "action"
    assert battle.game.get("gBattlerPartyIndexes", 2 * OWN, 2) == 1
    assert battle.game.get("gBattlerPartyIndexes", 2 * FOE, 2) == 1


def test_set_style_does_not_ask(start: Start) -> None:
    battle = challenge(start, 2 | SET_STYLE | 1 << 10)
    assert win_first(battle) == "action"
    assert battle.game.get("gBattlerPartyIndexes", 2 * OWN, 2) == 0


def test_nobody_runs_from_a_trainer(start: Start) -> None:
    battle = challenge(start, 2)
    battle.put(FOE, SPEED, 1)
    assert battle.choose(3) == "action"
    assert battle.said("cannot run")
    assert battle.number(FOE, STATUS, 4) == 0


def test_victory_pays_the_reward(start: Start) -> None:
    battle = challenge(start, 2 | SET_STYLE | 1 << 10)
    money = battle.game.money
    waits = "action"
    while waits != "over":
        waits = battle.use() if waits == "action" else battle.confirm()  # a move to forget
    assert battle.game.get("gBattleOutcome") == WON
    assert battle.game.money == money + REWARD * LEVEL
    assert battle.said("You beat PUPIL IDA!")
