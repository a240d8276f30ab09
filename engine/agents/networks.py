"""Define the network of policy and critic, and the distribution that acts."""

import torch
from torch import Tensor, nn

from engine.agents.encoders import EncoderKind, build_encoder, linear
from engine.types import NUM_ACTIONS

MASKED_LOGIT = -1e9
"""Stands for minus infinity: its probability is exactly 0 and its gradient is finite."""


class ActorCritic(nn.Module):
    """Judge observations: one logit an action, and the value of the state.

    Features are encoded twice, so that the scale of the returns never drowns the policy's
    gradient. Pixels are encoded once: that costs a hundred times as much.

    Args:
        kind: What is encoded.
        feature_size: Length of the feature vector.
        hidden_size: Width of the hidden layers.
    """

    def __init__(self, kind: EncoderKind, feature_size: int, hidden_size: int) -> None:
        super().__init__()
        self.encoder = build_encoder(kind, feature_size, hidden_size)
        size = self.encoder.output_size
        self.actor = linear(size, NUM_ACTIONS, 0.01)
        self.critic_encoder = (
            build_encoder(kind, feature_size, hidden_size) if kind == "features" else None
        )
        self.critic = linear(size, 1, 1.0)

    def forward(self, features: Tensor, pixels: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return logits (batch, 9) and values (batch,); see `Encoder.forward`."""
        code = self.encoder(features, pixels)
        critic_encoder = self.critic_encoder
        critic_code = code if critic_encoder is None else critic_encoder(features, pixels)
        return self.actor(code), self.critic(critic_code).squeeze(-1)


def masked_log_probs(logits: Tensor, mask: Tensor, bias: Tensor) -> Tensor:
    """Return log-probabilities (batch, 9) of `logits + bias` over the valid actions.

    Args:
        logits: (batch, 9) float.
        mask: (batch, 9) bool, True where the action is valid; at least one in every row.
        bias: (batch, 9) float, what the planner adds; 0 without one.
    """
    return torch.log_softmax((logits + bias).masked_fill(~mask, MASKED_LOGIT), dim=-1)


def entropy(log_probs: Tensor) -> Tensor:
    """Return the entropy (batch,) in nats of masked log-probabilities."""
    return -(log_probs.exp() * log_probs).sum(-1)
