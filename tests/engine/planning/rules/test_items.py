from dataclasses import replace

from engine.games.catalog import load_game
from engine.games.crystal.memory import FACTS
from engine.games.facts import read_tables
from engine.planning.rules.items import cure_for, potion_for, revival
from engine.types import Bag, MapId
from tests.engine.planning.goals.helpers import creature, state

TABLES = load_game().tables
CRYSTALS = read_tables(FACTS)
POTION, BALL = 18, 5
ANTIDOTE, BURN_HEAL, AWAKENING, LOOSENER, FULL_RESTORE, FULL_HEAL, REVIVE = (
    9,
    10,
    12,
    13,
    14,
    38,
    39,
)
SHOP = MapId(1, 9)


def shown(money: int, bag: Bag = Bag(), level: int = 8):  # noqa: B008 (frozen)
    return replace(state(party=[creature(level=level)], bag=bag), money=money)


def test_a_potion_is_kept_where_more_than_half_would_be_wasted():
    bag = Bag(items=((POTION, 1),))
    assert potion_for(TABLES, bag, creature(hp=11, max_hp=20)) is None
    assert potion_for(TABLES, bag, creature(hp=10, max_hp=20)) == (10, POTION)
    assert potion_for(TABLES, bag, creature(hp=10, max_hp=40)) == (20, POTION)
    assert potion_for(TABLES, Bag(), creature(hp=1)) is None
    assert potion_for(TABLES, bag, creature(hp=0)) is None


def test_a_status_is_cured_by_what_cures_least():
    bag = Bag(items=((FULL_RESTORE, 1), (FULL_HEAL, 1), (BURN_HEAL, 1), (AWAKENING, 2)))
    burnt = replace(creature(), status="burn")
    assert cure_for(CRYSTALS, bag, burnt) == BURN_HEAL
    assert cure_for(CRYSTALS, bag, replace(burnt, status="sleep")) == AWAKENING
    assert cure_for(CRYSTALS, bag, replace(burnt, status="poison")) == FULL_HEAL
    assert cure_for(TABLES, Bag(items=((LOOSENER, 1),)), replace(burnt, status="paralysis"))
    assert cure_for(CRYSTALS, bag, creature()) is None
    assert cure_for(CRYSTALS, bag, replace(burnt, hp=0)) is None


def test_what_heals_as_well_is_kept_for_who_is_hurt():
    bag = Bag(items=((FULL_RESTORE, 1),))
    poisoned = replace(creature(hp=10), status="poison")
    assert cure_for(CRYSTALS, bag, poisoned) is None
    assert cure_for(CRYSTALS, bag, replace(poisoned, hp=9)) == FULL_RESTORE


def test_only_the_strongest_is_revived_and_only_fainted():
    bag = Bag(items=((REVIVE, 1),))
    fainted, other = creature(level=9, hp=0), creature(level=5)
    use = revival(CRYSTALS, bag, [other, fainted])
    assert (use.item, use.slot) == (REVIVE, 1)
    assert revival(CRYSTALS, bag, [creature(level=12), fainted]) is None
    assert revival(CRYSTALS, bag, [creature(), other]) is None
    assert revival(CRYSTALS, Bag(), [fainted]) is None
    assert revival(CRYSTALS, bag, [replace(fainted, name="EGG")]) is None
