"""Define the players of battles, and find them by name.

A player is one of the simulator's own, or a policy of a run or a file, which may look ahead. One
policy comes along, and plays where no run has been saved yet.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.battles.play.search import SearchSettings, analyse
from engine.battles.policy import POOL, Policy
from engine.battles.sim.simulator import Decisions, Simulator
from engine.battles.sim.teams import Format, find_format
from engine.config import VgcConfig
from engine.errors import CheckpointError, ConfigurationError
from engine.ground.folders import user_path
from engine.runs.checkpoint import LATEST
from engine.runs.folder import RunFolder, find_run, list_runs
from engine.runs.settings import read_settings

SCRIPTED = ("random", "max_power", "greedy", "heuristics")
"""The simulator's own players, the weakest first."""
SHIPPED = "shipped"
"""The policy that comes along, of the default format (tests/benchmarks/battle_policy.py)."""
SHIPPED_FILE = Path(str(files("engine.battles") / "shipped.zip"))


@dataclass(frozen=True, slots=True, eq=False)
class Player:
    """Who plays.

    Attributes:
        name: One of the simulator's own players, or any name for a policy.
        policy: Decides for it; None where the simulator does.
        is_greedy: Take the policy's likeliest choice instead of drawing one.
        search: How far it looks ahead; None: not at all.
    """

    name: str
    policy: Policy | None = None
    is_greedy: bool = True
    search: SearchSettings | None = None

    def looking_ahead(self, samples: int) -> Self:
        """Return this player with a search in so many copies of the battle; 0: as it is.

        Raises:
            ConfigurationError: It is one of the simulator's own players.
        """
        if not samples:
            return self
        if self.policy is None:
            raise ConfigurationError(
                f"{self.name} does not search.", "Give a run or a policy's file."
            )
        name = f"{self.name} +search {samples}"
        return replace(self, name=name, search=SearchSettings(samples=samples))

    def decide(
        self,
        simulator: Simulator,
        decisions: Decisions,
        rows: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        """Return codes for some rows of a simulator's waiting decisions."""
        assert self.policy is not None
        if self.search is None:
            codes, _, _ = self.policy.act(
                decisions.observations[rows],
                decisions.legal[rows],
                decisions.is_preview[rows],
                rng,
                self.is_greedy,
            )
            return codes
        found = [analyse(simulator, self.policy, decisions, row, self.search, rng) for row in rows]
        return np.array([one.options[0].code for one in found])


def find_player(
    name: str, save_dir: str, *, checkpoint: str = LATEST, is_greedy: bool = True
) -> Player:
    """Return a player by the name that a user gives.

    Args:
        name: One of `SCRIPTED`, "shipped", a policy's file, or a run's id, path, name or "latest":
            the shipped policy where there is no run.
        save_dir: Folder of the runs.
        checkpoint: "latest" or "best" of the run.
        is_greedy: See `Player`.

    Raises:
        CheckpointError: There is no such run, or the policy cannot be read.
    """
    source = _source_of(name, save_dir)
    path = _path_in(source, checkpoint)
    if path is None:
        return Player(name)
    shown = source.run_id if isinstance(source, RunFolder) else path.stem
    return Player(shown, Policy.load(path), is_greedy)


def policy_path(name: str, save_dir: str, *, checkpoint: str = LATEST) -> Path | None:
    """Return a player's checkpoint or policy file, None for one of the simulator's own players.

    Raises:
        CheckpointError: There is no such run, or no checkpoint in it.
    """
    return _path_in(_source_of(name, save_dir), checkpoint)


def origin_of(name: str, save_dir: str) -> Path | None:
    """Return a run's folder or a policy's file, None for one of the simulator's own players.

    Raises:
        CheckpointError: There is no such run.
    """
    source = _source_of(name, save_dir)
    return source.path if isinstance(source, RunFolder) else source


def settings_of(name: str, save_dir: str) -> VgcConfig:
    """Return the settings that a run was trained with, the usual ones for other players.

    Raises:
        CheckpointError: There is no such run, or its settings cannot be read.
    """
    run = _source_of(name, save_dir)
    return read_settings(run.path).vgc if isinstance(run, RunFolder) else VgcConfig()


def format_of(name: str, save_dir: str) -> Format:
    """Return the format that a run was trained in, or the default for other players.

    Raises:
        CheckpointError: There is no such run, or its settings cannot be read.
        ConfigurationError: Its format is not known.
    """
    return find_format(settings_of(name, save_dir).format)


def trained_against(name: str, save_dir: str) -> frozenset[str]:
    """Return whom a run was trained against: kinds, and the paths of policies' files.

    Of other players nothing is known.

    Raises:
        CheckpointError: There is no such run, or its settings cannot be read.
    """
    run = _source_of(name, save_dir)
    if not isinstance(run, RunFolder):
        return frozenset()
    opponents = read_settings(run.path).vgc.opponents
    return frozenset(each for each, share in opponents.items() if share > 0)


def past_policies(name: str, save_dir: str, *, is_greedy: bool = True) -> Sequence[Player]:
    """Return the past policies that a run has kept, oldest first; none for other players.

    Raises:
        CheckpointError: There is no such run, or a policy cannot be read.
    """
    run = _source_of(name, save_dir)
    if not isinstance(run, RunFolder):
        return ()
    paths = sorted((run.path / POOL).glob("policy-*.zip"))
    return [Player(f"{run.run_id}/{path.stem}", Policy.load(path), is_greedy) for path in paths]


def _path_in(source: RunFolder | Path | None, checkpoint: str) -> Path | None:
    if not isinstance(source, RunFolder):
        return source
    store = source.store()
    return store.load_newest()[1] if checkpoint == LATEST else store.best()


def _source_of(name: str, save_dir: str) -> RunFolder | Path | None:
    """Return a player's run or policy file, None for one of the simulator's own players.

    Raises:
        CheckpointError: There is no such run.
    """
    if name in SCRIPTED:
        return None
    if name == SHIPPED:
        return SHIPPED_FILE
    path = user_path(name)
    if path.is_file():
        return path
    try:
        return RunFolder(find_run(save_dir, name, purpose="evaluate"))
    except CheckpointError:
        if name == LATEST and not list_runs(save_dir):
            return SHIPPED_FILE
        raise
