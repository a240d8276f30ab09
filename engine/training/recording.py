"""Keep what is played in a run's watched game as demonstrations, and learn from a person's.

The game's process writes the file (`engine.demos.recorded_env`); here is what a person may ask of
it. Taking over begins a demonstration by itself, giving back saves it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

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
from engine.demos.rescue import rescue
from engine.env.demo_orders import (
    CANNOT_RECORD,
    BeginDemo,
    DemoEnded,
    DemoFacts,
    DemoOrder,
    ForeseeStep,
    LookAtDemo,
)
from engine.errors import DemoError, PokeTUIError, WorkerError
from engine.events import RecordingChanged, RecordingEnded, WarningRaised
from engine.training.foresight import Foresight
from engine.training.warm_start import join_demonstration
from engine.types import Action

if TYPE_CHECKING:
    from engine.env.batch import Batch
    from engine.training.trainer import Trainer

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


class RunRecording:
    """What is recorded of the watched game.

    Each method that a command calls returns why it cannot be done, or "".

    Args:
        clock: Seconds that only rise.

    Attributes:
        proposal: What the agent would have done where a person acted last; None: nobody asked.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.proposal: Action | None = None
        self._clock = clock
        self._kept: _Kept | None = None
        self._saved = 0
        self._elapsed_s = 0.0
        self._looked_s = 0.0
        self._told_s = 0.0
        self._has_hinted = False
        self._foresight = Foresight()

    @property
    def is_recording(self) -> bool:
        """Tell whether a demonstration is being written."""
        return self._kept is not None

    def start(self, trainer: Trainer, task: str, tags: tuple[str, ...]) -> str:
        """Record from now on, whoever plays."""
        if self._kept is not None:
            return _BUSY
        if not trainer.vector.can_record:
            return CANNOT_RECORD
        if trainer.reporter.is_evaluating:
            return _EVALUATING
        if trainer.controls.is_live:
            trainer.live.come_to_rest(trainer)
        by = "human" if trainer.controls.is_human else trainer.actor.name
        order = BeginDemo(str(demos_folder(trainer.config)), by, task, tags)
        return self._begin(trainer, order, is_by_takeover=False)

    def take_over(self, trainer: Trainer) -> None:
        """Record what a person does in the agent's place, if that is wanted."""
        self._foresight.forget()
        wanted = trainer.config.record_interventions and trainer.vector.can_record
        if not wanted or self._kept is not None:
            return
        folder = demos_folder(trainer.config) / INTERVENTIONS_FOLDER
        order = BeginDemo(str(folder), tags=(INTERVENTION,), needs_human=True)
        if refusal := self._begin(trainer, order, is_by_takeover=True):
            trainer.emit(WarningRaised(f"What you play is not recorded. {refusal}"))

    def give_back(self, trainer: Trainer) -> None:
        """Save what was recorded because a person took over."""
        self._foresight.forget()
        if self._kept is not None and self._kept.is_by_takeover:
            self._end(trainer, "you gave control back")

    def stop(self, trainer: Trainer, reason: str = "you stopped it") -> str:
        """End the demonstration, and save it."""
        if self._kept is None:
            return _IDLE
        if trainer.controls.is_live:
            trainer.live.come_to_rest(trainer)
        return self._end(trainer, reason)

    def discard(self, trainer: Trainer, again: bool) -> str:
        """Throw it away; `again`: go back to where it began, and record anew."""
        if refusal := self._refusal(trainer, moves_game=again):
            return refusal
        index = trainer.controls.watched_env
        facts = self._order(trainer, DiscardRecording(again))
        if facts is None:
            return _FAILED
        if again:
            self._elapsed_s = 0.0
            self._go_on_from(trainer, index, facts.episode_steps)
        if facts.ended is not None:
            self._tell_ended(trainer, facts.ended, "you threw it away")
        if not again:
            self._kept = None
        self._tell(trainer, facts)
        return ""

    def rewind(self, trainer: Trainer, actions: int) -> str:
        """Take back the last actions of the demonstration."""
        if refusal := self._refusal(trainer, moves_game=True):
            return refusal
        now = self._order(trainer, LookAtDemo())
        if now is None:
            return _FAILED
        if not now.rewindable or actions < 1:
            return "There are no steps to take back."
        facts = self._order(trainer, Rewind(actions))
        if facts is None:
            return _FAILED
        self._go_on_from(trainer, trainer.controls.watched_env, facts.episode_steps)
        steps = "the last action" if facts.taken_back == 1 else f"{facts.taken_back} actions"
        trainer.reporter.say("human", f"you took back {steps}")
        self._tell(trainer, facts)
        return ""

    def describe(self, trainer: Trainer, command: MarkRecording | DescribeRecording) -> str:
        """Say that it shows what was wanted, or what it shows."""
        if self._kept is None:
            return _IDLE
        try:
            facts = trainer.vector.record(self._kept.env_index, command)
        except DemoError as error:
            return str(error)
        except WorkerError:
            trainer.accept(trainer.vector.mend())
            return _FAILED
        if isinstance(command, MarkRecording):
            words = said_of_mark(command.text, is_marked=facts.is_marked)
            trainer.reporter.say("human", words)
        self._tell(trainer, facts)
        return ""

    def foresee(self, trainer: Trainer) -> str:
        """Note what the agent would do now, beside what a person is about to do."""
        self.proposal = None
        if self._kept is None:
            return ""
        proposal = self._foresight.action(trainer, self._kept.env_index)
        self.proposal = Action(proposal)
        return _FAILED if self._order(trainer, ForeseeStep(proposal)) is None else ""

    def follow(self, trainer: Trainer, batch: Batch) -> None:
        """Take in what steps brought to its end, and record on while a person plays.

        An episode that ends without its demonstration ended with its process.
        """
        for ended in batch.demos:
            self._go_on_after(trainer, ended, "the episode ended")
        kept = self._kept
        if kept is not None and not batch.demos and kept.env_index in batch.summaries:
            self._foresight.forget()
            self._go_on_after(
                trainer, rescue(kept.env_index, kept.order, kept.path), "the game's process failed"
            )

    def leave_episode(self, trainer: Trainer) -> Callable[[], None]:
        """Save what is recorded of an episode that is left; what is returned records the next."""
        kept = self._kept
        if kept is None:
            return lambda: None
        self._end(trainer, "you began another episode")
        return lambda: self._record_on(trainer, kept)

    def tick(self, trainer: Trainer) -> None:
        """Tell now and then how it stands."""
        if self._kept is None:
            return
        self._count_time(trainer)
        if self._clock() >= self._told_s + _TOLD_EVERY_S:
            self.tell(trainer)

    def tell(self, trainer: Trainer) -> None:
        """Tell how it stands."""
        if self._kept is not None:
            facts = self._order(trainer, LookAtDemo())
            if facts is not None and self._kept is not None:
                self._tell(trainer, facts)

    def _refusal(self, trainer: Trainer, *, moves_game: bool) -> str:
        """Return why the demonstration cannot be changed; bring the game to rest if it can."""
        if self._kept is None:
            return _IDLE
        if moves_game and trainer.reporter.is_evaluating:
            return _EVALUATING
        if trainer.controls.is_live:
            trainer.live.come_to_rest(trainer)
        return "" if self._kept is not None else _IDLE  # it may have ended with its episode

    def _begin(self, trainer: Trainer, order: BeginDemo, *, is_by_takeover: bool) -> str:
        env_index = trainer.controls.watched_env
        try:
            facts = trainer.vector.record(env_index, order)
        except DemoError as error:
            return str(error)
        except WorkerError:
            trainer.accept(trainer.vector.mend())
            return _FAILED
        self._kept = _Kept(env_index, order, Path(facts.path), is_by_takeover)
        self._saved = len(list(Path(order.folder).glob(f"*{SUFFIX}")))
        self._elapsed_s, self._looked_s = 0.0, self._clock()
        self._tell(trainer, facts)
        return ""

    def _end(self, trainer: Trainer, reason: str) -> str:
        facts = self._order(trainer, StopRecording())
        if facts is not None and facts.ended is not None:
            self._take_in(trainer, facts.ended, reason)
        return ""

    def _order(self, trainer: Trainer, order: DemoOrder) -> DemoFacts | None:
        """Ask the game's process; None if it failed, or can write no more: then that is told."""
        assert self._kept is not None
        env_index = self._kept.env_index
        try:
            return trainer.vector.record(env_index, order)
        except DemoError as error:
            self._take_in(trainer, DemoEnded(env_index, "", 0, 0, False, 0.0, str(error)), "")
            if isinstance(order, Rewind | DiscardRecording):  # the game may have moved before
                facts = trainer.vector.record(env_index, LookAtDemo())
                self._go_on_from(trainer, env_index, facts.episode_steps)
        except WorkerError:  # its end is told by `follow`
            trainer.accept(trainer.vector.mend())
        return None

    def _go_on_from(self, trainer: Trainer, index: int, episode_steps: int) -> None:
        """Go on from where the game was taken back to; the agent learns nothing across that."""
        if not trainer.controls.is_human:
            trainer.agent.cut(index, trainer.batch)
        trainer.shaping.forget(index)
        trainer.tally.steps[index] = episode_steps
        trainer.tally.is_touched[index] = True
        trainer.accept(trainer.vector.mend())
        trainer.reporter.played(trainer.vector, episode_steps)

    def _go_on_after(self, trainer: Trainer, ended: DemoEnded, reason: str) -> None:
        kept = self._kept
        self._take_in(trainer, ended, reason)
        if kept is not None and not ended.failure:
            self._record_on(trainer, kept)

    def _record_on(self, trainer: Trainer, kept: _Kept) -> None:
        """Begin the next demonstration where a person still plays."""
        controls = trainer.controls
        if self._kept is None and controls.is_human and not controls.stop_reason:
            refusal = self._begin(trainer, kept.order, is_by_takeover=kept.is_by_takeover)
            if refusal:
                trainer.emit(WarningRaised(f"What you play is not recorded. {refusal}"))

    def _take_in(self, trainer: Trainer, ended: DemoEnded, reason: str) -> None:
        """Tell of a demonstration's end, and let the agent learn from what a person showed."""
        kept, self._kept = self._kept, None
        if ended.failure:
            log = None if kept is None else log_path(kept.path)
            rest = f" What was played before: poketui demos recover {log}"
            is_left = log is not None and log.exists()
            text = f"The demonstration ended: {ended.failure}"
            trainer.emit(WarningRaised(text + rest if is_left else text))
            self._tell(trainer, DemoFacts())
            return
        is_of_nothing = not ended.path and kept is not None and kept.is_by_takeover
        if not is_of_nothing:
            self._tell_ended(trainer, ended, reason)
        self._tell(trainer, DemoFacts())
        if ended.path and (ended.human_steps or ended.is_live):
            self._learn(trainer, Path(ended.path))

    def _tell_ended(self, trainer: Trainer, ended: DemoEnded, reason: str) -> None:
        self._saved += bool(ended.path)
        what = reason if ended.path or ended.steps else "nothing was played"
        trainer.emit(
            RecordingEnded(ended.path, ended.steps, ended.human_steps, ended.total_reward, what)
        )

    def _learn(self, trainer: Trainer, path: Path) -> None:
        try:
            told = join_demonstration(trainer.agent, trainer.config, path)
        except PokeTUIError as error:
            trainer.emit(WarningRaised(f"Nothing is learnt from {path.name}. {error}"))
        else:
            if told:
                trainer.reporter.say("human", told)
                trainer.save_soon()
            elif path.parent.name == INTERVENTIONS_FOLDER and not self._has_hinted:
                self._has_hinted = True
                trainer.reporter.say("human", _HINT)

    def _count_time(self, trainer: Trainer) -> None:
        now = self._clock()
        if not trainer.controls.is_paused:
            self._elapsed_s += now - self._looked_s
        self._looked_s = now

    def _tell(self, trainer: Trainer, facts: DemoFacts) -> None:
        self._count_time(trainer)
        self._told_s = self._clock()
        trainer.emit(
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
