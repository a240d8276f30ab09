"""Print what is known of demonstrations, and do what `poketui demos` asks for."""

import statistics
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from engine.config import RunConfig
from engine.demos.dataset import DemoSet, Wanted, copy_demo, demos_folder, write_split
from engine.demos.demonstration import SUFFIX, read_demo
from engine.demos.recording_log import LOG_SUFFIX
from engine.demos.writer import is_being_written, recover
from engine.errors import DemoError, PokeTUIError
from engine.games.bundled import name_of
from engine.ground.text import counted
from pokeTUI.app.recordings import named, settings
from pokeTUI.terminal.printing import say

_BAR = 30


def members(save_dir: str | None, names: Sequence[str], suffix: str = SUFFIX) -> list[Path]:
    """Return the files of these names as `named` does; the name of a set stands for all in it.

    Raises:
        DemoError: There is no such file and no such set.
    """
    folder = demos_folder(settings(save_dir))
    found = []
    for name in names:
        # A set's name means that set, whatever the current folder holds.
        place = next((place for place in (folder / name, Path(name)) if place.is_dir()), None)
        found += (
            named(save_dir, [name], suffix) if place is None else sorted(place.glob(f"*{suffix}"))
        )
    return list(dict.fromkeys(found))


def chosen(save_dir: str | None, files: Sequence[str]) -> DemoSet:
    """Return the demonstrations of these files and sets; none named: all, those of sets too."""
    folder = demos_folder(settings(save_dir))
    return DemoSet(folder, members(save_dir, files)) if files else DemoSet(folder).with_sets()


def distinct_names(paths: Sequence[Path]) -> list[str]:
    """Return the files' names; where two are alike, each with its set's before it."""
    times = Counter(path.name for path in paths)
    return [
        f"{path.parent.name}-{path.name}" if times[path.name] > 1 else path.name for path in paths
    ]


def print_list(save_dir: str | None) -> None:
    """List the demonstrations, those of sets in folders of their own as well."""
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


def print_one(save_dir: str | None, file: str) -> None:
    """Say what is in a demonstration."""
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


def print_validation(
    save_dir: str | None, files: Sequence[str], rom: str | None, allow_unknown_rom: bool
) -> int:
    """Play demonstrations again; return the exit code."""
    # Here, not above: only this starts another process.
    from engine.demos.validation import validate

    demos = chosen(save_dir, files)
    if not len(demos):
        say(f"No demonstrations in {demos.folder}.")
        return 0
    refused = 0
    for found in validate(demos.paths, settings(save_dir, rom, "", allow_unknown_rom)):
        refused += bool(found.refusal)
        how = found.refusal or f"{counted(found.steps, 'step')}, exactly as recorded"
        if found.unchecked:
            unchecked = ", ".join(found.unchecked)
            how = f"{counted(found.steps, 'step')}, as recorded; not checked: {unchecked}"
        say(f"{_short(found.path, demos.folder)}: {how}")
    if refused:
        say(f"{refused:,} of {len(demos):,} diverge from the recording.")
    return 2 if refused else 0


def print_statistics(save_dir: str | None, files: Sequence[str]) -> None:
    """Print what a set holds."""
    demos = chosen(save_dir, files)
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


def print_split(save_dir: str | None, files: Sequence[str], valid: float, seed: int) -> None:
    """Divide demonstrations, each folder by itself, and write down how beside them."""
    demos = chosen(save_dir, files)
    folders = dict.fromkeys(path.parent for path in demos.paths)
    if not folders:
        raise DemoError(f"No demonstrations in {demos.folder}.", "Record some first.")
    for folder in folders:
        inside = DemoSet(folder, [path for path in demos.paths if path.parent == folder])
        path, train, validating = write_split(inside, valid, seed)
        say(f"train {train:,}, valid {validating:,}: {path}")
    say("poketui bc uses this split; later recordings are training data.")


def print_filtered(
    save_dir: str | None,
    files: Sequence[str],
    tags: frozenset[str],
    success: bool | None,
    by: str,
    map_: str,
    min_return: float | None,
    out: Path | None,
) -> None:
    """Name the demonstrations that meet all of it, or copy them."""
    wanted = Wanted(tags, success, by, map_, min_return)
    demos = chosen(save_dir, files)
    found = demos.choose(wanted)
    for path in found.paths:
        say(_short(path, demos.folder) if out is None else str(copy_demo(path, out)))


