"""Record one demonstration after the other."""

import time
from collections.abc import Callable

from engine.demos.demonstration import NO_PROPOSAL
from engine.demos.recorder import batch_of
from engine.errors import DemoError
from engine.events import ControlChanged, Event, WarningRaised
from engine.loop.controls import Controls, Pace
from engine.loop.live import LivePlay
from engine.loop.reporter import pressed
from engine.loop.session_loop import IDLE_S
from engine.recording.game import RecordedGame
from engine.recording.plan import RecordingPlan
from engine.recording.players import LoadedPlayer
from engine.recording.reporter import RecordingReporter, played


class RecordingLoop:
    """Records until the set is complete, or it is told to stop.

    Args:
        game: The game; the caller closes it.
        plan: What is recorded.
        player: Who plays; None: a person.
        saved: Demonstrations that the set has.
        emit: Takes events to the outside.
        speed: Actions a second of the player; 0: as fast as it goes.
        is_shown: Somebody looks.
        clock: Seconds that only rise.

    Attributes:
        recorder: Writes what is played.
        controls: What was asked for and holds.
        live: Play in real time.
        is_waiting: The next demonstration begins after a pause.
        reporter: Tells what happens.
        is_episode_over: The game ended the episode.
    """

    def __init__(
        self,
        game: RecordedGame,
        plan: RecordingPlan,
        player: LoadedPlayer | None,
        saved: int,
        emit: Callable[[Event], None],
        *,
        speed: float = 0.0,
        is_shown: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.game = game
        self.recorder = game.recorder
        self.player = player
        self.controls = Controls(is_human=player is None, is_live=plan.is_live and player is None)
        self.pace = Pace(clock)
        self.pace.limit(speed)
        self.reporter = RecordingReporter(
            game, saved, plan, self.controls, self.pace, emit, clock, is_shown=is_shown
        )
        self.live = LivePlay(self, self.controls, self.reporter, clock)
        self.is_waiting = self.is_episode_over = False
        self._plan = plan
        self._has_begun = False
        self._is_shown = is_shown
        self._clock = clock
        self._looked_s = clock()
        self._waited_s = 0.0

    def begin(self) -> None:
        """Begin the session, and the first demonstration unless the set is complete.

        Raises:
            DemoError: Nothing can be written, and nobody looks.
        """
        self.reporter.began("you" if self.player is None else self.player.by)
        if not self._is_complete():
            self.hand_control(is_human=self.player is None, is_live=self.controls.is_live)
            self._begin_episode()

    def is_over(self) -> bool:
        """Return whether the set is complete, or somebody wants an end."""
        return bool(self.controls.stop_reason)

    def wait_s(self) -> float | None:
        """Return the seconds to wait for commands; None: until the next step or frame is due."""
        if self.is_episode_over:
            return 0.0
        return IDLE_S if self.is_waiting else None

    def advance(self) -> None:
        """Take what is due: a step, some frames, or the time between two episodes."""
        self._count_time()
        if self.is_waiting:
            self._wait_on()
        elif self.is_episode_over:
            is_success = self.game.env.is_success
            self.end_episode("the goal was reached" if is_success else "it had all its steps")
        elif self.recorder.is_recording and self._is_time_up():
            self.live.rest()
            self.end_episode("its time was up")
        elif self.controls.is_live:
            self.live.advance()
            if self.controls.is_paused:
                self.reporter.idle()
        elif self.player is not None and self.controls.may_step and not self.pace.wait_s():
            self._play(self.player)
        else:
            self.reporter.idle()

    def _count_time(self) -> None:
        now = self._clock()
        passed_s, self._looked_s = now - self._looked_s, now
        if self.controls.is_paused:
            return
        if self.is_waiting:
            self._waited_s += passed_s
        elif self.recorder.is_recording:
            self.reporter.elapsed_s += passed_s

    def _is_time_up(self) -> bool:
        return 0 < self._plan.limit_s <= self.reporter.elapsed_s

    def _is_complete(self) -> bool:
        wanted = self._plan.episodes
        if not 0 < wanted <= self.reporter.saved:
            return False
        many = "its demonstration" if wanted == 1 else f"its {wanted:,} demonstrations"
        self.controls.stop_reason = f"the set has {many}"
        return True

    def _begin_episode(self) -> None:
        """Bring the game to the next beginning, and record, at once or after a pause."""
        self.game.begin_episode()
        self.is_episode_over = False
        if self.player is not None and self.controls.is_human:
            self.hand_control(is_human=False)
        is_first, self._has_begun = not self._has_begun, True
        if self._plan.pause_s > 0 and not is_first:
            self.is_waiting, self._waited_s = True, 0.0
            self.reporter.work = "resetting", 0.0, self._plan.pause_s
            self.reporter.show_game()
        else:
            self.record()

    def _wait_on(self) -> None:
        pause_s = self._plan.pause_s
        self.reporter.work = "resetting", min(self._waited_s, pause_s), pause_s
        if self._waited_s >= pause_s:
            self.record()
        else:
            self.reporter.idle()

    def record(self) -> None:
        """Record from here on.

        Raises:
            DemoError: Nothing can be written, and nobody looks.
        """
        self.is_waiting = False
        self.reporter.elapsed_s = 0.0
        self.reporter.work = "recording", 0.0, 0.0
        if self.controls.is_live:
            self.live.restart()
        try:
            self.recorder.begin()
        except DemoError as error:
            self._lose(error, "Nothing is recorded")
        self.reporter.show_game()

    def end_episode(self, reason: str) -> None:
        """End the episode, save its demonstration, and continue to the next.

        Raises:
            DemoError: Nothing can be written, and nobody looks.
        """
        self.save(reason)
        self.reporter.episode_ended(self.game.summary())
        if not self._is_complete():
            self._begin_episode()

    def save(self, reason: str) -> None:
        """Save what is recorded; where nothing was played nothing stays."""
        if not self.recorder.is_recording:
            return
        facts = self.recorder.facts
        if self.recorder.is_empty:
            self.recorder.discard()
            self.reporter.say("run", f"{reason}: nothing was pressed, so nothing is saved")
            return
        try:
            path, demo = self.recorder.finish()
        except DemoError as error:
            self._lose(error)
        else:
            self.reporter.saved += 1
            self.reporter.demo_ended(str(path), facts, demo.episode_return, reason)

    def _lose(self, error: DemoError, what: str = "The demonstration ended") -> None:
        """Continue without recording; with nobody there to see that, end.

        Raises:
            DemoError: Nobody looks.
        """
        if not self._is_shown:
            raise error
        rest = "What was played before is rescued when the set is recorded on."
        self.reporter.emit(WarningRaised(f"{what}: {error} {rest}"))
        self.reporter.phase("playing")

    def _play(self, player: LoadedPlayer) -> None:
        """Let the player take a step."""
        self.pace.mark()
        self.controls.step_taken()
        choices = player.choose(batch_of(self.game))
        was_walking = self.game.is_walking
        decision = played(
            self.game.env.game.actions, choices, self.reporter.reason(), was_walking=was_walking
        )
        self._step(int(choices.actions[0]), is_human=False)
        self.reporter.stepped(decision, choices, was_walking=was_walking)

    def press(self, action: int) -> None:
        """Take a person's step, with what the player would have done beside it."""
        proposal, by = None, ""
        if self.player is not None:
            choices = self.player.choose(batch_of(self.game))
            proposal, by = int(choices.actions[0]), self.player.by
        self._step(int(action), NO_PROPOSAL if proposal is None else int(proposal), is_human=True)
        self.reporter.stepped(
            pressed(self.game.env.game.actions, action, proposal, by), None, was_walking=False
        )

    def _step(self, action: int, proposal: int = NO_PROPOSAL, *, is_human: bool) -> None:
        reward, *ends = self.game.step(action)
        self.is_episode_over = any(ends)
        if not self.recorder.is_recording:
            return
        try:
            self.recorder.step(
                action, reward, done=self.is_episode_over, proposal=proposal, is_human=is_human
            )
        except DemoError as error:
            self._lose(error)

    def hand_control(self, *, is_human: bool, is_live: bool = False) -> None:
        """Let a person play, or the player."""
        self.controls.is_human, self.controls.is_live = is_human, is_live
        self.reporter.emit(ControlChanged(is_human))
        self.reporter.status()

    def go_on_from_past(self) -> None:
        """Wait where the game would run on before anybody has seen where it is."""
        self.is_episode_over = False
        self.live.let_go()
        if self.controls.is_live or not self.controls.is_human:
            self.controls.is_paused, self.controls.steps_due = True, 0

    def look(self) -> None:
        """Show the game, as far as somebody looks."""
        self.game.watch(True, renders=self._is_shown)
        self.reporter.show_game()

    @property
    def frames_per_s(self) -> float:
        """Return as fast as the game runs on its own machine."""
        return self.game.env.game.frames_per_s

    def run_frames(self, buttons: frozenset[int], frames: int, *, shows: bool) -> None:
        """Run frames of real-time play; see `LiveGame`."""
        picture = self.game.play_frames(buttons, frames, render=shows and self._is_shown)
        if picture is not None:
            self.reporter.picture(picture)

    def read_frames(self, *, is_over: bool) -> None:
        """Read the result, and record it; see `LiveGame`."""
        if is_over and (self.is_waiting or self.is_episode_over):
            return
        reward, *ends = self.game.count_frames(is_over=is_over)
        self.is_episode_over = any(ends)
        if self.recorder.is_recording:
            try:
                self.recorder.live(reward, done=self.is_episode_over, is_over=is_over)
            except DemoError as error:
                self._lose(error)
        self.reporter.show_game()
