from dataclasses import replace

import pytest

from engine.games.catalog import load_game
from engine.games.crystal.memory import FACTS
from engine.games.facts import read_tables
from engine.planning.rules.answers import NO_WISHES, NOTHING_TRIED
from engine.planning.rules.battle import battle_button
from engine.planning.rules.teaching import weakest_move
from engine.types import Action, Move
from tests.engine.planning.goals.helpers import battle, creature, menu, moves, state

TABLES = load_game().tables
CRYSTALS = read_tables(FACTS)
BUMP, UNNERVE, DOUSE = (
    next(number for number, facts in TABLES.MOVES.items() if facts[0] == name)
    for name in ("BUMP", "UNNERVE", "DOUSE")
)
WATER = 21
NEWT = creature("NEWT", types=(WATER, WATER), moves=moves(BUMP, UNNERVE, DOUSE))
STONE = creature("STONE", types=(5, 5))


def suggest(shown) -> Action:
    return battle_button(TABLES, shown, NO_WISHES, NOTHING_TRIED)[0]


def question(*text: str, own=NEWT):
    return state(control=menu((1, 1), (2, 1)), fight=battle(own, STONE), text=["▶YES", "NO", *text])


def known(*names: str) -> tuple[Move, ...]:
    """Return moves of Crystal."""
    numbers = {facts[0]: number for number, facts in CRYSTALS.MOVES.items()}
    return tuple(Move(numbers[name], name, 10) for name in names)


def test_a_status_move_makes_room_for_a_new_one():
    own = creature("NEWT", moves=moves(BUMP, UNNERVE, DOUSE, BUMP))
    shown = state(
        control=menu((1, 1), (5, 1)), fight=battle(own, STONE), text=["KEEP ALL"], party=[own]
    )
    assert suggest(shown) is Action.DOWN


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


def test_the_list_of_four_moves_is_that_of_who_learns():
    """Who fights need not be who gains the level; the list of Crystal has four rows."""
    learner = creature("FISH", species=2, moves=known("SURF", "BITE", "LEER", "WATER GUN"))
    other = creature("OTHER", moves=known("SCRATCH", "GROWL"))
    shown = state(
        control=menu((1, 1), (4, 1)),
        fight=battle(other, STONE),
        party=[other, learner],
        text=["▶SURF", "BITE", "LEER", "WATER GUN", "Which move should", "be forgotten?"],
    )
    assert battle_button(CRYSTALS, shown, NO_WISHES, NOTHING_TRIED)[0] is Action.DOWN  # to LEER


def test_moves_that_open_ways_are_never_the_weakest():
    own = creature(moves=known("CUT", "FLASH", "ROCK SMASH", "SURF"))
    assert weakest_move(CRYSTALS, own) is None
    assert weakest_move(CRYSTALS, creature(moves=known("CUT", "FLASH", "SLASH")))[1] == 2
    shown = state(
        control=menu((1, 1), (4, 1)),
        fight=battle(own, STONE),
        text=["▶CUT", "FLASH", "ROCK SMASH", "SURF", "Which move should", "be forgotten?"],
    )
    assert battle_button(CRYSTALS, shown, NO_WISHES, NOTHING_TRIED)[0] is Action.B


FOUR = known("SURF", "BITE", "LEER", "WATER GUN")


def replacing(new: str, row: int, own=FOUR):
    """Return Emerald's screen in battle that asks which of four moves and the new one goes."""
    names = [move.name for move in own] + [new]
    if row:
        names[row - 1] = f"▶{names[row - 1]}"
    learner = creature("FISH", species=2, moves=own)
    return state(
        control=menu((row, min(row, 1)), (5, 1)),
        fight=battle(creature("OTHER", moves=known("GROWL")), STONE),
        party=[creature("OTHER", moves=known("GROWL")), learner],
        text=["BATTLE MOVES", *names],
    )


@pytest.mark.parametrize(
    ("new", "row", "action"),
    [
        ("SLASH", 1, Action.DOWN),
        ("SLASH", 2, Action.DOWN),
        ("SLASH", 3, Action.A),  # LEER goes
        ("SLASH", 5, Action.UP),
        ("GROWL", 1, Action.DOWN),
        ("GROWL", 4, Action.DOWN),
        ("GROWL", 5, Action.A),  # the new one goes
        ("SLASH", 0, Action.B),  # the cursor is not known
    ],
)
def test_of_four_moves_and_the_new_one_the_weakest_goes(new, row, action):
    shown = replacing(new, row)
    assert battle_button(CRYSTALS, shown, NO_WISHES, NOTHING_TRIED)[0] is action


def test_a_new_move_never_takes_the_place_of_one_that_opens_ways():
    own = known("CUT", "FLASH", "ROCK SMASH", "SURF")
    shown = replacing("SLASH", 1, own)
    assert battle_button(CRYSTALS, shown, NO_WISHES, NOTHING_TRIED)[0] is Action.B
    shown = replacing("SLASH", 1, (*own[:3], *known("LEER")))
    assert battle_button(CRYSTALS, shown, NO_WISHES, NOTHING_TRIED)[0] is Action.DOWN
    shown = replacing("SLASH", 4, (*own[:3], *known("LEER")))
    assert battle_button(CRYSTALS, shown, NO_WISHES, NOTHING_TRIED)[0] is Action.A


def test_moves_of_nobody_that_is_known_stay():
    shown = replacing("SLASH", 5)
    shown = replace(shown, party=shown.party[:1])
    assert battle_button(CRYSTALS, shown, NO_WISHES, NOTHING_TRIED)[0] is Action.A


@pytest.mark.parametrize(
    ("new", "cursor", "action"),
    [("SLASH", (1, 1), Action.A), ("SLASH", (2, 1), Action.UP), ("GROWL", (1, 1), Action.B),
     ("SLASH", (0, 0), Action.B)],
)  # fmt: skip
def test_a_move_is_deleted_for_a_better_one(new, cursor, action):
    text = ["Delete a move to make", f"room for {new}?", "▶YES", "NO"]
    asked = menu(cursor, (2, 1))
    own = creature("FISH", species=2, moves=FOUR)
    shown = state(control=asked, fight=battle(own, STONE), party=[own], text=text)
    assert battle_button(CRYSTALS, shown, NO_WISHES, NOTHING_TRIED)[0] is action