def print_merge(save_dir: str | None, folders: Sequence[Path], out: Path | None) -> None:
    """Copy demonstrations of other folders here."""
    for folder in folders:
        if not folder.is_dir():
            raise DemoError(f"{folder} is not a folder.", "Use folders of demonstrations.")
    target = DemoSet(out or demos_folder(settings(save_dir)))
    copied = target.merge(DemoSet(folder) for folder in folders)
    say(f"{len(copied):,} copied into {target.folder}, which now contains {len(target):,}.")


def deletable(save_dir: str | None, names: Sequence[str]) -> DemoSet:
    """Return the demonstrations of these names as `members` does, and print their paths.

    Raises:
        DemoError: There is none, or it lies behind a link.
    """
    demos = DemoSet(demos_folder(settings(save_dir)), members(save_dir, names))
    if not len(demos):
        raise DemoError(f"No demonstrations in {', '.join(names)}.", "List them: poketui demos")
    demos.check_deletable()
    for path in demos.paths:
        say(str(path))
    return demos


def print_recovery(save_dir: str | None, files: Sequence[str]) -> int:
    """Make demonstrations of what was left behind; return the exit code."""
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
            demo = recover(log)
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
    return 2 if refused else 0


def print_export(
    config: RunConfig, files: Sequence[str], form: str, out: Path | None, *, is_forced: bool
) -> None:
    """Write demonstrations for other programs."""
    # Here, not above: listing needs none of it.
    from engine.demos.exchange import to_npz
    from engine.demos.lerobot import to_lerobot
    from engine.demos.minari_folder import to_minari
    from engine.demos.table import to_csv

    demos = chosen(config.save_dir, files)
    if form not in ("npz", "minari", "lerobot", "csv"):
        raise DemoError(f"There is no format '{form}'.", "Allowed are: npz, minari, lerobot, csv.")
    if not len(demos):
        raise DemoError(f"No demonstrations in {demos.folder}.", "Record some first.")
    names = distinct_names(demos.paths)
    if form in ("minari", "lerobot"):
        folder = out or Path("poketui-demos-v0" if form == "minari" else "poketui-demos")
        read = [demo for _, demo in demos.read()]
        if form == "minari":
            steps = to_minari(list(zip(names, read, strict=True)), folder, config)
        else:
            steps = to_lerobot(read, folder, config)
        say(f"{folder}: {counted(len(demos), 'episode')}, {counted(steps, 'step')}")
        return
    for name, (_, demo) in zip(names, demos.read(), strict=True):
        target = (out or Path()) / f"{name.removesuffix(SUFFIX)}.{form}"
        if target.exists() and not is_forced:
            raise DemoError(f"{target} already exists.", "Add --out or --force.")
        target.parent.mkdir(parents=True, exist_ok=True)
        steps = to_npz(demo, target, config) if form == "npz" else to_csv(demo, target)
        say(f"{target}: {counted(steps, 'step')}, {target.stat().st_size:,} bytes")


def print_import(config: RunConfig, files: Sequence[Path]) -> int:
    """Take in files of other programs; return the exit code."""
    # Here, not above: listing needs none of it.
    from engine.demos.importing import Importer

    importer, refused = Importer(config), 0
    for file in files:
        try:
            for found in importer.take(file):
                where = "already imported as" if found.is_known else "imported as"
                say(f"{file}: {counted(len(found.demo.shown), 'step')}, {where} {found.path}")
        except PokeTUIError as error:
            refused += 1
            if len(files) == 1:
                raise
            say(f"{file}: {error}")
    return 2 if refused else 0


def _short(path: Path, folder: Path) -> str:
    """Return by what a file is named in the folder of demonstrations, with its set's name."""
    here, place = path.resolve(), folder.resolve()
    return str(here.relative_to(place)) if here.is_relative_to(place) else path.name


def _spread(values: Sequence[float], digits: int) -> str:
    low, high = min(values), max(values)
    middle = statistics.median(values)
    plain = [_plain(value, digits) for value in (low, high, middle)]
    return f"{plain[0]} to {plain[1]}, median {plain[2]}"


def _plain(value: float, digits: int) -> str:
    """Return a number in words; none is minus zero."""
    return f"{round(value, digits) + 0.0:,.{digits}f}"


def _duration(seconds: float) -> str:
    """Return a time as m:ss."""
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02}"
