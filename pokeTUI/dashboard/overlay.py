"""Lay the curves of several saved runs over each other: groups of runs, bands, last and best."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.events import Event
from pokeTUI.dashboard.curves import RETURN, Curve
from pokeTUI.dashboard.history import Points
from pokeTUI.dashboard.state import DashboardState, fold

if TYPE_CHECKING:
    from engine.runs.table import RunDigest

ALL_BUT_SEED, EACH_RUN = "", "run"
"""Ways to group besides by one setting."""
_SEED = "seed"
_DOTS = 400
"""Dots from left to right in the widest plot that is usual."""
_Kept = TypeVar("_Kept")


@dataclass(frozen=True, slots=True, eq=False)
class OverlaidRun:
    """What was read of a saved run; each is equal to itself alone."""

    digest: "RunDigest"
    state: DashboardState


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that are drawn alike; the label says what they have in common."""

    label: str
    runs: tuple[OverlaidRun, ...]


@dataclass(frozen=True, slots=True)
class View:
    """What is plotted: a curve, the rows that it is averaged over, against steps or rows."""

    curve: Curve = RETURN
    window: int = 30
    is_by_steps: bool = True


@dataclass(frozen=True, slots=True)
class Figures:
    """A curve in figures: its last and its best value, and where that was."""

    last: float
    best: float
    best_at: float


@dataclass(frozen=True, slots=True)
class Summary:
    """The curves of a group in figures: the mean of the last values, their range, the best."""

    last: float
    low: float
    high: float
    best: float
    best_at: float


@dataclass(frozen=True, slots=True)
class Band:
    """Curves as one: their mean, and between which values they are; arrays (n,)."""

    places: NDArray[np.float64]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def load_run(
    save_dir: str, run: str, warn: Callable[[str], None] = lambda text: None
) -> OverlaidRun:
    """Read a run or a cloned policy; a long journal takes seconds.

    Raises:
        CheckpointError: There is neither, or its settings are unreadable.
    """
    from engine.runs.table import digest_run

    state = DashboardState()

    def watch(event: Event) -> None:
        nonlocal state
        state = fold(state, event)

    return OverlaidRun(digest_run(save_dir, run, warn, watch), state)


def grouping_settings(runs: Sequence[OverlaidRun]) -> list[str]:
    """Return the settings besides the seed in which runs differ."""
    from engine.runs.table import differing

    return [key for key in differing(*(run.digest.settings for run in runs)) if key != _SEED]


def make_groups(runs: Sequence[OverlaidRun], by: str = ALL_BUT_SEED) -> list[Group]:
    """Group runs by all settings but the seed, by one setting, or not at all (EACH_RUN)."""
    if by == EACH_RUN:
        return [Group(run.digest.run_id, (run,)) for run in runs]
    keys = grouping_settings(runs) if by == ALL_BUT_SEED else [by]
    found: dict[tuple[str, ...], list[OverlaidRun]] = {}
    for run in runs:
        value = tuple(run.digest.settings.get(key, "–") for key in keys)
        found.setdefault(value, []).append(run)
    groups = []
    for value, members in found.items():
        words = [f"{key.rpartition('.')[2]}={text}" for key, text in zip(keys, value, strict=True)]
        label = " ".join(words) or "same settings"
        if by == ALL_BUT_SEED and len(members) == 1:
            label = members[0].digest.run_id
        groups.append(Group(label, tuple(members)))
    return groups


def figures_of(curve: Curve, points: Points, window: int = 1) -> Figures | None:
    """Return the figures of a smoothed curve, None of an empty one.

    The best is looked for where a mean is over the whole window, if it ever is: the first episode
    alone is no mean.
    """
    places, values = points
    if not len(values):
        return None
    start = min(window, len(values)) - 1
    best = start + int((np.argmin if curve.is_lower_better else np.argmax)(values[start:]))
    return Figures(float(values[-1]), float(values[best]), float(places[best]))


