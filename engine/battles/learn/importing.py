"""Import battles that were played elsewhere: our own files, servers' logs, public replays.

A server's log (logs/2026-01/FORMAT/2026-01-31/*.log.json) has the input log, from which everything
follows. A replay (.json, .html, or the protocol as .log) has what spectators saw: a decision whose
choice does not follow from that is dropped. Regulations that the simulator does not have any more
are read by the rules of one that it has (`standIn` in node/lanes.js).
"""

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.battles.learn.demonstrations import SUFFIX, Battle, decisions_of, read_battles
from engine.battles.sim.simulator import Simulator
from engine.battles.sim.teams import find_format, plain_name
from engine.errors import BattleError, ConfigurationError, DemoError
from engine.ground.files import parse_json, read_text

REASONS: Mapping[int, str] = {
    -1: "no such choice",
    -2: "no open team sheet",
    -3: "fourth Pokémon never seen",
    -4: "did not get to move",
    -5: "target may have been another",
    -6: "moves changed during the turn",
}
"""Why a decision is dropped, by its code (node/replays.js)."""
_MAX_BYTES = 1 << 24
_MAX_LINES, _MAX_LINE = 50_000, 1 << 16
_KINDS = (SUFFIX, ".json", ".log", ".txt", ".html")
_LOG_CLASS = 'class="battle-log-data"'
_REGULATION = re.compile(r"gen9vgc202\dreg[a-j](bo3)?")
_CHOICES = frozenset({">start", ">player", ">p1", ">p2", ">forcewin", ">forcetie", ">version"})


@dataclass(slots=True)
class ImportReport:
    """The result of an import.

    Attributes:
        battles: Those that could be read and have decisions.
        kept: Number of decisions whose choice is known.
        dropped: Number of the others, by reason.
        problems: One line for each file or battle that was left out.
    """

    battles: list[Battle] = field(default_factory=list)
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


def find_files(paths: list[Path]) -> list[Path]:
    """Return the files of battles among paths, and in folders among them."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        found += [one for one in inside if not path.is_dir() or one.name.endswith(_KINDS)]
    return found


def import_files(
    paths: list[Path], simulator: Simulator, advance: Callable[[int], None] = lambda done: None
) -> ImportReport:
    """Read battles file by file; `advance` is called with how many files are done.

    Raises:
        WorkerError: The simulator stopped.
    """
    report = ImportReport()
    for done, path in enumerate(paths, 1):
        with _reporting(report, path):
            found = read_battle_file(path)
            for number, battle in enumerate(found, 1):
                with _reporting(report, f"{path}, battle {number}" if len(found) > 1 else path):
                    _add(report, battle, simulator)
        advance(done)
    return report


@contextmanager
def _reporting(report: ImportReport, what: str | Path) -> Iterator[None]:
    """Report why something was left out."""
    try:
        yield
    except (OSError, ValueError, BattleError, ConfigurationError, DemoError) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "message", None) or error
        report.problems.append(f"{what}: {str(reason).rstrip('.')}.")


def _add(report: ImportReport, battle: Battle, simulator: Simulator) -> None:
    codes = decisions_of(battle, simulator).results
    reasons = Counter(REASONS[code] for code in codes[codes < 0].tolist())
    report.dropped.update(reasons)
    report.kept += int((codes >= 0).sum())
    if not (codes >= 0).any():
        raise ValueError(f"no decision is known ({', '.join(reasons) or 'there is none'})")
    report.battles.append(battle)


def read_battle_file(path: Path) -> list[Battle]:
    """Return the battles of a file of any kind.

    Raises:
        OSError: It cannot be read.
        ValueError: It holds no battle.
        ConfigurationError: Its format is unknown.
        DemoError: It is a damaged file of battles.
    """
    if path.name.endswith(SUFFIX):
        return read_battles(path)
    text = read_text(path, _MAX_BYTES)
    if path.suffix == ".json":
        return [_of_json(parse_json(text))]
    if path.suffix == ".html":
        text = html.unescape(_log_in_html(text)).replace("\\/", "/")
    return [_of_lines(text)]


def _log_in_html(text: str) -> str:
    """Return the log in the script of a saved replay's page.

    Raises:
        ValueError: There is none.
    """
    found = text.find(_LOG_CLASS)
    opened = text.find(">", found)
    closed = text.find("</script>", opened)
    is_script = text[: max(found, 0)].rpartition("<")[2].startswith("script")
    if -1 in (found, opened, closed) or not is_script:
        raise ValueError("there is no battle log in it")
    return text[opened + 1 : closed]


def _of_json(value: Any) -> Battle:
    match value:
        case {"inputLog": list() | str() as log}:
            return _of_input_log(_lines(log), value)
        case {"log": list() | str() as log}:
            return _of_lines(log, *(str(value.get(name) or "") for name in ("formatid", "format")))
    raise ValueError("it has neither an inputLog nor a log")


def _of_input_log(lines: list[str], value: dict[str, Any]) -> Battle:
    lines = [line for line in lines if line.partition(" ")[0] in _CHOICES]
    start = next((line for line in lines if line.startswith(">start ")), "")
    options = parse_json(start.removeprefix(">start ") or "{}")
    if not isinstance(options, dict) or not options.get("seed"):
        raise ValueError("its input log has no seed")
    players = [_player(lines, side) for side in ("p1", "p2")]
    winner = _winner(players, str(value.get("winner", "")))
    options["formatid"] = _format_of(str(options.get("formatid", "")))
    lines[lines.index(start)] = f">start {json.dumps(options, separators=(',', ':'))}"
    return Battle(options["formatid"], (players[0], players[1]), winner, tuple(lines))


def _player(lines: list[str], side: str) -> str:
    for line in lines:
        if line.startswith(f">player {side} "):
            options = parse_json(line.removeprefix(f">player {side} "))
            if isinstance(options, dict):
                return str(options.get("name", side))
    raise ValueError(f"its input log has no {side}")


def _of_lines(text: str | list[Any], *formats: str) -> Battle:
    """Return a battle by its protocol; `formats` are its names for one without a line "tier"."""
    lines = [line for line in _lines(text) if line.startswith("|")]
    fields = [line.split("|") for line in lines]
    tier = next((parts[2] for parts in fields if parts[1] == "tier" and len(parts) > 2), "")
    format = _format_of(tier, *formats)
    names = {parts[2]: parts[3] for parts in fields if parts[1] == "player" and len(parts) > 3}
    players = [names.get(side, "") or side for side in ("p1", "p2")]
    won = next((parts[2] for parts in fields if parts[1] == "win" and len(parts) > 2), "")
    winner = _winner(players, won)
    return Battle(format, (players[0], players[1]), winner, (), tuple(lines))


def _format_of(*names: str) -> str:
    """Return the format that the first name which is not empty says.

    Raises:
        ValueError: All are empty.
        ConfigurationError: It is no VGC format of generation 9.
    """
    name = next(filter(None, names), "")
    if not name:
        raise ValueError("it does not say its format")
    plain = plain_name(name)
    return plain if _REGULATION.fullmatch(plain) else find_format(name).name


def _winner(players: list[str], name: str) -> str:
    return f"p{players.index(name) + 1}" if name in players else ""


def _lines(log: str | list[Any]) -> list[str]:
    lines = log.splitlines() if isinstance(log, str) else log
    if len(lines) > _MAX_LINES or not all(
        isinstance(line, str) and len(line) <= _MAX_LINE for line in lines
    ):
        raise ValueError("its log is no list of lines")
    return lines
