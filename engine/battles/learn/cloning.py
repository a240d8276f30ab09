"""Clone behaviour in battles: learn from demonstrations what to choose, and who wins.

The action head learns by cross-entropy over the legal codes, the win head by that of the outcome.
Decisions of losers can count less, for a clone that is better than its teachers. Whole battles are
held out for validation.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from engine.agents.gradients import GradientSteps
from engine.battles.learn.demonstrations import Demonstrations
from engine.battles.learn.networks import TwoHeadedHybridModel
from engine.battles.policy import write_network
from engine.battles.sim.simulator import PREVIEW
from engine.errors import ConfigurationError
from engine.imitation.epochs import BatchLoss, EpochLearner, predict

KINDS = ("turn", "switch", "preview")
_SCORED_AT_ONCE = 2048
_MAX_NORM = 1.0


@dataclass(frozen=True, slots=True)
class CloningSettings:
    """Hyperparameters of cloning.

    Attributes:
        loser_weight: Weight of a decision of a side that did not win, 0 to 1.
        win_weight: Weight of the win head's loss; the action head's is 1.
        val_share: Share of the battles that is held out for validation.
        patience: Stop after so many epochs without a better one; 0: never.
    """

    epochs: int = 15
    batch_size: int = 512
    learning_rate: float = 1e-3
    weight_decay: float = 1e-4
    loser_weight: float = 0.25
    win_weight: float = 0.5
    val_share: float = 0.1
    patience: int = 3
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Score:
    """How well decisions were predicted.

    Attributes:
        loss: Mean cross-entropy of what was chosen.
        win_loss: Mean cross-entropy of the outcome; ties are half won.
        accuracy: Share of the decisions whose likeliest code was chosen, by kind in `KINDS`.
    """

    loss: float
    win_loss: float
    accuracy: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Epoch:
    """The result of learning from all decisions once.

    Attributes:
        skipped: Gradient steps since the first epoch that were skipped as not finite.
    """

    number: int
    loss: float
    win_loss: float
    validation: Score
    is_best: bool
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Clone:
    """A cloned network: its weights by name, and how it was made."""

    weights: Mapping[str, NDArray[np.float32]]
    settings: CloningSettings
    epochs: tuple[Epoch, ...]
    decisions: int
    battles: int

    @property
    def best(self) -> Epoch:
        """Return the epoch whose weights these are."""
        return max((epoch for epoch in self.epochs if epoch.is_best), key=lambda each: each.number)

    def save(self, path: Path, facts: Mapping[str, Any]) -> None:
        """Write the weights where `Policy.load` reads them.

        Raises:
            OSError: It could not be written.
        """
        made = {
            "cloning": {
                "settings": asdict(self.settings),
                "epochs": len(self.epochs),
                "decisions": self.decisions,
                "battles": self.battles,
                "validation": asdict(self.best.validation),
            }
        }
        write_network(path, self.weights, made | dict(facts))


def clone(
    data: Demonstrations,
    settings: CloningSettings,
    report: Callable[[Epoch], None] = lambda epoch: None,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> Clone:
    """Train a network until the last epoch, or until none improves for `patience` epochs.

    Raises:
        ConfigurationError: There are too few battles.
    """
    torch.set_num_threads(1)  # two on a busy machine wait for each other more than they work
    torch.manual_seed(settings.seed)
    rng = np.random.default_rng(settings.seed)
    kept = _validation_battles(data, settings, rng)
    learner = _Learner(data, np.flatnonzero(~kept), np.flatnonzero(kept), settings, rng)
    epochs: list[Epoch] = []
    best: dict[str, NDArray[np.float32]] = {}
    while not learner.is_over:
        epochs.append(learner.learn(advance))
        report(epochs[-1])
        if epochs[-1].is_best:
            weights = learner.network.named_weights().items()
            best = {name: each.detach().numpy().copy() for name, each in weights}
    battles = len(np.unique(data.battles))
    return Clone(best, settings, tuple(epochs), len(data), battles)


def _validation_battles(
    data: Demonstrations, settings: CloningSettings, rng: np.random.Generator
) -> NDArray[np.bool_]:
    battles = np.unique(data.battles)
    count = round(len(battles) * settings.val_share)
    if not 0 < count < len(battles):
        raise ConfigurationError(
            f"{len(battles)} battles are too few to learn from.", "Generate more: --battles 2000."
        )
    return np.isin(data.battles, rng.choice(battles, count, replace=False))


class _Learner(EpochLearner):
    """A network, its optimiser, and the decisions it learns from and is validated by."""

    def __init__(
        self,
        data: Demonstrations,
        rows: NDArray[np.int64],
        validation: NDArray[np.int64],
        settings: CloningSettings,
        rng: np.random.Generator,
    ) -> None:
        self.network = TwoHeadedHybridModel()
        self._data, self._rows, self._validation = data, rows, validation
        self._settings, self._rng = settings, rng
        self._weights = _weights(data.outcomes, settings)
        steps = settings.epochs * -(-len(rows) // settings.batch_size)
        optimizer = torch.optim.AdamW(
            self.network.parameters(), settings.learning_rate, weight_decay=settings.weight_decay
        )
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, settings.learning_rate, total_steps=steps, pct_start=0.1
        )
        # A gradient that is skipped takes no step of the optimiser, and none of the schedule.
        optimizer.register_step_post_hook(lambda *_: schedule.step())
        gradients = GradientSteps(optimizer, self.network, _MAX_NORM)
        super().__init__(gradients, settings.epochs, settings.patience)

    def learn(self, advance: Callable[[int, int], None]) -> Epoch:
        """Learn from every decision once."""
        order, size = self._rng.permutation(self._rows), self._settings.batch_size
        batches = [order[start : start + size] for start in range(0, len(order), size)]
        means = self.learn_from(
            batches, self._loss, lambda done: advance(min(done * size, len(order)), len(order))
        )
        assert means is not None
        score = evaluate(self.network, self._data, self._validation, self._settings)
        # The first epoch is the best by now, even if its loss is no number.
        is_unknown = not self.epoch and math.isnan(score.loss)
        is_best = self.end_epoch(-math.inf if is_unknown else score.loss)
        return Epoch(self.epoch, *means[:2], score, is_best, self.skipped)

    def _loss(self, rows: NDArray[np.int64]) -> BatchLoss:
        """Return the losses of both heads together, and of each, by some decisions."""
        losses, win_losses, _ = _predict(self.network, self._data, rows)
        weights = torch.from_numpy(self._weights[rows])
        loss, win_loss = (losses * weights).mean(), win_losses.mean()
        both = loss + self._settings.win_weight * win_loss
        return BatchLoss(both, (loss, win_loss), len(rows))


def _predict(
    network: TwoHeadedHybridModel, data: Demonstrations, rows: NDArray[np.int64]
) -> tuple[Tensor, Tensor, Tensor]:
    """Return, of n decisions, the cross-entropies (n,) of choices and outcomes.

    The third (n,) bool is where the likeliest code was chosen.
    """
    observations = torch.from_numpy(data.observations[rows].astype(np.float32))
    codes = torch.from_numpy(data.codes[rows].astype(np.int64))
    won = torch.from_numpy((data.outcomes[rows].astype(np.float32) + 1) / 2)
    is_preview = torch.from_numpy(data.kinds[rows] == PREVIEW)
    found = network(observations, torch.from_numpy(data.legal[rows]), is_preview)
    chosen = found.log_probs.gather(1, codes[:, None])[:, 0]
    win_losses = nn.functional.binary_cross_entropy_with_logits(found.win, won, reduction="none")
    return -chosen, win_losses, found.log_probs.argmax(1) == codes


def evaluate(
    network: TwoHeadedHybridModel,
    data: Demonstrations,
    rows: NDArray[np.int64],
    settings: CloningSettings,
) -> Score:
    """Return how well a network predicts some decisions; the loss is weighted as in training."""
    losses, win_losses, right = predict(
        len(rows), _SCORED_AT_ONCE, lambda part: _predict(network, data, rows[part])
    )
    kinds = data.kinds[rows]
    accuracy = {
        name: float(right[kinds == kind].mean())
        for kind, name in enumerate(KINDS)
        if (kinds == kind).any()
    }
    weights = _weights(data.outcomes[rows], settings)
    return Score(float(np.average(losses, weights=weights)), float(win_losses.mean()), accuracy)


def _weights(outcomes: NDArray[np.int8], settings: CloningSettings) -> NDArray[np.float32]:
    """Return each decision's weight, 1 on average."""
    weights = np.where(outcomes > 0, 1.0, settings.loser_weight).astype(np.float32)
    return weights / max(float(weights.mean()), 1e-6)
