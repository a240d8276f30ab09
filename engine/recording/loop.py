"""Record one demonstration after the other, and do what a person asks meanwhile."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine import commands
from engine.demos.demonstration import NO_PROPOSAL
from engine.demos.live_recorder import said_of_mark
from engine.demos.recorder import batch_of
from engine.errors import DemoError
from engine.events import RECORD, ControlChanged, Event, RunStopped, WarningRaised
from engine.loop.controls import CommandQueue, Controls, Pace
from engine.loop.live import RealTimeLoop
from engine.loop.reporter import pressed
from engine.loop.session_loop import IDLE_S, SessionLoop
from engine.recording.game import RecordedGame
from engine.recording.plan import RecordingPlan
from engine.recording.players import LoadedPlayer
from engine.recording.reporter import RecordingReporter, played

_RESETTING = "The next demonstration starts shortly; resume to start it now."
_READY = "The next demonstration starts with your first press."
_CHANGE_RECORDING = (
    commands.StopRecording,
    commands.DiscardRecording,
    commands.Rewind,
    commands.MarkRecording,
)


class RecordingLoop:
    """Records until the set is complete, or somebody stops it.

    Args:
        game: The game; the caller closes it.
        player: Who plays; None: a person.
        saved: Demonstrations that the set has.
        speed: Actions a second of the player; 0: as fast as it goes.
        is_shown: Somebody looks.
    """

    not_here = "Not available while recording: nothing is trained."

    def __init__(
        self,
        game: RecordedGame,
        plan: RecordingPlan,
        player: LoadedPlayer | None,
        saved: int,
        emit: Callable[[Event], None],
        *,
        speed: float,
        is_shown: bool,
    ) -> None:
        self._game = game
        self._recorder = game.recorder
        self._player = player
        self._controls = Controls(is_human=player is None, is_live=plan.is_live and player is None)
        self._pace = Pace()
        self._pace.limit(speed)
        self._reporter = RecordingReporter(
            game, saved, plan, self._controls, self._pace, emit, is_shown=is_shown
        )
        self._live = RealTimeLoop(self, self._controls, self._reporter)
        self._plan = plan
        self._has_begun = self._is_waiting = self._is_episode_over = False
        self._is_shown = is_shown
        self._has_reset = plan.has_reset and player is None and not plan.pause_s
        self._looked_s = time.monotonic()
        self._waited_s = 0.0

    def run(self, queue: CommandQueue) -> RunStopped:
        """Obey commands and record; return why it ended. What is being recorded then is saved.

        Raises:
            DemoError: Nothing can be written, and nobody looks.
        """
        controls, reporter, game = self._controls, self._reporter, self._game.env.game
        loop = SessionLoop(self, controls, self._pace, reporter, queue, game.actions, self._live)
        by = "you" if self._player is None else self._player.by
        folder = self._game.folder
        reporter.started(game, folder.name, str(folder), agent=by, mode=RECORD)
        if not self._is_complete():
            self._hand_control(is_human=self._player is None, is_live=controls.is_live)
            self._begin_episode()
        loop.run()
        self._save("you stopped the session")
        reporter.status()
        return RunStopped(controls.stop_reason, reporter.metrics.total_steps, "")

    def is_over(self) -> bool:
        """Return whether the set is complete, or somebody wants an end."""
        return bool(self._controls.stop_reason)

    def wait_s(self) -> float | None:
        """Return the seconds to wait for commands; None: until the next step or frame is due."""
        if self._is_episode_over:
            return 0.0
        return IDLE_S if self._is_waiting else None

    def advance(self) -> None:
        """Take what is due: a step, some frames, or the time between two episodes."""
        self._count_time()
        reporter, controls = self._reporter, self._controls
        if self._is_waiting:
            self._wait_on()
        elif self._is_episode_over:
            is_success = self._game.env.is_success
            self._end_episode("the goal was reached" if is_success else "it reached the step limit")
        elif self._recorder.is_recording and 0 < self._plan.limit_s <= reporter.elapsed_s:
            self._live.rest()
            self._end_episode("it reached the time limit")
        elif controls.is_live:
            self._live.advance()
            if controls.is_paused:
                reporter.idle()
        elif self._player is not None and controls.may_step and not self._pace.wait_s():
            self._play(self._player)
        else:
            reporter.idle()

    def _count_time(self) -> None:
        now = time.monotonic()
        passed_s, self._looked_s = now - self._looked_s, now
        if self._controls.is_paused:
            return
        if self._is_waiting:
            self._waited_s += passed_s
        elif self._recorder.is_recording:
            self._reporter.elapsed_s += passed_s

    def _is_complete(self) -> bool:
        wanted = self._plan.episodes
        if not 0 < wanted <= self._reporter.saved:
            return False
        many = "its demonstration" if wanted == 1 else f"its {wanted:,} demonstrations"
        self._controls.stop_reason = f"the set has {many}"
        return True

    def _begin_episode(self) -> None:
        """Bring the game to the next beginning, and record, at once or after a pause."""
        self._game.begin_episode()
        self._is_episode_over = False
        if self._player is not None and self._controls.is_human:
            self._hand_control(is_human=False)
        is_first, self._has_begun = not self._has_begun, True
        if (self._plan.pause_s > 0 or self._has_reset) and not is_first:
            self._is_waiting, self._waited_s = True, 0.0
            self._reporter.work = "resetting", 0.0, self._plan.pause_s
            self._reporter.show_game()
        else:
            self._record()

    def _wait_on(self) -> None:
        pause_s = self._plan.pause_s
        self._reporter.work = "resetting", min(self._waited_s, pause_s), pause_s
        if self._waited_s >= pause_s and not self._has_reset:
            self._record()
        else:
            self._reporter.idle()

    def _record(self) -> None:
        """Record from here on."""
        self._is_waiting = False
        self._reporter.elapsed_s = 0.0
        self._reporter.work = "recording", 0.0, 0.0
        if self._controls.is_live:
            self._live.restart()
        with self._continuing("Nothing is recorded"):
            self._recorder.begin()
        self._reporter.show_game()

    def _end_reset(self) -> None:
        """Record from a person's first press on, where that was waited for."""
        if self._is_waiting and self._has_reset and not self._controls.is_paused:
            self._record()

    def _end_episode(self, reason: str) -> None:
        """End the episode, save its demonstration, and continue to the next."""
        self._save(reason)
        self._reporter.episode_ended(self._game.summary())
        if not self._is_complete():
            self._begin_episode()

    def _save(self, reason: str) -> None:
        """Save what is recorded; where nothing was played nothing stays."""
        if not self._recorder.is_recording:
            return
        facts = self._recorder.facts
        if self._recorder.is_empty:
            self._recorder.discard()
            self._reporter.say("run", f"{reason}: nothing was pressed, so nothing is saved")
            return
        with self._continuing("The demonstration ended"):
            path, demo = self._recorder.finish()
            self._reporter.saved += 1
            self._reporter.demo_ended(str(path), facts, demo.episode_return, reason)

    @contextmanager
    def _continuing(self, what: str) -> Iterator[None]:
        """Where nothing can be written, continue without recording; if nobody looks, raise it."""
        try:
            yield
        except DemoError as error:
            if not self._is_shown:
                raise
            rest = "What was played before is recovered the next time you record into this set."
            self._reporter.emit(WarningRaised(f"{what}: {error} {rest}"))
            self._reporter.phase("playing")

    def _play(self, player: LoadedPlayer) -> None:
        """Let the player take a step."""
        self._pace.mark()
        self._controls.step_taken()
        choices = player.choose(batch_of(self._game))
        was_walking = self._game.is_walking
        decision = played(
            self._game.env.game.actions, choices, self._reporter.reason(), was_walking=was_walking
        )
        self._step(int(choices.actions[0]), is_human=False)
        self._reporter.stepped(decision, choices, was_walking=was_walking)

    def _step(self, action: int, proposal: int = NO_PROPOSAL, *, is_human: bool) -> None:
        reward, *ends = self._game.step(action)
        self._is_episode_over = any(ends)
        if self._recorder.is_recording:
            with self._continuing("The demonstration ended"):
                self._recorder.step(
                    action, reward, done=any(ends), proposal=proposal, is_human=is_human
                )

    def _hand_control(self, *, is_human: bool, is_live: bool = False) -> None:
        """Let a person play, or the player."""
        self._controls.is_human, self._controls.is_live = is_human, is_live
        self._reporter.emit(ControlChanged(is_human))
        self._reporter.status()

    @property
    def frames_per_s(self) -> float:
        """Return as fast as the game runs on its own machine."""
        return self._game.env.game.frames_per_s

    def run_frames(self, buttons: frozenset[int], frames: int, *, shows: bool) -> None:
        """Run frames of real-time play; see `LiveGame`."""
        picture = self._game.play_frames(buttons, frames, render=shows and self._is_shown)
        if picture is not None:
            self._reporter.picture(picture)

    def read_frames(self, *, is_over: bool) -> None:
        """Read the result, and record it; see `LiveGame`."""
        if is_over and (self._is_waiting or self._is_episode_over):
            return
        reward, *ends = self._game.count_frames(is_over=is_over)
        self._is_episode_over = any(ends)
        if self._recorder.is_recording:
            with self._continuing("The demonstration ended"):
                self._recorder.live(reward, done=any(ends), is_over=is_over)
        self._reporter.show_game()

    def obey(self, command: commands.Command) -> str | None:
        """Carry out a command; see `Activity`."""
        if isinstance(command, _CHANGE_RECORDING) and not self._recorder.is_recording:
            return "Nothing is being recorded."
        try:
            return self._carry_out(command)
        except DemoError as error:
            return str(error)

    def _carry_out(self, command: commands.Command) -> str | None:
        match command:
            case commands.Resume():
                if self._is_waiting and not self._controls.is_paused:
                    self._record()
                return None
            case commands.StepOnce():
                return "You play: press a button." if self._controls.is_human else None
            case commands.Stop():
                self._live.rest()
                return None
            case commands.Press(action):
                return self._press(action)
            case commands.Hold(buttons):
                if buttons and self._controls.is_live:
                    self._end_reset()
                return None
            case commands.TakeOver():
                return self._take_over()
            case commands.GiveBack():
                return self._give_back()
            case commands.Watch(0):
                self._game.watch(True, renders=self._is_shown)
                self._reporter.show_game()
            case commands.PauseRendering():
                self._game.watch(True, renders=False)
            case commands.StartRecording(task, tags):
                return self._start(task, tags)
            case commands.Restart():
                if self._is_waiting:
                    return _READY if self._has_reset else _RESETTING
                self._live.rest()
                self._end_episode("you started another episode")
            case commands.StopRecording():
                return self._stop()
            case commands.DiscardRecording(again):
                return self._discard(again)
            case commands.Rewind(actions):
                return self._rewind(actions)
            case commands.MarkRecording(text):
                self._recorder.mark(text)
                words = said_of_mark(text, is_marked=self._recorder.facts.is_marked)
                self._reporter.say("human", words)
            case commands.DescribeRecording(task, tags):
                self._recorder.describe(task, tags)
            case _:
                return None
        return ""

    def _press(self, action: int) -> str:
        """Take a person's step, with what the player would have done beside it."""
        if refusal := self._controls.press_refusal:
            return refusal
        self._end_reset()
        if self._is_waiting and not self._has_reset:
            return _RESETTING
        if self._controls.is_paused:
            return "Paused: resume first."
        if self._is_episode_over:  # the next episode begins before the next press
            return ""
        proposal, by = None, ""
        if self._player is not None:
            choices = self._player.choose(batch_of(self._game))
            proposal, by = int(choices.actions[0]), self._player.by
        self._step(int(action), NO_PROPOSAL if proposal is None else proposal, is_human=True)
        decision = pressed(self._game.env.game.actions, action, proposal, by)
        self._reporter.stepped(decision, None, was_walking=False)
        return ""

    def _take_over(self) -> str:
        if self._controls.is_human:
            return "You already have control."
        if self._is_waiting:
            return _RESETTING
        self._hand_control(is_human=True)
        return ""

    def _give_back(self) -> str:
        if self._player is None:
            return "There is no other player."
        if not self._controls.is_human:
            return f"{self._player.by} already has control."
        self._live.end()
        self._hand_control(is_human=False)
        return ""

    def _start(self, task: str, tags: tuple[str, ...]) -> str:
        if self._recorder.is_recording:
            return "A demonstration is already being recorded."
        self._recorder.describe(task, tags)
        self._live.rest()
        if not self._is_episode_over:
            self._record()
        return ""

    def _stop(self) -> str:
        self._live.rest()
        if not self._recorder.is_recording or self._recorder.is_empty:
            return "Nothing has been played yet."
        self._end_episode("you stopped it")
        return ""

    def _discard(self, again: bool) -> str:
        recorder, reporter = self._recorder, self._reporter
        reporter.demo_ended("", recorder.facts, recorder.paid, "you discarded it")
        if again:
            recorder.back_to_start()
            self._stay_in_past()
            reporter.elapsed_s = 0.0
        else:
            recorder.discard()
            reporter.work = "playing", 0.0, 0.0
            reporter.say("run", "nothing is recorded until you start recording, or restart")
        reporter.show_game()
        return ""

    def _rewind(self, actions: int) -> str:
        taken_back = self._recorder.rewind(actions)
        if not taken_back:
            return "There is nothing to undo."
        self._stay_in_past()
        many = "the last action" if taken_back == 1 else f"the last {taken_back:,} actions"
        self._reporter.say("human", f"you undid {many}")
        self._reporter.show_game()
        return ""

    def _stay_in_past(self) -> None:
        """Wait where the game would run on before anybody has seen where it is."""
        self._is_episode_over = False
        self._live.let_go()
        if self._controls.is_live or not self._controls.is_human:
            self._controls.is_paused, self._controls.steps_due = True, 0
