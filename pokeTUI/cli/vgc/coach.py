"""Define `poketui vgc coach` and `advise`: what a battle's decisions were worth, what to select."""

import io
import shutil
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from engine.battles.play.players import SCRIPTED, find_player, format_of
from engine.battles.play.search import SearchSettings
from engine.battles.policy import Policy
from engine.battles.sim.actions import SELECTIONS
from engine.battles.sim.setup import find_simulator
from engine.battles.sim.simulator import Simulator
from engine.battles.sim.teams import Format, find_format, pool, read_team, unseen
from engine.errors import ConfigurationError, DemoError
from engine.ground.files import check_writable, write_file
from engine.ground.folders import user_path
from engine.ground.text import counted
from engine.runs.folder import LATEST
from pokeTUI.battles.choices import Request, read_request, words
from pokeTUI.battles.coach import (
    BLUNDERS,
    KINDS,
    NO_BLUNDER,
    Row,
    blunder_text,
    blunders,
    chance,
    heading,
    page,
    points,
    rows,
)
from pokeTUI.battles.commands import YOU, saves
from pokeTUI.cli import options
from pokeTUI.cli.options import refuse_if
from pokeTUI.cli.progress import progress
from pokeTUI.terminal.printing import say, say_table

if TYPE_CHECKING:
    from engine.battles.learn.demonstrations import Battle
    from engine.battles.play.coach import PreviewAdvice, Review

Copies = Annotated[int, typer.Option("--search", min=1, max=1000)]
Top = Annotated[int, typer.Option(min=1, max=90)]

_LEVELS = "▁▂▃▄▅▆▇█"
_WIDEST = 120
_SELECTIONS, _ANSWERS, _UNLIKELY = 12, 5, 0.002
"""How many selections are compared, with how many of the foe's, and how unlikely they may be."""


def coach(
    battle: str = "",
    /,
    side: str = "",
    number: Annotated[int | None, typer.Option(min=1)] = None,
    policy: str = LATEST,
    search: Copies = 16,
    top: Top = 3,
    html_: Path | None = None,
    force: bool = False,
    seed: options.Seed = None,
    checkpoint_dir: options.CheckpointDir = None,
) -> None:
    """Review a battle: chance to win by turn, best replies, the costliest decisions, luck.

    Decisions are judged by what the side knew then. Public replays tell no costs and no luck.

    Args:
        battle ([FILE]): Battles, a server's log (.log.json), or a replay (.json, .html, .log).
            Default: the latest that you played.
        side (p1|p2|NAME): Whose decisions. Default: yours, or those of the first policy.
        number (N): Which battle of a file with several, from 1.
        policy ([RUN|FILE]): Who judges. Default: the latest run.
        search: Copies of the battle in which it looks ahead.
        top: The most decisions to name as costly.
        html_ (FILE): Write a page too, which Showdown's viewer plays.
        force: Overwrite the page.
        seed: Random seed.
    """
    from engine.battles.play.coach import review

    folder = saves(checkpoint_dir)
    target = _target(html_, is_forced=force)
    name, judge = _judge(policy, folder)
    found = _one_battle(battle, number, folder)
    settings = SearchSettings(samples=search, seconds=0)
    with (
        Simulator((), find_simulator()) as simulator,
        progress("Looking ahead", left="nothing was written") as bar,
    ):
        rng = np.random.default_rng(seed or 0)
        seen = review(simulator, found, _side(side, found), judge, settings, rng, bar)
    shown = rows(seen)
    about = _about(seen, name, search)
    _print_review(seen, shown, about, top)
    if target:
        write_file(target, page(seen, shown, about, top).encode())
        say("", f"The page: {target}")


