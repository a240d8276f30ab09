"""Split, filter, merge, export and import demonstrations."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from engine.config import load_config
from engine.demos.dataset import DemoSet, Wanted, copy_demo, demos_folder, write_split
from engine.demos.demonstration import SUFFIX
from engine.errors import DemoError, PokeTUIError
from engine.ground.text import counted
from pokeTUI.app.recordings import chosen, settings, short_name
from pokeTUI.cli.completion import words
from pokeTUI.cli.options import Given, SaveDir
from pokeTUI.terminal.printing import say

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FILE]...",
        help="Demonstrations or datasets: paths, or names in the demos folder.",
        show_default="all",
    ),
]
FORMATS = ("npz", "minari", "lerobot", "csv")


def split(
    files: Files = None, /, *, given: Annotated[Given, "seed save_dir"], valid: float = 0.2
) -> None:
    """Split each dataset into train and valid for `poketui bc`; written to split.json.

    Args:
        valid: Validation share.
    """
    config = load_config(None, given)
    demos = chosen(config.save_dir, files or ())
    _refuse_none(demos)
    for folder in dict.fromkeys(path.parent for path in demos.paths):
        inside = DemoSet(folder, [path for path in demos.paths if path.parent == folder])
        path, train, validating = write_split(inside, valid, config.seed)
        say(f"train {train:,}, valid {validating:,}: {path}")
    say("poketui bc uses this split; later recordings are training data.")


def filter_(
    files: Files = None,
    /,
    tag: list[str] | None = None,
    success: Annotated[bool | None, typer.Option("--success/--failure")] = None,
    by: str = "",
    map_: str = "",
    min_return: float | None = None,
    out: Path | None = None,
    save_dir: SaveDir = None,
) -> None:
    """List the demonstrations that match all filters.

    Args:
        tag (TAG): With this tag; repeatable.
        success: Successful: reached the goal; or did not.
        by: By this player: human, rules, ...
        map_: Visited this map.
        min_return: Minimum return.
        out: Write copies into this folder.
    """
    wanted = Wanted(frozenset(tag or ()), success, by, map_, min_return)
    demos = chosen(save_dir, files or ())
    for path in demos.choose(wanted).paths:
        say(short_name(path, demos.folder) if out is None else str(copy_demo(path, out)))


def merge(folders: list[Path], /, out: Path | None = None, save_dir: SaveDir = None) -> None:
    """Copy demonstrations from other folders, without duplicates.

    Args:
        folders: Folders of demonstrations.
        out: Folder to write copies into. Default: the save folder's.
    """
    for folder in folders:
        if not folder.is_dir():
            raise DemoError(f"{folder} is not a folder.", "Use folders of demonstrations.")
    target = DemoSet(out or demos_folder(settings(save_dir)))
    copied = target.merge(DemoSet(folder) for folder in folders)
    say(f"{len(copied):,} copied into {target.folder}, which now contains {len(target):,}.")


def export(
    files: Files = None,
    /,
    *,
    given: Annotated[Given, "rom_path allow_unknown_rom save_dir"],
    format_: Annotated[str, words(*FORMATS)] = "npz",
    out: Path | None = None,
    force: bool = False,
) -> None:
    """Export demonstrations as NPZ, Minari, LeRobotDataset v3 or CSV.

    Args:
        format_: Format: npz, minari, lerobot, csv.
        out: Folder to write into; for minari and lerobot the dataset's. Default: the current
            folder.
        force: Overwrite files.
    """
    from engine.demos.lerobot import to_lerobot
    from engine.demos.minari_folder import to_minari
    from engine.demos.npz import to_npz
    from engine.demos.table import to_csv

    config = load_config(None, given)
    demos = chosen(config.save_dir, files or ())
    if format_ not in FORMATS:
        raise DemoError(f"There is no format '{format_}'.", f"Allowed are: {', '.join(FORMATS)}.")
    _refuse_none(demos)
    named = zip(_distinct_names(demos.paths), (demo for _, demo in demos.read()), strict=True)
    if format_ in ("minari", "lerobot"):
        if format_ == "minari":
            folder = out or Path("poketui-demos-v0")
            steps = to_minari(list(named), folder, config)
        else:
            folder = out or Path("poketui-demos")
            steps = to_lerobot([demo for _, demo in named], folder, config)
        say(f"{folder}: {counted(len(demos), 'episode')}, {counted(steps, 'step')}")
        return
    for name, demo in named:
        target = (out or Path()) / f"{name.removesuffix(SUFFIX)}.{format_}"
        if target.exists() and not force:
            raise DemoError(f"{target} already exists.", "Add --out or --force.")
        target.parent.mkdir(parents=True, exist_ok=True)
        steps = to_npz(demo, target, config) if format_ == "npz" else to_csv(demo, target)
        say(f"{target}: {counted(steps, 'step')}, {target.stat().st_size:,} bytes")


def _refuse_none(demos: DemoSet) -> None:
    if not len(demos):
        raise DemoError(f"No demonstrations in {demos.folder}.", "Record some first.")


def _distinct_names(paths: Sequence[Path]) -> list[str]:
    """Return the files' names, with the dataset's name before those that occur twice."""
    times = Counter(path.name for path in paths)
    return [
        f"{path.parent.name}-{path.name}" if times[path.name] > 1 else path.name for path in paths
    ]


def import_(
    files: list[Path],
    /,
    *,
    given: Annotated[Given, "rom_path start_state=--state allow_unknown_rom save_dir"],
) -> None:
    """Import demonstrations; foreign actions are replayed here first.

    Args:
        files: .demo, .npz or .csv files, or folders of Minari.
        state: Start state of imported actions. Default: a new game.
    """
    from engine.demos.importing import Importer

    importer, refused = Importer(load_config(None, given)), 0
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
    raise typer.Exit(2 if refused else 0)
