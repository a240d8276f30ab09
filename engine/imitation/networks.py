"""Define the networks that demonstrations are cloned into.

`ppo` and `dqn` are the very networks of `engine.agents`, so that what was cloned warms their start
up: they see features, the last three frames in grey, or both. `impala` (Espeholt et al. 2018,
with 16, 32 and 32 channels), `nature` (Mnih et al. 2015) and `tiny` see one frame of 84 x 84 in
colour, and features beside it with inputs `both`.
"""

from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from engine.agents.dqn import QNetwork
from engine.agents.networks import ActorCritic, EncoderKind, plain_perceptron
from engine.errors import ConfigurationError
from engine.imitation.settings import CloningConfig
from engine.imitation.sight import SCREEN_SHAPE, shrink_screen
from engine.types import GAME_BOY_ACTIONS, GAME_BOY_FRAME_SHAPE, Spaces

KINDS: dict[str, EncoderKind] = {"features": "features", "screen": "pixels", "both": "both"}
"""What the settings of agents call the inputs."""

_CHANNELS = (16, 32, 32)


class ActorClone(nn.Module):
    """PPO's network; the critic stays as it is."""

    def __init__(self, kind: EncoderKind, spaces: Spaces, hidden_size: int) -> None:
        super().__init__()
        self.network = ActorCritic(kind, spaces, hidden_size)

    def forward(self, features: Tensor, pixels: Tensor | None, mask: Tensor) -> Tensor:
        """Return logits (batch, A)."""
        logits: Tensor = self.network.actor(self.network.encoder(features, pixels))
        return logits


class ValueClone(nn.Module):
    """DQN's network; its action values are taken for logits."""

    def __init__(self, kind: EncoderKind, spaces: Spaces, hidden_size: int) -> None:
        super().__init__()
        self.network = QNetwork(kind, spaces, hidden_size)

    def forward(self, features: Tensor, pixels: Tensor | None, mask: Tensor) -> Tensor:
        """Return action values (batch, A)."""
        values: Tensor = self.network(features, pixels, mask)
        return values


class ScreenClone(nn.Module):
    """A convolutional network over `SCREEN_SHAPE`, with features beside it or without.

    `screen` returns (batch, hidden_size) of pictures.
    """

    def __init__(
        self, screen: nn.Module, feature_size: int, hidden_size: int, num_actions: int
    ) -> None:
        super().__init__()
        self.screen = screen
        for layer in screen.modules():
            if isinstance(layer, nn.Conv2d):
                weight = layer.weight.data
                layer.weight.data = weight.contiguous(memory_format=torch.channels_last)
        self.features = plain_perceptron(feature_size, hidden_size) if feature_size else None
        self.actor = nn.Linear(hidden_size * (2 if feature_size else 1), num_actions)

    def forward(self, features: Tensor, pixels: Tensor | None, mask: Tensor) -> Tensor:
        """Return logits (batch, A)."""
        assert pixels is not None
        # Channels last: half as fast again on a CPU.
        scaled = (pixels.float() / 255).contiguous(memory_format=torch.channels_last)
        code = self.screen(scaled)
        if self.features is not None:
            code = torch.cat([code, self.features(features)], -1)
        logits: Tensor = self.actor(code)
        return logits


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


def impala(hidden_size: int) -> nn.Sequential:
    """Return the documented network up to its hidden layer."""
    channels, size, _ = SCREEN_SHAPE
    layers: list[nn.Module] = []
    for outputs in _CHANNELS:
        layers += [
            nn.Conv2d(channels, outputs, 3, padding=1),
            nn.MaxPool2d(3, stride=2, padding=1),
            ResidualBlock(outputs),
            ResidualBlock(outputs),
        ]
        channels, size = outputs, (size + 1) // 2
    hidden = nn.Linear(channels * size * size, hidden_size)
    return nn.Sequential(*layers, nn.Flatten(), nn.ReLU(), hidden, nn.ReLU())


