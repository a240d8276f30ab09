"""Record one demonstration after the other: obey, play, tell."""

import time
from collections.abc import Callable

from engine.demos.demonstration import NO_PROPOSAL
from engine.demos.recorder import batch_of
from engine.errors import DemoError
from engine.events import ControlChanged, Event, RunStopped
from engine.recording.game import RecordedGame
from engine.recording.plan import RecordingPlan
from engine.recording.players import LoadedPlayer
from engine.recording.steering import obey
from engine.recording.telling import SetProgress, Teller, played, pressed
from engine.training.controls import CommandQueue, Controls, Pace
from engine.training.live_pace import LivePace
from engine.types import Action

_IDLE_S = 0.1
_LEFT = "you stopped the session"


class RecordingLoop:
    """Records until the set is complete, or it is told to stop.

    Args:
        game: The game; whoever made it closes it.
        plan: What is recorded.
        player: Who plays; None: a person.
        saved: Demonstrations that the set has.
        commands: What the outside asks for.
        emit: Takes events to the outside.
        speed: Actions a second of the player; 0: as fast as it goes.
        is_shown: Somebody looks.
        clock: Seconds that only rise.

    Attributes:
        recorder: Writes what is played.
        controls: What was asked for and holds.
        live: The pace of real-time play.
        progress: How the set stands.
        is_waiting: The next demonstration begins after a pause.
        is_over: The game ended the episode.
    """

    def __init__(
        self,
        game: RecordedGame,
        plan: RecordingPlan,
        player: LoadedPlayer | None,
        saved: int,
        commands: CommandQueue,
        emit: Callable[[Event], None],
        *,
        speed: float = 0.0,
        is_shown: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.game = game
        self.recorder = game.recorder
        self.player = player
        self.emit = emit
        self.controls = Controls(is_human=player is None, is_live=plan.is_live and player is None)
        self.pace = Pace(clock)
        self.pace.limit(speed)
        self.live = LivePace(clock)
        self.progress = SetProgress(saved, plan.episodes, plan.limit_s)
        self.teller = Teller(
            game, self.progress, self.controls, self.pace, emit, clock, is_shown=is_shown
        )
        self.is_waiting = self.is_over = False
        self._plan = plan
        self._has_begun = False
        self._commands = commands
        self._is_shown = is_shown
        self._clock = clock
        self._looked_s = clock()
        self._waited_s = 0.0

    def run(self) -> RunStopped:
        """Record, and return why it ended. What is being recorded then is saved.

        Raises:
            DemoError: Nothing can be written, and nobody looks.
        """
        self.teller.began("you" if self.player is None else self.player.by)
        if not self._is_complete():
            self.hand_control(is_human=self.player is None, is_live=self.controls.is_live)
            self._begin_episode()
            while not self.controls.stop_reason:
                self._turn()
            self._save(_LEFT)
        self.teller.status()
        return RunStopped(self.controls.stop_reason, self.teller.total_steps, "")

    def _turn(self) -> None:
        """Obey, and take what is due: a step, some frames, or the time between two episodes."""
        for command in self._commands.drain(self._patience_s()):
            obey(self, command)
        if self.controls.stop_reason:
            return
        self._count_time()
        if self.is_waiting:
            self._wait_on()
        elif self.is_over:
            is_success = self.game.env.is_success
            self.end_episode("the goal was reached" if is_success else "it had all its steps")
        elif self.recorder.is_recording and self._is_time_up():
            self.rest()
            self.end_episode("its time was up")
        elif self.controls.is_live:
            self._run_live()
        elif self.player is not None and self.controls.may_step and not self.pace.wait_s():
            self._play(self.player)
        else:
            self.teller.idle()

    def _patience_s(self) -> float:
        if self.is_over:
            return 0.0
        if self.controls.is_live and not self.controls.is_paused and not self.is_waiting:
            return min(_IDLE_S, self.live.wait_s())
        is_idle = self.is_waiting or not self.controls.may_step
        return _IDLE_S if is_idle else min(_IDLE_S, self.pace.wait_s())

    def _count_time(self) -> None:
        now = self._clock()
        passed_s, self._looked_s = now - self._looked_s, now
        if self.controls.is_paused:
            return
        if self.is_waiting:
            self._waited_s += passed_s
        elif self.recorder.is_recording:
            self.progress.elapsed_s += passed_s

    def _is_time_up(self) -> bool:
        return 0 < self._plan.limit_s <= self.progress.elapsed_s

    def _is_complete(self) -> bool:
        wanted = self.progress.wanted
        if not 0 < wanted <= self.progress.saved:
            return False
        many = "its demonstration" if wanted == 1 else f"its {wanted:,} demonstrations"
        self.controls.stop_reason = f"the set has {many}"
        return True

    def _begin_episode(self) -> None:
        """Bring the game to the next beginning, and record, at once or after a pause."""
        self.game.begin_episode()
        self.is_over = False
        if self.player is not None and self.controls.is_human:
            self.hand_control(is_human=False)
        is_first, self._has_begun = not self._has_begun, True
        if self._plan.pause_s > 0 and not is_first:
            self.is_waiting, self._waited_s = True, 0.0
            self.teller.phase = "resetting"
            self.teller.done, self.teller.total = 0.0, self._plan.pause_s
            self.teller.show()
        else:
            self.record()

    def _wait_on(self) -> None:
        self.teller.done = min(self._waited_s, self._plan.pause_s)
        if self._waited_s >= self._plan.pause_s:
            self.record()
        else:
            self.teller.idle()

    def record(self) -> None:
        """Record from here on.

        Raises:
            DemoError: Nothing can be written, and nobody looks.
        """
        self.is_waiting = False
        self.progress.elapsed_s = 0.0
        self.teller.phase = "recording"
        if self.controls.is_live:
            self.live.start()
        try:
            self.recorder.begin()
        except DemoError as error:
            self._lose(error, "Nothing is recorded")
        self.teller.show()

    def end_episode(self, reason: str) -> None:
        """End the episode, save its demonstration, and go on to the next.

        Raises:
            DemoError: Nothing can be written, and nobody looks.
        """
        self._save(reason)
        self.teller.episode_ended(self.game.summary())
        if not self._is_complete():
            self._begin_episode()

    def _save(self, reason: str) -> None:
        """Save what is recorded; where nothing was played nothing stays."""
        if not self.recorder.is_recording:
            return
        facts = self.recorder.facts
        if self.recorder.is_empty:
            self.recorder.discard()
            self.teller.say("run", f"{reason}: nothing was pressed, so nothing is saved")
            return
        try:
            path, demo = self.recorder.finish()
        except DemoError as error:
            self._lose(error)
        else:
            self.progress.saved += 1
            self.teller.demo_ended(str(path), facts, demo.episode_return, reason)

    def _lose(self, error: DemoError, what: str = "The demonstration ended") -> None:
        """Go on without recording; with nobody there to see that, end.

        Raises:
            DemoError: Nobody looks.
        """
        if not self._is_shown:
            raise error
        self.teller.warn(
            f"{what}: {error} What was played before is rescued when the set is recorded on."
        )
        self.teller.phase = "playing"
        self.teller.status()

    def _play(self, player: LoadedPlayer) -> None:
        """Let the player take a step."""
        self.pace.mark()
        self.controls.steps_due = max(0, self.controls.steps_due - 1)
        choices = player.choose(batch_of(self.game))
        was_walking = self.game.is_walking
        decision = played(choices, self.teller.reason(), was_walking=was_walking)
        self._step(int(choices.actions[0]), is_human=False)
        self.teller.stepped(decision, choices, was_walking=was_walking)

    def press(self, action: Action) -> None:
        """Take a person's step, with what the player would have done beside it."""
        proposal, by = None, ""
        if self.player is not None:
            choices = self.player.choose(batch_of(self.game))
            proposal, by = Action(int(choices.actions[0])), self.player.by
        self._step(int(action), NO_PROPOSAL if proposal is None else int(proposal), is_human=True)
        self.teller.stepped(pressed(action, proposal, by), None, was_walking=False)

    def _step(self, action: int, proposal: int = NO_PROPOSAL, *, is_human: bool) -> None:
        reward, *ends = self.game.step(action)
        self.is_over = any(ends)
        if not self.recorder.is_recording:
            return
        try:
            self.recorder.step(
                action, reward, done=self.is_over, proposal=proposal, is_human=is_human
            )
        except DemoError as error:
            self._lose(error)

    def hand_control(self, *, is_human: bool, is_live: bool = False) -> None:
        """Let a person play, or the player."""
        self.controls.is_human, self.controls.is_live = is_human, is_live
        self.emit(ControlChanged(is_human))
        self.teller.status()

    def go_on_from_past(self) -> None:
        """Wait where the game would run on before anybody has seen where it is."""
        self.is_over = False
        self.live.let_go()
        if self.controls.is_live or not self.controls.is_human:
            self.controls.is_paused, self.controls.steps_due = True, 0

    def look(self) -> None:
        """Show the game, as far as somebody looks."""
        self.game.watch(True, renders=self._is_shown)
        self.teller.show()

    def begin_live(self) -> None:
        """Let the game run in real time."""
        if not self.controls.is_live:
            self.controls.is_live = True
            self.live.start()
            self.teller.say("human", "the game runs in real time")
            self.teller.status()

    def end_live(self) -> None:
        """Let the game wait for each press."""
        if self.controls.is_live:
            self.live.let_go()
            self.rest()
            self.controls.is_live = False
            self.teller.say("human", "the game waits for each press again")
            self.teller.status()

    def rest(self) -> None:
        """Bring the game to rest where it runs in real time."""
        if self.controls.is_live and not self.is_waiting and not self.is_over:
            self.live.rest(self)

    def _run_live(self) -> None:
        if not self.controls.is_paused:
            self.live.run_due(self)
        elif self.live.is_forgotten:
            self.end_live()
        else:
            self.teller.idle()

    def run_frames(self, buttons: frozenset[Action], frames: int, *, shows: bool) -> None:
        """Run frames of real-time play; see `LiveGame`."""
        self.game.play_frames(buttons, frames, render=shows and self._is_shown)
        picture = self.game.live_frame() if shows else None
        if picture is not None:
            self.teller.picture(picture)

    def read_frames(self, *, is_over: bool) -> None:
        """Read what came of them, and record it; see `LiveGame`."""
        reward, *ends = self.game.count_frames(is_over=is_over)
        self.is_over = any(ends)
        if self.recorder.is_recording:
            try:
                self.recorder.live(reward, done=self.is_over, is_over=is_over)
            except DemoError as error:
                self._lose(error)
        self.teller.show()
