from dataclasses import replace

import pytest

from engine.games.base import BattleCells
from engine.games.catalog import load_game
from engine.games.crystal.memory import FACTS
from engine.games.facts import read_tables
from engine.planning.rules.answers import NO_WISHES, NOTHING_TRIED, Tried, Wishes
from engine.planning.rules.battle import battle_button, is_weak
from engine.planning.rules.items import LIST_END
from engine.types import Action, Bag, BattleKind, Prompt
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
    shown = replace(move_menu(strong, wild, 1), bag=Bag(balls=((5, 1),)))
    assert suggest(shown, wants_catch=True) is Action.A
    assert suggest(replace(shown, bag=Bag()), wants_catch=True) is Action.DOWN  # no ball: beat it


def listed(own, *party, text=("Choose a POKéMON.",), tried=NOTHING_TRIED, enemy=STONE):
    """Return the button in the party list of a battle with a trainer."""
    shown = state(
        control=menu((1, 1), (len(party) + 1, 1)),
        fight=battle(own, enemy, BattleKind.TRAINER),
        party=party,
        text=text,
    )
    return battle_button(TABLES, shown, NO_WISHES, tried)[0]


def test_who_will_lose_makes_room_for_one_who_wins_against_a_trainer():
    foe = creature("FOE", types=(ROCK,), moves=moves(BUMP), level=8, hp=20)
    losing = creature("NEWT", hp=5, max_hp=30, moves=moves(BUMP))
    winner = creature("FISH", hp=60, max_hp=60, level=9, types=(WATER,), moves=moves(DOUSE))

    def pressed(other, kind=BattleKind.TRAINER):
        return suggest(first_menu(own=losing, enemy=foe, kind=kind, party=[losing, other]))

    assert pressed(winner) is Action.RIGHT
    assert pressed(replace(winner, hp=3)) is Action.A  # it would fall at the switch
    assert pressed(replace(winner, moves=moves(UNNERVE))) is Action.A
    assert listed(losing, losing, winner, enemy=foe) is Action.DOWN
    assert listed(winner, winner, losing, enemy=foe) is Action.B  # nobody is to be replaced


def test_the_next_best_is_sent_where_the_best_is_refused_as_it_fights_already():
    fainted = creature("NEWT", hp=0, moves=moves(DOUSE))
    best = creature("FISH", species=2, types=(WATER,), moves=moves(DOUSE))
    other = creature("BUG", species=3, moves=moves(BUMP))
    party = fainted, other, best
    assert listed(fainted, *party) is Action.DOWN
    shown = state(
        control=menu((3, 1), (4, 1)), fight=battle(fainted, STONE), party=party, text=["▶BUG"]
    )
    assert battle_button(TABLES, shown, NO_WISHES, NOTHING_TRIED)[0] is Action.A
    assert battle_button(TABLES, shown, NO_WISHES, Tried(times=4))[0] is Action.UP


MATE = creature("MATE", species=7, level=4, moves=moves(BUMP))
GHOST_FOE = creature("SPOOK", species=8, types=(8,))


def aim(target, *, unchanged: int = 0) -> Action:
    """Return the button while a double battle asks whom a move is for."""
    fight = replace(battle(NEWT, STONE, BattleKind.TRAINER), is_double=True, target=target)
    shown = state(
        control=menu((1, 1), (1, 1)), fight=fight, party=[NEWT, MATE], text=["TYPE/", "NORMAL"]
    )
    return battle_button(TABLES, shown, NO_WISHES, Tried(unchanged_steps=unchanged))[0]


FOE_STONE = replace(STONE, species=9)


def test_nobody_is_exchanged_for_who_may_fight_at_their_side():
    helpless = creature("NEWT", moves=moves(UNNERVE))
    shown = first_menu(own=helpless, kind=BattleKind.TRAINER, party=[helpless, MATE])
    assert suggest(shown) is Action.RIGHT
    assert suggest(replace(shown, battle=replace(shown.battle, is_double=True))) is Action.A


