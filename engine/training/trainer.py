"""Train: the loop that everything else serves. READ THIS FIRST.

One turn of `Trainer.run`: obey commands, let the agent decide, step the environments, let the
agent observe, tell the outside, and, when due, update the policy and write a checkpoint. What a
person may ask for meanwhile is listed in engine/commands.py and done in steering.py; what the
outside is told is listed in engine/events.py and said in reporter.py. How a run is put together is
in build.py, what a checkpoint holds in snapshot.py.
"""

import dataclasses
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.agents.base import Agent, Guidance
from engine.agents.calibration import Calibration
from engine.agents.rollout import FloatArray
from engine.agents.shares import ExactShares, assign_decisions
from engine.config import RunConfig
from engine.curriculum.archive import StateArchive
from engine.curriculum.handover import hand_over
from engine.curriculum.scheduler import Curriculum
from engine.env.batch import Batch, Vector
from engine.errors import CheckpointError, PokeTUIError, WorkerError
from engine.events import (
    CheckpointSaved,
    EpisodeEnded,
    EvaluationEnded,
    Event,
    PolicyUpdated,
    RunStopped,
    WarningRaised,
)
from engine.history.recorder import DecisionRecorder
from engine.plans import Verdict
from engine.strategy.adaptive import AdaptiveStrategySystem
from engine.training.checkpoint import Checkpoint, CheckpointStore
from engine.training.controls import CommandQueue, Controls, Pace
from engine.training.course import Course
from engine.training.evaluation import evaluate_policy
from engine.training.figures import FigureSink
from engine.training.journal import Journal
from engine.training.kept_states import KeptStates, StateFiles
from engine.training.lessons import Lessons
from engine.training.live import LivePlay
from engine.training.metrics import RunMetrics
from engine.training.planning import Planning
from engine.training.recording import RunRecording
from engine.training.reporter import Reporter
from engine.training.runs import RunFolder
from engine.training.shaping import Shaping
from engine.training.snapshot import take_snapshot
from engine.training.steering import obey
from engine.types import EpisodeSummary

_log = logging.getLogger(__name__)

_IDLE_S = 0.1
"""Longest wait for a command while no step is due."""


