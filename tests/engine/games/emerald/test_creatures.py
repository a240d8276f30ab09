import pytest

from engine.types import BattleKind, Move
from tests.engine.games.emerald.memory_image import TRAINERS, MemoryImage, creature, fighter


@pytest.mark.parametrize("personality", range(24))
def test_a_creature_is_read_in_every_order_of_its_blocks(
    image: MemoryImage, personality: int
) -> None:
    image.set_party(creature(0x0100_0000 // 24 * 24 + personality))
    (one,) = image.reader().read().party
    assert (one.species, one.name, one.level) == (283, "MUDKIP", 5)
    assert one.moves == (Move(33, "TACKLE", 35), Move(45, "GROWL", 40))
    assert (one.experience, one.types, one.stats) == (135, (11,), (11, 12, 13, 14, 15))


def test_health_item_and_status_are_read(image: MemoryImage) -> None:
    image.set_party(
        creature(1, hp=7, max_hp=21, item=13, status=3),
        *(creature(p, status=1 << p) for p in range(3, 8)),
    )
    first, *rest = image.reader().read().party
    assert (first.hp, first.max_hp, first.held_item, first.status) == (7, 21, 13, "sleep")
    assert [one.status for one in rest] == ["poison", "burn", "freeze", "paralysis", "poison"]


def test_health_is_at_most_all_of_it(image: MemoryImage) -> None:
    image.set_party(creature(hp=30, max_hp=20))
    assert image.reader().read().party[0].hp == 20


def test_unknown_species_and_moves_have_numbers(image: MemoryImage) -> None:
    image.set_party(creature(species=300, moves=[(99, 5)]))
    (one,) = image.reader().read().party
    assert (one.name, one.types, one.moves) == ("no. 300", (), (Move(99, "move 99", 5),))


def test_an_egg_says_nothing_of_what_will_hatch(image: MemoryImage) -> None:
    image.set_party(creature(ivs=1 << 30))
    (one,) = image.reader().read().party
    assert (one.species, one.name, one.types) == (412, "EGG", ())


def test_a_wrong_checksum_says_nothing(image: MemoryImage) -> None:
    broken = bytearray(creature(5))
    broken[40] ^= 1
    image.set_party(creature(4), bytes(broken))
    assert len(image.reader().read().party) == 1


def test_a_creature_that_is_taken_apart_is_as_it_was_last_read(image: MemoryImage) -> None:
    reader = image.reader()
    image.set_party(creature(5, hp=9))
    known = reader.read().party
    broken = bytearray(creature(5, hp=3))
    broken[40] ^= 1
    image.set_party(bytes(broken))
    assert reader.read().party == known
    later = image.reader()
    later.restore(reader.save())
    assert later.read().party == known


@pytest.mark.parametrize("count", [0, 7, 255])
def test_a_count_that_cannot_be_is_no_party(image: MemoryImage, count: int) -> None:
    image.set_party(creature())
    image.set("gPlayerPartyCount", bytes((count,)))
    assert image.reader().read().party == ()


def test_no_battle_outside_of_one(image: MemoryImage) -> None:
    image.fight(fighter(1), fighter(2))
    image.set("gMain", b"\0", 0x439)
    assert image.reader().read().battle is None


def test_a_wild_battle_has_who_was_sent_out(image: MemoryImage) -> None:
    image.set_party(creature(8), creature(9))
    image.set("gEnemyParty", creature(10))
    image.fight(
        fighter(9, hp=4, max_hp=20, status=8),
        fighter(10, species=288, types=(0, 0), stages=(6, 0, 5, 7, 12, 6, 6, 6)),
        indexes=(1, 0),
    )
    battle = image.reader().read().battle
    assert (battle.kind, battle.trainer_class, battle.trainer_name) == (BattleKind.WILD, 0, "")
    assert (battle.own_slot, battle.own.hp, battle.own.status) == (1, 4, "poison")
    assert battle.own.stats == (10, 20, 30, 40, 50)
    assert (battle.enemy.name, battle.enemy.types) == ("ZIGZAGOON", (0,))
    # Attack a quarter, defence two thirds, speed half more, special attack four times.
    assert battle.enemy.stats == (2, 13, 45, 160, 50)


def test_what_the_last_battle_left_is_nobody(image: MemoryImage) -> None:
    image.set_party(creature(8))
    image.set("gEnemyParty", creature(10))
    image.fight(fighter(7), fighter(11))
    battle = image.reader().read().battle
    assert battle.own is None
    assert battle.enemy is None


def test_a_trainers_battle_names_the_class(image: MemoryImage) -> None:
    image.put(TRAINERS + 40 * 318 + 1, b"\7")
    image.set_party(creature(8))
    image.set("gEnemyParty", creature(10), 100)
    image.fight(fighter(10), fighter(8), flags=8, positions=(1, 0), indexes=(1, 0), opponent=318)
    battle = image.reader().read().battle
    assert battle.kind is BattleKind.TRAINER
    assert (battle.trainer_class, battle.trainer_name) == (7, "YOUNGSTER")
    assert (battle.trainer_id, battle.enemy_slot, battle.own_slot) == (318, 1, 0)
    assert battle.enemy is not None
    assert battle.own is not None


def test_health_in_battle_is_of_now(image: MemoryImage) -> None:
    image.set_party(creature(8))
    reader = image.reader()
    image.fight(fighter(8), fighter(9))
    reader.read()
    image.fight(fighter(8, hp=1), fighter(9))
    battle = reader.read().battle
    assert battle.own.hp == 1


def test_a_fighter_that_cannot_be_is_nobody(image: MemoryImage) -> None:
    image.set_party(creature(8))
    for wrong in (fighter(8, level=101), fighter(8, hp=30), fighter(8, species=0)):
        image.fight(wrong, fighter(9))
        battle = image.reader().read().battle
        assert battle.own is None
