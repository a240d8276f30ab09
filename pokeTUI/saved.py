"""Report on saved runs: where they are, which are running, and how they compare."""

from collections.abc import Sequence
from pathlib import Path

from engine.config import load_config
from engine.errors import PokeTUIError
from engine.planning.history.patterns import success_interval
from engine.remote.folder import live_runs
from engine.runs.table import RunDigest, differing


def live_run_dirs() -> frozenset[Path]:
    """Return the folders of the runs in the background, none if that cannot be found out."""
    try:
        found = live_runs()
    except PokeTUIError:
        return frozenset()
    return frozenset(Path(live.hello.run_dir) for live in found if live.hello is not None)


def saves(save_dir: str | None) -> str:
    """Return the folder of saved runs: the given one, or what the settings say."""
    return load_config(None, {} if save_dir is None else {"save_dir": save_dir}).save_dir


def comparison_rows(runs: Sequence[RunDigest]) -> list[tuple[str, ...]]:
    """Return the rows of a comparison: a name, then the value of each run."""
    settings = differing(*(run.settings for run in runs))
    rows: list[tuple[str, ...]] = [("run", *(run.run_id for run in runs))]
    rows += [(key, *values) for key, values in settings.items()]
    rows += [
        ("steps", *(f"{run.total_steps:,}" for run in runs)),
        ("episodes", *(f"{run.episodes:,}" for run in runs)),
        ("updates", *(f"{run.updates:,}" for run in runs)),
        (
            "return of the last",
            *(f"{run.recent}: {run.recent_return:z.2f}" if run.recent else "–" for run in runs),
        ),
        ("success of the last", *(share_text(run.recent_successes, run.recent) for run in runs)),
        ("evaluation, policy alone", *(_evaluation(run) for run in runs)),
    ]
    for key in dict.fromkeys(key for run in runs for key in run.figures):
        values = (run.figures.get(key) for run in runs)
        rows.append((key, *("–" if value is None else f"{value:.4g}" for value in values)))
    for key in dict.fromkeys(key for run in runs for key in run.first_steps):
        steps = (run.first_steps.get(key) for run in runs)
        rows.append(
            (f"first {key} at step", *("–" if step is None else f"{step:,}" for step in steps))
        )
    return rows


def share_text(count: int, total: int) -> str:
    """Return "9 of 10, 90 % (60-98 %)", with the 95 % interval."""
    if not total:
        return "–"
    low, high = success_interval(count, total)
    return f"{count} of {total}, {count / total:.0%} ({low:.0%} to {high:.0%})"


def _evaluation(run: RunDigest) -> str:
    if run.evaluation is None:
        return "–"
    result = run.evaluation.evaluation
    successes = share_text(round(result.success_rate * result.episodes), result.episodes)
    return f"{result.avg_reward:z.2f} ± {result.std_reward:.2f}, {successes}"
