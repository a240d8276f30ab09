"""Record a session: play, and carry out commands."""

from collections.abc import Callable

from engine import commands
from engine.demos.demonstration import NO_PROPOSAL
from engine.demos.live_recorder import said_of_mark
from engine.demos.recorder import batch_of
from engine.env.choices import BY_HAND, code_of
from engine.errors import DemoError
from engine.events import RECORD, Event, RunStopped, WarningRaised
from engine.loop.controls import CommandQueue, Controls, Pace
from engine.loop.live import BackwardLoop, RealTimeLoop
from engine.loop.reporter import loaded_slot, pressed, saved_slot, slot_refusal
from engine.loop.session_loop import IDLE_S, SessionLoop
from engine.sessions.recording.game import RecordedGame, RecordingPlan, Slots
from engine.sessions.recording.players import LoadedPlayer
from engine.sessions.recording.reporter import RecordingReporter, played
from engine.sessions.recording.takes import REVIEWING, Takes

_CHANGE_RECORDING = (
    commands.StopRecording,
    commands.DiscardRecording,
    commands.Rewind,
    commands.MarkRecording,
    commands.ReviewRecording,
)
_BESIDE_REWINDING = (commands.RunBackwards, commands.Hold, commands.Watch, commands.PauseRendering)
_PLAY = (
    commands.Press,
    commands.PlayLive,
    commands.Restart,
    commands.StepOnce,
    commands.SaveSlot,
    commands.KeepState,
)


