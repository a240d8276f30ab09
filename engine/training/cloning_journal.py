"""Keep how a policy was cloned as a run's journal is kept, so that the same readers show it."""

import contextlib
from collections.abc import Mapping
from typing import Any

from engine.errors import CheckpointError
from engine.events import EvaluationEnded, PolicyUpdated
from engine.training.journal import Journal
from engine.training.policy_folders import PolicyFolder
from engine.types import Evaluation

_TWICE = frozenset({"bc/loss", "bc/accuracy"})
"""Figures that have their documented name, too."""
_POSITION = "journal"


class CloningJournal:
    """Writes epochs, or rounds of DAgger, as updates; and evaluations.

    Args:
        folder: The policy's.
    """

    def __init__(self, folder: PolicyFolder) -> None:
        self._folder = folder
        self._settings: dict[str, Any] = {}
        with contextlib.suppress(CheckpointError):
            self._settings = folder.settings()
        self._journal = Journal(folder.journal_path)

    def learnt(self, number: int, steps: int, figures: Mapping[str, float]) -> None:
        """Write the result of an epoch or a round, by TensorBoard's names."""
        named = {_short(key): value for key, value in figures.items() if key not in _TWICE}
        self._journal.take(PolicyUpdated(number, steps, named))

    def judged(self, number: int, steps: int, evaluation: Evaluation) -> None:
        """Write an evaluation after an epoch or a round."""
        self._journal.take(EvaluationEnded(number, steps, evaluation))

    def noted(self) -> dict[str, Any]:
        """Return what a checkpoint must know to continue here; write again what was deleted.

        Raises:
            CheckpointError: The disk is full or broken.
        """
        if self._settings:
            self._folder.restore(self._settings)
        self._journal.restore()
        return {_POSITION: self._journal.position()}

    def go_on(self, facts: Mapping[str, Any]) -> None:
        """Drop what came after a checkpoint: it comes again. One of before keeps everything."""
        if _POSITION in facts:
            self._journal.truncate(int(facts[_POSITION]))

    def close(self) -> None:
        """Write what is left; may be called again."""
        self._journal.close()


def _short(key: str) -> str:
    """Return a figure's name in the journal: without its folder where that says nothing."""
    folder, _, name = key.partition("/")
    return name if folder in {"train", "bc"} else key.replace("/", "_")