class Trainer:
    """Train an agent in a vector of environments until told to stop.

    Args:
        config: The run's settings.
        vector: Environments that step together; whoever made them closes them.
        batch: Their first observations.
        agent: Chooses and learns.
        curriculum: How far the planner is followed, from stage to stage.
        strategy: How far within a stage.
        make_vector: Makes environments for evaluations.
        store: Where checkpoints go.
        journal: Where episodes and updates are written.
        recorder: Keeps decisions; None: nobody does. Whoever made it closes it.
        calibration: What planner and policy are worth; None: nothing is known yet.
        planning: Asks a language model for goals; None: nobody does. Whoever made it closes it.
        milestones: (key, text) of the game.
        known_goals: Keys of those that the rule planner knows a way to.
        state_files: Writes the states that a person keeps; None: they are kept in memory alone.
        folder: The run's; what is deleted of it is written again with the next checkpoint. None:
            it is not.
        commands: What the outside asks for.
        emit: Takes events to the outside.
        clock: Seconds that only rise.

    Attributes:
        actor: Who acts: the agent, unless a person wants it otherwise (`course`).
        course: What a person set while the run goes on.
        kept_planning: What `Planning.save` returned while a model was asked, in a run that goes on
            without one: plans and what was spent are there when it is asked again.
        shares: Of planner and policy where a strategy is fixed; None in a run that was saved when a
            fixed strategy only weighed the planner's advice, and still does there.
    """

    def __init__(
        self,
        *,
        config: RunConfig,
        vector: Vector,
        batch: Batch,
        agent: Agent,
        curriculum: Curriculum,
        strategy: AdaptiveStrategySystem,
        make_vector: Callable[[RunConfig], Vector],
        store: CheckpointStore,
        journal: Journal,
        milestones: tuple[tuple[str, str], ...],
        commands: CommandQueue,
        emit: Callable[[Event], None],
        recorder: DecisionRecorder | None = None,
        calibration: Calibration | None = None,
        planning: Planning | None = None,
        known_goals: frozenset[str] = frozenset(),
        state_files: StateFiles | None = None,
        folder: RunFolder | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.config = config
        self.vector = vector
        self.batch = batch
        self.agent = self.actor = agent
        self.curriculum = curriculum
        self.strategy = strategy
        self.calibration = calibration or Calibration()
        self.planning = planning
        self.kept_planning: dict[str, Any] | None = None
        self.shares: ExactShares | None = ExactShares(vector.num_envs, 2)
        self.lessons = Lessons(recorder.history if recorder is not None else None)
        gamma = config.dqn.gamma if config.agent == "dqn" else config.ppo.gamma
        self.shaping = Shaping(config.planner.shaping, gamma, vector.num_envs)
        self.milestone_texts = dict(milestones)
        self.known_goals = known_goals
        self.course = Course.of(config, vector.reward_weights)
        self.kept_states = KeptStates(config.keep_states, config.keep_states_interval, clock)
        self.state_files = state_files
        self.archive = StateArchive(config.curriculum.archive_share, config.seed)
        self.metrics = RunMetrics()
        self.tally = EpisodeTally.empty(vector.num_envs)
        self.controls = Controls()
        self.pace = Pace(clock)
        self.live = LivePlay(clock)
        self.recording = RunRecording(clock)
        self.journal = journal
        self.recorder = recorder
        self.figures: FigureSink | None = None
        self.checkpoint_path = ""
        self._store = store
        self._folder = folder
        self._commands = commands
        self._emit_outside = emit
        self._clock = clock
        self._checkpoint_due_s = clock() + config.checkpoint_interval_s
        self._is_save_due = False
        self._make_vector = make_vector
        self.reporter = Reporter(
            self.metrics, self.controls, self.pace, self.milestone_texts, self.emit, clock
        )

    def run(self) -> RunStopped:
        """Train until a limit or a Stop; leave a checkpoint and say how it ended."""
        self._begin()
        while not self._is_over():
            for command in self._commands.drain(self._patience_s()):
                obey(self, command)
            if self.controls.is_live:
                self.live.advance(self)
            self.recording.tick(self)
            if not self.controls.may_step or self.pace.wait_s():
                self.reporter.idle()
                continue
            self.step()
            if self.actor.is_update_due:
                self._update()
            if self._is_evaluation_due():
                self._evaluate()
            if self._is_save_due:
                self.save()
        return self._finish()

    def step(self) -> None:
        """Take one action in every environment."""
        self.pace.mark()
        if self.recorder is not None:
            self.reporter.look_unwatched(self.vector, self.tally.steps)
        choices = self.actor.decide(self.batch, self._assigned(self.guidance()))
        batch = self.vector.step(choices.actions, shows=self.reporter.wants_picture())
        self.actor.observe(self._shaped(batch))
        self.controls.steps_due = max(0, self.controls.steps_due - 1)
        self.metrics.total_steps += self.vector.num_envs
        self.tally.steps += 1
        self.tally.planned_steps += choices.is_planned
        self.tally.llm_steps += choices.by_model(self.batch)
        self.reporter.stepped(self.vector, choices, self.tally.steps, self.batch.is_walking)
        self.accept(batch)
        self.lessons.after_step(self.vector, self.planning, self.metrics.total_steps)
        if self.planning is not None:
            self.planning.after_step(
                self.vector,
                batch,
                share=self._model_share(),
                total_steps=self.metrics.total_steps,
                watched_env=self.controls.watched_env,
            )

    def accept(self, batch: Batch) -> None:
        """Go on from `batch`, and count the episodes that ended with it.

        An episode whose process failed counts nothing, and what the agent lived through ends with
        the worth of the last state that is known.
        """
        for text in batch.warnings:
            self.emit(WarningRaised(text))
        self.archive.follow(self.vector, batch, self.tally.is_touched)
        for env_index, summary in sorted(batch.summaries.items()):
            is_touched = bool(self.tally.is_touched[env_index])
            length = max(1, summary.length)
            planned = float(self.tally.planned_steps[env_index]) / length
            by_model = float(self.tally.llm_steps[env_index]) / length
            self.tally.reset(env_index)
            if summary.is_aborted:
                self.agent.cut(env_index, self.batch)
            elif is_touched:
                self.reporter.episode_not_counted(summary)
            else:
                self._count(dataclasses.replace(summary, planner_share=planned, llm_share=by_model))
        self.batch = batch
        self._keep_state()
        self.recording.follow(self, batch)

    def _keep_state(self) -> None:
        """Keep the watched game's moment now and then, for a person to branch from."""
        index = self.controls.watched_env
        if self.reporter.is_watching and self.kept_states.follow(
            self.vector, self.batch, index, int(self.tally.steps[index]), self.metrics.episodes
        ):
            self.emit(self.kept_states.listed)

    def _count(self, summary: EpisodeSummary) -> None:
        new_milestones = self.metrics.count_episode(summary)
        self.emit(EpisodeEnded(self.metrics.episodes, self.metrics.total_steps, summary))
        self.reporter.milestones_reached(new_milestones)
        self.calibration.count(summary)
        if self.planning is not None:
            self.planning.count(summary)
        interval = self.config.save_interval
        self._is_save_due |= interval > 0 and self.metrics.episodes % interval == 0
        if not summary.start:
            self._hand_over(summary)

    def _hand_over(self, summary: EpisodeSummary) -> None:
        """Let an episode from the true start decide how far the planner is followed."""
        change, switches = hand_over(self.curriculum, self.strategy, summary)
        self.emit(change)
        self._is_save_due |= change.has_moved
        if change.has_moved:
            self.reporter.curriculum_moved(change)
        for switch in switches:
            self.emit(switch)
            self.reporter.strategy_switched(switch)

    def _update(self) -> None:
        self.reporter.phase("learning")
        figures = self.agent.update(self.batch)
        self.metrics.updates += 1
        self.emit(PolicyUpdated(self.metrics.updates, self.metrics.total_steps, figures))
        self._is_save_due |= self._clock() >= self._checkpoint_due_s
        self.reporter.phase("acting")

    def _is_evaluation_due(self) -> bool:
        interval, metrics = self.config.eval_interval, self.metrics
        return interval > 0 and metrics.episodes // interval > metrics.evaluated_at // interval

    def _evaluate(self) -> None:
        """Play the policy alone, elsewhere; a Stop puts it off until the run is resumed."""
        metrics, total = self.metrics, self.config.eval_episodes
        self.reporter.phase("evaluating", 0, total)
        try:
            evaluation = evaluate_policy(
                self.agent,
                self.config,
                self._make_vector,
                self._may_go_on_evaluating,
                lambda done: self.reporter.phase("evaluating", done, total),
            )
        except PokeTUIError as error:
            self.emit(WarningRaised(f"The policy could not be evaluated. {error}"))
            metrics.count_evaluation(None)
        else:
            if evaluation is not None:
                metrics.count_evaluation(evaluation)
                self.emit(EvaluationEnded(metrics.episodes, metrics.total_steps, evaluation))
                self.reporter.evaluated(evaluation)
                self._is_save_due = True
            elif self.controls.skips_evaluation:
                metrics.count_evaluation(None)
                self.reporter.obeyed(
                    "SkipEvaluation", "the evaluation was left: the next one comes when due"
                )
        self.controls.skips_evaluation = False
        self.reporter.phase("acting")

    def _may_go_on_evaluating(self) -> bool:
        for command in self._commands.drain():
            obey(self, command)
        self.reporter.idle()
        return not (self.controls.stop_reason or self.controls.skips_evaluation)

    def save_soon(self) -> None:
        """Write a checkpoint after the next step."""
        self._is_save_due = True

    def save(self) -> None:
        """Write a checkpoint; a full disk is a warning, the run goes on.

        Raises:
            TrainingError: Another process has taken the run.
        """
        if self.controls.is_live:
            self.live.come_to_rest(self)
        former = self.reporter.work
        self.reporter.phase("saving")
        try:
            self._restore_files()
            path = self._store.save(self._snapshot(), self.metrics.total_steps)
        except CheckpointError as error:
            self.emit(WarningRaised(str(error)))
        else:
            self.checkpoint_path = str(path)
            if self._folder is not None:
                self._folder.note_files()
            self.emit(CheckpointSaved(str(path), self.metrics.total_steps))
        self._is_save_due = False
        self._checkpoint_due_s = self._clock() + self.config.checkpoint_interval_s
        self.reporter.phase(*former)

    def _restore_files(self) -> None:
        """Write again what was deleted of the run's folder, and report it."""
        restored = self._folder.restore() if self._folder is not None else []
        if self.journal.restore():
            restored.append("the journal")
        if self.recorder is not None and self.recorder.restore():
            restored.append("the history of decisions")
        lost = self._folder.lost() if self._folder is not None else []
        if restored or lost:
            again = f" Written again: {', '.join(restored)}." if restored else ""
            gone = f" Lost: {', '.join(lost)}." if lost else ""
            self.emit(
                WarningRaised(f"Files of the run were deleted while it was running.{again}{gone}")
            )

    def _snapshot(self) -> Checkpoint:
        try:
            return take_snapshot(self)
        except WorkerError:  # a process failed since the last step
            self.accept(self.vector.mend())
            return take_snapshot(self)

    def emit(self, event: Event) -> None:
        """Tell the journal, the decision history, the curves' programs and the outside."""
        self.journal.take(event)
        if self.figures is not None:
            self.figures.take(event)
        if self.recorder is not None:
            self.recorder.take(event)
        self._emit_outside(event)

    def _begin(self) -> None:
        self.emit(self.curriculum.describe())
        self.emit(self.course.describe())
        self.emit(self.kept_states.listed)
        if not self.config.headless:
            self.reporter.watch(self.vector, 0)
        elif self.recorder is not None:
            self.vector.watch(0, renders=False)
        if self.planning is not None:
            self.tell_games()
            self.planning.begin()
        if not self.checkpoint_path:
            self.save()
        if self._is_evaluation_due():
            self._evaluate()

    def guidance(self) -> Guidance:
        """Return how far the agent is to follow the planner in the states of now."""
        proof: FloatArray | float = 1.0
        if self.planning is not None:
            proof = np.where(self.batch.setters > 0, self.planning.proof, 1.0).astype(np.float32)
        return Guidance(
            self.curriculum.planner_share,
            self.curriculum.stage.needed_confidence,
            self.calibration.policy_trust,
            self._advice_trust(self.batch),
            proof,
        )

    def _assigned(self, guidance: Guidance) -> Guidance:
        """Assign each decision where a strategy is fixed; a HybridAgent does so itself."""
        forced = self.strategy.forced
        is_mixed = self.curriculum.fixed_share is None and self.agent.name != "hybrid"
        if forced is None or self.shares is None or not is_mixed:
            return guidance
        return assign_decisions(self.shares, forced.planner_share, self.batch, guidance)

    def _shaped(self, batch: Batch) -> Batch:
        """Return what a step led to as the agent learns from it, where goals are followed."""
        share = self.curriculum.planner_share
        if not share and not self.shaping.potential.any():
            return batch
        return self.shaping.shaped(batch, share * self._advice_trust(batch), self._trust_of)

    def _trust_of(self, verdict: Verdict) -> float:
        trust = self.planning.trust_of(verdict) if self.planning is not None else 0.0
        return self.curriculum.planner_share * trust

    def tell_games(self) -> None:
        """Tell the environments all that planner and history know."""
        if self.planning is not None:
            self.planning.tell(self.vector, self._model_share(), self.lessons.known)
        else:
            self.lessons.tell(self.vector, None)

    def _advice_trust(self, batch: Batch) -> FloatArray:
        if self.planning is None:
            return self.calibration.advice_trust(batch.goal_kinds)
        setters = batch.setters
        trust = self.calibration.advice_trust(batch.goal_kinds, setters, self.planning.setters)
        believed: FloatArray = np.where(setters > 0, trust * self.planning.worth, trust)
        return believed.astype(np.float32)

    def _model_share(self) -> float:
        """Return how many of the goals are the language model's, and not the rules'."""
        has_rules = self.config.planner.fallback == "rules"
        return self.strategy.current.planner_share if has_rules else 1.0

    def _patience_s(self) -> float:
        if self.controls.is_live and not self.controls.is_paused:
            return min(_IDLE_S, self.live.wait_s())
        return min(_IDLE_S, self.pace.wait_s()) if self.controls.may_step else _IDLE_S

    def _is_over(self) -> bool:
        limits = self.config.total_steps, self.config.total_episodes
        if limits[0] and self.metrics.total_steps >= limits[0]:
            self.controls.stop_reason = f"took {self.metrics.total_steps:,} steps"
        if limits[1] and self.metrics.episodes >= limits[1]:
            self.controls.stop_reason = f"played {self.metrics.episodes:,} episodes"
        return bool(self.controls.stop_reason)

    def _finish(self) -> RunStopped:
        self.live.end(self)
        self.recording.stop(self, "the run ended")
        self.save()
        if not Path(self.checkpoint_path).is_file():  # deleted just now
            self.save()
        if not Path(self.checkpoint_path).is_file():
            self.checkpoint_path = ""
        self.reporter.status()
        steps = self.metrics.total_steps
        _log.info("run ends at step %d: %s", steps, self.controls.stop_reason)
        return RunStopped(self.controls.stop_reason, steps, self.checkpoint_path)


@dataclasses.dataclass(slots=True)
class EpisodeTally:
    """What was counted in each environment's current episode.

    Attributes:
        steps: (envs,) int64.
        planned_steps: (envs,) int64, actions for which the planner made the difference.
        llm_steps: (envs,) int64, those of them for which a language model did.
        is_touched: (envs,) bool, a person acted in it: it teaches and counts nothing.
    """

    steps: NDArray[np.int64]
    planned_steps: NDArray[np.int64]
    llm_steps: NDArray[np.int64]
    is_touched: NDArray[np.bool_]

    @classmethod
    def empty(cls, num_envs: int) -> "EpisodeTally":
        """Start with every episode at its beginning."""
        steps, planned, by_model = np.zeros((3, num_envs), np.int64)
        return cls(steps, planned, by_model, np.zeros(num_envs, np.bool_))

    def reset(self, env_index: int) -> None:
        """Begin an episode."""
        self.steps[env_index] = self.planned_steps[env_index] = self.llm_steps[env_index] = 0
        self.is_touched[env_index] = False
