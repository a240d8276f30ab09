"""Train a battle policy in a thread of its own: commands go in, events come out."""

import contextlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.battles.learn.matchmaking import ActorSettings, is_file
from engine.battles.policy import POOL, Policy, read_network
from engine.battles.sim.setup import find_simulator
from engine.battles.sim.teams import find_format, first_teams, pool, read_teams
from engine.config import RunConfig, VgcConfig
from engine.errors import ConfigurationError, PokeTUIError
from engine.events import ProgressReported, RunStarted, RunStopped, WarningRaised
from engine.loop.controls import Controls, Pace
from engine.loop.session_loop import SessionLoop
from engine.runs.folder import RunFolder
from engine.runs.journal import Journal, read_journal
from engine.runs.lock import RunStatus
from engine.runs.metrics import MetricsLogger
from engine.runs.settings import flat, ignored_settings, read_settings
from engine.runs.tensorboard import TensorBoardFile
from engine.sessions.threaded import ThreadedSession
from engine.sessions.train import log_to_file
from engine.types import ActionSet

if TYPE_CHECKING:
    from engine.battles.learn.training import BattleTraining

_REPLAYED_EVENTS = 2000
_CARRIED_ON = frozenset({"save_dir", "keep_checkpoints", "log_level"})
"""Settings that a resumed run takes from the new command, given or not."""
_log = logging.getLogger(__name__)


class BattleSession(ThreadedSession):
    """One run of battles, new or resumed.

    The constructor checks the settings, and takes the run's folder.

    Args:
        config: The run's settings; `config.save_dir` is where runs of battles are.
        resume: Id or path of a saved run, or "latest"; None begins a new one. A resumed run keeps
            its settings but for `changes`.
        changes: Settings in the section vgc that were given by name.

    Attributes:
        run_id: The run's name.
        run_dir: Its folder.
        config: The settings in force.
        own_team: The first team that it plays with, packed.
        is_finished: It ended because its time or its steps are used up.

    Raises:
        PokeTUIError: A setting is wrong, the simulator is missing, or there is no such run.
    """

    def __init__(
        self, config: RunConfig, resume: str | None = None, changes: dict[str, Any] | None = None
    ) -> None:
        super().__init__("run of battles")
        self._node = find_simulator()
        self._is_resumed = resume is not None
        if resume is None:
            self._teams = teams_of(config.vgc)
            model = config.vgc.bc_model
            self._cloned = read_network(Path(model)) if model else None
            _check_opponents(config.vgc)
            self._folder = RunFolder.create(config)
        else:
            if (changes or {}).get("bc_model"):
                raise ConfigurationError(
                    "A resumed run continues with its own weights.", "Leave --bc-model out."
                )
            self._folder = RunFolder.open(config, resume, self._warn)
            try:
                saved = read_settings(self._folder.path)
                vgc = VgcConfig.model_validate(_within_pool(saved.vgc) | (changes or {}))
                if "seed" in ignored_settings(saved, config, ()):
                    self._warn("The saved run's settings are kept: seed.")
                kept = _CARRIED_ON | ({"tensorboard"} & config.model_fields_set)
                taken = {key: getattr(config, key) for key in kept}
                config = saved.model_copy(update=taken | {"vgc": vgc})
                self._teams = teams_of(vgc)
                _check_opponents(vgc)
            except BaseException:
                self._folder.unlock()
                raise
        self.config = config
        self.own_team = self._teams[0][0]
        self.is_finished = False
        self.run_id, self.run_dir = self._folder.run_id, str(self._folder.path)

    def discard(self) -> None:
        """Delete the folder if nothing came of the run, and unlock it."""
        self.join(2.0)
        if not self.is_alive:
            self._folder.remove_unstarted()

    def _run(self) -> None:
        try:
            with log_to_file(str(self._folder.log_path), self.config.log_level):
                end = self._end()
        finally:
            self._folder.remove_unstarted()
        self.mailbox.post(end)

    def _work(self) -> RunStopped:
        try:
            return self._train()
        except PokeTUIError:
            _log.exception("the run failed")
            raise

    def _train(self) -> RunStopped:
        self.mailbox.post(ProgressReported("loading the learning library"))
        # Here, not above: it takes seconds.
        from engine.battles.learn.learner import Learner
        from engine.battles.learn.standings import Pool, Standings
        from engine.battles.learn.team_sampling import TeamSampling
        from engine.battles.learn.training import BattleReporter, BattleTraining
        from engine.battles.learn.workers import Workers
        from engine.training.reporter import RunLog

        config, vgc, folder = self.config, self.config.vgc, self._folder
        with contextlib.ExitStack() as closing:
            journal = Journal(folder.journal_path, folder.is_held)
            log = RunLog(journal, None, self.mailbox.post)
            closing.callback(log.close)
            controls, pace = Controls(), Pace()
            workers = Workers(
                vgc.num_workers,
                _actor_settings(config, self._teams),
                self._node,
                folder.path if vgc.file_backed else None,
                lambda text: log.emit(WarningRaised(text)),
            )
            closing.callback(workers.close)
            training = BattleTraining(
                config=config,
                learner=Learner(vgc, config.seed),
                workers=workers,
                standings=Standings(),
                pool=Pool(folder.path / POOL, vgc.pool_size),
                teams=TeamSampling(self._teams[1], len(self._teams[0]), vgc.team_priority),
                store=folder.store(config.keep_checkpoints),
                controls=controls,
                reporter=BattleReporter(controls, pace, log),
                log=log,
            )
            if self._is_resumed:
                _, _, warnings = training.store.load_newest(training.restore)
                for text in warnings:
                    self._warn(text)
            elif self._cloned is not None:
                report = training.learner.network.load_compatible(self._cloned)
                if not report.loaded:
                    raise ConfigurationError(f"Nothing fits in {vgc.bc_model}.", "Use another one.")
                self.mailbox.post(ProgressReported(f"{vgc.bc_model}: {report.text()}"))
            log.figures = self._figures(training)
            folder.keep()
            self._report_start(training)
            training.start()
            folder.note_status(RunStatus.RUNNING)
            SessionLoop(
                training, controls, pace, training.reporter, self._commands, ActionSet(())
            ).run()
            end = training.finish()
            self.is_finished = training.elapsed() >= 1
            status = RunStatus.FINISHED if self.is_finished else RunStatus.STOPPED
            folder.note_status(status, end.reason)
            return end

    def _figures(self, training: "BattleTraining") -> MetricsLogger:
        config, step = self.config, training.reporter.metrics.total_steps
        settings, defaults = (
            flat(each.model_dump(mode="json", include={"seed", "vgc"}))
            for each in (config, RunConfig())
        )
        path = self._folder.tensorboard_path
        writers = [TensorBoardFile(path, step, settings=settings, defaults=defaults)]
        return MetricsLogger(
            writers if config.tensorboard else [],
            self._warn,
            learning_rate=config.vgc.learning_rate,
            past=read_journal(self._folder.journal_path, _REPLAYED_EVENTS) if step else (),
        )

    def _report_start(self, training: "BattleTraining") -> None:
        vgc, steps = self.config.vgc, training.reporter.metrics.total_steps
        self.mailbox.post(
            RunStarted(
                run_id=self.run_id,
                run_dir=self.run_dir,
                game=find_format(vgc.format).id,
                agent="ppo",
                mode=self.config.mode,
                num_envs=vgc.num_workers * vgc.lanes,
                num_workers=vgc.num_workers,
                milestones=(),
                resumed_from=steps,
                actions=ActionSet(()),
                frame_shape=None,
                has_game_state=False,
            )
        )
        if steps:
            for event in read_journal(self._folder.journal_path, _REPLAYED_EVENTS, self._warn):
                self.mailbox.post(event)

    def _warn(self, text: str) -> None:
        self.mailbox.post(WarningRaised(text))

    @property
    def _has_checkpoint(self) -> bool:
        return self._folder.is_held() and self._folder.has_checkpoint

    @property
    def _remedy(self) -> str:
        return f"The log has the details: {self._folder.log_path}"


