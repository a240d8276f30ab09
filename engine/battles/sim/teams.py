"""Name the battle formats, and read teams: pasted, packed, or shipped with this package."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Literal

from engine.battles.sim.setup import find_simulator
from engine.battles.sim.simulator import Simulator
from engine.errors import BattleError, ConfigurationError
from engine.ground.files import read_text
from engine.ground.text import one_line


@dataclass(frozen=True, slots=True)
class Format:
    """A format of the simulator.

    Attributes:
        id: Its name there, of a single game.
        gimmick: What a Pokémon may do once in a battle: change its type, or evolve.
        best_of: The most games of a set: 1 or 3.
    """

    id: str
    gimmick: Literal["tera", "mega"] = "tera"
    best_of: int = 1

    @property
    def name(self) -> str:
        """Return its name on public servers."""
        return f"{self.id}bo3" if self.best_of == 3 else self.id


FORMATS = (
    Format("gen9vgc2023regc"),
    Format("gen9vgc2023regd"),
    Format("gen9vgc2024regg"),
    Format("gen9vgc2025regi"),
    Format("gen9championsvgc2026regma", "mega"),
    Format("gen9championsvgc2026regmb", "mega"),
)
"""The oldest first."""
DEFAULT_FORMAT = FORMATS[-1]
_OTHER_NAMES = {
    "regulation": "reg",
    "series1": "rega",
    "series2": "regb",
    "bestof3": "bo3",
}
TRAINING_TEAMS, UNSEEN_TEAMS = 64, 72
"""How many teams each format ships."""


def find_format(name: str) -> Format:
    """Return a format by its name in the simulator or its server.

    "gen9vgc2023regc", "gen9vgc2023regulationc" and "[Gen 9] VGC 2023 Reg C" are the same;
    "gen9vgc2023regcbo3" and "[Gen 9] VGC 2023 Reg C (Bo3)" are the best of three in it.

    Raises:
        ConfigurationError: There is no such format.
    """
    wanted = plain_name(name)
    for known in FORMATS:
        if known.id == wanted.removesuffix("bo3"):
            return known if known.id == wanted else replace(known, best_of=3)
    names = ", ".join(known.id for known in FORMATS)
    raise ConfigurationError(
        f"There is no battle format {one_line(name, 60)!r}.", f"Use one of {names}."
    )


def plain_name(name: str) -> str:
    """Return a format's name in one of the ways to write it: "gen9vgc2023regcbo3"."""
    plain = "".join(sign for sign in name.lower() if sign.isalnum())
    for other, ours in _OTHER_NAMES.items():
        plain = plain.replace(other, ours)
    return plain


_MAX_BYTES = 1 << 16
_UNSEEN = "unseen/"
_MOST_FILES = 256
_MOST_PROBLEMS = 5
_SHEET_HINT = "Paste it as Pokémon Showdown's team builder exports it, or packed."


@dataclass(frozen=True, slots=True)
class Team:
    """A team by name.

    Attributes:
        name: For a list, such as "1-balance".
        packed: In the simulator's packed format.
    """

    name: str
    packed: str

    @property
    def species(self) -> tuple[str, ...]:
        """Return its Pokémon."""
        sets = (one.split("|") for one in self.packed.split("]"))
        return tuple(fields[1] or fields[0] for fields in sets)


def read_teams(path: Path, format: Format) -> tuple[Team, ...]:
    """Return the team of a file, or those of all files in a folder: each legal in the format.

    Raises:
        BattleError: There is none, or one cannot be read, is not understood, or is not legal.
        ConfigurationError: The simulator is not installed.
        WorkerError: It cannot be started.
    """
    texts = {each.name: _text(each) for each in _team_files(path)}
    with Simulator((), find_simulator()) as simulator:
        return tuple(
            Team(name, parse_team(simulator, format, text, name)) for name, text in texts.items()
        )


def read_team(path: Path, format: Format) -> str:
    """Return the one team of a file packed, legal in the format; raises as `read_teams` does."""
    first, *others = read_teams(path, format)
    if others:
        raise BattleError(f"{path} has {len(others) + 1} teams.", "Name the file of one of them.")
    return first.packed


