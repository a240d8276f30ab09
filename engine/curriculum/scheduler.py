"""Move the curriculum between its stages by the documented rule, and back when it stops holding."""

import math
import statistics
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.config import CurriculumConfig
from engine.curriculum.starts import WayToGoal
from engine.events import CurriculumChanged, StrategySwitched
from engine.ground.text import counted
from engine.planning.goals.adaptive import WINDOW, AdaptiveStrategySystem, StrategyType
from engine.types import EpisodeSummary

MAX_VARIATION = 0.2
"""Highest deviation of these episodes' rewards, as a share of their average."""

_HELD = 0.9
"""A stage holds while its average stays above this share of the threshold that led into it."""

_HELD_SUCCESS = 0.5
"""Share of successful episodes to stay in the last stage, if some are needed to get there."""

_SETTLED = 0.02
"""A stage's episodes prove something only once the planner's share is this close to the stage's."""

_AUTONOMOUS_SHARE = 0.05
_PHASES = (
    (
        "Guided exploration",
        "the basics: walking, doors, talking, menus",
        "chooses a first creature, finds its way out of rooms and towns",
    ),
    (
        "Strategic development",
        "fighting battles, collecting items, heading for goals",
        "levels rise, badges are won",
    ),
    (
        "Optimization",
        "doing what has worked before in fewer steps",
        "returns vary little, episodes get shorter",
    ),
    (
        "Autonomous operation",
        "deciding alone, with occasional advice from the planner",
        "returns stay high, goals are reached",
    ),
)
"""Name, focus and success metrics of the documented phases."""
_LAST_PHASE = ("Mastery", "playing without any planner", "reaches the run's goal in most episodes")
_DOCUMENTED_GOAL = 500.0
"""The highest documented threshold: what reaching the run's goal is taken to pay."""

_BY_CHANCE = 0.35
"""Share of the way to the goal that random play covers in an episode, rounded up: 3 of the practice
game's 10 milestones in 1,500 steps, less on a cartridge."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage.

    Attributes:
        focus: What is learnt in it.
        success_metrics: How one can see that it is learnt.
        preference: Strategy that it begins with; None where strategies have no say.
        planner_share: How far the planner is followed, 0 to 1, unless a strategy decides otherwise.
        needed_confidence: Confidence from which the policy may act against the planner's advice.
        threshold: Average needed to advance, in the game's own rewards or in milestones; nan in
            the last.
        min_episodes: Episodes before which it is not left.
    """

    name: str
    focus: str
    success_metrics: str
    preference: StrategyType | None
    planner_share: float
    needed_confidence: float
    threshold: float
    min_episodes: int


def build_stages(
    config: CurriculumConfig,
    goal_reward: float,
    initial_strategy: str,
    way: WayToGoal | None = None,
) -> tuple[Stage, ...]:
    """Return the configured stages and, after them, the last one, which has no planner.

    The default thresholds (50, 100, 200, 500) belong to a game whose goal pays about 500: with a
    `config.reward_scale` of 0 they are read as shares, 10, 20, 40 and 100 %, of what reaching the
    run's goal pays, or of the way to it that chance leaves. Thresholds that somebody gives have a
    scale of 1 and are taken as they are.

    Args:
        config: The stages.
        goal_reward: What reaching the run's goal pays.
        initial_strategy: Takes the place of the first stage's own preference.
        way: Milestones to the run's goal, if the default thresholds are to count those.
    """

    def threshold(documented: float) -> float:
        if config.reward_scale:
            return documented * config.reward_scale
        share = documented / _DOCUMENTED_GOAL
        if way is None:
            return share * goal_reward
        # Not all episodes reach the goal where not all need to.
        highest = config.needed_success or 1.0
        return way.size * min(_BY_CHANCE + share * (1 - _BY_CHANCE), highest)

    stages = []
    for number, stage in enumerate(config.stages):
        preference = None
        if stage.strategy_preference != "autonomous":
            preference = StrategyType(stage.strategy_preference if number else initial_strategy)
        stages.append(
            Stage(
                *_PHASES[min(number, len(_PHASES) - 1)],
                preference=preference,
                planner_share=preference.planner_share if preference else _AUTONOMOUS_SHARE,
                needed_confidence=stage.llm_confidence,
                threshold=threshold(stage.reward_threshold),
                min_episodes=max(stage.min_episodes, config.advancement_patience),
            )
        )
    last = stages[-1]
    stages.append(
        Stage(*_LAST_PHASE, None, 0.0, last.needed_confidence, math.nan, last.min_episodes)
    )
    return tuple(stages)


