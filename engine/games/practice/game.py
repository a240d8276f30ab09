"""Be the practice game: it keeps its state as Crystal does, and its world is known."""

from functools import cache
from pathlib import Path

from engine.emulator.cartridge import Cartridge
from engine.games.base import Atlas, Recognised
from engine.games.bundled import FIRST, find_image, refusal_of_build
from engine.games.crystal.game import CrystalGame
from engine.games.facts import read_rows, read_tables, with_places
from engine.games.overworld import Ability

PRACTICE_TITLE = "PRACTICE"
FACTS = Path(__file__).parent / "facts"
"""Written by the build of the game (roms/practice/build.py)."""


def recognise(file: Path, sha1: str, cartridge: Cartridge, rom: bytes) -> Recognised | None:
    """Return the practice game if an image is one, else None."""
    if cartridge.title != PRACTICE_TITLE:
        return None
    tables = read_tables(FACTS)
    game = CrystalGame(
        sha1, PRACTICE_TITLE, tables.NAME, rom, tables=tables, atlas=atlas(), is_select_used=False
    )
    if sha1 == read_rows(FACTS, "game")[0]["sha1"]:
        return Recognised(game.name, game)
    refusal = refusal_of_build(FIRST, file, sha1)
    return Recognised(f"{game.name} (unknown build)", game, refusal)


@cache
def atlas() -> Atlas:
    """Return what is known of the game's world."""
    field_moves = {
        Ability.CUT: ("CUT", 1),
        Ability.SURF: ("SURF", 3),
        Ability.STRENGTH: ("STRENGTH", None),
    }
    known = Atlas(rest_name="CENTER", healer=1, shop_name="SHOP", clerk=1, field_moves=field_moves)
    return with_places(known, FACTS)


def rom_path() -> Path:
    """Find the practice game's image.

    Raises:
        RomError: It is missing.
    """
    return find_image(FIRST)
