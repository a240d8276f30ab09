"""Do what `poketui vgc watch` and `poketui vgc play` are asked for."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import BattleError
from engine.events import RunFailed, RunStopped
from pokeTUI.launch import EXIT_FAILED, EXIT_REFUSED, check_preferences, check_terminal
from pokeTUI.printing import complain, say
from pokeTUI.signals import signal_exit_code

if TYPE_CHECKING:
    from engine.battles.policy import Policy
    from engine.battles.session import BattleSession
    from engine.battles.simulator import BattleLog
    from engine.battles.spectating import Match, Player
    from engine.events import ConnectionLost
    from pokeTUI.link import Session

BUILT_IN = ("random", "max_power", "greedy", "heuristics")
"""The simulator's own players."""
SAVES = "saves/vgc"
YOU = "you"
_TAKE_DOWN_S = 5.0


def run_battle_app(
    session: "Session", *, color: str = "auto", run_dir: str = ""
) -> "RunStopped | RunFailed | ConnectionLost | None":
    """Show a session until it ends, or the user leaves; return how it ended.

    Args:
        session: Not yet started; events of battles come from it.
        color: Of the terminal.
        run_dir: The folder of the run that it trains, "" if it trains nothing.
    """
    from pokeTUI.battles.app import BattleApp

    app = BattleApp(session, color=color, run_dir=run_dir)
    app.show_until_the_end()
    return app.end


def show_training(session: "BattleSession") -> "RunStopped | RunFailed | ConnectionLost | None":
    """Show a run that is trained, with battles of its newest policy; return how it ended."""
    from engine.battles.formats import find_format
    from engine.battles.setup import find_simulator
    from engine.battles.spectating import ExhibitionSession, Match, Player
    from engine.battles.teams import pool, read_team

    vgc = session.config.vgc
    format = find_format(vgc.format)
    foe = pool(format)[0].packed
    own = read_team(Path(vgc.team)) if vgc.team else foe
    players = Player("policy"), Player("heuristics", built_in="heuristics")
    match = Match(format, (own, foe), players, session.config.seed)
    shown = ExhibitionSession(session, match, find_simulator())
    return run_battle_app(shown, run_dir=session.run_dir)


def watch(
    what: str, *, against: str, save_dir: str, team: str, battle_format: str, seed: int
) -> int:
    """Show battles until the user leaves; return the exit code."""
    from engine.battles.demonstrations import SUFFIX, read_battles
    from engine.battles.setup import find_simulator
    from engine.battles.spectating import (
        LinesSession,
        MatchSession,
        ReplaySession,
        read_protocol,
    )

    path = Path(what)
    if path.name.endswith(SUFFIX) or (path.is_dir() and any(path.glob(f"*{SUFFIX}"))):
        battles = read_battles(path)
        adviser = _adviser(against, save_dir)
        side = next((i for i, one in enumerate(battles[0].players) if one not in BUILT_IN), 0)
        return _show(ReplaySession(battles, find_simulator(), adviser=adviser, side=side))
    if path.suffix in (".log", ".json", ".txt") and path.is_file():
        return _show(LinesSession(read_protocol(path)))
    own, foe = _player(what, save_dir), _player(against or "heuristics", save_dir)
    match = _match((own, foe), team, battle_format, seed)
    adviser = own.policy or foe.policy
    return _show(MatchSession(match, find_simulator(), adviser=adviser, pace_s=2.0))


def play(
    against: str,
    *,
    save_dir: str,
    team: str,
    battle_format: str,
    seed: int,
) -> int:
    """Let the user play until they leave; return the exit code."""
    from engine.battles.setup import find_simulator
    from engine.battles.spectating import MatchSession, Player

    foe = _player(against, save_dir)
    match = _match((Player(YOU, is_person=True), foe), team, battle_format, seed)
    kept: list[Path] = []
    session = MatchSession(
        match,
        find_simulator(),
        keep=_keeper(save_dir, kept),
    )
    code = _show(session)
    if kept:
        many = "1 battle" if len(kept) == 1 else f"{len(kept)} battles"
        say(f"{many} saved as demonstrations in {kept[0].parent}.")
    return code


def _show(session: "Session") -> int:
    check_terminal("Battles are shown in a terminal.")
    check_preferences()
    try:
        end = run_battle_app(session)
    finally:
        session.stop(_TAKE_DOWN_S)  # type: ignore[attr-defined]
    if isinstance(end, RunStopped) or end is None:
        return signal_exit_code(end.reason) if end is not None else 0
    complain(f"poketui: {end.message} {end.hint}".rstrip())
    return EXIT_REFUSED if isinstance(end, RunFailed) and end.is_refused else EXIT_FAILED


def _player(name: str, save_dir: str) -> "Player":
    """Return one of the simulator's own players, or a policy."""
    from engine.battles.spectating import Player, find_policy

    if name in BUILT_IN:
        return Player(name, built_in=name)
    policy, shown = find_policy(save_dir, name)
    return Player(shown, policy)


def _match(players: "tuple[Player, Player]", team: str, battle_format: str, seed: int) -> "Match":
    """Return what is to be played: both sides with the same team, unless one is given."""
    from dataclasses import replace

    from engine.battles.formats import DEFAULT_FORMAT, find_format
    from engine.battles.setup import find_simulator
    from engine.battles.simulator import Simulator
    from engine.battles.spectating import Match
    from engine.battles.teams import pool, read_team, validate

    format = find_format(battle_format) if battle_format else DEFAULT_FORMAT
    shipped = pool(format)
    if not shipped:
        raise BattleError(f"There is no team for {format.id}.", "Give one: --team FILE.")
    own = foe = shipped[0].packed
    if team:
        own = read_team(Path(team))
        with Simulator((), find_simulator()) as simulator:
            validate(simulator, format, own, team)
    first, second = players
    if first.name == second.name:
        second = replace(second, name=f"{second.name} 2")
    return Match(format, (own, foe), (first, second), seed)


def _keeper(save_dir: str, kept: list[Path]) -> "Callable[[BattleLog], None]":
    """Return what writes a battle that ended, as a demonstration."""
    from engine.battles.demonstrations import SUFFIX, Battle, write_battles

    def keep(log: "BattleLog") -> None:
        folder = Path(save_dir) / "demos"
        stamp = f"{datetime.now():%Y%m%d-%H%M%S}"
        path = folder / f"{stamp}-{YOU}-{len(kept):03}{SUFFIX}"
        write_battles(path, [Battle(log.format, log.players, log.winner, log.input_log)])
        kept.append(path)

    return keep


def _adviser(name: str, save_dir: str) -> "Policy | None":
    from engine.battles.spectating import find_policy

    return find_policy(save_dir, name)[0] if name and name not in BUILT_IN else None
