import json
from dataclasses import replace

from engine.games.catalog import load_game
from engine.games.crystal.memory import FACTS
from engine.games.facts import read_tables
from engine.planning.rules.items import Supplies, cure_for, potion_for, revive_for
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


def test_as_many_potions_are_bought_as_money_allows_and_five_at_most():
    supplies = Supplies(TABLES)
    for money, count in ((299, None), (700, 2), (9000, 5)):
        assert supplies.wanted(shown(money), SHOP, wants_catch=False).get(POTION) == count
    bag = Bag(items=((POTION, 4),))
    assert supplies.wanted(shown(9000, bag), SHOP, wants_catch=False) == {POTION: 1}


def test_balls_are_bought_only_where_a_catch_is_wanted():
    supplies = Supplies(TABLES)
    assert BALL not in supplies.wanted(shown(9000), SHOP, wants_catch=False)
    assert supplies.wanted(shown(9000), SHOP, wants_catch=True)[BALL] == 5


def test_a_visit_is_due_where_potions_are_few_and_affordable():
    supplies = Supplies(TABLES)
    assert supplies.is_visit_due(shown(600), SHOP)
    assert not supplies.is_visit_due(shown(599), SHOP)
    assert not supplies.is_visit_due(shown(9000, Bag(items=((POTION, 2),))), SHOP)


def test_what_a_shop_does_not_sell_is_not_looked_for_there_again():
    supplies, other = Supplies(TABLES), Supplies(TABLES)
    supplies.note_not_sold(SHOP, [POTION])
    other.load(json.loads(json.dumps(supplies.save())))
    assert not other.is_visit_due(shown(9000), SHOP)
    assert other.is_visit_due(shown(9000), MapId(2, 2))


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


def test_only_the_fainted_are_revived():
    bag = Bag(items=((REVIVE, 1),))
    assert revive_for(CRYSTALS, bag, creature(hp=0)) == REVIVE
    assert revive_for(CRYSTALS, bag, creature()) is None
    assert revive_for(CRYSTALS, Bag(), creature(hp=0)) is None
    assert revive_for(CRYSTALS, bag, creature("EGG", hp=0)) is None


def test_medicine_is_bought_against_what_the_party_suffered_from_after_potions():
    supplies = Supplies(TABLES)
    assert ANTIDOTE not in supplies.wanted(shown(9000), SHOP, wants_catch=False)
    supplies.notice(state(party=[replace(creature(), status="poison")]))
    other = Supplies(TABLES)
    other.load(json.loads(json.dumps(supplies.save())))
    assert other.wanted(shown(9000), SHOP, wants_catch=False) == {POTION: 5, ANTIDOTE: 2}
    assert other.wanted(shown(1600), SHOP, wants_catch=False) == {POTION: 5, ANTIDOTE: 1}
    assert not other.is_visit_due(shown(200), SHOP)


def test_a_revive_is_bought_where_somebody_could_use_it():
    supplies = Supplies(CRYSTALS)
    alone = replace(state(party=[creature()]), money=9000)
    assert REVIVE not in supplies.wanted(alone, SHOP, wants_catch=False)
    both = replace(alone, party=(creature(), creature()))
    assert supplies.wanted(both, SHOP, wants_catch=False)[REVIVE] == 1


def test_what_did_nothing_is_not_used_again():
    supplies = Supplies(TABLES)
    bag = Bag(items=((POTION, 1), (ANTIDOTE, 1)))
    assert supplies.of_use(bag) is bag
    supplies.note_useless(POTION)
    assert supplies.of_use(bag).items == ((ANTIDOTE, 1),)


def test_supplies_of_an_older_checkpoint_are_read():
    supplies = Supplies(TABLES)
    supplies.load([[1, 9, POTION]])
    assert not supplies.is_visit_due(shown(9000), SHOP)
