"""Take gradient steps, and turn networks and their optimiser into named arrays and back."""

import math
from collections.abc import Callable, Iterable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.optim.adamw import adamw

from engine.errors import TrainingError
from engine.ground.text import counted
from engine.runs.checkpoint import under

SKIPPED = "skipped_updates"
"""Name of the figure that says how many gradient steps were skipped."""
MAX_SKIPPED = 500
"""Skipped steps in a row that end the run; more than one update of any agent has."""


def skipped_text(count: int) -> str:
    """Say that steps were skipped."""
    skipped = counted(count, "gradient step")
    return f"Skipped so far: {skipped} whose gradient was no finite number (train/{SKIPPED})."


class Adam:
    """Adam (Kingma and Ba 2015) by torch's own function, with decoupled weight decay (AdamW).

    `torch.optim.Adam` does the same, but imports torch's compiler at once: 70 MB, and 1.7 s.

    Args:
        parameters: What is learnt.
        lr: The learning rate.
        eps: Added to the root of the second moment.
        weight_decay: Of weights; not of biases and normalisation.

    Attributes:
        state: By parameter: "step", "exp_avg" and "exp_avg_sq"; nothing before its first step.
    """

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float,
        *,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        learnt = [parameter for parameter in parameters if parameter.requires_grad]
        self._groups = [
            (weight_decay, [parameter for parameter in learnt if parameter.ndim > 1]),
            (0.0, [parameter for parameter in learnt if parameter.ndim < 2]),
        ]
        self.lr, self._eps = lr, eps
        self.state: dict[nn.Parameter, dict[str, Tensor]] = {}

    @torch.no_grad()
    def step(self) -> None:
        """Change the parameters that have a gradient."""
        for weight_decay, group in self._groups:
            changed = [(each, each.grad) for each in group if each.grad is not None]
            states = [self._state_of(parameter) for parameter, _ in changed]
            adamw(
                [parameter for parameter, _ in changed],
                [gradient for _, gradient in changed],
                [state["exp_avg"] for state in states],
                [state["exp_avg_sq"] for state in states],
                [],
                [state["step"] for state in states],
                fused=True,
                amsgrad=False,
                beta1=0.9,
                beta2=0.999,
                lr=self.lr,
                weight_decay=weight_decay,
                eps=self._eps,
                maximize=False,
            )

    def _state_of(self, parameter: nn.Parameter) -> dict[str, Tensor]:
        if (state := self.state.get(parameter)) is None:
            state = self.state[parameter] = {
                "step": torch.zeros((), device=parameter.device),
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }
        return state


class GradientSteps:
    """Take clipped gradient steps; one that is no finite number changes nothing and is counted.

    Attributes:
        skipped: How many were skipped; to be saved with the optimiser.
    """

    def __init__(
        self, optimizer: Adam | torch.optim.Optimizer, network: nn.Module, max_norm: float
    ) -> None:
        self.skipped = 0
        self._optimizer, self._network, self._max_norm = optimizer, network, max_norm
        self._in_a_row = 0

    def take(self, loss: Tensor, prepare: Callable[[], None] = lambda: None) -> float | None:
        """Change the network for less of the loss; return the gradient's norm before clipping.

        `prepare` may change the gradient first. None: the step was skipped.

        Raises:
            TrainingError: The last `MAX_SKIPPED` steps were skipped.
        """
        self._network.zero_grad()
        torch.autograd.backward(loss)
        prepare()
        clipped = nn.utils.clip_grad_norm_(self._network.parameters(), self._max_norm)
        norm = clipped.item()
        if math.isfinite(norm) and math.isfinite(loss.item()):
            self._optimizer.step()
            self._in_a_row = 0
            return norm
        self._network.zero_grad()
        self.skipped += 1
        self._in_a_row += 1
        if self._in_a_row == MAX_SKIPPED:
            raise TrainingError(
                f"The last {MAX_SKIPPED} gradients were no finite numbers: nothing is learnt.",
                "Lower the learning rate, check rewards of your own, and resume the run.",
            )
        return None


Arrays = dict[str, NDArray[np.generic]]

_ADAM = ("step", "exp_avg", "exp_avg_sq")


def save_network(network: nn.Module, name: str) -> Arrays:
    """Return the weights, each name under `name`."""
    return {f"{name}/{key}": tensor.cpu().numpy() for key, tensor in network.state_dict().items()}


def load_network(network: nn.Module, name: str, arrays: Mapping[str, NDArray[np.generic]]) -> None:
    """Load what `save_network` returned.

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
    """Load what `save_adam` returned."""
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