def test_a_move_is_aimed_at_the_foe_that_it_was_chosen_against():
    assert aim(STONE) is Action.A
    weaker = replace(STONE, species=9, hp=60, max_hp=60)
    assert aim(weaker) is Action.A  # harmed as much


@pytest.mark.parametrize("target", [NEWT, MATE, replace(FOE_STONE, hp=0), GHOST_FOE])
def test_the_cursor_leaves_the_own_side_the_fainted_and_who_is_harmed_less(target):
    assert aim(target) in (Action.RIGHT, Action.UP, Action.LEFT, Action.DOWN)
    assert len({aim(target, unchanged=steps) for steps in range(4)}) == 4


def test_aiming_ends_where_the_cursor_does_not_move():
    assert aim(GHOST_FOE, unchanged=4) is Action.A  # better than none
    assert all(
        aim(own, unchanged=steps) is not Action.A for own in (NEWT, MATE) for steps in range(9)
    )
    assert aim(MATE, unchanged=8) is Action.B


def test_a_target_that_the_reader_does_not_tell_is_taken_as_it_is_shown():
    fight = battle(NEWT, STONE, BattleKind.TRAINER)
    shown = state(
        control=menu((0, 0), (0, 0)), fight=fight, party=[NEWT, MATE], text=["PP 9/10", "TYPE/ICE"]
    )
    assert suggest(shown) is Action.A


def test_a_move_that_is_known_to_do_nothing_is_left_out():
    tried = Tried(useless=frozenset({DOUSE}))
    shown = move_menu(NEWT, STONE, 1)
    assert battle_button(TABLES, shown, NO_WISHES, tried)[0] is Action.A  # BUMP
    nothing_helps = Tried(useless=frozenset({BUMP, UNNERVE, DOUSE}))
    assert battle_button(TABLES, shown, NO_WISHES, nothing_helps)[0] is Action.DOWN  # DOUSE


def test_the_party_is_weak_when_few_points_of_its_best_moves_are_left():
    def is_spent(bump: int, douse: int) -> bool:
        known = (*moves(BUMP, points=bump), *moves(DOUSE, points=douse), *moves(UNNERVE))
        return is_weak([creature(types=(WATER,), moves=known)], 0.4, TABLES)

    assert not is_spent(35, 25)
    assert not is_spent(3, 9)
    assert is_spent(3, 5)
    assert is_spent(0, 0)
    assert not is_weak([creature(moves=moves(UNNERVE))], 0.4, TABLES)


def test_weak_blows_do_not_count_as_points_worth_using():
    strong, weak = moves(DOUSE, points=2), moves(BUMP, points=35)
    tables = replace(TABLES, MOVES=TABLES.MOVES | {DOUSE: ("DOUSE", WATER, 120, 100, 25)})
    assert is_weak([creature(types=(WATER,), moves=(*strong, *weak))], 0.4, tables)


def test_nothing_is_pressed_while_a_creature_evolves_and_never_b():
    shown = state(control=READING, fight=battle(NEWT, STONE), text=["NEWT is evolving!"])
    busy = replace(READING, in_text=False, prompt=Prompt.PRINTING)
    for steps in range(12):
        tried = Tried(unchanged_steps=steps)
        assert battle_button(TABLES, shown, NO_WISHES, tried)[0] is Action.A
        waiting = battle_button(TABLES, replace(shown, control=busy), NO_WISHES, tried)[0]
        assert waiting in (Action.NOOP, Action.A)


def test_the_question_whether_to_learn_is_not_answered_before_it_is_asked():
    """The prompts of a level gained on a cartridge: a step passes between text and question."""
    learner = creature("NEWT", types=(WATER,), moves=moves(BUMP, DOUSE))
    fight = battle(learner, STONE)
    asked = ("an older move to", "make room for SURGE?")
    text = state(control=READING, fight=fight, text=asked)
    none = state(control=replace(READING, in_text=False), fight=fight, text=asked)
    pressed = [suggest(one) for one in (text, none, question(*asked, own=learner))]
    assert pressed == [Action.B, Action.NOOP, Action.A]
