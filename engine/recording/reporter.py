"""Tell the outside how a recording goes, with the events that a run has."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from engine import events
from engine.agents.base import ActionBatch
from engine.env.array_env import Inspection
from engine.env.demo_requests import DemoFacts
from engine.loop.controls import Controls, Pace
from engine.loop.reporter import FRAME_INTERVAL_S, Reporter
from engine.recording.game import RecordedGame
from engine.recording.plan import RecordingPlan
from engine.types import ActionSet, Decision, EpisodeSummary, Source


class RecordingReporter(Reporter):
    """Looks at the game, and tells.

    Args:
        game: The game.
        saved: Demonstrations that the set has.
        plan: What is recorded.
        is_shown: Somebody looks; the others are those of a `Reporter`.

    Attributes:
        saved: Demonstrations that the set has by now.
        elapsed_s: Since this demonstration began, pauses left out.
    """

    def __init__(
        self,
        game: RecordedGame,
        saved: int,
        plan: RecordingPlan,
        controls: Controls,
        pace: Pace,
        emit: Callable[[events.Event], None],
        clock: Callable[[], float],
        *,
        is_shown: bool,
    ) -> None:
        super().__init__(controls, pace, emit, clock, phase="recording")
        self._game = game
        self.saved = saved
        self.elapsed_s = 0.0
        self._plan = plan
        self._seen: Inspection | None = None
        game.watch(True, renders=is_shown)

    def began(self, by: str) -> None:
        """Tell that the session began, and who plays."""
        game, folder = self._game.env.game, self._game.folder
        self.emit(
            events.RunStarted(
                run_id=folder.name,
                run_dir=str(folder),
                game=game.name,
                agent=by,
                mode=events.RECORD,
                num_envs=1,
                num_workers=0,
                milestones=game.milestones,
                actions=game.actions,
                frame_shape=game.frame_shape,
            )
        )

    def stepped(
        self, decision: Decision, action_batch: ActionBatch | None, *, was_walking: bool
    ) -> None:
        """Report a step; a person's is shown at once, a player's as often as one can follow."""
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
        """Return why the rules advise what they advise now, as far as that was looked at."""
        return self._seen.reason if self._seen is not None else ""

    def status(self) -> None:
        """Tell the figures, and how the demonstration stands."""
        super().status()
        self.emit(self._recording())

    def _figures(self) -> events.StatusChanged:
        return replace(super()._figures(), episode_steps=self._game.env.episode_steps)

    def episode_ended(self, summary: EpisodeSummary) -> None:
        """Report an episode's end."""
        self.metrics.count_episode(summary)
        self.emit(events.EpisodeEnded(self.metrics.episodes, self.metrics.total_steps, summary))

    def demo_ended(self, path: str, facts: DemoFacts, paid: float, reason: str) -> None:
        """Tell the outcome of a demonstration, of how it stood and what was paid in it."""
        self.emit(events.RecordingEnded(path, facts.steps, facts.human_steps, paid, reason))

    def _recording(self) -> events.RecordingChanged:
        plan, recorder = self._plan, self._game.recorder
        if not recorder.is_recording:
            return events.RecordingChanged(
                False, limit_s=plan.limit_s, saved=self.saved, wanted=plan.episodes
            )
        facts = recorder.facts
        return events.RecordingChanged(
            True,
            steps=facts.steps,
            human_steps=facts.human_steps,
            elapsed_s=self.elapsed_s,
            limit_s=plan.limit_s,
            rewindable=facts.rewindable,
            saved=self.saved,
            wanted=plan.episodes,
            task=facts.task,
            tags=facts.tags,
            is_marked=facts.is_marked,
        )


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
        return Decision(action, Source.RANDOM, confidence, f"{name}, drawn by lot")
    return Decision(action, action_batch.source, confidence, f"{name}, {confidence:.0%} certain")
