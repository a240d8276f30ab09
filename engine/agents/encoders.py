"""Encode what is observed: features by a perceptron, pixels by a convolutional network, or both."""

import math
from dataclasses import replace
from typing import Literal

import torch
from torch import Tensor, nn

from engine.types import Spaces

EncoderKind = Literal["features", "pixels", "both"]

_CHANNELS = (16, 32, 32)


class Encoder(nn.Module):
    """Make one code of an observation; see `build_encoder`.

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
) -> Encoder:
    """Return an encoder of features, of pixels, or of both side by side.

    The code of either part has `hidden_size` numbers. `is_plain`: see `plain_perceptron`.
    """
    make = plain_perceptron if is_plain else perceptron
    features = None if kind == "pixels" else make(spaces.feature_size, hidden_size)
    pixels = None if kind == "features" else Impala(spaces.pixels_shape, hidden_size)
    return Encoder(features, pixels, hidden_size * (2 if kind == "both" else 1))


def seen_by(kind: EncoderKind, spaces: Spaces) -> Spaces:
    """Return the spaces, without pixels where the encoder looks at none."""
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

    Action values are learnt better so: from NutFall's features twice as well (docs/experiments.md).
    """
    return nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())


def linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    """Return a layer with orthogonal weights (Saxe et al. 2014)."""
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class Impala(nn.Module):
    """Encode pixels by the deeper network of Espeholt et al. 2018 (IMPALA), figure 3.

    Args:
        pixels_shape: (channels, height, width).
        output_size: Length of the code.
    """

    def __init__(self, pixels_shape: tuple[int, ...], output_size: int) -> None:
        super().__init__()
        channels, height, width = pixels_shape
        layers: list[nn.Module] = []
        for outputs in _CHANNELS:
            layers += [
                _convolution(channels, outputs),
                nn.MaxPool2d(kernel_size=3, stride=2, padding=1),
                _Residual(outputs),
                _Residual(outputs),
            ]
            channels, height, width = outputs, (height + 1) // 2, (width + 1) // 2
        self.layers = nn.Sequential(
            *layers,
            nn.ReLU(),
            nn.Flatten(),
            linear(channels * height * width, output_size, math.sqrt(2)),
            nn.ReLU(),
        )

    def forward(self, pixels: Tensor) -> Tensor:
        """Return codes (batch, output_size) of (batch, *pixels_shape) uint8."""
        # Channels last: 1.5 to 2.4 times as fast on a CPU.
        scaled = (pixels.float() / 255).contiguous(memory_format=torch.channels_last)
        codes: Tensor = self.layers(scaled)
        return codes


class _Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.ReLU(),
            _convolution(channels, channels),
            nn.ReLU(),
            _convolution(channels, channels),
        )

    def forward(self, inputs: Tensor) -> Tensor:
        outputs: Tensor = inputs + self.layers(inputs)
        return outputs


def _convolution(inputs: int, outputs: int) -> nn.Conv2d:
    return nn.Conv2d(inputs, outputs, kernel_size=3, padding=1)
