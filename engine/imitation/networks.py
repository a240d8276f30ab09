"""Define the networks of clones.

All are networks of `engine.agents`, so that an agent can begin from a clone: `ppo` and `dqn` from
one of that name, which sees features, the last three frames in grey, or both; either agent from
`impala`, `nature` or `tiny`, which see one frame of 84 x 84 in colour, and features beside it with
inputs `both`.
"""

from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from engine.agents.dqn import QNetwork
from engine.agents.networks import (
    ActorCritic,
    ScreenEncoder,
    has_bfloat16,
    plain_perceptron,
    screen_network,
)
from engine.config import EncoderKind
from engine.env.observation.pixels import SCREEN_SHAPE, shrink_screen
from engine.errors import ConfigurationError
from engine.runs.cloning_settings import CloningConfig
from engine.types import (
    GAME_BOY_ACTIONS,
    GAME_BOY_ADVANCE_FRAME_SHAPE,
    GAME_BOY_FRAME_SHAPE,
    Spaces,
)

_WHOLE = frozenset({GAME_BOY_FRAME_SHAPE, GAME_BOY_ADVANCE_FRAME_SHAPE})
"""Shapes of frames as a game draws them."""


class ActorClone(nn.Module):
    """PPO's network; its critic is not trained."""

    def __init__(self, kind: EncoderKind, spaces: Spaces, hidden_size: int) -> None:
        super().__init__()
        self.network = ActorCritic(kind, spaces, hidden_size)

    def forward(self, features: Tensor, pixels: Tensor | None, mask: Tensor) -> Tensor:
        """Return logits (batch, A)."""
        logits: Tensor = self.network.actor(self.network.encoder(features, pixels))
        return logits


class ValueClone(nn.Module):
    """DQN's network; its action values are used as logits."""

    def __init__(self, kind: EncoderKind, spaces: Spaces, hidden_size: int) -> None:
        super().__init__()
        self.network = QNetwork(kind, spaces, hidden_size)

    def forward(self, features: Tensor, pixels: Tensor | None, mask: Tensor) -> Tensor:
        """Return action values (batch, A)."""
        values: Tensor = self.network(features, pixels, mask)
        return values


class ScreenClone(ScreenEncoder):
    """The encoder of agents that see the screen in colour, and a last layer."""

    def __init__(
        self, screen: nn.Module, features: nn.Module | None, hidden_size: int, num_actions: int
    ) -> None:
        super().__init__(screen, features, hidden_size)
        self.actor = nn.Linear(self.output_size, num_actions)

    def forward(
        self, features: Tensor, pixels: Tensor | None, mask: Tensor | None = None
    ) -> Tensor:
        """Return logits (batch, A)."""
        logits: Tensor = self.actor(super().forward(features, pixels))
        return logits

    def weights_for(self, head: str, temperature: float) -> dict[str, Tensor]:
        """Return the weights by their names in an agent's network, whose last layer is `head`.

        They are scaled so that the logits are divided by `temperature`.
        """
        weights = {f"encoder.{key}": tensor for key, tensor in self.state_dict().items()}
        for name in ("weight", "bias"):
            weights[f"{head}.{name}"] = weights.pop(f"encoder.actor.{name}") / temperature
        return weights


class ImpalaCNN(nn.Module):
    """The documented network, called with frames; its weights fit a clone's `impala`.

    Args:
        action_dim: Logits, or action values, that it returns.
        hidden_dim: Width of the hidden layer.
    """

    def __init__(self, action_dim: int = len(GAME_BOY_ACTIONS), hidden_dim: int = 256) -> None:
        super().__init__()
        clone = ScreenClone(screen_network("impala", hidden_dim), None, hidden_dim, action_dim)
        self.screen, self.actor = clone.screen, clone.actor

    def forward(self, observations: Tensor | NDArray[np.uint8]) -> Tensor:
        """Return (batch, action_dim) of (batch, height, width, 3) frames, 0 to 255.

        They come from a `ReplayBuffer` or an environment, or as a tensor of any device and dtype.

        Raises:
            ConfigurationError: They are of another shape.
        """
        if isinstance(observations, np.ndarray):
            # torch would warn of an array that is read-only, as Gymnasium's may be.
            observations = torch.from_numpy(np.require(observations, requirements="W"))
        pictures = observations.to(self.actor.weight.device)
        if pictures.ndim != 4 or pictures.shape[-1] != 3:
            raise ConfigurationError(
                f"ImpalaCNN got {' x '.join(map(str, pictures.shape)) or 'one number'}.",
                "Pass frames as (N, height, width, 3), 0 to 255; a single one as frame[None].",
            )
        if tuple(pictures.shape[1:]) in _WHOLE:  # shrunk like those that are cloned from
            frames = pictures.detach().to("cpu", torch.uint8).numpy()
            small = torch.from_numpy(np.stack([shrink_screen(frame) for frame in frames]))
            scaled = small.to(pictures.device, torch.float32) / 255
        else:
            channels_first = pictures.permute(0, 3, 1, 2).float()
            scaled = nn.functional.interpolate(channels_first, SCREEN_SHAPE[1:], mode="area") / 255
        code = self.screen(scaled.contiguous(memory_format=torch.channels_last))
        logits: Tensor = self.actor(code)
        return logits


def build_network(config: CloningConfig, spaces: Spaces) -> nn.Module:
    """Return a network with fresh weights, which are drawn from torch's generator.

    It is called with features (batch, F) float32, pixels (batch, *pixels_shape) uint8 or None, and
    masks (batch, A) bool, and returns logits (batch, A) that are not masked.
    """
    kind, hidden = config.encoder, config.hidden_size
    if config.network == "ppo":
        return ActorClone(kind, spaces, hidden)
    if config.network == "dqn":
        return ValueClone(kind, spaces, hidden)
    screen = screen_network(config.network, hidden)
    features = plain_perceptron(spaces.feature_size, hidden) if config.inputs == "both" else None
    return ScreenClone(screen, features, hidden, spaces.num_actions)


def choose_device(name: Literal["auto", "cpu", "cuda"]) -> torch.device:
    """Return the device to learn on: the accelerator where there is one."""
    has_cuda = torch.cuda.is_available()
    return torch.device("cuda" if name == "cuda" or (name == "auto" and has_cuda) else "cpu")


def uses_bfloat16(config: CloningConfig, device: torch.device) -> bool:
    """Return whether to compute in bfloat16.

    On a processor that has it, deep convolutional networks are nearly twice as fast and shallow
    ones hardly faster or slower; where it is emulated, all are slower (docs/experiments.md).
    """
    if config.precision != "auto":
        return config.precision == "bfloat16"
    if config.inputs == "features" or config.network in {"nature", "tiny"}:
        return False
    return has_bfloat16(device)
