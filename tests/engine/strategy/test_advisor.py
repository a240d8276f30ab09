"""The rules over several states, made up for it; the real game is in test_practice_game."""

import json
from dataclasses import replace

import numpy as np
import pytest

from engine.games.catalog import load_game
from engine.strategy.advisor import RuleAdvisor
from engine.types import Action, Bag, GameState, Prompt
from tests.engine.strategy.helpers import FREE, READING, creature, menu, state

GAME = load_game()
ALL = np.ones(len(GAME.actions), np.bool_)


@pytest.fixture
def advisor() -> RuleAdvisor:
    rules = RuleAdvisor(GAME)
    rules.reset(state())
    return rules


def press(rules: RuleAdvisor, shown: GameState) -> Action:
    return Action(int(rules.advise(shown, ALL).prior.argmax()))


def question(row: int = 1) -> GameState:
    return state(control=menu((row, 1), (2, 1)), text=["YES", "NO", "What? Day?"])


def test_question_that_comes_back_after_yes_twice_is_answered_by_no(advisor):
    pressed = []
    for _ in range(4):
        pressed.append(press(advisor, question()))
        press(advisor, state(control=READING, text=["It is day..."]))
    assert pressed == [Action.A, Action.A, Action.B, Action.B]


def test_a_restored_advisor_remembers_the_questions(advisor):
    for _ in range(2):
        press(advisor, question())
        press(advisor, state(control=READING, text=["It is day..."]))
    other = RuleAdvisor(GAME)
    other.reset(state())
    other.restore(json.loads(json.dumps(advisor.save())))
    press(other, state(control=READING, text=["It is day..."]))
    assert press(other, question()) is Action.B


def test_a_naming_screen_is_left_without_typing(advisor):
    shown = state(control=replace(READING, in_text=False, prompt=Prompt.NAMING), text=["NAME?"])
    assert [press(advisor, shown) for _ in range(2)] == [Action.START, Action.A]


def test_a_potion_is_not_tried_for_ever(advisor):
    """The menu of START is opened three times at most where the potion is never drunk."""
    hurt = {"party": [creature(hp=2)], "bag": Bag(items=((18, 1),))}
    outside = replace(
        state(control=FREE, **hurt), place=replace(state().place, environment="route")
    )
    opened = replace(
        outside, control=menu((4, 1), (4, 1)), screen_text=("PARTY", "BAG", "OPTIONS", "▶EXIT")
    )
    pressed = []
    for _ in range(6):
        pressed.append(press(advisor, outside))
        if pressed[-1] is Action.START:
            press(advisor, opened)
    assert pressed.count(Action.START) == 3
