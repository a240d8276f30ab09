"""Name the strategies and measure how episodes go under them."""

import statistics
from collections import deque
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple, TypedDict

from engine.types import EpisodeSummary

WINDOW = 10
"""Episodes over which averages count."""


class StrategyType(StrEnum):
    """How the lead is split between the planner and what acts without it, the heaviest first."""

    LLM_HEAVY = "llm_heavy"
    BALANCED = "balanced"
    RULE_HEAVY = "rule_heavy"

    @property
    def planner_share(self) -> float:
        """Return the planner's part, 0 to 1, as documented: 80, 50 or 20 %."""
        return {"llm_heavy": 0.8, "balanced": 0.5, "rule_heavy": 0.2}[self.value]


class PerformanceMetrics(TypedDict):
    """How training goes, after an episode; the documented keys."""

    episode_reward: float
    average_reward: float
    """Over the last ten episodes."""
    llm_usage_rate: float
    """Share of the episode's decisions for which a language model made the difference, 0 to 1."""
    rules_usage_rate: float
    """Likewise the rules."""
    episode_length: int
    strategy_switches: int
    curriculum_stage: int
    """1-based."""
    success_rate: float
    """Share of the last ten episodes that reached the run's goal, 0 to 1."""


class Averages(NamedTuple):
    """What some episodes came to on average; `usage` and `success` are shares."""

    reward: float
    success: float
    length: float
    usage: float

    @classmethod
    def of(cls, episodes: Iterable["Averages"]) -> "Averages":
        """Average over at least one; an episode's own averages are its values."""
        return cls(*map(statistics.fmean, zip(*episodes, strict=True)))

    @classmethod
    def of_episode(cls, summary: EpisodeSummary) -> "Averages":
        """Take one episode's values."""
        return cls(
            summary.total_reward,
            float(summary.is_success),
            float(summary.length),
            summary.planner_share,
        )


class StrategyRecord:
    """What was achieved under one strategy, over the run and lately.

    Attributes:
        times_chosen: How often it began to lead.
        episodes: Under it, over the run.
        last_episode: Number of the newest of them, 0 before the first.
    """

    def __init__(self) -> None:
        self.times_chosen = 0
        self.episodes = 0
        self.last_episode = 0
        self._sums = [0.0] * 4
        self._recent: deque[Averages] = deque(maxlen=WINDOW)

    def add(self, episode: Averages, number: int) -> None:
        """Count an episode, the run's `number`-th."""
        self.episodes += 1
        self.last_episode = number
        self._sums = [a + b for a, b in zip(self._sums, episode, strict=True)]
        self._recent.append(episode)

    def recent(self) -> Averages | None:
        """Return the averages of the last ten episodes; None while there are fewer."""
        return Averages.of(self._recent) if len(self._recent) == WINDOW else None

    def stats(self) -> dict[str, float]:
        """Return the averages over the run, 0 before the first episode."""
        reward, success, length, usage = (total / max(1, self.episodes) for total in self._sums)
        return {
            "episodes": self.episodes,
            "times_chosen": self.times_chosen,
            "average_reward": reward,
            "success_rate": success,
            "average_length": length,
            "planner_usage": usage,
        }

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        return {
            "times_chosen": self.times_chosen,
            "episodes": self.episodes,
            "last_episode": self.last_episode,
            "sums": self._sums,
            "recent": [list(episode) for episode in self._recent],
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned."""
        self.times_chosen = int(facts["times_chosen"])
        self.episodes = int(facts["episodes"])
        self.last_episode = int(facts["last_episode"])
        self._sums = [float(value) for value in facts["sums"]]
        self._recent = deque((Averages(*values) for values in facts["recent"]), WINDOW)
