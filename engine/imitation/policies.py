"""Play by a cloned policy, and save and load it."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from engine.agents.arbitration import certainty, sample
from engine.agents.base import ActionBatch, Guidance, PolicyFunction
from engine.agents.gradients import Arrays, load_network, save_network
from engine.agents.networks import masked_log_probs
from engine.env.batch import Batch
from engine.env.observation.pixels import pixels_shape
from engine.errors import CheckpointError, ConfigurationError
from engine.events import EvaluationEnded, PolicyUpdated
from engine.ground.folders import user_path
from engine.imitation.networks import build_network
from engine.runs.checkpoint import LATEST, Checkpoint, CheckpointStore, read_checkpoint
from engine.runs.cloning_settings import CloningConfig, check
from engine.runs.journal import Journal
from engine.runs.metrics import MetricsWriter, MetricsWriters, evaluation_metrics
from engine.runs.policy_folders import PolicyFolder
from engine.runs.settings import flat
from engine.runs.tensorboard import TensorBoardFile
from engine.types import GAME_BOY_ACTIONS, GAME_BOY_FRAME_SHAPE, Evaluation, Source, Spaces

KIND = "imitation"
"""Marks the checkpoints of clones among others."""
_TWICE = frozenset({"bc/loss", "bc/accuracy"})
"""Figures that are also written under their documented names."""
_POSITION = "journal"


@dataclass(frozen=True, slots=True)
class Policy:
    """A cloned policy.

    Attributes:
        config: What it was cloned with.
        spaces: Sizes of observations and actions.
        network: See `build_network`.
    """

    config: CloningConfig
    spaces: Spaces
    network: nn.Module

    def logits(
        self, features: NDArray[np.float32], pixels: NDArray[np.uint8] | None, mask: Tensor
    ) -> Tensor:
        """Return logits (batch, A) on the CPU, not masked and without gradients."""
        device = next(self.network.parameters()).device
        seen = None
        if pixels is not None and self.config.inputs != "features":
            seen = torch.from_numpy(pixels).to(device)
        with torch.inference_mode():
            logits: Tensor = self.network(
                torch.from_numpy(features).to(device), seen, mask.to(device)
            )
        return logits.float().cpu()

    def player(self, seed: int) -> PolicyFunction:
        """Return a function that draws its actions: the likeliest alone gets stuck."""
        rng = np.random.default_rng([seed, 12])

        def play(batch: Batch, guidance: Guidance) -> ActionBatch:
            mask = torch.from_numpy(batch.mask)
            logits = self.logits(batch.features, batch.pixels, mask)
            tempered = logits / self.config.temperature
            log_probs = masked_log_probs(tempered, mask, torch.zeros(())).numpy()
            sure = certainty(torch.from_numpy(log_probs), batch.mask)
            actions = sample(log_probs, rng)
            nobody = np.zeros(len(actions), np.bool_)
            q_values = None
            if self.config.network != "ppo":  # of the others DQN takes the outputs for values
                q_values = np.take_along_axis(logits.numpy(), actions[:, None], 1)[:, 0]
            return ActionBatch(
                actions, sure.astype(np.float32), nobody, Source.POLICY, q_values=q_values
            )

        return play

    def save(self) -> tuple[dict[str, Any], Arrays]:
        """Return JSON-able facts and arrays."""
        facts = {"config": self.config.model_dump(), **asdict(self.spaces)}
        return {"kind": KIND, "policy": facts}, save_network(self.network, "network")

    @classmethod
    def load(cls, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]]) -> "Policy":
        """Restore the state that `save` returned.

        Raises:
            CheckpointError: It was not `save` that returned it.
        """
        if facts.get("kind") != KIND:
            raise CheckpointError(
                "This checkpoint contains no cloned policy.", "Create one: poketui bc"
            )
        config = check(CloningConfig, dict(facts["policy"]["config"]))
        sizes = facts["policy"]
        spaces = Spaces(  # older policies are of a Game Boy, and do not say so
            int(sizes["feature_size"]),
            int(sizes.get("num_actions", len(GAME_BOY_ACTIONS))),
            tuple(map(int, sizes.get("pixels_shape", pixels_shape(GAME_BOY_FRAME_SHAPE)))),
        )
        with torch.random.fork_rng(devices=[]):
            network = build_network(config, spaces)
        try:
            load_network(network, "network", arrays)
        except RuntimeError:
            raise CheckpointError(
                "This policy's weights do not fit its network.", "Clone it again: poketui bc"
            ) from None
        return cls(config, spaces, network)


def read_policy(save_dir: str, name: str) -> tuple[Policy, Path]:
    """Read a policy: the best one of a folder, else the newest; or a checkpoint's file.

    `name` is "latest", an id, or the path of a folder or a file.

    Raises:
        CheckpointError: There is none, or it is damaged.
    """
    path = user_path(name)
    if name == LATEST or not path.is_file():
        folder = PolicyFolder.find(save_dir, name)
        path = folder.best_path
        if not path.is_file():
            saved, path, _ = folder.store().load_newest()
            return policy_of(saved, path), path
    return policy_of(read_checkpoint(path), path), path


def policy_of(saved: Checkpoint, path: Path) -> Policy:
    """Return the policy of a checkpoint, or raise CheckpointError."""
    try:
        return Policy.load(saved.facts, saved.arrays)
    except (KeyError, TypeError, ValueError, ConfigurationError) as error:
        raise CheckpointError(
            f"The checkpoint {path} contains no usable policy: {error}.",
            "Clone it again: poketui bc",
        ) from None


class PolicyWriter:
    """Write a policy as it is learnt: checkpoints, curves, and a journal like a run's.

    So whatever shows runs shows it too. An epoch, or a round of DAgger, counts as an update.

    Args:
        folder: The policy's.
        store: Of its checkpoints.
        saved: Facts of the checkpoint that is resumed: what the journal has from after it is
            dropped, for it comes again.
        steps: The checkpoint's.
        writers: Take the figures beside TensorBoard; this closes them.
        warn: Takes a line for the user.

    Attributes:
        evaluation: The last one; None if there was none.
    """

    def __init__(
        self,
        folder: PolicyFolder,
        store: CheckpointStore,
        saved: Mapping[str, Any],
        steps: int,
        writers: Sequence[MetricsWriter],
        warn: Callable[[str], None],
    ) -> None:
        self.evaluation: Evaluation | None = None
        self._folder, self._store = folder, store
        self._settings: dict[str, Any] = {}
        with contextlib.suppress(CheckpointError):
            self._settings = folder.settings()
        self._figures = MetricsWriters(
            [
                TensorBoardFile(folder.tensorboard_path, steps, settings=flat(self._settings)),
                *writers,
            ],
            warn,
        )
        self._journal = Journal(folder.journal_path)
        if _POSITION in saved:  # older checkpoints lack it: all is kept
            self._journal.truncate(int(saved[_POSITION]))

    def learnt(self, number: int, steps: int, figures: Mapping[str, float]) -> None:
        """Write the figures of an epoch or a round."""
        self._figures.write(steps, figures)
        self.note(number, steps, figures)

    def note(self, number: int, steps: int, figures: Mapping[str, float]) -> None:
        """Write the figures of an epoch or a round into the journal alone."""
        named = {_short(key): value for key, value in figures.items() if key not in _TWICE}
        self._journal.take(PolicyUpdated(number, steps, named))

    def evaluated(self, number: int, steps: int, evaluation: Evaluation) -> None:
        """Write an evaluation after an epoch or a round."""
        self.evaluation = evaluation
        self._figures.write(steps, evaluation_metrics(evaluation))
        self._journal.take(EvaluationEnded(number, steps, evaluation))

    def save(
        self,
        facts: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
        steps: int,
        score: list[float] | None,
    ) -> None:
        """Write a checkpoint, and restore what was deleted of the folder.

        Raises:
            CheckpointError: The disk is full or broken.
        """
        if self._settings:
            self._folder.restore(self._settings)
        self._journal.restore()
        facts = {**facts, _POSITION: self._journal.position()}
        if score is not None:
            facts["score"] = score
        self._store.save(Checkpoint(facts, arrays), steps)

    @property
    def best(self) -> Path | None:
        """Return the checkpoint with the highest score; None if none was evaluated."""
        path = self._folder.best_path
        return path if path.is_file() else None

    def close(self) -> None:
        """Write what is left."""
        self._figures.close()
        self._journal.close()


def _short(key: str) -> str:
    """Return a figure's name in the journal: without its folder where that says nothing."""
    folder, _, name = key.partition("/")
    return name if folder in {"train", "bc"} else key.replace("/", "_")
