"""Read teams, as players share them or packed as the simulator wants them; the pool of our own."""

import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.battles.formats import Format
from engine.errors import BattleError
from engine.files import read_file

if TYPE_CHECKING:
    from engine.battles.simulator import Simulator

LEVEL = 50
"""All formats here play at this level, whatever a sheet says."""
_MAX_BYTES = 1 << 16
_STATS = ("hp", "atk", "def", "spa", "spd", "spe")
_GENDER = re.compile(r" \(([MFN])\)$")
_NICKNAME = re.compile(r"^(.*) \(([^()]+)\)$")
_SHEET_HINT = "Paste it as Pokémon Showdown's team builder exports it, or packed."


@dataclass(frozen=True, slots=True)
class Team:
    """A team by name.

    Attributes:
        name: For a list, such as "1-balance".
        packed: As the simulator takes it.
    """

    name: str
    packed: str

    @property
    def species(self) -> tuple[str, ...]:
        """Which Pokémon it has."""
        sets = (one.split("|") for one in self.packed.split("]"))
        return tuple(fields[1] or fields[0] for fields in sets)


def read_team(path: Path) -> str:
    """Return the team of a file, pasted or packed, as the simulator takes it.

    Raises:
        BattleError: It cannot be read, or has no team.
    """
    try:
        text = read_file(path, _MAX_BYTES).decode()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BattleError(f"Cannot read the team {path}: {reason}.", _SHEET_HINT) from None
    except UnicodeDecodeError:
        raise BattleError(f"{path} is not text.", _SHEET_HINT) from None
    try:
        return parse_team(text)
    except BattleError as error:
        raise BattleError(f"{path}: {error.message}", error.hint) from None


def parse_team(text: str) -> str:
    """Return a team, pasted or packed, in the packed form.

    Raises:
        BattleError: It has no team.
    """
    text = text.strip()
    if "|" in text:
        return _at_level(text)
    sets = [_pack(block) for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n"))]
    if not any(sets):
        raise BattleError("there is no team in it.", _SHEET_HINT)
    return "]".join(filter(None, sets))


def validate(simulator: "Simulator", format: Format, team: str, name: str = "The team") -> None:
    """Refuse a packed team that the simulator does not allow in a format.

    Raises:
        BattleError: Saying all that is wrong with it.
    """
    if errors := simulator.validate(format.id, team):
        text = " ".join(error if error.endswith(".") else f"{error}." for error in errors)
        raise BattleError(f"{name} is not legal in {format.id}: {text}", "Correct the team.")


def pool(format: Format) -> tuple[Team, ...]:
    """Return the shipped teams of a format; the first is the one to train with."""
    return _shipped(_folder() / format.id)


def unseen(format: Format) -> tuple[Team, ...]:
    """Return the shipped teams that nothing is trained with; none in most formats."""
    folder = _folder() / format.id / "unseen"
    return _shipped(folder) if folder.is_dir() else ()


def _folder() -> Traversable:
    return files("engine.battles") / "teams"


def _shipped(folder: Traversable) -> tuple[Team, ...]:
    found = sorted(
        (each for each in folder.iterdir() if each.is_file()), key=lambda each: each.name
    )
    return tuple(
        Team(each.name.removesuffix(".txt"), parse_team(each.read_text("utf-8"))) for each in found
    )


def _plain(name: str) -> str:
    """Return a name as the packed form has it: letters and digits only."""
    return re.sub(r"[^A-Za-z0-9]+", "", name)


def _at_level(packed: str) -> str:
    """Return a packed team at the level of its battles.

    Raises:
        BattleError: It is no packed team.
    """
    sets = [one.strip().split("|") for one in packed.split("]")]
    if any(len(fields) != 12 for fields in sets):
        raise BattleError("it is not a packed team.", _SHEET_HINT)
    return "]".join("|".join([*fields[:10], str(LEVEL), fields[11]]) for fields in sets)


def _pack(block: str) -> str:
    """Return one Pokémon's sheet packed; "" where there is none."""
    lines = [line.strip() for line in block.splitlines()]
    lines = [line for line in lines if line and not line.startswith("===")]
    if not lines:
        return ""
    head, _, item = lines[0].partition(" @ ")
    gender = _GENDER.search(head)
    head = _GENDER.sub("", head)
    named = _NICKNAME.match(head)
    name, species = (named[1], named[2]) if named else (head, head)
    nature, moves, given = "", [], dict[str, str]()
    for line in lines[1:]:
        key, colon, value = line.partition(": ")
        if line.startswith("-"):
            moves.append(_plain(line))
        elif line.endswith(" Nature"):
            nature = line.removesuffix(" Nature")
        elif colon:
            given[key] = value
    parts = [
        re.sub(r"[|\],]", "", name),
        "" if name == species else _plain(species),
        _plain(item),
        _plain(given.get("Ability", "")),
        ",".join(moves),
        nature,
        _stats(given.get("EVs", "")),
        gender[1] if gender else "",
        _stats(given.get("IVs", "")),
        "S" if given.get("Shiny") == "Yes" else "",
        str(LEVEL),
        f",,,,,{given['Tera Type']}" if "Tera Type" in given else "",
    ]
    return "|".join(parts)


def _stats(text: str) -> str:
    """Return "252 HP / 4 Atk" as the packed form has it, "252,4,,,,"."""
    words = (part.split() for part in text.split("/"))
    values = {each[1].lower(): each[0] for each in words if len(each) == 2}
    return ",".join(values.get(stat, "") for stat in _STATS) if values else ""
