"""Name the strategies, measure how episodes go under them, and find reasons to switch."""

import statistics
from collections import deque
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple, TypedDict

from engine.types import EpisodeSummary

WINDOW = 10
"""Episodes over which averages count."""

_FALLEN = 0.3
"""Share of the best average reward whose loss calls for more of the planner."""
_FEWER_SUCCESSES = 0.4
_LONGER, _AS_SHORT = 1.5, 1.25
"""Of the shortest length: too long, and short enough again."""
_WON, _MISSED = 0.9, 0.2
"""Success rates from which the goal is nearly always reached, and below which hardly ever."""
_MOST = 0.8
"""Share of an episode's decisions from which it is the planner who plays."""
_UNUSED = 0.02
"""Share below which the planner makes no difference. Giving it up at 8 % cost the practice game
episodes of ten times the length: the policy knew the way, but not yet how to get back to it."""
_RECOVERED, _LOST = 0.9, 0.1
"""Part of the best that is as good as the best, and the rest."""
_STALLED, _GIVEN_UP = 2 * WINDOW, 5 * WINDOW
"""Episodes without a better average after which the planner's lead, and its help, are in vain."""


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


class Evidence:
    """Compare the last ten episodes with the best ten since the strategy was last made lighter."""

    def __init__(self) -> None:
        self._episodes = 0
        self._recent: deque[Averages] = deque(maxlen=WINDOW)
        self._best: Averages | None = None
        self._best_at = 0

    def add(self, episode: Averages) -> None:
        """Count an episode."""
        self._episodes += 1
        self._recent.append(episode)
        average = self.average()
        is_full = len(self._recent) == WINDOW
        if is_full and (self._best is None or _worth(average) > _worth(self._best)):
            self._best, self._best_at = average, self._episodes

    def average(self) -> Averages:
        """Return the averages of the last ten episodes, or as many as there were."""
        return Averages.of(self._recent)

    def begin(self, *, is_help: bool) -> None:
        """Begin to evaluate another strategy; a heavier one (help) against the best before it."""
        self._best_at = self._episodes
        if not is_help:
            self._best = self.average() if len(self._recent) == WINDOW else None

    def for_more(self, metrics: PerformanceMetrics) -> str:
        """Return why more of the planner is called for; "" if nothing speaks for it."""
        best = self._best
        if best is None:
            return ""
        reward, success = metrics["average_reward"], metrics["success_rate"]
        if reward < best.reward - _FALLEN * abs(best.reward):
            return f"average reward {reward:.1f}, down from {best.reward:.1f}"
        if success <= best.success - _FEWER_SUCCESSES:
            return f"success {success:.0%}, down from {best.success:.0%}"
        length = metrics["episode_length"]
        if best.success >= _WON and length > _LONGER * best.length:
            return f"{length} steps to the goal, up from {best.length:.0f}"
        return ""

    def for_less(self, metrics: PerformanceMetrics, *, is_helped: bool) -> str:
        """Return why less of the planner is enough; "" if nothing speaks for it.

        The policy is helped where more of the planner is in use than the curriculum prefers.
        """
        success = metrics["success_rate"]
        usage = metrics["llm_usage_rate"] + metrics["rules_usage_rate"]
        if success >= _WON and usage < _UNUSED:
            return f"success {success:.0%}, planner share {usage:.0%}"
        stalled = self._episodes - self._best_at
        if usage >= _MOST and success < _MISSED and stalled >= _STALLED:
            return f"planner share {usage:.0%}, no improvement in {stalled} episodes"
        if not is_helped:
            return ""
        if self._is_recovered(metrics):
            return f"average reward back at {metrics['average_reward']:.1f}"
        if stalled >= _GIVEN_UP:
            return f"more of the planner gave no improvement in {stalled} episodes"
        return ""

    def _is_recovered(self, metrics: PerformanceMetrics) -> bool:
        best = self._best
        if best is None or metrics["success_rate"] < _RECOVERED * best.success:
            return False
        is_fast = best.success < _WON or metrics["episode_length"] <= _AS_SHORT * best.length
        return is_fast and metrics["average_reward"] >= best.reward - _LOST * abs(best.reward)

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        return {
            "episodes": self._episodes,
            "recent": [list(episode) for episode in self._recent],
            "best": None if self._best is None else list(self._best),
            "best_at": self._best_at,
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned."""
        self._episodes = int(facts["episodes"])
        self._recent = deque((Averages(*values) for values in facts["recent"]), WINDOW)
        self._best = None if facts["best"] is None else Averages(*facts["best"])
        self._best_at = int(facts["best_at"])


def _worth(average: Averages) -> tuple[bool, float, float]:
    """Rank: where the goal is reached shorter is better, elsewhere more reward is."""
    is_won = average.success >= _WON
    return is_won, -average.length if is_won else 0.0, average.reward
