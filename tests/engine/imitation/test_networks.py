from itertools import product

import numpy as np
import pytest
import torch
from torch import nn

from engine.agents.dqn import DQN
from engine.agents.guided import GuidedPPO
from engine.agents.networks import screen_network
from engine.config import DQNConfig, PPOConfig
from engine.env.observation.pixels import (
    ColourSight,
    FrameStack,
    pixels_shape,
    shrink,
    shrink_screen,
    sight_of,
)
from engine.imitation.networks import build_network, uses_bfloat16
from engine.runs.cloning_settings import CloningConfig
from engine.types import Spaces

GAME_BOY_FRAME_SHAPE = (144, 160, 3)
SPACES = Spaces(20, 9, pixels_shape(GAME_BOY_FRAME_SHAPE))


@pytest.mark.parametrize(
    ("network", "inputs"),
    [
        *product(("ppo", "dqn"), ("features", "screen", "both")),
        *product(("impala", "nature", "tiny"), ("screen", "both")),
    ],
)
def test_every_network_gives_a_logit_an_action(network, inputs):
    config = CloningConfig(network=network, inputs=inputs, hidden_size=16)
    make_sight = sight_of(config.encoder)
    sight = None if make_sight is None else make_sight(GAME_BOY_FRAME_SHAPE)
    pixels = None if sight is None else torch.zeros((2, *sight.shape), dtype=torch.uint8)
    made = build_network(config, SPACES)
    mask = torch.ones((2, 9), dtype=torch.bool)
    assert made(torch.zeros(2, SPACES.feature_size), pixels, mask).shape == (2, 9)


def test_impala_and_nature_are_the_documented_ones():
    """Impala: sequences of 16, 32 and 32 channels, two residual blocks each, 256 hidden."""
    network = screen_network("impala", 256)
    layers = [layer for layer in network.modules() if isinstance(layer, nn.Conv2d)]
    assert [layer.out_channels for layer in layers] == [16] * 5 + [32] * 10
    impala, nature = (
        next(layer for layer in made if isinstance(layer, nn.Linear))
        for made in (network, screen_network("nature", 512))
    )
    assert (impala.in_features, impala.out_features) == (32 * 11 * 11, 256)
    assert nature.in_features == 64 * 7 * 7


@pytest.mark.parametrize("inputs", ["features", "screen", "both"])
def test_clones_of_agents_have_their_very_weights(inputs):
    kind = {"screen": "pixels"}.get(inputs, inputs)
    clone = build_network(CloningConfig(inputs=inputs, hidden_size=16), SPACES)
    agent = GuidedPPO(PPOConfig(hidden_size=16), 2, SPACES, 0, kind)
    agent.ppo.network.load_state_dict(clone.network.state_dict())
    clone = build_network(CloningConfig(network="dqn", inputs=inputs, hidden_size=16), SPACES)
    dqn = DQN(DQNConfig(hidden_size=16), 2, SPACES, 0, kind)
    dqn.network.load_state_dict(clone.network.state_dict())


def test_grey_sight_is_what_the_agents_see():
    rng = np.random.default_rng(0)
    frames = rng.integers(0, 256, (4, 144, 160, 3), dtype=np.uint8)
    sight = FrameStack(GAME_BOY_FRAME_SHAPE)
    sight.begin(frames[0])
    for frame in frames[1:]:
        sight.push(frame)
    assert np.array_equal(sight.pixels, np.stack([shrink(frame) for frame in frames[1:]]))


def test_a_colour_sight_holds_what_it_saw_last():
    sight = ColourSight(GAME_BOY_FRAME_SHAPE)
    sight.begin(np.zeros((144, 160, 3), np.uint8))
    before = sight.pixels
    sight.push(np.full((144, 160, 3), 9, np.uint8))
    assert (sight.pixels == 9).all()
    assert (before == 0).all()


def test_features_and_shallow_networks_stay_in_float32():
    cpu = torch.device("cpu")
    assert not uses_bfloat16(CloningConfig(), cpu)
    assert not uses_bfloat16(CloningConfig(network="tiny", inputs="screen"), cpu)
    assert uses_bfloat16(CloningConfig(precision="bfloat16"), cpu)


def test_shrinking_keeps_plain_pictures_and_their_mean():
    plain = np.full((144, 160, 3), 200, np.uint8)
    assert (shrink_screen(plain) == 200).all()
    mixed = np.random.default_rng(0).integers(0, 256, (144, 160, 3), np.uint8)
    assert shrink_screen(mixed).shape == (3, 84, 84)
    assert abs(float(shrink_screen(mixed).mean()) - float(mixed.mean())) < 0.5
