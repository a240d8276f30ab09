"""Tell the outside what happens, often enough to follow and seldom enough to cost nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from engine.agents.arbitration import explain
from engine.events import (
    CommandObeyed,
    CurriculumChanged,
    DecisionMade,
    Event,
    FrameRendered,
    GameObserved,
    PayoutMade,
    ReasoningLogged,
    RewardPaid,
    StatusChanged,
    StrategySwitched,
)
from engine.training.decision_shares import DecisionShares
from engine.training.metrics import RunMetrics, SpeedMeter
from engine.training.payouts import payouts
from engine.types import Decision, EpisodeSummary, Evaluation, Frame, Goal, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.agents.base import Choices
    from engine.env.array_env import Watched
    from engine.env.batch import Vector
    from engine.training.controls import Controls, Pace

_FRAME_INTERVAL_S = 1 / 30
FAST_FRAME_INTERVAL_S = 1 / 10
"""While training goes as fast as it can: each picture shown costs it a step or so."""
_STATUS_INTERVAL_S = 1 / 10
_LINE_INTERVAL_S = 1.0
"""Shortest time between two lines about who leads; goals and milestones are never held back."""

_UNWATCHED_STEPS = 8
"""Steps between two looks where nobody watches; by steps, so that a run repeats exactly."""


class Reporter:
    """Look at the watched environment and the run's figures, and emit events.

    Args:
        metrics: The run's sums.
        controls: What was asked for; `watched_env` is set here.
        pace: The speed limit.
        milestone_texts: By key, for people.
        emit: Takes the events.
        clock: Seconds that only rise.

    Attributes:
        milestones: Keys of those that the watched episode had reached when it was last looked at.
    """

    def __init__(
        self,
        metrics: RunMetrics,
        controls: Controls,
        pace: Pace,
        milestone_texts: Mapping[str, str],
        emit: Callable[[Event], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._metrics = metrics
        self._controls = controls
        self._pace = pace
        self._milestone_texts = milestone_texts
        self._emit = emit
        self._clock = clock
        self._meter = SpeedMeter()
        self._started_s = clock()
        self._frame_due_s = 0.0
        self._status_due_s = 0.0
        self._line_due_s = 0.0
        self._phase = "acting"
        self._done = self._total = 0.0
        self._is_watching = self._is_picture_wanted = False
        self._seen: Watched | None = None
        self._goal: Goal | None = None
        self._leader: Source | None = None
        self._episode_steps = 0
        self._shares = DecisionShares()
        self.milestones: frozenset[str] = frozenset()

    def uptime_s(self) -> float:
        """Return how long the run has been worked on, over all its starts."""
        return self._clock() - self._started_s

    def resume_uptime(self, former_s: float) -> None:
        """Count the time of a resumed run on."""
        self._started_s = self._clock() - former_s

    def watch(self, vector: Vector, env_index: int) -> None:
        """Show this environment from now on."""
        self._controls.watched_env = env_index
        self._is_watching = True
        self._seen = self._goal = self._leader = None
        self.milestones = frozenset()
        self._frame_due_s = 0.0
        vector.watch(env_index)
        self.status()

    def look_away(self, vector: Vector) -> None:
        """Show no environment any more."""
        self._is_watching = False
        vector.watch(self._controls.watched_env, renders=False)

    def look_unwatched(self, vector: Vector, episode_steps: NDArray[np.int64]) -> None:
        """Look before a decision now and then though nobody watches, for the history of decisions.

        The vector watches the environment that was watched last, at first environment 0.
        """
        if self._is_watching or episode_steps[self._controls.watched_env] % _UNWATCHED_STEPS:
            return
        self._seen = seen = vector.observed()
        if seen is not None:
            self._observed(seen)

    def wants_picture(self) -> bool:
        """Tell whether the step that is taken now is to be shown."""
        now = self._clock()
        self._is_picture_wanted = self._is_watching and now >= self._frame_due_s
        if self._is_picture_wanted:
            is_followed = self._pace.actions_per_s or self._controls.is_paused
            self._frame_due_s = now + (_FRAME_INTERVAL_S if is_followed else FAST_FRAME_INTERVAL_S)
        return self._is_picture_wanted

    def stepped(
        self,
        vector: Vector,
        choices: Choices,
        episode_steps: NDArray[np.int64],
        is_walking: NDArray[np.bool_],
    ) -> None:
        """Report a step of all environments, as far as something is due.

        Args:
            vector: The environments.
            choices: Who chose what.
            episode_steps: (envs,) steps of their episodes.
            is_walking: (envs,) whether the player could walk before it, or one for all.
        """
        self._shares.add(choices, is_walking)
        now = self._clock()
        self._meter.mark(now, self._metrics.total_steps)
        index = self._controls.watched_env
        self._episode_steps = int(episode_steps[index])
        if self._seen is not None:
            # What was seen before the step is what the decision was made on.
            self._decided(
                explain(choices, index, self._seen.goal, self._seen.reason, self._seen.state)
            )
            self._seen = None
        if self._is_picture_wanted:
            self._observe(vector)
        if now >= self._status_due_s:
            self.status()

    def pressed(self, vector: Vector, decision: Decision, episode_steps: int) -> None:
        """Report a step that a person took."""
        self._shares.add_human()
        self._episode_steps = episode_steps
        self._seen = None
        self._decided(decision)
        self._observe(vector)
        self.status()

    def show(self, frame: Frame) -> None:
        """Show a picture of the watched environment, which runs in real time."""
        self._emit(FrameRendered(frame, self._controls.watched_env))

    def played(self, vector: Vector, episode_steps: int) -> None:
        """Report what came of a person's play in real time."""
        self._episode_steps = episode_steps
        self._seen = None
        self._observe(vector)
        self._seen = None  # no decision of the agent's is made on it
        self.status()

    def begun_anew(self, vector: Vector) -> None:
        """Show the watched environment at the beginning of an episode that a person wanted."""
        self._episode_steps = 0
        self._seen = self._goal = None
        if self._is_watching:
            self._observe(vector)
        self.status()

    @property
    def is_watching(self) -> bool:
        """Tell whether somebody watches an environment."""
        return self._is_watching

    @property
    def is_evaluating(self) -> bool:
        """Tell whether the policy plays elsewhere just now."""
        return self._phase == "evaluating"

    def idle(self) -> None:
        """Keep the clock running while no step is due."""
        if self._controls.is_paused or self._controls.is_human:
            self._meter.forget()
        if self._clock() >= self._status_due_s:
            self.status()

    @property
    def work(self) -> tuple[str, float, float]:
        """Return the phase, how much of it is done and how much there is."""
        return self._phase, self._done, self._total

    def phase(self, phase: str, done: float = 0.0, total: float = 0.0) -> None:
        """Note what the engine is busy with, and how much of it is done, where that is known."""
        self._phase = phase
        self._done, self._total = done, total
        self.status()

    def status(self) -> None:
        """Emit the status line's figures."""
        self._status_due_s = self._clock() + _STATUS_INTERVAL_S
        controls = self._controls
        self._emit(
            StatusChanged(
                total_steps=self._metrics.total_steps,
                steps_per_s=self._meter.steps_per_s(),
                episode=self._metrics.episodes,
                uptime_s=self.uptime_s(),
                is_paused=controls.is_paused,
                is_human=controls.is_human,
                is_live=controls.is_live,
                speed=self._pace.actions_per_s,
                watched_env=controls.watched_env,
                episode_steps=self._episode_steps,
                phase="paused" if controls.is_paused else self._phase,
                shares=self._shares.shares(),
                done=self._done,
                total=self._total,
            )
        )

    def say(self, source: str, text: str, confidence: float | None = None) -> None:
        """Log a line of reasoning."""
        self._emit(ReasoningLogged(self._metrics.total_steps, source, text, confidence))

    def obeyed(self, command: str, text: str) -> None:
        """Log what came of a command, and tell it."""
        self.say("run", text)
        self._emit(CommandObeyed(command, text))

    def milestones_reached(self, keys: Sequence[str]) -> None:
        """Tell which milestones an episode reached that none reached before."""
        for key in keys:
            self.say("run", f"first time in this run: {self._milestone_texts.get(key, key)}")

    def curriculum_moved(self, change: CurriculumChanged) -> None:
        """Tell that the curriculum moved."""
        self.say(
            "curriculum",
            f"stage {change.stage} of {change.num_stages}: {change.name}",
        )

    def strategy_switched(self, switch: StrategySwitched) -> None:
        """Tell that another strategy leads, and why."""
        self.say("strategy", f"{switch.new} after {switch.old}: {switch.cause}")

    def evaluated(self, evaluation: Evaluation) -> None:
        """Tell how the policy did alone."""
        self.say(
            "run",
            f"evaluation, policy alone: return {evaluation.avg_reward:.1f}, "
            f"success {evaluation.success_rate:.0%} of {evaluation.episodes}",
        )

    def episode_not_counted(self, summary: EpisodeSummary) -> None:
        """Tell that an episode with a person's steps counts for nothing."""
        self.say(
            "human",
            f"your episode ended after {summary.length} steps with {summary.total_reward:.1f}; "
            "it does not count",
        )

    def _observe(self, vector: Vector) -> None:
        seen = vector.observed()
        if seen is None:
            return
        self._seen = seen
        index = self._controls.watched_env
        if seen.frame is not None:
            self._emit(FrameRendered(seen.frame, index))
        self._observed(seen)
        for component, value, cause in payouts(seen.paid or seen.breakdown):
            self._emit(PayoutMade(self._episode_steps, component, value, cause))
        self._follow_goal(seen.goal)

    def _observed(self, seen: Watched) -> None:
        self.milestones = seen.milestones
        self._emit(
            GameObserved(seen.state, seen.goal, seen.milestones, seen.path, seen.visited),
        )
        self._emit(RewardPaid(seen.breakdown, seen.episode, self._metrics.mean_components()))

    def _follow_goal(self, goal: Goal | None) -> None:
        if goal is None or goal == self._goal:
            return
        if self._goal is None or goal.key != self._goal.key or goal.text != self._goal.text:
            self.say("planner", f"goal: {goal.text}")
        self._goal = goal

    def _decided(self, decision: Decision) -> None:
        self._emit(DecisionMade(self._episode_steps, decision))
        now = self._clock()
        is_new = self._is_watching and decision.source is not self._leader
        if is_new and now >= self._line_due_s:
            self._line_due_s = now + _LINE_INTERVAL_S
            self._leader = decision.source
            self.say(decision.source.value, decision.reason, decision.confidence)
