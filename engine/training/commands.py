"""Carry out a person's commands in training: play, watch, branch, record, override settings."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field

from engine import commands
from engine.env.batch import Batch
from engine.errors import WorkerError
from engine.events import CommandObeyed, ControlChanged, KeptState, WarningRaised
from engine.loop.controls import Controls
from engine.loop.live import BackwardLoop, RealTimeLoop
from engine.loop.reporter import loaded_slot, pressed, saved_slot, slot_refusal
from engine.training.demo_recording import EVALUATING, RunRecording
from engine.training.learning import Learning
from engine.training.overrides import RunOverrides
from engine.training.reporter import TrainingReporter
from engine.training.state import RunState

_FAILED = "The game's process failed, so its episodes restarted. Try again."


@dataclass(slots=True, eq=False)
class CommandHandler:
    """Carry out a person's commands between two steps.

    `accept` takes in the batches that a person's steps lead to.
    """

    state: RunState
    learning: Learning
    reporter: TrainingReporter
    controls: Controls
    accept: Callable[[Batch], None]
    save: Callable[[], None]
    clock: Callable[[], float]
    overrides: RunOverrides = field(init=False)
    live: RealTimeLoop = field(init=False)
    recording: RunRecording = field(init=False)
    backwards: BackwardLoop = field(init=False)

    def __post_init__(self) -> None:
        state, learning, reporter = self.state, self.learning, self.reporter
        self.overrides = RunOverrides(state, learning, reporter)
        self.live = RealTimeLoop(self, self.controls, reporter, self.clock)
        self.recording = RunRecording(
            state, learning, reporter, self.controls, self.live, self.accept, self.clock
        )
        self.backwards = BackwardLoop(
            self.recording.step_back, self.controls, self.live, reporter, self.clock
        )

    def obey(self, command: commands.Command) -> str | None:
        """Carry out a command; see `engine.loop.session_loop.Activity`."""
        match command:
            case commands.Watch(env_index):
                return self._watch(env_index)
            case commands.ShowGames():
                return self._show_games(command)
            case commands.PauseRendering():
                if self.controls.is_human:
                    return "Give control back first."
                self.reporter.pause_rendering()
            case commands.TakeOver():
                return self._take_over()
            case commands.GiveBack():
                return self._give_back()
            case commands.Press(action):
                return self._press(action)
            case commands.Restart():
                return self._restart()
            case commands.KeepState():
                return self._keep_state()
            case commands.Branch(number):
                return self._branch(number)
            case commands.SaveSlot(slot):
                return self._save_slot(slot)
            case commands.LoadSlot(slot):
                return self._load_slot(slot)
            case commands.Save():
                self.save()
            case commands.SkipEvaluation():
                if not self.reporter.is_evaluating:
                    return "No evaluation is running."
                self.controls.skips_evaluation = True
            case commands.Seek():
                return "Only a replay can seek."
            case _:
                return self._set(command)
        return ""

    def _set(self, command: commands.Command) -> str | None:
        """Override a setting, or change what is recorded."""
        overrides, recording = self.overrides, self.recording
        match command:
            case commands.SetMode(mode):
                return overrides.set_mode(mode)
            case commands.SetStrategy(strategy):
                return overrides.set_strategy(strategy)
            case commands.SetGoal(milestone):
                return overrides.set_goal(milestone)
            case commands.Instruct(text):
                return overrides.set_instruction(text)
            case commands.SetWeight(component, weight):
                return overrides.set_weight(component, weight)
            case commands.StartRecording(task, tags):
                return recording.start(task, tags)
            case commands.StopRecording():
                return recording.stop()
            case commands.RunBackwards(True):
                return self._run_backwards()
            case commands.KeepRecent():
                return recording.keep_recent()
            case commands.DiscardRecording(again):
                return recording.discard(again)
            case commands.Rewind(actions):
                return recording.rewind(actions)
            case commands.MarkRecording() | commands.DescribeRecording():
                return recording.describe(command)
        return None

    def advance(self) -> None:
        """Run the frames of live play that are due, and publish a recording's state."""
        if not self.backwards.advance() and self.controls.is_live:
            self.live.advance()
        self.recording.tick()

    def end(self) -> None:
        """Leave live play, and save what is recorded: the run ends."""
        self.live.end()
        self.recording.stop("the run ended")

    @property
    def has_watched(self) -> bool:
        """Return whether the watched game is a person's: played, live, or recorded."""
        controls = self.controls
        return controls.is_human or controls.is_live or self.recording.is_recording

    @property
    def frames_per_s(self) -> float:
        """Return the game's frame rate on its own machine."""
        return self.state.vector.frames_per_s

    def run_frames(self, buttons: frozenset[int], frames: int, *, shows: bool) -> None:
        """Run frames of the watched game; the episode is a person's from now on."""
        index = self.controls.watched_env
        self.state.tally.is_touched[index] = True
        picture = self.state.vector.play_frames(index, buttons, frames, shows=shows)
        if picture is not None:
            self.reporter.picture(picture)

    def read_frames(self, *, is_over: bool) -> None:
        """Read the result, and show it."""
        index = self.controls.watched_env
        batch = self.state.vector.count_frames(index, is_over=is_over)
        self.reporter.played()
        self.accept(batch)

    def _watch(self, env_index: int) -> str:
        if not 0 <= env_index < self.state.vector.num_envs:
            return f"Valid environments: 0 to {self.state.vector.num_envs - 1}."
        if self.controls.is_human:
            return "Give control back first."
        if self.recording.is_recording:
            return "Stop recording first: it records the game you watch."
        self.reporter.watch(env_index)
        return ""

    def _show_games(self, command: commands.ShowGames) -> str:
        """Show games together, or no longer."""
        indices, shrink = command.env_indices, command.shrink
        if not indices <= set(range(self.state.vector.num_envs)):
            return f"Valid environments: 0 to {self.state.vector.num_envs - 1}."
        if len(indices) > commands.MAX_SHOWN or not 1 <= shrink <= commands.MAX_SHRINK:
            return f"At most {commands.MAX_SHOWN}, shrunk by 1 to {commands.MAX_SHRINK}."
        self.reporter.show_games(indices, shrink)
        return ""

    def _take_over(self) -> str:
        """Let a person act; the agent's trajectory is truncated at this state."""
        if self.controls.is_human:
            return "You already have control."
        env_index = self.controls.watched_env
        self.learning.truncate_trajectory(env_index)
        self.learning.shaping.forget(env_index)
        self.controls.is_human = True
        self.reporter.emit(ControlChanged(is_human=True))
        self.recording.take_over()
        self.reporter.status()
        return ""

    def _give_back(self) -> str:
        if not self.controls.is_human:
            return "The agent already has control."
        self.backwards.end()
        self.live.end()
        self.controls.is_human = False
        self.recording.give_back()
        self.reporter.emit(ControlChanged(is_human=False))
        self.reporter.status()
        return ""

    def _run_backwards(self) -> str | None:
        if not self.controls.is_human:
            return "Take control first."
        return None if self.recording.is_recording else "Nothing is being recorded."

    def _press(self, action: int) -> str:
        if refusal := self.controls.press_refusal:
            return refusal
        if refusal := self.recording.foresee():
            return refusal
        env_index = self.controls.watched_env
        batch = self.state.vector.step_one(env_index, action)
        self.state.tally.steps[env_index] += 1
        self.state.tally.is_touched[env_index] = True
        self.reporter.pressed(pressed(self.state.actions, action, self.recording.proposal, "agent"))
        self.accept(batch)
        self.recording.publish()
        return ""

    def _restart(self) -> str:
        """Leave the watched episode, uncounted, and begin another at the true start."""
        if self.reporter.is_evaluating:
            return EVALUATING
        if refusal := self._begin_another():
            return refusal
        self.reporter.obeyed(
            "Restart", "you restarted the episode; the previous one does not count"
        )
        return ""

    def _keep(self, slot: int = 0) -> tuple[KeptState, bytes] | str:
        """Keep the watched game's state, or return why that is not possible."""
        if self.reporter.is_evaluating:
            return EVALUATING
        run, env_index = self.state, self.controls.watched_env
        self.live.rest()
        steps, episode = int(run.tally.steps[env_index]), run.metrics.episodes
        try:
            return run.kept_states.keep(run.vector, env_index, steps, episode, slot)
        except WorkerError:
            return _FAILED

    def _save_slot(self, slot: int) -> str:
        """Keep the watched game's state in a slot, in place of what it held."""
        if refusal := slot_refusal(slot):
            return refusal
        kept = self._keep(slot)
        if isinstance(kept, str):
            return kept
        self.reporter.obeyed("SaveSlot", saved_slot(kept[0]))
        self.reporter.emit(self.state.kept_states.listed)
        return ""

    def _load_slot(self, slot: int) -> str:
        """Go back within the demonstration to a slot; else branch from it."""
        if refusal := slot_refusal(slot):
            return refusal
        kept = self.state.kept_states.in_slot(slot)
        if kept is None:
            return f"Slot {slot} is empty."
        if self.recording.is_recording and self.recording.load(kept[1]):
            self.reporter.obeyed("LoadSlot", loaded_slot(kept[0]))
            return ""
        return self._branch(kept[0].number)

    def _keep_state(self) -> str:
        """Keep the watched game's state, and write it where a run can begin from it."""
        run, env_index, found = self.state, self.controls.watched_env, self._keep()
        if isinstance(found, str):
            return found
        state, snapshot = found
        kept = f"you saved state {state.number}: {state.place}, step"
        hint = self._write_state(state, snapshot)
        self.reporter.say("run", f"{kept} {state.episode_steps}{hint}")
        text = f"{kept} {state.episode_steps:,} of game {env_index + 1}"
        self.reporter.emit(CommandObeyed("KeepState", text))
        self.reporter.emit(run.kept_states.listed)
        return ""

    def _write_state(self, state: KeptState, snapshot: bytes) -> str:
        """Write a kept state's file; return how a run begins from it, "" where there is none."""
        if self.state.kept_states.write is None:
            return ""
        try:
            path = self.state.kept_states.write(state, snapshot)
        except OSError as error:
            warning = (
                f"State {state.number} could not be written to a file: {error.strerror or error}."
            )
            self.reporter.emit(WarningRaised(warning))
            return ""
        return f"; start a run from it with --state {shlex.quote(str(path))}"

    def _branch(self, number: int) -> str:
        """Leave the watched episode, and begin another, uncounted as well, at a kept state."""
        if self.reporter.is_evaluating:
            return EVALUATING
        found = self.state.kept_states.find(number)
        if found is None:
            known = ", ".join(str(one.number) for one in self.state.kept_states.listed.states)
            return f"State {number} does not exist" + (f"; saved: {known}." if known else ".")
        state, snapshot = found
        if refusal := self._begin_another(snapshot):
            return refusal
        self.state.tally.is_touched[self.controls.watched_env] = True
        self.reporter.obeyed(
            "Branch",
            f"you branched from state {number}: {state.place}, step {state.episode_steps:,}; "
            "neither this episode nor the previous one counts",
        )
        return ""

    def _begin_another(self, snapshot: bytes = b"") -> str:
        """Leave the watched episode, truncated at its last state, and begin another."""
        env_index = self.controls.watched_env
        self.live.rest()
        record_on = self.recording.leave_episode()
        batch = self.state.vector.begin_now(env_index, snapshot)
        self.learning.shaping.forget(env_index)
        self.accept(batch)
        record_on()
        self.reporter.begun_anew()
        return _FAILED if batch.warnings else ""
