"""Print what is known of saved runs: comparisons, evaluations, replays, exports."""

import statistics
from collections.abc import Sequence
from pathlib import Path

from engine.ground.text import counted
from engine.runs.comparison import differing, digest_run, saved_curves
from engine.runs.export import export_run
from pokeTUI.cli.progress import progress
from pokeTUI.saved import comparison_rows, saves, share_text
from pokeTUI.terminal.printing import complain, say

_HEIGHTS = "▁▂▃▄▅▆▇█"
_BARS = 40
PAID_ALIKE = 1e-6
"""Returns closer than this are the same."""


def print_curves(save_dir: str | None, name: str) -> None:
    """Print what became of each figure of a run or a cloned policy, a line each.

    Raises:
        CheckpointError: There is neither.
    """
    title, curves = saved_curves(saves(save_dir), name, _warn)
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


def print_comparison(save_dir: str | None, first: str, second: str) -> None:
    """Set two runs or cloned policies side by side: what was set otherwise, how far they came.

    Raises:
        CheckpointError: There is no such run or policy.
    """
    rows = comparison_rows([digest_run(saves(save_dir), run, _warn) for run in (first, second)])
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def print_overview(save_dir: str | None, names: Sequence[str]) -> None:
    """Print a line a run or cloned policy: how far it came, last and best; then a line a group.

    Raises:
        CheckpointError: There is no such run or policy.
    """
    # Here, not above: these load what folds a journal.
    from pokeTUI.dashboard.curves import ALONE_SUCCESS, RETURN, SUCCESS
    from pokeTUI.dashboard.overlay import Group, Overlay, View, load_run, make_groups

    runs = [load_run(saves(save_dir), name, _warn) for name in dict.fromkeys(names)]
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
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells, differs in rows:
        right = (text.rjust(width) for text, width in zip(cells, widths[1:], strict=False))
        say("  ".join([name.ljust(widths[0]), *right, differs]).rstrip())
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


def print_evaluation(
    save_dir: str | None,
    run: str,
    episodes: int,
    checkpoint: str | None,
    *,
    with_planner: bool,
    patience: int | None = None,
) -> None:
    """Let a saved run play, and print how it went.

    Raises:
        PokeTUIError: The run, the checkpoint or the ROM is unusable.
    """
    # Here, not above: these load the learning library.
    from engine.agents.evaluation import summarise
    from engine.training.evaluation import evaluate_run

    with progress("playing episodes") as advance:
        found = evaluate_run(
            saves(save_dir),
            run,
            episodes=episodes,
            checkpoint=checkpoint,
            with_planner=with_planner,
            patience=patience,
            report=lambda done: advance(done, episodes),
        )
    for warning in found.warnings:
        say(f"warning: {warning}")
    played, result = found.played, summarise(found.played)
    who = "with the planner" if with_planner else "alone"
    say(
        f"Run {found.run_id}, {found.checkpoint.name} at step {found.total_steps:,}, {who}: "
        f"{counted(len(played), 'episode')} from the start"
    )
    say(f"return   {result.avg_reward:z.2f} ± {result.std_reward:.2f}")
    say(f"length   {counted(round(result.avg_length), 'step')}")
    say(f"planner  {result.avg_llm_usage + result.avg_rules_usage:.0%} of the decisions")
    say(f"success  {share_text(sum(episode.is_success for episode in played), len(played))}")
    if stood_still := sum(episode.stood_still for episode in played):
        say(f"gave up  {stood_still} stood still")
    width = max((len(text) for _, text in found.milestones), default=0)
    say("", f"{'milestone':<{width}}  {'reached by':<32} median step")
    for key, text in found.milestones:
        steps = [e.steps_to_milestone[key] for e in played if key in e.steps_to_milestone]
        median = f"{statistics.median(steps):,.0f}" if steps else "–"
        say(f"{text:<{width}}  {share_text(len(steps), len(played)):<32} {median}")


def print_replay(save_dir: str | None, run: str, episode: int | None) -> None:
    """Play a recorded episode again and say how it went.

    Raises:
        PokeTUIError: There is no such episode, or it goes another way.
    """
    # Here, not above: it loads the emulator.
    from engine.sessions.replay_player import replay_episode

    with progress("replaying steps") as advance:
        found, total_reward = replay_episode(saves(save_dir), run, episode, advance)
    recorded = found.ended.summary
    say(f"Episode {found.ended.episode} of run {found.run_id}, replayed exactly:")
    was = (
        ""
        if abs(total_reward - recorded.total_reward) < PAID_ALIKE
        else (f" ({recorded.total_reward:z.2f} when played, with other reward weights)")
    )
    say(f"{counted(recorded.length, 'step')}, return {total_reward:z.2f}{was}")
    for key, step in recorded.steps_to_milestone.items():
        say(f"  step {step:>5,}  {key}")


def print_export(
    save_dir: str | None, run: str, form: str, table: str, out: Path | None, *, is_forced: bool
) -> None:
    """Write a run's figures into a file, and say where.

    Raises:
        PokeTUIError: There is no such run, or the file cannot be written.
    """
    warnings: list[str] = []
    with progress("reading the run"):
        path, count = export_run(
            saves(save_dir),
            run,
            form=form,
            table=table,
            out=out,
            is_forced=is_forced,
            warn=warnings.append,
        )
    for text in warnings:
        _warn(text)
    say(f"Wrote {path}: {counted(count, 'row')}.")


def _warn(text: str) -> None:
    complain(f"warning: {text}")
