"""Learn from demonstrations what to do in each state (behavioural cloning); reads top-down.

Steps are drawn by the inverse of how often their action was taken on their map: the few steps that
lead on from a map count as much as the many that are alike. Whole episodes are held out for
validation.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from engine.agents.gradients import (
    SKIPPED,
    Adam,
    Arrays,
    GradientSteps,
    load_adam,
    load_network,
    save_adam,
)
from engine.agents.networks import masked_log_probs
from engine.errors import CheckpointError, ConfigurationError
from engine.imitation.epochs import BatchLoss, EpochLearner, predict
from engine.imitation.examples import Examples, draw_weights, split
from engine.imitation.networks import build_network, choose_device, uses_bfloat16
from engine.imitation.policies import Policy
from engine.runs.cloning_settings import CloningConfig

_SCORED_AT_ONCE = 512


@dataclass(frozen=True, slots=True)
class Share:
    """How many of a group of steps were predicted.

    Attributes:
        name: Of the map or action.
    """

    name: str
    right: int
    total: int

    @property
    def accuracy(self) -> float:
        """Return the share, 0 of nothing."""
        return self.right / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Score:
    """How well steps were predicted.

    Attributes:
        loss: Mean cross-entropy, every step alike.
        balanced_loss: Mean over the pairs of map and action of each pair's mean.
        accuracy: Share of the steps whose likeliest action was the one taken.
        maps: By map, those that occur.
        actions: By action, those that occur.
    """

    loss: float
    balanced_loss: float
    accuracy: float
    maps: tuple[Share, ...]
    actions: tuple[Share, ...]


def score(
    examples: Examples, guessed: NDArray[np.int64], losses: NDArray[np.float32]
) -> Score | None:
    """Return how well examples were predicted; None if there are none.

    `guessed` are the likeliest actions (N,) of N steps, `losses` (N,) their cross-entropies.
    """
    if not len(examples):
        return None
    right = guessed == examples.actions
    pairs = examples.maps * len(examples.action_names) + examples.actions
    _, inverse, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    means = np.bincount(inverse, losses) / counts
    action_names = tuple(name.lower() for name in examples.action_names)
    return Score(
        loss=float(losses.mean()),
        balanced_loss=float(means.mean()),
        accuracy=float(right.mean()),
        maps=_shares(examples.maps, right, examples.map_names),
        actions=_shares(examples.actions, right, action_names),
    )


def _shares(
    groups: NDArray[np.int64], right: NDArray[np.bool_], names: tuple[str, ...]
) -> tuple[Share, ...]:
    totals = np.bincount(groups, minlength=len(names))
    rights = np.bincount(groups, right, minlength=len(names))
    found = zip(names, rights, totals, strict=True)
    return tuple(Share(name, int(hits), int(total)) for name, hits, total in found if total)


@dataclass(frozen=True, slots=True)
class Epoch:
    """The result of an epoch.

    Attributes:
        number: From 1.
        loss: Mean cross-entropy of the steps as they were drawn.
        accuracy: Share of these whose likeliest action was the one taken.
        grad_norm: Mean norm of the gradient before it was clipped.
        validation: On the held-out episodes; None where there are none.
        is_best: No epoch before had as low a balanced loss in validation.
        skipped: Gradient steps since the first epoch that were skipped as not finite.
    """

    number: int
    loss: float
    accuracy: float
    grad_norm: float
    validation: Score | None
    is_best: bool
    skipped: int = 0

    def figures(self) -> dict[str, float]:
        """Return figures by their names in TensorBoard; the documented ones first."""
        named = {
            "train/bc_loss": self.loss,
            "train/accuracy": self.accuracy,
            "bc/loss": self.loss,
            "bc/accuracy": self.accuracy,
            "bc/grad_norm": self.grad_norm,
            f"train/{SKIPPED}": float(self.skipped),
        }
        found = self.validation
        if found is not None:
            named["validation/loss"] = found.loss
            named["validation/balanced_loss"] = found.balanced_loss
            named["validation/accuracy"] = found.accuracy
            named |= {f"validation_map/{share.name}": share.accuracy for share in found.maps}
            named |= {f"validation_action/{share.name}": share.accuracy for share in found.actions}
        return named


class Cloning(EpochLearner):
    """Hold the examples, the network and its optimiser, and improve the network epoch by epoch.

    The weights begin as those of `start`, or fresh.

    Attributes:
        policy: What was learnt by now.
        learnt_from: Examples of the episodes to train on.
        validated_by: Examples of the held-out episodes.

    Raises:
        ConfigurationError: There are no examples, or the accelerator is missing.
    """

    def __init__(
        self, config: CloningConfig, examples: Examples, start: Policy | None = None
    ) -> None:
        if not len(examples):
            raise ConfigurationError("There are no steps to learn from.", "Record more.")
        if config.device == "cuda" and not torch.cuda.is_available():
            raise ConfigurationError(
                "device = 'cuda': no CUDA device found.", "Use device = 'cpu'."
            )
        self._config = config
        self.learnt_from, self.validated_by = split(examples, config.val_share, config.seed)
        self._chances = np.cumsum(draw_weights(self.learnt_from, config.balance))
        torch.backends.cudnn.deterministic = config.deterministic
        self._device = choose_device(config.device)
        self._is_half = uses_bfloat16(config, self._device)
        self._rng = np.random.default_rng([config.seed, 10])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            network = build_network(config, examples.spaces)
        if start is not None:
            network.load_state_dict(start.network.state_dict())
        network.to(self._device)
        self.policy = Policy(config, examples.spaces, network)
        self._optimizer = Adam(
            network.parameters(), config.learning_rate, weight_decay=config.weight_decay
        )
        gradients = GradientSteps(self._optimizer, network, config.max_grad_norm)
        super().__init__(gradients, config.epochs, config.patience)
        self.digest = examples.digest()

    @property
    def batches(self) -> int:
        """Return how many batches an epoch has."""
        return math.ceil(len(self.learnt_from) / self._config.batch_size)

    def learn(
        self,
        report: Callable[[int], None] = lambda done: None,
        may_go_on: Callable[[], bool] = lambda: True,
    ) -> Epoch | None:
        """Learn for one epoch; `report` is called with how many batches are done.

        None if `may_go_on`, asked before every batch, said no; then the state is that of no whole
        epoch, and must not be saved.
        """
        means = self.learn_from(self._draw(), self._loss, report, may_go_on)
        if means is None:
            return None
        loss, accuracy, grad_norm = means
        validation = self.score(self.validated_by)
        is_best = self.end_epoch(loss if validation is None else validation.balanced_loss)
        return Epoch(self.epoch, loss, accuracy, grad_norm, validation, is_best, self.skipped)

    def score(self, examples: Examples) -> Score | None:
        """Return how well examples are predicted, each step once; None if there are none."""
        if not len(examples):
            return None

        def evaluate(part: slice) -> tuple[Tensor, Tensor]:
            log_probs, actions = self._evaluate(examples, part)
            return log_probs.argmax(1), -log_probs.gather(1, actions[:, None]).squeeze(1)

        return score(examples, *predict(len(examples), _SCORED_AT_ONCE, evaluate))

    def _draw(self) -> Iterator[NDArray[np.integer]]:
        """Yield the steps of each batch of an epoch."""
        for _ in range(self.batches):
            draws = self._rng.random(self._config.batch_size) * self._chances[-1]
            yield np.searchsorted(self._chances, draws, side="right")

    def _loss(self, index: NDArray[np.integer]) -> BatchLoss:
        """Return the mean cross-entropy of some steps, and the share that is predicted."""
        log_probs, actions = self._evaluate(self.learnt_from, index)
        loss = nn.functional.nll_loss(log_probs, actions)
        right = (log_probs.argmax(1) == actions).float().mean()
        return BatchLoss(loss, (loss, right))

    def _evaluate(
        self, examples: Examples, index: slice | NDArray[np.integer]
    ) -> tuple[Tensor, Tensor]:
        """Return masked log-probabilities (batch, A) and what was done, (batch,)."""
        features, pixels, mask, actions = (
            torch.from_numpy(array[index]).to(self._device)
            for array in (examples.features, examples.pixels, examples.masks, examples.actions)
        )
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._is_half):
            logits = self.policy.network(features, pixels if pixels.numel() else None, mask)
        return masked_log_probs(logits.float(), mask, torch.zeros((), device=self._device)), actions

    def save(self) -> tuple[dict[str, Any], Arrays]:
        """Return the state as JSON-able facts and arrays, for `load`."""
        facts, arrays = self.policy.save()
        arrays |= save_adam(self._optimizer, self.policy.network)
        facts |= {"cloning": self.save_counters(), "rng": self._rng.bit_generator.state}
        return facts | {"examples": self.digest}, arrays

    def load(self, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Restore the state that `save` returned.

        Raises:
            CheckpointError: It was learnt from other examples.
        """
        if facts.get("examples") != self.digest:
            raise CheckpointError(
                "The demonstrations are not those this policy was cloned from.",
                "Restore them, or clone again without --resume.",
            )
        self.load_counters(facts["cloning"])
        self._rng.bit_generator.state = facts["rng"]
        load_network(self.policy.network, "network", arrays)
        load_adam(self._optimizer, self.policy.network, arrays)
