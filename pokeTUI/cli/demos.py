"""Define `poketui demos`: list, watch, check, count, sort and exchange demonstrations."""

from pathlib import Path
from typing import Annotated

import typer

from engine.ground.text import counted
from pokeTUI.cli import video
from pokeTUI.cli.completion import words
from pokeTUI.cli.options import AnyRom, Color, Core, Game, Panels, Rom, SaveDir, Seed, chosen_rom
from pokeTUI.terminal.printing import confirm, say

demos_app = typer.Typer(help="List, watch, validate, filter, import and export demonstrations.")

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FILE]...",
        help="Demonstrations or datasets: paths, or names in the demos folder.",
        show_default="all",
    ),
]
FORMATS = ("npz", "minari", "lerobot", "csv")


@demos_app.callback(invoke_without_command=True)
def demos(context: typer.Context, save_dir: SaveDir = None) -> None:
    """List, watch, validate, filter, import and export demonstrations."""
    from pokeTUI.cli import demo_reports

    if context.invoked_subcommand is None:
        demo_reports.print_list(save_dir)


@demos_app.command("list", cls=Panels)
def list_(save_dir: SaveDir = None) -> None:
    """List the demonstrations."""
    from pokeTUI.cli import demo_reports

    demo_reports.print_list(save_dir)


@demos_app.command(cls=Panels)
def show(
    file: Annotated[str, typer.Argument(help="A demonstration.")], save_dir: SaveDir = None
) -> None:
    """Show a demonstration's metadata."""
    from pokeTUI.cli import demo_reports

    demo_reports.print_one(save_dir, file)


@demos_app.command(cls=Panels)
def watch(
    file: Annotated[str, typer.Argument(help="A demonstration.")],
    game: Game = None,
    rom: Rom = None,
    core: Core = None,
    allow_unknown_rom: AnyRom = False,
    gif: video.GifFile = None,
    mp4: video.Mp4File = None,
    panes: video.Panes = False,
    size: video.Size = video.DEFAULT_SIZE,
    speed: video.Speed = 1.0,
    scale: video.Scale = None,
    first: video.First = None,
    last: video.Last = None,
    force: video.Force = False,
    color: Color = "auto",
    save_dir: SaveDir = None,
) -> None:
    """Watch a demonstration forwards and backwards; t plays on from there. Or save a video."""
    from pokeTUI.app.recordings import recorded_demo, watch

    recorded = recorded_demo(
        save_dir, file, chosen_rom(rom, game), allow_unknown_rom=allow_unknown_rom
    )
    film = video.VideoOptions(gif, mp4, panes, size, speed, scale, first, last, force)
    if film.are_given():
        video.write_videos(recorded, film)
    else:
        say(*watch(recorded, color=color))


@demos_app.command(cls=Panels)
def validate(
    files: Files = None,
    game: Game = None,
    rom: Rom = None,
    core: Core = None,
    allow_unknown_rom: AnyRom = False,
    save_dir: SaveDir = None,
) -> None:
    """Replay demonstrations and verify that each repeats exactly."""
    from pokeTUI.cli import demo_reports

    code = demo_reports.print_validation(
        save_dir, files or [], chosen_rom(rom, game), allow_unknown_rom
    )
    raise typer.Exit(code)


@demos_app.command(cls=Panels)
def stats(files: Files = None, save_dir: SaveDir = None) -> None:
    """Show statistics: lengths, returns, maps, actions."""
    from pokeTUI.cli import demo_reports

    demo_reports.print_statistics(save_dir, files or [])


@demos_app.command(cls=Panels)
def split(
    valid: Annotated[float, typer.Option(help="Validation share.")] = 0.2,
    seed: Seed = None,
    files: Files = None,
    save_dir: SaveDir = None,
) -> None:
    """Split each dataset into train and valid for `poketui bc`; written to split.json."""
    from pokeTUI.app.recordings import settings
    from pokeTUI.cli import demo_reports

    config = settings(save_dir, seed=seed)
    demo_reports.print_split(save_dir, files or [], valid, config.seed)


