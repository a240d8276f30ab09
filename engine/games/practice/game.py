"""Be the practice game: it keeps its state as Crystal does, and its world is known."""

from pathlib import Path

from engine.emulator.cartridge import Cartridge
from engine.errors import RomError
from engine.games.base import Recognised
from engine.games.crystal.game import CrystalGame

PRACTICE_TITLE = "PRACTICE"


def recognise(file: Path, sha1: str, cartridge: Cartridge, rom: bytes) -> Recognised | None:
    """Return the practice game if an image is one, else None."""
    if cartridge.title != PRACTICE_TITLE:
        return None
    from engine.games.practice import tables
    from engine.games.practice.atlas import ATLAS

    game = CrystalGame(
        sha1, PRACTICE_TITLE, tables.NAME, rom, tables=tables, atlas=ATLAS, is_select_used=False
    )
    if sha1 == tables.SHA1:
        return Recognised(game.name, game)
    refusal = RomError(
        f"The practice game {file} is damaged or of another version (SHA-1 {sha1}).",
        "Reinstall poketui, or build it with `python roms/practice/build.py`.",
    )
    return Recognised(f"{game.name} (unknown build)", game, refusal)


def rom_path() -> Path:
    """Find the practice game: beside engine/games in a wheel, in roms/ in a checkout.

    Raises:
        RomError: It is in neither place.
    """
    places = (
        Path(__file__).parents[1] / "practice.gbc",
        Path(__file__).parents[3] / "roms" / "practice.gbc",
    )
    for place in places:
        if place.is_file():
            return place
    raise RomError(
        "The practice game is missing from this installation.",
        "Reinstall poketui, build it with `python roms/practice/build.py`, or give a ROM by --rom.",
    )
