"""Recognise a ROM file: which game it is, and which tables of names and milestones fit it."""

import hashlib
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

from engine.errors import RomError

MoveFacts = tuple[str, int, int, int, int]
"""Name, type id, power, accuracy in percent, points."""

Milestone = tuple[str, str, str, int | tuple[int, int]]
"""Key, text, kind and value: see `engine.env.milestones.MilestoneTracker`."""


class GameTables(Protocol):
    """What a table module holds. Type ids are the game's; a pair absent from the chart is 1.0.

    Attributes:
        SHA1: Of the practice game that the tables were built with; "" for Crystal, which has two
            builds.
    """

    NAME: str
    SHA1: str
    MAPS: Mapping[tuple[int, int], str]
    MAP_LANDMARKS: Mapping[tuple[int, int], int]
    LANDMARKS: Mapping[int, str]
    SPAWNS: Mapping[int, tuple[int, int]]
    TRAINER_CLASSES: Mapping[int, str]
    SPECIES: Mapping[int, str]
    SPECIES_TYPES: Mapping[int, tuple[int, ...]]
    MOVES: Mapping[int, MoveFacts]
    ITEMS: Mapping[int, str]
    TYPE_CHART: Mapping[tuple[int, int], float]
    MILESTONES: tuple[Milestone, ...]


@dataclass(frozen=True, slots=True)
class GameProfile:
    """A recognised game.

    Attributes:
        sha1: Of the whole ROM, lower-case hexadecimal.
        title: From the cartridge header, e.g. "PM_CRYSTAL".
        name: For people.
        tables_module: Module that satisfies `GameTables`.
        is_practice: The project's own game.
    """

    sha1: str
    title: str
    name: str
    tables_module: str
    is_practice: bool = False

    @property
    def tables(self) -> GameTables:
        """Return the game's tables."""
        return _import_tables(self.tables_module)


PRACTICE_TITLE = "PRACTICE"
_CRYSTAL_TABLES = "engine.games.crystal.crystal_tables"
_PRACTICE_TABLES = "engine.games.crystal.practice_tables"

# SHA-1 sums from the README of pret/pokecrystal.
_CRYSTAL_HASHES: Mapping[str, str] = {
    "f4cd194bdee0d04ca4eac29e09b8e4e9d818c133": "Pokémon Crystal (1.0)",
    "f2f52230b536214ef7c9924f483392993e226cfb": "Pokémon Crystal (1.1)",
}

_HEADER_END = 0x150
_TITLE = slice(0x134, 0x13F)
_CHECKED = slice(0x134, 0x14D)
_CHECKSUM = 0x14D
_SIZE_CODE = 0x148
_MAX_SIZE = 8 * 1024 * 1024
_BRING_YOUR_OWN = (
    "Give your own Pokémon Crystal ROM (.gbc), or leave --rom out to play the practice game."
)


def load_rom(path: str | Path = "", allow_unknown: bool = False) -> tuple[bytes, GameProfile]:
    """Read a ROM and recognise it.

    Args:
        path: A .gbc file; empty: the practice game that comes with the project.
        allow_unknown: Take a changed Crystal (a hack, a translation) as if it were the original.

    Raises:
        RomError: The file is missing, damaged or another game.
    """
    file = Path(path).expanduser() if str(path) else practice_rom_path()
    rom = _read(file)
    _check_image(file, rom)
    return rom, _recognise(file, rom, allow_unknown)


def practice_rom_path() -> Path:
    """Find the practice game: beside this package in a wheel, in roms/ in a checkout.

    Raises:
        RomError: It is in neither place.
    """
    places = (
        Path(__file__).with_name("practice.gbc"),
        Path(__file__).parents[2] / "roms" / "practice.gbc",
    )
    for place in places:
        if place.is_file():
            return place
    raise RomError(
        "The practice game is missing from this installation.",
        "Reinstall poketui, build it with `python roms/practice/build.py`, or give a ROM by --rom.",
    )


def header_title(rom: bytes) -> str:
    """Return the title in the cartridge header (0134-013E)."""
    return rom[_TITLE].split(b"\0")[0].decode("ascii", "replace").strip()


def _read(file: Path) -> bytes:
    if file.is_dir():
        raise RomError(f"The ROM path {file} is a folder.", _BRING_YOUR_OWN)
    try:
        if file.stat().st_size > _MAX_SIZE:
            raise RomError(f"{file} is too large for a Game Boy ROM.", _BRING_YOUR_OWN)
        return file.read_bytes()
    except FileNotFoundError:
        raise RomError(f"There is no ROM file at {file}.", _BRING_YOUR_OWN) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RomError(f"Cannot read the ROM {file}: {reason}.", "Make it readable.") from None


def _check_image(file: Path, rom: bytes) -> None:
    """Refuse what is no whole Game Boy ROM; the emulator itself would run a truncated one."""
    if not rom:
        raise RomError(f"The ROM {file} is empty.", "Copy it again.")
    checksum = 0
    for byte in rom[_CHECKED]:
        checksum = (checksum - byte - 1) & 0xFF
    if len(rom) < _HEADER_END or checksum != rom[_CHECKSUM]:
        hint = "It may be packed (unzip it first) or damaged. " + _BRING_YOUR_OWN
        raise RomError(f"{file} is not a Game Boy ROM: its header is wrong.", hint)
    code = rom[_SIZE_CODE]
    expected = 0x8000 << code if code <= 8 else 0
    if len(rom) < expected:
        raise RomError(
            f"The ROM {file} is truncated: {len(rom):,} bytes of {expected:,}.", "Copy it again."
        )
    if not expected or len(rom) > expected:
        raise RomError(
            f"The ROM {file} has {len(rom):,} bytes but its header says {expected:,}.",
            "It is damaged or was patched badly; copy it again.",
        )


def _recognise(file: Path, rom: bytes, allow_unknown: bool) -> GameProfile:
    sha1 = hashlib.sha1(rom, usedforsecurity=False).hexdigest()
    title = header_title(rom)
    if sha1 in _CRYSTAL_HASHES:
        return GameProfile(sha1, title, _CRYSTAL_HASHES[sha1], _CRYSTAL_TABLES)
    if title == PRACTICE_TITLE:
        tables = _import_tables(_PRACTICE_TABLES)
        if sha1 != tables.SHA1 and not allow_unknown:
            raise RomError(
                f"The practice game {file} is damaged or of another version (SHA-1 {sha1}).",
                "Reinstall poketui, or build it with `python roms/practice/build.py`.",
            )
        return GameProfile(sha1, title, tables.NAME, _PRACTICE_TABLES, is_practice=True)
    if title.startswith("PM_CRYSTAL"):
        if allow_unknown:
            return GameProfile(sha1, title, "Pokémon Crystal (unknown build)", _CRYSTAL_TABLES)
        raise RomError(
            f"{file} calls itself Pokémon Crystal but is not a known build (SHA-1 {sha1}).",
            "It may be damaged, translated or modified. Give the original English ROM, or add "
            "--allow-unknown-rom to try it all the same.",
        )
    if title.startswith(("POKEMON_GLD", "POKEMON_SLV")):
        game = "Gold" if "GLD" in title else "Silver"
        raise RomError(
            f"{file} is Pokémon {game}: its memory is laid out differently.", _BRING_YOUR_OWN
        )
    raise RomError(f"{file} is another game (title '{title}').", _BRING_YOUR_OWN)


@cache
def _import_tables(module: str) -> GameTables:
    loaded: GameTables = importlib.import_module(module)
    return loaded
