"""Record one demonstration after the other: wait for it, record it, review it, save it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from engine.demos.live_recorder import LiveRecorder
from engine.demos.recent_play import KEPT
from engine.env.live import LiveStretch
from engine.errors import DemoError
from engine.events import ControlChanged, WarningRaised
from engine.loop.controls import FIRST_SPEED, Controls, Pace
from engine.loop.live import RealTimeLoop
from engine.sessions.recording.game import RecordedGame, RecordingPlan
from engine.sessions.recording.reporter import RecordingReporter


@dataclass(slots=True, eq=False)
class Rerun:
    """Replay the demonstration under review in its own game, which is then as it was before.

    It must be ended before the game is used for anything else.
    """

    game: RecordedGame
    reporter: RecordingReporter
    pace: Pace = field(default_factory=Pace)
    _end: bytes = b""
    _moves: list[int | LiveStretch] = field(default_factory=list)
    _done: int = 0

    @property
    def is_on(self) -> bool:
        """Return whether it is being shown."""
        return bool(self._end)

    def begin(self) -> None:
        """Show it from its beginning."""
        self.end()
        self._end, self._moves, self._done = self.game.save(), self.game.recorder.moves(), 0
        self.game.restore(self.game.recorder.start)
        self.pace.limit(FIRST_SPEED)
        self._show()

    def advance(self) -> None:
        """Play the next move if it is due; after the last one, end."""
        if self.pace.wait_s():
            return
        if self._done == len(self._moves):
            self.end()
            return
        self.pace.mark()
        move = self._moves[self._done]
        if isinstance(move, LiveStretch):
            for buttons, frames in move.spans():
                self.game.play_frames(buttons, frames, render=True)
            self.game.count_frames(is_over=False)
        else:
            self.game.step(move)
        self._done += 1
        self._show()

    def end(self) -> None:
        """Bring the game back to the end of the demonstration."""
        if self._end:
            self.game.restore(self._end)
            self.game.inspect()  # drop the payouts, which were shown the first time
            self._end = b""
            self.reporter.work = "reviewing", 0.0, 0.0
            self.reporter.show_game()

    def _show(self) -> None:
        self.reporter.work = "reviewing", self._done, len(self._moves)
        self.reporter.show_game()


_RESETTING = "The next demonstration starts shortly; resume to start it now."
REVIEWING = "The demonstration is over: keep it or discard it first."
_READY = "The next demonstration starts with your first press."


class Takes:
    """The demonstrations of a session, each from the wait before it to its file.

    Args:
        by_person: Only a person plays.
        is_shown: There is a screen.

    Attributes:
        is_waiting: The next one begins after a pause, or with a person's first press.
        is_episode_over: The game's episode is over; its demonstration is not saved yet.
        rerun: Replays the one under review.
    """

    def __init__(
        self,
        game: RecordedGame,
        plan: RecordingPlan,
        controls: Controls,
        reporter: RecordingReporter,
        live: RealTimeLoop,
        *,
        by_person: bool,
        is_shown: bool,
    ) -> None:
        self.is_waiting = self.is_episode_over = False
        self.rerun = Rerun(game, reporter)
        self._game, self._plan, self._controls = game, plan, controls
        self._reporter, self._live = reporter, live
        self._by_person, self._is_shown = by_person, is_shown
        self._has_reset = plan.has_reset and by_person and not plan.pause_s
        reporter.has_review = plan.has_review and by_person and is_shown
        self._has_begun = False
        self._next = b""
        self._looked_s = time.monotonic()
        self._waited_s = 0.0

    @property
    def _recorder(self) -> LiveRecorder:
        return self._game.recorder

    @property
    def is_reviewing(self) -> bool:
        """Return whether a demonstration waits to be kept or discarded."""
        return bool(self._reporter.review)

    @property
    def wait_refusal(self) -> str:
        """Return why nothing can be done before the next one begins, "" once it has begun."""
        if not self.is_waiting:
            return ""
        return _READY if self._has_reset else _RESETTING

    def is_complete(self) -> bool:
        """Return whether the dataset is complete, and if so end the session."""
        wanted = self._plan.episodes
        if not 0 < wanted <= self._reporter.saved:
            return False
        many = "its demonstration" if wanted == 1 else f"its {wanted:,} demonstrations"
        self._controls.stop_reason = f"the set has {many}"
        return True

    def advance(self) -> bool:
        """Do what is due between two demonstrations or at a limit; return whether anything was."""
        if self.is_waiting:
            self._wait_on()
        elif self.is_reviewing:
            if self.rerun.is_on and not self._controls.is_paused:
                self.rerun.advance()
            else:
                self._reporter.idle()
        elif self.is_episode_over:
            is_success = self._game.env.is_success
            self.end("the goal was reached" if is_success else "it reached the step limit")
        elif self._recorder.is_recording and 0 < self._plan.limit_s <= self._reporter.elapsed_s:
            self._live.rest()
            self.end("it reached the time limit")
        else:
            return False
        return True

    def begin_episode(self) -> None:
        """Bring the game to the next beginning, and record, at once or after a pause."""
        self._game.begin_episode(self._next)
        self._next = b""
        self.is_episode_over = False
        if not self._by_person and self._controls.is_human:
            self.hand_control(is_human=False)
        is_first, self._has_begun = not self._has_begun, True
        if (self._plan.pause_s > 0 or self._has_reset) and not is_first:
            self.is_waiting, self._waited_s = True, 0.0
            self._reporter.work = "resetting", 0.0, self._plan.pause_s
            self._reporter.show_game()
        else:
            self.record()

    def record(self) -> None:
        """Record from here on."""
        self.is_waiting = False
        self._reporter.elapsed_s = 0.0
        self._reporter.work = "recording", 0.0, 0.0
        if self._controls.is_live:
            self._live.restart()
        self._game.recent.end()
        with self.continuing("Nothing is recorded"):
            self._recorder.begin()
        self._reporter.show_game()

    def pressed(self) -> None:
        """Begin recording with a person's first press, if that was waited for."""
        if self.is_waiting and self._has_reset and not self._controls.is_paused:
            self.record()

    def end(self, reason: str) -> None:
        """End the episode: let a person review what is recorded, or save it."""
        self.is_episode_over = True
        is_something = self._recorder.is_recording and not self._recorder.is_empty
        if self._reporter.has_review and is_something:
            self._reporter.review = reason
            self._reporter.work = "reviewing", 0.0, 0.0
            self._reporter.show_game()
        else:
            self._finish(reason)

    def stop(self) -> str:
        """End the demonstration here; if it is under review, keep it."""
        if self.is_reviewing:
            self._finish("")
            return ""
        self._live.rest()
        if not self._recorder.is_recording or self._recorder.is_empty:
            return "Nothing has been played yet."
        self.end("you stopped it")
        return ""

    def save(self, reason: str) -> None:
        """Save the demonstration, or delete it if nothing was pressed."""
        if not self._recorder.is_recording:
            return
        reason = self._leave_review() or reason
        facts = self._recorder.facts
        if self._recorder.is_empty:
            self._recorder.discard()
            self._reporter.say("run", f"{reason}: nothing was pressed, so nothing is saved")
            return
        with self.continuing("The demonstration ended"):
            path, demo = self._recorder.finish()
            self._reporter.saved += 1
            self._reporter.demo_ended(str(path), facts, demo.episode_return, reason)

    def keep_recent(self) -> str:
        """Save what a person has just played, though nothing was recorded."""
        if self._recorder.is_recording:
            return "This is being recorded already."
        self._live.rest()
        kept = self._game.recent.keep(self._game.folder, task=self._plan.task, tags=self._plan.tags)
        self._reporter.saved += 1
        self._reporter.demo_ended(str(kept.path), kept.facts, kept.demo.episode_return, KEPT)
        self.is_complete()
        return ""

    def follow(self) -> None:
        """Take in what was just played where nothing is recorded."""
        if self._controls.is_human and not self._recorder.is_recording:
            self._game.recent.follow()

    def come_to_rest(self) -> None:
        """End a replay, and bring the game to rest, so that it can be saved."""
        self.rerun.end()
        self._live.rest()

    def reopen(self) -> None:
        """Leave the review, and continue the demonstration."""
        if self.is_reviewing:
            self._leave_review()
            self.is_episode_over = False
            self._reporter.work = "recording", 0.0, 0.0

    def go_to(self, snapshot: bytes, reason: str) -> str:
        """Go back to a snapshot of the demonstration; else end it, and begin the next one there.

        The game is at rest.
        """
        recorder = self._recorder
        if recorder.is_recording and recorder.load(snapshot):
            self._leave_review()
            self._stay_in_past()
            self._reporter.show_game()
            return ""
        if self.is_reviewing:
            return REVIEWING
        self._next = snapshot
        if self.is_waiting:
            self.begin_episode()
        else:
            self.end(reason)
        return ""

    def watch(self) -> str:
        """Replay the demonstration under review, or stop that."""
        if not self.is_reviewing:
            return "Only a demonstration that has ended can be watched."
        self._controls.is_paused = False
        if self.rerun.is_on:
            self.rerun.end()
        else:
            self.rerun.begin()
        return ""

    def discard(self, again: bool) -> str:
        """Delete the demonstration; `again`: go back to where it began, and record anew."""
        recorder, reporter = self._recorder, self._reporter
        was_reviewed = bool(self._leave_review())
        reporter.demo_ended("", recorder.facts, recorder.paid, "you discarded it")
        if again:
            recorder.back_to_start()
            self._stay_in_past()
            reporter.elapsed_s = 0.0
        else:
            recorder.discard()
            if was_reviewed:
                self._finish("")
                return ""
            reporter.work = "playing", 0.0, 0.0
            self._live.rest()
            self._follow_anew()
            reporter.say("run", "nothing is recorded until you start recording, or restart")
        reporter.show_game()
        return ""

    def rewind(self, actions: int) -> str:
        """Take back the last actions of the demonstration, and continue from there."""
        self._leave_review()
        taken_back = self._recorder.rewind(actions)
        if not taken_back:
            return "There is nothing to undo."
        self._stay_in_past()
        many = "the last action" if taken_back == 1 else f"the last {taken_back:,} actions"
        self._reporter.say("human", f"you undid {many}")
        self._reporter.show_game()
        return ""

    @contextmanager
    def continuing(self, what: str) -> Iterator[None]:
        """Where nothing can be written, continue without recording; without a screen, raise."""
        try:
            yield
        except DemoError as error:
            if not self._is_shown:
                raise
            rest = "What was played before is recovered the next time you record into this set."
            self._reporter.emit(WarningRaised(f"{what}: {error} {rest}"))
            self._reporter.phase("playing")
            self._follow_anew()

    def hand_control(self, *, is_human: bool, is_live: bool = False) -> None:
        """Let a person play, or the player."""
        self._controls.is_human, self._controls.is_live = is_human, is_live
        self._reporter.emit(ControlChanged(is_human))
        self._reporter.status()

    def count_time(self) -> None:
        """Count the time that passed, for the wait or for the demonstration."""
        now = time.monotonic()
        passed_s, self._looked_s = now - self._looked_s, now
        if self._controls.is_paused:
            return
        if self.is_waiting:
            self._waited_s += passed_s
        elif self._recorder.is_recording and not self.is_reviewing:
            self._reporter.elapsed_s += passed_s

    def _follow_anew(self) -> None:
        """Follow what a person plays from here on, though nothing is recorded."""
        if self._controls.is_human:
            self._game.recent.begin()

    def _wait_on(self) -> None:
        pause_s = self._plan.pause_s
        self._reporter.work = "resetting", min(self._waited_s, pause_s), pause_s
        if self._waited_s >= pause_s and not self._has_reset:
            self.record()
        else:
            self._reporter.idle()

    def _finish(self, reason: str) -> None:
        """Save the demonstration, and continue to the next."""
        self.save(reason)
        self._reporter.episode_ended(self._game.summary())
        if not self.is_complete():
            self.begin_episode()

    def _leave_review(self) -> str:
        """Bring the game to the demonstration's end; return why it ended, "" if not in review."""
        self.rerun.end()
        reason, self._reporter.review = self._reporter.review, ""
        return reason

    def _stay_in_past(self) -> None:
        """Pause after going back, if the game would go on before a person has seen it."""
        self.is_episode_over = False
        self._reporter.work = "recording", 0.0, 0.0
        self._live.let_go()
        if self._controls.is_live or not self._controls.is_human:
            self._controls.is_paused, self._controls.steps_due = True, 0