def parse_team(simulator: Simulator, format: Format, text: str, name: str = "The team") -> str:
    """Return a legal team packed, at the level of its battles.

    Args:
        simulator: Parses and validates it.
        format: The format in which it must be legal.
        text: Pasted, packed, as JSON, or a line of a team builder's backup.
        name: Names it in errors.

    Raises:
        BattleError: It names the lines that are not understood, or all that is illegal.
    """
    packed, problems = simulator.read_team(text)
    if problems:
        raise BattleError(f"{name} is not understood: {_shown(problems)}", _SHEET_HINT)
    validate(simulator, format, packed, name)
    return packed


def validate(simulator: Simulator, format: Format, team: str, name: str = "The team") -> None:
    """Refuse a packed team that the simulator does not allow in a format.

    Raises:
        BattleError: It is not legal; the error says why, and in which formats it would be.
    """
    if errors := simulator.validate(format.id, team):
        legal = [known.id for known in FORMATS if not simulator.validate(known.id, team)]
        hint = f"It is legal in {' and '.join(legal)}." if legal else "Correct the team."
        raise BattleError(f"{name} is not legal in {format.id}: {_shown(errors)}", hint)


def pool(format: Format) -> tuple[Team, ...]:
    """Return the shipped teams of a format; the first is the one to train with."""
    return tuple(team for team in _shipped(format) if not team.name.startswith(_UNSEEN))


def unseen(format: Format) -> tuple[Team, ...]:
    """Return the shipped teams that are held out of training."""
    return tuple(
        Team(team.name.removeprefix(_UNSEEN), team.packed)
        for team in _shipped(format)
        if team.name.startswith(_UNSEEN)
    )


def generate_teams(
    simulator: Simulator, format: Format, count: int, seed: int, known: Sequence[Team] = ()
) -> tuple[Team, ...]:
    """Return new legal teams; none shares more than four species with another or a known one.

    Raises:
        BattleError: The format does not have that many.
    """
    packed = [team.packed for team in known]
    return tuple(Team(*found) for found in simulator.generate(format.id, count, seed, packed))


def first_teams(format: Format, count: int) -> tuple[str, ...]:
    """Return the first `count` shipped teams of a format, packed.

    Raises:
        ConfigurationError: There are fewer.
    """
    shipped = pool(format)
    if count > len(shipped):
        raise ConfigurationError(
            f"--num-teams {count}: {len(shipped)} teams are shipped for {format.id}.",
            f"Use at most {len(shipped)}, or your own: --team FOLDER.",
        )
    return tuple(team.packed for team in shipped[:count])


def _shown(problems: Sequence[str]) -> str:
    lines = [
        problem if problem.endswith(("?", ".")) else f"{problem}."
        for problem in problems[:_MOST_PROBLEMS]
    ]
    more = len(problems) - len(lines)
    return " ".join([*lines, f"And {more} more."] if more else lines)


def _shipped(format: Format) -> list[Team]:
    """Return all shipped teams of a format, from a backup file of Showdown's team builder."""
    text = (files("engine.battles.sim") / "teams" / f"{format.id}.txt").read_text("utf-8")
    parts = (line.removeprefix(f"{format.id}]").partition("|") for line in text.splitlines())
    return [Team(name, packed) for name, _, packed in parts]


def _team_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(each for each in path.iterdir() if each.is_file() and each.name[0] != ".")
    if not 0 < len(found) <= _MOST_FILES:
        raise BattleError(
            f"The folder {path} has {len(found)} files of teams.",
            f"Put 1 to {_MOST_FILES} teams there, each in a file.",
        )
    return found


def _text(path: Path) -> str:
    try:
        return read_text(path, _MAX_BYTES)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BattleError(f"Cannot read the team {path}: {reason}.", _SHEET_HINT) from None
    except ValueError as error:
        raise BattleError(
            f"Cannot read the team {path}: {error}.", "Save it as text in UTF-8."
        ) from None