class ImpalaCNN(nn.Module):
    """The documented network, called with pictures; its weights are those of a clone `impala`.

    Args:
        action_dim: Logits, or action values, that it returns.
        hidden_dim: Width of the hidden layer.
    """

    def __init__(self, action_dim: int = len(GAME_BOY_ACTIONS), hidden_dim: int = 256) -> None:
        super().__init__()
        clone = ScreenClone(impala(hidden_dim), 0, hidden_dim, action_dim)
        self.screen, self.actor = clone.screen, clone.actor

    def forward(self, observations: Tensor | NDArray[np.uint8]) -> Tensor:
        """Return (batch, action_dim) of (batch, height, width, 3) pictures, 0 to 255.

        They are as a `ReplayBuffer` or an environment has them, or a tensor of any device and kind
        of number.

        Raises:
            ConfigurationError: They are of another form.
        """
        if isinstance(observations, np.ndarray):
            # Of an array that cannot be written, as Gymnasium's may be, torch would warn.
            observations = torch.from_numpy(np.require(observations, requirements="W"))
        pictures = observations.to(self.actor.weight.device)
        if pictures.ndim != 4 or pictures.shape[-1] != 3:
            raise ConfigurationError(
                f"ImpalaCNN got {' x '.join(map(str, pictures.shape)) or 'one number'}.",
                "Pass frames as (N, height, width, 3), 0 to 255; a single one as frame[None].",
            )
        if pictures.shape[1:] == GAME_BOY_FRAME_SHAPE:  # shrunk like those that are cloned from
            frames = pictures.detach().to("cpu", torch.uint8).numpy()
            small = torch.from_numpy(np.stack([shrink_screen(frame) for frame in frames]))
            scaled = small.to(pictures.device, torch.float32) / 255
        else:
            channels_first = pictures.permute(0, 3, 1, 2).float()
            scaled = nn.functional.interpolate(channels_first, SCREEN_SHAPE[1:], mode="area") / 255
        code = self.screen(scaled.contiguous(memory_format=torch.channels_last))
        logits: Tensor = self.actor(code)
        return logits


def convolutions(layers: tuple[tuple[int, int, int], ...], hidden_size: int) -> nn.Sequential:
    """Return convolutions of (channels, kernel, stride) each, and a hidden layer."""
    channels, size, _ = SCREEN_SHAPE
    parts: list[nn.Module] = []
    for outputs, kernel, stride in layers:
        parts += [nn.Conv2d(channels, outputs, kernel, stride), nn.ReLU()]
        channels, size = outputs, (size - kernel) // stride + 1
    hidden = nn.Linear(channels * size * size, hidden_size)
    return nn.Sequential(*parts, nn.Flatten(), hidden, nn.ReLU())


_NATURE = ((32, 8, 4), (64, 4, 2), (64, 3, 1))
_TINY = ((8, 8, 4), (16, 4, 2))


def build_network(config: CloningConfig, spaces: Spaces) -> nn.Module:
    """Return a network with fresh weights, which are drawn from torch's generator.

    It is called with features (batch, F) float32, pixels (batch, *pixels_shape) uint8 or None, and
    masks (batch, A) bool, and returns logits (batch, A) that are not masked.
    """
    kind, hidden = KINDS[config.inputs], config.hidden_size
    if config.network == "ppo":
        return ActorClone(kind, spaces, hidden)
    if config.network == "dqn":
        return ValueClone(kind, spaces, hidden)
    if config.network == "impala":
        screen = impala(hidden)
    else:
        screen = convolutions(_NATURE if config.network == "nature" else _TINY, hidden)
    seen = spaces.feature_size if config.inputs == "both" else 0
    return ScreenClone(screen, seen, hidden, spaces.num_actions)


def choose_device(name: Literal["auto", "cpu", "cuda"]) -> torch.device:
    """Return the device to learn on: the accelerator where there is one."""
    has_cuda = torch.cuda.is_available()
    return torch.device("cuda" if name == "cuda" or (name == "auto" and has_cuda) else "cpu")


def uses_bfloat16(config: CloningConfig, device: torch.device) -> bool:
    """Return whether to compute in bfloat16.

    On a processor that has it deep convolutional networks are nearly twice as fast, shallow ones
    hardly faster or slower, and where it is emulated all are slower (docs/experiments.md).
    """
    if config.precision != "auto":
        return config.precision == "bfloat16"
    if config.inputs == "features" or config.network in {"nature", "tiny"}:
        return False
    return device.type == "cuda" or torch.cpu._is_avx512_bf16_supported()
