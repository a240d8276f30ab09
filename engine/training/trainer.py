"""Train: the loop that everything else serves. READ THIS FIRST.

One turn of the loop: obey commands, let the agent decide, step the environments, let the agent
observe, publish events, and, when due, update the policy and write a checkpoint. Pause, step,
speed and stop are obeyed in engine/loop/session_loop.py, as in every session; all other commands
(engine/commands.py) are carried out in commands.py. Events are listed in engine/events.py and
published by reporter.py. build.py builds a run; snapshot.py says what a checkpoint holds.
"""

import contextlib
import dataclasses
import logging
import time
from collections.abc import Callable
from functools import partial

from engine.agents.base import Agent
from engine.agents.calibration import Calibration
from engine.agents.evaluation import evaluate, evaluation_config
from engine.commands import Command
from engine.config import RunConfig
from engine.curriculum.scheduler import Curriculum, hand_over
from engine.env.batch import Batch
from engine.env.world import KeepsChoosers, World
from engine.errors import PokeTUIError
from engine.events import (
    EpisodeEnded,
    EvaluationEnded,
    Event,
    PolicyUpdated,
    RunStopped,
    WarningRaised,
)
from engine.games.base import Game
from engine.ground.text import counted
from engine.loop.controls import CommandQueue, Controls, Pace
from engine.loop.machine import MachineMeter
from engine.loop.session_loop import SessionLoop
from engine.planning.goals.adaptive import AdaptiveStrategySystem
from engine.planning.history.recorder import DecisionRecorder
from engine.runs.checkpoint import CheckpointStore
from engine.runs.folder import RunFolder
from engine.runs.journal import Journal
from engine.runs.lock import RunStatus
from engine.training.commands import CommandHandler
from engine.training.learning import ExperienceUpdates, Learning
from engine.training.planning import Planning
from engine.training.reporter import RunLog, TrainingReporter
from engine.training.snapshot import Checkpointer
from engine.training.state import RunState, refusal, write_state
from engine.types import EpisodeSummary

_log = logging.getLogger(__name__)

_EXAM_STEPS = 4096
"""Steps between two figures of the policy alone; a quarter of that in the first 4 * `_EXAM_STEPS`
steps, in which it learns fast."""


