import json

import numpy as np
import pytest
import torch
from torch import nn

from engine.agents.gradients import Adam, GradientSteps
from engine.imitation.epochs import BatchLoss, EpochLearner, predict


def learner(epochs: int = 9, patience: int = 2) -> tuple[EpochLearner, nn.Parameter]:
    """Return one that improves a single weight, which is 0 at first."""
    network = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(network.weight)
    gradients = GradientSteps(Adam(network.parameters(), 0.1), network, 1.0)
    return EpochLearner(gradients, epochs, patience), network.weight


@pytest.mark.parametrize(
    ("patience", "bests", "is_over"),
    [
        (2, [True, False, True, False, False], True),
        (3, [True, False, True, False, False], False),
        (0, [True, False, True, False, False], False),
    ],
)
def test_epochs_without_a_lower_loss_end_it_after_the_patience(patience, bests, is_over):
    learning, _ = learner(patience=patience)
    assert [learning.end_epoch(loss) for loss in (3.0, 3.0, 2.0, 2.5, 2.0)] == bests
    assert learning.is_over == is_over


def test_all_epochs_end_it_however_much_better_they_get():
    learning, _ = learner(epochs=2)
    assert [(learning.end_epoch(loss), learning.is_over) for loss in (2.0, 1.0)] == [
        (True, False), (True, True),
    ]  # fmt: skip


def test_means_are_weighted_and_leave_out_steps_that_are_not_finite():
    learning, weight = learner()

    def loss_of(factor: float) -> BatchLoss:
        figures = (torch.tensor(factor), torch.tensor(-factor))
        return BatchLoss(weight.sum() * factor, figures, weight=int(factor > 1) + 1)

    done: list[int] = []
    means = learning.learn_from([1.0, float("nan"), 4.0], loss_of, done.append)
    assert means == pytest.approx((3.0, -3.0, (1.0 + 2 * 4.0) / 3))
    assert (done, learning.steps, learning.skipped) == ([1, 2, 3], 3, 1)
    assert weight.item() == pytest.approx(-0.2, abs=0.01)


def test_counters_come_back_before_and_after_the_first_epoch():
    learning, _ = learner()
    for loss in (None, 2.0, 3.0):
        if loss is not None:
            learning.end_epoch(loss)
        other, _ = learner()
        other.load_counters(json.loads(json.dumps(learning.save_counters())))
        assert other.save_counters() == learning.save_counters()
        assert other.end_epoch(2.5) == (loss is None)


def test_parts_are_predicted_in_order_and_joined():
    values = torch.arange(5.0)
    doubled, is_odd = predict(5, 2, lambda part: (values[part] * 2, values[part] % 2 == 1))
    assert doubled.tolist() == [0, 2, 4, 6, 8]
    assert np.flatnonzero(is_odd).tolist() == [1, 3]
