"""Train a battle policy: workers play and a learner learns, neither waiting for the other.

`BattleTraining.advance` is the loop: hear the workers; when they have filled enough buffers, begin
an update; take its gradient steps one by one; publish the new weights, report, and write a
checkpoint. Workers fill their other buffers meanwhile, with the weights of the update before.
"""

from dataclasses import dataclass

from engine.battles.learn.learner import Learner
from engine.battles.learn.matchmaking import EVALUATION, OpponentPlan
from engine.battles.learn.standings import Pool, Standings
from engine.battles.learn.team_sampling import TeamSampling
from engine.battles.learn.workers import Worker, Workers
from engine.commands import Command, Pause, Resume, Save, SetSpeed, StepOnce
from engine.config import RunConfig
from engine.errors import CheckpointError
from engine.events import (
    BattlesProgressed,
    BattleWorker,
    CheckpointSaved,
    PolicyUpdated,
    RunStopped,
    WarningRaised,
)
from engine.loop.controls import Controls, Pace
from engine.loop.machine import family_bytes
from engine.loop.reporter import Reporter
from engine.loop.session_loop import IDLE_S
from engine.runs.checkpoint import Checkpoint, CheckpointStore
from engine.training.reporter import RunLog
from engine.training.snapshot import package_version, refuse_other_versions

_POLL_S = 0.05
_LAST_SCALE = 0.1
"""Final share of learning rate and entropy, where they are annealed."""


class BattleReporter(Reporter):
    """Publish how the battles go: decisions are the steps, battles the episodes."""

    def __init__(self, controls: Controls, pace: Pace, log: RunLog) -> None:
        super().__init__(controls, pace, log.emit, phase="starting the workers")
        self._earlier_s = 0.0
        self._speed = 0.0
        self._last = 0.0, 0

    def resume(self, uptime_s: float) -> None:
        """Continue from a checkpoint's uptime."""
        self._earlier_s = uptime_s
        self._last = self.uptime_s(), self.metrics.total_steps

    def uptime_s(self) -> float:
        """Return how long the run has lasted, over all its starts."""
        return self._earlier_s + super().uptime_s()

    def session_s(self) -> float:
        """Return how long this process has trained."""
        return super().uptime_s()

    def steps_per_s(self) -> float:
        """Return decisions a second between the last two updates, learning included."""
        return self._speed

    def updated(self) -> None:
        """Measure the speed since the last update."""
        now = self.uptime_s(), self.metrics.total_steps
        (then_s, then), self._last = self._last, now
        self._speed = (now[1] - then) / max(now[0] - then_s, 1e-9)


