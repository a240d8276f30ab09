"""Publish what happens in training, often enough to follow, rarely enough not to slow it down."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.agents.arbitration import explain
from engine.agents.base import ActionBatch
from engine.agents.gradients import SKIPPED, skipped_text
from engine.curriculum.starts import EpisodeStarts
from engine.env.batch import Inspection
from engine.events import (
    DecisionMade,
    Event,
    GamesShown,
    PolicyUpdated,
    StartsChanged,
    StrategySwitched,
    WarningRaised,
)
from engine.loop.controls import Controls, Pace
from engine.loop.reporter import FRAME_INTERVAL_S, Reporter
from engine.planning.history.recorder import DecisionRecorder
from engine.runs.journal import Journal
from engine.runs.metrics import MetricsLogger
from engine.training.state import RunState
from engine.types import Decision, Source

FAST_FRAME_INTERVAL_S = 1 / 10
"""While training is at full speed: each frame shown costs about a step."""
_GAMES_INTERVAL_S = 1 / 4
"""Between two pictures of several games."""
_LINE_INTERVAL_S = 1.0
"""Shortest time between two lines about who leads; goals and milestones are never held back."""

_UNWATCHED_STEPS = 8
"""Steps between two inspections while nobody watches; in steps, so that a run repeats exactly."""


@dataclass(slots=True, eq=False)
class RunLog:
    """The destinations of a run's events; `recorder` and `figures` may be missing."""

    journal: Journal
    recorder: DecisionRecorder | None
    emit_outside: Callable[[Event], None]
    figures: MetricsLogger | None = None
    skipped: float = 0.0

    def emit(self, event: Event) -> None:
        """Pass an event to all of them."""
        self.journal.take(event)
        if self.figures is not None:
            self.figures.take(event)
        if self.recorder is not None:
            self.recorder.take(event)
        self.emit_outside(event)
        if isinstance(event, PolicyUpdated):
            self._warn_of_skipped(event.figures.get(SKIPPED, 0.0))

    def _warn_of_skipped(self, skipped: float) -> None:
        """Warn the first time; the figure says how often it happens."""
        is_first, self.skipped = skipped > 0 and not self.skipped, skipped
        if is_first:
            self.emit(WarningRaised(skipped_text(int(skipped))))

    def restore(self) -> list[str]:
        """Write again what was deleted, and name it."""
        restored = ["the journal"] if self.journal.restore() else []
        if self.recorder is not None and self.recorder.history.restore():
            restored.append("the decision history")
        return restored

    def close(self) -> None:
        """Close the journal, the curves and the history."""
        for each in (self.journal, self.figures, self.recorder):
            if each is not None:
                each.close()


class TrainingReporter(Reporter):
    """Inspect the watched environment and the run's figures, and emit events.

    Attributes:
        is_watching: Somebody watches an environment.
        milestones: Keys that the watched episode had reached at the last inspection.
    """

    def __init__(
        self,
        state: RunState,
        controls: Controls,
        pace: Pace,
        emit: Callable[[Event], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(controls, pace, emit, clock, metrics=state.metrics)
        self.is_watching = False
        self.milestones: frozenset[str] = frozenset()
        self._state = state
        self._line_due_s = self._starts_due_s = 0.0
        self._starts = ""
        self._is_picture_wanted = False
        self._seen: Inspection | None = None
        self._leader: Source | None = None
        self._games: frozenset[int] = frozenset()
        self._shrink = 1
        self._games_due_s = 0.0
        self._are_games_wanted = False

    def resume_uptime(self, former_s: float) -> None:
        """Count the time of a resumed run on."""
        self._started_s = self._clock() - former_s

    def watch(self, env_index: int) -> None:
        """Show this environment from now on."""
        self._controls.watched_env = env_index
        self.is_watching = True
        self._seen = self._goal = self._leader = None
        self.milestones = frozenset()
        self._frame_due_s = 0.0
        self._state.vector.watch(env_index)
        self.status()

    def pause_rendering(self) -> None:
        """Show no environment any more."""
        self.is_watching = False
        self._games = frozenset()
        self._state.vector.watch(self._controls.watched_env, renders=False)

    def show_games(self, indices: frozenset[int], shrink: int) -> None:
        """Show these environments small beside the watched one; an empty set ends it."""
        self._games, self._shrink = indices, shrink
        self._games_due_s = 0.0

    def idle(self) -> None:
        """Keep the status line going; draw several games once where no step follows."""
        super().idle()
        if self._games and not self._games_due_s:
            self._draw_games()
            self._publish_games()

    def look_unwatched(self) -> None:
        """Inspect a game before some decisions though nobody watches, for the decision history.

        It is the environment that was watched last, at first environment 0.
        """
        if self.is_watching or self._watched_steps() % _UNWATCHED_STEPS:
            return
        self._seen = seen = self._state.vector.inspect()
        if seen is not None:
            self.observe(seen)

    def wants_picture(self) -> bool:
        """Return whether the step that is taken now is to be shown."""
        now = self._clock()
        self._is_picture_wanted = self.is_watching and now >= self._frame_due_s
        if self._is_picture_wanted:
            is_followed = self._pace.actions_per_s or self._controls.is_paused
            self._frame_due_s = now + (FRAME_INTERVAL_S if is_followed else FAST_FRAME_INTERVAL_S)
        self._are_games_wanted = bool(self._games) and now >= self._games_due_s
        if self._are_games_wanted:
            self._draw_games()
        return self._is_picture_wanted

    def stepped(self, action_batch: ActionBatch, is_walking: NDArray[np.bool_]) -> None:
        """Report a step of all environments, as far as something is due.

        `is_walking`: (envs,) whether the player could walk before it, or one for all.
        """
        self.count_step(action_batch, is_walking)
        index = self._controls.watched_env
        self.episode_steps = self._watched_steps()
        if self._seen is not None:
            # The decision was made on what was inspected before the step.
            seen, self._seen = self._seen, None
            self._decided(
                explain(
                    action_batch, index, seen.goal, seen.reason, seen.state, self._state.actions
                )
            )
        if self._is_picture_wanted:
            self._look()
        if self._are_games_wanted:
            self._publish_games()
        if self._clock() >= self._status_due_s:
            self.status()

    def pressed(self, decision: Decision) -> None:
        """Report a step that a person took."""
        self._shares.add_human()
        self.episode_steps = self._watched_steps()
        self._seen = None
        self._decided(decision)
        self._look()
        self.status()

    def played(self) -> None:
        """Report the result of a person's play in real time."""
        self.episode_steps = self._watched_steps()
        self._seen = None
        self._look()
        self._seen = None  # the agent makes no decision on it
        self.status()

    def begun_anew(self) -> None:
        """Show the watched environment at the beginning of an episode that a person wanted."""
        self.episode_steps = 0
        self._seen = self._goal = None
        if self.is_watching:
            self._look()
        self.status()

    def starts(self, starts: EpisodeStarts) -> None:
        """Report where episodes begin if that has changed, at most once a second."""
        if self._clock() < self._starts_due_s:
            return
        self._starts_due_s = self._clock() + _LINE_INTERVAL_S
        text = starts.describe()
        if text != self._starts:
            self._starts = text
            self.emit(StartsChanged(text))

    @property
    def is_evaluating(self) -> bool:
        """Return whether the policy plays elsewhere just now."""
        return self.work[0] == "evaluating"

    def strategy_switched(self, switch: StrategySwitched) -> None:
        """Report that another strategy leads, and why."""
        self.emit(switch)
        self.say("strategy", f"{switch.new} after {switch.old}: {switch.cause}")

    def observe(self, seen: Inspection) -> None:
        """Publish the state of the watched game, and note its milestones."""
        self.milestones = seen.milestones
        super().observe(seen)

    def _draw_games(self) -> None:
        self._games_due_s = self._clock() + _GAMES_INTERVAL_S
        self._state.vector.draw_games(self._games)

    def _publish_games(self) -> None:
        if pictures := self._state.vector.pictures(self._shrink):
            self.emit(GamesShown(pictures))

    def _watched_steps(self) -> int:
        return int(self._state.tally.steps[self._controls.watched_env])

    def _look(self) -> None:
        seen = self._state.vector.inspect()
        if seen is not None:
            self._seen = seen
            self.show(seen)

    def _decided(self, decision: Decision) -> None:
        self.emit(DecisionMade(self.episode_steps, decision))
        now = self._clock()
        is_new = self.is_watching and decision.source is not self._leader
        if is_new and now >= self._line_due_s:
            self._line_due_s = now + _LINE_INTERVAL_S
            self._leader = decision.source
            self.say(decision.source.value, decision.reason, decision.confidence)
