"""Print saved runs as a table, as curves or compared; label, delete and restore them."""

import math
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import typer
from rich.cells import cell_len, set_cell_size

from engine.ground.numerals import MAX_TIME
from engine.ground.text import counted, visible
from engine.runs.folder import delete_run, find_run, restore_command, restore_run
from engine.runs.labels import RunLabels, read_labels, write_labels
from engine.runs.policy_folders import list_policies
from engine.runs.table import RunRow, RunTable, differing, digest_run, saved_curves
from pokeTUI.saved import comparison_rows, live_run_dirs
from pokeTUI.screens.run_table import RunColumn, RunGroup, TableView, arrange, fitting, text_of
from pokeTUI.terminal.printing import confirm, say, say_json, say_table, warn

_INTERVAL_S = 2.0
_GAP = "  "
_HEIGHTS = "▁▂▃▄▅▆▇█"
_BARS = 40


def print_table(save_dir: str, view: TableView, *, is_watched: bool = False) -> None:
    """List the runs and the cloned policies; if watched, redraw in a terminal until Ctrl-C."""
    table = RunTable(save_dir)
    if is_watched and sys.stdout.isatty():
        _watch(table, view)
        return
    groups = arrange(table.look(), view)
    shown = [row for group in groups for row in group.rows]
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    say(*_lines(groups, view, width))
    if not table.rows:
        say(f"No saved runs in {save_dir}. Start one with: poketui run")
    elif not shown:
        say(f"None of {len(table.rows):,} runs matches: {view.words}")
    else:
        if any(row.is_running for row in shown) and live_run_dirs():
            say("Attach to one in the background: poketui attach RUN")
        say("Resume the newest: poketui run --resume, or another: poketui run --resume RUN")
    if view == TableView():
        _print_policies(save_dir)


def print_json(save_dir: str, view: TableView, names: Sequence[str]) -> None:
    """Print the runs, or those that are named, and the cloned policies as one JSON object.

    Raises:
        CheckpointError: There is no run of one of the names.
    """
    wanted = [find_run(save_dir, name, purpose="list").resolve() for name in names]
    groups = arrange(RunTable(save_dir).look(), view)
    rows = [
        _facts(row, view.group)
        for group in groups
        for row in group.rows
        if not wanted or row.path.resolve() in wanted
    ]
    policies = [
        {
            "policy": policy.policy_id,
            "how": policy.how,
            "network": policy.network,
            "inputs": policy.inputs,
            "seed": policy.seed,
            "changed_at": _iso(policy.changed_at),
            "refusal": policy.refusal,
        }
        for policy in ([] if wanted else list_policies(save_dir))
    ]
    say_json({"runs": rows, "policies": policies})


def print_curves(save_dir: str, name: str) -> None:
    """Print a line for each metric of a run or cloned policy: first, last, extremes and curve.

    Raises:
        CheckpointError: There is neither.
    """
    title, curves = saved_curves(save_dir, name, warn)
    if not curves:
        say(f"{title} has no metrics yet.")
        return
    width = max(len("metric"), *map(len, curves))
    say(title, f"{'metric':<{width}} {'first':>10} {'last':>10} {'min':>10} {'max':>10}")
    for figure, values in curves.items():
        row = (values[0], values[-1], min(values), max(values))
        shown = " ".join(f"{value:>10.4g}" for value in row)
        say(f"{figure:<{width}} {shown}  {bars(values)}".rstrip())


def bars(values: Sequence[float]) -> str:
    """Return a curve as a row of bars; neighbours are averaged where there are many."""
    from pokeTUI.draw.lines import squeeze  # here, not above: it loads what draws

    means = squeeze(values, _BARS)
    least, most = min(means), max(means)
    if most <= least:
        return _HEIGHTS[0] * len(means)
    top = len(_HEIGHTS) - 1
    return "".join(_HEIGHTS[round((mean - least) / (most - least) * top)] for mean in means)


def print_comparison(save_dir: str, first: str, second: str) -> None:
    """Print two runs or cloned policies side by side: settings that differ, and results.

    Raises:
        CheckpointError: There is no such run or policy.
    """
    say_table(comparison_rows([digest_run(save_dir, run, warn) for run in (first, second)]))


def print_overview(save_dir: str, names: Sequence[str]) -> None:
    """Print a line for each run or cloned policy: steps, last and best results; then each group.

    Raises:
        CheckpointError: There is no such run or policy.
    """
    # Here, not above: these load what folds a journal.
    from pokeTUI.dashboard.curves import ALONE_SUCCESS, RETURN, SUCCESS
    from pokeTUI.dashboard.overlay import Group, Overlay, View, load_run, make_groups

    runs = [load_run(save_dir, name, warn) for name in dict.fromkeys(names)]
    overlay, curves = Overlay(), (RETURN, SUCCESS, ALONE_SUCCESS)
    settings = differing(*(run.digest.settings for run in runs))
    heads = (head for curve in curves for head in (curve.title, "best", "at step"))
    rows: list[tuple[str, ...]] = [("run", "steps", "episodes", *heads, "settings that differ")]
    for number, run in enumerate(runs):
        cells = [run.digest.run_id, f"{run.digest.total_steps:,}", f"{run.digest.episodes:,}"]
        for curve in curves:
            found = overlay.summary(Group("", (run,)), View(curve))
            cells += (
                ["–"] * 3
                if found is None
                else [curve.text(found.last), curve.text(found.best), f"{found.best_at:,.0f}"]
            )
        differing_here = (f"{key}={values[number]}" for key, values in settings.items())
        rows.append((*cells, " ".join(differing_here)))
    say_table(rows, right=range(1, len(rows[0]) - 1))
    for group in make_groups(runs):
        texts = [
            f"{curve.title} {curve.text(found.last)}"
            f" ({curve.text(found.low)} to {curve.text(found.high)})"
            for curve in curves
            if (found := overlay.summary(group, View(curve))) is not None
        ]
        if len(group.runs) > 1 and texts:
            say(f"{len(group.runs)} runs, {group.label}: {', '.join(texts)}")
    say(f"Return and success: means of {View().window} episodes.")


