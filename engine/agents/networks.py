"""Define the networks of agents and clones: encoders, actor and critic, and masked probabilities.

Features are encoded by a perceptron, pixels by a convolutional network, or both.
"""

import math
from dataclasses import replace
from typing import cast

import torch
from torch import Tensor, nn

from engine.config import EncoderKind, ScreenNetwork
from engine.env.observation.pixels import SCREEN_SHAPE
from engine.types import Spaces

_IMPALA_CHANNELS = (16, 32, 32)
_NATURE = ((32, 8, 4), (64, 4, 2), (64, 3, 1))
_TINY = ((8, 8, 4), (16, 4, 2))


class Impala(nn.Module):
    """Encode pixels by the deeper network of Espeholt et al. 2018 (IMPALA), figure 3.

    Args:
        pixels_shape: (channels, height, width).
        output_size: Length of the code.
    """

    def __init__(self, pixels_shape: tuple[int, ...], output_size: int) -> None:
        super().__init__()
        layers, size = _impala_layers(pixels_shape)
        hidden = linear(size, output_size, math.sqrt(2))
        self.layers = nn.Sequential(*layers, nn.ReLU(), nn.Flatten(), hidden, nn.ReLU())

    def forward(self, pixels: Tensor) -> Tensor:
        """Return codes (batch, output_size) of (batch, *pixels_shape) uint8."""
        codes: Tensor = self.layers(_scaled(pixels))
        return codes


class ScreenEncoder(nn.Module):
    """Encode a screen of `SCREEN_SHAPE`, with features beside it or without.

    Attributes:
        output_size: Length of the code.
    """

    def __init__(self, screen: nn.Module, features: nn.Module | None, hidden_size: int) -> None:
        """Join networks, each of which returns (batch, hidden_size)."""
        super().__init__()
        self.screen = screen
        for layer in screen.modules():
            if isinstance(layer, nn.Conv2d):
                weight = layer.weight.data
                layer.weight.data = weight.contiguous(memory_format=torch.channels_last)
        self.features = features
        self.output_size = hidden_size * (1 if features is None else 2)

    def forward(self, features: Tensor, pixels: Tensor | None) -> Tensor:
        """Return codes (batch, output_size); the arguments are those of all encoders."""
        assert pixels is not None
        code: Tensor = self.screen(_scaled(pixels))
        return code if self.features is None else torch.cat([code, self.features(features)], -1)


class ResidualBlock(nn.Module):
    """Two convolutions with a skip connection."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
        )

    def forward(self, inputs: Tensor) -> Tensor:
        """Return outputs of the inputs' shape."""
        outputs: Tensor = inputs + self.layers(inputs)
        return outputs


def screen_network(name: ScreenNetwork, hidden_size: int) -> nn.Sequential:
    """Return a network from (batch, *SCREEN_SHAPE) float, 0 to 1, to (batch, hidden_size).

    `impala` is that of Espeholt et al. 2018 (16, 32 and 32 channels), `nature` that of Mnih et al.
    2015, and `tiny` a smaller one.
    """
    if name == "impala":
        layers, size = _impala_layers(SCREEN_SHAPE)
        layers += [nn.Flatten(), nn.ReLU()]
    else:
        layers, size = _plain_layers(_NATURE if name == "nature" else _TINY)
        layers += [nn.Flatten()]
    return nn.Sequential(*layers, nn.Linear(size, hidden_size), nn.ReLU())


def has_bfloat16(device: torch.device) -> bool:
    """Return whether a device computes in bfloat16; where it is emulated it is slower."""
    return device.type == "cuda" or torch.cpu._is_avx512_bf16_supported()


def linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    """Return a layer with orthogonal weights (Saxe et al. 2014)."""
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def _impala_layers(shape: tuple[int, ...]) -> tuple[list[nn.Module], int]:
    """Return the convolutions over pixels of a shape, and how many numbers they return."""
    channels, height, width = shape
    layers: list[nn.Module] = []
    for outputs in _IMPALA_CHANNELS:
        layers += [
            nn.Conv2d(channels, outputs, 3, padding=1),
            nn.MaxPool2d(3, stride=2, padding=1),
            ResidualBlock(outputs),
            ResidualBlock(outputs),
        ]
        channels, height, width = outputs, (height + 1) // 2, (width + 1) // 2
    return layers, channels * height * width


def _plain_layers(parts: tuple[tuple[int, int, int], ...]) -> tuple[list[nn.Module], int]:
    """Return convolutions of (channels, kernel, stride) each, and how many numbers they return."""
    channels, size, _ = SCREEN_SHAPE
    layers: list[nn.Module] = []
    for outputs, kernel, stride in parts:
        layers += [nn.Conv2d(channels, outputs, kernel, stride), nn.ReLU()]
        channels, size = outputs, (size - kernel) // stride + 1
    return layers, channels * size * size


def _scaled(pixels: Tensor) -> Tensor:
    """Return uint8 pixels as 0 to 1; channels last: 1.5 to 2.4 times as fast on a CPU."""
    return (pixels.float() / 255).contiguous(memory_format=torch.channels_last)


MASKED_LOGIT = -1e9
"""In place of minus infinity: its probability is exactly 0 and its gradient is finite."""


class Encoder(nn.Module):
    """Encode an observation; see `build_encoder`.

    Attributes:
        output_size: Length of the code.
    """

    def __init__(self, features: nn.Module | None, pixels: nn.Module | None, size: int) -> None:
        super().__init__()
        self.features = features
        self.pixels = pixels
        self.output_size = size

    def forward(self, features: Tensor, pixels: Tensor | None) -> Tensor:
        """Return codes (batch, output_size).

        Args:
            features: (batch, F) float32; of no use to an encoder of pixels alone.
            pixels: (batch, *pixels_shape) uint8; None where there are none to encode.
        """
        codes = [] if self.features is None else [self.features(features)]
        if self.pixels is not None:
            codes.append(self.pixels(pixels))
        return codes[0] if len(codes) == 1 else torch.cat(codes, -1)


