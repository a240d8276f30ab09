"""Turn networks and their optimiser into named arrays, and back, for checkpoints."""

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from engine.agents.gradients import Adam

Arrays = dict[str, NDArray[np.generic]]
_T = TypeVar("_T")

_ADAM = ("step", "exp_avg", "exp_avg_sq")


def save_network(network: nn.Module, name: str) -> Arrays:
    """Return the weights, each name under `name`."""
    return {f"{name}/{key}": tensor.cpu().numpy() for key, tensor in network.state_dict().items()}


def load_network(network: nn.Module, name: str, arrays: Mapping[str, NDArray[np.generic]]) -> None:
    """Take back what `save_network` returned.

    Raises:
        RuntimeError: It is of another network, or of another game's.
    """
    weights = under(arrays, f"{name}/")
    for key, own in network.state_dict().items():
        if key in weights and weights[key].shape != tuple(own.shape):
            sizes = (" x ".join(map(str, shape)) for shape in (weights[key].shape, own.shape))
            raise RuntimeError("{} is {}, here {}".format(key, *sizes))
    network.load_state_dict({key: torch.from_numpy(array) for key, array in weights.items()})


def save_adam(optimizer: Adam, network: nn.Module) -> Arrays:
    """Return what the optimiser knows of the network's parameters."""
    return {
        f"optimizer/{key}/{name}": value.cpu().numpy()
        for name, parameter in network.named_parameters()
        for key, value in optimizer.state.get(parameter, {}).items()
    }


def load_adam(
    optimizer: Adam, network: nn.Module, arrays: Mapping[str, NDArray[np.generic]]
) -> None:
    """Take back what `save_adam` returned."""
    for name, parameter in network.named_parameters():
        state: dict[str, torch.Tensor] = {}
        for key in _ADAM:
            if (array := arrays.get(f"optimizer/{key}/{name}")) is not None:
                value = torch.from_numpy(array.copy()).to(parameter.device)
                # In the parameter's own order in memory, as Adam makes them.
                is_step = value.shape != parameter.shape
                state[key] = value if is_step else torch.empty_like(parameter).copy_(value)
        if state:
            optimizer.state[parameter] = state


def under(arrays: Mapping[str, _T], prefix: str) -> dict[str, _T]:
    """Return the entries whose name starts with `prefix`, without it."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