def label(save_dir: str, names: Sequence[str], change: Callable[[RunLabels], RunLabels]) -> None:
    """Change what runs are called.

    Raises:
        CheckpointError: There is no such run.
        ConfigurationError: A label cannot be used or written.
    """
    paths = [find_run(save_dir, run, purpose="label") for run in names]
    changed = [change(read_labels(path)) for path in paths]
    for path, labels in zip(paths, changed, strict=True):
        write_labels(path, labels)
        tags = " ".join(f"#{tag}" for tag in labels.tags)
        parts = (labels.name and f"name {labels.name}", tags, labels.note)
        say(f"{path.name}: {', '.join(filter(None, parts)) or 'no labels'}")


def delete(save_dir: str, names: Sequence[str], *, must_ask: bool) -> None:
    """Move runs to the trash, once the user has agreed; exit otherwise.

    Raises:
        PokeTUIError: One of them does not exist, is in use, or cannot be moved.
    """
    paths = list(dict.fromkeys(find_run(save_dir, run, purpose="delete") for run in names))
    for path in paths:
        say(str(path))
    if must_ask and not confirm(f"Move {counted(len(paths), 'run')} to the trash?"):
        raise typer.Exit(1)
    for path in paths:
        say(f"Moved to {delete_run(save_dir, str(path))}. Restore it with:")
        say(f"  {restore_command(save_dir, [path.name])}")


def restore(save_dir: str, names: Sequence[str]) -> None:
    """Move runs back from the trash.

    Raises:
        PokeTUIError: One of them is not there, or cannot be moved.
    """
    for name in names:
        say(f"Restored to {restore_run(save_dir, name)}.")


def _watch(table: RunTable, view: TableView) -> None:
    """Redraw the table until Ctrl-C on the alternate screen."""
    # Here, not above: only this needs them.
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(highlight=False)
    try:
        with Live(console=console, screen=True, auto_refresh=False) as live:
            while True:
                groups = arrange(table.look(), view)
                title = f"{table.save_dir}  {time.strftime('%H:%M:%S')}  Ctrl-C ends"
                lines = [visible(title), *_lines(groups, view, console.width)]
                if len(lines) > console.height:
                    left = len(lines) - console.height + 1
                    lines[console.height - 1 :] = [f"↓ {left:,} more: --sort, --filter, --group"]
                live.update(Text("\n".join(lines), no_wrap=True), refresh=True)
                time.sleep(_INTERVAL_S)
    except KeyboardInterrupt:
        return


def _lines(groups: Sequence[RunGroup], view: TableView, width: int | None) -> Iterator[str]:
    """Yield the heading and a line for each run; nothing if there is none."""
    rows = [row for group in groups for row in group.rows]
    if not rows:
        return
    columns = fitting(rows, width)
    yield _line(columns, [column.key for column in columns], width)
    for group in groups:
        if view.group:
            yield _line(columns, [group.text(column.key) for column in columns], width)
        for row in group.rows:
            yield _line(columns, [column.text(row) for column in columns], width)


def _line(columns: Sequence[RunColumn], texts: Sequence[str], width: int | None) -> str:
    parts: list[str] = []
    for column, text in zip(columns, map(visible, texts), strict=True):
        cells = column.width or (max(1, width - cell_len(_GAP.join(parts)) - 2) if width else None)
        if cells is not None and cell_len(text) > cells:
            text = set_cell_size(text, cells - 1) + "…"
        padding = " " * ((cells or 0) - cell_len(text))
        parts.append(padding + text if column.is_right else text + padding)
    return _GAP.join(parts).rstrip()


def _facts(row: RunRow, group: str) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "run": row.run_id,
        "name": row.labels.name,
        "state": row.status,
        "reason": row.reason,
        "damaged_lines": row.damaged,
        "steps": row.total_steps,
        "episodes": row.episodes,
        "recent_episodes": row.recent,
        "success": row.success,
        "return": row.mean_return,
        "stage": row.stage,
        "stages": row.num_stages,
        "duration_s": row.duration_s,
        "size_bytes": row.size,
        "changed_at": _iso(row.changed_at),
        "checkpoints": row.num_checkpoints,
        "agent": row.agent,
        "mode": row.mode,
        "seed": row.seed,
        "tags": row.labels.tags,
        "note": row.labels.note,
        "path": str(row.path),
    }
    if group:
        facts["group"] = text_of(row, group)
    return {
        key: None if isinstance(value, float) and math.isnan(value) else value
        for key, value in facts.items()
    }


def _iso(seconds: float) -> str:
    # A file may carry a time of change beyond the year 9999.
    return datetime.fromtimestamp(min(seconds, MAX_TIME), UTC).isoformat(timespec="seconds")


def _print_policies(save_dir: str) -> None:
    policies = list_policies(save_dir)
    if not policies:
        return
    say(
        "",
        f"{'cloned policy':<20} {'how':<8} {'network':<8} {'inputs':<9} {'seed':>5}  last change",
    )
    for policy in policies:
        say(
            f"{policy.policy_id:<20} {policy.how:<8} {policy.network:<8} {policy.inputs:<9} "
            f"{policy.seed:>5}  "
            f"{time.strftime('%Y-%m-%d %H:%M', time.localtime(policy.changed_at))}"
            + (f"  cannot be read: {policy.refusal}" if policy.refusal else "")
        )
    say("Curves: poketui runs POLICY; fine-tune: poketui run --from POLICY")
