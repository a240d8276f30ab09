from dataclasses import replace

import pytest

from engine.games.base import BattleCells
from engine.games.catalog import load_game
from engine.games.crystal.memory import FACTS
from engine.games.facts import read_tables
from engine.planning.rules.answers import NO_WISHES, NOTHING_TRIED, Tried, Wishes
from engine.planning.rules.battle import battle_button, is_weak
from engine.planning.rules.items import LIST_END
from engine.types import Action, Bag, BattleKind
from tests.engine.planning.goals.helpers import READING, battle, creature, menu, moves, state

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
    return battle_button(TABLES, shown, Wishes(wants_catch=wants_catch), NOTHING_TRIED)[0]


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


@pytest.mark.parametrize(
    ("cursor", "action"),
    [((1, 1), Action.DOWN), ((1, 2), Action.DOWN), ((2, 1), Action.A), ((2, 2), Action.LEFT)],
)
def test_the_third_of_the_moves_in_two_columns_is_below_the_first(cursor, action):
    shown = move_menu(NEWT, STONE, 1)
    assert suggest(replace(shown, control=menu(cursor, (2, 2)))) is action


def test_the_first_menu_may_be_laid_out_otherwise():
    weak = creature("NEWT", hp=3, moves=moves(BUMP))
    tables = replace(TABLES, BATTLE_CELLS=BattleCells(run=(2, 1), bag=(2, 2)))
    shown = first_menu(own=weak, cursor=(2, 2))
    assert battle_button(tables, shown, Wishes(), NOTHING_TRIED)[0] is Action.LEFT


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
    for title, pocket, selection, action in (
        ("ITEMS", 0, LIST_END, Action.RIGHT),
        ("BALLS", 1, LIST_END, Action.UP),
        ("BALLS", 1, 5, Action.A),
    ):
        control = replace(menu((1, 1), (2, 1)), pocket=pocket, selection=selection)
        shown = state(control=control, fight=battle(NEWT, weak), text=[f"◀{title} ▶"], bag=bag)
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


def question(*text: str, own=NEWT):
    return state(control=menu((1, 1), (2, 1)), fight=battle(own, STONE), text=["▶YES", "NO", *text])


@pytest.mark.parametrize(
    ("text", "action"),
    [
        (("Give a nickname to", "BUG?"), Action.B),
        (("Stop learning", "DOUSE?"), Action.A),
        (("Use next POKéMON?",), Action.A),
        (("Will you change", "POKéMON?"), Action.B),
        (("Delete a move to make", "room for DOUSE?"), Action.B),
    ],
)
def test_questions_of_a_battle_are_answered_on_purpose(text, action):
    assert suggest(question(*text)) is action


def test_a_new_move_is_learned_where_it_beats_the_weakest():
    text = ("an older move to", "make room for SURGE?")
    learner = creature("NEWT", types=(WATER,), moves=moves(BUMP, DOUSE))
    assert suggest(question(*text, own=learner)) is Action.A
    assert suggest(question("make room for YOWL?", own=learner)) is Action.B


def test_the_weakest_move_is_forgotten_where_one_must_be():
    own = creature("NEWT", types=(WATER,), moves=moves(DOUSE, BUMP))
    shown = state(
        control=menu((1, 1), (2, 1)),
        fight=battle(own, STONE),
        text=["▶DOUSE", "BUMP", "Which move should", "be forgotten?"],
    )
    assert suggest(shown) is Action.DOWN


POTION = Bag(items=((18, 1),))
FOE = creature("FOE", types=(ROCK,), moves=moves(BUMP), level=8, hp=40, max_hp=40)


def test_a_potion_is_drunk_where_the_next_blow_would_end_the_fight():
    hurt = creature("NEWT", hp=3, max_hp=30, types=(WATER,), moves=moves(BUMP))
    shown = first_menu(own=hurt, enemy=FOE, kind=BattleKind.TRAINER, bag=POTION)
    assert suggest(shown) is Action.DOWN
    assert suggest(first_menu(own=hurt, enemy=FOE, kind=BattleKind.TRAINER)) is Action.A


