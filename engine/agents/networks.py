"""Define the network of policy and critic, and the distribution that acts."""

import torch
from torch import Tensor, nn

from engine.agents.encoders import EncoderKind, build_encoder, linear
from engine.types import Spaces

MASKED_LOGIT = -1e9
"""Stands for minus infinity: its probability is exactly 0 and its gradient is finite."""


class ActorCritic(nn.Module):
    """Map observations to one logit an action, and to the value of the state.

    Features are encoded twice, so that the scale of the returns never drowns the policy's
    gradient. Pixels are encoded once, for that costs a hundred times as much, and so is what is to
    be remembered.

    If it is recurrent, it remembers `hidden_size` numbers by a gated recurrent unit (Cho et al.
    2014).

    Attributes:
        memory_size: M, numbers remembered in an environment; 0 without a memory.
    """

    def __init__(
        self, kind: EncoderKind, spaces: Spaces, hidden_size: int, *, is_recurrent: bool = False
    ) -> None:
        super().__init__()
        self.encoder = build_encoder(kind, spaces, hidden_size)
        size = hidden_size if is_recurrent else self.encoder.output_size
        self.memory_size = hidden_size if is_recurrent else 0
        self.actor = linear(size, spaces.num_actions, 0.01)
        is_shared = is_recurrent or kind != "features"
        self.critic_encoder = None if is_shared else build_encoder(kind, spaces, hidden_size)
        self.critic = linear(size, 1, 1.0)
        self.recall = nn.GRUCell(self.encoder.output_size, hidden_size) if is_recurrent else None

    def forward(
        self, features: Tensor, pixels: Tensor | None, memory: Tensor, starts: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Evaluate sequences of T steps in B environments; time comes first in each batch.

        Args:
            features: (T * B, F) float32.
            pixels: (T * B, *pixels_shape) uint8; see `Encoder.forward`.
            memory: (B, M) float32, from before the first step.
            starts: (T * B,) bool, where nothing is remembered from before.

        Returns:
            Logits (T * B, A), values (T * B,), and the memory (B, M) after the last step.
        """
        code = self.encoder(features, pixels)
        if self.recall is not None:
            code, memory = self._remember(code, memory, starts)
        critic_encoder = self.critic_encoder
        critic_code = code if critic_encoder is None else critic_encoder(features, pixels)
        return self.actor(code), self.critic(critic_code).squeeze(-1), memory

    def _remember(self, codes: Tensor, memory: Tensor, starts: Tensor) -> tuple[Tensor, Tensor]:
        assert self.recall is not None
        count = len(memory)
        remembered = []
        steps = zip(torch.split(codes, count), torch.split(starts, count), strict=True)
        for code, is_start in steps:
            memory = self.recall(code, memory.masked_fill(is_start[:, None], 0.0))
            remembered.append(memory)
        return torch.cat(remembered), memory


def masked_log_probs(logits: Tensor, mask: Tensor, bias: Tensor) -> Tensor:
    """Return log-probabilities (batch, A) of `logits + bias` over the valid actions.

    Args:
        logits: (batch, A) float.
        mask: (batch, A) bool, True where the action is valid; at least one in every row.
        bias: (batch, A) float, what the planner adds; 0 without one.
    """
    return torch.log_softmax((logits + bias).masked_fill(~mask, MASKED_LOGIT), dim=-1)


def entropy(log_probs: Tensor) -> Tensor:
    """Return the entropy (batch,) in nats of masked log-probabilities."""
    return -(log_probs.exp() * log_probs).sum(-1)
