import json

import numpy as np
import pytest
import torch

from engine.errors import CheckpointError, ConfigurationError
from engine.imitation.bc import Cloning
from engine.imitation.examples import Examples
from engine.imitation.policies import Policy
from engine.runs.cloning_settings import CloningConfig, check
from engine.types import Action
from tests.engine.imitation.arrays import make_examples

SMALL = CloningConfig(hidden_size=32, batch_size=32, learning_rate=3e-3, epochs=20)


@pytest.fixture
def examples() -> Examples:
    return make_examples(np.random.default_rng(0).integers(0, 9, 200))


def learn(cloning: Cloning) -> list:
    epochs = []
    while not cloning.is_over:
        epochs.append(cloning.learn())
    return epochs


def weights(cloning: Cloning) -> bytes:
    state = cloning.policy.network.state_dict()
    return b"".join(tensor.numpy().tobytes() for tensor in state.values())


def test_cloning_learns_what_holds_for_unseen_episodes():
    rng = np.random.default_rng(0)
    cloning = Cloning(SMALL, make_examples(rng.integers(0, 9, 600)))
    epochs = learn(cloning)
    assert epochs[-1].validation.accuracy > 0.95  # one in nine by chance
    assert epochs[-1].loss < epochs[0].loss / 4


def test_balance_learns_a_rare_action():
    """One step in fifty turns off; nothing but a faint feature tells which."""
    actions = ([Action.DOWN] * 49 + [Action.LEFT]) * 20
    examples = make_examples(actions, episodes=np.arange(1000) // 50)
    examples.features[:] *= 0.25

    def rare_accuracy(balance: float) -> float:
        changes = {"balance": balance, "epochs": 2, "learning_rate": 3e-4}
        cloning = Cloning(SMALL.model_copy(update=changes), examples)
        shares = {share.name: share.accuracy for share in learn(cloning)[-1].validation.actions}
        return shares["left"]

    assert rare_accuracy(1.0) > 0.9
    assert rare_accuracy(0.0) < 0.1


def test_steps_that_are_no_numbers_are_skipped_counted_and_kept_in_the_count():
    examples = make_examples([1, 2] * 200)
    examples.features[::50] = np.nan
    config = SMALL.model_copy(update={"batch_size": 8, "epochs": 1, "val_share": 0.0})
    cloning = Cloning(config, examples)
    (epoch,) = learn(cloning)
    assert 0 < epoch.skipped < cloning.batches
    assert epoch.figures()["train/skipped_updates"] == epoch.skipped
    assert np.isfinite(list(epoch.figures().values())).all()
    assert np.isfinite(np.frombuffer(weights(cloning), np.float32)).all()
    other = Cloning(config, examples)
    other.load(*cloning.save())
    assert other.save()[0] == cloning.save()[0]


def test_masked_actions_are_never_predicted():
    examples = make_examples([1, 2] * 50)
    examples.masks[:, 3:] = False
    cloning = Cloning(SMALL, examples)
    log_probs, _ = cloning._evaluate(examples, np.arange(10))
    assert (log_probs[:, 3:] < -1e8).all()


def test_cloning_with_the_same_seed_is_the_same_bit_for_bit(examples):
    one, same, other = (
        Cloning(SMALL.model_copy(update={"epochs": 3, "seed": seed}), examples)
        for seed in (1, 1, 2)
    )
    for cloning in (one, same, other):
        learn(cloning)
    assert weights(one) == weights(same) != weights(other)


def test_resumed_cloning_continues_bit_for_bit(examples):
    config = SMALL.model_copy(update={"epochs": 6})
    whole, first, second = (Cloning(config, examples) for _ in range(3))
    for _ in range(3):
        first.learn()
    facts, arrays = first.save()
    second.load(json.loads(json.dumps(facts)), {name: a.copy() for name, a in arrays.items()})
    assert [epoch.loss for epoch in learn(whole)[3:]] == [epoch.loss for epoch in learn(second)]
    assert weights(whole) == weights(second)


def test_cloning_is_not_resumed_with_other_demonstrations():
    facts, arrays = Cloning(SMALL, make_examples([1, 2] * 20)).save()
    with pytest.raises(CheckpointError, match="not those this policy was cloned from"):
        Cloning(SMALL, make_examples([1, 3] * 20)).load(facts, arrays)


def test_bc_ends_early_when_nothing_gets_better(examples):
    examples.features[:] = np.random.default_rng(1).normal(0, 1, examples.features.shape)
    config = SMALL.model_copy(update={"epochs": 200, "patience": 4, "val_share": 0.5})
    epochs = learn(Cloning(config, examples))
    assert len(epochs) < 100
    assert not any(epoch.is_best for epoch in epochs[-4:])


def test_an_interrupted_epoch_returns_none():
    cloning = Cloning(SMALL, make_examples([1, 2] * 50))
    answers = iter([True, False])
    assert cloning.learn(may_go_on=lambda: next(answers)) is None
    assert cloning.epoch == 0


def test_weights_decay_but_biases_do_not():
    config = SMALL.model_copy(update={"weight_decay": 0.5})
    groups = Cloning(config, make_examples([1, 2] * 20))._optimizer._groups
    assert [weight_decay for weight_decay, _ in groups] == [0.5, 0.0]
    assert all(parameter.ndim == 1 for parameter in groups[1][1])


def test_a_policy_comes_back_from_its_arrays():
    rng = np.random.default_rng(3)
    cloning = Cloning(SMALL, make_examples([1, 2] * 20))
    facts, arrays = cloning.policy.save()
    back = Policy.load(json.loads(json.dumps(facts)), arrays)
    features = rng.normal(size=(5, cloning.policy.spaces.feature_size)).astype(np.float32)
    mask = torch.ones((5, 9), dtype=torch.bool)
    assert torch.equal(
        back.logits(features, None, mask), cloning.policy.logits(features, None, mask)
    )


def test_weights_of_another_size_and_checkpoints_of_runs_are_refused_in_one_line():
    facts, arrays = Cloning(SMALL, make_examples([1, 2] * 20)).policy.save()
    facts["policy"]["feature_size"] += 1
    with pytest.raises(CheckpointError, match="do not fit its network"):
        Policy.load(facts, arrays)
    with pytest.raises(CheckpointError, match="contains no cloned policy"):
        Policy.load({"agent": "ppo"}, {})


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"network": "impala"}, "network impala sees the screen"),
        ({"network": "resnet"}, "network = 'resnet'"),
        ({"epochs": 0}, "epochs = 0"),
        ({"colour": 1}, "colour"),
    ],
)
def test_wrong_settings_are_named_in_one_line(values, named):
    with pytest.raises(ConfigurationError, match=named) as caught:
        check(CloningConfig, values)
    assert "\n" not in str(caught.value)
