"""Learn from decisions by proximal policy optimisation (PPO) with masked joint actions."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.agents.gradients import SKIPPED, Adam, GradientSteps, load_adam, save_adam
from engine.battles.learn.experience import Experience
from engine.battles.learn.networks import TwoHeadedHybridModel
from engine.battles.policy import NETWORK, FloatArray
from engine.config import VgcConfig
from engine.runs.checkpoint import under

_MIN_SPREAD = 1e-6
_MAX_LOG_RATIO = 1.0
"""Bound on a decision's part in the KL divergence: with a sharp policy a single one that has become
likely would end every update."""


class Learner:
    """Hold the network and its optimiser, and improve the network update by update.

    An update is taken a gradient step at a time (`begin`, then `step` until it returns figures), so
    that commands can be obeyed in between.

    Attributes:
        network: On the GPU where there is one.
    """

    def __init__(self, config: VgcConfig, seed: int) -> None:
        torch.set_num_threads(config.learner_threads)
        self._config = config
        self._rng = np.random.default_rng([seed, 2])
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = TwoHeadedHybridModel().to(self._device)
        if config.freeze_shared:
            self.network.freeze_shared()
        self._optimizer = Adam(self.network.parameters(), config.learning_rate, eps=1e-5)
        self._gradients = GradientSteps(self._optimizer, self.network, config.max_grad_norm)
        self._batches: list[NDArray[np.int64]] = []
        self._epoch = 0
        self._entropy = config.entropy
        self._epoch_kl: list[float] = []
        self._sums: Counter[str] = Counter()
        self._steps = 0

    @property
    def is_learning(self) -> bool:
        """Return whether an update is under way."""
        return bool(self._batches)

    @np.errstate(invalid="ignore", over="ignore")  # `GradientSteps` skips what is not finite
    def begin(self, experience: Experience, scale: float = 1.0) -> None:
        """Begin an update with complete decisions; `scale` scales learning rate and entropy."""
        self._entropy = scale * self._config.entropy
        self._optimizer.lr = scale * self._config.learning_rate
        advantages = experience.advantages
        returns = advantages + experience.values
        variance = float(returns.var())
        error = float(advantages.var())
        spread = max(float(advantages.std()), _MIN_SPREAD)
        scaled = (advantages - advantages.mean()) / spread
        arrays = (
            experience.observations,
            experience.legal,
            experience.is_preview,
            experience.codes,
            experience.log_probs,
            scaled,
            # The win head's target: the return, -1 to 1, as a probability of winning.
            np.clip((returns + 1) / 2, 0, 1),
        )
        self._data = tuple(torch.from_numpy(array).to(self._device) for array in arrays)
        self._epoch, self._steps = 0, 0
        self._sums.clear()
        self._explained = 1 - error / variance if 0 < variance < np.inf else 0.0
        self._shuffle()

    def step(self) -> dict[str, float] | None:
        """Take one gradient step; return the update's figures by name after the last."""
        rows = torch.from_numpy(self._batches.pop()).to(self._device)
        figures = self._learn(*(each[rows] for each in self._data))
        if figures:
            self._steps += 1
            self._sums.update(figures)
            self._epoch_kl.append(figures["approx_kl"])
        if not self._batches and self._epoch < self._config.epochs and not self._is_too_far():
            self._shuffle()
        if self._batches:
            return None
        found = {name: value / self._steps for name, value in self._sums.items()}
        found |= {"explained_variance": self._explained, "epochs": float(self._epoch)}
        found |= {"gradient_steps": float(self._steps), SKIPPED: float(self._gradients.skipped)}
        self._data = ()
        return found

    def flat(self) -> FloatArray:
        """Return all weights for the workers."""
        return self.network.flat()

    def save(self) -> tuple[dict[str, Any], dict[str, NDArray[np.generic]]]:
        """Return the state between two updates as JSON-able facts and arrays, for `load`."""
        named = self.network.named_weights().items()
        arrays = {NETWORK + name: each.detach().cpu().numpy() for name, each in named}
        facts = {"rng": self._rng.bit_generator.state, SKIPPED: self._gradients.skipped}
        return facts, arrays | save_adam(self._optimizer, self.network)

    def load(self, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Restore the state that `save` returned."""
        self._rng.bit_generator.state = facts["rng"]
        report = self.network.load_compatible(under(arrays, NETWORK))
        if report.missing or report.mismatched:
            raise ValueError("another network")
        load_adam(self._optimizer, self.network, arrays)
        self._gradients.skipped = int(facts.get(SKIPPED, 0))

    def _is_too_far(self) -> bool:
        """Return whether the policy diverged from the one that played by more than the target."""
        target, found = self._config.target_kl, self._epoch_kl
        return target > 0 and bool(found) and sum(found) / len(found) > target

    def _shuffle(self) -> None:
        """Begin an epoch."""
        self._epoch_kl.clear()
        count = len(self._data[0])
        parts = min(self._config.minibatches, count)
        self._batches = np.array_split(self._rng.permutation(count), parts)
        self._epoch += 1

    def _learn(
        self,
        observations: Tensor,
        legal: Tensor,
        is_preview: Tensor,
        codes: Tensor,
        old_log_probs: Tensor,
        advantages: Tensor,
        targets: Tensor,
    ) -> dict[str, float]:
        """Take one gradient step on a minibatch; return no figures if it was skipped."""
        config = self._config
        log_probs, win = self.network(observations, legal, is_preview)
        chosen = log_probs.gather(1, codes[:, None])[:, 0]
        log_ratio = chosen - old_log_probs
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
        policy_loss = -torch.min(advantages * ratio, advantages * clipped).mean()
        value_loss = torch.nn.functional.binary_cross_entropy_with_logits(win, targets)
        # Illegal codes add nothing to the entropy; 0 * -inf would be nan.
        entropy = -(log_probs.exp() * log_probs.clamp(min=-1e4)).sum(1).mean()
        loss = policy_loss + config.value_coefficient * value_loss - self._entropy * entropy
        norm = self._gradients.take(loss)
        if norm is None:
            return {}
        with torch.no_grad():
            capped = log_ratio.clamp(-_MAX_LOG_RATIO, _MAX_LOG_RATIO)
            figures = torch.stack(
                [
                    policy_loss,
                    value_loss,
                    entropy,
                    (capped.exp() - 1 - capped).mean(),
                    ((ratio - 1).abs() > config.clip).float().mean(),
                ]
            ).tolist()
        names = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "grad_norm")
        return dict(zip(names, [*figures, norm], strict=True))
