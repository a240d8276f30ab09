"""Build a run from its settings: environments, agent, curriculum, trainer."""

import contextlib
import logging
import math
import random
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from engine.agents.base import Agent, spaces_of
from engine.agents.calibration import Calibration
from engine.agents.dqn import DQN
from engine.agents.guided import GuidedPPO
from engine.agents.rules import ExploreAgent, RandomAgent, RulesAgent
from engine.config import RunConfig
from engine.curriculum.scheduler import Curriculum
from engine.curriculum.starts import WayToGoal
from engine.curriculum.swarm import Frontier, Swarm
from engine.env.vector.world import VectorEnv, start_games
from engine.env.vector.world import make_vector as _make_vector
from engine.env.world import Inspectable
from engine.events import Event, ProgressReported, RunStarted, WarningRaised
from engine.games.base import Game
from engine.games.catalog import load_game
from engine.ground.folders import user_path
from engine.loop.controls import CommandQueue
from engine.loop.machine import MachineMeter
from engine.loop.reporter import emit_world
from engine.planning.goals.adaptive import (
    WINDOW,
    AdaptiveStrategySystem,
    GoalSource,
    HistoryAnalyzer,
    StrategyType,
)
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.planning.history.recorder import DecisionRecorder
from engine.planning.models.backends import make_backends
from engine.planning.models.exchanges import ExchangeLog
from engine.planning.models.planner import Planner
from engine.runs.folder import RunFolder
from engine.runs.journal import Journal, read_journal
from engine.runs.metrics import MetricsLogger, MetricsWriter
from engine.runs.settings import SESSION_KEYS, flat
from engine.runs.tensorboard import TensorBoardFile
from engine.runs.weights_biases import WandbRun
from engine.training.planning import Planning
from engine.training.starts import make_backward_starts, starts_along
from engine.training.trainer import Trainer
from engine.training.warm_start import (
    begin_from_demonstrations,
    begins_from_others,
    imitate_explored,
    write_explored,
)
from engine.types import Spaces

_log = logging.getLogger(__name__)

_REPLAYED_EVENTS = 2000
"""How many of a resumed run's last events are emitted again, so that its curves are whole."""


def build_trainer(
    config: RunConfig,
    folder: RunFolder,
    commands: CommandQueue,
    emit: Callable[[Event], None],
    *,
    is_resumed: bool,
    make_vector: Callable[[RunConfig], VectorEnv] | None = None,
    vector: VectorEnv | None = None,
) -> Trainer:
    """Build a trainer that is about to take its first step, or the first since its checkpoint.

    What `emit` raises ends the building. `make_vector` makes the environments, by default games in
    worker processes; those of `vector` exist already, and stay the caller's to close if building
    fails.

    Raises:
        PokeTUIError: The ROM, a worker or the checkpoint is unusable.
    """
    torch.set_num_threads(1)
    game = load_game(config.rom_path, config.allow_unknown_rom)
    with contextlib.ExitStack() as undo:  # if anything fails, all that was started is closed
        history = DecisionHistoryAnalyzer(
            folder.path / user_path(config.decision_db_path),
            run=folder.run_id,
            warn=lambda text: emit(WarningRaised(text)),
        )
        recorder = DecisionRecorder(history, folder.run_id, game)
        undo.callback(recorder.close)
        calibration = Calibration()
        planning = build_planning(config, folder, calibration, history, emit)
        if planning is not None:
            undo.callback(planning.close)
        if vector is None:
            vector = make_vector(config) if make_vector else start_games(config, emit)
            undo.callback(vector.close)
        journal = Journal(folder.journal_path, folder.is_held)
        undo.callback(journal.close)
        emit(ProgressReported("starting the games"))
        seed_everything(config.seed)
        batch = vector.reset(environment_seeds(config))
        trainer = Trainer(
            config=config,
            vector=vector,
            batch=batch,
            agent=build_agent(config, spaces_of(batch)),
            curriculum=build_curriculum(config, game),
            strategy=build_strategy(config, history),
            make_vector=make_vector or _make_vector,
            store=folder.store(config.keep_checkpoints),
            journal=journal,
            game=game,
            commands=commands,
            emit=emit,
            recorder=recorder,
            calibration=calibration,
            planning=planning,
            folder=folder,
        )
        _choose_starts(trainer, config, emit)
        if is_resumed:
            _resume(trainer, emit)
        elif begins_from_others(config):
            begin_from_demonstrations(trainer.learning.agent, config, emit)
        trainer.log.figures = open_figures(trainer, folder, emit)
        undo.callback(trainer.log.figures.close)
        trainer.machine = MachineMeter(folder.path, history_bytes=history.file_bytes)
        undo.callback(trainer.machine.close)
        emit(_started(trainer, config, folder, game, isinstance(vector, Inspectable)))
        emit_world(game, emit)
        if is_resumed:
            for event in read_journal(
                folder.journal_path, _REPLAYED_EVENTS, lambda text: emit(WarningRaised(text))
            ):
                emit(event)
        undo.pop_all()
    return trainer


