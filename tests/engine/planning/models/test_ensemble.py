import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.planning.models.answering import vote
from engine.planning_types import Subgoal
from tests.engine.planning.models.queries import TOWN


def plan(model: str, choice: int = 0, confidence: float = 0.8, condition: int = 0) -> Subgoal:
    chosen = TOWN[choice]
    return Subgoal(
        "town", (model,), chosen, chosen.conditions[condition], confidence, f"{model} says so"
    )


def test_vote_without_plans_returns_none() -> None:
    assert vote([]) is None


def test_one_model_alone_is_taken_at_its_word() -> None:
    alone = plan("a", confidence=0.97)
    assert vote([alone], {"a": 0.01}) is alone


def test_two_agree_against_one() -> None:
    winner = vote([plan("a", 1), plan("b", 2), plan("c", 1)])
    assert winner is not None
    assert winner.option == TOWN[1]
    assert winner.goal_sources == ("a", "c")
    assert winner.confidence == pytest.approx(2 / 3 * 0.8)


def test_a_trusted_model_outvotes_two_that_are_not() -> None:
    plans = [plan("a", 1), plan("b", 2), plan("c", 1)]
    winner = vote(plans, {"a": 0.1, "b": 0.9, "c": 0.1})
    assert winner is not None
    assert winner.goal_sources == ("b",)
    assert winner.confidence == pytest.approx(0.9 / 1.1 * 0.8)


def test_unanimous_models_are_as_sure_as_they_state_on_average() -> None:
    winner = vote([plan("a", 1, 0.6), plan("b", 1, 1.0)])
    assert winner is not None
    assert winner.confidence == pytest.approx(0.8)


def test_claiming_to_be_certain_gains_no_more_than_nine_tenths() -> None:
    winner = vote([plan("a", 1, 1.0), plan("b", 2, 0.9)])
    assert winner is not None
    assert winner.goal_sources == ("a",)  # equal weights: the first
    assert winner.confidence == pytest.approx(0.5)


def test_vote_tie_goes_to_the_highest_single_weight() -> None:
    plans = [plan("a", 1, 0.5), plan("b", 1, 0.5), plan("c", 2, 0.5)]
    winner = vote(plans, {"a": 0.25, "b": 0.25, "c": 0.5})
    assert winner is not None
    assert winner.goal_sources == ("c",)


def test_the_words_and_the_condition_are_the_weightiest_voter_s() -> None:
    winner = vote([plan("a", 1), plan("b", 1, condition=1)], {"a": 0.2, "b": 0.7})
    assert winner is not None
    assert winner.reasoning == "b says so"
    assert winner.condition == TOWN[1].conditions[1]
    assert winner.goal_sources == ("a", "b")


@pytest.mark.parametrize("weight", [0.0, -1.0])
def test_models_without_any_weight_still_vote_by_their_number(weight: float) -> None:
    plans = [plan("a", 1), plan("b", 1), plan("c", 2)]
    winner = vote(plans, dict.fromkeys("abc", weight))
    assert winner is not None
    assert winner.option == TOWN[1]
    assert winner.confidence == pytest.approx(2 / 3 * 0.8)


@example([(0, 1.0, 9.98718408256842e307), (1, 1.0, 9.98718408256842e307)])
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.floats(0, 1), st.floats(allow_nan=True)),
        min_size=1,
        max_size=6,
    )
)
def test_the_winner_is_somebody_s_choice_and_no_surer_than_its_voters(
    votes: list[tuple[int, float, float]],
) -> None:
    plans = [plan(f"m{i}", choice, sure) for i, (choice, sure, _) in enumerate(votes)]
    weights = {f"m{i}": weight for i, (*_, weight) in enumerate(votes)}
    winner = vote(plans, weights)
    assert winner is not None
    voters = [one for one in plans if one.option == winner.option]
    assert winner.goal_sources == tuple(one.goal_source for one in voters)
    assert math.isfinite(winner.confidence)
    stated = sum(one.confidence for one in voters) / len(voters)
    assert 0 <= winner.confidence <= stated + 1e-9
