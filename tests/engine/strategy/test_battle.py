import pytest

from engine.games.catalog import load_game
from engine.strategy.battle import battle_button, is_weak
from engine.types import Action, Bag, BattleKind
from tests.engine.strategy.helpers import READING, battle, creature, menu, moves, state

TABLES = load_game().tables
BUMP, UNNERVE, DOUSE = (
    next(number for number, facts in TABLES.MOVES.items() if facts[0] == name)
    for name in ("BUMP", "UNNERVE", "DOUSE")
)
NORMAL, ROCK, WATER = 0, 5, 21

FIRST_MENU = ("FIGHT TEAM", "BAG   RUN")
NEWT = creature("NEWT", types=(WATER, WATER), moves=moves(BUMP, UNNERVE, DOUSE))
STONE = creature("STONE", types=(ROCK, ROCK))


def suggest(shown, *, wants_catch: bool = False) -> Action:
    return battle_button(TABLES, shown, wants_catch=wants_catch, wants_run=None)[0]


def first_menu(own=NEWT, enemy=STONE, cursor=(1, 1), kind=BattleKind.WILD, **more):
    return state(
        control=menu(cursor, (2, 2)), fight=battle(own, enemy, kind), text=FIRST_MENU, **more
    )


def move_menu(own, enemy, row):
    return state(
        control=menu((row, 1), (len(own.moves), 1)),
        fight=battle(own, enemy),
        text=[move.name for move in own.moves],
    )


def test_a_healthy_creature_fights():
    assert suggest(first_menu()) is Action.A


def test_the_cursor_is_brought_to_the_entry_first():
    assert suggest(first_menu(cursor=(2, 2))) is Action.UP
    assert suggest(first_menu(cursor=(1, 2))) is Action.LEFT


def test_a_weak_creature_runs_from_the_wild():
    weak = creature("NEWT", hp=3, moves=moves(BUMP))
    assert suggest(first_menu(own=weak)) is Action.DOWN
    assert suggest(first_menu(own=weak, cursor=(2, 1))) is Action.RIGHT
    assert suggest(first_menu(own=weak, cursor=(2, 2))) is Action.A


def test_a_weak_creature_fights_trainers_all_the_same():
    weak = creature("NEWT", hp=3, moves=moves(BUMP))
    assert suggest(first_menu(own=weak, kind=BattleKind.TRAINER)) is Action.A


@pytest.mark.parametrize(("row", "action"), [(1, Action.DOWN), (2, Action.DOWN), (3, Action.A)])
def test_water_is_used_on_rock(row, action):
    assert suggest(move_menu(NEWT, STONE, row)) is action


def test_a_move_without_points_is_not_chosen():
    own = creature("NEWT", types=(WATER,), moves=(*moves(BUMP), *moves(DOUSE, points=0)))
    assert suggest(move_menu(own, STONE, 1)) is Action.A


def test_messages_are_passed_by_b():
    assert suggest(state(control=READING, fight=battle(NEWT, STONE))) is Action.B


def test_the_next_creature_is_one_that_stands():
    fainted = creature("NEWT", hp=0, species=2, moves=moves(DOUSE))
    other = creature("BUG", species=3, moves=moves(BUMP))
    shown = state(
        control=menu((1, 1), (2, 1)), fight=battle(fainted, STONE), party=[fainted, other]
    )
    assert suggest(shown) is Action.DOWN


def test_a_status_move_makes_room_for_a_new_one():
    own = creature("NEWT", moves=moves(BUMP, UNNERVE, DOUSE, BUMP))
    shown = state(
        control=menu((1, 1), (5, 1)), fight=battle(own, STONE), text=["KEEP ALL"], party=[own]
    )
    assert suggest(shown) is Action.DOWN


def test_a_ball_is_thrown_at_a_weakened_wild_creature_that_is_wanted():
    weak = creature("STONE", hp=5)
    bag = Bag(balls=((5, 3),))
    assert suggest(first_menu(enemy=weak, bag=bag), wants_catch=True) is Action.DOWN
    assert suggest(first_menu(enemy=weak, bag=bag)) is Action.A
    for title, action in (("ITEMS", Action.RIGHT), ("BALLS", Action.A)):
        shown = state(
            control=menu((1, 1), (2, 1)), fight=battle(NEWT, weak), text=[f"◀{title} ▶"], bag=bag
        )
        assert suggest(shown, wants_catch=True) is action


def test_unknown_menus_are_closed():
    shown = state(control=menu((1, 1), (3, 1)), fight=battle(NEWT, STONE), party=[NEWT])
    assert suggest(shown) is Action.B


def test_the_party_is_as_weak_as_its_strongest():
    strong, small = creature(hp=5, level=9), creature(hp=20, level=3)
    assert is_weak([strong, small], 0.4)
    assert not is_weak([creature(hp=15, level=9), small], 0.4)
    assert is_weak([creature(moves=moves(BUMP, points=0))], 0.4)
    assert not is_weak([], 0.4)
