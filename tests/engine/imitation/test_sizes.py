"""Clones take the number and names of actions from what they are cloned from."""

import dataclasses

import numpy as np
import pytest
import torch

from engine.errors import ConfigurationError
from engine.imitation.bc import Cloning
from engine.imitation.examples import CUT, Examples, join
from engine.imitation.policies import Policy
from engine.runs.cloning_settings import CloningConfig
from engine.types import Spaces
from tests.engine.imitation.arrays import make_examples

NAMES = ("UP", "DOWN", "LEFT", "RIGHT", "DIG")


def examples_of(names: tuple[str, ...], pixels_shape: tuple[int, ...] = (0,)) -> Examples:
    """Return forty steps whose features tell the action."""
    actions = np.arange(40) % len(names)
    return Examples(
        np.eye(len(names), dtype=np.float32)[actions],
        np.zeros((40, *pixels_shape), np.uint8),
        np.ones((40, len(names)), np.bool_),
        actions,
        np.zeros(40, np.int64),
        np.arange(40) // 10,
        np.zeros(40, np.float32),
        np.full(40, CUT, np.uint8),
        ("FIELD",),
        action_names=names,
    )


@pytest.mark.parametrize(
    ("network", "inputs", "pixels"),
    [
        ("ppo", "features", (0,)),
        ("dqn", "both", (3, 16, 24)),
        ("tiny", "screen", (3, 84, 84)),
    ],
)
@pytest.mark.parametrize("names", [NAMES[:4], tuple(f"N{n}" for n in range(11))])
def test_a_clone_has_as_many_actions_as_its_examples(network, inputs, pixels, names):
    config = CloningConfig(network=network, inputs=inputs, hidden_size=8, batch_size=16, epochs=1)
    examples = examples_of(names, pixels)
    cloning = Cloning(config, examples)
    epoch = cloning.learn()
    assert {share.name for share in epoch.validation.actions} <= {name.lower() for name in names}
    assert cloning.policy.spaces == Spaces(len(names), len(names), pixels)
    loaded = Policy.load(*cloning.policy.save())
    assert loaded.spaces == cloning.policy.spaces
    mask = torch.ones((40, len(names)), dtype=torch.bool)
    first, second = (
        policy.logits(examples.features, examples.pixels, mask)
        for policy in (loaded, cloning.policy)
    )
    assert first.shape == (40, len(names))
    assert torch.equal(first, second)


def test_a_policy_without_saved_sizes_is_of_a_game_boy():
    config = CloningConfig(network="ppo", inputs="features", hidden_size=8)
    facts, arrays = Cloning(config, make_examples([0, 1, 2] * 10)).policy.save()
    del facts["policy"]["num_actions"], facts["policy"]["pixels_shape"]
    assert Policy.load(facts, arrays).spaces.num_actions == 9


def test_examples_keep_the_names_of_actions():
    examples = examples_of(NAMES)
    assert Examples.load(examples.save()).action_names == NAMES
    assert examples.digest() != dataclasses.replace(examples, action_names=NAMES[::-1]).digest()
    arrays = make_examples([0, 1]).save()
    del arrays["action_names"]
    assert Examples.load(arrays).action_names[-1] == "NOOP"


def test_examples_of_games_with_other_actions_are_not_joined():
    with pytest.raises(ConfigurationError, match="different actions"):
        join([examples_of(NAMES), make_examples([0, 1])])
