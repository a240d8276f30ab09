"""Recognise a ROM file: which game it is, and which tables of names and milestones fit it."""

import errno
import hashlib
import importlib
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

from engine.emulator.cartridge import HEADER_END, Cartridge, is_image_checksum_right
from engine.errors import RomError
from engine.files import read_file
from engine.folders import user_path

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
    TYPES: Mapping[int, str]
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


@dataclass(frozen=True, slots=True)
class Identity:
    """What a file is found to be.

    Attributes:
        game: For people, also of what is not played.
        profile: How it is played; None: it cannot be.
        refusal: Why it is not played, or, where there is a profile, not without being allowed.
    """

    file: Path
    rom: bytes
    sha1: str
    cartridge: Cartridge
    game: str
    profile: GameProfile | None
    refusal: RomError | None


PRACTICE_TITLE = "PRACTICE"
_CRYSTAL_TITLE = "PM_CRYSTAL"
_CRYSTAL_TABLES = "engine.games.crystal.crystal_tables"
_PRACTICE_TABLES = "engine.games.crystal.practice_tables"

# SHA-1 sums from the README of pret/pokecrystal; both are the English game, revisions 0 and 1.
_CRYSTAL_HASHES: Mapping[str, str] = {
    "f4cd194bdee0d04ca4eac29e09b8e4e9d818c133": "Pokémon Crystal (1.0)",
    "f2f52230b536214ef7c9924f483392993e226cfb": "Pokémon Crystal (1.1)",
}
_SISTERS = {"POKEMON_GLD": "Pokémon Gold", "POKEMON_SLV": "Pokémon Silver"}
_LANGUAGES = {
    "E": "English", "U": "English, Australia", "P": "Europe", "J": "Japanese", "F": "French",
    "D": "German", "I": "Italian", "S": "Spanish", "K": "Korean",
}  # fmt: skip
_JAPANESE = "J"
_ARCHIVES = {
    b"PK\x03\x04": "zip",
    b"\x1f\x8b": "gzip",
    b"7z\xbc\xaf": "7z",
    b"Rar!": "rar",
}

_MAX_SIZE = 8 * 1024 * 1024
_BRING_YOUR_OWN = (
    "Give your own Pokémon Crystal ROM (.gbc), or leave --rom out to play the practice game."
)
_OTHER_ADDRESSES = (
    "Playing it would need a table of its own RAM addresses, maps and events in engine/games; "
    "there is one for the English Crystal only."
)


def load_rom(path: str | Path = "", allow_unknown: bool = False) -> tuple[bytes, GameProfile]:
    """Read a ROM and recognise it.

    Args:
        path: A .gbc file; empty: the practice game that comes with the project.
        allow_unknown: Take a changed Crystal (a hack, a translation) as if it were the original.

    Raises:
        RomError: The file is missing, damaged or another game.
    """
    found = identify(path)
    if found.profile is None or (found.refusal is not None and not allow_unknown):
        raise found.refusal or RomError(f"{found.file} cannot be played.", _BRING_YOUR_OWN)
    return found.rom, found.profile


def identify(path: str | Path = "") -> Identity:
    """Read a file and say what it is, played or not; empty: the practice game.

    Raises:
        RomError: There is no such file, or it is no Game Boy ROM at all.
    """
    file = user_path(path) if str(path) else practice_rom_path()
    rom = _read(file)
    cartridge = _read_header(file, rom)
    sha1 = hashlib.sha1(rom, usedforsecurity=False).hexdigest()
    damage = _damage(file, len(rom), cartridge)
    if damage is not None:
        return Identity(file, rom, sha1, cartridge, "a damaged ROM", None, damage)
    return Identity(file, rom, sha1, cartridge, *recognise(file, sha1, cartridge))


