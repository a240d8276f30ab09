"""Keep the game as it was where milestones were reached, and let episodes begin there."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.curriculum.starts import StartMove, SuccessRate
from engine.env.batch import Batch
from engine.env.world import Snapshots
from engine.errors import WorkerError
from engine.ground.text import counted
from engine.types import EpisodeSummary


@dataclass(slots=True)
class _Kept:
    """A milestone's snapshot.

    Attributes:
        steps: From the true start to it.
        passed: How often an episode that was here reached anything more.
        is_used: An episode has begun at it.
    """

    steps: int
    snapshot: bytes
    passed: SuccessRate = field(default_factory=SuccessRate)
    is_used: bool = False


class StateArchive:
    """A snapshot of each milestone, taken where an episode reached it.

    Once an episode began at a snapshot, the next one replaces it: so they stay such as the current
    policy reaches, and one from which nothing can be won is soon gone.

    Episodes begin at one of them in the configured share, drawn by how rarely episodes got any
    further from there: most begin at the frontier. Once even the hardest of them is passed more
    often than not, fewer do, so that the way is learnt as a whole.

    Args:
        share: Of the episodes that begin at a snapshot at most, 0 to 1; 0 keeps nothing.
        seed: Of the draws.
    """

    def __init__(self, share: float, seed: int) -> None:
        self._share = share
        self._rng = np.random.default_rng([seed, 5])
        self._kept: dict[str, _Kept] = {}
        self._fresh: set[int] = set()
        """Environments whose episode has just begun, at the true start."""
        self._credit = 0.0

    def follow(self, games: Snapshots, batch: Batch, is_touched: NDArray[np.bool_]) -> None:
        """Keep what is new in a batch, and note which episodes ended."""
        if not self._share:
            return
        with contextlib.suppress(WorkerError):  # the next step replaces the process, and reports it
            for index, (key, steps) in sorted(batch.reached.items()):
                former = self._kept.get(key)
                if not is_touched[index] and (former is None or former.is_used):
                    passed = former.passed if former else SuccessRate()
                    self._kept[key] = _Kept(steps, games.snapshot(index), passed)
        for index, summary in sorted(batch.summaries.items()):
            if not (summary.is_aborted or is_touched[index]):
                self._count(summary)
            self._fresh.add(index)

    def moves(self, steps: NDArray[np.int64], is_free: NDArray[np.bool_]) -> list[StartMove]:
        """Return where those games begin that have just ended an episode."""
        starts = {index: self._draw_start() for index in sorted(self._fresh) if is_free[index]}
        self._fresh.clear()
        found = []
        for index, start in starts.items():
            if start:
                self._kept[start].is_used = True
                found.append(StartMove(index, start, self._kept[start].snapshot))
        return found

    def moved(self, move: StartMove) -> None:
        """Note that a game has not ended its episode by moving."""
        self._fresh.discard(move.env_index)

    def take_news(self) -> list[str]:
        """Return nothing: `describe` says it all."""
        return []

    def describe(self) -> str:
        """Return what is kept, and how many episodes begin there."""
        if not self._kept:
            return ""
        what = f"saved states of {counted(len(self._kept), 'milestone')}"
        return f"{what}; {self._share * self._need():.0%} of episodes start there"

    def chances(self) -> dict[str, float]:
        """Return the probability with which each milestone's snapshot is drawn."""
        weights = {key: 1 - kept.passed.mean for key, kept in self._kept.items()}
        total = sum(weights.values())
        return {key: weight / total for key, weight in weights.items()}

    def save(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Return JSON-able facts, and snapshots by milestone, for `load`."""
        facts = {
            "kept": {key: [kept.steps, *kept.passed.save()] for key, kept in self._kept.items()},
            "used": [key for key, kept in self._kept.items() if kept.is_used],
            "fresh": sorted(self._fresh),
            "owed": self._credit,
            "rng": self._rng.bit_generator.state,
        }
        return facts, {key: kept.snapshot for key, kept in self._kept.items()}

    def load(self, facts: Mapping[str, Any], snapshots: Mapping[str, bytes]) -> None:
        """Restore the state that `save` returned; of older versions too."""
        used = facts.get("used", ())
        self._kept = {
            key: _Kept(int(steps), snapshots[key], SuccessRate.load(passed), key in used)
            for key, (steps, *passed) in facts["kept"].items()
        }
        self._fresh = set(map(int, facts.get("fresh", ())))
        self._credit = float(facts["owed"])
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

    def _need(self) -> float:
        """Return what part of the share is needed: less once the hardest start is mostly passed."""
        return min(1.0, 2 * max(1 - kept.passed.mean for kept in self._kept.values()))

    def _draw_start(self) -> str:
        """Return where an episode begins: at a milestone, or "", the true start."""
        if not self._kept:
            return ""
        self._credit += self._share * self._need()
        if self._credit < 1:
            return ""
        self._credit -= 1
        chances = self.chances()
        return str(self._rng.choice(list(chances), p=list(chances.values())))