def build_encoder(
    kind: EncoderKind, spaces: Spaces, hidden_size: int, *, is_plain: bool = False
) -> Encoder | ScreenEncoder:
    """Return an encoder of features, of pixels, or of both side by side.

    The code of either part has `hidden_size` numbers. `is_plain`: see `plain_perceptron`; beside
    the networks that can be cloned the features' is always plain.
    """
    if sees_colour(kind):
        name, _, beside = kind.partition("+")
        screen = screen_network(cast(ScreenNetwork, name), hidden_size)
        seen = plain_perceptron(spaces.feature_size, hidden_size) if beside else None
        return ScreenEncoder(screen, seen, hidden_size)
    make = plain_perceptron if is_plain else perceptron
    features = None if kind == "pixels" else make(spaces.feature_size, hidden_size)
    pixels = None if kind == "features" else Impala(spaces.pixels_shape, hidden_size)
    return Encoder(features, pixels, hidden_size * (2 if kind == "both" else 1))


def sees_colour(kind: EncoderKind) -> bool:
    """Return whether an encoder sees one frame in colour, as `SCREEN_SHAPE`."""
    return kind not in {"features", "pixels", "both"}


def seen_by(kind: EncoderKind, spaces: Spaces) -> Spaces:
    """Return the spaces with the pixels that the encoder looks at, if any."""
    if sees_colour(kind):
        return replace(spaces, pixels_shape=SCREEN_SHAPE)
    return replace(spaces, pixels_shape=(0,)) if kind == "features" else spaces


def perceptron(inputs: int, hidden: int) -> nn.Sequential:
    """Return two hidden layers, normalised."""
    return nn.Sequential(
        linear(inputs, hidden, math.sqrt(2)),
        nn.LayerNorm(hidden),
        nn.Tanh(),
        linear(hidden, hidden, math.sqrt(2)),
        nn.LayerNorm(hidden),
        nn.Tanh(),
    )


def plain_perceptron(inputs: int, hidden: int) -> nn.Sequential:
    """Return two hidden layers, rectified, with torch's initial weights.

    It learns action values better: from NutFall's features twice as well (docs/experiments.md).
    """
    return nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())


class ActorCritic(nn.Module):
    """Map observations to one logit an action, and to the value of the state.

    Actor and critic encode features separately, so that the scale of the returns never drowns the
    policy's gradient. They share the encoder of pixels, which costs a hundred times as much, and
    that of a recurrent network.

    If it is recurrent, it remembers `hidden_size` numbers by a gated recurrent unit (Cho et al.
    2014).

    Attributes:
        memory_size: M, numbers remembered in an environment; 0 without a memory.
    """

    def __init__(
        self, kind: EncoderKind, spaces: Spaces, hidden_size: int, *, is_recurrent: bool = False
    ) -> None:
        super().__init__()
        self.encoder = build_encoder(kind, spaces, hidden_size)
        size = hidden_size if is_recurrent else self.encoder.output_size
        self.memory_size = hidden_size if is_recurrent else 0
        self.actor = linear(size, spaces.num_actions, 0.01)
        is_shared = is_recurrent or kind != "features"
        self.critic_encoder = None if is_shared else build_encoder(kind, spaces, hidden_size)
        self.critic = linear(size, 1, 1.0)
        self.recall = nn.GRUCell(self.encoder.output_size, hidden_size) if is_recurrent else None

    def forward(
        self, features: Tensor, pixels: Tensor | None, memory: Tensor, starts: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Evaluate sequences of T steps in B environments; time comes first in each batch.

        Args:
            features: (T * B, F) float32.
            pixels: (T * B, *pixels_shape) uint8; see `Encoder.forward`.
            memory: (B, M) float32, from before the first step.
            starts: (T * B,) bool, where nothing is remembered from before.

        Returns:
            Logits (T * B, A), values (T * B,), and the memory (B, M) after the last step.
        """
        code = self.encoder(features, pixels)
        if self.recall is not None:
            code, memory = self._remember(code, memory, starts)
        critic_encoder = self.critic_encoder
        critic_code = code if critic_encoder is None else critic_encoder(features, pixels)
        return self.actor(code), self.critic(critic_code).squeeze(-1), memory

    def _remember(self, codes: Tensor, memory: Tensor, starts: Tensor) -> tuple[Tensor, Tensor]:
        assert self.recall is not None
        count = len(memory)
        remembered = []
        steps = zip(torch.split(codes, count), torch.split(starts, count), strict=True)
        for code, is_start in steps:
            memory = self.recall(code, memory.masked_fill(is_start[:, None], 0.0))
            remembered.append(memory)
        return torch.cat(remembered), memory


def masked_log_probs(logits: Tensor, mask: Tensor, bias: Tensor) -> Tensor:
    """Return log-probabilities (batch, A) of `logits + bias` over the valid actions.

    Args:
        logits: (batch, A) float.
        mask: (batch, A) bool, True where the action is valid; at least one in every row.
        bias: (batch, A) float, what the planner adds; 0 without one.
    """
    return torch.log_softmax((logits + bias).masked_fill(~mask, MASKED_LOGIT), dim=-1)


def entropy(log_probs: Tensor) -> Tensor:
    """Return the entropy (batch,) in nats of masked log-probabilities."""
    return -(log_probs.exp() * log_probs).sum(-1)
