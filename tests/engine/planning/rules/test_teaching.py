"""Teaching a machine: the prompts in the order in which a real cartridge showed them."""

import json
from dataclasses import replace

import pytest

from engine.games.base import Atlas, GameTables
from engine.games.overworld import Ability
from engine.planning.rules.answers import NOTHING_TRIED, Tried, Wishes, answer
from engine.planning.rules.teaching import Teacher
from engine.types import Action, Bag, Move, Prompt
from tests.engine.planning.goals.helpers import READING, creature, menu, state

CUT_MACHINE, SURF_MACHINE = 243, 245
ATLAS = Atlas(field_moves={Ability.CUT: ("CUT", 1), Ability.SURF: ("SURF", 3)})
TABLES = GameTables(
    MACHINES={CUT_MACHINE: "CUT", SURF_MACHINE: "SURF", 191: "DYNAMICPUNCH"},
    LEARNERS={"CUT": frozenset({158, 161}), "SURF": frozenset({158})},
    MOVES={
        10: ("SCRATCH", 0, 40, 100, 35),
        43: ("LEER", 0, 0, 100, 30),
        44: ("BITE", 17, 60, 100, 25),
        55: ("WATER GUN", 21, 40, 100, 25),
    },
)
SCRATCH, LEER = Move(10, "SCRATCH", 35), Move(43, "LEER", 30)
BITE, WATER_GUN, CUT = Move(44, "BITE", 25), Move(55, "WATER GUN", 25), Move(15, "CUT", 30)
FOUR = (SCRATCH, LEER, BITE, WATER_GUN)
BAG = Bag(machines=((191, 1), (CUT_MACHINE, 1)))


def totodile(moves=FOUR):
    return creature("TOTODILE", species=158, moves=moves)


def sentret(moves=FOUR[:1]):
    return creature("SENTRET", species=161, moves=moves)


def lesson(*party, bag=BAG, tables=TABLES):
    return Teacher(tables, ATLAS).lesson(state(party=party, bag=bag))


def test_what_nobody_knows_is_taught_to_the_one_who_loses_least_by_it():
    alone, other = lesson(totodile()), lesson(totodile(), sentret())
    assert (alone.item, alone.slot, alone.forget) == (CUT_MACHINE, 0, 1)
    assert (other.item, other.slot, other.forget) == (CUT_MACHINE, 1, -1)


def test_nothing_is_taught_without_need_or_to_who_cannot_learn_it():
    assert lesson(totodile((*FOUR[:3], CUT))) is None
    assert lesson(creature(species=7, moves=FOUR)) is None
    assert lesson(totodile(), bag=Bag()) is None
    assert lesson(totodile(), tables=GameTables()) is None


def test_a_move_that_opens_ways_is_not_forgotten_for_another():
    bag = Bag(machines=((SURF_MACHINE, 1),))
    assert lesson(totodile((CUT, SCRATCH, BITE, WATER_GUN)), bag=bag).forget == 1
    full = totodile(4 * (CUT,))
    assert lesson(full, bag=bag) is None
    assert not Teacher(TABLES, ATLAS).can_learn(state(party=[full]), "SURF")
    assert Teacher(TABLES, ATLAS).can_learn(state(party=[totodile()]), "SURF")


def said(*text: str, **more):
    return state(control=replace(READING, prompt=Prompt.TEXT), text=text, bag=BAG, **more)


def test_who_cannot_learn_it_gives_way_to_the_next_where_no_table_tells():
    tables = replace(TABLES, LEARNERS={})
    teacher = Teacher(tables, ATLAS)
    party = [sentret(()), totodile(())]
    shown = state(party=party, bag=BAG)
    assert teacher.lesson(shown).slot == 0
    teacher.notice(said("But SENTRET can't", "learn more than", party=party), 0)
    assert teacher.lesson(shown).slot == 0
    teacher.notice(said("CUT is not compatible", "with SENTRET.", party=party), 0)
    assert teacher.lesson(shown).slot == 1
    other = Teacher(tables, ATLAS)
    other.load(json.loads(json.dumps(teacher.save())))
    assert other.lesson(shown) == teacher.lesson(shown)


def test_a_lesson_given_up_is_tried_again_when_the_story_goes_on():
    teacher, shown = Teacher(TABLES, ATLAS), state(party=[totodile()], bag=BAG)
    teacher.give_up(teacher.lesson(shown))
    teacher.notice(shown, 0)
    assert teacher.lesson(shown) is None
    teacher.notice(shown, 1)
    assert teacher.lesson(shown) is not None


def shows(prompt: Prompt, *text: str, party=None, **control):
    asked = replace(READING, in_text=prompt is Prompt.TEXT, prompt=prompt)
    if prompt in (Prompt.MENU, Prompt.YES_NO):
        asked = replace(menu(control.pop("cursor", (1, 1)), control.pop("size", (2, 1))))
    return state(control=replace(asked, **control), text=text, party=party or [totodile()], bag=BAG)


