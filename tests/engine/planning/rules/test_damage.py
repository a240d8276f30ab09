import pytest

from engine.games.base import GameTables
from engine.games.catalog import load_game
from engine.planning.rules.damage import (
    best_damage,
    ends_fight,
    expected_damage,
    is_faster,
    loses_race,
    move_value,
    worst_blow,
)
from engine.types import Move
from tests.engine.planning.goals.helpers import creature

TABLES = load_game().tables
NUMBERS = {facts[0]: number for number, facts in TABLES.MOVES.items()}
NORMAL, ROCK, GHOST, WATER = 0, 5, 8, 21


def move(name: str, points: int = 10) -> Move:
    return Move(NUMBERS[name], name, points)


OWN = creature(level=10, types=(WATER,), stats=(20, 20, 20, 30, 20), moves=(move("DOUSE"),))
FOE = creature(level=10, types=(NORMAL,), stats=(10, 40, 10, 10, 15), moves=(move("RAKE"),))


def test_damage_follows_the_published_formula():
    # (2 * 10 / 5 + 2) * 40 * 30 / 15 / 50 + 2 = 11.6, half more for the own type, 0.925 on average
    assert expected_damage(TABLES, move("DOUSE"), OWN, FOE) == pytest.approx(11.6 * 1.5 * 0.925)
    # The same with attack over defence, which is no water: 6 * 40 * 20 / 40 / 50 + 2
    assert expected_damage(TABLES, move("RAKE"), OWN, FOE) == pytest.approx(4.4 * 0.925)


def test_types_and_powerless_moves_count():
    ghost = creature(types=(GHOST,))
    assert expected_damage(TABLES, move("RAKE"), OWN, ghost) == 0
    assert expected_damage(TABLES, move("YOWL"), OWN, FOE) == 0
    assert expected_damage(TABLES, Move(250, "?", 5), OWN, FOE) == 0


def test_a_sure_end_is_worth_more_than_a_strong_blow_that_may_miss():
    weak = creature(hp=3, types=(NORMAL,))
    assert move_value(TABLES, move("RAKE"), OWN, weak) > move_value(
        TABLES, move("HEADLONG"), OWN, weak
    )
    strong = creature(hp=90, max_hp=90, types=(NORMAL,))
    assert move_value(TABLES, move("RAKE"), OWN, strong) < move_value(
        TABLES, move("HEADLONG"), OWN, strong
    )


def test_moves_without_points_do_no_damage():
    spent = creature(level=10, moves=(move("DOUSE", 0),))
    assert best_damage(TABLES, spent, FOE) == 0


def test_a_fight_ends_only_by_a_blow_that_cannot_miss():
    weak = creature(hp=3, types=(NORMAL,))
    assert ends_fight(TABLES, OWN, weak)
    missing = creature(level=10, moves=(move("HEADLONG"),))
    assert not ends_fight(TABLES, missing, weak)


def test_the_faster_one_is_told_by_the_stats():
    assert is_faster(OWN, FOE)
    assert not is_faster(FOE, OWN)
    assert not is_faster(creature(), FOE)


def test_the_worst_blow_is_the_highest_roll():
    assert worst_blow(TABLES, FOE, OWN) == pytest.approx(
        expected_damage(TABLES, move("RAKE"), FOE, OWN) / 0.925
    )


_PHYSICAL = ("NORMAL", "FIGHTING", "FLYING", "POISON", "GROUND", "ROCK", "BUG", "GHOST", "STEEL")
_SPECIAL = ("FIRE", "WATER", "GRASS", "ELECTRIC", "PSYCHIC", "ICE", "DRAGON", "DARK")


@pytest.mark.parametrize("first_special", [20, 10])
def test_special_types_are_told_by_their_names_whatever_their_numbers(first_special):
    types = {
        **dict(enumerate(_PHYSICAL)),
        **{first_special + i: name for i, name in enumerate(_SPECIAL)},
    }
    tables = GameTables(
        TYPES=types,
        MOVES={number + 1: (name, number, 40, 100, 10) for number, name in types.items()},
    )
    own = creature(level=10, stats=(20, 20, 20, 30, 20))
    foe = creature(level=10, stats=(10, 40, 10, 10, 15))
    for number, name in types.items():
        ratio = 30 / 15 if name in _SPECIAL else 20 / 40
        expected = (6 * 40 * ratio / 50 + 2) * 0.925
        assert expected_damage(tables, Move(number + 1, name, 10), own, foe) == pytest.approx(
            expected
        )


def test_a_race_is_lost_by_who_needs_more_blows():
    assert not loses_race(TABLES, OWN, FOE)
    assert loses_race(TABLES, creature(level=10, hp=1, moves=OWN.moves), FOE)
    assert loses_race(TABLES, creature(moves=(move("YOWL"),)), FOE)
    assert not loses_race(TABLES, OWN, creature(moves=()), blows_before=1)
