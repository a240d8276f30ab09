"""Define `poketui demos`: list, watch, check, count, sort and exchange demonstrations."""

from pathlib import Path
from typing import Annotated

import typer

from pokeTUI.cli.completion import words
from pokeTUI.cli.options import AnyRom, Color, Rom, SaveDir
from pokeTUI.printing import confirm, say

demos_app = typer.Typer(help="List, watch, check, count, sort and exchange demonstrations.")

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FILE]...",
        help="Demonstrations and sets: paths, or names in the folder of demonstrations.",
        show_default="all",
    ),
]
FORMATS = ("npz", "minari", "csv")


@demos_app.callback(invoke_without_command=True)
def demos(context: typer.Context, save_dir: SaveDir = None) -> None:
    """List, watch, check, count, sort and exchange demonstrations."""
    from pokeTUI.cli import demo_reports

    if context.invoked_subcommand is None:
        demo_reports.print_list(save_dir)


@demos_app.command("list")
def list_(save_dir: SaveDir = None) -> None:
    """List the demonstrations."""
    from pokeTUI.cli import demo_reports

    demo_reports.print_list(save_dir)


@demos_app.command()
def show(
    file: Annotated[str, typer.Argument(help="A demonstration.")], save_dir: SaveDir = None
) -> None:
    """Say what is in a demonstration."""
    from pokeTUI.cli import demo_reports

    demo_reports.print_one(save_dir, file)


@demos_app.command()
def watch(
    file: Annotated[str, typer.Argument(help="A demonstration.")],
    rom: Rom = None,
    allow_unknown_rom: AnyRom = False,
    color: Color = "auto",
    save_dir: SaveDir = None,
) -> None:
    """Watch a demonstration in the cockpit, to and fro; t goes on from there by hand."""
    from pokeTUI.demos.watching import watch_demo

    say(*watch_demo(save_dir, file, rom, allow_unknown_rom=allow_unknown_rom, color=color))


@demos_app.command()
def validate(
    files: Files = None,
    rom: Rom = None,
    allow_unknown_rom: AnyRom = False,
    save_dir: SaveDir = None,
) -> None:
    """Play demonstrations again and say whether each goes as it was recorded."""
    from pokeTUI.cli import demo_reports

    code = demo_reports.print_validation(save_dir, files or [], rom, allow_unknown_rom)
    raise typer.Exit(code)


@demos_app.command()
def stats(files: Files = None, save_dir: SaveDir = None) -> None:
    """Count: lengths, returns, maps, actions."""
    from pokeTUI.cli import demo_reports

    demo_reports.print_statistics(save_dir, files or [])


@demos_app.command()
def split(
    valid: Annotated[float, typer.Option(help="Share that only validates.")] = 0.2,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the drawing.")] = 0,
    files: Files = None,
    save_dir: SaveDir = None,
) -> None:
    """Divide each set into train and valid, for `poketui bc`; split.json beside it says how."""
    from pokeTUI.cli import demo_reports

    demo_reports.print_split(save_dir, files or [], valid, seed)


@demos_app.command("filter")
def filter_(
    files: Files = None,
    tag: Annotated[list[str] | None, typer.Option(help="Has this tag; may be repeated.")] = None,
    success: Annotated[
        bool | None, typer.Option("--success/--failure", help="Reached the goal, or did not.")
    ] = None,
    by: Annotated[str, typer.Option(help="Played by: human, rules, ...")] = "",
    map_: Annotated[str, typer.Option("--map", help="Was on this map.")] = "",
    min_return: Annotated[float | None, typer.Option(help="Was paid so much.")] = None,
    out: Annotated[Path | None, typer.Option(help="Copy them into this folder.")] = None,
    save_dir: SaveDir = None,
) -> None:
    """Name the demonstrations that meet all that is asked for."""
    from pokeTUI.cli import demo_reports

    tags = frozenset(tag or [])
    demo_reports.print_filtered(save_dir, files or [], tags, success, by, map_, min_return, out)


@demos_app.command()
def merge(
    folders: Annotated[list[Path], typer.Argument(help="Folders of demonstrations.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder to copy into.", show_default="the save folder's")
    ] = None,
    save_dir: SaveDir = None,
) -> None:
    """Copy demonstrations of other folders here, each once."""
    from pokeTUI.cli import demo_reports

    demo_reports.print_merge(save_dir, folders, out)


@demos_app.command()
def delete(
    files: Annotated[list[str], typer.Argument(help="Demonstrations.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    save_dir: SaveDir = None,
) -> None:
    """Delete demonstrations for good."""
    from pokeTUI.cli import demo_reports

    demos = demo_reports.deletable(save_dir, files)
    count = f"{len(demos)} demonstration{'s' * (len(demos) != 1)}"
    if not yes and not confirm(f"Delete {count} for good?"):
        raise typer.Exit(1)
    say(f"{demos.delete():,} deleted.")


@demos_app.command()
def recover(files: Files = None, save_dir: SaveDir = None) -> None:
    """Make demonstrations of recordings that a crash left behind."""
    from pokeTUI.cli import demo_reports

    raise typer.Exit(demo_reports.print_recovery(save_dir, files or []))


@demos_app.command()
def export(
    files: Files = None,
    format_: Annotated[
        str, typer.Option("--format", help=", ".join(FORMATS), autocompletion=words(*FORMATS))
    ] = "npz",
    out: Annotated[
        Path | None,
        typer.Option(help="Folder; for minari the dataset's.", show_default="the current folder"),
    ] = None,
    rom: Rom = None,
    allow_unknown_rom: AnyRom = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files.")] = False,
    save_dir: SaveDir = None,
) -> None:
    """Write demonstrations for other programs."""
    from pokeTUI.cli import demo_reports
    from pokeTUI.demos.naming import settings

    config = settings(save_dir, rom, "", allow_unknown_rom)
    demo_reports.print_export(config, files or [], format_, out, is_forced=force)


@demos_app.command("import")
def import_(
    files: Annotated[
        list[Path], typer.Argument(help=".demo, .npz or .csv files, or folders of Minari.")
    ],
    rom: Rom = None,
    state: Annotated[
        str, typer.Option(help="Where foreign actions start.", show_default="a new game")
    ] = "",
    allow_unknown_rom: AnyRom = False,
    save_dir: SaveDir = None,
) -> None:
    """Take in files of other programs; foreign actions are played here first."""
    from pokeTUI.cli import demo_reports
    from pokeTUI.demos.naming import settings

    config = settings(save_dir, rom, state, allow_unknown_rom)
    raise typer.Exit(demo_reports.print_import(config, files))
