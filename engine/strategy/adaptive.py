"""Choose how far the planner is followed, by how the episodes go."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Protocol, cast

from engine.events import StrategySwitched
from engine.strategy.performance import (
    WINDOW,
    Averages,
    Evidence,
    PerformanceMetrics,
    StrategyRecord,
    StrategyType,
)
from engine.types import EpisodeSummary, GameState, Goal

_HEAVIEST_FIRST = tuple(StrategyType)
_FAILING = 0.1
"""Fall of the frequent decisions' success rate that is a pattern of failure."""
_WORSE = 0.2
"""Difference of success rates by which one strategy is worse than another."""
_FRESH = 100
"""Episodes after which it no longer counts what a strategy achieved: the policy is another."""
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
        """Switch once the same strategy was spoken for long enough."""
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
