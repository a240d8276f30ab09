"""Keep the figures of a run of any length in bounded memory, and how its hand-over went."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from engine.events import CurriculumChanged, StrategySwitched
from engine.types import EpisodeSummary

MAX_POINTS = 2048
SUCCESS_WINDOW = 30
LATEST_EPISODES = 60
MAX_MOVES = 100
CURRICULUM_WINDOW = 10
"""Episodes over which the curriculum takes its average."""
STEPS = "total_steps"
"""Figure that says at which of the run's steps a row came."""
_WEIGHT = {"rule_heavy": 0, "balanced": 1, "llm_heavy": 2}
"""How much the planner counts in each strategy."""
_BLOCK = 64
"""Points that are packed together: adding one copies at most so many."""

Points = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Where each point stands, rising, and its value: (n,) and (n,)."""


@dataclass(frozen=True, slots=True)
class Record:
    """Rows of named figures, one after the other; neighbours are merged when there are too many.

    Attributes:
        absent: What a row has where a figure is not given; nan is left out of means.
        count: Rows so far.
        stride: Rows that a point stands for, a power of two.
        blocks: Full blocks of points: float64, a row's place before its figures.
        tail: Points that fill no block yet.
        last_x: Place of the last row.
    """

    names: tuple[str, ...] = ()
    absent: float = 0.0
    count: int = 0
    stride: int = 1
    blocks: tuple[bytes, ...] = ()
    tail: tuple[tuple[float, ...], ...] = ()
    pending: tuple[tuple[float, ...], tuple[int, ...]] = ((), ())
    """Sums and counts of the figures of the point that is not complete yet."""
    num_pending: int = 0
    last_x: float = 0.0

    def add(self, x: float, figures: Mapping[str, float]) -> "Record":
        """Return the record with one more row at `x`, not before the last; names may be new."""
        if not figures.keys() <= set(self.names):
            return self._widen(figures).add(x, figures)
        row = tuple([figures.get(name, self.absent) for name in self.names])
        count = self.count + 1
        if self.stride > 1:
            pending, num = self._sums(row), self.num_pending + 1
            if num < self.stride:
                return replace(self, count=count, pending=pending, num_pending=num, last_x=x)
            row = tuple([total / n if n else math.nan for total, n in zip(*pending, strict=True)])
        tail, blocks = (*self.tail, (x, *row)), self.blocks
        if len(tail) == _BLOCK:
            tail, blocks = (), (*blocks, np.array(tail, np.float64).tobytes())
        longer = Record(self.names, self.absent, count, self.stride, blocks, tail, last_x=x)
        return longer._halve() if len(blocks) * _BLOCK >= MAX_POINTS else longer

    def points(self, name: str) -> Points:
        """Return the known points of a figure; none of a name that never came."""
        if name not in self.names:
            return np.empty(0), np.empty(0)
        table = self._table()
        places, values = table[:, 0], table[:, 1 + self.names.index(name)]
        if self.num_pending:
            total, n = (part[self.names.index(name)] for part in self.pending)
            places = np.append(places, self.last_x)
            values = np.append(values, total / n if n else math.nan)
        is_known = np.isfinite(values)
        return places[is_known], values[is_known]

    def _sums(self, row: tuple[float, ...]) -> tuple[tuple[float, ...], tuple[int, ...]]:
        is_known = [math.isfinite(value) for value in row]
        sums, counts = self.pending
        if not self.num_pending:
            sums, counts = (0.0,) * len(row), (0,) * len(row)
        return (
            tuple([s + (v if k else 0.0) for s, v, k in zip(sums, row, is_known, strict=True)]),
            tuple([n + k for n, k in zip(counts, is_known, strict=True)]),
        )

    def _table(self) -> NDArray[np.float64]:
        """Return (points, 1 + names)."""
        width = 1 + len(self.names)
        packed = np.frombuffer(b"".join(self.blocks), np.float64).reshape(-1, width)
        if not self.tail:
            return packed
        return np.concatenate([packed, np.array(self.tail, np.float64).reshape(-1, width)])

    def _widen(self, figures: Mapping[str, float]) -> "Record":
        """Return the record with columns for names that are new."""
        new = tuple(name for name in figures if name not in self.names)
        table = self._table()
        table = np.concatenate([table, np.full((len(table), len(new)), self.absent)], axis=1)
        sums, counts = self.pending
        if self.num_pending:
            n = self.num_pending if math.isfinite(self.absent) else 0
            sums = (*sums, *[self.absent * n if n else 0.0] * len(new))
            counts = (*counts, *[n] * len(new))
        wider = replace(self, names=(*self.names, *new), pending=(sums, counts))
        return wider._with_table(table)

    def _halve(self) -> "Record":
        """Return the record with every two points merged."""
        table = self._table()
        one, other = table[0::2], table[1::2]
        merged = (one + other) / 2
        merged = np.where(np.isnan(one), other, np.where(np.isnan(other), one, merged))
        merged[:, 0] = other[:, 0]
        return replace(self, stride=2 * self.stride)._with_table(merged)

    def _with_table(self, table: NDArray[np.float64]) -> "Record":
        full = len(table) // _BLOCK * _BLOCK
        blocks = tuple(table[at : at + _BLOCK].tobytes() for at in range(0, full, _BLOCK))
        return replace(self, blocks=blocks, tail=tuple(map(tuple, table[full:].tolist())))


@dataclass(frozen=True, slots=True)
class EpisodeHistory:
    """The episodes of a run that count, those from the true start.

    Attributes:
        record: By the episode's number in the run: return, length, success, planner_share,
            milestones, total_steps; milestone/KEY is 1 where it was reached, reward/NAME what a
            component paid.
        latest: Figures of the last 60 episodes, oldest first.
    """

    record: Record = field(default_factory=Record)
    latest: tuple[Mapping[str, float], ...] = ()

    def add(self, episode: int, summary: EpisodeSummary, total_steps: int = 0) -> "EpisodeHistory":
        """Return the history with one more episode, which ended at a step of the run."""
        figures = {
            "return": float(summary.total_reward),
            "length": float(summary.length),
            "success": float(summary.is_success),
            "planner_share": float(summary.planner_share),
            "milestones": float(len(summary.steps_to_milestone)),
            STEPS: float(total_steps),
            **{f"milestone/{key}": 1.0 for key in summary.steps_to_milestone},
            **{f"reward/{name}": float(value) for name, value in summary.components},
        }
        latest = (*self.latest[-LATEST_EPISODES + 1 :], figures)
        return EpisodeHistory(self.record.add(float(episode), figures), latest)

    @property
    def count(self) -> int:
        """Return how many episodes there were."""
        return self.record.count

    def milestone_share(self, key: str) -> float:
        """Return the share of the last 30 episodes that reached a milestone."""
        rows = self.latest[-SUCCESS_WINDOW:]
        return sum(row.get(f"milestone/{key}", 0.0) for row in rows) / max(1, len(rows))

    def component_values(self, name: str) -> tuple[float, ...]:
        """Return what a reward component paid in each of the last 60 episodes."""
        return tuple(row.get(f"reward/{name}", 0.0) for row in self.latest)


def smooth(values: NDArray[np.float64], window: int) -> NDArray[np.float64]:
    """Return at each point the mean of up to `window` points that end there."""
    if window <= 1 or not len(values):
        return values
    sums = np.concatenate([[0.0], np.cumsum(values)])
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(0, ends - window)
    return np.asarray((sums[ends] - sums[starts]) / (ends - starts))


@dataclass(frozen=True, slots=True)
class Move:
    """The curriculum went to another stage, or another strategy leads.

    `episode` counts those before it, 0 if that is not known; back is towards the planner.
    """

    episode: int
    is_stage: bool
    is_back: bool
    text: str
    cause: str


def stage_move(
    before: CurriculumChanged | None,
    after: CurriculumChanged,
    episode: int,
) -> Move:
    """Return the move between two states of the curriculum, after `episode` episodes."""
    text = f"stage {after.stage}, {after.name}"
    if before is None:
        return Move(episode, True, False, text, "")
    is_back = after.stage < before.stage
    last = after.recent
    average = sum(last) / max(1, len(last))
    unit = "" if after.unit == "reward" else f" {after.unit}"
    if is_back:
        cause = f"performance fell in stage {before.stage}"
        cause += f": mean {average:.1f}{unit}" if last else ""
    elif last and average >= before.threshold:
        cause = f"mean {average:.1f}{unit}, threshold {before.threshold:.4g}"
    else:
        cause = f"stage {before.stage} completed"
    return Move(episode, True, is_back, text, cause)


def strategy_move(switch: StrategySwitched, name: str) -> Move:
    """Return the move that a switch of strategy is, to one that is shown by `name`."""
    is_back = _WEIGHT.get(switch.new, 1) > _WEIGHT.get(switch.old, 1)
    return Move(switch.episode, False, is_back, name, switch.cause)
