"""What the rules answer to prompts, on screens made up for it."""

from dataclasses import replace

import pytest

from engine.games.base import GameTables
from engine.planning.rules.answers import NO_WISHES, NOTHING_TRIED, Tried, Wishes, answer
from engine.planning.rules.battle import battle_button
from engine.planning.rules.items import ItemUse
from engine.types import Action, Bag, Prompt
from tests.engine.planning.goals.helpers import READING, creature, menu, state
from tests.engine.states import make_battle

POTION, ANTIDOTE, END = 18, 9, 0xFF
HEAL = ItemUse(POTION, 0, 0, "heal ANT")
CLOSED_WAY = Tried(times=2, wants_other=True)


def press(shown, wishes: Wishes = NO_WISHES, tried: Tried = NOTHING_TRIED) -> Action:
    return answer(shown, wishes, tried)[0]


def waiting(prompt: Prompt, *text: str, cursor=(0, 0), **more):
    control = replace(READING, in_text=False, prompt=prompt, cursor=cursor, **more)
    return state(control=control, text=text)


def listed(*text: str, cursor=(1, 1), size=(4, 1), selection: int = 0, pocket: int = 0, **more):
    control = replace(menu(cursor, size), selection=selection, pocket=pocket)
    return state(control=control, text=text, **more)


def question(*text: str, row: int = 1):
    return listed("YES", "NO", *text, cursor=(row, 1), size=(2, 1))


def test_text_is_read_by_b_and_by_a_where_b_changed_nothing():
    shown = waiting(Prompt.TEXT, "Hello!")
    pressed = [press(shown, tried=Tried(unchanged_steps=n)) for n in range(4)]
    assert pressed == [Action.B, Action.A, Action.B, Action.A]


def test_a_screen_is_left_or_accepted_and_its_question_answered_the_other_way():
    """As a wall clock asks whether the time is right, with the cursor on NO."""
    shown = waiting(Prompt.SCREEN)
    pressed = [press(shown, tried=Tried(unchanged_steps=n)) for n in range(5)]
    assert pressed == [Action.B, Action.A, Action.UP, Action.A, Action.B]


def test_evolution_is_not_stopped_by_b():
    assert press(waiting(Prompt.TEXT, "What? NEWT is", "evolving!")) is Action.A


@pytest.mark.parametrize("prompt", [Prompt.NONE, Prompt.PRINTING])
def test_nothing_is_pressed_while_nothing_is_asked_but_a_after_a_while(prompt):
    shown = waiting(prompt, "What? NEWT is", "evolving!")
    pressed = [press(shown, tried=Tried(unchanged_steps=n)) for n in range(18)]
    assert pressed == 2 * [*8 * [Action.NOOP], Action.A]


PLAYED = {  # what cartridges showed between a text's last line and its question
    "nurse": ("TEXT Shall we heal your POKéMON?", "NONE", "YES_NO", "NONE", "PRINTING", "TEXT"),
    "quiz": ("TEXT Ready?", "PRINTING", "NONE", "YES_NO", "NONE", "PRINTING", "NONE", "YES_NO"),
    "teaching": ("TEXT booted up an HM.", "TEXT It contained CUT.", "PRINTING", "YES_NO", "NONE"),
    "a move too many": (
        "TEXT is trying to learn BITE", "TEXT can't learn more than four", "NONE", "YES_NO",
        "NONE", "PRINTING",
    ),
}  # fmt: skip


@pytest.mark.parametrize("steps", PLAYED.values(), ids=PLAYED)
@pytest.mark.parametrize("is_battle", [False, True], ids=["field", "battle"])
def test_no_button_is_down_when_a_question_opens(steps, is_battle):
    for step in steps:
        name, _, text = step.partition(" ")
        shown = question("Well?") if name == "YES_NO" else waiting(Prompt[name], text)
        if name == "YES_NO":
            shown = replace(shown, control=replace(shown.control, prompt=Prompt.YES_NO))
        if is_battle:
            shown = replace(shown, battle=make_battle())
            pressed = battle_button(GameTables(), shown, NO_WISHES, NOTHING_TRIED)[0]
        else:
            pressed = press(shown)
        assert (pressed is Action.NOOP) == (name in {"NONE", "PRINTING"}), step