def _choose_starts(trainer: Trainer, config: RunConfig, emit: Callable[[Event], None]) -> None:
    """Let episodes begin where the settings say: along a demonstration, at a search's finds."""
    if config.backward.demo:
        trainer.state.starts = make_backward_starts(config, emit)
    elif config.agent == "explore":
        write = partial(write_explored, config)
        trainer.state.starts = Frontier(config.explore, config.seed, write)
    elif share := config.curriculum.swarm_share:
        write = partial(imitate_explored, trainer.learning.agent, config)
        first_env = max(1, config.num_envs - round(share * config.num_envs))
        along = partial(starts_along, config, emit)
        trainer.state.starts = Swarm(
            config.explore, config.backward, config.seed, first_env, write, along
        )


def _started(
    trainer: Trainer, config: RunConfig, folder: RunFolder, game: Game, has_game_state: bool
) -> RunStarted:
    return RunStarted(
        run_id=folder.run_id,
        run_dir=str(folder.path),
        game=game.name,
        agent=trainer.learning.agent.name,
        mode=config.mode,
        num_envs=config.num_envs,
        num_workers=config.worker_count(),
        milestones=game.milestones,
        actions=game.actions,
        frame_shape=game.frame_shape,
        has_game_state=has_game_state,
        resumed_from=trainer.state.metrics.total_steps,
    )


def build_agent(config: RunConfig, spaces: Spaces) -> Agent:
    """Return the agent that the settings name; without a policy the planner acts alone."""
    if config.agent == "random":
        return RandomAgent(config.seed)
    if config.agent == "explore":
        return ExploreAgent(config.seed, config.explore.repeats)
    if config.agent == "rules" or config.mode == "llm_only":
        return RulesAgent(config.seed)
    if config.agent == "dqn":
        return DQN(
            config.dqn, config.num_envs, spaces, config.seed, config.encoder, config.imitation
        )
    return GuidedPPO(
        config.ppo,
        config.num_envs,
        spaces,
        config.seed,
        config.encoder,
        takeover=config.takeover,
        imitation=config.imitation,
    )


def build_planning(
    config: RunConfig,
    folder: RunFolder,
    calibration: Calibration,
    history: DecisionHistoryAnalyzer | None,
    emit: Callable[[Event], None],
) -> Planning | None:
    """Return the part that asks language models for goals; None where none is to be asked.

    Raises:
        ConfigurationError: A model's client is not installed, or its key is missing.
    """
    if not config.asks_models:
        return None
    backends = make_backends(config)
    has_prices = config.planner.input_price > 0 or config.planner.output_price > 0
    if not has_prices and any(backend.is_paid for backend in backends):
        emit(
            WarningRaised(
                f"The price of {config.llm_model} is unknown: planner.max_cost_per_run has no "
                "effect. Set planner.input_price and planner.output_price, or "
                "planner.max_tokens_per_run."
            )
        )
    exchanges = ExchangeLog(folder.exchanges_path, config.planner.keep_exchanges)
    return Planning(
        Planner(
            backends,
            config.planner,
            max_context_length=config.max_context_length,
            seed=config.seed,
            exchanges=exchanges,
        ),
        tuple(backend.model for backend in backends),
        config.planner,
        interval=config.llm_interval,
        calibration=calibration,
        history=history,
        exchanges=exchanges,
        emit=emit,
    )


