"""Count how the policy fares against each opponent, and keep past policies to play against."""

import contextlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from engine.battles.learn.actor import Report
from engine.battles.learn.matchmaking import EVALUATION, PAST, SELF
from engine.battles.policy import NETWORK
from engine.events import OpponentScore
from engine.ground.files import make_subfolder
from engine.runs.checkpoint import Checkpoint, write_checkpoint

RECENT, RECENT_EVALUATION = 500, 200
_TURNS_DECAY = 0.9
_PAST_DECAY = 0.95
"""Decay of a past policy's results at each update: the present policy gets better."""
_LEAST_BATTLES = 100
"""Fewest recent battles against an opponent that count for the best checkpoint."""


@dataclass(slots=True)
class Standing:
    """Results against one kind of opponent, all and the last ones.

    Attributes:
        recent: (battles, points) of the last reports, as few as have the wanted number.
    """

    battles: int = 0
    wins: int = 0
    ties: int = 0
    recent: deque[tuple[int, float]] = field(default_factory=deque)

    @property
    def recent_battles(self) -> int:
        """Return how many battles count as recent."""
        return sum(battles for battles, _ in self.recent)

    @property
    def recent_wins(self) -> float:
        """Return how many of these were won; a tie counts one half."""
        return sum(points for _, points in self.recent)

    def add(self, won: int, tied: int, lost: int, recent: int = RECENT) -> None:
        """Count the battles of a report; `recent` of the last ones are kept apart."""
        self.battles += won + tied + lost
        self.wins += won
        self.ties += tied
        self.recent.append((won + tied + lost, won + tied / 2))
        while self.recent_battles - self.recent[0][0] >= recent:
            self.recent.popleft()


class Standings:
    """Results by kind of opponent.

    Attributes:
        mean_turns: Of the recent battles; nan before there are any.
    """

    def __init__(self) -> None:
        self.mean_turns = float("nan")
        self._by_name: dict[str, Standing] = {}

    def add(self, report: Report) -> None:
        """Count what a worker reports."""
        for name, result in report.results.items():
            recent = RECENT_EVALUATION if name == EVALUATION else RECENT
            won, tied, lost = result
            self._by_name.setdefault(name, Standing()).add(won, tied, lost, recent)
        if report.battles:
            mean = report.turns / report.battles
            is_first = np.isnan(self.mean_turns)
            self.mean_turns = (
                mean if is_first else _TURNS_DECAY * self.mean_turns + (1 - _TURNS_DECAY) * mean
            )

    def scores(self) -> tuple[OpponentScore, ...]:
        """Return the standings as events have them."""
        return tuple(
            OpponentScore(
                Path(name).stem,
                each.battles,
                each.wins,
                each.ties,
                each.recent_battles,
                each.recent_wins,
            )
            for name, each in sorted(self._by_name.items())
        )

    def score(self) -> tuple[float, ...] | None:
        """Return what checkpoints are compared by, None where too little is known.

        It is the win rate of the greedy evaluation; where there is none, the mean win rate against
        all opponents but itself.
        """
        others = {k: each for k, each in self._by_name.items() if k not in (SELF, PAST)}
        judged = [others[EVALUATION]] if EVALUATION in others else others.values()
        rates = [
            each.recent_wins / each.recent_battles
            for each in judged
            if each.recent_battles >= _LEAST_BATTLES
        ]
        return (sum(rates) / len(rates),) if rates else None

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        return {
            "mean_turns": None if np.isnan(self.mean_turns) else self.mean_turns,
            "by_name": {
                name: asdict(each) | {"recent": list(each.recent)}
                for name, each in self._by_name.items()
            },
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned.

        Raises:
            KeyError, TypeError, ValueError: It is none.
        """
        self.mean_turns = float("nan" if facts["mean_turns"] is None else facts["mean_turns"])
        self._by_name = TypeAdapter(dict[str, Standing]).validate_python(facts["by_name"])


@dataclass(slots=True)
class PastPolicy:
    """A past policy to play against: its file's name, and the recent results."""

    name: str
    wins: float = 0.0
    """Of the learner."""
    battles: float = 0.0

    @property
    def win_rate(self) -> float:
        """Return the learner's win rate, one half before there are results."""
        return (self.wins + 1) / (self.battles + 2)


class Pool:
    """Past policies in a folder, at most `size`.

    They are drawn with shares (1 - win rate)^2 (prioritised fictitious self-play, Vinyals et al.
    2019): a policy that is beaten anyway teaches little. It is also the first to be dropped when
    there are too many.
    """

    def __init__(self, folder: Path, size: int) -> None:
        self.policies: list[PastPolicy] = []
        self._folder = folder
        self._size = size

    def add(self, arrays: Mapping[str, NDArray[np.generic]], update: int) -> None:
        """Keep a network.

        Raises:
            OSError: The disk is full or not writable.
        """
        name = f"policy-{update:08d}.zip"
        weights = {key: array for key, array in arrays.items() if key.startswith(NETWORK)}
        make_subfolder(self._folder)
        write_checkpoint(self._folder / name, Checkpoint({}, weights))
        self.policies.append(PastPolicy(name))
        if len(self.policies) > self._size:
            beaten = max(self.policies[:-1], key=lambda each: each.win_rate)
            self.policies.remove(beaten)

    def add_results(self, past: Mapping[str, Sequence[int]]) -> None:
        """Count battles by the path of the policy that was played against."""
        by_path = {str(self._folder / each.name): each for each in self.policies}
        for path, (won, tied, lost) in past.items():
            if path in by_path:
                by_path[path].wins += won + tied / 2
                by_path[path].battles += won + tied + lost

    def decay(self) -> None:
        """Let results weigh less than those to come."""
        for each in self.policies:
            each.wins *= _PAST_DECAY
            each.battles *= _PAST_DECAY

    def shares(self) -> list[tuple[str, float]]:
        """Return the past policies' paths, and how often to play each."""
        return [(str(self._folder / each.name), (1 - each.win_rate) ** 2) for each in self.policies]

    def tidy(self) -> None:
        """Delete dropped policies, once a checkpoint does not name them either."""
        kept = {each.name for each in self.policies}
        with contextlib.suppress(OSError):
            for path in self._folder.glob("policy-*.zip"):
                if path.name not in kept:
                    path.unlink()

    def save(self) -> list[dict[str, Any]]:
        """Return the state as JSON-able facts, for `load`."""
        return [asdict(each) for each in self.policies]

    def load(self, facts: Sequence[Mapping[str, Any]], warn: Callable[[str], None]) -> None:
        """Restore the state that `save` returned, without policies whose files are gone."""
        self.policies = [PastPolicy(**each) for each in facts]
        lost = [each for each in self.policies if not (self._folder / each.name).is_file()]
        if lost:
            warn(f"{len(lost)} past policies are gone; they are not played against any more.")
            self.policies = [each for each in self.policies if each not in lost]
