"""Act by the learnt policy under the planner's advice, as far as the curriculum lets it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from engine.agents.arbitration import advice_bias, certainty, is_planned, sample
from engine.agents.base import Choices, Guidance, Player
from engine.agents.networks import masked_log_probs
from engine.agents.ppo import PPO
from engine.agents.rollout import FloatArray
from engine.config import PPOConfig
from engine.env.vector import Batch
from engine.types import Source


class GuidedPolicy:
    """PPO whose logits the planner biases; with a planner share of 0 plain PPO.

    Args:
        config: Hyperparameters.
        num_envs: Environments that step together.
        feature_size: Length of the feature vector.
        seed: Of everything random in it.
    """

    name = "ppo"

    def __init__(self, config: PPOConfig, num_envs: int, feature_size: int, seed: int) -> None:
        self.ppo = PPO(config, num_envs, feature_size, seed)
        self._rng = np.random.default_rng([seed, 2])
        self._acted: dict[str, NDArray[Any]] = {}

    def decide(self, batch: Batch, guidance: Guidance) -> Choices:
        """Draw actions from the biased policy."""
        choices, self._acted = self._choose(batch, guidance, self._rng)
        return choices

    def player(self, seed: int) -> Player:
        """Return the policy of now. It draws its actions, as it has learnt to: PPO learns chances.

        The most probable action alone is another policy, which can walk to and fro for ever.
        """
        rng = np.random.default_rng(seed)
        return lambda batch, guidance: self._choose(batch, guidance, rng)[0]

    def _choose(
        self, batch: Batch, guidance: Guidance, rng: np.random.Generator
    ) -> tuple[Choices, dict[str, NDArray[Any]]]:
        """Return the choices, and what the rollout must know of them."""
        evaluation = self.ppo.evaluate(batch.features)
        mask = torch.from_numpy(batch.mask)
        own = masked_log_probs(evaluation.logits, mask, torch.zeros(()))
        sure = certainty(own, batch.mask)
        bias = advice_bias(batch.prior, batch.advice_confidence, sure, guidance)
        biased = masked_log_probs(evaluation.logits, mask, torch.from_numpy(bias)).numpy()
        actions = sample(biased, rng)
        log_probs = _of(biased, actions)
        planned = is_planned(_of(own.numpy(), actions), log_probs)
        acted = {
            "features": batch.features,
            "mask": batch.mask,
            "bias": bias,
            "actions": actions,
            "log_probs": log_probs,
            "values": evaluation.values,
        }
        confidences = np.where(planned, batch.advice_confidence, sure).astype(np.float32)
        return Choices(actions, confidences, planned, Source.POLICY), acted

    def observe(self, batch: Batch) -> None:
        """Append the step to the rollout."""
        self.ppo.record(
            **self._acted,
            rewards=batch.rewards,
            terminated=batch.terminated,
            truncated=batch.truncated,
            final_features=batch.final_features,
        )

    def cut(self, env_index: int, batch: Batch) -> None:
        """End an environment's trajectory before somebody else acts in it."""
        self.ppo.cut(env_index, batch.features[env_index])

    @property
    def is_update_due(self) -> bool:
        """Tell whether the rollout is full."""
        return self.ppo.rollout.is_full

    def update(self, batch: Batch) -> dict[str, float]:
        """Learn from the rollout; `batch` holds the states after it."""
        return self.ppo.update(batch.features)

    def save(self) -> tuple[dict[str, Any], dict[str, NDArray[np.generic]]]:
        """Return JSON-able facts and arrays from which `load` goes on bit for bit."""
        facts, arrays = self.ppo.save()
        return {"ppo": facts, "rng": self._rng.bit_generator.state}, arrays

    def load(self, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Take back what `save` returned."""
        self.ppo.load(facts["ppo"], arrays)
        self._rng.bit_generator.state = facts["rng"]


def _of(log_probs: FloatArray, actions: NDArray[np.int64]) -> FloatArray:
    return log_probs[np.arange(len(actions)), actions]
