"""Clone behaviour in battles: learn from demonstrations what to choose, and who wins.

The action head learns by cross-entropy over the legal codes, the win head by that of the outcome.
Decisions of losers can count less, for a clone that is better than its teachers. Whole battles are
held out for validation.
"""

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
from engine.battles.policy import NETWORK
from engine.battles.sim.simulator import PREVIEW
from engine.errors import ConfigurationError
from engine.runs.checkpoint import Checkpoint, write_checkpoint

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
        patience: Stop after so many epochs without a better one.
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
        arrays = {f"{NETWORK}{name}": array for name, array in self.weights.items()}
        write_checkpoint(path, Checkpoint(made | dict(facts), arrays))


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
    validation = np.flatnonzero(kept)
    learner = _Learner(data, np.flatnonzero(~kept), settings, rng)
    epochs: list[Epoch] = []
    best: dict[str, NDArray[np.float32]] = {}
    lowest, since = np.inf, 0
    for number in range(1, settings.epochs + 1):
        losses = learner.epoch(advance)
        score = evaluate(learner.network, data, validation, settings)
        is_best = not best or score.loss < lowest
        epochs.append(Epoch(number, *losses, score, is_best, learner.gradients.skipped))
        report(epochs[-1])
        since += 1
        if is_best:
            lowest, since = score.loss, 0
            weights = learner.network.named_weights().items()
            best = {name: each.detach().numpy().copy() for name, each in weights}
        if since >= settings.patience:
            break
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


class _Learner:
    """A network, its optimiser, and the decisions it learns from."""

    def __init__(
        self,
        data: Demonstrations,
        rows: NDArray[np.int64],
        settings: CloningSettings,
        rng: np.random.Generator,
    ) -> None:
        self.network = TwoHeadedHybridModel()
        self._data = data
        self._rows = rows
        self._settings = settings
        self._rng = rng
        self._weights = _weights(data.outcomes, settings)
        steps = settings.epochs * -(-len(rows) // settings.batch_size)
        self._optimizer = torch.optim.AdamW(
            self.network.parameters(), settings.learning_rate, weight_decay=settings.weight_decay
        )
        self.gradients = GradientSteps(self._optimizer, self.network, _MAX_NORM)
        self._schedule = torch.optim.lr_scheduler.OneCycleLR(
            self._optimizer, settings.learning_rate, total_steps=steps, pct_start=0.1
        )

    def epoch(self, advance: Callable[[int, int], None]) -> tuple[float, float]:
        """Learn from every decision once; return the mean losses of both heads."""
        order = self._rng.permutation(self._rows)
        sums, learnt = np.zeros(2), 0
        for start in range(0, len(order), self._settings.batch_size):
            rows = order[start : start + self._settings.batch_size]
            batch = _Batch(self._data, rows)
            losses, win_losses = batch.losses(self.network)
            weights = torch.from_numpy(self._weights[rows])
            loss, win_loss = (losses * weights).mean(), win_losses.mean()
            norm = self.gradients.take(loss + self._settings.win_weight * win_loss)
            if norm is not None:
                self._schedule.step()
                sums += np.array([loss.item(), win_loss.item()]) * len(rows)
                learnt += len(rows)
            advance(start + len(rows), len(order))
        return float(sums[0] / max(1, learnt)), float(sums[1] / max(1, learnt))


class _Batch:
    """Some decisions as tensors."""

    def __init__(self, data: Demonstrations, rows: NDArray[np.int64]) -> None:
        self.observations = torch.from_numpy(data.observations[rows].astype(np.float32))
        self.legal = torch.from_numpy(data.legal[rows])
        self.is_preview = torch.from_numpy(data.kinds[rows] == PREVIEW)
        self.codes = torch.from_numpy(data.codes[rows].astype(np.int64))
        self.won = torch.from_numpy((data.outcomes[rows].astype(np.float32) + 1) / 2)

    def losses(self, network: TwoHeadedHybridModel) -> tuple[Tensor, Tensor]:
        """Return the cross-entropies (n,) of the choices, and of the outcomes."""
        found = network(self.observations, self.legal, self.is_preview)
        self.guessed = found.log_probs.argmax(1)
        chosen = found.log_probs.gather(1, self.codes[:, None])[:, 0]
        win_loss = nn.functional.binary_cross_entropy_with_logits(
            found.win, self.won, reduction="none"
        )
        return -chosen, win_loss


def evaluate(
    network: TwoHeadedHybridModel,
    data: Demonstrations,
    rows: NDArray[np.int64],
    settings: CloningSettings,
) -> Score:
    """Return how well a network predicts some decisions; the loss is weighted as in training."""
    losses, win_losses, right = [], [], []
    with torch.no_grad():
        for start in range(0, len(rows), _SCORED_AT_ONCE):
            batch = _Batch(data, rows[start : start + _SCORED_AT_ONCE])
            loss, win_loss = batch.losses(network)
            losses.append(loss.numpy())
            win_losses.append(win_loss.numpy())
            right.append((batch.guessed == batch.codes).numpy())
    hits, kinds = np.concatenate(right), data.kinds[rows]
    accuracy = {
        name: float(hits[kinds == kind].mean())
        for kind, name in enumerate(KINDS)
        if (kinds == kind).any()
    }
    weights = _weights(data.outcomes[rows], settings)
    mean = np.average(np.concatenate(losses), weights=weights)
    return Score(float(mean), float(np.concatenate(win_losses).mean()), accuracy)


def _weights(outcomes: NDArray[np.int8], settings: CloningSettings) -> NDArray[np.float32]:
    """Return each decision's weight, 1 on average."""
    weights = np.where(outcomes > 0, 1.0, settings.loser_weight).astype(np.float32)
    return weights / max(float(weights.mean()), 1e-6)
