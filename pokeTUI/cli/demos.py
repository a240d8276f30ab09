"""Define `poketui demos`: list, show, watch, check, count and delete demonstrations."""

import statistics
import time
from collections.abc import Sequence
from typing import Annotated

import typer

from engine.config import load_config
from engine.demos.dataset import DemoSet, demos_folder
from engine.demos.demonstration import SUFFIX, read_demo
from engine.demos.recording_log import LOG_SUFFIX
from engine.demos.writer import is_being_written
from engine.demos.writer import recover as recover_log
from engine.errors import DemoError
from engine.games.bundled import name_of
from engine.ground.text import counted
from pokeTUI.app.recordings import chosen, members, named, settings, short_name
from pokeTUI.cli import demo_sets
from pokeTUI.cli.demo_sets import Files
from pokeTUI.cli.options import Color, Given, SaveDir, command
from pokeTUI.cli.outcomes import VideoOptions, write_videos
from pokeTUI.terminal.printing import confirm, say

demos_app = typer.Typer()

_BAR = 30


@demos_app.callback()
def demos(context: typer.Context, save_dir: SaveDir = None) -> None:
    """List the demonstrations, if nothing else is asked for."""
    if context.invoked_subcommand is None:
        list_(save_dir)


@command(demos_app, "list")
def list_(save_dir: SaveDir = None) -> None:
    """List the demonstrations."""
    demos = DemoSet(demos_folder(settings(save_dir)))
    sets = demos.sets()
    if not len(demos) and not demos.logs() and not sets:
        say(f"No demonstrations in {demos.folder}.")
        return
    _print_set(demos)
    for place, one in enumerate(sets):
        if place or len(demos) or demos.logs():
            say("")
        say(f"set {one.folder.name}")
        _print_set(one)


def _print_set(demos: DemoSet) -> None:
    if len(demos):
        say(f"{'demonstration':<34} {'by':<8} {'steps':>7} {'return':>8}  goal  tags")
    for entry in demos.entries():
        demo, name = entry.demo, entry.path.name.removesuffix(SUFFIX)
        if demo is None:
            say(f"{name:<34} ! {entry.refusal}")
            continue
        goal = "✓" if demo.is_success else "–"
        paid = _plain(demo.episode_return, 1)
        say(
            f"{name:<34} {demo.by[:8]:<8} {len(demo.shown):>7,} {paid:>8}  "
            f"{goal:<4}  {' '.join(sorted(demo.tags))}".rstrip()
        )
    for log in demos.logs():
        name = log.name.removesuffix(SUFFIX + LOG_SUFFIX)
        goes_on = is_being_written(log)
        say(f"{name:<34} " + ("● recording" if goes_on else "left behind by a crash"))
        if not goes_on:
            say(f"  Recover it: poketui demos recover {log.name}")


@command(demos_app)
def show(file: str, /, save_dir: SaveDir = None) -> None:
    """Show a demonstration's metadata.

    Args:
        file: A demonstration.
    """
    (path,) = named(save_dir, [file])
    demo = read_demo(path)
    recording = demo.recording
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(demo.created_s))
    game = f"{name}, " if (name := name_of(recording.rom)) else ""
    rows = [
        ("file", f"{path}, {path.stat().st_size:,} bytes"),
        ("task", demo.task or "–"),
        ("played by", f"{demo.by}, {when}"),
        ("tags", " ".join(sorted(demo.tags)) or "–"),
        ("steps", f"{len(demo.shown):,}"),
        ("return", _plain(demo.episode_return, 2)),
        ("goal", "reached" if demo.is_success else "not reached"),
        ("game", f"{game}ROM {recording.rom[:12]}, emulator {recording.emulator}"),
        ("press", f"hold {recording.frames[0]}, wait {recording.frames[1]} frames"),
        (
            "checked",
            f"at {counted(len(demo.memory_hashes), 'step')}"
            + (" and the end" * bool(recording.memory)),
        ),
    ]
    if demo.begins_at:
        rows.append(("starts", f"after {counted(demo.begins_at, 'step')} that led there"))
    if demo.has_live:
        live = sum(each.is_live for each in demo.shown)
        time_s = _duration(demo.live_s)
        rows.append(("real time", f"{time_s}, with {live:,} of the steps"))
    if demo.num_interventions:
        rows.append(("human", f"{counted(demo.num_interventions, 'step')} in place of the agent"))
    for name, value in rows:
        say(f"{name:<12} {value}")
    if demo.events:
        say("", "   step  event")
    for event in demo.events:
        say(f"{event.step:>7,}  {event.kind}: {event.text}")


@command(demos_app)
def watch(
    file: str,
    /,
    film: VideoOptions,
    given: Annotated[Given, "rom_path allow_unknown_rom save_dir"],
    color: Color = "auto",
) -> None:
    """Watch a demonstration forwards and backwards; t plays on from there. Or save a video.

    Args:
        file: A demonstration.
    """
    from pokeTUI.app.recordings import recorded_demo
    from pokeTUI.app.recordings import watch as watch_recorded

    recorded = recorded_demo(load_config(None, given), file)
    if film.are_given():
        write_videos(recorded, film)
    else:
        say(*watch_recorded(recorded, color=color))


