"""Find who plays: the simulator's own players, and policies of runs and files."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.battles.formats import DEFAULT_FORMAT, Format, find_format
from engine.battles.policy import Policy
from engine.battles.search import SearchSettings, search
from engine.battles.simulator import Decisions, Simulator
from engine.errors import CheckpointError
from engine.folders import user_path
from engine.training.checkpoint import BEST, LATEST, CheckpointStore
from engine.training.run_settings import read_settings
from engine.training.runs import RunFolder, find_run

SCRIPTED = ("random", "max_power", "greedy", "heuristics")
"""The simulator's own players, the weakest first."""
POOL = "pool"
"""Folder of a run's past policies."""


@dataclass(frozen=True, slots=True, eq=False)
class Player:
    """Who plays.

    Attributes:
        name: Of one of the simulator's own players, or any name for a policy.
        policy: What decides for it; None where the simulator does.
        is_greedy: It takes its policy's likeliest choice instead of drawing one.
        search: How far it looks ahead; None: it does not.
    """

    name: str
    policy: Policy | None = None
    is_greedy: bool = True
    search: SearchSettings | None = None

    def decide(
        self,
        simulator: Simulator,
        decisions: Decisions,
        rows: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        """Return codes for some of the decisions that wait in a simulator."""
        assert self.policy is not None
        observations, legal = decisions.observations, decisions.legal
        is_preview = decisions.is_preview
        if self.search is None:
            codes, _, _ = self.policy.act(
                observations[rows], legal[rows], is_preview[rows], rng, self.is_greedy
            )
            return codes
        found = [
            search(
                simulator,
                self.policy,
                int(decisions.seats[row]),
                observations[row],
                legal[row],
                bool(is_preview[row]),
                self.search,
                rng,
            )
            for row in rows
        ]
        return np.array(found)


def find_player(
    name: str, save_dir: str, *, checkpoint: str = LATEST, is_greedy: bool = True
) -> Player:
    """Return a player by what a user calls it.

    Args:
        name: One of `SCRIPTED`, a policy's file, or a run's id, path, name or "latest".
        save_dir: Folder of the runs.
        checkpoint: "latest" or "best" of the run.
        is_greedy: See `Player`.

    Raises:
        CheckpointError: There is no such run, or the policy cannot be read.
    """
    if name in SCRIPTED:
        return Player(name)
    path = user_path(name)
    if path.is_file():
        return Player(path.stem, Policy.load(path), is_greedy)
    folder = RunFolder(find_run(save_dir, name, purpose="evaluate"))
    path = folder.checkpoints_path / BEST
    if checkpoint == LATEST:
        _, path, _ = CheckpointStore(folder.checkpoints_path, keep=1).load_newest()
    elif not path.is_file():
        raise CheckpointError(
            f"The run {folder.run_id} has no best checkpoint yet.", "Use --checkpoint latest."
        )
    return Player(folder.run_id, Policy.load(path), is_greedy)


def format_of(name: str, save_dir: str) -> Format:
    """Return the format that a run was trained in; the default for anybody else.

    Raises:
        CheckpointError: There is no such run, or its settings cannot be read.
        ConfigurationError: Its format is not known.
    """
    if name in SCRIPTED or user_path(name).is_file():
        return DEFAULT_FORMAT
    return find_format(read_settings(find_run(save_dir, name, purpose="evaluate")).vgc.format)


def past_policies(name: str, save_dir: str, *, is_greedy: bool = True) -> Sequence[Player]:
    """Return the past policies that a run has kept, the oldest first; none of what is no run.

    Raises:
        CheckpointError: There is no such run, or a policy cannot be read.
    """
    if name in SCRIPTED or user_path(name).is_file():
        return ()
    folder = RunFolder(find_run(save_dir, name, purpose="evaluate"))
    paths = sorted((folder.path / POOL).glob("policy-*.zip"))
    return [Player(f"{folder.run_id}/{path.stem}", Policy.load(path), is_greedy) for path in paths]
