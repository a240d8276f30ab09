"""Let the policy play some of the games alone throughout, as a running evaluation.

In an exam game there is no advice and no takeover, and episodes begin at the true start. The agent
learns from them as from all others.
"""

import dataclasses
import statistics
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.agents.evaluation import summarise
from engine.config import RunConfig
from engine.curriculum.starts import SuccessRate, WayToGoal
from engine.env.batch import Batch
from engine.planning.history.patterns import success_interval
from engine.types import EpisodeSummary, Evaluation

WINDOW = 20
"""Last exam games that are shown and scored."""
RATED = 8
"""The fewest of them for a score."""
_DOUBTED, _GOOD = 0.5, 0.85
"""Lower ends of the interval of success: up to the first the planner teaches fully, from the second
on not at all."""
_DECAY = 0.97
"""Share of the evidence that is left after each further exam game: the policy changes."""


class Exams:
    """Which games are exam games, and the results of the last of them.

    Args:
        config: Of the run.
        way: The milestones to the run's goal.
        is_possible: The agent has a policy that can play alone.

    Attributes:
        is_exam: (envs,) bool. They are the last games, before those that a swarm searches with.
    """

    def __init__(self, config: RunConfig, way: WayToGoal, *, is_possible: bool) -> None:
        self._way = way
        searching = round(config.curriculum.swarm_share * config.num_envs)
        end = max(1, config.num_envs - searching)
        wanted = max(1, round(config.exam_share * config.num_envs))
        count = min(wanted, end - 1) if is_possible and config.exam_share else 0
        self.is_exam = np.zeros(config.num_envs, np.bool_)
        self.is_exam[end - count : end] = True
        self._played: deque[EpisodeSummary] = deque(maxlen=WINDOW)
        self._reached: dict[int, dict[str, int]] = {}
        self._last: dict[int, dict[str, int]] = {}
        self._success = SuccessRate()
        self._has_passed = False
        self._is_spoilt = np.zeros(config.num_envs, np.bool_)
        self._is_possible = is_possible
        self._is_asked = config.exam_share != RunConfig.model_fields["exam_share"].default

    @property
    def is_any(self) -> bool:
        """Return whether there are exam games."""
        return bool(self.is_exam.any())

    def describe(self) -> str:
        """Return how many there are, or why there are none; "" where none are expected."""
        total = len(self.is_exam)
        if self.is_any:
            return f"exam games: the policy alone plays {self.is_exam.sum()} of {total}"
        if not self._is_possible:
            return "no exam games: the agent has no policy" if self._is_asked else ""
        why = "there is a single game" if total == 1 else "exam_share = 0"
        return f"no exam games ({why}): what the policy can do alone is not seen"

    def follow(self, batch: Batch, is_touched: NDArray[np.bool_]) -> None:
        """Take in which milestones running exam games reach, and which episodes end."""
        for index, (key, steps) in batch.reached.items():
            if self.is_exam[index] and not is_touched[index]:
                self._reached.setdefault(index, {})[key] = steps
        for index in batch.summaries:
            self._reached.pop(index, None)

    def spoil(self) -> None:
        """Take in that somebody else has acted: the running exam games do not count."""
        self._is_spoilt |= self.is_exam

    def count(self, summary: EpisodeSummary) -> None:
        """Take in an exam game that ended."""
        if self._is_spoilt[summary.env_index]:
            self._is_spoilt[summary.env_index] = False
            return
        self._played.append(dataclasses.replace(summary, recording=""))
        self._last[summary.env_index] = dict(summary.steps_to_milestone)
        self._success.reached *= _DECAY
        self._success.failed *= _DECAY
        self._success.add(summary.is_success, not summary.is_success)

    @property
    def teaching(self) -> float:
        """Return how far the planner teaches the policy: 1, falling to 0 as it succeeds alone.

        The lower end of the 95 % interval decides, so that a few successes do not end it.
        """
        reached, failed = self._success.reached, self._success.failed
        certain, _ = success_interval(reached, reached + failed)
        return min(1.0, max(0.0, (_GOOD - certain) / (_GOOD - _DOUBTED)))

    def evaluation(self, milestones: Iterable[str]) -> Evaluation:
        """Return the policy's evaluation by the last `WINDOW` games that ended.

        Milestones are those of each exam game's last episode, or of its running one if it already
        has more.
        """
        known, played = tuple(milestones), list(self._played)
        base = summarise(played) if played else Evaluation(0, 0.0, 0.0, 0.0, 0.0, 0.0)
        games = [
            max(self._last.get(index, {}), self._reached.get(index, {}), key=len)
            for index in np.flatnonzero(self.is_exam).tolist()
        ]
        if not known:
            return dataclasses.replace(base, progress=base.success_rate)
        shares = {key: statistics.fmean(key in steps for steps in games) for key in known}
        return dataclasses.replace(
            base,
            milestones=shares,
            milestone_rate=statistics.fmean(shares.values()),
            progress=statistics.fmean(map(self._way.share, games)),
        )

    @property
    def score(self) -> tuple[bool, float, float] | None:
        """Return what checkpoints are compared by; None when too few games have ended."""
        if len(self._played) < RATED:
            return None
        found = summarise(list(self._played))
        return True, found.success_rate, found.avg_reward

    def passes(self, led: Collection[float]) -> bool:
        """Return whether the mean return has reached that of `led` games; True once in a run."""
        own = [summary.total_reward for summary in self._played]
        is_enough = len(own) >= RATED and len(led) >= RATED
        if self._has_passed or not is_enough or statistics.fmean(own) < statistics.fmean(led):
            return False
        self._has_passed = True
        return True

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        return {
            "played": [dataclasses.asdict(summary) for summary in self._played],
            "reached": [[index, seen] for index, seen in self._reached.items()],
            "last": [[index, seen] for index, seen in self._last.items()],
            "success": self._success.save(),
            "has_passed": self._has_passed,
            "spoilt": np.flatnonzero(self._is_spoilt).tolist(),
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned."""
        self._played.extend(EpisodeSummary.from_json(each) for each in facts["played"])
        self._reached = {int(index): dict(seen) for index, seen in facts["reached"]}
        self._last = {int(index): dict(seen) for index, seen in facts["last"]}
        self._success = SuccessRate.load(facts["success"])
        self._has_passed = bool(facts["has_passed"])
        self._is_spoilt[facts["spoilt"]] = True
