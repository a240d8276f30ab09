"""Define the networks; with ppo.py the only place that knows their shape."""

import math

import torch
from torch import Tensor, nn

from engine.types import NUM_ACTIONS

MASKED_LOGIT = -1e9
"""Stands for minus infinity: its probability is exactly 0 and its gradient is finite."""


class ActorCritic(nn.Module):
    """Judge a feature vector: one logit an action, and the value of the state.

    Two separate trunks, so that the scale of the returns never drowns the policy's gradient.

    Args:
        feature_size: Length of the feature vector.
        hidden_size: Width of both hidden layers of each trunk.
    """

    def __init__(self, feature_size: int, hidden_size: int) -> None:
        super().__init__()
        self.actor = _trunk(feature_size, hidden_size, NUM_ACTIONS, output_gain=0.01)
        self.critic = _trunk(feature_size, hidden_size, 1, output_gain=1.0)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (batch, 9) and values (batch,)."""
        return self.actor(features), self.critic(features).squeeze(-1)


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


def _trunk(inputs: int, hidden: int, outputs: int, *, output_gain: float) -> nn.Sequential:
    return nn.Sequential(
        _linear(inputs, hidden, math.sqrt(2)),
        nn.LayerNorm(hidden),
        nn.Tanh(),
        _linear(hidden, hidden, math.sqrt(2)),
        nn.LayerNorm(hidden),
        nn.Tanh(),
        _linear(hidden, outputs, output_gain),
    )


def _linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer
