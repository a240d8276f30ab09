"""Publish how a recording goes, with the events of a run."""

from collections.abc import Callable

import numpy as np

from engine import events
from engine.agents.base import ActionBatch
from engine.env.batch import Inspection
from engine.env.choices import DemoFacts
from engine.loop.controls import Controls, Pace
from engine.loop.reporter import FRAME_INTERVAL_S, Reporter
from engine.sessions.recording.game import RecordedGame, RecordingPlan
from engine.types import ActionSet, Decision, EpisodeSummary, Source


class RecordingReporter(Reporter):
    """Inspect the game that is recorded, and report.

    Attributes:
        saved: Demonstrations in the dataset so far.
        elapsed_s: Since this demonstration began, without pauses.
        has_review: A person reviews each at its end.
        review: Why the demonstration under review ended; "": there is none.
    """

    def __init__(
        self,
        game: RecordedGame,
        saved: int,
        plan: RecordingPlan,
        controls: Controls,
        pace: Pace,
        emit: Callable[[events.Event], None],
        *,
        is_shown: bool,
    ) -> None:
        super().__init__(controls, pace, emit, phase="recording")
        self._game = game
        self.saved = saved
        self.elapsed_s = 0.0
        self.has_review, self.review = False, ""
        self._plan = plan
        self._seen: Inspection | None = None
        game.watch(True, renders=is_shown)

    def stepped(
        self, decision: Decision, action_batch: ActionBatch | None, *, was_walking: bool
    ) -> None:
        """Report a step; a person's is shown at once, a player's at the screen's frame rate."""
        self.metrics.total_steps += 1
        self.count_step(action_batch, np.array([was_walking]))
        now = self._clock()
        if action_batch is None or self._controls.is_paused or now >= self._frame_due_s:
            self.emit(events.DecisionMade(self._game.env.episode_steps, decision))
            self.show_game()
        elif now >= self._status_due_s:
            self.status()

    def show_game(self) -> None:
        """Show the current game."""
        self._frame_due_s = self._clock() + FRAME_INTERVAL_S
        self.episode_steps = self._game.env.episode_steps
        self._seen = self._game.inspect()
        self.show(self._seen)
        self.status()

    def reason(self) -> str:
        """Return the reason of the rules' current advice, "" if it was not inspected yet."""
        return self._seen.reason if self._seen is not None else ""

    def status(self) -> None:
        """Publish the figures, and the demonstration's state."""
        self.episode_steps = self._game.env.episode_steps
        super().status()
        recorder = self._game.recorder
        facts = recorder.facts if recorder.is_recording else DemoFacts()
        self.emit(
            events.RecordingChanged(
                recorder.is_recording,
                steps=facts.steps,
                human_steps=facts.human_steps,
                elapsed_s=self.elapsed_s if recorder.is_recording else 0.0,
                limit_s=self._plan.limit_s,
                rewindable=facts.rewindable,
                saved=self.saved,
                wanted=self._plan.episodes,
                task=facts.task,
                tags=facts.tags,
                is_marked=facts.is_marked,
                has_review=self.has_review,
                review=self.review,
            )
        )

    def episode_ended(self, summary: EpisodeSummary) -> None:
        """Report an episode's end."""
        self.metrics.count_episode(summary)
        self.emit(events.EpisodeEnded(self.metrics.episodes, self.metrics.total_steps, summary))

    def demo_ended(self, path: str, facts: DemoFacts, paid: float, reason: str) -> None:
        """Report the end of a demonstration, with its last facts and the rewards in it."""
        self.emit(events.RecordingEnded(path, facts.steps, facts.human_steps, paid, reason))


def played(
    actions: ActionSet, action_batch: ActionBatch, reason: str, *, was_walking: bool
) -> Decision:
    """Return a player's decision in words."""
    action, confidence = int(action_batch.actions[0]), float(action_batch.confidences[0])
    name = actions.name(action)
    if action_batch.is_planned[0]:
        source = Source.PLANNER if was_walking else Source.RULES
        return Decision(action, source, confidence, f"{name}: {reason or 'as advised'}")
    if action_batch.source is Source.RANDOM:
        return Decision(action, Source.RANDOM, confidence, f"{name}, sampled")
    return Decision(action, action_batch.source, confidence, f"{name}, confidence {confidence:.0%}")
