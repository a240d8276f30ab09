"""Offer what the documented `bc_pokemon.py` offers, by its names: network, buffer, losses, `train`.

`train` is `poketui bc --network impala --inputs screen` with the documented settings and defaults;
the engine itself has no command line.
How they are called there, and why some defaults differ there, is in docs/python-api.md.

The losses are for a user's own training loops over frames. `poketui bc` masks impossible actions
before it takes the cross-entropy (`engine.imitation.bc`); DQN's own hybrid loss is in
`engine.agents.dqn`: double, n-step, with a weight that decays.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from engine.agents.networks import ResidualBlock
from engine.errors import ConfigurationError
from engine.imitation.cloning import Cloned, Report
from engine.imitation.expert_data import Batch, ReplayBuffer, expert_paths, load_expert_data
from engine.imitation.from_demonstrations import PROJECT, Source, clone_policy
from engine.imitation.networks import ImpalaCNN
from engine.runs.cloning_settings import IN_BATCHES

__all__ = [
    "Args",
    "Batch",
    "ImpalaCNN",
    "ReplayBuffer",
    "ResidualBlock",
    "compute_bc_loss",
    "compute_hybrid_loss",
    "evaluate",
    "load_expert_data",
    "train",
]

DISCOUNT = 0.99
"""Of `compute_hybrid_loss`."""
_NAMES = ("observations", "actions", "rewards", "next_observations", "dones")


@dataclass
class Args:
    """The documented settings, with the documented defaults."""

    exp_name: str = "bc_pokemon"
    """What the policy's id begins with, and so its folder, TensorBoard's and the name at Weights &
    Biases; "": nothing but the time."""
    seed: int = 1
    torch_deterministic: bool = True
    cuda: bool = True
    track: bool = False
    """Send the figures to Weights & Biases (the extra `wandb`), too."""
    wandb_project_name: str = PROJECT
    rom_path: str = ""
    """Or a practice game's name: mosslight, mosslight-advance; empty: mosslight."""
    expert_data_dir: str = "rl_training/expert_data"
    """Folder of NPZ files and demonstrations."""
    total_training_steps: int = 100_000
    """Batches."""
    batch_size: int = 64
    learning_rate: float = 1e-4
    weight_decay: float = 1e-5
    hidden_dim: int = 256
    eval_frequency: int = 5_000
    """Batches between two evaluations, rounded to whole epochs."""
    eval_episodes: int = 5
    save_frequency: int = 10_000
    """Likewise between two checkpoints."""
    model_dir: str = "rl_training/models"
    """The policy comes into its folder `policies`, as in `poketui bc --save-dir`."""
    save_best: bool = True
    """Keep the checkpoint that played best beside the last ones."""

    def settings(self) -> dict[str, Any]:
        """Return them as `clone_policy` takes them."""
        same = ("batch_size", "learning_rate", "weight_decay", "seed", "eval_episodes", "save_best")
        return {name: getattr(self, name) for name in (*same, *IN_BATCHES)} | {
            "network": "impala",
            "inputs": "screen",
            "hidden_size": self.hidden_dim,
            "device": "auto" if self.cuda else "cpu",
            "deterministic": self.torch_deterministic,
        }


def train(args: Args | None = None, *, report: Report = lambda event: None) -> Cloned:
    """Clone `ImpalaCNN` from all demonstrations of a folder; `report` is called with all events.

    Raises:
        PokeTUIError: The demonstrations, the settings or the game cannot be used.
    """
    args = args or Args()
    if args.track and not args.wandb_project_name.strip():
        raise ConfigurationError("wandb_project_name is empty.", "Set a project, or do not track.")
    expert_paths(args.expert_data_dir)  # before anything is written
    return clone_policy(
        args.model_dir,
        args.settings(),
        Source(demos=args.expert_data_dir),
        game={"rom_path": args.rom_path} if args.rom_path else {},
        report=report,
        name=args.exp_name,
        is_tracked=args.track,
        project=args.wandb_project_name,
    )


def evaluate(
    env: gymnasium.Env[Any, Any],
    policy_net: nn.Module,
    n_episodes: int,
    device: torch.device | str = "cpu",
) -> float:
    """Return the mean return of episodes in which the likeliest possible action is taken.

    Args:
        env: Shows its screen: a `PokemonEnv`, or a `GameEnv` with observation_type "screen" or
            "multi_modal"; wrapped or not.
        policy_net: Returns logits of frames, as `ImpalaCNN` does.
        n_episodes: How many.
        device: The network's.
    """
    was_training = policy_net.training
    policy_net.eval()
    masks: Callable[[], NDArray[np.bool_]] = env.get_wrapper_attr("action_masks")
    returns = []
    for _ in range(n_episodes):
        observation, _ = env.reset()
        total, is_over = 0.0, False
        while not is_over:
            screen = observation["screen"] if isinstance(observation, dict) else observation
            frames = torch.from_numpy(screen[None].copy()).to(device)
            with torch.inference_mode():
                logits: Tensor = policy_net(frames)[0]
            impossible = torch.from_numpy(~masks()).to(device)
            action = int(logits.masked_fill(impossible, -math.inf).argmax())
            observation, reward, is_terminated, is_truncated, _ = env.step(action)
            total += float(reward)
            is_over = is_terminated or is_truncated
        returns.append(total)
    policy_net.train(was_training)
    return float(np.mean(returns))


def compute_bc_loss(
    policy_net: Callable[[Tensor], Tensor], batch: Mapping[str, Any]
) -> tuple[Tensor, Tensor]:
    """Return the cross-entropy of what was done, and the share that the network would do.

    Args:
        policy_net: Returns (B, actions) logits of observations.
        batch: "observations" and "actions", arrays or tensors, as `ReplayBuffer.sample` draws them.
    """
    logits = policy_net(torch.as_tensor(batch["observations"]))
    actions = torch.as_tensor(batch["actions"], device=logits.device).long()
    loss = nn.functional.cross_entropy(logits, actions)
    accuracy = (logits.detach().argmax(-1) == actions).float().mean()
    return loss, accuracy


def compute_hybrid_loss(
    q_net: Callable[[Tensor], Tensor],
    target_net: Callable[[Tensor], Tensor],
    batch: Mapping[str, Any] | Sequence[Any],
    bc_weight: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return bc_weight * cross-entropy + TD error, and either of them.

    Args:
        q_net: Returns (B, actions) values of observations.
        target_net: Likewise, of what follows.
        batch: As `ReplayBuffer.sample` draws it, or its five values in that order.
        bc_weight: Weight of the cross-entropy, which takes the values for logits.
    """
    values = [batch[name] for name in _NAMES] if isinstance(batch, Mapping) else batch
    observations, actions, rewards, following, dones = map(torch.as_tensor, values)
    logits = q_net(observations)
    chosen, rewards, dones = (one.to(logits.device) for one in (actions.long(), rewards, dones))
    bc_loss = nn.functional.cross_entropy(logits, chosen)
    worth = logits.gather(1, chosen[:, None]).squeeze(1)
    with torch.no_grad():
        later = target_net(following).max(1).values
        target = rewards.float() + DISCOUNT * later * (1.0 - dones.float())
    td_loss = nn.functional.mse_loss(worth, target)
    return bc_weight * bc_loss + td_loss, bc_loss, td_loss