def recognise(
    file: Path, sha1: str, cartridge: Cartridge
) -> tuple[str, GameProfile | None, RomError | None]:
    """Return the last three attributes of a whole image's `Identity`."""
    title, language = cartridge.title, cartridge.code[-1:]
    if sha1 in _CRYSTAL_HASHES:
        name = _CRYSTAL_HASHES[sha1]
        return name, GameProfile(sha1, title, name, _CRYSTAL_TABLES), None
    if title == PRACTICE_TITLE:
        tables = _import_tables(_PRACTICE_TABLES)
        profile = GameProfile(sha1, title, tables.NAME, _PRACTICE_TABLES, is_practice=True)
        if sha1 == tables.SHA1:
            return profile.name, profile, None
        refusal = RomError(
            f"The practice game {file} is damaged or of another version (SHA-1 {sha1}).",
            "Reinstall poketui, or build it with `python roms/practice/build.py`.",
        )
        return f"{profile.name} (unknown build)", profile, refusal
    if title.startswith(_CRYSTAL_TITLE) and language == _JAPANESE:
        message = f"{file} is the Japanese Pokémon Crystal, which keeps its state elsewhere."
        return "Pokémon Crystal (Japan)", None, RomError(message, _OTHER_ADDRESSES)
    if title.startswith(_CRYSTAL_TITLE):
        name = "Pokémon Crystal (unknown build)"
        refusal = RomError(
            f"{file} calls itself Pokémon Crystal but is not a known build (SHA-1 {sha1}).",
            "It may be damaged, translated or modified. Give the original English ROM, or add "
            "--allow-unknown-rom to try it all the same.",
        )
        return name, GameProfile(sha1, title, name, _CRYSTAL_TABLES), refusal
    sister = _SISTERS.get(title[:11])
    if sister is not None:
        message = f"{file} is {sister}, which keeps its state elsewhere than Crystal."
        return sister, None, RomError(message, _OTHER_ADDRESSES)
    return "another game", None, RomError(f"{file} is another game ('{title}').", _BRING_YOUR_OWN)


def describe(found: Identity) -> list[str]:
    """Return what `poketui rom` prints about a file, a line each."""
    cartridge = found.cartridge
    language = _LANGUAGES.get(cartridge.code[-1:], "unknown language")
    code = f", code {cartridge.code} ({language})" if cartridge.code else ""
    parts = [f"{cartridge.controller} (type {cartridge.kind:02X})"]
    parts += [f"{cartridge.ram_size // 1024} KB RAM"] if cartridge.ram_size else []
    parts += ["battery"] if cartridge.has_battery else []
    parts += ["clock"] if cartridge.has_clock else []
    header = "right" if cartridge.is_header_right else "wrong"
    image = "right" if is_image_checksum_right(found.rom) else "wrong"
    lines = [
        f"{found.file}: {found.game}",
        f"  title      {cartridge.title or 'none'}{code}, revision {cartridge.revision}",
        f"  cartridge  {', '.join(parts)}",
        f"  size       {len(found.rom) // 1024:,} KB",
        f"  checksums  header {header}, whole image {image}",
        f"  SHA-1      {found.sha1}",
    ]
    if found.profile is not None:
        if found.refusal is not None:
            lines.append(found.refusal.message)
        allow = " --allow-unknown-rom" if found.refusal else ""
        lines.append(f"Play it with: poketui run --rom {shlex.quote(str(found.file))}{allow}")
    return lines


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


def _read(file: Path) -> bytes:
    try:
        if file.is_dir():
            raise RomError(f"The ROM path {file} is a folder.", _BRING_YOUR_OWN)
        return read_file(file, _MAX_SIZE)
    except FileNotFoundError:
        raise RomError(f"There is no ROM file at {file}.", _BRING_YOUR_OWN) from None
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.EFBIG:
            raise RomError(f"{file} is too large for a Game Boy ROM.", _BRING_YOUR_OWN) from None
        reason = getattr(error, "strerror", None) or str(error)
        raise RomError(f"Cannot read the ROM {file}: {reason}.", "Make it readable.") from None


def _read_header(file: Path, rom: bytes) -> Cartridge:
    """Read the header of what may be a ROM: its checksum is right, or at least its size."""
    if not rom:
        raise RomError(f"The ROM {file} is empty.", "Copy it again.")
    for magic, kind in _ARCHIVES.items():
        if rom.startswith(magic):
            raise RomError(
                f"{file} is a {kind} archive, not a ROM.", "Unpack it and give the .gbc file in it."
            )
    cartridge = Cartridge.of(rom) if len(rom) >= HEADER_END else None
    if cartridge is None or not (cartridge.is_header_right or cartridge.rom_size == len(rom)):
        raise RomError(f"{file} is not a Game Boy ROM: its header is wrong.", _BRING_YOUR_OWN)
    return cartridge


def _damage(file: Path, size: int, cartridge: Cartridge) -> RomError | None:
    """Tell what is broken; the emulator itself would run a truncated image."""
    expected = cartridge.rom_size
    if size < expected:
        return RomError(
            f"The ROM {file} is truncated: {size:,} bytes of {expected:,}.", "Copy it again."
        )
    if size > expected:
        return RomError(
            f"The ROM {file} has {size:,} bytes but its header says {expected:,}.",
            "It is damaged or was patched badly; copy it again.",
        )
    if not cartridge.is_header_right:
        return RomError(
            f"The ROM {file} is damaged: the checksum of its header is wrong.", "Copy it again."
        )
    return None


@cache
def _import_tables(module: str) -> GameTables:
    loaded: GameTables = importlib.import_module(module)
    return loaded
