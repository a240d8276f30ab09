"""Define `poketui vgc league`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from engine.battles.play.best_response import response_settings
from engine.battles.play.evaluation import rate_text
from engine.battles.play.league import League, Rules, nash_mixture
from engine.battles.play.players import find_player, policy_path, settings_of
from engine.battles.sim.setup import NodeCommand, find_simulator
from engine.battles.sim.teams import find_format
from engine.config import VgcConfig
from engine.errors import ConfigurationError
from engine.ground.files import os_errors_as
from engine.ground.folders import user_path
from engine.ground.text import counted
from engine.planning.history.patterns import success_interval
from engine.runs.folder import make_stamped_folder
from pokeTUI.battles.commands import saves
from pokeTUI.cli import options
from pokeTUI.cli.options import refuse_if
from pokeTUI.cli.vgc.evaluation import format_of_all, teams_of_kind
from pokeTUI.cli.vgc.exploiting import train_response
from pokeTUI.cli.vgc.scores import counting, refuse_odd
from pokeTUI.terminal.printing import say, say_json

_USUAL_BATTLES = 400


def league(
    given: Annotated[
        options.Given,
        "vgc.minutes vgc.steps vgc.num_workers vgc.format=--battle-format vgc.num_teams "
        "vgc.learning_rate=--lr seed set",
    ],
    players: list[str] | None = None,
    /,
    folder: Path | None = None,
    rounds: Annotated[int, typer.Option(min=0, max=1000)] = 0,
    battles: Annotated[int | None, typer.Option(min=2, max=1_000_000)] = None,
    teams: str | None = None,
    sample: bool = False,
    matrix: bool = False,
    checkpoint_dir: options.CheckpointDir = None,
    json_: bool = False,
) -> None:
    """Let policies meet each other: payoffs, Elo, and the mixture that nobody beats.

    With --rounds it is a double oracle: each round trains a best response to the Nash mixture of
    the league, and adds it. A league is kept in a folder, and continues there.

    Args:
        players (RUN|FILE|NAME): Runs, policies' files or players of the simulator to add.
        folder (FOLDER): Folder of the league. Default: a new one, in saves/vgc/leagues.
        rounds: Rounds of training and adding a best response.
        battle_format: Battle format. Default: the first run's.
        num_teams: Shipped teams to train with, the first ones. Default: the first run's.
        lr: Learning rate. Default: the first run's.
        minutes: Train each for this many minutes. Default: 20, without --steps.
        battles: Battles of each pair. Default: 400.
        teams (one|N|pool|unseen|FILE|FOLDER): Teams of both sides, see `poketui vgc eval`.
            Default: one.
        sample: Let policies draw their choices.
        matrix: Print the win rates of all pairs.
        json_: Print only JSON.
    """
    save_dir, names, node = saves(checkpoint_dir), players or [], find_simulator()
    refuse_odd(battles or 0)
    sources = {name: policy_path(name, save_dir) for name in names}
    shown = {name: find_player(name, save_dir).name for name in names}
    place = user_path(folder) if folder else None
    found = League.load(place) if place else None
    has_rules = bool(battles or teams or sample or "vgc.format" in given)
    hint = "Leave --battles, --teams, --sample and --battle-format out."
    refuse_if(found and has_rules, f"The league in {place} has its rules.", hint)
    refuse_if(not found and not names, "A league needs members.", "Name runs, files or players.")
    if found is None:
        rules, settings = _rules(names, save_dir, given, battles, teams, sample)
        found = League(place or _new_folder(save_dir), rules, settings)
    for name in names:
        found.add(shown[name], sources[name])
    found.save()
    is_alone = len(found.members) + rounds < 2
    refuse_if(is_alone, "One alone meets nobody.", f"Add others: --folder {found.folder}")
    _play(found, node)
    for number in range(1, rounds + 1):
        _add_response(found, f"round {number} of {rounds}", given, node, is_quiet=json_)
    _print(found, as_json=json_, is_whole=matrix)


def _rules(
    names: Sequence[str],
    save_dir: str,
    given: options.Given,
    battles: int | None,
    teams: str | None,
    sample: bool,
) -> tuple[Rules, dict[str, Any]]:
    """Return the rules of a new league, and the settings of its best responses."""
    chosen = given.get("vgc.format")
    format = find_format(chosen) if chosen else format_of_all(names, save_dir)
    packed = tuple(team.packed for team in teams_of_kind(format, teams or "one"))
    rules = Rules(format.id, packed, battles or _USUAL_BATTLES, given.get("seed") or 0, not sample)
    settings = settings_of(names[0], save_dir).model_dump(mode="json")
    return rules, settings | {"format": format.id}


def _new_folder(save_dir: str) -> Path:
    folder = user_path(save_dir) / "leagues"
    with os_errors_as(ConfigurationError, f"Cannot write to {folder}", "Choose: --folder."):
        return make_stamped_folder(folder)


def _play(found: League, node: NodeCommand) -> None:
    with counting(found.unplayed() * found.rules.battles) as advance:
        found.play(node, advance)


def _add_response(
    found: League, heading: str, given: options.Given, node: NodeCommand, *, is_quiet: bool
) -> None:
    """Train a best response to the league's Nash mixture, and let it meet all members."""
    mixture = nash_mixture(found.win_rates())
    settings = response_settings(
        VgcConfig.model_validate(found.settings),
        found.opponents(mixture),
        found.strongest(mixture),
        is_greedy=found.rules.is_greedy,
    )
    response = train_response(settings, given, found.folder, is_quiet=is_quiet)
    name = found.add(f"response-{len(found.members)}", response.checkpoint)
    found.save()
    _play(found, node)
    if name is not None and not is_quiet:
        place = found.members.index(name)
        rate = rate_text(*found.against(place, np.append(mixture, 0.0)))
        say(f"{heading}: {name} wins {rate} against the mixture that it was trained against.")


