"""Keep a league of players: who wins how often against whom, ratings, and the Nash mixture.

A league is a folder: league.json with the rules and results, and the members' policies. What has
been played is not played again.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from engine.battles.play.best_response import digest, freeze, unreadable
from engine.battles.play.evaluation import Rating, ratings, round_robin
from engine.battles.play.players import SCRIPTED, Player
from engine.battles.policy import Policy
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.teams import find_format
from engine.errors import CheckpointError, ConfigurationError
from engine.ground.files import make_folder, os_errors_as, read_object, write_file

_FILE = "league.json"
_ROUNDS = 20_000


@dataclass(frozen=True, slots=True)
class Rules:
    """How the members of a league meet.

    Attributes:
        teams: Packed; both sides use all of them.
        battles: Of each pair.
        is_greedy: Policies take their likeliest choices.
    """

    format: str
    teams: tuple[str, ...]
    battles: int
    seed: int
    is_greedy: bool


@dataclass(slots=True)
class League:
    """The members of a league, and their results.

    Attributes:
        settings: Of the section vgc, for training best responses.
        members: Names; those that are not in `SCRIPTED` have a policy in the folder.
        wins: (n, n) wins of the row's member over the column's; nan: they have not met.
    """

    folder: Path
    rules: Rules
    settings: Mapping[str, Any]
    members: list[str] = field(default_factory=list)
    wins: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """Return the league of a folder; None where there is none.

        Raises:
            CheckpointError: It is unreadable.
        """
        path = folder / _FILE
        if not path.exists():
            return None
        try:
            facts = read_object(path)
            wins = TypeAdapter(list[list[float | None]]).validate_python(facts["wins"])
            members = TypeAdapter(list[str]).validate_python(facts["members"])
            rules = TypeAdapter(Rules).validate_python(facts["rules"])
            table = np.array(wins, float).reshape(len(members), len(members))
            return cls(folder, rules, dict(facts["settings"]), members, table)
        except (ValueError, KeyError, TypeError) as error:
            raise unreadable(path, error, "league") from None

    def save(self) -> None:
        """Write it.

        Raises:
            CheckpointError: It cannot be written.
        """
        wins = [[None if math.isnan(each) else each for each in row] for row in self.wins.tolist()]
        facts = {"rules": asdict(self.rules), "settings": dict(self.settings)}
        text = json.dumps(facts | {"members": self.members, "wins": wins}, indent=1)
        with os_errors_as(CheckpointError, f"Cannot write to {self.folder}", "Make room."):
            make_folder(self.folder)
            write_file(self.folder / _FILE, text.encode())

    def path_of(self, member: str) -> Path:
        """Return the file of a member's policy."""
        return self.folder / "policies" / f"{member}.zip"

    def add(self, name: str, source: Path | None) -> str | None:
        """Add one of the simulator's players, or a policy by its file; return its name.

        Returns None for what is a member already.

        Raises:
            CheckpointError: The policy cannot be read, or copied.
        """
        if source is not None:
            mark = digest(Policy.load(source))
            known = {digest(Policy.load(self.path_of(each))): each for each in self._policies()}
            if mark in known:
                return None
            name = name if name not in (*self.members, *SCRIPTED) else f"{name}-{mark[:6]}"
            freeze(source, self.path_of(name))
        elif name in self.members:
            return None
        self.members.append(name)
        grown = np.full((len(self.members), len(self.members)), np.nan)
        grown[:-1, :-1] = self.wins
        self.wins = grown
        return name

    def unplayed(self) -> int:
        """Return how many pairs have not met."""
        return int(np.isnan(self.wins[np.triu_indices(len(self.members), 1)]).sum())

    def play(self, node: NodeCommand, advance: Callable[[int], object]) -> None:
        """Let all meet who have not; see `round_robin`.

        Raises:
            CheckpointError: A member's policy is gone.
            BattleError, WorkerError: The simulator refuses a team, or died.
        """
        rules = self.rules
        players = [self._player(name) for name in self.members]
        self.wins = round_robin(
            players, find_format(rules.format), rules.teams, node,
            battles=rules.battles, seed=rules.seed, advance=advance, known=self.wins,
        )  # fmt: skip
        self.save()

    def win_rates(self) -> NDArray[np.float64]:
        """Return (n, n) win rates; one half on the diagonal."""
        games = self.wins + self.wins.T
        np.fill_diagonal(games, 1)
        rates: NDArray[np.float64] = self.wins / games
        np.fill_diagonal(rates, 0.5)
        return rates

    def against(self, member: int, mixture: NDArray[np.float64]) -> tuple[float, float, float]:
        """Return a member's win rate against a mixture of all, and its 95 % interval."""
        rates = self.win_rates()[member]
        spread = rates * (1 - rates) / self.rules.battles
        spread[member] = 0
        half = 1.96 * math.sqrt(float((mixture**2 * spread).sum()))
        mean = float(mixture @ rates)
        return mean, max(0.0, mean - half), min(1.0, mean + half)

    def ratings(self) -> dict[str, Rating]:
        """Return Elo ratings by name."""
        return {each.name: each for each in ratings(self.members, self.wins)}

    def opponents(self, mixture: NDArray[np.float64]) -> dict[str, float]:
        """Return a mixture as training takes its opponents: shares by files and names."""
        return {
            name if name in SCRIPTED else str(self.path_of(name).absolute()): float(share)
            for name, share in zip(self.members, mixture, strict=True)
            if share >= 0.01
        }

    def strongest(self, mixture: NDArray[np.float64]) -> Path:
        """Return the file of the policy with the largest share in a mixture.

        Raises:
            ConfigurationError: There is no policy in the league.
        """
        shares = dict(zip(self.members, mixture, strict=True))
        if not (policies := self._policies()):
            raise ConfigurationError(
                "The league has no policy to start from.", "Name a run or a policy's file."
            )
        return self.path_of(max(policies, key=lambda name: shares[name]))

    def _policies(self) -> list[str]:
        return [name for name in self.members if name not in SCRIPTED]

    def _player(self, name: str) -> Player:
        policy = None if name in SCRIPTED else Policy.load(self.path_of(name))
        return Player(name, policy, self.rules.is_greedy)


def nash_mixture(win_rates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (n,) shares with which no other player wins more than half, as near as battles tell.

    Regret matching+ with alternating updates and linear averaging (Tammelin 2014), which converges
    to an equilibrium of the symmetric zero-sum game.

    Args:
        win_rates: (n, n) of the row's player against the column's.
    """
    payoff = win_rates - win_rates.T
    count = len(payoff)
    regrets, total = np.zeros((2, count)), np.zeros(count)
    shares = np.full((2, count), 1 / count)
    for number in range(_ROUNDS):
        for side in (0, 1):
            gains = payoff @ shares[1 - side]
            regrets[side] = np.maximum(regrets[side] + gains - shares[side] @ gains, 0)
            positive = regrets[side].sum()
            shares[side] = regrets[side] / positive if positive > 0 else 1 / count
        total += number * shares.sum(0)
    return np.asarray(total / total.sum())
