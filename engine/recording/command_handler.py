"""Record demonstrations, and do what a person asks meanwhile."""

from engine import commands
from engine.demos.live_recorder import said_of_mark
from engine.errors import DemoError
from engine.events import RunStopped
from engine.loop.controls import CommandQueue
from engine.loop.session_loop import SessionLoop
from engine.recording.loop import RecordingLoop

_BUSY = "A demonstration is being recorded already."
_IDLE = "Nothing is being recorded."
_NOTHING = "Nothing is played yet."
_RESETTING = "The next demonstration begins in a moment; resume, and it begins now."
_LEFT = "you stopped the session"


class SteeredRecording(RecordingLoop):
    """A recording that obeys commands; see `RecordingLoop`."""

    not_here = "Not while demonstrations are recorded: nothing is trained."

    def run(self, queue: CommandQueue) -> RunStopped:
        """Record, and return why it ended. What is being recorded then is saved.

        Args:
            queue: What the outside asks for.

        Raises:
            DemoError: Nothing can be written, and nobody looks.
        """
        loop = SessionLoop(
            self,
            self.controls,
            self.pace,
            self.reporter,
            queue,
            self.game.env.game.actions,
            self.live,
        )
        self.begin()
        loop.run()
        self.save(_LEFT)
        self.reporter.status()
        return RunStopped(self.controls.stop_reason, self.reporter.metrics.total_steps, "")

    def obey(self, command: commands.Command) -> str | None:
        """Carry out a command; see `Activity`."""
        try:
            return self._carry_out(command)
        except DemoError as error:
            return str(error)

    def _carry_out(self, command: commands.Command) -> str | None:
        match command:
            case commands.Resume():
                if self.is_waiting and not self.controls.is_paused:
                    self.record()
                return None
            case commands.StepOnce():
                return "You play: press a button." if self.controls.is_human else None
            case commands.Stop():
                self.live.rest()
                return None
            case commands.Press(action):
                return self._press(action)
            case commands.TakeOver():
                return self._take_over()
            case commands.GiveBack():
                return self._give_back()
            case commands.Watch(0):
                self.look()
            case commands.PauseRendering():
                self.game.watch(True, renders=False)
            case _:
                return self._change_recording(command)
        return ""

    def _change_recording(self, command: commands.Command) -> str | None:
        match command:
            case commands.StartRecording(task, tags):
                return self._start(task, tags)
            case commands.Restart():
                if self.is_waiting:
                    return _RESETTING
                self.live.rest()
                self.end_episode("you began another episode")
            case commands.StopRecording():
                return self._stop()
            case commands.DiscardRecording(again):
                return self._discard(again)
            case commands.Rewind(actions):
                return self._rewind(actions)
            case commands.MarkRecording(text):
                if not self.recorder.is_recording:
                    return _IDLE
                self.recorder.mark(text)
                words = said_of_mark(text, is_marked=self.recorder.facts.is_marked)
                self.reporter.say("human", words)
            case commands.DescribeRecording(task, tags):
                self.recorder.describe(task, tags)
            case _:
                return None
        return ""

    def _press(self, action: int) -> str:
        if refusal := self.controls.press_refusal:
            return refusal
        if self.is_waiting:
            return _RESETTING
        if self.controls.is_paused:
            return "Paused: resume first."
        if not self.is_episode_over:  # else the next episode begins before the next press
            self.press(action)
        return ""

    def _take_over(self) -> str:
        if self.controls.is_human:
            return "You have control already."
        if self.is_waiting:
            return _RESETTING
        self.hand_control(is_human=True)
        return ""

    def _give_back(self) -> str:
        if self.player is None:
            return "Nobody else plays here."
        if not self.controls.is_human:
            return f"{self.player.by} has control already."
        self.live.end()
        self.hand_control(is_human=False)
        return ""

    def _start(self, task: str, tags: tuple[str, ...]) -> str:
        if self.recorder.is_recording:
            return _BUSY
        self.recorder.describe(task, tags)
        self.live.rest()
        if not self.is_episode_over:
            self.record()
        return ""

    def _stop(self) -> str:
        if not self.recorder.is_recording:
            return _IDLE
        self.live.rest()
        if not self.recorder.is_recording or self.recorder.is_empty:
            return _NOTHING
        self.end_episode("you stopped it")
        return ""

    def _discard(self, again: bool) -> str:
        if not self.recorder.is_recording:
            return _IDLE
        self.reporter.demo_ended("", self.recorder.facts, self.recorder.paid, "you threw it away")
        if again:
            self.recorder.back_to_start()
            self.go_on_from_past()
            self.reporter.elapsed_s = 0.0
        else:
            self.recorder.discard()
            self.reporter.work = "playing", 0.0, 0.0
            self.reporter.say("run", "nothing is recorded until you begin to record, or restart")
        self.reporter.show_game()
        return ""

    def _rewind(self, actions: int) -> str:
        if not self.recorder.is_recording:
            return _IDLE
        taken_back = self.recorder.rewind(actions)
        if not taken_back:
            return "There is nothing to take back."
        self.go_on_from_past()
        many = "the last action" if taken_back == 1 else f"the last {taken_back:,} actions"
        self.reporter.say("human", f"you took back {many}")
        self.reporter.show_game()
        return ""