@demos_app.command("filter", cls=Panels)
def filter_(
    files: Files = None,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="With this tag; repeatable.")
    ] = None,
    success: Annotated[
        bool | None,
        typer.Option("--success/--failure", help="Successful: reached the goal; or did not."),
    ] = None,
    by: Annotated[str, typer.Option(help="By this player: human, rules, ...")] = "",
    map_: Annotated[str, typer.Option("--map", help="Visited this map.")] = "",
    min_return: Annotated[float | None, typer.Option(help="Minimum return.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write copies into this folder.")] = None,
    save_dir: SaveDir = None,
) -> None:
    """List the demonstrations that match all filters."""
    from pokeTUI.cli import demo_reports

    tags = frozenset(tag or [])
    demo_reports.print_filtered(save_dir, files or [], tags, success, by, map_, min_return, out)


@demos_app.command(cls=Panels)
def merge(
    folders: Annotated[list[Path], typer.Argument(help="Folders of demonstrations.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder to write copies into.", show_default="the save folder's"),
    ] = None,
    save_dir: SaveDir = None,
) -> None:
    """Copy demonstrations from other folders, without duplicates."""
    from pokeTUI.cli import demo_reports

    demo_reports.print_merge(save_dir, folders, out)


@demos_app.command(cls=Panels)
def delete(
    files: Annotated[list[str], typer.Argument(help="Demonstrations.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    save_dir: SaveDir = None,
) -> None:
    """Delete demonstrations permanently."""
    from pokeTUI.cli import demo_reports

    demos = demo_reports.deletable(save_dir, files)
    count = counted(len(demos), "demonstration")
    if not yes and not confirm(f"Delete {count} permanently?"):
        raise typer.Exit(1)
    say(f"{demos.delete():,} deleted.")


@demos_app.command(cls=Panels)
def recover(files: Files = None, save_dir: SaveDir = None) -> None:
    """Recover demonstrations from interrupted recordings."""
    from pokeTUI.cli import demo_reports

    raise typer.Exit(demo_reports.print_recovery(save_dir, files or []))


@demos_app.command(cls=Panels)
def export(
    files: Files = None,
    format_: Annotated[
        str,
        typer.Option(
            "--format", help=f"Format: {', '.join(FORMATS)}.", autocompletion=words(*FORMATS)
        ),
    ] = "npz",
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder to write into; for minari and lerobot the dataset's.",
            show_default="the current folder",
        ),
    ] = None,
    game: Game = None,
    rom: Rom = None,
    core: Core = None,
    allow_unknown_rom: AnyRom = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files.")] = False,
    save_dir: SaveDir = None,
) -> None:
    """Export demonstrations as NPZ, Minari, LeRobotDataset v3 or CSV."""
    from pokeTUI.app.recordings import settings
    from pokeTUI.cli import demo_reports

    config = settings(save_dir, chosen_rom(rom, game), "", allow_unknown_rom)
    demo_reports.print_export(config, files or [], format_, out, is_forced=force)


@demos_app.command("import", cls=Panels)
def import_(
    files: Annotated[
        list[Path], typer.Argument(help=".demo, .npz or .csv files, or folders of Minari.")
    ],
    game: Game = None,
    rom: Rom = None,
    core: Core = None,
    state: Annotated[
        str, typer.Option(help="Start state of imported actions.", show_default="a new game")
    ] = "",
    allow_unknown_rom: AnyRom = False,
    save_dir: SaveDir = None,
) -> None:
    """Import demonstrations; foreign actions are replayed here first."""
    from pokeTUI.app.recordings import settings
    from pokeTUI.cli import demo_reports

    config = settings(save_dir, chosen_rom(rom, game), state, allow_unknown_rom)
    raise typer.Exit(demo_reports.print_import(config, files))
