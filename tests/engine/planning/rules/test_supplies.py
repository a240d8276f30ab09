import json
from dataclasses import replace

from engine.games.catalog import load_game
from engine.games.crystal.memory import FACTS
from engine.games.facts import read_tables
from engine.planning.rules.supplies import Supplies
from engine.types import Bag, MapId
from tests.engine.planning.goals.helpers import creature, state

TABLES = load_game().tables
CRYSTALS = read_tables(FACTS)
POTION, BALL, ANTIDOTE, REVIVE = 18, 5, 9, 39
HYPER_POTION, FULL_RESTORE, GREAT_BALL, ULTRA_BALL = (
    next(number for number, name in CRYSTALS.ITEMS.items() if name == wanted)
    for wanted in ("HYPER POTION", "FULL RESTORE", "GREAT BALL", "ULTRA BALL")
)
SHOP = MapId(1, 9)


def shown(money: int, bag: Bag = Bag(), level: int = 8, **facts):  # noqa: B008 (frozen)
    return replace(state(party=[creature(level=level, **facts)], bag=bag), money=money)


def test_as_many_potions_are_bought_as_money_allows_and_five_at_most():
    supplies = Supplies(TABLES)
    for money, count in ((299, None), (700, 2), (9000, 5)):
        assert supplies.wanted(shown(money), SHOP, wants_catch=False).get(POTION) == count
    bag = Bag(items=((POTION, 4),))
    assert supplies.wanted(shown(9000, bag), SHOP, wants_catch=False) == {POTION: 1}


def test_balls_are_bought_only_where_a_catch_is_wanted():
    supplies = Supplies(TABLES)
    assert BALL not in supplies.wanted(shown(9000), SHOP, wants_catch=False)
    assert supplies.wanted(shown(9000), SHOP, wants_catch=True)[BALL] == 10


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


def bought(money: int, *, balls: int = 0, sold_out: tuple[int, ...] = ()) -> dict[int, int]:
    """Return which balls are bought in Crystal by somebody who carries potions enough."""
    supplies = Supplies(CRYSTALS)
    supplies.note_not_sold(SHOP, sold_out)
    bag = Bag(items=((POTION, 5),), balls=((BALL, balls),) if balls else ())
    return dict(supplies.wanted(shown(money, bag), SHOP, wants_catch=True))


def test_the_best_balls_that_are_sold_and_affordable_are_bought():
    assert bought(20_000) == {ULTRA_BALL: 10}
    assert bought(20_000, sold_out=(ULTRA_BALL,)) == {GREAT_BALL: 10}
    assert bought(20_000, sold_out=(ULTRA_BALL, GREAT_BALL)) == {BALL: 10}
    assert bought(3_500) == {GREAT_BALL: 5}
    assert bought(500) == {BALL: 2}


def test_balls_are_bought_again_once_fewer_than_five_are_carried():
    assert bought(20_000, balls=5) == {}
    assert bought(20_000, balls=4) == {ULTRA_BALL: 6}


def test_a_shop_is_visited_for_balls_where_a_catch_is_wanted():
    supplies = Supplies(TABLES)
    enough = shown(9000, Bag(items=((POTION, 5),)))
    assert not supplies.is_visit_due(enough, SHOP)
    assert supplies.is_visit_due(enough, SHOP, wants_catch=True)


def test_more_and_better_medicine_is_bought_for_a_row_of_fights():
    supplies = Supplies(CRYSTALS)
    strong = creature(level=60, hp=180, max_hp=180)
    two = replace(shown(0), party=(strong, strong), bag=Bag(items=((POTION, 4),)))

    def wanted(money: int, level: int) -> dict[int, int]:
        return dict(
            supplies.wanted(replace(two, money=money), SHOP, wants_catch=False, level=level)
        )

    assert wanted(24_000, 12) == {HYPER_POTION: 5, REVIVE: 1}
    assert wanted(24_000, 45) == {HYPER_POTION: 12, REVIVE: 3, FULL_RESTORE: 1}
    assert wanted(6_000, 45) == {HYPER_POTION: 5}


def test_a_visit_is_due_before_a_row_of_fights_with_few_potions():
    supplies = Supplies(CRYSTALS)
    strong = shown(9000, Bag(items=((HYPER_POTION, 4),)), level=60, hp=180, max_hp=180)
    assert not supplies.is_visit_due(strong, SHOP)
    assert supplies.is_visit_due(strong, SHOP, level=45)


def test_potions_that_hardly_heal_do_not_count():
    supplies = Supplies(CRYSTALS)
    bag = Bag(items=((POTION, 5),))
    assert supplies.wanted(shown(9000, bag, 60, hp=180, max_hp=180), SHOP, wants_catch=False)
    assert not supplies.wanted(shown(9000, bag), SHOP, wants_catch=False)


def test_what_a_way_to_a_shop_was_for_is_bought_there():
    supplies, other = Supplies(TABLES), Supplies(TABLES)
    enough = shown(9000, Bag(items=((POTION, 5),)))
    assert supplies.is_visit_due(enough, SHOP, wants_catch=True)
    other.load(json.loads(json.dumps(supplies.save())))
    assert other.wanted(enough, SHOP, wants_catch=False) == {BALL: 10}
    assert not supplies.is_visit_due(enough, SHOP)
    assert supplies.wanted(enough, SHOP, wants_catch=False) == {}


def test_who_has_no_ball_and_wants_to_catch_buys_balls_before_potions():
    assert list(bought(500)) == [BALL]