class RecordingLoop:
    """Record until the dataset is complete, or a Stop comes.

    Args:
        game: The game; the caller closes it.
        player: Who plays; None: a person.
        saved: Demonstrations in the dataset.
        speed: Actions a second of the player; 0: unlimited.
        is_shown: There is a screen.
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
        self._backwards = BackwardLoop(self.step_back, self._controls, self._live, self._reporter)
        self._is_shown = is_shown
        self._slots = Slots(game)
        self._takes = Takes(
            game,
            plan,
            self._controls,
            self._reporter,
            self._live,
            by_person=player is None,
            is_shown=is_shown,
        )

    def run(self, queue: CommandQueue) -> RunStopped:
        """Obey commands and record; return why it ended. An unfinished demonstration is saved.

        Raises:
            DemoError: Nothing can be written, and there is no screen.
        """
        controls, reporter, game = self._controls, self._reporter, self._game.env.game
        takes = self._takes
        loop = SessionLoop(
            self, controls, self._pace, reporter, queue, game.actions, self._live, self._backwards
        )
        by = "you" if self._player is None else self._player.by
        folder = self._game.folder
        reporter.started(game, folder.name, str(folder), agent=by, mode=RECORD)
        reporter.emit(self._slots.listed)
        for text in self._slots.refused:
            reporter.emit(WarningRaised(text))
        if not takes.is_complete():
            takes.hand_control(is_human=self._player is None, is_live=controls.is_live)
            takes.begin_episode()
        loop.run()
        takes.save("you stopped the session")
        reporter.status()
        return RunStopped(controls.stop_reason, reporter.metrics.total_steps, "")

    def is_over(self) -> bool:
        """Return whether the dataset is complete, or a stop was asked for."""
        return bool(self._controls.stop_reason)

    def wait_s(self) -> float | None:
        """Return the seconds to wait for commands; None: until the next step or frame is due."""
        takes = self._takes
        if takes.rerun.is_on and not self._controls.is_paused:
            return min(IDLE_S, takes.rerun.pace.wait_s())
        if takes.is_waiting or takes.is_reviewing:
            return IDLE_S
        return 0.0 if takes.is_episode_over else None

    def advance(self) -> None:
        """Do what is due: a step, some frames, or what is between two episodes."""
        reporter, controls = self._reporter, self._controls
        self._takes.count_time()
        if self._backwards.advance() or self._takes.advance():
            return
        if controls.is_live:
            self._live.advance()
            if controls.is_paused:
                reporter.idle()
        elif self._player is not None and controls.may_step and not self._pace.wait_s():
            self._play(self._player)
        else:
            reporter.idle()

    def _play(self, player: LoadedPlayer) -> None:
        """Let the player take a step."""
        self._pace.mark()
        self._controls.step_taken()
        choices = player.choose(batch_of(self._game))
        was_walking = self._game.is_walking
        decision = played(
            self._game.env.game.actions, choices, self._reporter.reason(), was_walking=was_walking
        )
        chooser = code_of(decision.source, decision.confidence)
        self._step(int(choices.actions[0]), is_human=False, chooser=chooser)
        self._reporter.stepped(decision, choices, was_walking=was_walking)

    def _step(
        self, action: int, proposal: int = NO_PROPOSAL, *, is_human: bool, chooser: int = BY_HAND
    ) -> None:
        self._game.chosen_by(chooser)
        reward, *ends = self._game.step(action)
        self._takes.is_episode_over = any(ends)
        if self._recorder.is_recording:
            with self._takes.continuing("The demonstration ended"):
                self._recorder.step(
                    action, reward, done=any(ends), proposal=proposal, is_human=is_human
                )
        self._takes.follow()

    @property
    def frames_per_s(self) -> float:
        """Return the game's frame rate on its own machine."""
        return self._game.env.game.frames_per_s

    def run_frames(self, buttons: frozenset[int], frames: int, *, shows: bool) -> None:
        """Run frames of real-time play; see `LiveGame`."""
        picture = self._game.play_frames(buttons, frames, render=shows and self._is_shown)
        if picture is not None:
            self._reporter.picture(picture)

    def read_frames(self, *, is_over: bool) -> None:
        """Read the result, and record it; see `LiveGame`."""
        if is_over and (self._takes.is_waiting or self._takes.is_episode_over):
            return
        reward, *ends = self._game.count_frames(is_over=is_over)
        self._takes.is_episode_over = any(ends)
        if self._recorder.is_recording:
            with self._takes.continuing("The demonstration ended"):
                self._recorder.live(reward, done=any(ends), is_over=is_over)
        self._takes.follow()
        self._reporter.show_game()

    def step_back(self, frames: int) -> bool:
        """Take back a moment of the demonstration; see `BackwardLoop`."""
        is_there = False
        if self._recorder.is_recording:
            with self._takes.continuing("The demonstration ended"):
                is_there = self._recorder.step_back(frames)
        if is_there:
            self._reporter.show_game()
        return is_there

    def obey(self, command: commands.Command) -> str | None:
        """Carry out a command; see `Activity`."""
        if not isinstance(command, _BESIDE_REWINDING):
            self._backwards.end()
        if self._takes.is_reviewing and (isinstance(command, _PLAY) or _holds(command)):
            return REVIEWING
        if isinstance(command, _CHANGE_RECORDING) and not self._recorder.is_recording:
            return "Nothing is being recorded."
        try:
            return self._carry_out(command)
        except DemoError as error:
            return str(error)

    def _carry_out(self, command: commands.Command) -> str | None:
        match command:
            case commands.Resume():
                if self._takes.is_waiting and not self._controls.is_paused:
                    self._takes.record()
                return None
            case commands.StepOnce():
                if self._controls.is_human and self._controls.is_live:
                    self._takes.pressed()
                    return self._takes.wait_refusal or None
                return None
            case commands.Stop():
                self._live.rest()
                return None
            case commands.Press(action):
                return self._press(action)
            case commands.Hold(buttons):
                if buttons and self._controls.is_live:
                    self._takes.pressed()
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
            case commands.KeepState():
                return self._save_slot(self._slots.next_free)
            case commands.SaveSlot(slot):
                return self._save_slot(slot)
            case commands.LoadSlot(slot) | commands.Branch(slot):
                return self._load_slot(slot)
            case commands.Restart():
                if refusal := self._takes.wait_refusal:
                    return refusal
                self._live.rest()
                self._takes.end("you started another episode")
            case commands.StopRecording():
                return self._takes.stop()
            case commands.DiscardRecording(again):
                return self._takes.discard(again)
            case commands.Rewind(actions):
                return self._takes.rewind(actions)
            case commands.RunBackwards(True):
                return self._run_backwards()
            case commands.KeepRecent():
                return self._takes.keep_recent()
            case commands.ReviewRecording():
                return self._takes.watch()
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
        """Take a person's step, with the player's proposal."""
        if refusal := self._controls.press_refusal:
            return refusal
        self._takes.pressed()
        if self._controls.is_paused:
            return "Paused: resume first."
        if refusal := self._takes.wait_refusal:
            return refusal
        if self._takes.is_episode_over:  # the next episode begins before the next press
            return ""
        proposal, by = None, ""
        if self._player is not None:
            choices = self._player.choose(batch_of(self._game))
            proposal, by = int(choices.actions[0]), self._player.by
        self._step(int(action), NO_PROPOSAL if proposal is None else proposal, is_human=True)
        decision = pressed(self._game.env.game.actions, action, proposal, by)
        self._reporter.stepped(decision, None, was_walking=False)
        return ""

    def _run_backwards(self) -> str | None:
        if not self._controls.is_human:
            return "Take control first."
        if not self._recorder.is_recording:
            return "Nothing is being recorded."
        self._takes.reopen()
        return None

    def _take_over(self) -> str:
        if self._controls.is_human:
            return "You already have control."
        if refusal := self._takes.wait_refusal:
            return refusal
        if not self._recorder.is_recording:
            self._game.recent.begin()
        self._takes.hand_control(is_human=True)
        return ""

    def _give_back(self) -> str:
        if self._player is None:
            return "There is no other player."
        if not self._controls.is_human:
            return f"{self._player.by} already has control."
        self._backwards.end()
        self._live.end()
        self._game.recent.end()
        self._takes.hand_control(is_human=False)
        return ""

    def _start(self, task: str, tags: tuple[str, ...]) -> str:
        if self._recorder.is_recording:
            return "A demonstration is already being recorded."
        self._recorder.describe(task, tags)
        self._live.rest()
        if not self._takes.is_episode_over:
            self._takes.record()
        return ""

    def _save_slot(self, slot: int) -> str:
        if refusal := slot_refusal(slot):
            return refusal
        self._takes.come_to_rest()
        state = self._slots.save(slot, self._reporter.metrics.episodes)
        self._reporter.obeyed("SaveSlot", saved_slot(state))
        self._reporter.emit(self._slots.listed)
        return ""

    def _load_slot(self, slot: int) -> str:
        if refusal := slot_refusal(slot):
            return refusal
        self._takes.come_to_rest()
        state, snapshot = self._slots.load(slot)
        if refusal := self._takes.go_to(snapshot, f"you loaded slot {slot}"):
            return refusal
        self._reporter.obeyed("LoadSlot", loaded_slot(state))
        return ""


def _holds(command: commands.Command) -> bool:
    return isinstance(command, commands.Hold) and bool(command.buttons)
