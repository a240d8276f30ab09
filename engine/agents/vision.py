"""Define the convolutional networks: what agents see by, and what is cloned."""

import math

import torch
from torch import Tensor, nn

from engine.config import ScreenNetwork
from engine.env.pixels import SCREEN_SHAPE

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
    """Make one code of a screen as `SCREEN_SHAPE`, with features beside it or without.

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
    """Two convolutions, and what came in added."""

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

    `impala` is the documented one (Espeholt et al. 2018, with 16, 32 and 32 channels), `nature`
    that of Mnih et al. 2015, and `tiny` a smaller one.
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
