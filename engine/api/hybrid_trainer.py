"""Train as the documented HybridLLMRLTrainer, the Python interface to the trainer."""

import logging
import os
import sys
import time
from pathlib import Path
from typing import Any, TextIO

from engine.api.callbacks import Callback, Callbacks
from engine.api.hybrid_agent import HybridAgent
from engine.api.llm_manager import ActionModel
from engine.api.local_run import LocalRun, Parts
from engine.api.summary import NOBODY_ASKED, SystemFigures, TrainingSummary, summarise_training
from engine.commands import Command
from engine.config import RunConfig, parse_config
from engine.env.game_env import GameEnv
from engine.errors import CheckpointError, ConfigurationError, PokeTUIError, TrainingError
from engine.events import EpisodeEnded, Event, PlannerStatusChanged, ReasoningLogged, WarningRaised
from engine.ground.files import copy_file, os_errors_as
from engine.ground.folders import user_path
from engine.ground.text import VisibleFormatter
from engine.loop.controls import CommandQueue
from engine.loop.machine import family_bytes
from engine.planning.goals.adaptive import AdaptiveStrategySystem, PerformanceMetrics
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.planning.models.answering import ANSWERING
from engine.runs.checkpoint import read_checkpoint, write_checkpoint
from engine.runs.folder import LATEST, RunFolder, find_run
from engine.runs.journal import read_journal
from engine.runs.settings import read_settings
from engine.training.build import open_figures

_ENGINE = "engine"
_log = logging.getLogger(__name__)

_PATIENCE = 20
"""The documented episodes to wait for a stage to advance."""


