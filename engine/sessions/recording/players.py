"""Load who plays while demonstrations are recorded.

torch is imported only if a cloned policy or a run plays.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from engine.agents.base import ActionBatch
from engine.agents.evaluation import ALONE
from engine.config import PressFrames, RunConfig
from engine.demos.recorder import random_policy, rules_policy
from engine.env.batch import Batch
from engine.env.observation.pixels import MakeSight, sight_of
from engine.errors import CheckpointError
from engine.ground.folders import user_path
from engine.runs.folder import RunFolder, find_run
from engine.runs.policy_folders import PolicyFolder
from engine.runs.settings import read_settings
from engine.types import Source

if TYPE_CHECKING:
    from engine.agents.base import PolicyFunction
    from engine.imitation.blocking_planner import BlockingPlanner

RULES, PLANNER, RANDOM = "rules", "planner", "random"


@dataclass(frozen=True, slots=True)
class LoadedPlayer:
    """Who plays."""

    by: str
    """Its name, for the demonstrations."""
    choose: Callable[[Batch], ActionBatch]
    """Chooses from a batch of one."""
    sight: MakeSight | None = None
    """Makes what it sees of the screen; None: nothing."""
    frames: PressFrames | None = None
    """Frames of an action that it was trained with; None: any."""
    make_planner: "Callable[[], BlockingPlanner] | None" = None
    """Makes the planner that asks a language model for goals; None: the rules set them."""
    feature_size: int = 0
    """The length of the features that it was trained with; 0: any."""


_Say = Callable[[str], None]
_Load = Callable[[str, RunConfig, _Say], LoadedPlayer]


def load_player(name: str, config: RunConfig, say: _Say = lambda text: None) -> LoadedPlayer:
    """Return a player by its name.

    Args:
        name: "rules", "planner", "random", or the name of a cloned policy or a run.
        config: Names the save folder, the planner's language model, and the random seed.
        say: Takes lines for the user.

    Raises:
        CheckpointError: There is no such policy or run, or it is damaged.
    """
    return _loader(name, config)(name, config, say)


def check_player(name: str, config: RunConfig) -> None:
    """Check that there is a player of this name, without loading it.

    Raises:
        CheckpointError: There is no such policy or run.
    """
    _loader(name, config)


def _loader(name: str, config: RunConfig) -> _Load:
    """Return the function that loads a player, or raise CheckpointError."""
    if name in _SCRIPTED:
        return _SCRIPTED[name]
    if user_path(name).is_file() or _is_there(PolicyFolder.find, name, config):
        return _policy
    if _is_there(find_run, name, config):
        return _run
    raise CheckpointError(
        f"Unknown player {name!r}: no cloned policy or run has this name.",
        "Choose rules, planner or random, or list runs: poketui runs",
    )


def _is_there(find: Callable[[str, str], object], name: str, config: RunConfig) -> bool:
    with suppress(CheckpointError):
        find(config.save_dir, name)
        return True
    return False


def _rules(name: str, config: RunConfig, say: _Say) -> LoadedPlayer:
    policy = rules_policy(config.seed)

    def choose(batch: Batch) -> ActionBatch:
        action = policy(batch)
        is_advised = np.array([batch.prior[0, action] > 0])
        sure = np.where(is_advised, batch.advice_confidence, 0.0).astype(np.float32)
        return ActionBatch(np.array([action]), sure, is_advised, Source.RANDOM)

    return LoadedPlayer(name, choose)


def _planner(name: str, config: RunConfig, say: _Say) -> LoadedPlayer:
    from engine.imitation.blocking_planner import NO_MODEL, BlockingPlanner

    rules = _rules(name, config, say)
    if not config.models:
        say(NO_MODEL)
        return rules
    return LoadedPlayer(
        f"{name}-{config.llm_model}",
        rules.choose,
        make_planner=lambda: BlockingPlanner(config, None, say),
    )


def _random(name: str, config: RunConfig, say: _Say) -> LoadedPlayer:
    policy = random_policy(config.seed)
    confidence, is_planned = np.zeros(1, np.float32), np.zeros(1, np.bool_)
    return LoadedPlayer(
        name,
        lambda batch: ActionBatch(np.array([policy(batch)]), confidence, is_planned, Source.RANDOM),
    )


_SCRIPTED: Mapping[str, _Load] = MappingProxyType(
    {RULES: _rules, PLANNER: _planner, RANDOM: _random}
)


def _alone(player: "PolicyFunction") -> Callable[[Batch], ActionBatch]:
    return lambda batch: player(batch, ALONE)


def _policy(name: str, config: RunConfig, say: _Say) -> LoadedPlayer:
    import torch

    from engine.imitation.policies import read_policy

    torch.set_num_threads(1)
    policy, path = read_policy(config.save_dir, name)
    by = f"policy-{path.parents[1].name}"
    sight = sight_of(policy.config.encoder)
    size = policy.spaces.feature_size
    return LoadedPlayer(by, _alone(policy.player(config.seed)), sight, feature_size=size)


def _run(name: str, config: RunConfig, say: _Say) -> LoadedPlayer:
    import torch

    from engine.env.observation.space import spaces_of_game
    from engine.games.catalog import load_game
    from engine.training.build import build_agent
    from engine.training.snapshot import refuse_other_versions

    torch.set_num_threads(1)
    folder = RunFolder(find_run(config.save_dir, name, purpose="play"))
    settings = read_settings(folder.path)
    saved, _, warnings = folder.store().load_best()
    for text in warnings:
        say(text)
    game = load_game(config.rom_path, config.allow_unknown_rom)
    with refuse_other_versions(saved):
        spaces = spaces_of_game(game, settings.env.features)
        agent = build_agent(settings, spaces)
        agent.load(saved.facts["agent"], saved.arrays_under("agent/"))
    frames = settings.env.press
    player = _alone(agent.player(config.seed))
    sight = sight_of(settings.encoder)
    return LoadedPlayer(
        f"run-{folder.run_id}", player, sight, frames, feature_size=spaces.feature_size
    )