class Curriculum:
    """Follow the episodes' rewards, or how far they go, through the stages.

    A stage is left for the next after at least `min_episodes` and `advancement_patience` in it,
    when the last ten (or all, where there are fewer) average the threshold or more and deviate by
    at most 20 %, when the planner's share has come down to the stage's own, so that it is the
    policy that is evaluated, and when the strategy system approves. The last stage is for a policy
    that reaches the goal: `needed_success` of these episodes must have. A stage is left for the one
    before when the average of `hold_episodes` episodes in it falls below the threshold that led in,
    the last one also when fewer than half of them reach the goal.

    Args:
        config: Stages and patience.
        goal_reward: What reaching the run's goal pays (see `build_stages`).
        way: Milestones to the run's goal. Where it is given, and no thresholds in rewards are, it
            is milestones that count: what exploring and levels pay moves nothing.
        initial_strategy: Strategy of the first stage.
        fixed_share: Planner share in every stage, for runs without a policy or a planner.

    Attributes:
        forced_share: Planner share in every stage while it is not None and `fixed_share` is.
    """

    def __init__(
        self,
        config: CurriculumConfig,
        goal_reward: float,
        *,
        way: WayToGoal | None = None,
        initial_strategy: str = "llm_heavy",
        fixed_share: float | None = None,
    ) -> None:
        self._way = None if config.reward_scale else way
        self._stages = build_stages(config, goal_reward, initial_strategy, self._way)
        self.forced_share: float | None = None
        self.fixed_share = fixed_share
        self._held_over = config.hold_episodes
        self._needed_success = config.needed_success
        self._decay = config.confidence_decay_rate
        self._index = 0
        self._episodes = 0
        self._followed = self._came_from = self._stages[0].planner_share
        self._glided = 0
        self._is_approved = True
        self._num_kept = max(self._held_over, WINDOW)
        self._rewards: deque[float] = deque(maxlen=self._num_kept)
        self._successes: deque[bool] = deque(maxlen=self._num_kept)
        self._shown: deque[float] = deque(maxlen=WINDOW)

    @property
    def stage(self) -> Stage:
        """Return the current stage."""
        return self._stages[self._index]

    @property
    def number(self) -> int:
        """Return the stage's number, 1 for the first."""
        return self._index + 1

    @property
    def preference(self) -> StrategyType | None:
        """Return the strategy that the stage begins with; None where strategies have no say."""
        return self.stage.preference if self._set_share is None else None

    @property
    def planner_share(self) -> float:
        """Return how far the planner is followed now.

        It glides to a smaller share, by the configured decay rate an episode. A larger one holds
        at once: help is needed.
        """
        if self._set_share is not None:
            return self._set_share
        excess = max(0.0, self._came_from - self._followed)
        return self._followed + excess * self._decay**self._glided

    def follow(self, share: float) -> None:
        """Follow the planner this far from now on, until the stage changes."""
        if share != self._followed:
            self._came_from = self.planner_share
            self._followed = share
            self._glided = 0

    def measure(self, summary: EpisodeSummary) -> float:
        """Return what counts of an episode: see `way`."""
        return summary.total_reward if self._way is None else self._way.walked(summary)

    def record(
        self, measure: float, *, is_success: bool, is_approved: bool = True
    ) -> CurriculumChanged:
        """Count an episode by its measure, move if it is time, and return the current state.

        Only if `is_approved`, by the strategy system, is a stage left for the next.
        """
        self._is_approved = is_approved
        self._episodes += 1
        self._glided += 1
        self._rewards.append(measure)
        self._shown.append(measure)
        self._successes.append(is_success)
        step = 1 if not self._missing() else -1 if self._has_stopped_holding() else 0
        if step:
            self._index += step
            self._episodes = 0
            self.follow(self.stage.planner_share)
            self._rewards.clear()
            self._successes.clear()
        return self.describe(has_moved=step != 0)

    def describe(self, *, has_moved: bool = False) -> CurriculumChanged:
        """Return the current state as an event."""
        stage = self.stage
        return CurriculumChanged(
            stage=self.number,
            num_stages=len(self._stages),
            name=stage.name,
            llm_confidence=stage.needed_confidence,
            planner_share=self.planner_share,
            episodes_in_stage=self._episodes,
            min_episodes=stage.min_episodes,
            average_reward=self._average(),
            threshold=stage.threshold,
            missing="" if self._is_last else self._missing(),
            has_moved=has_moved,
            focus=stage.focus,
            success_metrics=stage.success_metrics,
            unit=self._unit,
            recent=tuple(self._shown),
        )

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        return {
            "stage": self._index,
            "episodes": self._episodes,
            "followed": self._followed,
            "came_from": self._came_from,
            "glided": self._glided,
            "forced_share": self.forced_share,
            "is_approved": self._is_approved,
            "rewards": list(self._rewards),
            "successes": list(self._successes),
            "shown": list(self._shown),
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned."""
        self._index = min(int(facts["stage"]), len(self._stages) - 1)
        self._episodes = int(facts["episodes"])
        self._followed = float(facts["followed"])
        self._came_from = float(facts["came_from"])
        self._glided = int(facts["glided"])
        forced_share = facts["forced_share"]
        self.forced_share = None if forced_share is None else float(forced_share)
        self._is_approved = bool(facts["is_approved"])
        self._rewards = deque((float(value) for value in facts["rewards"]), self._num_kept)
        self._successes = deque((bool(value) for value in facts["successes"]), self._num_kept)
        self._shown = deque((float(v) for v in facts.get("shown", self._rewards)), WINDOW)

    @property
    def _set_share(self) -> float | None:
        return self.forced_share if self.fixed_share is None else self.fixed_share

    @property
    def _unit(self) -> str:
        return "reward" if self._way is None else "milestones"

    @property
    def _is_last(self) -> bool:
        return self._index == len(self._stages) - 1

    def _recent(self) -> list[float]:
        return list(self._rewards)[-WINDOW:]

    def _average(self) -> float:
        recent = self._recent()
        return statistics.fmean(recent) if recent else math.nan

    def _missing(self) -> str:
        """Return what is missing to advance; "" if nothing is."""
        if self._is_last:
            return "this is the last stage"
        needed = self.stage.min_episodes
        if self._episodes < needed:
            return f"after {counted(needed - self._episodes, 'more episode')}"
        average = self._average()
        if average < self.stage.threshold:
            return f"when mean {self._unit} >= {self.stage.threshold:.1f} (now {average:.1f})"
        variation = statistics.pstdev(self._recent()) / max(abs(average), 1e-9)
        if variation > MAX_VARIATION:
            return f"when {self._unit} varies by <= {MAX_VARIATION:.0%} (now {variation:.0%})"
        successes = list(self._successes)[-WINDOW:]
        wanted = math.ceil(self._needed_success * len(successes))
        if self._index == len(self._stages) - 2 and sum(successes) < wanted:
            return f"when {wanted} of {len(successes)} reach the goal (now {sum(successes)})"
        share, settled = self.planner_share, max(self._followed, self.stage.planner_share)
        if self._set_share is None and share > settled + _SETTLED:
            return f"when planner weight <= {settled:.0%} (now {share:.0%})"
        if not self._is_approved:
            return "when the strategy relies less on the planner"
        return ""

    def _has_stopped_holding(self) -> bool:
        if self._index == 0 or self._episodes < self._held_over:
            return False
        entered_by = self._stages[self._index - 1].threshold
        rewards = list(self._rewards)[-self._held_over :]
        successes = list(self._successes)[-self._held_over :]
        needs_success = self._is_last and self._needed_success > 0
        has_failed = needs_success and statistics.fmean(successes) < _HELD_SUCCESS
        return has_failed or statistics.fmean(rewards) < _HELD * entered_by


def hand_over(
    curriculum: Curriculum, strategy: AdaptiveStrategySystem, summary: EpisodeSummary
) -> tuple[CurriculumChanged, list[StrategySwitched]]:
    """Count an episode for both; return where the curriculum stands, and the switches.

    A stage begins with the strategy that it prefers; within it the strategy system decides how far
    the planner is followed. The last stages hardly follow it, and then not at all, unless a
    strategy is forced.
    """
    forced = strategy.forced
    curriculum.forced_share = None if forced is None else forced.planner_share
    may_switch = curriculum.preference is not None
    strategy.record_episode(summary, curriculum.number, may_switch=may_switch)
    if may_switch:
        curriculum.follow(strategy.current.planner_share)
    change = curriculum.record(
        curriculum.measure(summary),
        is_success=summary.is_success,
        is_approved=strategy.approves_advancement(curriculum.preference),
    )
    if change.has_moved and curriculum.preference is not None:
        cause = f"set by stage {change.stage} of {change.num_stages}"
        strategy.adopt(curriculum.preference, cause)
    return change, strategy.pop_switches()