def test_no_potion_is_drunk_where_an_own_blow_ends_the_fight_first():
    hurt = creature("NEWT", hp=3, max_hp=30, stats=(20, 9, 20, 20, 9), moves=moves(DOUSE))
    dying = creature("FOE", hp=2, stats=(20, 9, 5, 20, 9), moves=moves(BUMP), level=8)
    shown = first_menu(own=hurt, enemy=dying, kind=BattleKind.TRAINER, bag=POTION)
    assert suggest(shown) is Action.A


def test_a_status_that_costs_more_turns_than_its_medicine_is_cured_against_trainers():
    medicine = Bag(items=((12, 1), (13, 1)))
    asleep = creature("NEWT", status="sleep", types=(WATER,), moves=moves(DOUSE))
    stiff = replace(asleep, status="paralysis")

    def pressed(own, enemy=FOE, bag=medicine, kind=BattleKind.TRAINER):
        return suggest(first_menu(own=own, enemy=enemy, kind=kind, bag=bag))

    assert pressed(asleep) is Action.DOWN
    assert pressed(asleep, kind=BattleKind.WILD) is Action.A
    assert pressed(asleep, bag=POTION) is Action.A
    assert pressed(replace(asleep, hp=1)) is Action.A  # it would not live to act
    assert pressed(stiff) is Action.DOWN
    assert pressed(stiff, replace(FOE, hp=5)) is Action.A


def test_the_last_that_stands_revives_a_stronger_one():
    crystal = read_tables(FACTS)
    tackle = next(number for number, facts in crystal.MOVES.items() if facts[0] == "TACKLE")
    own = creature("NEWT", hp=60, max_hp=60, moves=moves(tackle))
    enemy = replace(FOE, level=5, moves=moves(tackle))
    strong = creature("OAK", hp=0, level=9)
    revive = Bag(items=((39, 1),))

    def pressed(*party, cursor=(1, 1)):
        kind = BattleKind.TRAINER
        shown = first_menu(own, enemy, cursor, kind, party=party, bag=revive)
        return battle_button(crystal, shown, NO_WISHES, NOTHING_TRIED)[0]

    assert pressed(own, strong) is Action.DOWN
    assert pressed(own, strong, cursor=(2, 1)) is Action.A
    assert pressed(own, replace(strong, level=4)) is Action.A
    assert pressed(own, strong, creature("ASH")) is Action.A
    asked = state(
        control=menu((1, 1), (3, 1)),
        fight=battle(own, enemy, BattleKind.TRAINER),
        party=[own, strong],
        bag=revive,
        text=["Use on which one?"],
    )
    assert battle_button(crystal, asked, NO_WISHES, NOTHING_TRIED)[0] is Action.DOWN


def test_who_can_do_no_harm_is_replaced():
    helpless = creature("NEWT", moves=moves(UNNERVE))
    other = creature("BUG", species=3, moves=moves(BUMP))
    shown = first_menu(own=helpless, party=[helpless, other])
    assert suggest(shown) is Action.RIGHT
    listed = state(
        control=menu((1, 1), (3, 1)),
        fight=battle(helpless, STONE),
        party=[helpless, other],
        text=["Choose a POKéMON."],
    )
    assert suggest(listed) is Action.DOWN


def test_entries_of_the_first_menu_that_led_to_nothing_give_way_to_fighting():
    weak = creature("NEWT", hp=3, moves=moves(BUMP))
    shown = first_menu(own=weak)
    tried = Tried(times=2, wants_other=True)
    assert battle_button(TABLES, shown, NO_WISHES, tried)[0] is Action.A


def test_a_move_that_is_refused_gives_way_to_the_next():
    tried = Tried(times=2, wants_other=True)
    assert battle_button(TABLES, move_menu(NEWT, STONE, 1), NO_WISHES, tried)[0] is Action.A


def test_a_wanted_creature_is_weakened_gently():
    strong = creature("NEWT", types=(WATER,), moves=moves(BUMP, DOUSE), level=12)
    wild = creature("STONE", types=(ROCK,), hp=18)
    shown = move_menu(strong, wild, 1)
    pressed = battle_button(TABLES, shown, Wishes(wants_catch=True), NOTHING_TRIED)[0]
    assert pressed is Action.A
