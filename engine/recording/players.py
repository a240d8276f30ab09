"""Find who plays while demonstrations are recorded; what was learnt is loaded only if it plays."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.agents.base import Choices
from engine.config import RunConfig
from engine.demos.recorder import random_policy, rules_policy
from engine.env.batch import Batch
from engine.env.pixels import FrameStack, Sight
from engine.errors import CheckpointError
from engine.folders import user_path
from engine.training.evaluation import ALONE
from engine.training.policy_folders import PolicyFolder
from engine.training.runs import RunFolder, find_run, read_settings
from engine.types import Source

if TYPE_CHECKING:
    from engine.agents.base import Player
    from engine.training.asked_games import Asking

RULES, PLANNER, RANDOM = "rules", "planner", "random"


@dataclass(frozen=True, slots=True)
class LoadedPlayer:
    """Who plays.

    Attributes:
        by: Its name, for the demonstrations.
        choose: Chooses from a batch of one.
        sight: What it sees of the screen; None: nothing.
        frames: Frames that it is used to hold a button and wait; None: any.
        make_asking: Makes what asks a language model for its goals; None: the rules set them.
    """

    by: str
    choose: Callable[[Batch], Choices]
    sight: Sight | None = None
    frames: tuple[int, int] | None = None
    make_asking: "Callable[[], Asking] | None" = None


def load_player(
    name: str, config: RunConfig, say: Callable[[str], None] = lambda text: None
) -> LoadedPlayer:
    """Return a player by its name.

    Args:
        name: "rules", "planner", "random", or the name of a cloned policy or a run.
        config: Names the save folder, the planner's language model, and the seed of what is drawn.
        say: Takes lines for the user.

    Raises:
        CheckpointError: There is no such policy or run, or it is damaged.
    """
    if name == RULES:
        return LoadedPlayer(name, _rules(config.seed))
    if name == PLANNER:
        return _planner(config, say)
    if name == RANDOM:
        return LoadedPlayer(name, _random(config.seed))
    path = user_path(name)
    if path.is_file() or _is_there(PolicyFolder.find, name, config):
        return _policy(name, config)
    if _is_there(find_run, name, config):
        return _run(name, config)
    raise CheckpointError(
        f"Nobody is called {name!r}: neither a cloned policy nor a run.",
        "Choose rules, planner or random, or see: poketui runs",
    )


def _rules(seed: int) -> Callable[[Batch], Choices]:
    policy = rules_policy(seed)

    def choose(batch: Batch) -> Choices:
        action = policy(batch)
        is_advised = np.array([batch.prior[0, action] > 0])
        sure = np.where(is_advised, batch.advice_confidence, 0.0).astype(np.float32)
        return Choices(np.array([action]), sure, is_advised, Source.RANDOM)

    return choose


def _planner(config: RunConfig, say: Callable[[str], None]) -> LoadedPlayer:
    from engine.training.asked_games import NO_MODEL, Asking

    if not config.models:
        say(NO_MODEL)
        return LoadedPlayer(PLANNER, _rules(config.seed))
    by = f"{PLANNER}-{config.llm_model}"
    return LoadedPlayer(by, _rules(config.seed), make_asking=lambda: Asking(config, None, say))


def _random(seed: int) -> Callable[[Batch], Choices]:
    policy = random_policy(seed)

    def choose(batch: Batch) -> Choices:
        nobody = np.zeros(1, np.bool_)
        return Choices(np.array([policy(batch)]), np.zeros(1, np.float32), nobody, Source.RANDOM)

    return choose


def _alone(player: "Player") -> Callable[[Batch], Choices]:
    return lambda batch: player(batch, ALONE)


def _is_there(find: Callable[[str, str], object], name: str, config: RunConfig) -> bool:
    try:
        find(config.save_dir, name)
    except CheckpointError:
        return False
    return True


def _policy(name: str, config: RunConfig) -> LoadedPlayer:
    import torch

    from engine.imitation.sight import make_sight
    from engine.training.policies import read_policy

    torch.set_num_threads(1)
    policy, path = read_policy(config.save_dir, name)
    by = f"policy-{path.parents[1].name}"
    return LoadedPlayer(by, _alone(policy.player(config.seed)), make_sight(policy.config))


def _run(name: str, config: RunConfig) -> LoadedPlayer:
    import torch

    from engine.env.features import FEATURE_SIZE
    from engine.training.build import build_agent
    from engine.training.checkpoint import CheckpointStore
    from engine.training.snapshot import refuse_other_versions

    torch.set_num_threads(1)
    folder = RunFolder(find_run(config.save_dir, name))
    settings = read_settings(folder)
    saved, *_ = CheckpointStore(folder.checkpoints_path, keep=1).load_newest()
    with refuse_other_versions(saved):
        agent = build_agent(settings, FEATURE_SIZE)
        agent.load(saved.facts["agent"], saved.arrays_under("agent/"))
    frames = settings.env.hold_frames, settings.env.wait_frames
    player = _alone(agent.player(config.seed))
    sight = FrameStack() if settings.needs_pixels else None
    return LoadedPlayer(f"run-{folder.run_id}", player, sight, frames)