def _print(found: League, *, as_json: bool, is_whole: bool) -> None:
    """Print ratings, the Nash mixture, how all fare against it, and whom each loses to most."""
    mixture, rates = nash_mixture(found.win_rates()), found.win_rates()
    elo, count = found.ratings(), found.rules.battles
    if as_json:
        say_json(
            {
                "folder": str(found.folder),
                "format": found.rules.format,
                "battles": count,
                "players": found.members,
                "wins": found.wins.tolist(),
                "nash": mixture.tolist(),
                "elo": [elo[name].elo for name in found.members],
                "elo_error": [elo[name].error for name in found.members],
                "against_nash": [found.against(i, mixture) for i in range(len(mixture))],
            }
        )
        return
    say(f"{found.rules.format}, {counted(count, 'battle')} a pair, league in {found.folder}")
    width = max(6, *map(len, found.members))
    say(f"{'player':<{width}}   Elo   95 %    Nash  against the mixture     loses most to")
    others = np.where(np.eye(len(rates), dtype=bool), np.inf, rates)
    for index in sorted(range(len(rates)), key=lambda i: -elo[found.members[i]].elo):
        name, worst = found.members[index], int(others[index].argmin())
        wins = found.wins[index, worst]
        low, high = success_interval(wins, count)
        foe = f"{found.members[worst]} {rate_text(wins / count, low, high)}"
        rating, rate = elo[name], rate_text(*found.against(index, mixture))
        error = 1.96 * rating.error
        say(
            f"{name:<{width}} {rating.elo:5.0f}  ±{error:4.0f}  {100 * mixture[index]:4.0f} %"
            f"  {rate:<22}  {foe}"
        )
    if is_whole:
        for name, row in zip(found.members, rates.tolist(), strict=True):
            cells = " ".join(f"{100 * each:5.1f}" for each in row)
            say(f"{name:<{width}} {cells}")