def thin(points: Points) -> Points:
    """Return what a plot can show of a curve: its ends, the lowest and highest of each stretch."""
    places, values = points
    size = -(-len(values) // _DOTS)
    if size <= 2:
        return points
    table = np.pad(values, (0, -len(values) % size), mode="edge").reshape(-1, size)
    starts = np.arange(len(table)) * size
    ends = np.array([0, len(values) - 1])
    kept = np.concatenate([ends, starts + table.argmin(axis=1), starts + table.argmax(axis=1)])
    kept = np.unique(kept)
    return places[kept], values[kept]


def band_of(lines: Sequence[Points], *, is_quartiles: bool = False) -> Band:
    """Return the mean of curves, and their lowest and highest values or their quartiles.

    Where a curve has not begun or is over the others count, as long as they are half of all:
    of a few that are left the mean would jump.
    """
    lines = [line for line in lines if len(line[0])]
    if not lines:
        return Band(*[np.empty(0)] * 4)
    first, last = min(line[0][0] for line in lines), max(line[0][-1] for line in lines)
    places = np.linspace(first, last, _DOTS if last > first else 1)
    table = np.array([np.interp(places, *line, left=np.nan, right=np.nan) for line in lines])
    counts = np.isfinite(table).sum(axis=0)
    is_kept = counts >= max(1, len(lines) / 2)
    places, counts = places[is_kept], counts[is_kept]
    table = np.sort(table[:, is_kept], axis=0)  # nan comes last
    share = 0.25 if is_quartiles else 0.0
    low, high = (_quantile(table, counts, q) for q in (share, 1 - share))
    return Band(places, np.nansum(table, axis=0) / counts, low, high)


def _quantile(
    table: NDArray[np.float64], counts: NDArray[np.int_], q: float
) -> NDArray[np.float64]:
    """Return the quantile of each column's first `counts` values, which rise."""
    at = q * (counts - 1)
    below = np.floor(at).astype(np.intp)
    columns = np.arange(table.shape[1])
    one, other = table[below, columns], table[np.ceil(at).astype(np.intp), columns]
    return np.asarray(one + (at - below) * (other - one))


@dataclass(slots=True)
class Overlay:
    """The runs, with a cache of what is computed from their curves.

    Attributes:
        runs: In the order in which they were named; only added to.
    """

    runs: list[OverlaidRun] = field(default_factory=list)
    _kept: dict[object, object] = field(default_factory=dict)

    def line(self, run: OverlaidRun, view: View) -> Points:
        """Return a run's curve with all its points."""

        def smooth() -> Points:
            places, values = view.curve.smoothed(run.state, view.window)
            return (view.curve.steps(run.state, places) if view.is_by_steps else places), values

        return self._keep(("line", run, view), smooth)

    def thin_line(self, run: OverlaidRun, view: View) -> Points:
        """Return what a plot can show of a run's curve."""
        return self._keep(("thin", run, view), lambda: thin(self.line(run, view)))

    def band(self, group: Group, view: View, *, is_quartiles: bool) -> Band:
        """Return the band of a group's runs."""
        return self._keep(
            ("band", group.runs, view, is_quartiles),
            lambda: band_of(
                [self.line(run, view) for run in group.runs], is_quartiles=is_quartiles
            ),
        )

    def figures(self, run: OverlaidRun, view: View) -> Figures | None:
        """Return a run's curve in figures."""
        window = 1
        if view.curve.source != "evaluations":
            window = max(1, view.window // view.curve.stride(run.state))
        return self._keep(
            ("figures", run, view),
            lambda: figures_of(view.curve, self.line(run, view), window),
        )

    def summary(self, group: Group, view: View) -> Summary | None:
        """Return the curves of a group in figures, None where no run of it has the curve."""
        found = [self.figures(run, view) for run in group.runs]
        figures = [one for one in found if one is not None]
        if not figures:
            return None
        lasts = [one.last for one in figures]
        choose = min if view.curve.is_lower_better else max
        best = choose(figures, key=lambda one: one.best)
        return Summary(sum(lasts) / len(lasts), min(lasts), max(lasts), best.best, best.best_at)

    def _keep(self, key: object, make: Callable[[], _Kept]) -> _Kept:
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]  # type: ignore[return-value]  # made by this `make`
