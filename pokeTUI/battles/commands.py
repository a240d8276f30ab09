"""Watch, play and train battles: `poketui vgc watch` and `play`, and the start screen."""

import secrets
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import ConfigurationError
from engine.events import RunFailed, RunStopped
from engine.ground.folders import user_path
from engine.ground.text import counted
from pokeTUI.app.launch import EXIT_FAILED, EXIT_REFUSED, check_preferences, check_terminal
from pokeTUI.terminal.signals import signal_exit_code

if TYPE_CHECKING:
    from engine.battles.learn.session import BattleSession
    from engine.battles.play.players import Player
    from engine.battles.play.spectating import Pairing
    from engine.battles.sim.records import BattleLog
    from engine.events import ConnectionLost
    from engine.sessions.threaded import ThreadedSession
    from pokeTUI.terminal.link import Session

YOU = "you"
_TAKE_DOWN_S = 5.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended: what to say, "" for nothing, and the exit code."""

    text: str = ""
    exit_code: int = 0

    @property
    def is_failure(self) -> bool:
        """Whether it failed, or was refused."""
        return self.exit_code in (EXIT_FAILED, EXIT_REFUSED)


def saves(given: str | None = None) -> str:
    """Return the folder of battles and of the runs that learn from them: as given, or the usual."""
    from engine.config import load_config

    return given or str(Path(load_config().save_dir) / "vgc")


def run_battle_app(
    session: "Session", *, color: str = "auto", run_dir: str = ""
) -> "RunStopped | RunFailed | ConnectionLost | None":
    """Show a session until it ends, or the user leaves; return how it ended.

    Args:
        session: Not yet started; events of battles come from it.
        color: Of the terminal.
        run_dir: The folder of the run that it trains, "" if it trains nothing.
    """
    from engine.runs.folder import resume_command
    from pokeTUI.battles.app import BattleApp

    def resume() -> str:
        return resume_command(run_dir, "poketui vgc train", saves()) if run_dir else ""

    app = BattleApp(session, color=color, run_dir=run_dir, resume=resume)
    app.show_until_the_end()
    return app.end


def show_training(session: "BattleSession") -> "RunStopped | RunFailed | ConnectionLost | None":
    """Show a run that is trained, with battles of its newest policy; return how it ended."""
    from engine.battles.play.players import Player
    from engine.battles.play.spectating import ExhibitionSession, Pairing
    from engine.battles.sim.setup import find_simulator
    from engine.battles.sim.teams import find_format, pool

    vgc = session.config.vgc
    format = find_format(vgc.format)
    foe = pool(format)[0].packed
    pairing = Pairing(
        format,
        (session.own_team, foe),
        (Player("policy"), Player("heuristics")),
        session.config.seed,
    )
    shown = ExhibitionSession(session, pairing, find_simulator())
    return run_battle_app(shown, run_dir=session.run_dir)


def watch(
    what: str,
    *,
    against: str = "",
    save_dir: str | None = None,
    team: str = "",
    battle_format: str = "",
    search: int = 0,
    seed: int = 0,
) -> Outcome:
    """Show battles until the user leaves."""
    from engine.battles.learn.demonstrations import SUFFIX, read_battles
    from engine.battles.play.players import SCRIPTED, find_player
    from engine.battles.play.replays import LinesSession, ReplaySession, read_protocol
    from engine.battles.play.spectating import MatchSession
    from engine.battles.sim.setup import find_simulator

    save_dir, path = saves(save_dir), user_path(what)
    unused = {"--team": team, "--battle-format": battle_format, "--search": search}
    if path.name.endswith(SUFFIX) or (path.is_dir() and any(path.glob(f"*{SUFFIX}"))):
        _refuse_unused(path, unused)
        battles = read_battles(path)
        adviser = find_player(against, save_dir).policy if against else None
        if against and adviser is None:
            raise ConfigurationError(f"{against} judges no decisions.", "Give a run or a file.")
        side = next((i for i, one in enumerate(battles[0].players) if one not in SCRIPTED), 0)
        shown = _show(ReplaySession(battles, find_simulator(), adviser=adviser, side=side))
        return _offering_review(shown, path, len(battles))
    if path.suffix in (".log", ".json", ".txt") and path.is_file():
        _refuse_unused(path, {"--against": against} | unused)
        return _offering_review(_show(LinesSession(read_protocol(path))), path)
    player = find_player(what, save_dir).looking_ahead(search)
    players = player, find_player(against or "heuristics", save_dir)
    pairing = _pairing(players, team, battle_format, seed)
    adviser = next((one.policy for one in players if one.policy is not None), None)
    session = MatchSession(pairing, find_simulator(), adviser=adviser, pace_s=2.0, rest_s=8.0)
    return _show(session)


def _refuse_unused(path: Path, options: Mapping[str, object]) -> None:
    """Refuse options that say nothing about battles that were played already."""
    if given := [name for name, value in options.items() if value]:
        raise ConfigurationError(
            f"The battles of {path} have been played.", f"Leave {' and '.join(given)} out."
        )


def play(
    against: str,
    *,
    save_dir: str | None = None,
    team: str = "",
    battle_format: str = "",
    best_of: int = 0,
    search: int = 0,
    seed: int = 0,
) -> Outcome:
    """Let the user play until they leave; `best_of` 0: as the format says."""
    from engine.battles.play.players import Player, find_player
    from engine.battles.play.spectating import MatchSession
    from engine.battles.sim.setup import find_simulator

    save_dir = saves(save_dir)
    opponent = find_player(against, save_dir).looking_ahead(search)
    pairing = _pairing((Player(YOU), opponent), team, battle_format, seed)
    if best_of:
        pairing = replace(pairing, format=replace(pairing.format, best_of=best_of))
    kept: list[Path] = []
    session = MatchSession(pairing, find_simulator(), person=0, keep=_keeper(save_dir, kept))
    outcome = _show(session)
    if not kept:
        return outcome
    saved = f"{counted(len(kept), 'battle')} saved as demonstrations in {kept[0].parent}."
    text = f"{outcome.text} {saved}".strip()
    return _offering_review(Outcome(text, outcome.exit_code), kept[-1])


def _offering_review(outcome: Outcome, path: Path, battles: int = 1) -> Outcome:
    """Return the outcome with the command that reviews what was seen."""
    if outcome.is_failure:
        return outcome
    which, number = ("it", "") if battles == 1 else ("one", " --number 1")
    offer = f"Review {which}: poketui vgc coach {shlex.quote(str(path))}{number}"
    return Outcome(f"{outcome.text} {offer}".strip(), outcome.exit_code)


def train() -> Outcome:
    """Train a new policy with the usual settings until the user leaves, or it fails."""
    from engine.battles.learn.session import BattleSession
    from engine.config import load_config
    from engine.runs.folder import resume_command

    usual = saves()
    session = BattleSession(load_config(None, {"save_dir": usual}))
    try:
        outcome = _outcome(show_training(session))
    finally:
        session.discard()
    resume = resume_command(session.run_dir, "poketui vgc train", usual)
    saved = f"Resume with: {resume}" if resume else ""
    return Outcome(f"{outcome.text} {saved}".strip(), outcome.exit_code)


def do(what: str) -> Outcome:
    """Do what was chosen on the start screen."""
    match what:
        case "play" | "heuristics":
            return play("latest" if what == "play" else what, seed=new_seed())
        case "watch":
            return watch("latest", seed=new_seed())
        case "replay":
            return watch(str(user_path(Path(saves()) / "battles")))
        case _:
            return train()


def new_seed() -> int:
    """Return a seed that is another one each time."""
    return secrets.randbelow(1 << 31)


def _show(session: "ThreadedSession") -> Outcome:
    check_terminal("Battles are shown in a terminal.")
    check_preferences()
    try:
        return _outcome(run_battle_app(session))
    finally:
        session.stop(_TAKE_DOWN_S)


def _outcome(end: "RunStopped | RunFailed | ConnectionLost | None") -> Outcome:
    if end is None:
        return Outcome()
    if isinstance(end, RunStopped):
        return Outcome(exit_code=signal_exit_code(end.reason))
    is_refused = isinstance(end, RunFailed) and end.is_refused
    text = f"{end.message} {end.hint}".rstrip()
    return Outcome(text, EXIT_REFUSED if is_refused else EXIT_FAILED)


def _pairing(
    players: "tuple[Player, Player]", team: str, battle_format: str, seed: int
) -> "Pairing":
    """Return the match to play: with a shipped team, or the user's own on the first side."""
    from engine.battles.play.spectating import Pairing
    from engine.battles.sim.teams import DEFAULT_FORMAT, find_format, pool, read_team

    format = find_format(battle_format) if battle_format else DEFAULT_FORMAT
    own = foe = pool(format)[0].packed
    if team:
        own = read_team(user_path(team), format)
    return Pairing(format, (own, foe), players, seed)


def _keeper(save_dir: str, kept: list[Path]) -> "Callable[[BattleLog], None]":
    """Return a function that writes a finished battle as a demonstration; `kept` gets its path."""
    from engine.battles.learn.demonstrations import SUFFIX, Battle, write_battles

    def keep(log: "BattleLog") -> None:
        name = f"{datetime.now():%Y%m%d-%H%M%S}-{YOU}-{len(kept) + 1:03}{SUFFIX}"
        path = user_path(Path(save_dir) / "battles" / name)
        write_battles(path, [Battle(log.format, log.players, log.winner, log.input_log)])
        kept.append(path)

    return keep