class Trainer:
    """Train an agent in a vector of environments until it is stopped.

    Args:
        batch: First observations of the environments.
        make_vector: Makes environments for evaluations.
        folder: The run's. Deleted files of it are restored with the next checkpoint, and the states
            that a person keeps are written there. None: neither.

    The others are described at `Learning`, `RunLog`, `RunState` and `Checkpointer`.

    Attributes:
        state: The environments, their last batch, and what was counted.
        learning: The agent, curriculum, strategy and planner.
        handler: Carries out commands: who plays, what is overridden, what is recorded.
        reporter: Publishes events.
        log: Their destinations: journal, decision history, curves, and the outside.
        saving: Writes checkpoints, and restores them.
        machine: Measures the run's use of its machine; None: it is not measured.
    """

    not_here = "This is not possible yet."

    def __init__(
        self,
        *,
        config: RunConfig,
        vector: World,
        batch: Batch,
        agent: Agent,
        curriculum: Curriculum,
        strategy: AdaptiveStrategySystem,
        make_vector: Callable[[RunConfig], World],
        store: CheckpointStore,
        journal: Journal,
        game: Game,
        commands: CommandQueue,
        emit: Callable[[Event], None],
        recorder: DecisionRecorder | None = None,
        calibration: Calibration | None = None,
        planning: Planning | None = None,
        folder: RunFolder | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.state = RunState(config, vector, batch, game, clock)
        if folder is not None:
            self.state.kept_states.write = partial(write_state, folder.path / "states", game.sha1)
        self.learning = Learning(
            self.state,
            agent,
            curriculum,
            strategy,
            calibration or Calibration(),
            planning,
            ExperienceUpdates(recorder.history if recorder is not None else None),
        )
        controls = Controls()
        self.pace = Pace(clock)
        self.log = RunLog(journal, recorder, emit)
        if planning is not None:
            planning.emit = self.log.emit
        self.reporter = TrainingReporter(self.state, controls, self.pace, self.log.emit, clock)
        self.handler = CommandHandler(
            self.state, self.learning, self.reporter, controls, self.accept, self.save, clock
        )
        self.saving = Checkpointer(
            self.state,
            self.learning,
            self.handler.overrides,
            self.reporter,
            self.log,
            store,
            folder,
            clock,
        )
        self.loop = SessionLoop(
            self,
            controls,
            self.pace,
            self.reporter,
            commands,
            game.actions,
            self.handler.live,
            self.handler.backwards,
        )
        self.machine: MachineMeter | None = None
        self._make_vector = make_vector

    def run(self) -> RunStopped:
        """Train until a limit or a Stop; leave a checkpoint and return how it ended."""
        self._begin()
        self.loop.run()
        return self._finish()

    def advance(self) -> None:
        """Do what is due: frames of live play, a step, an update, an evaluation, a checkpoint."""
        self.handler.advance()
        if self.machine is not None and self.machine.is_due():
            self._measure(self.machine)
        if not self.handler.controls.may_step or self.pace.wait_s():
            self.reporter.idle()
            return
        self.step()
        if self.learning.actor.is_update_due:
            self._update()
        if self._is_evaluation_due():
            self._evaluate()
        if self.state.is_save_due:
            self.save()

    def step(self) -> None:
        """Take one action in every environment."""
        state, tally, controls = self.state, self.state.tally, self.handler.controls
        self.pace.mark()
        if self.log.recorder is not None:
            self.reporter.look_unwatched()
        choices = self.learning.decide()
        if self.learning.actor is not self.learning.agent:
            self.learning.exams.spoil()
        if isinstance(state.vector, KeepsChoosers):
            state.vector.note_choosers(choices.choosers(state.batch))
        batch = state.vector.step(choices.actions, shows=self.reporter.wants_picture())
        self.learning.observe(batch)
        controls.step_taken()
        state.metrics.total_steps += state.vector.num_envs
        tally.steps += 1
        tally.planned_steps += choices.is_planned
        tally.llm_steps += choices.by_model(state.batch)
        self.reporter.stepped(choices, state.batch.is_walking)
        self.accept(batch)
        self.learning.after_step(batch, controls.watched_env)
        self._move_games()
        self._show_exams()

    def accept(self, batch: Batch) -> None:
        """Continue from `batch`, count the episodes that ended with it, and follow recordings.

        An episode whose process failed does not count; the agent's trajectory is truncated at the
        last known state.
        """
        state, tally = self.state, self.state.tally
        for text in batch.warnings:
            self.reporter.emit(WarningRaised(text))
        exams = self.learning.exams
        exams.follow(batch, tally.is_touched)
        state.starts.follow(state.vector, batch, tally.is_touched)
        for env_index, summary in sorted(batch.summaries.items()):
            is_touched = bool(tally.is_touched[env_index])
            length = max(1, summary.length)
            planned = float(tally.planned_steps[env_index]) / length
            by_model = float(tally.llm_steps[env_index]) / length
            tally.reset(env_index)
            if summary.is_aborted:
                self.learning.truncate_trajectory(env_index)
            elif is_touched:
                self.reporter.say(
                    "human",
                    f"your episode ended after {counted(summary.length, 'step')} with "
                    f"{summary.total_reward:z.1f}; it does not count",
                )
            else:
                self._count(
                    dataclasses.replace(
                        summary,
                        planner_share=planned,
                        llm_share=by_model,
                        is_exam=bool(exams.is_exam[env_index]),
                    )
                )
        state.batch = batch
        index = self.handler.controls.watched_env
        if self.reporter.is_watching and state.kept_states.follow(
            state.vector, batch, index, int(tally.steps[index]), state.metrics.episodes
        ):
            self.reporter.emit(state.kept_states.listed)
        self.handler.recording.follow(batch)

    def save(self) -> None:
        """Write a checkpoint of games at rest; a full disk is a warning, the run continues.

        Raises:
            TrainingError: Another process has taken the run.
        """
        self.handler.live.rest()
        self.saving.save(self.accept)

    def is_over(self) -> bool:
        """Return whether a limit is reached, or a stop was asked for."""
        controls = self.handler.controls
        controls.stop_reason = self._limit() or controls.stop_reason
        return bool(controls.stop_reason)

    def _limit(self) -> str:
        """Return which limit is reached, in words, or ""."""
        config, metrics = self.state.config, self.state.metrics
        if config.total_episodes and metrics.episodes >= config.total_episodes:
            return f"played {counted(metrics.episodes, 'episode')}"
        if config.total_steps and metrics.total_steps >= config.total_steps:
            return f"took {counted(metrics.total_steps, 'step')}"
        return ""

    def wait_s(self) -> float | None:
        """Wait for commands until the next step or frame is due."""
        return None

    def obey(self, command: Command) -> str | None:
        """Carry out a command; see `Activity`."""
        return refusal(self.state.vector, command) or self.handler.obey(command)

    def close(self) -> None:
        """Close everything that writes, asks or plays."""
        if self.machine is not None:
            self.machine.close()
        if self.learning.planning is not None:
            self.learning.planning.close()
        self.log.close()
        self.state.vector.close()

    def _begin(self) -> None:
        self._note(RunStatus.RUNNING)
        reporter = self.reporter
        reporter.emit(self.learning.curriculum.describe())
        if text := self.learning.exams.describe():
            reporter.say("run", text)
        reporter.starts(self.state.starts)
        reporter.emit(self.handler.overrides.describe())
        reporter.emit(self.state.kept_states.listed)
        if not self.state.config.headless:
            reporter.watch(0)
        elif self.log.recorder is not None:
            self.state.vector.watch(0, renders=False)
        if self.learning.planning is not None:
            self.learning.update_games()
            self.learning.planning.begin()
        if not self.saving.checkpoint_path:
            self.save()
        if self._is_evaluation_due():
            self._evaluate()

    def _measure(self, machine: MachineMeter) -> None:
        processes = {"workers": getattr(self.state.vector, "pids", ())}
        speed = self.reporter.steps_per_s()
        self.reporter.emit(machine.measure(processes, speed, self.saving.times))

    def _move_games(self) -> None:
        """Move running games to other starts, except exam games and those that a person plays.

        The agent's trajectory is truncated there, and the episode that is left does not count.
        """
        state, handler = self.state, self.handler
        is_free = ~state.tally.is_touched & ~self.learning.exams.is_exam
        watched = handler.controls.watched_env
        if handler.has_watched:
            is_free[watched] = False
        for move in state.starts.moves(state.tally.steps, is_free):
            batch = state.vector.begin_now(
                move.env_index,
                move.snapshot,
                move.start,
                continues=move.continues,
                max_steps=move.max_steps,
            )
            self.learning.shaping.forget(move.env_index)
            self.accept(batch)
            if not batch.warnings:  # else its process failed, and it is at the true start
                state.starts.moved(move)
            if move.env_index == watched:
                self.reporter.begun_anew()
        for text in state.starts.take_news():
            self.reporter.say("curriculum", text)
        self.reporter.starts(state.starts)

    def _count(self, summary: EpisodeSummary) -> None:
        """Count an episode; those from the true start move the curriculum."""
        state, metrics = self.state, self.state.metrics
        learning, reporter = self.learning, self.reporter
        new_milestones = metrics.count_episode(summary)
        reporter.emit(EpisodeEnded(metrics.episodes, metrics.total_steps, summary))
        for key in new_milestones:
            text = state.milestone_texts.get(key, key)
            reporter.say("run", f"first time in this run: {text}")
        if summary.is_exam:
            learning.exams.count(summary)
            if learning.exams.passes(metrics.recent):
                reporter.say("run", "the policy alone earns as much as with the planner now")
        learning.count(summary)
        interval = state.config.save_interval
        state.is_save_due |= interval > 0 and metrics.episodes % interval == 0
        if not summary.is_usual:
            return
        change, switches = hand_over(learning.curriculum, learning.strategy, summary)
        reporter.emit(change)
        state.is_save_due |= change.has_moved
        if change.has_moved:
            reporter.say(
                "curriculum", f"stage {change.stage} of {change.num_stages}: {change.name}"
            )
        for switch in switches:
            reporter.strategy_switched(switch)

    def _show_exams(self) -> None:
        """Publish the exam games' evaluation periodically, unless there are other evaluations."""
        state, exams = self.state, self.learning.exams
        metrics, config = state.metrics, state.config
        if not exams.is_any or config.eval_interval:
            return
        is_early = metrics.total_steps < 4 * _EXAM_STEPS
        interval = _EXAM_STEPS // 4 if is_early else _EXAM_STEPS
        if metrics.total_steps % interval < state.vector.num_envs:
            found = exams.evaluation(state.milestone_texts)
            self.reporter.emit(
                EvaluationEnded(metrics.episodes, metrics.total_steps, found, is_exam=True)
            )

    def _update(self) -> None:
        self.reporter.phase("learning")
        figures = self.learning.agent.update(self.state.batch)
        self.state.metrics.updates += 1
        self.reporter.emit(
            PolicyUpdated(self.state.metrics.updates, self.state.metrics.total_steps, figures)
        )
        self.state.is_save_due |= self.saving.is_time()
        self.reporter.phase("acting")

    def _is_evaluation_due(self) -> bool:
        interval, metrics = self.state.config.eval_interval, self.state.metrics
        return interval > 0 and metrics.episodes // interval > metrics.evaluated_at // interval

    def _evaluate(self) -> None:
        """Evaluate the policy alone, in other environments; a Stop defers it to the resumed run."""
        config, metrics = self.state.config, self.state.metrics
        total = config.eval_episodes
        self.reporter.phase("evaluating", 0, total)
        try:
            with contextlib.closing(self._make_vector(evaluation_config(config, total))) as vector:
                evaluation = evaluate(
                    self.learning.agent.player,
                    vector,
                    config,
                    total,
                    may_go_on=self._may_continue_evaluating,
                    report=lambda done: self.reporter.phase("evaluating", done, total),
                    milestones=self.state.milestone_texts,
                )
        except PokeTUIError as error:
            self.reporter.emit(WarningRaised(f"The policy could not be evaluated. {error}"))
            metrics.count_evaluation(None)
        else:
            if evaluation is not None:
                metrics.count_evaluation(evaluation)
                self.reporter.emit(
                    EvaluationEnded(metrics.episodes, metrics.total_steps, evaluation)
                )
                self.reporter.say(
                    "run",
                    f"evaluation, policy alone: return {evaluation.avg_reward:z.1f}, "
                    f"success {evaluation.success_rate:.0%} of {evaluation.episodes}",
                )
                self.state.is_save_due = True
            elif self.handler.controls.skips_evaluation:
                metrics.count_evaluation(None)
                self.reporter.obeyed(
                    "SkipEvaluation", "the evaluation was skipped; the next one runs when due"
                )
        self.handler.controls.skips_evaluation = False
        self.reporter.phase("acting")

    def _may_continue_evaluating(self) -> bool:
        self.loop.obey_waiting()
        self.reporter.idle()
        return not (self.handler.controls.stop_reason or self.handler.controls.skips_evaluation)

    def _finish(self) -> RunStopped:
        self.handler.end()
        self.saving.save_last(self.accept)
        if self.machine is not None:
            self._measure(self.machine)
        self.reporter.status()
        steps, reason = self.state.metrics.total_steps, self.handler.controls.stop_reason
        _log.info("run ends at step %d: %s", steps, reason)
        self._note(RunStatus.FINISHED if self._limit() else RunStatus.STOPPED, reason)
        end = RunStopped(reason, steps, self.saving.checkpoint_path)
        if self.log.figures is not None:
            self.log.figures.take(end)
        return end

    def _note(self, status: RunStatus, reason: str = "") -> None:
        if self.saving.folder is not None:
            self.saving.folder.note_status(status, reason)
