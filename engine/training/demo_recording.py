"""Record demonstrations in a run's watched game, and let the agent learn from a person's.

The game's process writes the file (`engine.demos.recorded_env`); this module carries out a person's
commands. Taking over begins a demonstration by itself, giving back saves it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from engine import commands
from engine.agents.base import Agent, PolicyFunction
from engine.demos.dataset import INTERVENTIONS_FOLDER, demos_folder
from engine.demos.demonstration import INTERVENTION, SUFFIX
from engine.demos.live_recorder import said_of_mark
from engine.demos.recent_play import KEPT
from engine.demos.recording_log import log_path
from engine.demos.writer import rescue
from engine.env.batch import Batch
from engine.env.choices import (
    CANNOT_RECORD,
    BeginDemo,
    DemoEnded,
    DemoFacts,
    DemoRequest,
    FollowPlay,
    InspectDemo,
    KeepPlay,
    LoadState,
    ProposeStep,
    StepBack,
)
from engine.errors import DemoError, PokeTUIError, WorkerError
from engine.events import RecordingChanged, RecordingEnded, WarningRaised
from engine.loop.controls import Controls
from engine.loop.live import RealTimeLoop
from engine.training.learning import Learning
from engine.training.reporter import TrainingReporter
from engine.training.state import RunState
from engine.training.warm_start import join_demonstration

_PUBLISHED_EVERY_S = 0.5

_IDLE = "Nothing is being recorded."
_BUSY = "A demonstration is already being recorded."
EVALUATING = "Wait until the evaluation is over."
_HINT = f"clone a policy from what you play: poketui bc {INTERVENTIONS_FOLDER}"
_FAILED = "This failed, as the warning says. Try again."


@dataclass(frozen=True, slots=True)
class _Demo:
    """The demonstration that is being recorded; `path` is that of its file."""

    env_index: int
    order: BeginDemo
    path: Path
    is_by_takeover: bool
    """It began because a person took over, and ends when they give back."""


@dataclass(slots=True, eq=False)
class RunRecording:
    """The recording of the watched game.

    Each method that a command calls returns why it cannot be done, or "".

    Attributes:
        accept: Takes in the batch after a game's process was replaced or its game went back.
        proposal: What the agent would have done where a person acted last; None: it was not asked.
    """

    state: RunState
    learning: Learning
    reporter: TrainingReporter
    controls: Controls
    live: RealTimeLoop
    accept: Callable[[Batch], None]
    clock: Callable[[], float] = time.monotonic
    proposal: int | None = field(default=None, init=False)
    _asked: tuple[Agent, PolicyFunction] | None = field(default=None, init=False)
    _demo: _Demo | None = field(default=None, init=False)
    _saved: int = field(default=0, init=False)
    _elapsed_s: float = field(default=0.0, init=False)
    _looked_s: float = field(default=0.0, init=False)
    _published_s: float = field(default=0.0, init=False)
    _has_hinted: bool = field(default=False, init=False)

    @property
    def is_recording(self) -> bool:
        """Return whether a demonstration is being written."""
        return self._demo is not None

    def start(self, task: str, tags: tuple[str, ...]) -> str:
        """Record from now on, whoever plays."""
        if self._demo is not None:
            return _BUSY
        if not self.state.vector.can_record:
            return CANNOT_RECORD
        if self.reporter.is_evaluating:
            return EVALUATING
        self.live.rest()
        by = "human" if self.controls.is_human else self.learning.actor.name
        order = BeginDemo(str(demos_folder(self.state.config)), by, task, tags)
        return self._begin(order, is_by_takeover=False)

    def take_over(self) -> None:
        """Record what a person does in the agent's place, if the settings say so."""
        self._asked = None
        self._follow_play(is_by_hand=True)
        wanted = self.state.config.record_interventions and self.state.vector.can_record
        if not wanted or self._demo is not None:
            return
        folder = demos_folder(self.state.config) / INTERVENTIONS_FOLDER
        order = BeginDemo(str(folder), tags=(INTERVENTION,), needs_human=True)
        self._begin_for_person(order, is_by_takeover=True)

    def give_back(self) -> None:
        """Save what was recorded because a person took over."""
        self._asked = None
        if self._demo is not None and self._demo.is_by_takeover:
            self._end("you gave control back")
        self._follow_play(is_by_hand=False)

    def keep_recent(self) -> str:
        """Save what a person has just played, though nothing was recorded."""
        if self._demo is not None:
            return _BUSY
        if not self.state.vector.can_record:
            return CANNOT_RECORD
        self.live.rest()
        order = KeepPlay(str(demos_folder(self.state.config)))
        facts = self._try(self.controls.watched_env, order)
        if isinstance(facts, str):
            return facts
        assert facts.ended is not None
        self._publish_end(facts.ended, KEPT)
        self._publish(DemoFacts())
        self._learn(Path(facts.ended.path))
        return ""

    def stop(self, reason: str = "you stopped it") -> str:
        """End the demonstration, and save it."""
        if self._demo is None:
            return _IDLE
        self.live.rest()
        return self._end(reason)

    def discard(self, again: bool) -> str:
        """Delete it; `again`: go back to where it began, and record anew."""
        if refusal := self._refusal(moves_game=again):
            return refusal
        index = self.controls.watched_env
        facts = self._order(commands.DiscardRecording(again))
        if facts is None:
            return _FAILED
        if again:
            self._elapsed_s = 0.0
            self._resume_from(index, facts.episode_steps)
        if facts.ended is not None:
            self._publish_end(facts.ended, "you discarded it")
        if not again:
            self._demo = None
        self._publish(facts)
        return ""

    def load(self, snapshot: bytes) -> bool:
        """Go back to a snapshot of the demonstration; return False where it is from elsewhere."""
        if self._refusal(moves_game=True):
            return False
        facts = self._order(LoadState(snapshot))
        if facts is None or not facts.is_loaded:
            return False
        self._resume_from(self.controls.watched_env, facts.episode_steps)
        self._publish(facts)
        return True

    def rewind(self, actions: int) -> str:
        """Take back the last actions of the demonstration."""
        if refusal := self._refusal(moves_game=True):
            return refusal
        now = self._order(InspectDemo())
        if now is None:
            return _FAILED
        if not now.rewindable or actions < 1:
            return "There are no steps to undo."
        facts = self._order(commands.Rewind(actions))
        if facts is None:
            return _FAILED
        self._resume_from(self.controls.watched_env, facts.episode_steps)
        steps = "the last action" if facts.taken_back == 1 else f"{facts.taken_back} actions"
        self.reporter.say("human", f"you undid {steps}")
        self._publish(facts)
        return ""

    def step_back(self, frames: int) -> bool:
        """Take back a moment of the demonstration; return whether there was any."""
        if self._demo is None:
            return False
        facts = self._order(StepBack(frames))
        if facts is None or not facts.taken_back:
            return False
        self._resume_from(self.controls.watched_env, facts.episode_steps)
        self._publish(facts)
        return True

    def describe(self, command: commands.MarkRecording | commands.DescribeRecording) -> str:
        """Mark it, or add to its description."""
        if self._demo is None:
            return _IDLE
        facts = self._try(self._demo.env_index, command)
        if isinstance(facts, str):
            return facts
        if isinstance(command, commands.MarkRecording):
            self.reporter.say("human", said_of_mark(command.text, is_marked=facts.is_marked))
        self._publish(facts)
        return ""

    def foresee(self) -> str:
        """Note what the agent would do now, beside what a person is about to do."""
        self.proposal = None
        if self._demo is None:
            return ""
        # So that training is undisturbed, a player with random numbers and a memory of its own is
        # asked.
        if self._asked is None or self._asked[0] is not self.learning.actor:
            seed = self.state.config.seed + self.state.metrics.total_steps
            self._asked = self.learning.actor, self.learning.actor.player(seed)
        action_batch = self._asked[1](self.state.batch, self.learning.guidance())
        self.proposal = int(action_batch.actions[self._demo.env_index])
        return _FAILED if self._order(ProposeStep(self.proposal)) is None else ""

    def follow(self, batch: Batch) -> None:
        """Take in demonstrations that ended, and begin the next while a person plays.

        Where an episode ended but its demonstration did not, the process failed.
        """
        for ended in batch.demos:
            self._resume_after(ended, "the episode ended")
        demo = self._demo
        if demo is not None and not batch.demos and demo.env_index in batch.summaries:
            self._asked = None
            rescued = rescue(demo.env_index, demo.order, demo.path)
            self._resume_after(rescued, "the game's process failed")

    def leave_episode(self) -> Callable[[], None]:
        """Save the demonstration of an episode that is left; return what begins the next."""
        demo = self._demo
        if demo is None:
            return lambda: None
        self._end("you started another episode")
        return lambda: self._record_on(demo)

    def tick(self) -> None:
        """Publish its state twice a second."""
        if self._demo is None:
            return
        self._count_time()
        if self.clock() >= self._published_s + _PUBLISHED_EVERY_S:
            self.publish()

    def publish(self) -> None:
        """Publish its state."""
        if self._demo is not None:
            facts = self._order(InspectDemo())
            if facts is not None:
                self._publish(facts)

    def _refusal(self, *, moves_game: bool) -> str:
        """Return why the demonstration cannot be changed; bring the game to rest if it can."""
        if self._demo is None:
            return _IDLE
        if moves_game and self.reporter.is_evaluating:
            return EVALUATING
        self.live.rest()
        return "" if self._demo is not None else _IDLE  # it may have ended with its episode

    def _begin(self, order: BeginDemo, *, is_by_takeover: bool) -> str:
        env_index = self.controls.watched_env
        facts = self._try(env_index, order)
        if isinstance(facts, str):
            return facts
        self._demo = _Demo(env_index, order, Path(facts.path), is_by_takeover)
        self._saved = len(list(Path(order.folder).glob(f"*{SUFFIX}")))
        self._elapsed_s, self._looked_s = 0.0, self.clock()
        self._publish(facts)
        return ""

    def _begin_for_person(self, order: BeginDemo, *, is_by_takeover: bool) -> None:
        if refusal := self._begin(order, is_by_takeover=is_by_takeover):
            self.reporter.emit(WarningRaised(f"What you play is not recorded. {refusal}"))

    def _follow_play(self, *, is_by_hand: bool) -> None:
        if self.state.vector.can_record:
            self._try(self.controls.watched_env, FollowPlay(is_by_hand))

    def _try(self, env_index: int, order: DemoRequest) -> DemoFacts | str:
        """Send a request to a game's process; return the facts, or why it cannot be done."""
        try:
            return self.state.vector.record(env_index, order)
        except DemoError as error:
            return str(error)
        except WorkerError:
            self.accept(self.state.vector.mend())
            return _FAILED

    def _end(self, reason: str) -> str:
        facts = self._order(commands.StopRecording())
        if facts is not None and facts.ended is not None:
            self._accept_end(facts.ended, reason)
        return ""

    def _order(self, order: DemoRequest) -> DemoFacts | None:
        """Send a request to the game's process; None, with a warning, if it failed."""
        assert self._demo is not None
        env_index = self._demo.env_index
        try:
            return self.state.vector.record(env_index, order)
        except DemoError as error:
            self._accept_end(DemoEnded(env_index, "", 0, 0, False, 0.0, str(error)), "")
            if isinstance(
                order, commands.Rewind | commands.DiscardRecording | LoadState | StepBack
            ):  # the game may have moved before
                facts = self.state.vector.record(env_index, InspectDemo())
                self._resume_from(env_index, facts.episode_steps)
        except WorkerError:  # `follow` reports its end
            self.accept(self.state.vector.mend())
        return None

    def _resume_from(self, index: int, episode_steps: int) -> None:
        """Continue from where the game went back to; the agent learns nothing across that."""
        if not self.controls.is_human:
            self.learning.truncate_trajectory(index)
        self.learning.shaping.forget(index)
        self.state.tally.steps[index] = episode_steps
        self.state.tally.is_touched[index] = True
        self.accept(self.state.vector.mend())
        self.reporter.played()

    def _resume_after(self, ended: DemoEnded, reason: str) -> None:
        demo = self._demo
        self._accept_end(ended, reason)
        if demo is not None and not ended.failure:
            self._record_on(demo)

    def _record_on(self, demo: _Demo) -> None:
        """Begin the next demonstration where a person still plays."""
        controls = self.controls
        if self._demo is None and controls.is_human and not controls.stop_reason:
            self._begin_for_person(demo.order, is_by_takeover=demo.is_by_takeover)

    def _accept_end(self, ended: DemoEnded, reason: str) -> None:
        """Report a demonstration's end, and let the agent learn from what a person showed."""
        demo, self._demo = self._demo, None
        if ended.failure:
            log = None if demo is None else log_path(demo.path)
            rest = f" What was played before: poketui demos recover {log}"
            is_left = log is not None and log.exists()
            text = f"The demonstration ended: {ended.failure}"
            self.reporter.emit(WarningRaised(text + rest if is_left else text))
            self._publish(DemoFacts())
            return
        if ended.path or demo is None or not demo.is_by_takeover:
            self._publish_end(ended, reason)
        self._publish(DemoFacts())
        if ended.path and (ended.human_steps or ended.is_live):
            self._learn(Path(ended.path))

    def _publish_end(self, ended: DemoEnded, reason: str) -> None:
        self._saved += bool(ended.path)
        what = reason if ended.path or ended.steps else "nothing was played"
        self.reporter.emit(
            RecordingEnded(ended.path, ended.steps, ended.human_steps, ended.total_reward, what)
        )

    def _learn(self, path: Path) -> None:
        try:
            text = join_demonstration(self.learning.agent, self.state.config, path)
        except PokeTUIError as error:
            self.reporter.emit(
                WarningRaised(f"{path.name} was not added to the training data. {error}")
            )
        else:
            if text:
                self.reporter.say("human", text)
                self.state.is_save_due = True
            elif path.parent.name == INTERVENTIONS_FOLDER and not self._has_hinted:
                self._has_hinted = True
                self.reporter.say("human", _HINT)

    def _count_time(self) -> None:
        now = self.clock()
        if not self.controls.is_paused:
            self._elapsed_s += now - self._looked_s
        self._looked_s = now

    def _publish(self, facts: DemoFacts) -> None:
        self._count_time()
        self._published_s = self.clock()
        self.reporter.emit(
            RecordingChanged(
                is_recording=self._demo is not None,
                steps=facts.steps,
                human_steps=facts.human_steps,
                elapsed_s=self._elapsed_s if self._demo is not None else 0.0,
                rewindable=facts.rewindable,
                saved=self._saved,
                task=facts.task,
                tags=facts.tags,
                is_marked=facts.is_marked,
            )
        )
