"""Define `poketui vgc bc` and `poketui vgc import`: learn from battles that were played."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import ConfigurationError, DemoError
from engine.ground.folders import user_path
from engine.ground.text import counted
from pokeTUI.cli import options
from pokeTUI.cli.progress import Advance, progress
from pokeTUI.terminal.printing import complain, say

if TYPE_CHECKING:
    from engine.battles.learn.cloning import Clone, Epoch, Score

_PLAYERS = "heuristics,greedy"
_FORMAT = "gen9vgc2023regc"


def bc(
    data: Annotated[
        Path | None,
        typer.Argument(
            help="File or folder of battles to learn from.", show_default="saves/vgc/battles"
        ),
    ] = None,
    battles: Annotated[
        int, typer.Option(min=0, max=1_000_000, help="First generate this many battles there.")
    ] = 0,
    players: Annotated[
        str, typer.Option(help="Who plays them: built-in players, each against each.")
    ] = _PLAYERS,
    battle_format: Annotated[str, typer.Option(help="Battle format.")] = _FORMAT,
    team: Annotated[
        Path | None,
        typer.Option(help="File of their team, or folder of teams.", show_default="a shipped one"),
    ] = None,
    num_teams: Annotated[int, typer.Option(min=1, help="Shipped teams to play them with.")] = 1,
    epochs: Annotated[int, typer.Option(min=1, help="Number of epochs.")] = 15,
    batch_size: Annotated[int, typer.Option(min=1, help="Batch size.")] = 512,
    lr: Annotated[
        float, typer.Option("--lr", "--learning-rate", min=0, help="Learning rate.")
    ] = 1e-3,
    loser_weight: Annotated[
        float, typer.Option(min=0, max=1, help="Weight of the losers' decisions, 0 to 1.")
    ] = 0.25,
    patience: Annotated[
        int, typer.Option(min=1, help="Early stopping after this many epochs.")
    ] = 3,
    num_workers: Annotated[int, typer.Option(min=1, help="Processes that play.")] = 2,
    seed: options.Seed = None,
    out: Annotated[
        Path | None,
        typer.Option(help="File to write the policy into.", show_default="saves/vgc/clone.zip"),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print errors only.")] = False,
) -> None:
    """Train a battle policy by behavioural cloning."""
    # Here, not above: these load the learning library.
    from engine.battles.learn.cloning import CloningSettings, clone
    from engine.battles.learn.demonstrations import read_battles, replay_decisions
    from engine.battles.sim.setup import find_simulator
    from pokeTUI.battles.commands import saves

    def tell(text: str) -> None:
        if not quiet:
            say(text)

    show = _no_progress if quiet else progress
    node = find_simulator()
    if battles and data and data.is_file():
        raise ConfigurationError(
            f"{data} is a file; generated battles are written into a folder.",
            "Name a folder, or leave --battles out.",
        )
    if not battles and (players, battle_format, team, num_teams) != (_PLAYERS, _FORMAT, None, 1):
        raise ConfigurationError(
            "--players, --battle-format, --team and --num-teams are for generated battles.",
            "Add --battles 1000, say, or leave them out.",
        )
    if team and num_teams != 1:
        raise ConfigurationError("--num-teams counts shipped teams.", "Leave it out with --team.")
    folder = user_path(data or Path(saves()) / "battles")
    target = user_path(out or Path(saves()) / "clone.zip")
    if battles:
        tell(
            _generate(
                battles,
                folder,
                players,
                battle_format,
                team,
                num_teams,
                num_workers,
                seed or 0,
                show,
            )
        )
    found = read_battles(folder)
    with show("Replaying", left="nothing was cloned") as advance:
        demonstrations = replay_decisions(found, node, processes=num_workers, advance=advance)
    tell(f"{counted(len(demonstrations), 'decision')} of {counted(len(found), 'battle')}.")
    settings = CloningSettings(
        epochs=epochs, batch_size=batch_size, learning_rate=lr, loser_weight=loser_weight,
        patience=patience, seed=seed or 0,
    )  # fmt: skip
    with ExitStack() as bar:
        advance = bar.enter_context(show("Cloning", left="nothing was saved"))

        def report(epoch: "Epoch") -> None:
            nonlocal advance
            bar.close()  # a line below the bar would be drawn over
            tell(_epoch_line(epoch))
            advance = bar.enter_context(show("Cloning", left="nothing was saved"))

        cloned = clone(demonstrations, settings, report, lambda done, total: advance(done, total))
    target.parent.mkdir(parents=True, exist_ok=True)
    cloned.save(target, {"battle_format": sorted({battle.format for battle in found})})
    tell(_clone_summary(cloned))
    tell(f"Saved in {target}. Fine-tune it: poketui vgc train --bc-model {target}")


@contextmanager
def _no_progress(text: str, *, left: str) -> Iterator[Advance]:
    """Show nothing; called as `progress` is."""
    yield lambda done, total: None


def _generate(
    count: int, folder: Path, players: str, battle_format: str, team: Path | None,
    num_teams: int, processes: int, seed: int, show: Callable[..., AbstractContextManager[Advance]],
) -> str:  # fmt: skip
    """Generate battles, write them into the folder, and say what was done."""
    from engine.battles.learn.demonstrations import SUFFIX, generate, rounds, write_battles
    from engine.battles.sim.setup import find_simulator
    from engine.battles.sim.teams import find_format, first_teams, read_teams

    known = find_format(battle_format)
    if team:
        teams = [own.packed for own in read_teams(user_path(team), known)]
    else:
        teams = [*first_teams(known, num_teams)]
    names = [name.strip() for name in players.split(",") if name.strip()]
    lanes = rounds(known.id, teams, names, seed)
    with show("Generating", left="no battle was kept") as advance:
        found = generate(lanes, count, find_simulator(), processes=processes, advance=advance)
    path = folder / f"{known.id}-{'-'.join(names)}-{seed}-{count}{SUFFIX}"
    size = write_battles(path, found)
    return (
        f"Generated {counted(len(found), 'battle')} in {path} ({size / len(found):.0f} bytes each)."
    )


def _epoch_line(epoch: "Epoch") -> str:
    found = epoch.validation
    skipped = f" skipped gradient steps {epoch.skipped}" if epoch.skipped else ""
    return (
        f"epoch {epoch.number:>2} loss {epoch.loss:.3f} val {found.loss:.3f} "
        f"win {found.win_loss:.3f} {_shares(found)}" + " best" * epoch.is_best + skipped
    )


def _shares(score: "Score") -> str:
    return " ".join(f"{name} {share:.0%}" for name, share in score.accuracy.items())


def _clone_summary(cloned: "Clone") -> str:
    return (
        f"Cloned {counted(cloned.decisions, 'decision')} of {counted(cloned.battles, 'battle')}. "
        f"Best epoch {cloned.best.number}, predicted in validation: "
        f"{_shares(cloned.best.validation)}."
    )


def import_battles(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="Logs of servers (.log.json), replays (.json, .html, .log), battles, folders.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="File of battles to write.", show_default="saves/vgc/battles/imported.battles.gz"
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print errors only.")] = False,
) -> None:
    """Import battles that were played elsewhere, to learn from."""
    from engine.battles.learn.demonstrations import SUFFIX, write_battles
    from engine.battles.learn.importing import find_files, import_files
    from engine.battles.sim.setup import find_simulator
    from engine.battles.sim.simulator import Simulator
    from pokeTUI.battles.commands import saves

    target = user_path(out or Path(saves()) / "battles" / f"imported{SUFFIX}")
    files = find_files([user_path(path) for path in paths])
    with (
        Simulator((), find_simulator()) as simulator,
        (_no_progress if quiet else progress)("Importing", left="nothing was written") as advance,
    ):
        report = import_files(files, simulator, lambda done: advance(done, len(files)))
    for problem in report.problems:
        complain(f"poketui: Left out {problem}")
    if not report.battles:
        raise DemoError("There are no battles to import.", "Give logs or replays of VGC battles.")
    write_battles(target, report.battles)
    if quiet:
        return
    say(
        f"Imported {counted(len(report.battles), 'battle')} of {counted(len(files), 'file')}: "
        f"{counted(report.kept, 'decision')} known, {report.dropped.total():,} dropped."
    )
    for reason, count in report.dropped.most_common():
        say(f"  {count:>6,} {reason}")
    say(f"Written to {target}. Learn from them: poketui vgc bc {target}")