@command(demos_app)
def validate(
    files: Files = None, /, *, given: Annotated[Given, "rom_path allow_unknown_rom save_dir"]
) -> None:
    """Replay demonstrations and verify that each repeats exactly."""
    from engine.demos.validation import validate as validated  # here: it loads what games need

    config = load_config(None, given)
    demos = chosen(config.save_dir, files or ())
    if not len(demos):
        say(f"No demonstrations in {demos.folder}.")
        return
    refused = 0
    for found in validated(demos.paths, config):
        refused += bool(found.refusal)
        how = found.refusal or f"{counted(found.steps, 'step')}, exactly as recorded"
        if found.unchecked:
            unchecked = ", ".join(found.unchecked)
            how = f"{counted(found.steps, 'step')}, as recorded; not checked: {unchecked}"
        say(f"{short_name(found.path, demos.folder)}: {how}")
    if refused:
        say(f"{refused:,} of {len(demos):,} diverge from the recording.")
    raise typer.Exit(2 if refused else 0)


@command(demos_app)
def stats(files: Files = None, /, save_dir: SaveDir = None) -> None:
    """Show statistics: lengths, returns, maps, actions."""
    demos = chosen(save_dir, files or ())
    found = demos.statistics()
    count, total = len(found.lengths), sum(found.lengths)
    if not count:
        say(f"No readable demonstrations in {demos.folder}.")
        return
    say(f"demonstrations  {count:,}, {found.successes:,} reached the goal")
    say(f"by              {', '.join(f'{who} {number:,}' for who, number in found.by)}")
    say(f"steps           {total:,}, {_spread(found.lengths, 0)} each")
    if found.live_s:
        say(f"real time       {_duration(found.live_s)}")
    say(f"return          {_spread(found.returns, 1)}")
    if found.interventions:
        say(f"interventions   {counted(found.interventions, 'step')}")
    unread = len(demos) - count
    if unread:
        say(f"unreadable      {unread:,}; see: poketui demos")
    for title, parts in (("map", found.maps), ("action", found.actions)):
        say("", f"{title:<22} {'steps':>8}")
        for name, steps in parts:
            share = steps / max(1, total)
            say(f"{name:<22} {steps:>8,}  {share:>4.0%} {'█' * round(share * _BAR)}".rstrip())
    for title, how, tally in (
        ("milestone", "reached", found.milestones),
        ("note", "noted", found.notes),
    ):
        if tally:
            say("", f"{title:<22} {how:>8}")
        for name, times in tally:
            say(f"{name:<22} {times:>8,}")


command(demos_app)(demo_sets.split)
command(demos_app, "filter")(demo_sets.filter_)
command(demos_app)(demo_sets.merge)


@command(demos_app)
def delete(
    files: list[str],
    /,
    yes: Annotated[bool, typer.Option("--yes", "-y")] = False,
    save_dir: SaveDir = None,
) -> None:
    """Delete demonstrations permanently.

    Args:
        files: Demonstrations.
        yes: Do not ask.
    """
    demos = DemoSet(demos_folder(settings(save_dir)), members(save_dir, files))
    if not len(demos):
        raise DemoError(f"No demonstrations in {', '.join(files)}.", "List them: poketui demos")
    demos.check_deletable()
    for path in demos.paths:
        say(str(path))
    count = counted(len(demos), "demonstration")
    if not yes and not confirm(f"Delete {count} permanently?"):
        raise typer.Exit(1)
    say(f"{demos.delete():,} deleted.")


@command(demos_app)
def recover(files: Files = None, /, save_dir: SaveDir = None) -> None:
    """Recover demonstrations from interrupted recordings."""
    demos = DemoSet(demos_folder(settings(save_dir)))
    if files:
        logs = members(save_dir, files, SUFFIX + LOG_SUFFIX)
    else:
        found = (log for one in (demos, *demos.sets()) for log in one.logs())
        logs = [log for log in found if not is_being_written(log)]
    if not logs:
        say(f"Nothing to recover in {demos.folder}.")
    refused = 0
    for log in logs:
        try:
            demo = recover_log(log)
        except DemoError as error:
            refused += 1
            say(f"{log.name}: {error}")
        else:
            steps = (
                counted(len(demo.shown), "step")
                if demo.shown
                else "nothing had been played; deleted"
            )
            say(f"{log.name.removesuffix(LOG_SUFFIX)}: {steps}")
    raise typer.Exit(2 if refused else 0)


command(demos_app)(demo_sets.export)
command(demos_app, "import")(demo_sets.import_)


def _spread(values: Sequence[float], digits: int) -> str:
    low, high = min(values), max(values)
    middle = statistics.median(values)
    plain = [_plain(value, digits) for value in (low, high, middle)]
    return f"{plain[0]} to {plain[1]}, median {plain[2]}"


def _plain(value: float, digits: int) -> str:
    """Return a rounded number with thousands separated; never "-0"."""
    return f"{round(value, digits) + 0.0:,.{digits}f}"


def _duration(seconds: float) -> str:
    """Return a time as m:ss."""
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02}"