class HybridLLMRLTrainer:
    """Train a HybridAgent in one environment, in this thread.

    Every training is a run in a folder of its own, `<save_dir>/runs/<time>/`, which the commands
    `poketui runs` and `poketui export` know too. Many environments at once are for `poketui run`.

    Args:
        env: The game; what a subclass overrides is in force.
        agent: Acts and learns; likewise.
        strategy_system: Called with how episodes go, and says how far the planner is followed.
        decision_analyzer: Gets every decision; None: they are not kept.
        llm_manager: The language model, which is waited for; None: the agent's own, if it has one,
            else the one that `config.llm_model` names, which is not.
        save_dir: Where runs are saved.
        log_level: Of the engine's log lines. They go to stderr, unless `logging.basicConfig`, or
            whoever else sets logging up, says where.

    Attributes:
        parts: What was given.
        config: Settings that no argument names; others may be given before training.

    Raises:
        ConfigurationError: An argument is not allowed.
    """

    def __init__(
        self,
        env: GameEnv,
        agent: HybridAgent,
        strategy_system: AdaptiveStrategySystem,
        decision_analyzer: DecisionHistoryAnalyzer | None,
        llm_manager: ActionModel | None,
        save_dir: str = "checkpoints",
        log_level: str = "INFO",
    ) -> None:
        if not isinstance(env, GameEnv):
            raise ConfigurationError(
                f"env is a {type(env).__name__}, not a GameEnv.",
                "Move the wrapper's behaviour into a subclass.",
            )
        given = {"save_dir": save_dir, "log_level": log_level}
        self.config = parse_config(given, type(self).__name__)
        print_own_lines(log_level)
        agent.adaptive_strategy = strategy_system
        agent.actions = env.game.actions
        if llm_manager is not None:
            agent.llm_manager = llm_manager
        self.parts = Parts(env, agent, strategy_system, decision_analyzer)
        self._first_strategy = strategy_system.current
        self._commands = CommandQueue()
        self._callbacks = Callbacks()
        self._run: LocalRun | None = None
        self._model_state = ""
        self._has_own_limit = env.has_own_limit

    def train(
        self,
        total_episodes: int = 1000,
        max_steps_per_episode: int = 10000,
        save_interval: int = 100,
        eval_interval: int = 50,
        curriculum_patience: int = _PATIENCE,
    ) -> dict[str, Any]:
        """Train until so many episodes have ended in all, and return the documented summary.

        A loaded checkpoint's training, or that of the call before, continues.

        Args:
            total_episodes: Counted from the training's very beginning.
            max_steps_per_episode: An episode that is not over by then is truncated. Where the
                environment was given an `EnvConfig.max_steps` of its own, that holds, too.
            save_interval: Episodes between two checkpoints; 0: only time and events bring them.
            eval_interval: Episodes between two evaluations of the policy alone; 0: none.
            curriculum_patience: Episodes to wait in every stage before it advances. Left at 20, it
                gives way to a `curriculum_config` with stages or an `advancement_patience`.

        Raises:
            ConfigurationError: A number is not allowed, or another process trains here.
            DecisionValidationError: An agent's override answered what is no possible action.
            TrainingError: Anything else went wrong; its cause is attached.
        """
        for name, value, least in (
            ("total_episodes", total_episodes, 1),
            ("max_steps_per_episode", max_steps_per_episode, 1),
            ("save_interval", save_interval, 0),
            ("eval_interval", eval_interval, 0),
            ("curriculum_patience", curriculum_patience, 1),
        ):
            if not isinstance(value, int) or value < least:
                raise ConfigurationError(
                    f"train(): {name} = {value!r}.", f"Use an integer of at least {least}."
                )
        if not self._has_own_limit:
            self.parts.env.limit_steps(max_steps_per_episode)
        settings = self._settings()
        patience = {"advancement_patience": curriculum_patience}
        named = settings.curriculum.model_fields_set & {"stages", "advancement_patience"}
        if named and curriculum_patience == _PATIENCE:
            patience = {}
        config = settings.model_copy(
            update={
                "total_episodes": total_episodes,
                "save_interval": save_interval,
                "eval_interval": eval_interval,
                "curriculum": settings.curriculum.model_copy(update=patience),
            }
        )
        try:
            run = self._run = self._run or self._new_run(config)
            run.go_on(config, max_steps_per_episode)
            with run.working():
                return dict(self._train(run))
        except BaseException as error:
            stopped, self._run = self._run, None  # anywhere: only a checkpoint is whole
            if stopped is not None:
                stopped.close()
                stopped.folder.remove_unstarted()
            if isinstance(error, PokeTUIError) or not isinstance(error, Exception):
                raise
            # Of somebody else's environment, agent or callback; its traceback stays attached.
            raise TrainingError(
                f"Training ended by {type(error).__name__}: {error}.",
                f'Resume from the last checkpoint: load_checkpoint("{LATEST}").',
            ) from error

    def load_checkpoint(self, checkpoint_path: str) -> bool:
        """Go back to a checkpoint, so that `train` continues from there bit for bit.

        Args:
            checkpoint_path: A file, whose training then continues in a new run; or "latest": the
                run in `save_dir` that was worked on last continues where it stopped.

        Returns:
            Whether there was one; if not, a line in the log says why.

        Raises:
            ConfigurationError: Another process trains in that run.
        """
        try:
            run = self._load(checkpoint_path)
        except CheckpointError as error:
            _log.error("no checkpoint loaded: %s", error)
            return False
        self._run = run
        metrics = run.trainer.state.metrics
        _log.info(
            "loaded %s: %d episodes, %d steps",
            run.trainer.saving.checkpoint_path,
            metrics.episodes,
            metrics.total_steps,
        )
        return True

    def save_best_model(self) -> str:
        """Keep all as it is now as the run's best checkpoint, and return its path.

        Raises:
            TrainingError: Nothing was trained yet.
            CheckpointError: The disk is full or not writable.
        """
        if self._run is None:
            raise TrainingError("There is nothing to save yet.", "Call train() first.")
        path = self._run.folder.best_path
        hint = "Free some disk space; the previous one is intact."
        with (
            self._run.working(),
            os_errors_as(CheckpointError, f"Cannot write the checkpoint {path}", hint),
        ):
            write_checkpoint(path, self._run.trainer.saving.take())
        return str(path)

    def register_callback(self, event_name: str, callback: Callback) -> None:
        """Call `callback(trainer, episode, metrics)` between two steps, after something happened.

        Args:
            event_name: "episode_end", whose metrics are the documented ones and `reward`;
                "curriculum_change", "strategy_switch", "policy_update", "evaluation_end",
                "checkpoint_saved" or "llm_status", with the figures of that event.
            callback: What it raises ends the training.

        Raises:
            ConfigurationError: There is no such event.
        """
        self._callbacks.register(event_name, callback)

    def send(self, command: Command) -> None:
        """Ask for something, e.g. `Stop()`, from a callback or another thread."""
        self._commands.put(command)

    @property
    def episodes(self) -> int:
        """Return how many episodes of the training have ended."""
        return self._run.trainer.state.metrics.episodes if self._run is not None else 0

    @property
    def checkpoint_path(self) -> str:
        """Return the path of the last checkpoint; "" before the first."""
        return self._run.trainer.saving.checkpoint_path if self._run is not None else ""

    def close(self) -> None:
        """Close the environment and the decision history, and ask no language model any more."""
        if self._run is not None:
            self._run.close()
        self.parts.env.close()
        if self.parts.history is not None:
            self.parts.history.close()

    @property
    def performance_metrics(self) -> PerformanceMetrics:
        """Return the documented metrics after the last episode."""
        return self.parts.strategy.metrics or {
            "episode_reward": 0.0,
            "average_reward": 0.0,
            "llm_usage_rate": 0.0,
            "rules_usage_rate": 0.0,
            "episode_length": 0,
            "strategy_switches": 0,
            "curriculum_stage": 1,
            "success_rate": 0.0,
        }

    def _train(self, run: LocalRun) -> TrainingSummary:
        metrics, history = run.trainer.state.metrics, self.parts.history
        before, began_s = metrics.episodes, time.monotonic()
        bytes_before = history.file_bytes() if history is not None else 0
        run.trainer.log.figures = figures = open_figures(run.trainer, run.folder, self._take)
        try:
            run.folder.keep()
            run.trainer.run()
        finally:
            figures.close()
        took_s = time.monotonic() - began_s
        self._call_back()
        led, alone = run.evaluate(), run.evaluate_policy()
        if history is not None:
            history.flush()
        db_bytes = history.file_bytes() if history is not None else 0
        system: SystemFigures = {
            "episodes_per_hour": 3600 * (metrics.episodes - before) / took_s,
            "memory_bytes": family_bytes(os.getpid()),
            "decision_db_bytes": db_bytes,
            "decision_db_growth_bytes": db_bytes - bytes_before,
        }
        run.trainer.log.journal.position()
        events = read_journal(run.folder.journal_path, warn=_log.warning)
        counts = run.model_counts()
        if counts["llm_error"]:
            _log.warning(
                "language model: %d queries, %d answered; final state: %s",
                counts["llm_asked"],
                counts["llm_answered"],
                counts["llm_error"],
            )
        return summarise_training(events, metrics.total_steps, led, alone, counts, system)

    def _settings(self) -> RunConfig:
        """Return the settings with what the parts say."""
        parts = self.parts
        return self.config.model_copy(
            update={
                "num_envs": 1,
                "workers": 1,
                "headless": True,
                "observation_type": parts.env.observation_type,
                "mode": parts.agent.mode.value,
                "initial_strategy": self._first_strategy.value,
                "env": parts.env.config,
                "rewards": parts.env.rewards,
                "curriculum": parts.agent.curriculum_config,
            }
        )

    def _new_run(self, config: RunConfig, checkpoint_path: Path | None = None) -> LocalRun:
        """Begin a run; at a checkpoint, with the part of its run's journal that led to it."""
        checkpoint = read_checkpoint(checkpoint_path) if checkpoint_path is not None else None
        folder = RunFolder.create(config)
        run: LocalRun | None = None
        try:
            folder.unlock()
            if checkpoint_path is not None:
                journal = checkpoint_path.parent.parent / folder.journal_path.name
                if journal.is_file():
                    copy_file(journal, folder.journal_path)
            run = self._make_run(config, folder)
            if checkpoint is None:
                run.begin()
                return run
            with run.working():
                run.trainer.saving.restore(checkpoint)
        except BaseException:  # Ctrl-C too; it is raised again
            if run is not None:
                run.close()
            if checkpoint is not None:
                folder.journal_path.unlink(missing_ok=True)  # another run's
            folder.remove_unstarted()
            raise
        run.trainer.saving.checkpoint_path = str(checkpoint_path)
        return run

    def _make_run(self, config: RunConfig, folder: RunFolder) -> LocalRun:
        return LocalRun(self.parts, config, folder, self._commands, self._take, self._call_back)

    def _load(self, checkpoint_path: str) -> LocalRun:
        env = self.parts.env
        if checkpoint_path != LATEST:
            path = user_path(checkpoint_path)
            env.encode_for(int(read_checkpoint(path).facts.get("feature_size", 0)))
            return self._new_run(self._settings(), path)
        folder = RunFolder(find_run(self.config.save_dir, LATEST))
        env.encode_as(read_settings(folder.path).env.features)
        config = self._settings()
        run = self._make_run(config, folder)
        store = folder.store(config.keep_checkpoints)
        with run.working():
            _, path, warnings = store.load_newest(run.trainer.saving.restore)
        for warning in warnings:
            _log.warning(warning)
        run.trainer.saving.checkpoint_path = str(path)
        return run

    def _take(self, event: Event) -> None:
        self._callbacks.take(event)
        match event:
            case EpisodeEnded(episode, _, summary):
                _log.info(
                    "episode %d: reward %.2f in %d steps, %.0f %% advised",
                    episode,
                    summary.total_reward,
                    summary.length,
                    100 * summary.planner_share,
                )
            case WarningRaised(message):
                _log.warning(message)
            case PlannerStatusChanged(model, state, detail) if state != self._model_state:
                self._model_state = state
                # Of one that is waited for, `Consultation` says more.
                is_news = state not in ANSWERING and self.parts.agent.llm_manager is None
                _log.log(
                    logging.WARNING if is_news else logging.DEBUG,
                    "language model %s is %s: %s",
                    model,
                    state,
                    detail,
                )
            case ReasoningLogged(_, source, text):
                _log.info("%s: %s", source, text)

    def _call_back(self) -> None:
        counts = self._run.model_counts() if self._run is not None else NOBODY_ASKED
        self._callbacks.call(self, self.episodes, {**self.performance_metrics, **counts})


class _OwnLines(logging.StreamHandler[TextIO]):
    """Prints the engine's log lines on stderr unless logging is configured elsewhere."""

    def emit(self, record: logging.LogRecord) -> None:
        own = logging.getLogger(_ENGINE)
        if own.propagate and not logging.getLogger().handlers and own.handlers == [self]:
            self.stream = sys.stderr
            super().emit(record)


def print_own_lines(log_level: str) -> None:
    """Print the engine's log lines from a level on, but no library's."""
    logger = logging.getLogger(_ENGINE)
    logger.setLevel(log_level)
    if not any(isinstance(handler, _OwnLines) for handler in logger.handlers):
        handler = _OwnLines()
        handler.setFormatter(VisibleFormatter())
        logger.addHandler(handler)
