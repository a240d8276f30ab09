"""Recognise a file: which game it is, and whether it can be played.

The games are the folders beside this file; installed packages announce more of them under the entry
point group `poketui.games`, each as a function `recognise(file, rom)` that returns a `Recognised`,
or None for what is not its own.
"""

import hashlib
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path

from engine.emulator import advance_cartridge
from engine.emulator.advance_cartridge import AdvanceCartridge
from engine.emulator.cartridge import HEADER_END, Cartridge, is_image_checksum_right
from engine.errors import RomError
from engine.games.base import Game, Recognised
from engine.games.bundled import FIRST, IMAGES, find_image
from engine.games.crystal import game as crystal
from engine.games.emerald import game as emerald
from engine.games.mosslight_advance import game as mosslight_advance
from engine.games.practice import game as practice
from engine.ground.files import FileTooLargeError, read_file
from engine.ground.folders import user_path
from engine.ground.registry import resolve

_GAMES = (crystal.recognise, practice.recognise)
_ADVANCE_GAMES = (mosslight_advance.recognise, emerald.recognise)
ENTRY_POINTS = "poketui.games"


@dataclass(frozen=True, slots=True)
class Identity:
    """What a file is found to be.

    Attributes:
        sha1: Of the whole file, lower-case hexadecimal.
        cartridge: What its header says; None: it has none that is known.
        recognised: Which game it is.
    """

    file: Path
    rom: bytes
    sha1: str
    cartridge: Cartridge | AdvanceCartridge | None
    recognised: Recognised


_LANGUAGES = {
    "E": "English", "U": "English, Australia", "P": "Europe", "J": "Japanese", "F": "French",
    "D": "German", "I": "Italian", "S": "Spanish", "K": "Korean",
}  # fmt: skip
_ARCHIVES = {b"PK\x03\x04": "zip", b"\x1f\x8b": "gzip", b"7z\xbc\xaf": "7z", b"Rar!": "rar"}

_BRING_YOUR_OWN = (
    "Use your own Pokémon Crystal ROM (.gbc) or your own Pokémon Emerald ROM (.gba), or leave "
    "--rom out to play the practice game."
)


def load_game(path: str | Path = "", allow_unknown: bool = False) -> Game:
    """Read a ROM and recognise it.

    Args:
        path: As in `identify`.
        allow_unknown: Take a changed game (a hack, a translation) as if it were the original.

    Raises:
        RomError: The file is missing, damaged or another game.
    """
    found = identify(path)
    game, refusal = found.recognised.game, found.recognised.refusal
    if game is None or (refusal is not None and not allow_unknown):
        raise refusal or RomError(f"{found.file} cannot be played.", _BRING_YOUR_OWN)
    return game


def identify(path: str | Path = "") -> Identity:
    """Read a file and say what it is, played or not.

    Args:
        path: A file, or the name of a practice game (`bundled.IMAGES`); empty: the first of them.

    Raises:
        RomError: There is no such file, or it is no game of a kind that is known.
    """
    name = str(path) or FIRST
    file = find_image(name) if name in IMAGES else user_path(path)
    rom = _read(file)
    sha1 = hashlib.sha1(rom, usedforsecurity=False).hexdigest()
    cartridge: Cartridge | AdvanceCartridge | None = None
    try:
        cartridge = _read_header(file, rom)
    except RomError:
        if (recognised := _announced(file, rom)) is None:
            raise
    else:
        damage = _damage(file, len(rom), cartridge)
        if damage is not None:
            recognised = Recognised("a damaged ROM", None, damage)
        else:
            recognised = recognise(file, sha1, cartridge, rom)
    return Identity(file, rom, sha1, cartridge, recognised)


def recognise(
    file: Path, sha1: str, cartridge: Cartridge | AdvanceCartridge, rom: bytes
) -> Recognised:
    """Return which game a whole image is."""
    found: Recognised | None
    if isinstance(cartridge, Cartridge):
        for ask in _GAMES:
            if (found := ask(file, sha1, cartridge, rom)) is not None:
                return found
    else:
        for ask_advance in _ADVANCE_GAMES:
            if (found := ask_advance(file, sha1, cartridge, rom)) is not None:
                return found
    if (found := _announced(file, rom)) is not None:
        return found
    refusal = RomError(f"{file} is an unsupported game ('{cartridge.title}').", _BRING_YOUR_OWN)
    return Recognised("unsupported game", None, refusal)


def _announced(file: Path, rom: bytes) -> Recognised | None:
    """Ask the games of other installed packages.

    Raises:
        ConfigurationError: One of them cannot be imported.
    """
    for entry in entry_points(group=ENTRY_POINTS):
        announced: Callable[[Path, bytes], Recognised | None] = resolve(entry.value, ENTRY_POINTS)
        found = announced(file, rom)
        if found is not None:
            return found
    return None


