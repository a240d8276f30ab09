"""Replay a recording in a thread, with the commands and events of a run.

A replay never changes the run, its files or a demonstration.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace

from engine import events
from engine.commands import Command, PauseRendering, Resume, Seek, StepOnce, Watch
from engine.loop.controls import FIRST_SPEED, Controls, Pace
from engine.loop.reporter import FRAME_INTERVAL_S, Reporter
from engine.loop.session_loop import SessionLoop
from engine.sessions.replay_player import Playback
from engine.sessions.replay_sources import Recorded
from engine.sessions.threaded import ThreadedSession

NOTE = "recording"
"""Source of the lines of reasoning that describe a recording."""
_AT_END = "This is the end: seek back first."
_AHEAD_S = 0.01
"""How long it plays ahead between two looks for commands."""
_TIMELINE_INTERVAL_S = 0.25


class ReplaySession(ThreadedSession):
    """A replay of a recording; the counterpart of `EngineSession`.

    It obeys Pause, Resume, StepOnce, SetSpeed, Seek and Stop, and refuses all others. At its end
    it reports the episode's end, once, and stays there, paused. Its thread advances it as the
    `Activity` of a `SessionLoop`. While no step is due it plays ahead in a second game, so that
    seeking takes no time.

    Args:
        recorded: A run's episode or a demonstration, see `engine.sessions.replay_sources`.
        speed: Actions a second to begin with; 0: unlimited.
        place: Where to begin, paused; None: where the shown part begins.
        earlier: Events from before, which are posted first.
    """

    not_here = "Not available in a replay."
    _playback: Playback
    _reporter: "ReplayReporter"

    def __init__(
        self,
        recorded: Recorded,
        *,
        speed: float = FIRST_SPEED,
        place: int | None = None,
        earlier: Sequence[events.Event] = (),
    ) -> None:
        super().__init__("replay")
        self.recorded = recorded
        self._target = place
        self._earlier = tuple(earlier)
        self._controls = Controls(is_paused=place is not None)
        self._pace = Pace()
        self._pace.limit(speed)
        self._frame_due_s = 0.0
        self._is_end_reported = self._is_divergence_reported = False
        self._ahead: Playback | None = None

    def _work(self) -> events.RunStopped:
        post, controls, pace = self.mailbox.post, self._controls, self._pace
        post(events.ProgressReported("loading the game"))
        with ExitStack() as self._open, closing(Playback(self.recorded)) as self._playback:
            actions = self._playback.env.game.actions
            self._reporter = ReplayReporter(self._playback, controls, pace, post)
            loop = SessionLoop(self, controls, pace, self._reporter, self._commands, actions)
            self._begin()
            loop.run()
            return events.RunStopped(controls.stop_reason, self._playback.step, "")

    def _begin(self) -> None:
        """Go to where to begin."""
        self._reporter.begin(self._earlier)
        if self._target is None:
            self._target = self._playback.place_of(self.recorded.begins_at)
        self._reporter.show_place()

    def is_over(self) -> bool:
        """Return whether a stop was asked for; at its end a replay waits for commands."""
        return bool(self._controls.stop_reason)

    def wait_s(self) -> float | None:
        """Return the seconds to wait for commands; None: until the next step is due."""
        return None if self._target is None and self._is_all_known else 0.0

    @property
    def _is_all_known(self) -> bool:
        return self._playback.survey.known == self._playback.length

    def obey(self, command: Command) -> str | None:
        """Seek; refuse to play beyond the end."""
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
        """Seek on, take a step if it is due, or play ahead."""
        if self._target is not None:
            self._seek_on(self._target)
        elif self._controls.may_step and not self._pace.wait_s():
            self._step()
        elif not self._is_all_known:
            self._play_ahead()
        self._reporter.show_timeline()

    def _play_ahead(self) -> None:
        """Continue the survey for a while."""
        survey = self._playback.survey
        if self._ahead is None:
            self._ahead = self._open.enter_context(closing(Playback(self.recorded, survey)))
        self._ahead.go_back(survey.known)
        until = time.monotonic() + _AHEAD_S
        while not self._ahead.is_at_end and time.monotonic() < until:
            self._ahead.advance(renders=False)
        self._check_course()

    def _step(self) -> None:
        self._pace.mark()
        self._controls.step_taken()
        now = time.monotonic()
        is_shown = self._controls.is_paused or now >= self._frame_due_s
        before = self._playback.step
        self._playback.advance(renders=is_shown)
        self._reporter.report_move(before)
        self._check_course()
        if is_shown or self._playback.is_at_end:
            self._frame_due_s = now + FRAME_INTERVAL_S
            self._reporter.show_place()

    def _seek_on(self, target: int) -> None:
        """Advance towards the target for a while: commands must not wait long."""
        playback, until = self._playback, time.monotonic() + FRAME_INTERVAL_S
        is_shown = False
        while playback.place < target and not playback.is_at_end and not is_shown:
            is_shown = time.monotonic() >= until
            playback.advance(renders=is_shown or playback.place + 1 == target)
        if playback.place >= target or playback.is_at_end:
            self._target = None
            self._reporter.report_decision()
        self._check_course()
        self._reporter.show_place()

    def _check_course(self) -> None:
        """Report, once each, a divergence from the recording and its end; pause there."""
        divergence = self._playback.survey.divergence
        if divergence and not self._is_divergence_reported:
            self._is_divergence_reported = True
            text = f"The replay diverges from the recording at {divergence}"
            self.mailbox.post(events.WarningRaised(text))
        if self._playback.is_at_end:
            self._controls.is_paused, self._controls.steps_due = True, 0
            if not self._is_end_reported:
                self._is_end_reported = True
                self.mailbox.post(self.recorded.ended)


class ReplayReporter(Reporter):
    """Report a replay, in places instead of steps."""

    def __init__(
        self,
        playback: Playback,
        controls: Controls,
        pace: Pace,
        emit: Callable[[events.Event], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(controls, pace, emit, clock, phase="replaying")
        self._playback = playback
        self.metrics.episodes = playback.recorded.ended.episode
        milestones = playback.recorded.ended.summary.steps_to_milestone
        self._milestones = tuple((playback.place_of(at), key) for key, at in milestones.items())
        self._by_person = playback.by_person()
        self._shown_known = -1
        self._timeline_due_s = 0.0
        self._notes: dict[int, list[str]] = {}
        for step, text in playback.recorded.notes:
            self._notes.setdefault(step, []).append(text)

    def begin(self, earlier: Sequence[events.Event] = ()) -> None:
        """Report what is played, and what happened before."""
        game, recorded = self._playback.env.game, self._playback.recorded
        self.started(game, recorded.run_id, recorded.run_dir, agent=recorded.by, mode=events.REPLAY)
        for text in recorded.about():
            self.say(NOTE, text)
        for event in earlier:
            self.emit(event)

    def report_move(self, before: int) -> None:
        """Report the last move; `before` it so many steps were taken."""
        playback = self._playback
        self.metrics.total_steps = self.episode_steps = playback.place
        self.report_decision()
        self.pay(playback.env.breakdown)
        if playback.step > before:
            for text in self._notes.get(playback.step, ()):
                self.say(NOTE, text)

    def report_decision(self) -> None:
        """Report what was decided last."""
        playback = self._playback
        if playback.last_action is not None:
            decision = playback.recorded.decision(
                playback.step - 1, playback.last_action, playback.env.game.actions
            )
            self.emit(events.DecisionMade(playback.place, decision))

    def show_place(self) -> None:
        """Show the game at this place."""
        seen = self._playback.seen()
        if seen.frame is not None:
            self.picture(seen.frame)
        self.observe(seen)
        self.status()

    def show_timeline(self) -> None:
        """Publish the timeline, periodically while the survey grows."""
        survey, length = self._playback.survey, self._playback.length
        is_due = self._clock() >= self._timeline_due_s or survey.known == length
        if survey.known == self._shown_known or not is_due:
            return
        self._shown_known = survey.known
        self._timeline_due_s = self._clock() + _TIMELINE_INTERVAL_S
        self.emit(
            events.TimelineChanged(
                length, survey.known, self._milestones, tuple(survey.rewards), self._by_person
            )
        )

    def _figures(self) -> events.StatusChanged:
        self.metrics.total_steps = self.episode_steps = self._playback.place
        return replace(
            super()._figures(),
            steps_per_s=self._pace.actions_per_s,
            done=self._playback.place,
            total=self._playback.length,
            is_goal_reached=self._playback.env.is_success,
        )
