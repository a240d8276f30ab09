"""Define `poketui eval`, `export` and `replay`: examine saved runs, and make videos."""

import contextlib
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import ConfigurationError
from engine.ground.numerals import parse_whole
from engine.ground.text import counted
from pokeTUI.cli import options
from pokeTUI.cli.completion import complete_runs_or_latest, words
from pokeTUI.cli.progress import progress
from pokeTUI.terminal.printing import say, warn

if TYPE_CHECKING:
    from engine.sessions.replay_sources import Recorded

PAID_ALIKE = 1e-6
"""Returns that differ by less count as equal."""
DEFAULT_SIZE = "120x40"
_SMALLEST, _LARGEST = (80, 24), (320, 100)


@dataclass(frozen=True, slots=True)
class VideoOptions:
    """Options for a video.

    Attributes:
        gif (FILE): Write it to this GIF file.
        mp4 (FILE): Write it to this MP4 file (ffmpeg).
        panes: Show the cockpit with its panes, not the game alone.
        size (COLUMNSxROWS): Size of the cockpit with --panes.
        speed: Speed: 1 is the game's own, 4 four times that.
        scale: Size of a pixel of the game; with --panes, of a cell in units of 8x16 pixels.
            Default: GIF 2, MP4 4; with --panes 1.
        first: First step. Default: the first.
        last: Last step. Default: the last.
        force: Overwrite the file.
    """

    gif: Path | None = None
    mp4: Path | None = None
    panes: bool = False
    size: str = DEFAULT_SIZE
    speed: Annotated[float, typer.Option(min=0.1, max=100)] = 1.0
    scale: Annotated[int | None, typer.Option(min=1, max=8)] = None
    first: Annotated[int | None, typer.Option("--first-step", min=0)] = None
    last: Annotated[int | None, typer.Option("--last-step", min=1)] = None
    force: bool = False

    def are_given(self) -> bool:
        """Return whether a video is to be written.

        Raises:
            ConfigurationError: None is, but an option for videos is given.
        """
        if self.gif is not None or self.mp4 is not None:
            return True
        options.refuse_if(
            self.panes or (self.scale, self.first, self.last) != (None, None, None),
            "--panes, --scale, --first-step and --last-step are for videos.",
            "Add --gif FILE or --mp4 FILE.",
        )
        return False


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
        warn(text)
    say(f"Wrote {path}: {counted(count, 'row')}.")


def replay(
    run: Annotated[str, complete_runs_or_latest] = "latest",
    /,
    *,
    core: options.Core = None,
    episode: int | None = None,
    watch: bool = False,
    film: VideoOptions,
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
        write_videos(recordings.recorded_episode(save_dir, run, number), film)
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
    was = f" ({recorded.total_reward:z.2f} when played, with other reward weights)"
    if abs(total_reward - recorded.total_reward) < PAID_ALIKE:
        was = ""
    say(f"{counted(recorded.length, 'step')}, return {total_reward:z.2f}{was}")
    for key, step in recorded.steps_to_milestone.items():
        say(f"  step {step:>5,}  {key}")


def write_videos(recorded: "Recorded", film: VideoOptions) -> None:
    """Write what was recorded to the files that are asked for.

    Raises:
        PokeTUIError: A file is there already or cannot be written, or it cannot be replayed.
    """
    # Here, not above: it loads the emulator.
    from pokeTUI.app.video import Video, write_video

    size = _parse_size(film.size) if film.panes else None
    asked = (("gif", film.gif), ("mp4", film.mp4))
    videos = [
        Video(path, kind, film.speed, film.scale, film.first, film.last, size)
        for kind, path in asked
        if path is not None
    ]
    for video in videos:
        hint = "Choose another file, or add --force."
        is_there = video.path.exists() and not film.force
        options.refuse_if(is_there, f"{video.path} already exists.", hint)
    for video in videos:
        with progress(f"writing {video.path}") as advance:
            written = write_video(recorded, video, advance)
        say(f"Wrote {video.path}: {written}, {video.path.stat().st_size / 1e6:.1f} MB.")


def _parse_size(text: str) -> tuple[int, int]:
    columns, _, rows = text.partition("x")
    with contextlib.suppress(ValueError):
        return (
            parse_whole(columns, _SMALLEST[0], _LARGEST[0]),
            parse_whole(rows, _SMALLEST[1], _LARGEST[1]),
        )
    raise ConfigurationError(
        f"--size {text}: a cockpit has {_SMALLEST[0]}x{_SMALLEST[1]} to "
        f"{_LARGEST[0]}x{_LARGEST[1]} columns and rows.",
        f"Example: --size {DEFAULT_SIZE}",
    )
