"""Evaluate a saved run: play from the true start by one of its checkpoints, without learning."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from engine.agents.arbitration import ExactShares, assign_decisions
from engine.agents.base import ActionBatch, Guidance, HasPolicy, PolicyFunction
from engine.agents.evaluation import (
    ALONE,
    EpisodeDraws,
    evaluation_config,
    evaluation_seed,
    play_episodes,
)
from engine.config import load_config
from engine.env.batch import Batch
from engine.env.observation.space import spaces_of_game
from engine.env.vector.world import ENV_FACTORY, VectorEnv
from engine.games.catalog import load_game
from engine.ground.folders import user_path
from engine.runs.checkpoint import LATEST, Checkpoint, read_checkpoint
from engine.runs.folder import RunFolder, find_run
from engine.runs.settings import SESSION_KEYS, ignored_settings, load_settings
from engine.training.build import build_agent, build_curriculum
from engine.training.snapshot import refuse_other_versions
from engine.types import EpisodeSummary

_LEAST_PATIENCE = 500
"""Steps; successful episodes had at most 292 without anything new (docs/experiments.md)."""


@dataclass(frozen=True, slots=True)
class EvaluatedRun:
    """The episodes that a checkpoint played.

    Attributes:
        total_steps: Steps of training up to the checkpoint.
        milestones: (key, text) of the game in order.
        warnings: What is wrong with newer checkpoints.
    """

    run_id: str
    checkpoint: Path
    total_steps: int
    milestones: tuple[tuple[str, str], ...]
    played: list[EpisodeSummary]
    warnings: list[str]


def evaluate_run(
    save_dir: str,
    run: str,
    *,
    episodes: int,
    checkpoint: str | None = LATEST,
    with_planner: bool = False,
    patience: int | None = None,
    report: Callable[[int], None] = lambda done: None,
) -> EvaluatedRun:
    """Play episodes by a checkpoint of a run; another process may continue with the run meanwhile.

    Args:
        save_dir: The save folder.
        run: An id, a path or "latest".
        episodes: How many.
        checkpoint: "latest", "best", or the path of a file; None: the best one, if the policy was
            scored alone, else the latest.
        with_planner: Follow the planner as far as the curriculum did; else the policy is alone.
        patience: Steps without anything new after which an episode ends; 0: never; None: half an
            episode's steps, at least 500.
        report: Called with how many episodes are played, whenever one has ended.

    Raises:
        PokeTUIError: The run, the checkpoint, the ROM or a worker is unusable.
    """
    torch.set_num_threads(1)
    folder = RunFolder(find_run(save_dir, run, purpose="evaluate"))
    new, config = load_config(None, {"save_dir": save_dir}), load_settings(folder.path)
    saved, path, warnings = _read(folder, checkpoint)
    if kept := ignored_settings(config, new, SESSION_KEYS | {"rom_path"}):
        warnings = [*warnings, f"The saved run's settings are kept: {', '.join(kept)}."]
    rom = new.rom_path or config.rom_path
    config = config.model_copy(update={"save_dir": save_dir, "workers": 0, "rom_path": rom})
    game = load_game(config.rom_path, config.allow_unknown_rom)
    few = evaluation_config(config, episodes)
    with VectorEnv(ENV_FACTORY, few, few.num_envs, few.workers) as vector:
        with refuse_other_versions(saved):
            agent = build_agent(config, spaces_of_game(game, config.env.features))
            agent.load(saved.facts["agent"], saved.arrays_under("agent/"))
            curriculum = build_curriculum(config, game)
            curriculum.load(saved.facts["curriculum"])
            total_steps = int(saved.facts["metrics"]["total_steps"])
        seed, guidance = evaluation_seed(config), ALONE
        draws = EpisodeDraws(seed, few.num_envs)
        # Agents without a policy draw all from one generator.
        player = agent.player(draws) if isinstance(agent, HasPolicy) else agent.player(seed)
        if with_planner:
            guidance = Guidance(curriculum.planner_share, curriculum.stage.needed_confidence)
            if "shares" in saved.arrays and curriculum.forced_share is not None:
                player = _with_share(player, curriculum.forced_share, few.num_envs)
        if patience is None:
            patience = max(_LEAST_PATIENCE, config.env.max_steps // 2)
        played = play_episodes(
            player, vector, episodes, seed, guidance, report=report, draws=draws, patience=patience
        )
    return EvaluatedRun(folder.run_id, path, total_steps, game.milestones, played or [], warnings)


def _with_share(player: PolicyFunction, share: float, num_envs: int) -> PolicyFunction:
    """Return the player, which gives the planner its share of the decisions as training did."""
    shares = ExactShares(num_envs, 2)

    def play(batch: Batch, guidance: Guidance) -> ActionBatch:
        is_new = batch.terminated | batch.truncated
        shares.load(np.where(is_new[:, None], 0.0, shares.save()))
        return player(batch, assign_decisions(shares, share, batch, guidance))

    return play


def _read(folder: RunFolder, checkpoint: str | None) -> tuple[Checkpoint, Path, list[str]]:
    store = folder.store()
    if checkpoint is None:
        return store.load_best()
    if checkpoint == LATEST:
        return store.load_newest()
    path = store.best() if checkpoint == "best" else user_path(checkpoint)
    return read_checkpoint(path), path, []
