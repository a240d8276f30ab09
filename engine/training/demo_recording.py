"""Keep what is played in a run's watched game as demonstrations, and learn from a person's.

The game's process writes the file (`engine.demos.recorded_env`); here is what a person may ask of
it. Taking over begins a demonstration by itself, giving back saves it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from engine.agents.base import Agent, Player
from engine.commands import (
    DescribeRecording,
    DiscardRecording,
    MarkRecording,
    Rewind,
    StopRecording,
)
from engine.demos.dataset import INTERVENTIONS_FOLDER, demos_folder
from engine.demos.demonstration import INTERVENTION, SUFFIX
from engine.demos.live_recorder import said_of_mark
from engine.demos.recording_log import log_path
from engine.demos.writer import rescue
from engine.env.batch import Batch
from engine.env.demo_requests import (
    CANNOT_RECORD,
    BeginDemo,
    DemoEnded,
    DemoFacts,
    DemoRequest,
    InspectDemo,
    ProposeStep,
)
from engine.errors import DemoError, PokeTUIError, WorkerError
from engine.events import RecordingChanged, RecordingEnded, WarningRaised
from engine.loop.controls import Controls
from engine.loop.live import LivePlay
from engine.training.learning import Learning
from engine.training.reporter import TrainingReporter
from engine.training.state import RunState
from engine.training.warm_start import join_demonstration

_TOLD_EVERY_S = 0.5

_IDLE = "Nothing is being recorded."
_BUSY = "A demonstration is being recorded already."
_EVALUATING = "Wait until the evaluation is over."
_HINT = f"clone a policy from what you play: poketui bc {INTERVENTIONS_FOLDER}"
_FAILED = "This failed, as the warning says. Try again."


@dataclass(frozen=True, slots=True)
class _Kept:
    """The demonstration that is being written.

    Attributes:
        env_index: Where it is played.
        order: How it began.
        path: Of its file to be.
        is_by_takeover: It began because a person took over, and ends when they give back.
    """

    env_index: int
    order: BeginDemo
    path: Path
    is_by_takeover: bool


@dataclass(slots=True, eq=False)
class RunRecording:
    """What is recorded of the watched game.

    Each method that a command calls returns why it cannot be done, or "".

    Attributes:
        state: Where the run stands.
        learning: Whose agent is asked what it would do, and learns from a person's play.
        reporter: Tells of it.
        controls: What was asked for.
        live: Play in real time.
        accept: Takes in the result of a game's process that was replaced or moved.
        clock: Seconds that only rise.
        proposal: What the agent would have done where a person acted last; None: nobody asked.
    """

    state: RunState
    learning: Learning
    reporter: TrainingReporter
    controls: Controls
    live: LivePlay
    accept: Callable[[Batch], None]
    clock: Callable[[], float] = time.monotonic
    proposal: int | None = field(default=None, init=False)
    _asked: tuple[Agent, Player] | None = field(default=None, init=False)
    _kept: _Kept | None = field(default=None, init=False)
    _saved: int = field(default=0, init=False)
    _elapsed_s: float = field(default=0.0, init=False)
    _looked_s: float = field(default=0.0, init=False)
    _told_s: float = field(default=0.0, init=False)
    _has_hinted: bool = field(default=False, init=False)

    @property
    def is_recording(self) -> bool:
        """Return whether a demonstration is being written."""
        return self._kept is not None

    def start(self, task: str, tags: tuple[str, ...]) -> str:
        """Record from now on, whoever plays."""
        if self._kept is not None:
            return _BUSY
        if not self.state.vector.can_record:
            return CANNOT_RECORD
        if self.reporter.is_evaluating:
            return _EVALUATING
        self.live.rest()
        by = "human" if self.controls.is_human else self.learning.actor.name
        order = BeginDemo(str(demos_folder(self.state.config)), by, task, tags)
        return self._begin(order, is_by_takeover=False)

    def take_over(self) -> None:
        """Record what a person does in the agent's place, if that is wanted."""
        self._asked = None
        wanted = self.state.config.record_interventions and self.state.vector.can_record
        if not wanted or self._kept is not None:
            return
        folder = demos_folder(self.state.config) / INTERVENTIONS_FOLDER
        order = BeginDemo(str(folder), tags=(INTERVENTION,), needs_human=True)
        if refusal := self._begin(order, is_by_takeover=True):
            self.reporter.emit(WarningRaised(f"What you play is not recorded. {refusal}"))

    def give_back(self) -> None:
        """Save what was recorded because a person took over."""
        self._asked = None
        if self._kept is not None and self._kept.is_by_takeover:
            self._end("you gave control back")

    def stop(self, reason: str = "you stopped it") -> str:
        """End the demonstration, and save it."""
        if self._kept is None:
            return _IDLE
        self.live.rest()
        return self._end(reason)

    def discard(self, again: bool) -> str:
        """Throw it away; `again`: go back to where it began, and record anew."""
        if refusal := self._refusal(moves_game=again):
            return refusal
        index = self.controls.watched_env
        facts = self._order(DiscardRecording(again))
        if facts is None:
            return _FAILED
        if again:
            self._elapsed_s = 0.0
            self._go_on_from(index, facts.episode_steps)
        if facts.ended is not None:
            self._tell_ended(facts.ended, "you threw it away")
        if not again:
            self._kept = None
        self._tell(facts)
        return ""

    def rewind(self, actions: int) -> str:
        """Take back the last actions of the demonstration."""
        if refusal := self._refusal(moves_game=True):
            return refusal
        now = self._order(InspectDemo())
        if now is None:
            return _FAILED
        if not now.rewindable or actions < 1:
            return "There are no steps to take back."
        facts = self._order(Rewind(actions))
        if facts is None:
            return _FAILED
        self._go_on_from(self.controls.watched_env, facts.episode_steps)
        steps = "the last action" if facts.taken_back == 1 else f"{facts.taken_back} actions"
        self.reporter.say("human", f"you took back {steps}")
        self._tell(facts)
        return ""

    def describe(self, command: MarkRecording | DescribeRecording) -> str:
        """Say that it shows what was wanted, or what it shows."""
        if self._kept is None:
            return _IDLE
        facts = self._try(self._kept.env_index, command)
        if isinstance(facts, str):
            return facts
        if isinstance(command, MarkRecording):
            words = said_of_mark(command.text, is_marked=facts.is_marked)
            self.reporter.say("human", words)
        self._tell(facts)
        return ""

    def foresee(self) -> str:
        """Note what the agent would do now, beside what a person is about to do."""
        self.proposal = None
        if self._kept is None:
            return ""
        proposal = self._proposal(self._kept.env_index)
        self.proposal = int(proposal)
        return _FAILED if self._order(ProposeStep(proposal)) is None else ""

    def _proposal(self, env_index: int) -> int:
        """Return what the agent would do now, without disturbing its training.

        It draws from random numbers of its own, and has the agent's memory of what a person saw.
        """
        if self._asked is None or self._asked[0] is not self.learning.actor:
            seed = self.state.config.seed + self.state.metrics.total_steps
            self._asked = self.learning.actor, self.learning.actor.player(seed)
        action_batch = self._asked[1](self.state.batch, self.learning.guidance())
        return int(action_batch.actions[env_index])

    def follow(self, batch: Batch) -> None:
        """Take in what steps brought to its end, and record on while a person plays.

        An episode that ends without its demonstration ended with its process.
        """
        for ended in batch.demos:
            self._go_on_after(ended, "the episode ended")
        kept = self._kept
        if kept is not None and not batch.demos and kept.env_index in batch.summaries:
            self._asked = None
            self._go_on_after(
                rescue(kept.env_index, kept.order, kept.path), "the game's process failed"
            )

    def leave_episode(self) -> Callable[[], None]:
        """Save what is recorded of an episode that is left; what is returned records the next."""
        kept = self._kept
        if kept is None:
            return lambda: None
        self._end("you began another episode")
        return lambda: self._record_on(kept)

    def tick(self) -> None:
        """Tell now and then how it stands."""
        if self._kept is None:
            return
        self._count_time()
        if self.clock() >= self._told_s + _TOLD_EVERY_S:
            self.tell()

    def tell(self) -> None:
        """Tell how it stands."""
        if self._kept is not None:
            facts = self._order(InspectDemo())
            if facts is not None and self._kept is not None:
                self._tell(facts)

    def _refusal(self, *, moves_game: bool) -> str:
        """Return why the demonstration cannot be changed; bring the game to rest if it can."""
        if self._kept is None:
            return _IDLE
        if moves_game and self.reporter.is_evaluating:
            return _EVALUATING
        self.live.rest()
        return "" if self._kept is not None else _IDLE  # it may have ended with its episode

    def _begin(self, order: BeginDemo, *, is_by_takeover: bool) -> str:
        env_index = self.controls.watched_env
        facts = self._try(env_index, order)
        if isinstance(facts, str):
            return facts
        self._kept = _Kept(env_index, order, Path(facts.path), is_by_takeover)
        self._saved = len(list(Path(order.folder).glob(f"*{SUFFIX}")))
        self._elapsed_s, self._looked_s = 0.0, self.clock()
        self._tell(facts)
        return ""

    def _try(self, env_index: int, order: DemoRequest) -> DemoFacts | str:
        """Ask a game's process; return why it cannot be done where it cannot."""
        try:
            return self.state.vector.record(env_index, order)
        except DemoError as error:
            return str(error)
        except WorkerError:
            self.accept(self.state.vector.mend())
            return _FAILED

    def _end(self, reason: str) -> str:
        facts = self._order(StopRecording())
        if facts is not None and facts.ended is not None:
            self._take_in(facts.ended, reason)
        return ""

    def _order(self, order: DemoRequest) -> DemoFacts | None:
        """Ask the game's process; None if it failed, or can write no more: then that is told."""
        assert self._kept is not None
        env_index = self._kept.env_index
        try:
            return self.state.vector.record(env_index, order)
        except DemoError as error:
            self._take_in(DemoEnded(env_index, "", 0, 0, False, 0.0, str(error)), "")
            if isinstance(order, Rewind | DiscardRecording):  # the game may have moved before
                facts = self.state.vector.record(env_index, InspectDemo())
                self._go_on_from(env_index, facts.episode_steps)
        except WorkerError:  # its end is told by `follow`
            self.accept(self.state.vector.mend())
        return None

    def _go_on_from(self, index: int, episode_steps: int) -> None:
        """Continue from where the game was taken back to; the agent learns nothing across that."""
        if not self.controls.is_human:
            self.learning.truncate_trajectory(index)
        self.learning.shaping.forget(index)
        self.state.tally.steps[index] = episode_steps
        self.state.tally.is_touched[index] = True
        self.accept(self.state.vector.mend())
        self.reporter.played()

    def _go_on_after(self, ended: DemoEnded, reason: str) -> None:
        kept = self._kept
        self._take_in(ended, reason)
        if kept is not None and not ended.failure:
            self._record_on(kept)

    def _record_on(self, kept: _Kept) -> None:
        """Begin the next demonstration where a person still plays."""
        controls = self.controls
        if self._kept is None and controls.is_human and not controls.stop_reason:
            refusal = self._begin(kept.order, is_by_takeover=kept.is_by_takeover)
            if refusal:
                self.reporter.emit(WarningRaised(f"What you play is not recorded. {refusal}"))

    def _take_in(self, ended: DemoEnded, reason: str) -> None:
        """Report a demonstration's end, and let the agent learn from what a person showed."""
        kept, self._kept = self._kept, None
        if ended.failure:
            log = None if kept is None else log_path(kept.path)
            rest = f" What was played before: poketui demos recover {log}"
            is_left = log is not None and log.exists()
            text = f"The demonstration ended: {ended.failure}"
            self.reporter.emit(WarningRaised(text + rest if is_left else text))
            self._tell(DemoFacts())
            return
        is_of_nothing = not ended.path and kept is not None and kept.is_by_takeover
        if not is_of_nothing:
            self._tell_ended(ended, reason)
        self._tell(DemoFacts())
        if ended.path and (ended.human_steps or ended.is_live):
            self._learn(Path(ended.path))

    def _tell_ended(self, ended: DemoEnded, reason: str) -> None:
        self._saved += bool(ended.path)
        what = reason if ended.path or ended.steps else "nothing was played"
        self.reporter.emit(
            RecordingEnded(ended.path, ended.steps, ended.human_steps, ended.total_reward, what)
        )

    def _learn(self, path: Path) -> None:
        try:
            told = join_demonstration(self.learning.agent, self.state.config, path)
        except PokeTUIError as error:
            self.reporter.emit(WarningRaised(f"Nothing is learnt from {path.name}. {error}"))
        else:
            if told:
                self.reporter.say("human", told)
                self.state.is_save_due = True
            elif path.parent.name == INTERVENTIONS_FOLDER and not self._has_hinted:
                self._has_hinted = True
                self.reporter.say("human", _HINT)

    def _count_time(self) -> None:
        now = self.clock()
        if not self.controls.is_paused:
            self._elapsed_s += now - self._looked_s
        self._looked_s = now

    def _tell(self, facts: DemoFacts) -> None:
        self._count_time()
        self._told_s = self.clock()
        self.reporter.emit(
            RecordingChanged(
                is_recording=self._kept is not None,
                steps=facts.steps,
                human_steps=facts.human_steps,
                elapsed_s=self._elapsed_s if self._kept is not None else 0.0,
                rewindable=facts.rewindable,
                saved=self._saved,
                task=facts.task,
                tags=facts.tags,
                is_marked=facts.is_marked,
            )
        )