def _target(path: Path | None, *, is_forced: bool) -> Path | None:
    """Return where to write the page, before any work is done for it.

    Raises:
        ConfigurationError: It is there already, or cannot be written.
    """
    if path is None:
        return None
    target = user_path(path)
    hint = "Choose another file, or add --force."
    refuse_if(target.exists() and not is_forced, f"{target} already exists.", hint)
    try:
        check_writable(target.parent)
        refuse_if(not target.parent.is_dir(), f"There is no folder {target.parent}.", "Make it.")
    except OSError as error:
        raise ConfigurationError(
            f"{target} cannot be written: {error.strerror}.", "Choose another file."
        ) from None
    return target


def _judge(name: str, save_dir: str) -> tuple[str, Policy]:
    player = find_player(name, save_dir)
    if player.policy is None:
        raise ConfigurationError(f"{name} judges no decisions.", "Give a run or a policy's file.")
    return player.name, player.policy


def _one_battle(name: str, number: int | None, save_dir: str) -> "Battle":
    """Return the battle that is named, or the latest that the user played.

    Raises:
        DemoError: There is none, it cannot be read, or there are several.
    """
    from engine.battles.learn.demonstrations import read_battles
    from engine.battles.learn.importing import read_battle_file

    path = user_path(name) if name else _latest(Path(save_dir) / "battles")
    try:
        found = read_battles(path) if path.is_dir() else read_battle_file(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DemoError(
            f"The battle {path} cannot be read: {str(reason).rstrip('.')}.",
            "Give a file of battles, a server's log or a replay.",
        ) from None
    if not 0 < (number or 1) <= len(found) or (len(found) > 1 and not number):
        raise DemoError(
            f"There are {counted(len(found), 'battle')} in {path}.",
            f"Name one: --number {len(found)}, say.",
        )
    return found[(number or 1) - 1]


def _latest(folder: Path) -> Path:
    from engine.battles.learn.demonstrations import SUFFIX

    played = sorted(user_path(folder).glob(f"*-{YOU}-*{SUFFIX}"))  # they begin with the time
    if not played:
        raise DemoError(
            f"There is no battle of yours in {folder} yet.",
            "Play one with `poketui vgc play`, or name a file.",
        )
    return played[-1]


def _side(name: str, battle: "Battle") -> int:
    """Return 0 or 1: the side that is named, or that of the user or of a policy.

    Raises:
        ConfigurationError: Nobody of that name played.
    """
    if not name:
        own = (side for side in (0, 1) if battle.players[side] == YOU)
        other = (side for side in (0, 1) if battle.players[side] not in SCRIPTED)
        return next(own, next(other, 0))
    sides = {"p1": 0, "p2": 1, battle.players[1]: 1, battle.players[0]: 0}
    if name not in sides:
        first, second = battle.players
        raise ConfigurationError(
            f"{name} did not play: it was {first} against {second}.", "Use p1, p2 or a name."
        )
    return sides[name]


def _about(seen: "Review", judge: str, copies: int) -> str:
    own = seen.battle.players[seen.side]
    whose, they = ("Your", "you") if own == YOU else (f"{own}'s", own)
    if seen.is_exact:
        return (
            f"{whose} decisions, each judged by what {they} knew then: by {judge}, looking ahead "
            f"in {counted(copies, 'copy', 'copies')} of the battle."
        )
    unknown = f" {counted(seen.unknown, 'decision')} could not be rebuilt." * bool(seen.unknown)
    return (
        f"{whose} decisions as {judge} sees them. This replay has spectators' lines only, of which "
        f"no copies can be made: costs and luck are not known.{unknown}"
    )


def _print_review(seen: "Review", shown: Sequence[Row], about: str, top: int) -> None:
    say(heading(seen), *_wrapped(about), "")
    bars = "".join(2 * _LEVELS[round(row.chance * (len(_LEVELS) - 1))] for row in shown)
    say(f"chance to win  {shown[0].chance:.0%} {bars} {shown[-1].chance:.0%}", "")
    say(*_table(shown))
    if not seen.is_exact:
        return
    worst = blunders(shown, top)
    say("", f"{BLUNDERS}:" if worst else f"{NO_BLUNDER}.")
    for row in worst:
        say(*_wrapped(blunder_text(row), "- "))


def _table(shown: Sequence[Row]) -> list[str]:
    """Return the decisions as lines, a reply in each."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("turn", no_wrap=True)
    for name in ("win", "cost", "luck"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("reply", ratio=1)
    for row in shown:
        figures = [row.when, f"{row.chance:.0%}", points(row.cost, -1), points(row.luck)]
        for reply in row.replies:
            cells = [*figures, KINDS[reply.kind], f"{reply.share:.0%}", reply.text]
            table.add_row(*map(Text, cells))
            figures = [""] * len(figures)
    out = io.StringIO()
    Console(file=out, width=_width(), color_system=None).print(table)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def _wrapped(text: str, mark: str = "") -> list[str]:
    return textwrap.wrap(text, _width(), initial_indent=mark, subsequent_indent=" " * len(mark))


def _width() -> int:
    return min(_WIDEST, shutil.get_terminal_size().columns)


def advise(
    team: str,
    foe: str,
    /,
    policy: str = LATEST,
    search: Copies = 32,
    top: Top = 5,
    battle_format: str | None = None,
    seed: options.Seed = None,
    checkpoint_dir: options.CheckpointDir = None,
) -> None:
    """Say which four to select against a team, who leads, and what the other side will bring.

    Args:
        team (TEAM): Your team: a file, or a shipped one's name (poketui vgc teams).
        foe (TEAM): The other side's; its effort values do not matter.
        policy ([RUN|FILE]): Who judges. Default: the latest run.
        search: Copies of the battle in which it looks ahead.
        top: The most selections to show.
        battle_format: Battle format. Default: the run's.
        seed: Random seed.
    """
    from engine.battles.play.coach import advise as compare

    folder = saves(checkpoint_dir)
    name, judge = _judge(policy, folder)
    format = find_format(battle_format) if battle_format else format_of(policy, folder)
    teams = (_team(team, format), _team(foe, format))
    settings = SearchSettings(
        samples=search, seconds=0, candidates=_SELECTIONS, answers=_ANSWERS, least_share=_UNLIKELY
    )
    copies = counted(search, "copy", "copies")
    say(f"{team} against {foe}, {format.id}: by {name}, looking ahead in {copies} of the battle.")
    rng = np.random.default_rng(seed or 0)
    _print_advice(compare(format, teams, judge, find_simulator(), settings, rng), top)


def _team(name: str, format: Format) -> str:
    """Return a team packed: a file's, or a shipped one by its name."""
    path = user_path(name)
    shipped = () if path.exists() else (*pool(format), *unseen(format))
    packed = next((each.packed for each in shipped if each.name == name), None)
    return packed or read_team(path, format)


def _print_advice(found: "PreviewAdvice", top: int) -> None:
    own, foe = map(read_request, found.requests)
    replies = [
        (f"{chance(each.value):.0%}", f"{each.share:.0%}", words(own, each.code, ()))
        for each in found.analysis.options[:top]
    ]
    likely = [
        (f"{found.foe_shares[code]:.0%}", words(foe, int(code), ()))
        for code in np.argsort(-found.foe_shares)[:top]
    ]
    say("")
    say_table([("win", "share", "select"), *replies], right=(0, 1))
    say("")
    say_table([("share", "the other side will likely select"), *likely], right=(0,))
    say("")
    say_table([("brings", "leads", ""), *_brought(found.foe_shares, foe)], right=(0, 1))


def _brought(shares: NDArray[np.float32], foe: Request) -> list[tuple[str, str, str]]:
    """Return how often each of a team is brought and leads, the likeliest first."""
    brings, leads = np.zeros((2, len(foe.party)))
    for share, members in zip(shares, SELECTIONS, strict=True):
        brings[list(members)] += share
        leads[list(members[:2])] += share
    return [
        (f"{brings[i]:.0%}", f"{leads[i]:.0%}", foe.party[i].species) for i in np.argsort(-brings)
    ]
