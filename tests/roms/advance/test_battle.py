"""Moves, victories and stored creatures in situations written into the RAM of MOSSLIGHT ADVANCE."""

import struct
from itertools import permutations

import pytest

from engine.games.emerald.screen import decode
from tests.roms.advance.battles import (
    ASLEEP,
    ATTACK,
    DEFENSE,
    EXPERIENCE,
    FIGHT,
    FOE,
    LEVEL,
    MOVES,
    OWN,
    PARTY_HP,
    PARTY_LEVEL,
    POINTS,
    POISONED,
    SPECIAL_ATTACK,
    SPECIAL_DEFENSE,
    STAGES,
    Battle,
    encrypt,
)
from tests.roms.advance.conftest import Wild
from tests.roms.advance.machine import Machine
from tests.roms.advance.party import Creature

NORMAL, ROCK, BUG, GHOST, FIRE, WATER, GRASS = 0, 5, 6, 7, 10, 11, 12
WON = 1
SEEDS = 12


def row(game: Machine, table: str, size: int, number: int) -> bytes:
    """Return a row of one of the image's tables."""
    return game.at(game.profile.rom[table] + size * number, size)


# ---- what is stored -------------------------------------------------------------------------


@pytest.mark.parametrize(("owner", "side"), [("gPlayerParty", OWN), ("gEnemyParty", FOE)])
def test_stored_creature_decrypts_to_the_one_in_battle(
    battle: Battle, owner: str, side: int
) -> None:
    one = battle.creature(0, owner)
    assert one.is_sound
    fighter = battle.game.read("gBattleMons", side * 0x58, 0x58)
    assert struct.unpack_from("<6H", fighter) == (one.species, *one.stats[1:])
    assert struct.unpack_from("<4H", fighter, MOVES) == one.moves
    assert tuple(fighter[POINTS : POINTS + 4]) == one.points
    assert (battle.hp(side), fighter[LEVEL]) == (one.hp, one.level)
    assert battle.number(side, EXPERIENCE, 4) == one.experience
    assert set(fighter[STAGES : STAGES + 8]) == {6}


def test_game_reads_and_writes_every_order_of_the_blocks(battle: Battle) -> None:
    stored = battle.raw(0)
    blocks = plain_blocks(stored)
    battle.harmless_foe()
    for order in range(24):
        moved = (order + 24).to_bytes(4, "little") + stored[4:]
        battle.game.emulator.write(0, 0x020244EC, encrypt(moved, blocks))
        before = battle.creature(0)
        battle.use()
        after = battle.creature(0)
        assert after.order == "".join(tuple(permutations("GAEM"))[order])
        assert after.is_sound
        assert after.points[0] == before.points[0] - 1
        battle.put(OWN, POINTS, before.points[0], 1)
        battle.set_status(FOE, ASLEEP)


def plain_blocks(raw: bytes) -> dict[str, bytes]:
    """Return the decrypted blocks of a stored creature."""
    personality, owner = struct.unpack_from("<II", raw)
    words = (word ^ personality ^ owner for word in struct.unpack_from("<12I", raw, 32))
    plain = struct.pack("<12I", *words)
    order = Creature.parse(raw).order
    return {name: plain[12 * at : 12 * at + 12] for at, name in enumerate(order)}


