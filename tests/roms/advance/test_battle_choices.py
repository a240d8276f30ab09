"""What one can do in a battle of MOSSLIGHT ADVANCE beside a move: balls, running, bag, team."""

from tests.roms.advance.battles import (
    ASLEEP,
    BALL,
    FOE,
    OWN,
    PARTY_HP,
    POISONED,
    POTION,
    RUN,
    SPEED,
    STATUS,
    TEAM,
    Battle,
)

POCKET_ITEMS, POCKET_BALLS = 0x560, 0x650
BALLS = 1
LOST, RAN, CAUGHT = 2, 4, 7


# ---- balls ----------------------------------------------------------------------------------


def throw_ball(battle: Battle) -> str:
    battle.open_pocket(BALLS)
    assert battle.confirm() == "menu"
    return battle.confirm()


def test_weak_creature_is_caught(battle: Battle) -> None:
    battle.carry(POCKET_BALLS, BALL, 20)
    battle.harmless_foe()
    battle.set_hp(FOE, 1, 20)
    wanted = battle.creature(0, "gEnemyParty")
    for _ in range(20):
        if throw_ball(battle) == "over":
            break
        battle.set_status(FOE, ASLEEP)
    game = battle.game
    assert game.get("gBattleOutcome") == CAUGHT
    assert game.get("gPlayerPartyCount") == 2
    one = battle.creature(1)
    assert one.is_sound
    assert (one.species, one.level, one.moves) == (wanted.species, wanted.level, wanted.moves)
    assert one.hp == 1
    number = one.species - 1
    for block, offset in ((2, 0x28), (2, 0x5C), (1, 0x988), (1, 0x3B24)):
        assert game.block(block, offset, 52)[number // 8] >> number % 8 & 1
    assert battle.quantity(POCKET_BALLS) < 20


def test_full_team_keeps_the_ball(battle: Battle) -> None:
    while battle.game.get("gPlayerPartyCount") < 6:
        battle.add_creature(hp=10)
    battle.carry(POCKET_BALLS, BALL, 3)
    assert throw_ball(battle) == "action"
    assert battle.quantity(POCKET_BALLS) == 3
    assert battle.said("full")


# ---- running --------------------------------------------------------------------------------


def test_running_from_a_slower_one_ends_the_battle(battle: Battle) -> None:
    battle.put(FOE, SPEED, 1)
    assert battle.choose(RUN) == "over"
    assert battle.game.get("gBattleOutcome") == RAN


def test_running_from_a_faster_one_costs_the_turn(battle: Battle) -> None:
    battle.harmless_foe()
    battle.put(FOE, SPEED, 600)
    battle.put(OWN, SPEED, 1)
    attempts = 0
    while battle.waits != "over":
        asleep = battle.number(FOE, STATUS, 4)
        if battle.choose(RUN) == "action":
            assert battle.number(FOE, STATUS, 4) == asleep - 1
        attempts += 1
        battle.set_status(FOE, ASLEEP)
    assert 1 <= attempts <= 10  # every attempt adds 30 of 256


# ---- the bag --------------------------------------------------------------------------------


def use_potion(battle: Battle) -> str:
    battle.carry(POCKET_ITEMS, POTION, 2)
    battle.open_pocket(0)
    assert battle.confirm() == "menu"
    assert battle.confirm() == "party"
    assert battle.confirm() == "menu"
    return battle.confirm()


def test_potion_heals_and_costs_the_turn(battle: Battle) -> None:
    battle.harmless_foe()
    battle.set_hp(OWN, 3, 50)
    assert use_potion(battle) == "action"
    assert battle.hp(OWN) == 23
    assert battle.game.get("gPlayerParty", PARTY_HP, 2) == 23
    assert battle.quantity(POCKET_ITEMS) == 1
    assert battle.number(FOE, STATUS, 4) == ASLEEP - 1


def test_potion_without_effect_is_kept(battle: Battle) -> None:
    battle.harmless_foe()
    battle.set_hp(OWN, 50, 50)
    assert use_potion(battle) == "action"
    assert battle.quantity(POCKET_ITEMS) == 2
    assert battle.number(FOE, STATUS, 4) == ASLEEP


def test_bag_tells_its_pocket_and_the_item_under_its_cursor(battle: Battle) -> None:
    battle.carry(POCKET_ITEMS, POTION, 2)
    battle.open_pocket(0)
    assert battle.game.mode == "CB2_BagMenuRun"
    battle.tap("down")
    assert battle.game.get("gBagPosition", 8, 2) == 1
    battle.tap("right")
    assert battle.game.get("gBagPosition", 5) == BALLS
    battle.tap("b")
    assert battle.wait() == "action"


# ---- the team -------------------------------------------------------------------------------


def test_switching_takes_the_other_creature_into_the_battle(battle: Battle) -> None:
    battle.add_creature(hp=9)
    battle.harmless_foe()
    assert battle.choose(TEAM) == "party"
    battle.point_at(1)
    assert battle.confirm() == "menu"
    assert battle.confirm() == "action"
    assert battle.game.get("gBattlerPartyIndexes", 0, 2) == 1
    assert battle.hp(OWN) == 9
    assert battle.number(FOE, STATUS, 4) == ASLEEP - 1


def test_fainted_creature_cannot_be_sent_out(battle: Battle) -> None:
    battle.add_creature(hp=0)
    battle.choose(TEAM)
    battle.point_at(1)
    battle.confirm()
    assert battle.confirm() == "party"
    assert battle.said("cannot fight!")
    battle.tap("b")
    assert battle.wait() == "action"


def faint_next(battle: Battle, moves: dict[str, int]) -> None:
    """Let the own creature fall in the coming turn."""
    battle.teach(moves["BRACE"])
    battle.set_hp(OWN, 1, 20)
    battle.set_hp(FOE, 600, 600)
    battle.set_status(OWN, POISONED)


def test_fainted_creature_is_replaced(battle: Battle, moves: dict[str, int]) -> None:
    battle.add_creature(hp=9)
    faint_next(battle, moves)
    battle.set_status(FOE, ASLEEP)
    assert battle.use() == "party"
    assert battle.game.get("gPartyMenu", 9) == 1
    battle.tap("b")
    assert battle.wait() == "party"
    assert battle.confirm() == "menu"
    assert battle.confirm() == "action"
    assert battle.game.get("gBattlerPartyIndexes", 0, 2) == 1


def test_defeat_heals_the_party_and_halves_the_money(battle: Battle, moves: dict[str, int]) -> None:
    money = battle.game.money
    faint_next(battle, moves)
    battle.set_status(FOE, ASLEEP)
    assert battle.use() == "over"
    assert battle.game.get("gBattleOutcome") == LOST
    assert battle.game.money == money // 2
    one = battle.creature(0)
    assert one.hp == one.stats[0]
    assert one.status == 0
