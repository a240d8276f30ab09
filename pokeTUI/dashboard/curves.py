"""List the curves of a run, and return their points, smoothed and cut to a range."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from pokeTUI.dashboard.history import STEPS, Points, Record, smooth
from pokeTUI.dashboard.state import DashboardState, fold

WINDOWS = (30, 100, 1, 10)
"""Rows that are averaged, in the order of the key; 1 is the bare curve."""

_FIGURES: Mapping[str, str] = MappingProxyType(
    {
        "entropy": "entropy",
        "loss": "total loss",
        "policy_loss": "policy loss",
        "value_loss": "value loss",
        "imitation_loss": "imitation loss",
        "cloning_loss": "cloning loss",
        "kickstart_kl": "distance from the clone",
        "distillation": "distillation coefficient",
        "value": "Q-values: mean",
        "value_max": "Q-values: max",
        "value_std": "Q-values: std",
        "error": "TD error",
        "explained_variance": "explained variance",
        "approx_kl": "approx. KL",
        "clip_fraction": "clipped share",
        "epsilon": "epsilon",
    }
)
"""Titles of an agent's figures, in the order of the keys; others come after them by their name."""

_STEP = "step"
_UNITS = {"episodes": "episode", "updates": "update", "evaluations": _STEP}


@dataclass(frozen=True, slots=True)
class Curve:
    """A figure in the episodes, updates or evaluations of a run.

    A share is between 0 and 1, and shown in per cent.
    """

    source: str
    name: str
    title: str
    is_share: bool = False

    @property
    def unit(self) -> str:
        """What is counted from left to right."""
        return _UNITS[self.source]

    @property
    def is_lower_better(self) -> bool:
        """Whether the lowest value is the best one."""
        return "loss" in self.name or self.name in ("length", "planner_share", "error")

    def stride(self, state: DashboardState) -> int:
        """Return how many rows a point stands for."""
        return self._record(state).stride

    def points(self, state: DashboardState) -> Points:
        """Return all points that are kept."""
        places, values = self._record(state).points(self.name)
        if self.name == _REACHED and state.run is not None:
            values = values / max(1, len(state.run.milestones))
        if not len(places) and self.name.startswith(_MILESTONE):
            places, values = RETURN.points(state)
            values = np.zeros(len(places))  # never reached
        return places, values

    def smoothed(self, state: DashboardState, window: int) -> Points:
        """Return the points as means over `window` rows that end there."""
        places, values = self.points(state)
        if self.source == "evaluations":
            return places, values  # each is a mean already
        return places, smooth(values, window // self.stride(state))

    def steps(self, state: DashboardState, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return at which of the run's steps places of the curve are."""
        known, steps = self._record(state).points(STEPS)
        return np.interp(places, known, steps) if len(known) else places

    def beside(self, other: "Curve", state: DashboardState, window: int) -> Points:
        """Return the smoothed points at places of another curve, whatever that one counts."""
        places, values = self.smoothed(state, window)
        known, steps = other._record(state).points(STEPS)
        if self.unit == other.unit or not len(known):
            return places, values
        steps_here = self.steps(state, places)
        return (steps_here if other.unit == _STEP else np.interp(steps_here, steps, known)), values

    def text(self, value: float) -> str:
        """Return a value in a few characters."""
        return f"{value:.0%}" if self.is_share else brief(value)

    def _record(self, state: DashboardState) -> Record:
        if self.source == "updates":
            return state.updates
        return state.evaluations if self.source == "evaluations" else state.history.record


RETURN = Curve("episodes", "return", "return")
LENGTH = Curve("episodes", "length", "length")
SUCCESS = Curve("episodes", "success", "success", is_share=True)
ALONE = Curve("evaluations", "progress", "policy alone", is_share=True)
ALONE_SUCCESS = Curve("evaluations", "success", "policy alone: success", is_share=True)
ALONE_LOW = Curve("evaluations", "success_low", "95 % interval", is_share=True)
ALONE_HIGH = Curve("evaluations", "success_high", "95 % interval", is_share=True)
PLANNER = Curve("episodes", "planner_share", "planner share of decisions", is_share=True)
_REACHED = "milestones"
_MILESTONE = "milestone/"
COMPLETION = Curve("episodes", _REACHED, "milestones reached", is_share=True)
MILESTONES = Curve("milestones", "", "milestones", is_share=True)
"""No curve but bars, one a milestone."""


def curves(state: DashboardState) -> list[Curve]:
    """Return what can be chosen, in the order of the keys."""
    chosen = [ALONE] if state.evaluations.count else []
    chosen += [RETURN, LENGTH, SUCCESS, PLANNER]
    if state.run is not None and state.run.milestones:
        chosen += [MILESTONES, COMPLETION]
        chosen += [
            Curve("episodes", f"{_MILESTONE}{key}", text, is_share=True)
            for key, text in state.run.milestones
            if f"{_MILESTONE}{key}" in state.history.record.names
        ]
    figures = [name for name in _FIGURES if name in state.updates.names]
    figures += [name for name in state.updates.names if name not in (*figures, STEPS)]
    chosen += [
        Curve("updates", name, _FIGURES.get(name, name.replace("_", " "))) for name in figures
    ]
    if state.evaluations.count:
        chosen += [
            ALONE_SUCCESS,
            Curve("evaluations", "return", "policy alone: return"),
            Curve("evaluations", "length", "policy alone: length"),
            Curve("evaluations", _REACHED, "policy alone: milestones", is_share=True),
        ]
    return chosen


def shared_curves(states: Sequence[DashboardState]) -> list[Curve]:
    """Return the curves that any of several saved runs has.

    How many milestones there are is unknown: those reached are counted.
    """
    found = dict.fromkeys(curve for state in states for curve in curves(state))
    names = dict.fromkeys(name for state in states for name in state.history.record.names)
    known = [curve for curve in found if curve.name != _REACHED]
    known.append(Curve("episodes", _REACHED, "milestones reached"))
    known += [
        Curve("episodes", name, name.removeprefix(_MILESTONE).replace("_", " "), is_share=True)
        for name in names
        if name.startswith(_MILESTONE)
    ]
    order = ("episodes", "evaluations", "updates")
    return sorted(known, key=lambda curve: order.index(curve.source))


def cut(points: Points, low: float, high: float) -> Points:
    """Return the points from `low` to `high`, and the one before: the line comes from the edge."""
    places, values = points
    start = max(0, int(np.searchsorted(places, low)) - 1)
    end = int(np.searchsorted(places, high, side="right"))
    return places[start:end], values[start:end]


def value_at(points: Points, x: float) -> float | None:
    """Return the value at the point nearest to `x`; None where the curve does not reach."""
    places, values = points
    if not len(places) or not places[0] - 0.5 <= x <= places[-1] + 0.5:
        return None
    return float(values[int(np.abs(places - x).argmin())])


def brief(value: float) -> str:
    """Return a number in about five characters."""
    size = abs(value)
    if value == 0:
        return "0"
    if size >= 100_000:
        return f"{value:.1e}"
    if size >= 100:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:.1f}"
    if size >= 0.1:
        return f"{value:.2f}"
    return f"{value:.3f}" if size >= 0.001 else f"{value:.0e}"


def saved_runs(run_dir: str) -> list[tuple[str, str]]:
    """Return (id, line) of the runs that are saved beside the one at `run_dir`, without itself."""
    from engine.runs.folder import list_runs

    here = Path(run_dir)
    return [
        (
            info.run_id,
            f"{info.run_id}  {info.agent} {info.mode}  {info.total_steps:,} steps  "
            f"{time.strftime('%Y-%m-%d %H:%M', time.localtime(info.changed_at))}",
        )
        for info in list_runs(str(here.parent.parent))
        if info.run_id != here.name
    ]


def load_curves(
    run_dir: str,
    run_id: str,
    is_cancelled: Callable[[], bool] = lambda: False,
    warn: Callable[[str], None] = lambda text: None,
) -> DashboardState:
    """Read the curves of another run that is saved beside the one at `run_dir`.

    Args:
        run_dir: The folder of the one.
        run_id: The other.
        is_cancelled: Asked after each event; if it is, what was read so far is returned.
        warn: Called with a line about damage in the journal.
    """
    from engine.runs.folder import RunFolder
    from engine.runs.journal import read_journal

    state = DashboardState()
    for event in read_journal(RunFolder(Path(run_dir).parent / run_id).journal_path, warn=warn):
        state = fold(state, event)
        if is_cancelled():
            break
    return state
