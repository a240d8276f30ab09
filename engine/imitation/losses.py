"""The documented losses, for loops of one's own over pictures.

`poketui bc` masks what cannot be done before it takes the cross-entropy (`engine.imitation.bc`);
DQN's own hybrid loss is in `engine.agents.dqn`: double, n-step, with a weight that decays.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

DISCOUNT = 0.99
_NAMES = ("observations", "actions", "rewards", "next_observations", "dones")


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
