"""Define `poketui eval`, `export` and `replay`: what came of saved runs."""

import statistics
from pathlib import Path
from typing import Annotated

import typer

from engine.ground.text import counted
from pokeTUI.cli import options, video
from pokeTUI.cli.completion import complete_runs_or_latest, words
from pokeTUI.cli.progress import progress
from pokeTUI.terminal.printing import complain, say

PAID_ALIKE = 1e-6
"""Returns closer than this are the same."""


def evaluate(
    run: options.LatestRun = "latest",
    /,
    episodes: Annotated[int, typer.Option(min=1, max=1_000_000)] = 30,
    checkpoint: Annotated[str | None, words("latest", "best")] = None,
    planner: bool = False,
    patience: Annotated[int | None, typer.Option(min=0, max=1_000_000)] = None,
    save_dir: options.SaveDir = None,
    core: options.Core = None,
) -> None:
    """Evaluate a saved run's policy alone, without learning.

    Args:
        episodes: Episodes to play.
        checkpoint: Checkpoint: latest, best, or a file. Default: the best, if the policy was seen
            playing alone; else the latest.
        planner: Keep the run's planner weight.
        patience: Early stopping of an episode after this many steps without anything new; 0: never.
            Default: half an episode, at least 500.
    """
    # Here, not above: these load the learning library.
    from engine.agents.evaluation import summarise
    from engine.training.evaluation import evaluate_run
    from pokeTUI.saved import saves, share_text

    with progress("playing episodes") as advance:
        found = evaluate_run(
            saves(save_dir),
            run,
            episodes=episodes,
            checkpoint=checkpoint,
            with_planner=planner,
            patience=patience,
            report=lambda done: advance(done, episodes),
        )
    for warning in found.warnings:
        say(f"warning: {warning}")
    played, result = found.played, summarise(found.played)
    who = "with the planner" if planner else "alone"
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


def export(
    run: options.LatestRun = "latest",
    /,
    format_: Annotated[str, words("csv", "json")] = "csv",
    table: Annotated[str, words("episodes", "updates", "evaluations", "exchanges")] = "episodes",
    out: Path | None = None,
    force: bool = False,
    save_dir: options.SaveDir = None,
) -> None:
    """Export a run's metrics as CSV or JSON.

    Args:
        format_: Format: csv or json.
        table: For CSV: episodes, updates, evaluations or exchanges; JSON has all.
        out: File to write. Default: named after the run.
        force: Overwrite it.
    """
    from engine.runs.export import export_run
    from pokeTUI.saved import saves

    warnings: list[str] = []
    with progress("reading the run"):
        path, count = export_run(
            saves(save_dir),
            run,
            form=format_,
            table=table,
            out=out,
            is_forced=force,
            warn=warnings.append,
        )
    for text in warnings:
        complain(f"warning: {text}")
    say(f"Wrote {path}: {counted(count, 'row')}.")


def replay(
    run: Annotated[str, complete_runs_or_latest] = "latest",
    /,
    *,
    core: options.Core = None,
    episode: int | None = None,
    watch: bool = False,
    film: video.VideoOptions,
    color: options.Color = "auto",
    save_dir: options.SaveDir = None,
) -> None:
    """Replay a recorded episode and verify that it repeats exactly; watch it, or save a video.

    Args:
        run ([RUN[:EPISODE]]): A saved run, and one of its episodes. Default: the latest, and its
            last.
        episode: Episode number. Default: the last.
        watch: Watch it in the cockpit, forwards and backwards.
    """
    from engine.sessions.replay_sources import split_source
    from pokeTUI.app import recordings

    run, number = split_source(run)
    number = number if episode is None else episode
    if film.are_given():
        video.write_videos(recordings.recorded_episode(save_dir, run, number), film)
    elif watch:
        say(*recordings.watch(recordings.recorded_episode(save_dir, run, number), color=color))
    else:
        _print_replay(save_dir, run, number)


def _print_replay(save_dir: str | None, run: str, episode: int | None) -> None:
    """Play a recorded episode again and say how it went.

    Raises:
        PokeTUIError: There is no such episode, or it goes another way.
    """
    # Here, not above: it loads the emulator.
    from engine.sessions.replay_player import replay_episode
    from pokeTUI.saved import saves

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
