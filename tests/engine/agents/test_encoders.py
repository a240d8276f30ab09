import pytest
import torch

from engine.agents.networks import ActorCritic, build_encoder
from engine.types import Spaces
from tests.engine.toy import PIXELS_SHAPE

SPACES = Spaces(12, 9, PIXELS_SHAPE)

FEATURES = torch.rand((2, 12), generator=torch.Generator().manual_seed(0))
PIXELS = torch.randint(
    0, 256, (2, *PIXELS_SHAPE), dtype=torch.uint8, generator=torch.Generator().manual_seed(0)
)
NO_MEMORY = torch.zeros((2, 0))
NO_STARTS = torch.zeros(2, dtype=torch.bool)


@pytest.mark.parametrize(("kind", "size"), [("features", 32), ("pixels", 32), ("both", 64)])
def test_a_code_is_as_long_as_the_encoder_says(kind, size):
    encoder = build_encoder(kind, SPACES, 32)
    code = encoder(FEATURES, PIXELS)
    assert encoder.output_size == size
    assert code.shape == (2, size)


def test_the_parts_of_an_observation_that_an_encoder_looks_at_move_its_code():
    encoders = {kind: build_encoder(kind, SPACES, 32) for kind in ("features", "pixels", "both")}
    assert torch.equal(encoders["features"](FEATURES, None), encoders["features"](FEATURES, PIXELS))
    pixels = encoders["pixels"]
    assert torch.equal(pixels(FEATURES, PIXELS), pixels(1 - FEATURES, PIXELS))
    code = encoders["both"](FEATURES, PIXELS)
    assert not torch.equal(encoders["both"](1 - FEATURES, PIXELS), code)
    assert not torch.equal(encoders["both"](FEATURES, 255 - PIXELS), code)


def test_the_network_of_pixels_has_the_published_layers():
    """Impala: three blocks of a convolution and two residual pairs, 16, 32, 32 channels."""
    encoder = build_encoder("pixels", SPACES, 256)
    shapes = [tuple(p.shape) for p in encoder.parameters() if p.dim() == 4]
    assert [shape[0] for shape in shapes] == [16] * 5 + [32] * 10
    assert [tuple(p.shape) for p in encoder.parameters() if p.dim() == 2] == [(256, 32 * 9 * 10)]


@pytest.mark.parametrize("kind", ["features", "pixels", "both"])
def test_every_weight_of_every_network_is_learnt(kind):
    network = ActorCritic(kind, SPACES, 32)
    logits, values, _ = network(FEATURES, PIXELS, NO_MEMORY, NO_STARTS)
    (logits.square().sum() + values.square().sum()).backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


def test_policy_and_critic_share_the_encoder_of_pixels_and_not_that_of_features():
    for kind, is_shared in (("features", False), ("pixels", True), ("both", True)):
        network = ActorCritic(kind, SPACES, 32)
        network(FEATURES, PIXELS, NO_MEMORY, NO_STARTS)[1].sum().backward()
        touched = any(p.grad is not None for p in network.encoder.parameters())
        assert touched is is_shared, kind