def teams_of(vgc: VgcConfig) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the own teams, and the foe's, which are those and the shipped ones; packed.

    Raises:
        PokeTUIError: The format is unknown or has fewer teams, or an own team is unusable.
    """
    format = find_format(vgc.format)
    shipped = first_teams(format, vgc.num_teams)
    if not vgc.team:
        return shipped, shipped
    own = tuple(team.packed for team in read_teams(Path(vgc.team), format))
    return own, (*own, *shipped)


def _check_opponents(vgc: VgcConfig) -> None:
    """Refuse files that are no policies.

    Raises:
        CheckpointError: An opponent's file is missing, damaged, or of another network.
    """
    for name in filter(is_file, vgc.opponents):
        Policy.load(Path(name))


def _within_pool(saved: VgcConfig) -> dict[str, Any]:
    """Return saved settings with the number of teams limited to the existing ones.

    Older versions accepted a larger number.
    """
    most = len(pool(find_format(saved.format)))
    return saved.model_dump() | {"num_teams": min(saved.num_teams, most)}


def _actor_settings(
    config: RunConfig, teams: tuple[tuple[str, ...], tuple[str, ...]]
) -> ActorSettings:
    vgc = config.vgc
    return ActorSettings(
        format=find_format(vgc.format).id,
        teams=teams[0],
        foe_teams=teams[1],
        lanes=vgc.lanes,
        capacity=vgc.buffer_size,
        seed=(config.seed,),
        gamma=vgc.gamma,
        gae_lambda=vgc.gae_lambda,
        damage_reward=vgc.damage_reward,
        faint_reward=vgc.faint_reward,
        greedy_opponents=vgc.greedy_opponents,
    )
