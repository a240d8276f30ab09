"""Plans are taken from replies, whatever their form, where a choice is really named."""

import json

import pytest

from engine.planning.models.prompt import name_of, pick
from engine.planning.models.reply import read_plan
from engine.planning_types import Condition
from engine.types import GoalKind
from tests.engine.planning.models.queries import BATTLE, TOWN, option, query
from tests.engine.planning.models.replies import GOOD, REPLIES, Reply, picks, states

HERE = query()


def read(text: str, done_reason: str = "stop", where=HERE):
    return read_plan(text, done_reason, where, "model")


def by_line(reply: Reply) -> str:
    return f"{REPLIES.index(reply)} {reply.name}"


@pytest.mark.parametrize("reply", REPLIES, ids=by_line)
def test_each_reply_is_read_as_the_corpus_says(reply):
    reading = read(reply.text, reply.done_reason)
    if reply.error:
        assert reading.plan is None
        assert reply.error in reading.error
        return
    plan = reading.plan
    assert plan is not None, reading.error
    assert not reading.error
    assert name_of(plan.option) == reply.option
    assert plan.confidence == pytest.approx(reply.confidence)
    assert plan.condition in plan.option.conditions
    assert (not reading.repairs) == reply.is_clean


def test_the_corpus_is_large_enough():
    assert len(set(REPLIES)) == len(REPLIES) >= 60


def test_a_plan_says_where_it_holds_and_whose_it_is():
    plan = read(GOOD).plan
    assert (plan.key, plan.goal_sources, plan.option) == ("town", ("model",), TOWN[1])
    assert (plan.condition, plan.reasoning) == (Condition.ENTERED, "The way out is near.")


def test_a_condition_of_another_choice_is_replaced_by_the_first():
    for said in ("it answered", "A milestone!", "", 3):
        reading = read(picks('"reach exit 1"', f', "success": {json.dumps(said)}'))
        assert reading.plan.condition is Condition.ENTERED
        assert "success" in reading.repairs


@pytest.mark.parametrize(
    "said", ["a milestone was reached", "Milestone", "A MILESTONE was reached."]
)
def test_a_condition_is_taken_however_it_is_spelt(said):
    reading = read(picks('"reach exit 1"', f', "success": "{said}"'))
    assert reading.plan.condition is Condition.MILESTONE
    assert ("success" in reading.repairs) == (said != "a milestone was reached")


def test_each_repair_of_a_reply_is_named():
    text = "```\n{'goal': 'Reach', 'target': 'exit 1', 'confidence': 'high', 'reasoning': 'a\nb'}"
    assert read(text).repairs == (
        *("spelling", "text around it"),
        *("choice", "success", "confidence", "reasoning"),
    )


def test_reasoning_is_one_printable_line_of_bounded_length():
    said = json.dumps("\x1b[31mA\u202e \u200bB\n" + "word " * 500)
    plan = read(picks('"heal"', f', "reasoning": {said}')).plan
    assert plan.reasoning.startswith("[31mA B word")
    assert plan.reasoning.isprintable()
    assert len(plan.reasoning) <= 300


def test_two_choices_that_look_alike_are_told_apart_by_their_exact_names_only():
    here = query((option(GoalKind.CATCH, "NIDORAN♀"), option(GoalKind.CATCH, "NIDORAN♂")))
    assert read(picks('"catch NIDORAN♂"'), where=here).plan.option is here.options[1]
    assert "may be catch NIDORAN♀ or" in read(picks('"catch nidoran"'), where=here).error


def test_two_choices_of_one_name_cannot_be_chosen():
    here = query((option(GoalKind.MEET, "GUIDE", "one"), option(GoalKind.MEET, "GUIDE", "two")))
    assert "may be" in read(picks('"meet GUIDE"'), where=here).error


def test_a_kind_that_was_cut_from_its_target_is_not_taken_for_the_kind_alone():
    here = query((option(GoalKind.EXPLORE), option(GoalKind.EXPLORE, "north")))
    assert read('{"goal": "explore", "target": "no', "length", here).plan is None
    assert read('{"goal": "explore"}', "stop", here).plan.option is here.options[0]
    assert read('{"choice": "explore", "conf', "length", here).plan.option is here.options[0]


def test_a_restated_line_stands_for_one_choice_only():
    assert pick("exit 1 to", "", TOWN).option is TOWN[1]
    assert pick("exit", "", TOWN).option is None
    assert pick("win the battle", "", BATTLE).option is BATTLE[0]
    assert pick("win", "", BATTLE).option is None
    assert pick("reach exit 1 and then exit 2", "", TOWN).option is None


def test_an_error_stays_short_and_printable():
    many = query([option(GoalKind.REACH, f"exit {n}") for n in range(200)])
    error = read(picks(json.dumps("\x1b[2J" + "x" * 5000)), where=many).error
    assert error.isprintable()
    assert len(error) < 300
    assert "and 192 more" in error


def test_huge_figures_are_no_confidence():
    for figure in ("1" * 4000, "-" + "9" * 4000, "1e400", "0." + "3" * 4000, "[" * 900):
        reading = read(states(figure))
        assert reading.plan is None or 0 <= reading.plan.confidence <= 1
