"""Put what was measured into Markdown tables."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

import numpy as np

from tests.benchmarks.against_sb3.games import play
from tests.benchmarks.against_sb3.runs import Case, Outcome, Run
from tests.benchmarks.against_sb3.statistics import FloatArray, difference, estimate

EPISODES = 20
FIRST_SEED = 10_000
"""Of evaluation's episodes: none that was trained on."""

RETURNS_HEAD = (
    "| case | steps | measured on | ours | SB3 | ours − SB3 | ours is not below |",
    "|---|---|---|---|---|---|---|",
)
SPEED_HEAD = (
    "| case | steps/s, ours | SB3 | ratio | steps per CPU second, ours | SB3 | ratio |",
    "|---|---|---|---|---|---|---|",
)


def outcome(case: Case, run: Run) -> Outcome:
    """Let what was trained play, and keep nothing of it but its returns."""
    returns = {
        "last episodes of training": run.returns[-EPISODES:],
        "as in training": play(case.game, run.acting, EPISODES, FIRST_SEED),
        "greedy": play(case.game, run.greedy, EPISODES, FIRST_SEED),
    }
    return Outcome(run.steps, run.clock, returns)


def returns_rows(
    case: Case, title: str, ours: Sequence[Outcome], theirs: Sequence[Outcome]
) -> list[str]:
    """Return a row for each way of measuring; both sides have one outcome a seed."""
    rows = []
    for way in theirs[0].returns:
        mine, other = _returns(ours, way), _returns(theirs, way)
        rng = np.random.default_rng(0)
        gap = difference(mine, other, rng)
        cells = [
            title,
            f"{case.steps:,}",
            way,
            str(estimate(mine, rng)),
            str(estimate(other, rng)),
            str(gap),
            # Ours may be the better one; that the interval is above 0 is not asked for.
            "yes" if gap.high >= 0 else "no",
        ]
        rows.append(_row(cells))
    return rows


def speed_row(title: str, ours: Sequence[Outcome], theirs: Sequence[Outcome]) -> str:
    """Return one row: medians over seeds, the ratios' within each seed."""
    cells = [title]
    paces: tuple[Callable[[Outcome], float], ...] = (
        lambda run: run.steps / run.clock.wall_s,
        lambda run: run.steps / run.clock.cpu_s,
    )
    for pace in paces:
        mine, other = [pace(run) for run in ours], [pace(run) for run in theirs]
        ratios = [ours_ / theirs_ for ours_, theirs_ in zip(mine, other, strict=True)]
        cells += [
            f"{statistics.median(mine):,.0f}",
            f"{statistics.median(other):,.0f}",
            f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
        ]
    return _row(cells)


def _returns(outcomes: Sequence[Outcome], way: str) -> FloatArray:
    """Return (seeds, episodes)."""
    return np.array([outcome.returns[way] for outcome in outcomes])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