START = ("POKéDEX", "▶POKéMON", "PACK", "EXIT")
LEARNED = (totodile((SCRATCH, CUT, BITE, WATER_GUN)),)
IN_ORDER = [
    (shows(Prompt.MENU, *START, size=(8, 1)), Action.DOWN),
    (shows(Prompt.MENU, "POKéMON", "▶PACK", "EXIT", cursor=(2, 1), size=(8, 1)), Action.A),
    (shows(Prompt.NONE), Action.NOOP),
    (shows(Prompt.MENU, selection=18, size=(5, 1)), Action.RIGHT),
    (shows(Prompt.MENU, selection=191, pocket=3, size=(5, 1)), Action.DOWN),
    (shows(Prompt.MENU, selection=CUT_MACHINE, pocket=3, size=(5, 1)), Action.A),
    (shows(Prompt.MENU, "▶USE", "QUIT"), Action.A),
    (shows(Prompt.TEXT, "Booted up an HM."), Action.B),
    (shows(Prompt.TEXT, "It contained CUT."), Action.B),
    (shows(Prompt.PRINTING, "Teach CUT to a POKéMON?"), Action.NOOP),
    (shows(Prompt.YES_NO, "▶YES", "NO", "Teach CUT to a POKéMON?"), Action.A),
    (shows(Prompt.NONE), Action.NOOP),
    (shows(Prompt.MENU, "▶TOTODILE", "CANCEL", "Teach to which PKMN?"), Action.A),
    (shows(Prompt.TEXT, "But TOTODILE can't learn more than four moves."), Action.B),
    (shows(Prompt.TEXT, "Delete an older move to make room for CUT?"), Action.B),
    (shows(Prompt.NONE, "Delete an older move to make room for CUT?"), Action.NOOP),
    (shows(Prompt.YES_NO, "▶YES", "NO", "Delete an older move?"), Action.A),
    (shows(Prompt.NONE), Action.NOOP),
    (shows(Prompt.MENU, "▶SCRATCH", "LEER", "BITE", "WATER GUN", size=(4, 1)), Action.DOWN),
    (
        shows(Prompt.MENU, "SCRATCH", "▶LEER", "BITE", "WATER GUN", cursor=(2, 1), size=(4, 1)),
        Action.A,
    ),
    (shows(Prompt.TEXT, "TOTODILE learned CUT!", party=LEARNED), Action.B),
    (
        shows(Prompt.MENU, selection=CUT_MACHINE, pocket=3, size=(5, 1), party=LEARNED),
        Action.B,
    ),
    (shows(Prompt.MENU, *START, size=(8, 1), party=LEARNED), Action.B),
]


@pytest.mark.parametrize("step", range(len(IN_ORDER)))
def test_each_prompt_of_a_lesson_gets_its_button(step):
    shown, expected = IN_ORDER[step]
    wishes = Wishes(use=Teacher(TABLES, ATLAS).lesson(shown))
    assert answer(shown, wishes, NOTHING_TRIED)[0] is expected


# Emerald's, as its sources have them: nobody has played them.
FIVE = ("BATTLE MOVES", "SCRATCH", "LEER", "BITE", "WATER GUN", "CUT")
FULL = (
    (shows(Prompt.TEXT, "TOTODILE wants to learn the", "move CUT."), Action.B),
    (shows(Prompt.TEXT, "However, TOTODILE already", "knows four moves."), Action.B),
    (
        shows(Prompt.YES_NO, "Should a move be deleted and", "replaced with CUT?", "▶YES", "NO"),
        Action.A,
    ),
    (shows(Prompt.TEXT, "Which move should be forgotten?"), Action.B),
    (shows(Prompt.NONE), Action.NOOP),
    (shows(Prompt.MENU, *FIVE, size=(5, 1)), Action.DOWN),
    (shows(Prompt.MENU, *FIVE, cursor=(2, 1), size=(5, 1)), Action.A),
    (shows(Prompt.MENU, *FIVE, cursor=(5, 1), size=(5, 1)), Action.UP),
    (shows(Prompt.MENU, *FIVE, cursor=(0, 0), size=(0, 0)), Action.B),
    (shows(Prompt.TEXT, "TOTODILE learned CUT!", party=LEARNED), Action.B),
)


def test_a_fifth_move_takes_the_place_that_the_lesson_says():
    teacher = Teacher(TABLES, ATLAS)
    for shown, expected in FULL:
        teacher.notice(shown, 0)
        wishes = Wishes(use=teacher.lesson(shown))
        assert answer(shown, wishes, NOTHING_TRIED)[0] is expected


@pytest.mark.parametrize("is_tired", [False, True])
def test_no_move_is_given_up_that_no_lesson_names(is_tired):
    shown = shows(Prompt.MENU, *FIVE, size=(5, 1))
    assert answer(shown, Wishes(), Tried(9, 2, is_tired))[0] is Action.B