def stats(base: bytes, ivs: tuple[int, ...], evs: bytes, level: int, nature: int) -> list[int]:
    """Return HP, attack, defense, speed, special attack and defense of generation III."""
    grown = [
        (2 * b + iv + ev // 4) * level // 100 for b, iv, ev in zip(base, ivs, evs, strict=True)
    ]
    found = [grown[0] + level + 10]
    for stat in range(1, 6):
        percent = 100 + 10 * (nature // 5 + 1 == stat) - 10 * (nature % 5 + 1 == stat)
        found.append((grown[stat] + 5) * percent // 100)
    return found


@pytest.mark.parametrize("owner", ["gPlayerParty", "gEnemyParty"])
def test_stats_follow_the_published_formula(battle: Battle, owner: str) -> None:
    one, raw = battle.creature(0, owner), battle.raw(0, owner)
    base = row(battle.game, "gSpeciesInfo", 28, one.species)[:6]
    nature = int.from_bytes(raw[:4], "little") % 25
    evs = plain_blocks(raw)["E"][:6]
    assert list(one.stats) == stats(base, one.ivs, evs, one.level, nature)
    assert one.level**3 <= one.experience < (one.level + 1) ** 3


# ---- moves ----------------------------------------------------------------------------------


def damages(
    level: int, power: int, attack: int, defense: int, same_type: bool, quarters: int
) -> tuple[set[int], set[int]]:
    """Return the possible damages of generation III, ordinary and critical ones."""
    base = attack * power * (2 * level // 5 + 2) // defense // 50 + 2

    def rolls(damage: int) -> set[int]:
        whole = (damage * 15 // 10 if same_type else damage) * quarters // 4
        return {max(1, whole * percent // 100) for percent in range(85, 101)}

    return rolls(base), rolls(2 * base)


@pytest.mark.parametrize(
    ("move", "own", "foe", "quarters"),
    [
        ("BUMP", (WATER,), (GRASS,), 4),
        ("RAKE", (NORMAL,), (GRASS,), 4),
        ("RAKE", (WATER,), (ROCK,), 2),
        ("DOUSE", (WATER,), (FIRE,), 8),
        ("DOUSE", (FIRE,), (GRASS,), 2),
        ("KINDLE", (FIRE,), (BUG, GRASS), 16),
        ("LEAFCUT", (GRASS,), (ROCK, BUG), 4),
        ("MUD FLING", (WATER,), (ROCK,), 8),
    ],
)
def test_damage_follows_the_published_formula(
    wild: Wild,
    moves: dict[str, int],
    move: str,
    own: tuple[int, ...],
    foe: tuple[int, ...],
    quarters: int,
) -> None:
    level, attack, defense, special_attack, special_defense = 12, 120, 24, 136, 20
    _, power, kind = row(wild[0], "gBattleMoves", 12, moves[move])[:3]
    seen = set()
    for seed in range(SEEDS):
        battle = Battle(*wild)
        battle.harmless_foe()
        battle.teach(moves[move])
        battle.set_types(OWN, own)
        battle.set_types(FOE, foe)
        battle.put(OWN, LEVEL, level, 1)
        battle.put(OWN, ATTACK, attack)
        battle.put(OWN, SPECIAL_ATTACK, special_attack)
        battle.put(FOE, DEFENSE, defense)
        battle.put(FOE, SPECIAL_DEFENSE, special_defense)
        battle.seed(seed)
        battle.use()
        seen.add(600 - battle.hp(FOE))
    seen.discard(0)  # missed
    pair = (special_attack, special_defense) if kind >= FIRE else (attack, defense)
    ordinary, critical = damages(level, power, *pair, kind in own, quarters)
    assert seen <= ordinary | critical
    assert len(seen & ordinary) >= 2


def test_ghost_is_not_touched_by_a_normal_move(battle: Battle, moves: dict[str, int]) -> None:
    battle.harmless_foe()
    battle.teach(moves["RAKE"])
    battle.set_types(FOE, (GHOST,))
    battle.use()
    assert battle.hp(FOE) == 600
    assert battle.said("is not affected")


def test_stage_of_attack_scales_damage(wild: Wild, moves: dict[str, int]) -> None:
    strongest = {}
    for stage in (0, 6, 12):
        battle = Battle(*wild)
        battle.harmless_foe()
        battle.teach(moves["RAKE"])
        battle.set_types(OWN, (WATER,))
        battle.put(OWN, ATTACK, 200)
        battle.put(OWN, STAGES + 1, stage, 1)
        battle.seed(3)
        battle.use()
        strongest[stage] = 600 - battle.hp(FOE)
    assert 0 < 2 * strongest[0] < strongest[6] < strongest[12] / 2


def test_lowering_a_stat_is_seen_in_its_stage(battle: Battle, moves: dict[str, int]) -> None:
    battle.harmless_foe()
    battle.teach(moves["YOWL"])
    battle.use()
    assert battle.number(FOE, STAGES + 1, 1) == 5
    assert battle.said("ATTACK fell!")


def test_move_costs_a_point_and_hp_are_equal_in_battle_and_party(
    battle: Battle, moves: dict[str, int]
) -> None:
    battle.teach(moves["BUMP"], moves["RAKE"])
    battle.set_hp(FOE, 90, 90)
    battle.use(1)
    assert battle.creature(0).points == (10, 9, 0, 0)
    assert tuple(battle.game.read("gBattleMons", POINTS, 4)) == (10, 9, 0, 0)
    for side, owner in ((OWN, "gPlayerParty"), (FOE, "gEnemyParty")):
        assert battle.game.get(owner, PARTY_HP, 2) == battle.hp(side)


def test_move_without_points_is_refused(battle: Battle, moves: dict[str, int]) -> None:
    battle.harmless_foe()
    battle.teach(moves["BUMP"], moves["RAKE"])
    battle.put(OWN, POINTS, 0, 1)
    assert battle.use(0) == "move"
    assert battle.hp(FOE) == 600


def test_creature_without_any_points_has_a_last_resort(
    battle: Battle, moves: dict[str, int]
) -> None:
    battle.harmless_foe()
    battle.teach(moves["BUMP"], points=0)
    battle.set_hp(OWN, 100, 100)
    battle.choose(FIGHT)
    assert battle.hp(FOE) < 600
    assert battle.hp(OWN) < 100
    assert battle.said("SCRAMBLE")


def test_b_leaves_the_list_of_moves(battle: Battle) -> None:
    battle.choose(FIGHT)
    battle.tap("b")
    assert battle.wait() == "action"


def test_poison_takes_an_eighth_after_the_turn(battle: Battle, moves: dict[str, int]) -> None:
    battle.harmless_foe()
    battle.teach(moves["BRACE"])
    battle.set_hp(OWN, 80, 80)
    battle.set_status(OWN, POISONED)
    battle.use()
    assert battle.hp(OWN) == 70
    assert battle.game.get("gPlayerParty", PARTY_HP, 2) == 70


# ---- winning --------------------------------------------------------------------------------


def level_up_next(battle: Battle, kind: int, level: int) -> None:
    """Make the coming victory a level-up to `level`."""
    growth = struct.pack("<HHI4x", kind, 0, level**3 - 1)
    battle.change_party(0, G=growth)
    battle.write("gPlayerParty", PARTY_LEVEL, level - 1, 1)
    battle.put(OWN, 0, kind)
    battle.put(OWN, LEVEL, level - 1, 1)
    battle.put(FOE, LEVEL, 2, 1)
    battle.set_hp(FOE, 1, 10)
    battle.set_status(FOE, ASLEEP)
    battle.set_types(FOE, (NORMAL,))


def test_level_up_raises_stats_and_teaches_a_move(
    battle: Battle, moves: dict[str, int], species: dict[str, int]
) -> None:
    level_up_next(battle, species["CINDLE"], 5)
    battle.teach(moves["RAKE"])
    effort_before = plain_blocks(battle.raw(0))["E"][:6]
    assert battle.use() == "over"
    one = battle.creature(0)
    assert battle.game.get("gBattleOutcome") == WON
    assert one.is_sound
    assert one.level == 5
    assert one.moves == (moves["RAKE"], moves["MUD FLING"], 0, 0)
    assert one.points[1] == row(battle.game, "gBattleMoves", 12, moves["MUD FLING"])[4]
    base = row(battle.game, "gSpeciesInfo", 28, one.species)[:6]
    raw = battle.raw(0)
    nature = int.from_bytes(raw[:4], "little") % 25
    effort = plain_blocks(raw)["E"][:6]
    assert sum(effort) == sum(effort_before) + 1
    assert list(one.stats) == stats(base, one.ivs, effort, 5, nature)


@pytest.mark.parametrize(("entry", "learnt"), [(1, "QUICKSTEP"), (4, "YOWL")])
def test_fifth_move_asks_which_to_forget(
    battle: Battle, moves: dict[str, int], species: dict[str, int], entry: int, learnt: str
) -> None:
    level_up_next(battle, species["CINDLE"], 9)
    battle.teach(*(moves[name] for name in ("RAKE", "YOWL", "KINDLE", "BUMP")))
    assert battle.use() == "menu"
    for _ in range(entry):
        battle.tap("down")
    assert (battle.game.get("sMenu", 2), battle.game.get("sMenu", 4)) == (entry, 4)
    assert battle.confirm() == "over"
    assert battle.creature(0).moves[:2] == (moves["RAKE"], moves[learnt])


def test_creature_that_is_old_enough_evolves_after_the_battle(
    battle: Battle, moves: dict[str, int], species: dict[str, int]
) -> None:
    level_up_next(battle, species["GRUBBUD"], 7)
    battle.teach(moves["NIBBLE"])
    assert battle.use() == "evolves"
    while battle.wait() != "over":
        battle.tap("a")
    raw = battle.raw(0)
    assert battle.creature(0).species == species["MOTHLET"]
    assert decode(raw[8:18]) == "MOTHLET"
    number = species["MOTHLET"] - 1
    assert battle.game.block(2, 0x28, 52)[number // 8] >> number % 8 & 1


# ---- every frame ----------------------------------------------------------------------------


def test_no_frame_of_a_battle_and_its_end_shows_half_a_change(
    battle: Battle, moves: dict[str, int], species: dict[str, int]
) -> None:
    game, money = battle.game, battle.game.money
    level_up_next(battle, species["CINDLE"], 5)
    battle.teach(moves["RAKE"])

    def check() -> None:
        assert game.money == money
        assert battle.creature(0).is_sound
        if game.in_battle and battle.number(OWN, LEVEL, 1):
            assert battle.hp(OWN) == game.get("gPlayerParty", PARTY_HP, 2)
            assert battle.number(OWN, EXPERIENCE, 4) == battle.creature(0).experience

    battle.put(OWN, EXPERIENCE, battle.creature(0).experience, 4)
    game.watch = check
    try:
        battle.use()
        game.tick(120)
    finally:
        game.watch = None
    assert game.in_field


# ---- speed ----------------------------------------------------------------------------------


def test_victory_with_a_alone_takes_at_most_1500_frames(battle: Battle) -> None:
    options = battle.game.get("gSaveBlock2Ptr", size=4) + 0x14
    battle.game.emulator.write(0, options, bytes((1, 0)))  # as a new game has them
    battle.set_hp(OWN, 60, 60)
    battle.set_hp(FOE, 14, 14)
    frames = 0
    while battle.waits != "over":
        battle.game.act("a", hold=4, frames=12)
        frames += 12
    assert battle.game.get("gBattleOutcome") == WON
    assert frames <= 1500