def test_naming_screen_is_left_by_start_and_a():
    shown = waiting(Prompt.NAMING, "YOUR NAME?")
    assert press(shown) is Action.START
    assert press(shown, tried=Tried(unchanged_steps=1)) is Action.A


def test_clock_is_taken_as_it_is_shown():
    assert press(waiting(Prompt.SPINNER, "What day is it?")) is Action.A


def test_question_is_answered_by_yes_from_either_row():
    assert press(question("Shall we rest?")) is Action.A
    assert press(question("Shall we rest?", row=2)) is Action.UP


@pytest.mark.parametrize(
    "text",
    [
        ("Give a nickname to", "the TOTODILE?"),
        ("Would you like to", "save the game?"),
        ("Do you want to", "save some money?"),
    ],
)
def test_question_that_leads_nowhere_is_answered_by_no(text):
    assert press(question(*text)) is Action.B


def test_question_that_led_to_nothing_is_answered_the_other_way():
    assert press(question("Daylight Saving Time?"), tried=CLOSED_WAY) is Action.B
    assert press(question("Give a nickname?"), tried=CLOSED_WAY) is Action.A


def test_menu_that_nobody_wants_is_closed():
    assert press(listed("▶TURN ON", "LOG OFF")) is Action.B
    assert press(listed("▶POKéMON", "PACK", "EXIT")) is Action.B
    assert press(listed("▶BUY", "SELL", "QUIT")) is Action.B


def test_menu_that_led_to_nothing_is_closed():
    shown = listed("▶BUY", "SELL", "QUIT")
    assert press(shown, Wishes(buy={POTION: 1})) is Action.A
    assert press(shown, Wishes(buy={POTION: 1}), CLOSED_WAY) is Action.B


def test_the_bag_is_found_in_the_menu_of_start():
    wishes = Wishes(use=HEAL)
    assert press(listed("▶POKéMON", "PACK", "SAVE", "EXIT"), wishes) is Action.DOWN
    assert press(listed("POKéMON", "▶PACK", "SAVE", "EXIT"), wishes) is Action.A
    assert press(listed("PARTY", "BAG", "▶OPTIONS", "EXIT"), wishes) is Action.UP


def test_item_is_found_in_a_bag_whose_list_shows_no_words():
    wishes = Wishes(use=HEAL)
    bag = Bag(items=((ANTIDOTE, 1), (POTION, 2)))
    assert press(listed(pocket=1, selection=5, bag=bag), wishes) is Action.RIGHT
    assert press(listed(selection=ANTIDOTE, bag=bag), wishes) is Action.DOWN
    assert press(listed(selection=POTION, bag=bag), wishes) is Action.A
    assert press(listed(selection=END, bag=bag), wishes) is Action.UP
    assert press(listed(selection=POTION, bag=bag)) is Action.B


def test_chosen_item_is_used_on_the_one_who_needs_it():
    wishes = Wishes(use=replace(HEAL, slot=1))
    assert press(listed("▶USE", "GIVE", "TOSS", "QUIT"), wishes) is Action.A
    assert press(listed("USE", "▶GIVE", "TOSS", "QUIT"), wishes) is Action.UP
    party = [creature(), creature()]
    shown = listed("Use on which PKMN?", size=(3, 1), party=party)
    assert press(shown, wishes) is Action.DOWN
    assert press(shown) is Action.B


def test_a_list_of_goods_is_walked_down_to_its_end():
    wishes = Wishes(buy={POTION: 3})
    assert press(listed(selection=ANTIDOTE), wishes) is Action.DOWN
    assert press(listed(selection=POTION), wishes) is Action.A
    assert press(listed(selection=END), wishes) is Action.B


@pytest.mark.parametrize(
    ("shown", "action"), [("×01   ¥ 300", Action.UP), ("×05", Action.DOWN), ("×03", Action.A)]
)
def test_the_quantity_is_set_to_what_is_wanted(shown, action):
    box = waiting(Prompt.QUANTITY, shown, selection=POTION)
    assert press(box, Wishes(buy={POTION: 3})) is action
    assert press(box) is Action.B
