"""Begin from a cloned policy: keep it for a while, and stay near it for longer.

The critic knows nothing yet when the policy already knows something; what it says of the first
steps would only spoil that. So what was cloned may be held still while the critic learns, and after
that the policy pays for going away from the clone, less and less (kickstarting, Schmitt et al.
2018).
"""

import torch
from torch import Tensor

from engine.agents.networks import ActorCritic, masked_log_probs
from engine.config import ImitationConfig


class Kickstart:
    """Hold the cloned policy (`teacher`), which is never changed, beside the one that learns."""

    def __init__(self, config: ImitationConfig, teacher: ActorCritic) -> None:
        self._config = config
        self.teacher = teacher.requires_grad_(False)

    def coefficient(self, num_updates: int) -> float:
        """Return what going away from the clone costs after so many updates; it falls to 0."""
        over = num_updates / self._config.kickstart_updates
        return self._config.kickstart * max(0.0, 1.0 - over)

    def divergence(
        self, features: Tensor, pixels: Tensor, masks: Tensor, own_log_probs: Tensor
    ) -> Tensor:
        """Return the mean KL divergence in nats of a policy from the clone.

        Its log-probabilities (batch, A) are masked.
        """
        with torch.no_grad():
            logits = self.teacher.actor(self.teacher.encoder(features, pixels))
            wanted = masked_log_probs(logits, masks, torch.zeros(()))
        return (wanted.exp() * (wanted - own_log_probs)).sum(-1).mean()

    def hold_still(self, network: ActorCritic, num_updates: int) -> None:
        """Drop the gradients of what was cloned, while it is to be held still."""
        if num_updates < self._config.freeze_updates:
            for part in (network.encoder, network.actor):
                part.zero_grad(set_to_none=True)
