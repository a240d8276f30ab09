"""The rules over several states, made up for it; the real game is in test_practice_game."""

import json
from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from engine.games.base import Ferry, Milestone, MilestoneKind
from engine.games.catalog import load_game
from engine.planning.rules.advisor import RuleAdvisor
from engine.types import GAME_BOY_ADVANCE_ACTIONS, Action, Bag, GameState, MapId, Prompt
from tests.engine.planning.goals.helpers import FREE, HERE, READING, battle, creature, menu, state

GAME = load_game()
ISLE, MOOR = MapId(40, 21), MapId(40, 3)
SAILS = ((ISLE, "ISLE"), (MOOR, "MOOR"))
ALL = np.ones(len(GAME.actions), np.bool_)
NEWT = creature("NEWT", level=9)


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


def test_what_an_older_checkpoint_does_not_know_is_forgotten(advisor):
    for _ in range(2):
        press(advisor, question())
        press(advisor, state(control=READING, text=["It is day..."]))
    kept = ("planner", "goals", "milestones", "last_view", "unchanged_steps")
    oldest = {name: advisor.save()[name] for name in kept}
    advisor.restore(json.loads(json.dumps(oldest)))
    press(advisor, state(control=READING, text=["It is day..."]))
    assert press(advisor, question()) is Action.A
    new = RuleAdvisor(GAME)
    new.reset(state())
    press(new, state())
    later = ("world", "explorer", "supplies", "useless_moves", "replies", "teacher", "carried")
    advisor.restore(oldest)
    press(advisor, state())
    assert {name: advisor.save()[name] for name in later} == {
        name: new.save()[name] for name in later
    }


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


def scene(prompt: Prompt, *text: str, **more) -> GameState:
    """Return what a game shows that nobody walks in."""
    control = replace(READING, in_text=prompt is Prompt.TEXT, prompt=prompt)
    return state(control=control, text=text, **more)


LEARNER = {"party": [NEWT], "fight": battle(NEWT, creature("STONE"))}
NURSE = [
    (Prompt.TEXT, "Welcome!", Action.B),
    (Prompt.PRINTING, "Shall we heal", Action.NOOP),
    (Prompt.NONE, "Shall we heal", Action.NOOP),
    (Prompt.YES_NO, "Shall we heal", Action.A),
    (Prompt.PRINTING, "One moment", Action.NOOP),
    *3 * [(Prompt.NONE, "", Action.NOOP)],
    (Prompt.TEXT, "All are well.", Action.B),
]
LEVEL_UP = [
    (Prompt.TEXT, "NEWT is trying to learn YOWL", Action.B),
    (Prompt.TEXT, "It cannot learn more than four", Action.B),
    (Prompt.TEXT, "Delete an older move to make room for YOWL?", Action.B),
    (Prompt.NONE, "Delete an older move to make room for YOWL?", Action.NOOP),
    (Prompt.YES_NO, "Delete an older move to make room for YOWL?", Action.B),
    (Prompt.NONE, "", Action.NOOP),
    (Prompt.YES_NO, "Stop learning YOWL?", Action.A),
    (Prompt.PRINTING, "NEWT did not learn YOWL.", Action.NOOP),
]


@pytest.mark.parametrize(("shown", "more"), [(NURSE, {}), (LEVEL_UP, LEARNER)])
def test_no_button_is_down_when_a_question_opens(advisor, shown, more):
    for prompt, text, action in shown:
        if prompt is Prompt.YES_NO:
            seen = state(control=menu((1, 1), (2, 1)), text=["YES", "NO", text], **more)
        else:
            seen = scene(prompt, text, **more)
        assert press(advisor, seen) is action, (prompt, text)


@pytest.mark.parametrize(("prompt", "most"), [(Prompt.NONE, 40), (Prompt.TEXT, 6)])
def test_a_game_that_moves_by_itself_is_waited_for_longer(advisor, prompt, most):
    shown = scene(prompt, "...")
    advised = [advisor.advise(shown, ALL).prior.any() for _ in range(most + 1)]
    assert advised == [True] * most + [False]


def test_a_game_without_a_button_that_waits_gets_its_idle_one():
    rules = RuleAdvisor(load_game("mosslight-advance"))
    rules.reset(state())
    advice = rules.advise(scene(Prompt.NONE), np.ones(10, np.bool_))
    assert advice.prior.argmax() == GAME_BOY_ADVANCE_ACTIONS.idle


TITLE = replace(FREE, in_game=False, is_free=False, in_menu=True)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ((), Action.START),
        (("▶CONTINUE", "NEW GAME", "OPTION"), Action.A),
        (("CONTINUE", "▶NEW GAME", "OPTION"), Action.UP),
        (("PLAYER KRIS", "BADGES 8"), Action.A),
    ],
)
def test_after_the_credits_the_saved_game_is_continued(advisor, text, action):
    shown = state(control=TITLE, text=text)
    assert [press(advisor, shown) for _ in range(9)] == [action] * 9


def test_a_move_that_takes_the_player_along_is_not_used_again_before_it_has(advisor):
    press(advisor, scene(Prompt.TEXT, "NEWT used SURF!"))
    still = state(control=FREE)
    assert [press(advisor, still) for _ in range(2)] == [Action.NOOP, Action.NOOP]
    assert "take effect" not in advisor.advise(still, ALL).reason


def test_of_two_boats_the_one_that_comes_nearest_to_the_goal_is_named():
    rows = (
        Milestone("isle", "Sail", MilestoneKind.MAP, place=HERE, target=(1, 1), entered=ISLE),
        Milestone("moor", "Sail", MilestoneKind.MAP, place=HERE, target=(1, 1), entered=MOOR),
    )
    boats = tuple(Ferry(HERE, (1, 1), one, (0, 0), reply=name) for one, name in SAILS)
    game = copy(GAME)
    game.tables = replace(GAME.tables, MILESTONES=rows, FERRIES=boats)
    shown = state(control=menu((1, 1), (3, 1)), text=["▶HOME", "MOOR", "ISLE"])

    def chosen(first: str) -> str:
        rules = RuleAdvisor(game)
        rules.reset(state())
        rules.prioritise_milestone(first)
        return rules.advise(shown, ALL).reason

    assert chosen("moor") == "answer MOOR"
    assert chosen("isle") == "answer ISLE"
