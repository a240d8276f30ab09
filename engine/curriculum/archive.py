"""Keep the game as it was where milestones were reached, and let some episodes begin there."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.curriculum.success_rate import SuccessRate
from engine.env.batch import Batch
from engine.errors import WorkerError
from engine.types import EpisodeSummary
from engine.world import Snapshots


@dataclass(slots=True)
class _Kept:
    """A milestone's snapshot.

    Attributes:
        steps: That led to it from the true start; fewer are better.
        passed: How often an episode that was here reached anything more.
    """

    steps: int
    snapshot: bytes
    passed: SuccessRate


class StateArchive:
    """One snapshot per milestone: the first that reached it, until one comes that took fewer steps.

    Episodes begin at one of them in exactly the configured share, drawn by how rarely episodes got
    any further from there: most begin at the frontier. Where an environment's next episode begins
    is sent ahead, as soon as there is something to begin from, and drawn again with every new
    milestone.

    Args:
        share: Of the episodes, 0 to 1; 0 keeps nothing.
        seed: Of the draws.
    """

    def __init__(self, share: float, seed: int) -> None:
        self._share = share
        self._rng = np.random.default_rng([seed, 5])
        self._kept: dict[str, _Kept] = {}
        self._credit = 0.0
        self._next: dict[int, str] = {}

    @property
    def steps(self) -> dict[str, int]:
        """Return by milestone the steps from the true start that led to what is kept."""
        return {key: kept.steps for key, kept in self._kept.items()}

    def follow(self, games: Snapshots, batch: Batch, is_touched: NDArray[np.bool_]) -> None:
        """Keep what is new or better in a batch, and send starts to where episodes ended.

        Args:
            games: The environments, still in the batch's state.
            batch: What the last step led to.
            is_touched: (envs,) where a person acted in the present episode: it proves nothing.
        """
        if not self._share:
            return
        with contextlib.suppress(WorkerError):  # the next step replaces the process, and reports it
            known = len(self._kept)
            for index, (key, steps) in sorted(batch.reached.items()):
                former = self._kept.get(key)
                if not is_touched[index] and (former is None or steps < former.steps):
                    passed = former.passed if former else SuccessRate()
                    self._kept[key] = _Kept(steps, games.snapshot(index), passed)
            for index, summary in sorted(batch.summaries.items()):
                if not (summary.is_aborted or is_touched[index]):
                    self._count(summary)
                self._next.pop(index, None)
            if len(self._kept) > known:
                for index in [index for index, start in self._next.items() if start]:
                    self._send(games, index)
            for index in range(len(is_touched) if self._kept else 0):
                if index not in self._next:
                    self._decide(games, index)

    def chances(self) -> dict[str, float]:
        """Return with what probability an archived start is each milestone's."""
        weights = {key: 1 - kept.passed.mean for key, kept in self._kept.items()}
        total = sum(weights.values())
        return {key: weight / total for key, weight in weights.items()}

    def save(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Return JSON-able facts, and snapshots by milestone, for `load`."""
        facts = {
            "kept": {key: [kept.steps, *kept.passed.save()] for key, kept in self._kept.items()},
            "owed": self._credit,
            "next": list(self._next.items()),
            "rng": self._rng.bit_generator.state,
        }
        return facts, {key: kept.snapshot for key, kept in self._kept.items()}

    def load(self, facts: Mapping[str, Any], snapshots: Mapping[str, bytes]) -> None:
        """Restore the state that `save` returned."""
        self._kept = {
            key: _Kept(int(steps), snapshots[key], SuccessRate.load(passed))
            for key, (steps, *passed) in facts["kept"].items()
        }
        self._credit = float(facts["owed"])
        self._next = {int(index): str(start) for index, start in facts["next"]}
        self._rng.bit_generator.state = facts["rng"]

    def _count(self, summary: EpisodeSummary) -> None:
        """Note how far the episode got beyond each milestone that it passed or began at."""
        steps = summary.steps_to_milestone
        last = max(steps.values(), default=0)
        for key, kept in self._kept.items():
            if key in steps and (steps[key] > 0 or key == summary.start):
                has_passed = summary.is_success or last > steps[key]
                kept.passed.decay()
                kept.passed.add(has_passed, not has_passed)

    def _decide(self, games: Snapshots, index: int) -> None:
        """Decide where an environment's next episode begins."""
        self._credit += self._share
        if self._credit < 1:
            self._next[index] = ""
        else:
            self._credit -= 1
            self._send(games, index)

    def _send(self, games: Snapshots, index: int) -> None:
        chances = self.chances()
        start = str(self._rng.choice(list(chances), p=list(chances.values())))
        games.reset_from(index, start, self._kept[start].snapshot)
        self._next[index] = start
