import numpy as np
import pytest

from engine.imitation.bc import Share, score
from engine.types import Action
from tests.engine.imitation.arrays import make_examples


def test_score_has_accuracies_per_map_and_per_action():
    actions = [Action.A, Action.A, Action.UP, Action.UP, Action.LEFT]
    examples = make_examples(actions, maps=[0, 0, 0, 1, 1])
    guessed = np.array([Action.A, Action.B, Action.UP, Action.UP, Action.UP])
    found = score(examples, guessed, np.zeros(5, np.float32))
    assert found.accuracy == pytest.approx(3 / 5)
    assert found.maps == (Share("TOWN", 2, 3), Share("ROUTE", 1, 2))
    by_name = {share.name: (share.right, share.total) for share in found.actions}
    assert by_name == {"a": (1, 2), "up": (2, 2), "left": (0, 1)}
    assert found.maps[0].accuracy == pytest.approx(2 / 3)


def test_the_balanced_loss_weighs_a_rare_pair_like_a_usual_one():
    examples = make_examples([1] * 9 + [2], maps=[0] * 10)
    losses = np.array([0.0] * 9 + [1.0], np.float32)
    found = score(examples, np.ones(10, np.int64), losses)
    assert found.loss == pytest.approx(0.1)
    assert found.balanced_loss == pytest.approx(0.5)


def test_score_of_no_examples_is_none():
    empty = make_examples([1]).take(np.zeros(1, np.bool_))
    assert score(empty, np.zeros(0, np.int64), np.zeros(0, np.float32)) is None
