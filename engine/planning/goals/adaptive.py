"""Choose the strategy, which is how far the planner is followed, by how the episodes go."""

import statistics
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypedDict, cast

from engine.events import StrategySwitched
from engine.types import EpisodeSummary, GameState, Goal

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
"""Share of the best that counts as recovered, and the share that may be missing."""
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


_HEAVIEST_FIRST = tuple(StrategyType)
_FAILING = 0.1
"""Fall of the frequent decisions' success rate that is a pattern of failure."""
_WORSE = 0.2
"""Difference of success rates by which one strategy is worse than another."""
_FRESH = 100
"""Episodes after which what a strategy achieved no longer counts: the policy has changed."""
_KEPT_SWITCHES = 100


class HistoryAnalyzer(Protocol):
    """Know which decisions came up often, and how they turned out."""

    def analyze_patterns(
        self, min_frequency: int = 3, context_filter: dict[str, Any] | None = None
    ) -> Sequence[Mapping[str, Any]]:
        """Return patterns with `frequency` and `success_rate`."""


class GoalSource(Protocol):
    """Know what is to be done in the game."""

    def next_goals(self, state: GameState) -> Sequence[Goal]:
        """Return the goals that are known from here on, the next one first."""


class AdaptiveStrategySystem:
    """Switch between the strategies by reward, success, episode length and use of the planner.

    More of the planner is asked for when the average reward falls by 30 % from its best, the goal
    is reached in clearly fewer episodes or takes half as long again, or frequent decisions fail
    more often than when the present strategy began. Less of it is enough when the policy wins
    without it, when the planner decides nearly everything and yet the goal is missed and nothing
    improves, or when what was lost has come back. Among several ways out, the strategy that did
    best lately is taken.

    A switch needs the same evidence in `hold_episodes` episodes in a row, after at least `min_stay`
    under the present strategy. To switch by another rule, override `_should_switch_strategy`.

    Args:
        history_analyzer: Frequent decisions and their success. What its database holds then
            decides too, so that a run repeats only with the same database.
        goal_planner: Knows whether there is a goal to follow.
        initial: The first strategy; None: that of the curriculum's first stage, if it names one,
            else llm_heavy.
        hold_episodes: At least 1.
        min_stay: In episodes.
    """

    def __init__(
        self,
        history_analyzer: HistoryAnalyzer | None = None,
        goal_planner: GoalSource | None = None,
        *,
        initial: StrategyType | None = None,
        hold_episodes: int = 5,
        min_stay: int = WINDOW,
    ) -> None:
        self._may_begin_otherwise = initial is None
        initial = initial or StrategyType.LLM_HEAVY
        self.current = initial
        self.forced: StrategyType | None = None
        self.metrics: PerformanceMetrics | None = None
        self._history_analyzer = history_analyzer
        self._goal_planner = goal_planner
        self._hold_episodes = hold_episodes
        self._min_stay = min_stay
        self._preferred = initial
        self._episodes = 0
        self._since = 0
        self._evidence = Evidence()
        self._pattern_success: float | None = None
        self._proposed: StrategyType | None = None
        self._proposed_for = 0
        self._reason = ""
        self._records = {strategy: StrategyRecord() for strategy in StrategyType}
        self._records[initial].times_chosen = 1
        self._num_switches = 0
        self._switches: deque[StrategySwitched] = deque(maxlen=_KEPT_SWITCHES)
        self._num_told = 0

    def select_strategy(self, context: Mapping[str, Any]) -> StrategyType:
        """Return the strategy for a context; one context alone switches nothing for good.

        It may hold `state` (a GameState) and any of the performance metrics.
        """
        if self.forced is not None:
            return self.forced
        state, planner = context.get("state"), self._goal_planner
        if planner and isinstance(state, GameState) and not planner.next_goals(state):
            return StrategyType.RULE_HEAVY
        given = {key: context[key] for key in PerformanceMetrics.__annotations__ if key in context}
        if not given:
            return self.current
        known = self.metrics or dict.fromkeys(PerformanceMetrics.__annotations__, 0)
        metrics = cast(PerformanceMetrics, {**known, **given})
        return self._should_switch_strategy(metrics) or self.current

    def record_episode(
        self, summary: EpisodeSummary, curriculum_stage: int, *, may_switch: bool = True
    ) -> None:
        """Count an episode of a curriculum stage (from 1), and switch if it is time.

        Not with `may_switch` False: then somebody else decides how far the planner is followed.
        """
        self._episodes += 1
        episode = Averages.of_episode(summary)
        self._records[self.current].add(episode, self._episodes)
        self._evidence.add(episode)
        if self._pattern_success is None:
            self._pattern_success = self._success_of_patterns()
        average = self._evidence.average()
        self.metrics = {
            "episode_reward": summary.total_reward,
            "average_reward": average.reward,
            "llm_usage_rate": summary.llm_share,
            "rules_usage_rate": summary.planner_share - summary.llm_share,
            "episode_length": summary.length,
            "strategy_switches": self._num_switches,
            "curriculum_stage": curriculum_stage,
            "success_rate": average.success,
        }
        if may_switch and self.forced is None:
            self._consider(self.metrics)
        else:
            self._proposed, self._proposed_for = None, 0

    def begin_with(self, preferred: StrategyType) -> None:
        """Begin with what the first stage prefers, unless `initial` or a strategy was given."""
        if self._may_begin_otherwise and self.forced is None and not self._episodes:
            self._records[self.current].times_chosen -= 1
            self._records[preferred].times_chosen += 1
            self.current = self._preferred = preferred

    def adopt(self, preferred: StrategyType, cause: str) -> None:
        """Begin anew with the strategy that a curriculum stage prefers, unless one is forced."""
        self._preferred = preferred
        if self.forced is None:
            self._switch(preferred, cause)

    def force_strategy(self, strategy: StrategyType | None) -> None:
        """Hold a strategy whatever happens; None lets the system choose again."""
        self.forced = None if strategy is None else StrategyType(strategy)
        if self.forced is not None:
            self._switch(self.forced, "forced")

    def approves_advancement(self, preference: StrategyType | None) -> bool:
        """Return whether a curriculum stage with this preference may be left.

        Not while more of the planner is in use than the stage prefers, or evidence for more of it
        comes in; at once where the strategies have no say (None).
        """
        if self.forced is not None or preference is None:
            return True
        wanted = self._proposed or self.current
        return max(wanted.planner_share, self.current.planner_share) <= preference.planner_share

    def pop_switches(self) -> list[StrategySwitched]:
        """Return the switches since the last call."""
        num_new = self._num_switches - self._num_told
        self._num_told = self._num_switches
        return list(self._switches)[-num_new:] if num_new else []

    def get_strategy_stats(self) -> dict[str, Any]:
        """Return what each strategy achieved, and the last hundred switches with their causes."""
        return {
            "current_strategy": self.current.value,
            "forced_strategy": None if self.forced is None else self.forced.value,
            "episodes": self._episodes,
            "strategy_switches": self._num_switches,
            "switches": [asdict(switch) for switch in self._switches],
            "strategies": {name.value: record.stats() for name, record in self._records.items()},
        }

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        return {
            "current": self.current.value,
            "forced": self.forced,
            "metrics": self.metrics,
            "preferred": self._preferred.value,
            "episodes": self._episodes,
            "since": self._since,
            "evidence": self._evidence.save(),
            "pattern_success": self._pattern_success,
            "proposed": self._proposed,
            "proposed_for": self._proposed_for,
            "records": {name.value: record.save() for name, record in self._records.items()},
            "num_switches": self._num_switches,
            "switches": [asdict(switch) for switch in self._switches],
            "num_told": self._num_told,
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned."""
        self.current = StrategyType(facts["current"])
        self.forced = facts["forced"] and StrategyType(facts["forced"])
        self.metrics = facts["metrics"]
        self._preferred = StrategyType(facts["preferred"])
        self._episodes = int(facts["episodes"])
        self._since = int(facts["since"])
        self._evidence.load(facts["evidence"])
        self._pattern_success = facts["pattern_success"]
        self._proposed = facts["proposed"] and StrategyType(facts["proposed"])
        self._proposed_for = int(facts["proposed_for"])
        for name, record in self._records.items():
            record.load(facts["records"][name.value])
        self._num_switches = int(facts["num_switches"])
        self._switches = deque(
            (StrategySwitched(**values) for values in facts["switches"]), _KEPT_SWITCHES
        )
        self._num_told = int(facts["num_told"])

    def _should_switch_strategy(
        self, performance_metrics: PerformanceMetrics
    ) -> StrategyType | None:
        """Return the strategy that the metrics speak for, None to stay.

        Override it to switch by another rule; the evidence must still hold before it happens.
        """
        if (heavier := self._heavier()) is not None:
            self._reason = self._evidence.for_more(performance_metrics) or self._failing_patterns()
            if self._reason:
                return heavier
        if (lighter := self._lighter()) is not None:
            is_helped = self.current.planner_share > self._preferred.planner_share
            self._reason = self._evidence.for_less(performance_metrics, is_helped=is_helped)
            if self._reason:
                return lighter
        return None

    def _consider(self, metrics: PerformanceMetrics) -> None:
        """Switch once the evidence has spoken for the same strategy long enough."""
        self._reason = ""
        proposed = self._should_switch_strategy(metrics)
        if proposed is None or proposed == self.current:
            self._proposed, self._proposed_for = None, 0
            return
        self._proposed_for = self._proposed_for + 1 if proposed == self._proposed else 1
        self._proposed = proposed
        has_stayed = self._episodes - self._since >= self._min_stay
        if has_stayed and self._proposed_for >= self._hold_episodes:
            used = metrics["llm_usage_rate"] + metrics["rules_usage_rate"]
            reward = metrics["episode_reward"]
            cause = f"episode reward {reward:.1f}, planner share {used:.0%}"
            self._switch(proposed, self._reason or cause)

    def _switch(self, new: StrategyType, cause: str) -> None:
        old = self.current
        self._proposed, self._proposed_for = None, 0
        self._since = self._episodes
        self._evidence.begin(is_help=new.planner_share > old.planner_share)
        self._pattern_success = self._success_of_patterns()
        if new == old:
            return
        self.current = new
        self._records[new].times_chosen += 1
        self._num_switches += 1
        self._switches.append(StrategySwitched(old.value, new.value, cause, self._episodes))

    def _heavier(self) -> StrategyType | None:
        """Return the next heavier strategy, or one still heavier that did better lately."""
        heavier = _HEAVIEST_FIRST[: _HEAVIEST_FIRST.index(self.current)]
        if not heavier:
            return None
        known = {name: record for name in heavier if (record := self._lately(name)) is not None}
        return max(
            known, key=lambda name: (known[name].success, known[name].reward), default=heavier[-1]
        )

    def _lighter(self) -> StrategyType | None:
        """Return the next lighter strategy, unless it did clearly worse lately."""
        lighter = _HEAVIEST_FIRST[_HEAVIEST_FIRST.index(self.current) + 1 :]
        if not lighter:
            return None
        here, there = self._lately(self.current), self._lately(lighter[0])
        is_worse = here and there and there.success < here.success - _WORSE
        return None if is_worse else lighter[0]

    def _lately(self, strategy: StrategyType) -> Averages | None:
        record = self._records[strategy]
        return record.recent() if self._episodes - record.last_episode <= _FRESH else None

    def _failing_patterns(self) -> str:
        """Return how much worse the frequent decisions turn out; "" if they do not."""
        before, now = self._pattern_success, self._success_of_patterns()
        if before is None or now is None or now > before - _FAILING:
            return ""
        return f"frequent decisions succeed in {now:.0%}, down from {before:.0%}"

    def _success_of_patterns(self) -> float | None:
        """Return the success rate of the frequent decisions; None where nobody knows."""
        patterns = self._history_analyzer.analyze_patterns() if self._history_analyzer else ()
        total = sum(pattern["frequency"] for pattern in patterns)
        successes = sum(pattern["frequency"] * pattern["success_rate"] for pattern in patterns)
        return successes / total if total else None