def build_curriculum(config: RunConfig, game: Game) -> Curriculum:
    """Return the curriculum at its first stage, scaled to the way to the run's goal."""
    milestones = game.tables.MILESTONES
    goal_reward = len(game.milestones) * config.rewards.milestone + config.rewards.badge
    fixed_share = {"rl_only": 0.0, "llm_only": 1.0}.get(config.mode)
    return Curriculum(
        config.curriculum,
        goal_reward,
        way=WayToGoal(milestones, config.env.goal) if milestones else None,
        initial_strategy=first_strategy(config),
        fixed_share=1.0 if config.agent == "rules" else fixed_share,
    )


def build_strategy(
    config: RunConfig,
    history_analyzer: HistoryAnalyzer | None = None,
    goal_planner: GoalSource | None = None,
) -> AdaptiveStrategySystem:
    """Return the strategy system before its first episode."""
    strategy = AdaptiveStrategySystem(
        history_analyzer,
        goal_planner,
        initial=first_strategy(config),
        # As many episodes as there are environments began under the former strategy.
        min_stay=max(WINDOW, config.num_envs),
    )
    if config.strategy != "adaptive":
        strategy.force_strategy(StrategyType(config.strategy))
    return strategy


def first_strategy(config: RunConfig) -> StrategyType:
    """Return the strategy that a run begins with."""
    is_adaptive = config.strategy == "adaptive"
    return StrategyType(config.initial_strategy if is_adaptive else config.strategy)


def environment_seeds(config: RunConfig) -> list[int]:
    """Return a seed an environment, all from the run's seed."""
    sequence = np.random.SeedSequence([config.seed, 4])
    return [int(seed) for seed in sequence.generate_state(config.num_envs) % 2**31]


def open_figures(
    trainer: Trainer, folder: RunFolder, emit: Callable[[Event], None]
) -> MetricsLogger:
    """Return the logger of a run's metrics, as its settings say; the caller closes it.

    Raises:
        ConfigurationError: Weights & Biases cannot begin.
    """
    state, agent = trainer.state, trainer.learning.agent.name
    config, step = state.config, state.metrics.total_steps
    ppo, dqn = config.ppo, config.dqn
    rates = {"ppo": (ppo.learning_rate, ppo.epochs), "dqn": (dqn.learning_rate, dqn.gradient_steps)}
    learning_rate, passes = rates.get(agent, (math.nan, 1))
    writers: list[MetricsWriter] = []
    if config.tensorboard:
        settings, defaults = (
            flat(each.model_dump(mode="json", exclude=set(SESSION_KEYS)))
            for each in (config, RunConfig())
        )
        path = folder.tensorboard_path
        writers.append(TensorBoardFile(path, step, settings=settings, defaults=defaults))
    if config.wandb != "off":
        writers.append(WandbRun(config, folder.path, folder.run_id))
    return MetricsLogger(
        writers,
        lambda text: emit(WarningRaised(text)),
        len(state.milestone_texts),
        learning_rate=learning_rate,
        passes=passes,
        past=read_journal(folder.journal_path, _REPLAYED_EVENTS) if step else (),
    )


def seed_everything(seed: int) -> None:
    """Seed the global generators: an agent from elsewhere may draw from them."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def _resume(trainer: Trainer, emit: Callable[[Event], None]) -> None:
    started_s = time.monotonic()
    _, path, warnings = trainer.saving.store.load_newest(trainer.saving.restore)
    for warning in warnings:
        emit(WarningRaised(warning))
    trainer.saving.checkpoint_path = str(path)
    _log.info("resumed %s in %.1f s", path, time.monotonic() - started_s)
