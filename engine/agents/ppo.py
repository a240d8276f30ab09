"""Learn by proximal policy optimisation with masked actions and a planner's bias; reads top-down.

The bias that the planner adds to the logits is part of the policy that acted. It is stored with
every step and added again when the ratio is formed, so the update stays on-policy. The policy
without the bias also learns to say what the planner says, as far as the planner is followed
(kickstarting, Schmitt et al. 2018), so that less and less of the bias is missed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.agents.arbitration import STRENGTH
from engine.agents.networks import ActorCritic, entropy, masked_log_probs
from engine.agents.rollout import FloatArray, Rollout
from engine.agents.scaling import RewardScaler
from engine.config import PPOConfig

_MIN_SPREAD = 0.1
"""Advantages are not normalised below this standard deviation: where rewards are rare, that would
blow noise up and end exploration, which the entropy bonus must then be able to keep alive."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the network says of a batch of states; all float32.

    Attributes:
        logits: (envs, 9), neither masked nor biased.
        values: (envs,).
    """

    logits: Tensor
    values: FloatArray


class PPO:
    """Hold the network, its optimiser and the rollout, and improve the network when it is full.

    Args:
        config: Hyperparameters.
        num_envs: Environments that step together.
        feature_size: Length of the feature vector.
        seed: Of the initial weights and of the order of minibatches.
    """

    def __init__(self, config: PPOConfig, num_envs: int, feature_size: int, seed: int) -> None:
        self._config = config
        self._rng = np.random.default_rng([seed, 1])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = ActorCritic("features", feature_size, config.hidden_size)
        self._optimizer = torch.optim.Adam(
            self.network.parameters(), lr=config.learning_rate, eps=1e-5
        )
        self.rollout = Rollout.empty(config.rollout_steps, num_envs, feature_size)
        self._scaler = RewardScaler(num_envs, config.gamma)
        self.num_updates = 0

    def evaluate(self, features: FloatArray) -> Evaluation:
        """Judge states (envs, F)."""
        with torch.inference_mode():
            logits, values = self.network(torch.from_numpy(features), None)
        return Evaluation(logits, values.numpy())

    def record(
        self,
        *,
        features: FloatArray,
        mask: NDArray[np.bool_],
        bias: FloatArray,
        actions: NDArray[np.int64],
        log_probs: FloatArray,
        values: FloatArray,
        rewards: FloatArray,
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        final_features: FloatArray,
    ) -> None:
        """Append one step of every environment; an ended episode's last state is `final_features`.

        A truncated episode is worth what the critic thinks of its last state; a terminated one 0.
        """
        rollout, step = self.rollout, self.rollout.length
        ended = terminated | truncated
        rollout.features[step] = features
        rollout.masks[step] = mask
        rollout.biases[step] = bias
        rollout.actions[step] = actions
        rollout.log_probs[step] = log_probs
        rollout.values[step] = values
        rollout.rewards[step] = self._scaler.scale(rewards, ended)
        rollout.boundaries[step] = ended
        rollout.boundary_values[step] = 0.0
        cut_short = truncated & ~terminated
        if cut_short.any():
            rollout.boundary_values[step, cut_short] = self.evaluate(
                final_features[cut_short]
            ).values
        rollout.length += 1

    def cut(self, env_index: int, features: FloatArray) -> None:
        """End an environment's trajectory at the state `features` (F,), before others act in it."""
        self.rollout.cut(env_index, float(self.evaluate(features[None]).values[0]))

    def update(self, next_features: FloatArray) -> dict[str, float]:
        """Learn from the rollout, empty it and return figures by name.

        Args:
            next_features: (envs, F) the states after the rollout's last step.
        """
        config, rollout = self._config, self.rollout
        advantages = rollout.advantages(
            self.evaluate(next_features).values, config.gamma, config.gae_lambda
        )
        returns = advantages + rollout.values
        data = _Samples.from_rollout(rollout, advantages, returns)
        sums: dict[str, float] = {}
        count = 0
        for _ in range(config.epochs):
            order = self._rng.permutation(len(data.actions))
            for start in range(0, len(order), config.minibatch_size):
                figures = self._learn(data.take(order[start : start + config.minibatch_size]))
                count += 1
                for name, value in figures.items():
                    sums[name] = sums.get(name, 0.0) + value
        self.num_updates += 1
        rollout.length = 0
        figures = {name: value / count for name, value in sums.items()}
        figures["explained_variance"] = _explained_variance(rollout.values, returns)
        return figures

    def _learn(self, batch: "_Samples") -> dict[str, float]:
        """Take one gradient step on a minibatch."""
        config = self._config
        logits, values = self.network(batch.features, None)
        log_probs = masked_log_probs(logits, batch.masks, batch.biases)
        chosen = log_probs.gather(1, batch.actions[:, None]).squeeze(1)
        log_ratio = chosen - batch.log_probs
        ratio = log_ratio.exp()
        advantages = batch.advantages
        if len(advantages) > 1:
            spread = advantages.std().clamp(min=_MIN_SPREAD)
            advantages = (advantages - advantages.mean()) / spread
        policy_loss = -torch.min(
            advantages * ratio, advantages * ratio.clamp(1 - config.clip, 1 + config.clip)
        ).mean()
        value_loss = 0.5 * (values - batch.returns).square().mean()
        # Of the policy without the planner: else the bonus would teach it to undo the bias.
        own_log_probs = masked_log_probs(logits, batch.masks, torch.zeros(()))
        mean_entropy = entropy(own_log_probs).mean()
        imitation_loss = -(batch.biases * own_log_probs).sum(-1).mean() / STRENGTH
        loss = (
            policy_loss
            + config.value_coefficient * value_loss
            + config.imitation * imitation_loss
            - config.entropy * mean_entropy
        )

        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), config.max_grad_norm)
        self._optimizer.step()
        with torch.no_grad():
            return {
                "policy_loss": policy_loss.item(),
                "value_loss": value_loss.item(),
                "entropy": mean_entropy.item(),
                "imitation_loss": imitation_loss.item(),
                "approx_kl": ((ratio - 1) - log_ratio).mean().item(),
                "clip_fraction": ((ratio - 1).abs() > config.clip).float().mean().item(),
            }

    def save(self) -> tuple[dict[str, Any], dict[str, NDArray[np.generic]]]:
        """Return JSON-able facts and arrays from which `load` goes on bit for bit."""
        arrays: dict[str, NDArray[np.generic]] = {
            f"network/{name}": tensor.numpy() for name, tensor in self.network.state_dict().items()
        }
        for name, parameter in self.network.named_parameters():
            for key, value in self._optimizer.state.get(parameter, {}).items():
                arrays[f"optimizer/{key}/{name}"] = value.numpy()
        arrays |= {f"rollout/{name}": array for name, array in self.rollout.save().items()}
        arrays |= {f"scaler/{name}": array for name, array in self._scaler.save().items()}
        return {"num_updates": self.num_updates, "rng": self._rng.bit_generator.state}, arrays

    def load(self, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Take back what `save` returned."""
        self.num_updates = int(facts["num_updates"])
        self._rng.bit_generator.state = facts["rng"]
        self.network.load_state_dict(
            {name: torch.from_numpy(array) for name, array in _under(arrays, "network/").items()}
        )
        for name, parameter in self.network.named_parameters():
            state = {
                key: torch.from_numpy(arrays[f"optimizer/{key}/{name}"].copy())
                for key in ("step", "exp_avg", "exp_avg_sq")
                if f"optimizer/{key}/{name}" in arrays
            }
            if state:
                self._optimizer.state[parameter] = state
        self.rollout.load(_under(arrays, "rollout/"))
        self._scaler.load(_under(arrays, "scaler/"))


@dataclass(frozen=True, slots=True)
class _Samples:
    """Steps in any order, as tensors: (samples, ...)."""

    features: Tensor
    masks: Tensor
    biases: Tensor
    actions: Tensor
    log_probs: Tensor
    advantages: Tensor
    returns: Tensor

    @classmethod
    def from_rollout(
        cls, rollout: Rollout, advantages: FloatArray, returns: FloatArray
    ) -> "_Samples":
        arrays = (
            rollout.features,
            rollout.masks,
            rollout.biases,
            rollout.actions,
            rollout.log_probs,
            advantages,
            returns,
        )
        return cls(*(torch.from_numpy(array).flatten(0, 1) for array in arrays))

    def take(self, rows: NDArray[np.int64]) -> "_Samples":
        index = torch.from_numpy(rows)
        return _Samples(
            self.features[index],
            self.masks[index],
            self.biases[index],
            self.actions[index],
            self.log_probs[index],
            self.advantages[index],
            self.returns[index],
        )


def _explained_variance(values: FloatArray, returns: FloatArray) -> float:
    """Return how much of the returns' variance the critic foresaw; 1 is all, 0 none."""
    variance = float(returns.var())
    return 1.0 - float((returns - values).var()) / variance if variance > 0 else 0.0


def _under(
    arrays: Mapping[str, NDArray[np.generic]], prefix: str
) -> dict[str, NDArray[np.generic]]:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
