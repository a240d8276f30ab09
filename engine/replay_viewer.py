"""Play what was recorded in a thread, with commands and events as a run has them.

A replay never changes anything: neither the run nor its files, nor a demonstration.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace

from engine import events
from engine.commands import Command, PauseRendering, Resume, Seek, StepOnce, Watch
from engine.loop.controls import CommandQueue, Controls, Pace
from engine.loop.reporter import FRAME_INTERVAL_S, Reporter
from engine.loop.session_loop import SessionLoop
from engine.threaded_session import ThreadedSession
from engine.training.replay_player import Playback
from engine.training.replay_sources import Recorded

FIRST_SPEED = 12.0
"""Actions a second; a person can follow what happens."""
NOTE = "recording"
"""Source of the lines of reasoning that tell what a recording says of itself."""
_AT_END = "This is the end: go back first."


class ReplaySession(ThreadedSession):
    """What was recorded, played again; what an `EngineSession` is to a run.

    It obeys Pause, Resume, StepOnce, SetSpeed, Seek and Stop, and refuses all others. At its end
    it tells of the episode's end, once, and stays there, paused.

    Args:
        recorded: A run's episode or a demonstration, see `engine.training.replay_sources`.
        speed: Actions a second to begin with; 0: as fast as it goes.
        place: Where to begin, paused; None: where it begins to show something.
        told: Events that are told at first, of what happened before.
        clock: Seconds that only rise.

    Attributes:
        mailbox: What is told. The last event is RunStopped or RunFailed.
        recorded: What is played.
    """

    def __init__(
        self,
        recorded: Recorded,
        *,
        speed: float = FIRST_SPEED,
        place: int | None = None,
        told: Sequence[events.Event] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__("replay")
        self.recorded = recorded
        self._place = place
        self._told = tuple(told)
        self._pace = Pace(clock)
        self._pace.limit(speed)
        self._clock = clock

    def _work(self) -> events.RunStopped:
        self.mailbox.post(events.ProgressReported("loading the game"))
        with closing(Playback(self.recorded)) as playback:
            replay = _Replay(
                playback,
                self._commands,
                self._pace,
                self.mailbox.post,
                self._clock,
                is_paused=self._place is not None,
            )
            replay.begin(self._place, self._told)
            return replay.play()


class _ReplayReporter(Reporter):
    """Reports a replay, whose steps are counted in places."""

    def __init__(
        self,
        playback: Playback,
        controls: Controls,
        pace: Pace,
        emit: Callable[[events.Event], None],
        clock: Callable[[], float],
    ) -> None:
        super().__init__(controls, pace, emit, clock, phase="replaying")
        self._playback = playback
        self.metrics.episodes = playback.recorded.ended.episode

    def show_place(self) -> None:
        """Show the game at this place."""
        seen = self._playback.seen()
        if seen.frame is not None:
            self.picture(seen.frame)
        self.observe(seen)
        self.status()

    def moved(self) -> None:
        """Note how far the replay is."""
        self.metrics.total_steps = self.episode_steps = self._playback.place

    def _figures(self) -> events.StatusChanged:
        self.moved()
        return replace(
            super()._figures(),
            steps_per_s=self._pace.actions_per_s,
            done=self._playback.place,
            total=self._playback.length,
            is_goal_reached=self._playback.env.is_success,
        )


class _Replay:
    """What was recorded, as a session's `Activity`: seeks, steps, and tells.

    Args:
        playback: What is played.
        commands: What the outside asks for.
        pace: The speed limit.
        post: Takes the events.
        clock: Seconds that only rise.
        is_paused: Begin so.
    """

    not_here = "Not in a replay: nothing of it can be changed."

    def __init__(
        self,
        playback: Playback,
        commands: CommandQueue,
        pace: Pace,
        post: Callable[[events.Event], None],
        clock: Callable[[], float],
        *,
        is_paused: bool,
    ) -> None:
        self._recorded = playback.recorded
        self._playback = playback
        self._controls = Controls(is_paused=is_paused)
        self._pace = pace
        self._reporter = _ReplayReporter(playback, self._controls, pace, post, clock)
        self._loop = SessionLoop(
            self, self._controls, pace, self._reporter, commands, playback.env.game.actions
        )
        self._post = post
        self._clock = clock
        self._frame_due_s = 0.0
        self._target: int | None = None
        self._is_end_told = self._is_divergence_told = False
        self._notes: dict[int, list[str]] = {}
        for step, text in self._recorded.notes:
            self._notes.setdefault(step, []).append(text)

    def begin(self, place: int | None, told: Sequence[events.Event]) -> None:
        """Tell what is played, and go to where to begin."""
        playback, recorded = self._playback, self._recorded
        self._post(
            events.RunStarted(
                run_id=recorded.run_id,
                run_dir=recorded.run_dir,
                game=playback.env.game.name,
                agent=recorded.by,
                mode=events.REPLAY,
                num_envs=1,
                num_workers=0,
                milestones=playback.env.game.milestones,
                actions=playback.env.game.actions,
                frame_shape=playback.env.game.frame_shape,
            )
        )
        for text in recorded.about():
            self._reporter.say(NOTE, text)
        for event in told:
            self._post(event)
        self._target = playback.place_of(recorded.begins_at) if place is None else place
        self._reporter.show_place()

    def play(self) -> events.RunStopped:
        """Play until told to stop."""
        self._loop.run()
        return events.RunStopped(self._controls.stop_reason, self._playback.step, "")

    def is_over(self) -> bool:
        """Return whether somebody wants an end; at its own end a replay waits for commands."""
        return bool(self._controls.stop_reason)

    def wait_s(self) -> float | None:
        """Return the seconds to wait for commands; None: until the next step is due."""
        return None if self._target is None else 0.0

    def obey(self, command: Command) -> str | None:
        """Go somewhere else; beyond the end nothing can be played."""
        match command:
            case Resume() | StepOnce() if self._playback.is_at_end:
                return _AT_END
            case Seek(step):
                self._target = min(max(0, step), self._playback.length)
                self._controls.steps_due = 0
                self._playback.go_back(self._target)
                return ""
            case Watch(0) | PauseRendering():
                return ""
            case _:
                return None

    def advance(self) -> None:
        """Come nearer to the wanted place, or take a step if it is due."""
        if self._target is not None:
            self._seek_on(self._target)
        elif self._controls.may_step and not self._pace.wait_s():
            self._step()

    def _step(self) -> None:
        self._pace.mark()
        self._controls.step_taken()
        now = self._clock()
        is_shown = self._controls.is_paused or now >= self._frame_due_s
        before = self._playback.step
        self._playback.advance(renders=is_shown)
        self._tell_step(before)
        self._tell_divergence()
        self._stop_at_end()
        if is_shown or self._playback.is_at_end:
            self._frame_due_s = now + FRAME_INTERVAL_S
            self._reporter.show_place()

    def _tell_step(self, before: int) -> None:
        """Tell what was decided, the result, and what was written down then."""
        playback = self._playback
        self._reporter.moved()
        self._tell_decision()
        self._reporter.pay(playback.env.breakdown)
        if playback.step > before:
            for text in self._notes.get(playback.step, ()):
                self._reporter.say(NOTE, text)

    def _tell_decision(self) -> None:
        """Tell what was decided last."""
        playback = self._playback
        if playback.last_action is not None:
            decision = self._recorded.decision(
                playback.step - 1, playback.last_action, playback.env.game.actions
            )
            self._post(events.DecisionMade(playback.place, decision))

    def _seek_on(self, target: int) -> None:
        """Come nearer to where it was asked to go, for a while: commands must not wait long."""
        until = self._clock() + FRAME_INTERVAL_S
        while self._playback.place < target and not self._playback.is_at_end:
            self._playback.advance(renders=False)
            if self._clock() >= until:
                break
        else:
            self._target = None
            self._tell_decision()
        self._tell_divergence()
        self._stop_at_end()
        self._reporter.show_place()

    def _stop_at_end(self) -> None:
        if not self._playback.is_at_end:
            return
        self._controls.is_paused, self._controls.steps_due = True, 0
        if not self._is_end_told:
            self._is_end_told = True
            self._post(self._recorded.ended)

    def _tell_divergence(self) -> None:
        if self._playback.divergence and not self._is_divergence_told:
            self._is_divergence_told = True
            self._post(
                events.WarningRaised(
                    f"The replay goes another way than the recording at {self._playback.divergence}"
                )
            )