@dataclass(slots=True, eq=False)
class BattleTraining:
    """Advance a run of battles: an `engine.loop.session_loop.Activity`.

    Attributes:
        checkpoint_path: Of the last one; "" before the first.
    """

    config: RunConfig
    learner: Learner
    workers: Workers
    standings: Standings
    pool: Pool
    teams: TeamSampling
    store: CheckpointStore
    controls: Controls
    reporter: BattleReporter
    log: RunLog
    checkpoint_path: str = ""
    not_here: str = "There is nothing like that in a run of battles."
    first_version: int = 0

    def start(self) -> None:
        """Let the workers begin with the learner's present weights."""
        self.first_version = 1 - self.reporter.metrics.updates
        self.workers.start(self.learner.flat(), self.plan())
        if not self.reporter.metrics.updates:
            self.save()  # so that the run can be resumed from its beginning

    def plan(self) -> OpponentPlan:
        """Return what the workers are to play now."""
        vgc = self.config.vgc
        share = vgc.evaluation_share
        evaluation = {EVALUATION: sum(vgc.opponents.values()) * share / (1 - share)}
        return OpponentPlan(vgc.opponents | evaluation, self.pool.shares(), *self.teams.shares())

    def is_over(self) -> bool:
        """Return whether it was asked to stop, or has used up its time or steps."""
        if self.elapsed() >= 1:
            self.controls.stop_reason = self.controls.stop_reason or "its limit is reached"
        return bool(self.controls.stop_reason)

    def elapsed(self) -> float:
        """Return the share of the limit, on time or steps, that is used up; 0 without a limit."""
        vgc, steps = self.config.vgc, self.reporter.metrics.total_steps
        time = self.reporter.session_s() / (60 * vgc.minutes) if vgc.minutes else 0.0
        return max(time, steps / vgc.steps if vgc.steps else 0.0)

    def scale(self) -> float:
        """Return the factor on learning rate and entropy."""
        return 1 - (1 - _LAST_SCALE) * self.elapsed() if self.config.vgc.anneal else 1.0

    def wait_s(self) -> float | None:
        """Wait for commands while paused."""
        return IDLE_S if self.controls.is_paused else 0.0

    def obey(self, command: Command) -> str | None:
        """Pause and resume the workers, too."""
        match command:
            case Pause() | Resume():
                self.workers.pause(is_paused=isinstance(command, Pause))
                return None
            case Save():
                self.save()
                return ""
            case StepOnce() | SetSpeed():
                return self.not_here
            case _:
                return None

    def advance(self) -> None:
        """Hear the workers; take a gradient step, or begin an update when buffers are full."""
        self.reporter.idle()
        if self.controls.is_paused:
            return
        self.hear(0.0 if self.learner.is_learning else _POLL_S)
        if self.learner.is_learning:
            figures = self.learner.step()
            if figures is not None:
                self.conclude(figures)
        elif self.workers.full() >= self.config.vgc.num_workers:
            experience = self.workers.take(self.config.vgc.num_workers)
            self.reporter.metrics.total_steps += len(experience.codes)
            self.learner.begin(experience, self.scale())
            self.reporter.phase("learning")

    def hear(self, timeout_s: float) -> None:
        """Count the workers' reports."""
        metrics = self.reporter.metrics
        for report in self.workers.poll(timeout_s):
            metrics.episodes += report.battles
            self.standings.add(report)
            self.pool.add_results(report.past)
            self.teams.add(report)
            if self.reporter.work[0] != "learning":
                self.reporter.phase("acting")

    def conclude(self, figures: dict[str, float]) -> None:
        """End an update: publish weights, report it, and save it."""
        metrics, reporter, vgc = self.reporter.metrics, self.reporter, self.config.vgc
        self.workers.weights.publish(self.learner.flat())
        metrics.updates += 1
        reporter.updated()
        reporter.emit(PolicyUpdated(metrics.updates, metrics.total_steps, figures))
        reporter.emit(
            BattlesProgressed(
                total_steps=metrics.total_steps,
                battles=metrics.episodes,
                update=metrics.updates,
                uptime_s=reporter.uptime_s(),
                decisions_per_s=reporter.steps_per_s(),
                mean_turns=self.standings.mean_turns,
                pool_size=len(self.pool.policies),
                opponents=self.standings.scores(),
                workers=tuple(self._described(worker) for worker in self.workers.every),
            )
        )
        if vgc.pool_size and metrics.updates % vgc.pool_interval == 0:
            try:
                self.pool.add(self.learner.save()[1], metrics.updates)
            except OSError as error:
                text = f"The pool cannot be written: {error.strerror or error}."
                reporter.emit(WarningRaised(text))
        self.pool.decay()
        self.teams.decay()
        self.workers.set_plan(self.plan())
        self.save()
        reporter.phase("acting")

    def finish(self) -> RunStopped:
        """Finish the current update, and return how the run ended."""
        while self.learner.is_learning:
            figures = self.learner.step()
            if figures is not None:
                self.conclude(figures)
        if not self.checkpoint_path:
            self.save()
        total_steps = self.reporter.metrics.total_steps
        return RunStopped(self.controls.stop_reason, total_steps, self.checkpoint_path)

    def save(self) -> None:
        """Write a checkpoint; a full disk is a warning, the run continues."""
        if self.learner.is_learning:
            return  # the end of the update writes one
        try:
            path = self.store.save(self._snapshot(), self.reporter.metrics.total_steps)
        except CheckpointError as error:
            self.reporter.emit(WarningRaised(str(error)))
            return
        self.pool.tidy()
        self.checkpoint_path = str(path)
        self.reporter.emit(CheckpointSaved(str(path), self.reporter.metrics.total_steps))

    def restore(self, checkpoint: Checkpoint) -> None:
        """Restore a checkpoint; battles that were in progress begin anew.

        Raises:
            CheckpointError: It belongs to other settings or to another version.
        """
        with refuse_other_versions(checkpoint):
            facts = checkpoint.facts
            self.learner.load(facts["learner"], checkpoint.arrays)
            self.standings.load(facts["standings"])
            self.pool.load(facts["pool"], lambda text: self.reporter.emit(WarningRaised(text)))
            self.teams.load(facts.get("teams", {}))  # older checkpoints have none
            self.reporter.metrics.load(facts["metrics"])
            self.reporter.resume(float(facts["uptime_s"]))
            self.log.journal.truncate(int(facts["journal_bytes"]))

    def _snapshot(self) -> Checkpoint:
        facts, arrays = self.learner.save()
        return Checkpoint(
            {
                "version": package_version(),
                "config": self.config.model_dump(mode="json"),
                "learner": facts,
                "standings": self.standings.save(),
                "pool": self.pool.save(),
                "teams": self.teams.save(),
                "metrics": self.reporter.metrics.save(),
                "score": self.standings.score(),
                "uptime_s": self.reporter.uptime_s(),
                "journal_bytes": self.log.journal.position(),
            },
            arrays,
        )

    def _described(self, worker: Worker) -> BattleWorker:
        report = worker.report
        return BattleWorker(
            number=worker.number,
            pid=worker.pid,
            is_waiting=len(worker.full) == len(worker.buffers),
            decisions=worker.decisions,
            battles=worker.battles,
            rejected=report.rejected if report else 0,
            decisions_per_s=report.count / report.seconds if report else 0.0,
            resident_bytes=family_bytes(worker.pid),
            weights_version=report.version - self.first_version if report else 0,
            restarts=worker.restarts,
        )