def describe(found: Identity) -> list[str]:
    """Return what `poketui rom` prints about a file, a line each."""
    recognised, cartridge = found.recognised, found.cartridge
    lines = [f"{found.file}: {recognised.name}"]
    if isinstance(cartridge, Cartridge):
        lines += _describe_cartridge(cartridge, found.rom)
    elif cartridge is not None:
        lines += _describe_advance(cartridge, found.rom)
    lines.append(f"  SHA-1      {found.sha1}")
    if recognised.game is not None:
        if recognised.refusal is not None:
            lines.append(recognised.refusal.message)
        allow = " --allow-unknown-rom" if recognised.refusal else ""
        lines.append(f"Play it with: poketui run --rom {shlex.quote(str(found.file))}{allow}")
    return lines


def _describe_advance(cartridge: AdvanceCartridge, rom: bytes) -> list[str]:
    header = "right" if cartridge.is_header_right else "wrong"
    return [
        f"  title      {cartridge.title or 'none'}{_code(cartridge.code)}, "
        f"revision {cartridge.revision}",
        "  cartridge  Game Boy Advance",
        f"  size       {len(rom) // 1024:,} KB",
        f"  checksum   header {header}",
    ]


def _code(code: str) -> str:
    language = _LANGUAGES.get(code[-1:], "unknown language")
    return f", code {code} ({language})" if code else ""


def _describe_cartridge(cartridge: Cartridge, rom: bytes) -> list[str]:
    parts = [f"{cartridge.controller} (type {cartridge.kind:02X})"]
    parts += [f"{cartridge.ram_size // 1024} KB RAM"] if cartridge.ram_size else []
    parts += ["battery"] if cartridge.has_battery else []
    parts += ["clock"] if cartridge.has_clock else []
    header = "right" if cartridge.is_header_right else "wrong"
    image = "right" if is_image_checksum_right(rom) else "wrong"
    return [
        f"  title      {cartridge.title or 'none'}{_code(cartridge.code)}, "
        f"revision {cartridge.revision}",
        f"  cartridge  {', '.join(parts)}",
        f"  size       {len(rom) // 1024:,} KB",
        f"  checksums  header {header}, whole image {image}",
    ]


def _read(file: Path) -> bytes:
    try:
        if file.is_dir():
            raise RomError(f"The ROM path {file} is a folder.", _BRING_YOUR_OWN)
        read = file.stat()
        return _image(file, (read.st_ino, read.st_size, read.st_mtime_ns))
    except FileNotFoundError:
        raise RomError(f"There is no ROM file at {file}.", _BRING_YOUR_OWN) from None
    except FileTooLargeError:
        raise RomError(f"{file} is too large for a ROM.", _BRING_YOUR_OWN) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RomError(f"Cannot read the ROM {file}: {reason}.", "Make it readable.") from None


@lru_cache(maxsize=1)
def _image(file: Path, version: tuple[int, int, int]) -> bytes:
    """Read a file once for all games of a process, which share its bytes: 2 to 16 MB each."""
    return read_file(file, advance_cartridge.MAX_SIZE)


def _read_header(file: Path, rom: bytes) -> Cartridge | AdvanceCartridge:
    """Read the header of what may be a ROM.

    A Game Boy's header counts if its checksum or at least its size is right; a Game Boy Advance's
    if it has the mark that all have.

    Raises:
        RomError: It has neither.
    """
    if not rom:
        raise RomError(f"The ROM {file} is empty.", "Copy it again.")
    for magic, kind in _ARCHIVES.items():
        if rom.startswith(magic):
            raise RomError(
                f"{file} is a {kind} archive, not a ROM.",
                "Unpack it and use the .gbc or .gba file in it.",
            )
    advance = AdvanceCartridge.of(rom) if len(rom) >= advance_cartridge.HEADER_END else None
    if advance is not None and advance.has_mark and advance.is_header_right:
        return advance
    cartridge = Cartridge.of(rom) if len(rom) >= HEADER_END else None
    if (cartridge is None or not cartridge.is_header_right) and advance and advance.has_mark:
        return advance
    if cartridge is None or not (cartridge.is_header_right or cartridge.rom_size == len(rom)):
        raise RomError(
            f"{file} is not a Game Boy ROM or a Game Boy Advance ROM: its header is invalid.",
            _BRING_YOUR_OWN,
        )
    return cartridge


def _damage(file: Path, size: int, cartridge: Cartridge | AdvanceCartridge) -> RomError | None:
    """Tell what is broken; the emulator itself would run a truncated image.

    A Game Boy Advance header does not tell the size: the games know theirs.
    """
    if not cartridge.is_header_right and isinstance(cartridge, AdvanceCartridge):
        return RomError(f"The ROM {file} is damaged: wrong header checksum.", "Copy it again.")
    if isinstance(cartridge, AdvanceCartridge):
        return None
    expected = cartridge.rom_size
    if size < expected:
        return RomError(
            f"The ROM {file} is truncated: {size:,} bytes of {expected:,}.", "Copy it again."
        )
    if size > expected:
        return RomError(
            f"The ROM {file} has {size:,} bytes but its header says {expected:,}.",
            "It is damaged or badly patched; copy it again.",
        )
    if not cartridge.is_header_right:
        return RomError(f"The ROM {file} is damaged: wrong header checksum.", "Copy it again.")
    return None
