"""Tell the outside how a recording goes, with the events that a run has."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.agents.base import Choices
from engine.demos.live_recorder import RecordingFacts
from engine.env.array_env import Watched
from engine.events import (
    RECORD,
    DecisionMade,
    EpisodeEnded,
    Event,
    FrameRendered,
    GameObserved,
    PayoutMade,
    ReasoningLogged,
    RecordingChanged,
    RecordingEnded,
    RewardPaid,
    RunStarted,
    StatusChanged,
    WarningRaised,
)
from engine.recording.game import RecordedGame
from engine.training.controls import Controls, Pace
from engine.training.decision_shares import DecisionShares
from engine.training.metrics import RunMetrics, SpeedMeter
from engine.training.payouts import payouts
from engine.types import Action, Decision, EpisodeSummary, Frame, Goal, Source

_FRAME_INTERVAL_S = 1 / 30
_STATUS_INTERVAL_S = 1 / 10


@dataclass(slots=True)
class SetProgress:
    """How the set stands.

    Attributes:
        saved: Demonstrations that it has.
        wanted: How many it is to have; 0: any number.
        limit_s: After so long one is saved by itself; 0: never.
        elapsed_s: Since this one began, pauses left out.
    """

    saved: int
    wanted: int
    limit_s: float
    elapsed_s: float = 0.0


class Teller:
    """Looks at the game, and tells.

    Args:
        game: The game.
        progress: How the set stands.
        controls: What was asked for.
        pace: The speed limit.
        emit: Takes the events.
        clock: Seconds that only rise.
        is_shown: Somebody looks.

    Attributes:
        phase: What is done: "recording", "playing" or "resetting".
        done: How many seconds of resetting are over.
        total: How many there are.
    """

    def __init__(
        self,
        game: RecordedGame,
        progress: SetProgress,
        controls: Controls,
        pace: Pace,
        emit: Callable[[Event], None],
        clock: Callable[[], float],
        *,
        is_shown: bool,
    ) -> None:
        self._game = game
        self._progress = progress
        self._controls = controls
        self._pace = pace
        self._emit = emit
        self._clock = clock
        self._started_s = clock()
        self._frame_due_s = self._status_due_s = 0.0
        self._metrics = RunMetrics()
        self._meter = SpeedMeter()
        self._shares = DecisionShares()
        self._goal: Goal | None = None
        self._seen: Watched | None = None
        self.phase, self.done, self.total = "recording", 0.0, 0.0
        game.watch(True, renders=is_shown)

    @property
    def total_steps(self) -> int:
        """Return the steps of the session."""
        return self._metrics.total_steps

    def began(self, by: str) -> None:
        """Tell that the session began, and who plays."""
        profile, folder = self._game.env.profile, self._game.folder
        self._emit(
            RunStarted(
                run_id=folder.name,
                run_dir=str(folder),
                game=profile.name,
                agent=by,
                mode=RECORD,
                num_envs=1,
                num_workers=0,
                milestones=tuple((key, text) for key, text, *_ in profile.tables.MILESTONES),
            )
        )

    def say(self, source: str, text: str) -> None:
        """Log a line."""
        self._emit(ReasoningLogged(self.total_steps, source, text))

    def warn(self, text: str) -> None:
        """Tell that something is off."""
        self._emit(WarningRaised(text))

    def stepped(self, decision: Decision, choices: Choices | None, *, was_walking: bool) -> None:
        """Tell of a step; a person's is shown at once, a player's as often as one can follow."""
        self._metrics.total_steps += 1
        now = self._clock()
        self._meter.mark(now, self.total_steps)
        if choices is None:
            self._shares.add_human()
        else:
            self._shares.add(choices, np.array([was_walking]))
        is_shown = choices is None or self._controls.is_paused or now >= self._frame_due_s
        if is_shown:
            self._emit(DecisionMade(self._game.env.episode_steps, decision))
            self.show()
        elif now >= self._status_due_s:
            self.status()

    def picture(self, frame: Frame) -> None:
        """Show a picture of real-time play."""
        self._emit(FrameRendered(frame, 0))

    def show(self) -> None:
        """Show the game of now."""
        self._frame_due_s = self._clock() + _FRAME_INTERVAL_S
        self._seen = seen = self._game.watched()
        if seen.frame is not None:
            self._emit(FrameRendered(seen.frame, 0))
        self._emit(GameObserved(seen.state, seen.goal, seen.milestones, seen.path, seen.visited))
        self._emit(RewardPaid(seen.breakdown, seen.episode, self._metrics.mean_components()))
        for component, value, cause in payouts(seen.paid or seen.breakdown):
            self._emit(PayoutMade(self._game.env.episode_steps, component, value, cause))
        if seen.goal is not None and seen.goal != self._goal:
            self._goal = seen.goal
            self.say("planner", f"goal: {seen.goal.text}")
        self.status()

    def reason(self) -> str:
        """Return why the rules advise what they advise now, as far as that was looked at."""
        return self._seen.reason if self._seen is not None else ""

    def idle(self) -> None:
        """Keep the clock running while no step is due."""
        if self._controls.is_paused or self._controls.is_human:
            self._meter.forget()
        if self._clock() >= self._status_due_s:
            self.status()

    def status(self) -> None:
        """Tell the figures."""
        self._status_due_s = self._clock() + _STATUS_INTERVAL_S
        controls = self._controls
        is_resetting = self.phase == "resetting"
        self._emit(
            StatusChanged(
                total_steps=self.total_steps,
                steps_per_s=self._meter.steps_per_s(),
                episode=self._metrics.episodes,
                uptime_s=self._clock() - self._started_s,
                is_paused=controls.is_paused,
                is_human=controls.is_human,
                is_live=controls.is_live,
                speed=self._pace.actions_per_s,
                watched_env=0,
                episode_steps=self._game.env.episode_steps,
                phase="paused" if controls.is_paused else self.phase,
                shares=self._shares.shares(),
                done=self.done if is_resetting else 0.0,
                total=self.total if is_resetting else 0.0,
            )
        )
        self._emit(self._recording())

    def episode_ended(self, summary: EpisodeSummary) -> None:
        """Tell of an episode's end."""
        self._metrics.count_episode(summary)
        self._emit(EpisodeEnded(self._metrics.episodes, self.total_steps, summary))

    def demo_ended(self, path: str, facts: RecordingFacts, paid: float, reason: str) -> None:
        """Tell what became of a demonstration, of how it stood and what was paid in it."""
        self._emit(RecordingEnded(path, facts.steps, facts.human_steps, paid, reason))

    def _recording(self) -> RecordingChanged:
        progress, recorder = self._progress, self._game.recorder
        if not recorder.is_recording:
            return RecordingChanged(
                False, limit_s=progress.limit_s, saved=progress.saved, wanted=progress.wanted
            )
        facts = recorder.facts
        return RecordingChanged(
            True,
            steps=facts.steps,
            human_steps=facts.human_steps,
            elapsed_s=progress.elapsed_s,
            limit_s=progress.limit_s,
            rewindable=facts.rewindable,
            saved=progress.saved,
            wanted=progress.wanted,
            task=facts.task,
            tags=facts.tags,
            is_marked=facts.is_marked,
        )


def pressed(action: Action, proposal: Action | None, by: str) -> Decision:
    """Return a person's decision in words, with what the player would have done."""
    text = "You pressed it."
    if proposal is not None:
        same = proposal == action
        text += f" {by} would, too." if same else f" {by} would press {proposal.name}."
    return Decision(action, Source.HUMAN, 1.0, text)


def played(choices: Choices, reason: str, *, was_walking: bool) -> Decision:
    """Return a player's decision in words."""
    action, confidence = Action(int(choices.actions[0])), float(choices.confidences[0])
    if choices.is_planned[0]:
        source = Source.PLANNER if was_walking else Source.RULES
        return Decision(action, source, confidence, f"{action.name}: {reason or 'as advised'}")
    if choices.source is Source.RANDOM:
        return Decision(action, Source.RANDOM, confidence, f"{action.name}, drawn by lot")
    return Decision(action, choices.source, confidence, f"{action.name}, {confidence:.0%} certain")
