"""Define `poketui vgc distill`."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.battles.play.evaluation import rate_text
from engine.battles.play.players import format_of, policy_path
from engine.battles.policy import Policy, write_network
from engine.battles.sim.setup import find_simulator
from engine.battles.sim.teams import find_format
from engine.errors import ConfigurationError
from engine.ground.folders import user_path
from engine.ground.text import counted
from engine.runs.checkpoint import LATEST
from pokeTUI.battles.commands import saves
from pokeTUI.cli import options
from pokeTUI.cli.completion import words
from pokeTUI.cli.progress import progress
from pokeTUI.cli.vgc.evaluation import teams_of_kind
from pokeTUI.cli.vgc.scores import counting, refuse_odd
from pokeTUI.terminal.printing import say

if TYPE_CHECKING:
    from engine.battles.play.distilling import Verdict


def distill(
    player: str = LATEST,
    /,
    rounds: Annotated[int, typer.Option(min=1, max=100)] = 2,
    battles: Annotated[int, typer.Option(min=2, max=1_000_000)] = 2000,
    search: Annotated[int, typer.Option(min=1, max=1000)] = 4,
    duels: Annotated[int, typer.Option(min=2, max=1_000_000)] = 1000,
    teams: Annotated[str, words("one", "pool", "unseen")] = "pool",
    battle_format: str | None = None,
    num_workers: Annotated[int, typer.Option(min=1)] = 2,
    seed: options.Seed = None,
    checkpoint_dir: options.CheckpointDir = None,
    out: Path | None = None,
    quiet: bool = False,
) -> None:
    """Distil looking ahead into a policy: expert iteration.

    The policy plays against itself, looks ahead from a tenth of the decisions that it meets, and
    learns what it finds. What it has become is kept if it beats what it was and still switches,
    protects itself, controls speed and uses its gimmick; otherwise nothing is written.

    Args:
        player (RUN|FILE): A run or a policy's file. Default: the latest run, or shipped.
        rounds: Rounds of playing and learning; the last one that is kept counts.
        battles: Battles of each round.
        search: Copies of the battle to look ahead in.
        duels: Battles that decide whether a round is kept.
        teams (one|N|pool|unseen|FILE|FOLDER): Teams of both sides.
        battle_format: Battle format. Default: the run's.
        num_workers: Processes that play.
        out: File to write the policy into. Default: saves/vgc/distilled.zip.
        quiet: Print errors only.
    """
    # Here, not above: it loads the learning library.
    from engine.battles.play.distilling import DistillingSettings, join, judge, learn, visit

    save_dir = saves(checkpoint_dir)
    for count in (battles, duels):
        refuse_odd(count)
    path = policy_path(player, save_dir)
    if path is None:
        raise ConfigurationError(f"{player} is no policy.", "Give a run or a policy's file.")
    format = find_format(battle_format) if battle_format else format_of(player, save_dir)
    packed = [team.packed for team in teams_of_kind(format, teams)]
    target, node = user_path(out or Path(saves()) / "distilled.zip"), find_simulator()
    settings = DistillingSettings(seed=seed or 0)
    settings = replace(settings, search=replace(settings.search, samples=search))
    policy, lessons, kept = Policy.load(path), [], 0
    for number in range(1, rounds + 1):
        each = replace(settings, seed=settings.seed * rounds + number)
        with counting(battles, is_quiet=quiet) as advance:
            seen = visit(policy, format, packed, battles, node, each, num_workers, advance)
        lessons.append(seen)
        with progress("Learning", left="nothing was written", is_quiet=quiet) as bar:
            learnt = learn(policy, join(lessons), each, bar)
        with counting(duels, is_quiet=quiet) as advance:
            verdict = judge(learnt.policy, policy, format, packed, duels, node, each, advance)
        if not quiet:
            looked = counted(int(seen.is_searched.sum()), "decision")
            agreed = (
                f"agrees with the search {learnt.agreed_before:.0%} to {learnt.agreed_after:.0%}"
            )
            say(f"round {number}: looked ahead from {looked}; {agreed}; {_said(verdict)}")
        if not verdict.is_kept:
            break
        policy, kept = learnt.policy, number
    if not kept:
        raise ConfigurationError(
            "No better policy was found, and nothing was written.",
            "Play more --battles, or look ahead in more copies: --search 8.",
        )
    write_network(target, policy.by_name, {"battle_format": format.id, "distilled": str(path)})
    if not quiet:
        say(f"Saved in {target}. Measure it: poketui vgc eval {target}")


def _said(verdict: "Verdict") -> str:
    wins = f"wins {rate_text(verdict.score.win_rate, *verdict.score.interval)} against what it was"
    habits = ", ".join(
        f"{name} {old:.1%} to {new:.1%}" for name, (old, new) in verdict.habits.items()
    )
    end = "kept" if verdict.is_kept else "not kept"
    if verdict.lost:
        end += f", as it lost: {', '.join(verdict.lost)}"
    return f"{wins}; {habits}; {end}."
