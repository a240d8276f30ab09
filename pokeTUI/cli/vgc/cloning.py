"""Define `poketui vgc bc` and `poketui vgc import`: learn from battles that were played."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.battles.sim.setup import find_simulator
from engine.battles.sim.simulator import Simulator
from engine.battles.sim.teams import DEFAULT_FORMAT, find_format, first_teams, read_teams
from engine.errors import DemoError
from engine.ground.folders import user_path
from engine.ground.text import counted
from pokeTUI.battles.commands import saves
from pokeTUI.cli import options
from pokeTUI.cli.options import refuse_if
from pokeTUI.cli.progress import Advance, progress
from pokeTUI.terminal.printing import complain, say

if TYPE_CHECKING:
    from engine.battles.learn.cloning import Clone, Epoch, Score


@dataclass(frozen=True, slots=True)
class BattlesToPlay:
    """Battles that are generated first.

    Attributes:
        battles: First generate this many battles there.
        players: Who plays them: built-in players, each against each.
        battle_format: Battle format.
        team: File of their team, or folder of teams. Default: a shipped one.
        num_teams: Shipped teams to play them with.
    """

    battles: Annotated[int, typer.Option(min=0, max=1_000_000)] = 0
    players: str = "heuristics,greedy"
    battle_format: str = DEFAULT_FORMAT.id
    team: Path | None = None
    num_teams: Annotated[int, typer.Option(min=1)] = 1

    def check(self, data: Path | None) -> None:
        """Refuse options that contradict each other, or the place of the battles, `data`."""
        refuse_if(
            self.battles and data and data.is_file(),
            f"{data} is a file; generated battles are written into a folder.",
            "Name a folder, or leave --battles out.",
        )
        refuse_if(
            not self.battles and self != BattlesToPlay(),
            "--players, --battle-format, --team and --num-teams are for generated battles.",
            "Add --battles 1000, say, or leave them out.",
        )
        refuse_if(
            self.team and self.num_teams != 1,
            "--num-teams counts shipped teams.",
            "Leave it out with --team.",
        )


def bc(
    data: Path | None = None,
    /,
    *,
    generated: BattlesToPlay,
    epochs: Annotated[int, typer.Option(min=1)] = 15,
    batch_size: Annotated[int, typer.Option(min=1)] = 512,
    lr: Annotated[float, typer.Option("--lr", "--learning-rate", min=0)] = 1e-3,
    loser_weight: Annotated[float, typer.Option(min=0, max=1)] = 0.25,
    patience: Annotated[int, typer.Option(min=1)] = 3,
    num_workers: Annotated[int, typer.Option(min=1)] = 2,
    seed: options.Seed = None,
    out: Path | None = None,
    quiet: bool = False,
) -> None:
    """Train a battle policy by behavioural cloning.

    Args:
        data: File or folder of battles to learn from. Default: saves/vgc/battles.
        epochs: Number of epochs.
        batch_size: Batch size.
        lr: Learning rate.
        loser_weight: Weight of the losers' decisions, 0 to 1.
        patience: Early stopping after this many epochs.
        num_workers: Processes that play.
        out: File to write the policy into. Default: saves/vgc/clone.zip.
        quiet: Print errors only.
    """
    # Here, not above: these load the learning library.
    from engine.battles.learn.cloning import CloningSettings, clone
    from engine.battles.learn.demonstrations import read_battles, replay_decisions

    node = find_simulator()
    generated.check(data)
    folder = user_path(data or Path(saves()) / "battles")
    target = user_path(out or Path(saves()) / "clone.zip")
    seed = seed or 0
    if generated.battles:
        with progress("Generating", left="no battle was kept", is_quiet=quiet) as bar:
            bar.say(_generate(generated, folder, num_workers, seed, bar))
    found = read_battles(folder)
    with progress("Replaying", left="nothing was cloned", is_quiet=quiet) as bar:
        demonstrations = replay_decisions(found, node, processes=num_workers, advance=bar)
        bar.say(f"{counted(len(demonstrations), 'decision')} of {counted(len(found), 'battle')}.")
    settings = CloningSettings(
        epochs=epochs, batch_size=batch_size, learning_rate=lr, loser_weight=loser_weight,
        patience=patience, seed=seed,
    )  # fmt: skip
    with progress("Cloning", left="nothing was saved", is_quiet=quiet) as bar:
        cloned = clone(demonstrations, settings, lambda epoch: bar.say(_epoch_line(epoch)), bar)
    cloned.save(target, {"battle_format": sorted({battle.format for battle in found})})
    if not quiet:
        say(_clone_summary(cloned))
        say(f"Saved in {target}. Fine-tune it: poketui vgc train --bc-model {target}")


def _generate(
    wanted: BattlesToPlay, folder: Path, processes: int, seed: int, advance: Advance
) -> str:
    """Generate battles, write them into the folder, and say what was done."""
    from engine.battles.learn.demonstrations import SUFFIX, generate, rounds, write_battles

    known = find_format(wanted.battle_format)
    if wanted.team:
        teams = [own.packed for own in read_teams(user_path(wanted.team), known)]
    else:
        teams = [*first_teams(known, wanted.num_teams)]
    names = [name.strip() for name in wanted.players.split(",") if name.strip()]
    lanes = rounds(known.id, teams, names, seed)
    node = find_simulator()
    found = generate(lanes, wanted.battles, node, processes=processes, advance=advance)
    path = folder / f"{known.id}-{'-'.join(names)}-{seed}-{wanted.battles}{SUFFIX}"
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


def import_battles(paths: list[Path], /, out: Path | None = None, quiet: bool = False) -> None:
    """Import battles that were played elsewhere, to learn from.

    Args:
        paths (PATH...): Logs of servers (.log.json), replays (.json, .html, .log), battles,
            folders.
        out: File of battles to write. Default: saves/vgc/battles/imported.battles.gz.
        quiet: Print errors only.
    """
    from engine.battles.learn.demonstrations import SUFFIX, write_battles
    from engine.battles.learn.importing import find_files, import_files

    target = user_path(out or Path(saves()) / "battles" / f"imported{SUFFIX}")
    files = find_files([user_path(path) for path in paths])
    with (
        Simulator((), find_simulator()) as simulator,
        progress("Importing", left="nothing was written", is_quiet=quiet) as bar,
    ):
        report = import_files(files, simulator, lambda done: bar(done, len(files)))
    for problem in report.problems:
        complain(f"poketui: Left out {problem}")
    if not report.battles:
        raise DemoError("There are no battles to import.", "Give logs or replays of VGC battles.")
    write_battles(target, report.battles)
    if quiet:
        return
    say(
        f"Imported {counted(len(report.battles), 'battle')} of {counted(len(files), 'file')}: "
        f"{counted(report.kept, 'decision')} known, {report.dropped.total():,} dropped; "
        f"left out: {len(report.problems):,}."
    )
    for name, count in Counter(battle.format for battle in report.battles).items():
        say(f"  {count:>6,} {name}")
    for reason, count in report.dropped.most_common():
        say(f"  {count:>6,} {reason}")
    say(f"Written to {target}. Learn from them: poketui vgc bc {target}")
