"""Replies that a game's tables hold, on screens made up for them."""

import json
from dataclasses import replace

import pytest

from engine.games.base import Answer
from engine.planning.rules.answers import NO_WISHES, Tried, answer
from engine.planning.rules.replies import Replies
from engine.types import Action, MapId, Prompt
from tests.engine.planning.goals.helpers import FREE, HERE, READING, menu, state

ANSWERS = (
    Answer("flash", "NO", HERE),
    Answer("who is best", "Pal"),
    Answer("where to", "#2", goal="far_town"),
    Answer("", "Sky Pillar", MapId(9, 9)),
    Answer("", "NEWT", HERE, "starter"),
    Answer("select the radio", "DOWN DOWN A", HERE),
)


def asked(*text: str, cursor=(1, 1), size=(3, 1), **more):
    return state(control=menu(cursor, size), text=text, **more)


def press(shown, goal: str = "", replies: Replies | None = None) -> Action | None:
    replies = Replies(ANSWERS) if replies is None else replies
    replies.notice(shown)
    found = replies.reply(shown, goal)
    return found[0] if found else None


def yes_no(*text: str, row: int = 1):
    control = replace(menu((row, 1), (2, 1)), prompt=Prompt.YES_NO)
    return state(control=control, text=("YES", "NO", *text))


def test_a_question_gets_the_reply_of_its_words_and_map():
    assert press(yes_no("Does FLASH light", "up a cave?")) is Action.B
    assert press(yes_no("Is it day?")) is None
    elsewhere = replace(state(map_id=MapId(5, 5)), control=yes_no().control)
    assert press(replace(elsewhere, screen_text=("Does FLASH",))) is None


@pytest.mark.parametrize(
    ("rows", "action"),
    [
        (("▶Rival", "Pal", "Friend"), Action.DOWN),
        (("Rival", "▶Pal", "Friend"), Action.A),
        (("Rival", "Pal", "▶Friend"), Action.UP),
        (("▶Rival", "Nobody"), None),
    ],
)
def test_an_entry_is_chosen_by_its_text(rows, action):
    row = 1 + next(i for i, line in enumerate(rows) if line.startswith("▶"))
    assert press(asked(*rows, "Who is best?", cursor=(row, 1))) is action


def test_an_entry_is_chosen_by_its_number_on_the_way_to_its_goal_only():
    shown = asked("▶A", "B", "C", "Where to?")
    assert press(shown, "far_town") is Action.DOWN
    assert press(shown, "other") is None
    assert press(asked("A", "▶B", "C", "Where to?", cursor=(2, 1)), "far_town") is Action.A


def test_an_entry_is_found_beside_others():
    def columns(*names: str) -> Action | None:
        column = 1 + next(i for i, name in enumerate(names) if name.startswith("▶"))
        return press(asked(*names, cursor=(1, column), size=(1, 3)), "starter")

    assert columns("▶ANT", "FLY", "NEWT") is Action.RIGHT
    assert columns("ANT", "FLY", "▶NEWT") is Action.A


def test_a_question_is_remembered_when_its_menu_hides_it():
    replies = Replies(ANSWERS)
    replies.notice(
        state(control=replace(READING, prompt=Prompt.PRINTING), text=("Who is best", "of all?"))
    )
    other = Replies(ANSWERS)
    other.load(json.loads(json.dumps(replies.save())))
    shown = asked("▶Rival", "Pal", "Friend")
    assert press(shown, replies=other) is press(shown, replies=replies) is Action.DOWN
    replies.notice(state(control=FREE))
    assert press(shown, replies=replies) is None


def test_buttons_are_pressed_one_after_the_other_while_something_is_asked():
    replies = Replies(ANSWERS)
    shown = asked("▶MAP", "Select the", "radio.")
    plain = asked("▶MAP", "CLOCK", "RADIO")
    printing = state(control=replace(READING, prompt=Prompt.PRINTING), text=("...",))
    assert press(shown, replies=replies) is Action.DOWN
    assert press(printing, replies=replies) is None
    other = Replies(ANSWERS)
    other.load(json.loads(json.dumps(replies.save())))
    for one in (replies, other):
        assert [press(plain, replies=one) for _ in range(2)] == [Action.DOWN, Action.A]
        assert press(plain, replies=one) is None


def test_entries_of_a_menu_that_b_does_not_close_are_taken_in_turn():
    shown = asked("▶LOVE", "VIOLENCE", "WISDOM")
    pressed = [
        answer(shown, NO_WISHES, Tried(unchanged, times))[0]
        for unchanged, times in ((0, 0), (3, 0), (4, 0), (4, 1))
    ]
    assert pressed == [Action.B, Action.B, Action.A, Action.DOWN]
    assert answer(shown, NO_WISHES, Tried(0, 2, wants_other=True))[0] is Action.DOWN


def test_a_menu_that_the_player_opened_is_no_question_of_the_map():
    start = asked("▶PACK", "POKéMON", "EXIT")
    boat = [Answer("", "#2", HERE)]
    assert Replies(()).reply(start, "", boat) is None
    assert Replies(()).reply(asked("▶NORTH", "SOUTH"), "", boat)[0] is Action.DOWN
