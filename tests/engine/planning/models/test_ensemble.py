import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.planning.models.answering import UNKNOWN_WEIGHT, vote
from engine.planning_types import Subgoal
from tests.engine.planning.models.queries import TOWN


def plan(model: str, choice: int = 0, confidence: float = 0.8, condition: int = 0) -> Subgoal:
    chosen = TOWN[choice]
    return Subgoal(
        "town", (model,), chosen, chosen.conditions[condition], confidence, f"{model} says so"
    )


def test_one_model_alone_is_taken_at_its_word_and_none_returns_none():
    assert vote([]) is None
    alone = plan("a", confidence=0.97)
    assert vote([alone], {"a": 0.01}) is alone


@pytest.mark.parametrize(
    ("plans", "weights", "sources", "confidence"),
    [
        ([plan("a", 1), plan("b", 2), plan("c", 1)], {}, ("a", "c"), 2 / 3 * 0.8),
        (
            [plan("a", 1), plan("b", 2), plan("c", 1)],
            {"a": 0.1, "b": 0.9, "c": 0.1},
            ("b",),
            0.9 / 1.1 * 0.8,
        ),
        (
            [plan("a", 1), plan("b", 2)],
            {"a": math.nan, "b": 0.9},
            ("b",),
            0.9 / (0.9 + UNKNOWN_WEIGHT) * 0.8,
        ),
        ([plan("a", 1, 0.6), plan("b", 1, 1.0)], {}, ("a", "b"), 0.8),
        ([plan("a", 1, 1.0), plan("b", 2, 0.9)], {}, ("a",), 0.5),
        (
            [plan("a", 1, 0.5), plan("b", 1, 0.5), plan("c", 2, 0.5)],
            {"a": 0.25, "b": 0.25, "c": 0.5},
            ("c",),
            0.25,
        ),
        (
            [plan("a", 1), plan("b", 1), plan("c", 2)],
            dict.fromkeys("abc", 0.0),
            ("a", "b"),
            1.6 / 3,
        ),
        (
            [plan("a", 1), plan("b", 1), plan("c", 2)],
            dict.fromkeys("abc", -1.0),
            ("a", "b"),
            1.6 / 3,
        ),
    ],
    ids=[
        "two against one",
        "trusted against two",
        "a weight that is no number",
        "unanimous",
        "claims to be certain",
        "a tie goes to the highest single weight",
        "no weight",
        "negative weight",
    ],
)
def test_vote_is_won_by_weight_with_the_confidence_of_the_winners(
    plans, weights, sources, confidence
):
    winner = vote(plans, weights)
    assert winner.goal_sources == sources
    assert winner.confidence == pytest.approx(confidence)


def test_the_words_and_the_condition_are_the_weightiest_voter_s():
    winner = vote([plan("a", 1), plan("b", 1, condition=1)], {"a": 0.2, "b": 0.7})
    assert winner is not None
    assert winner.reasoning == "b says so"
    assert winner.condition == TOWN[1].conditions[1]
    assert winner.goal_sources == ("a", "b")


@example([(0, 1.0, 9.98718408256842e307), (1, 1.0, 9.98718408256842e307)])
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.floats(0, 1), st.floats(allow_nan=True)),
        min_size=1,
        max_size=6,
    )
)
def test_the_winner_is_somebody_s_choice_and_no_surer_than_its_voters(votes):
    plans = [plan(f"m{i}", choice, sure) for i, (choice, sure, _) in enumerate(votes)]
    weights = {f"m{i}": weight for i, (*_, weight) in enumerate(votes)}
    winner = vote(plans, weights)
    assert winner is not None
    voters = [one for one in plans if one.option == winner.option]
    assert winner.goal_sources == tuple(one.goal_source for one in voters)
    assert math.isfinite(winner.confidence)
    stated = sum(one.confidence for one in voters) / len(voters)
    assert 0 <= winner.confidence <= stated + 1e-9
