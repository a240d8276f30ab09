"""Be the practice game: it keeps its state as Crystal does, and its world is known."""

from functools import cache
from pathlib import Path

from engine.emulator.cartridge import Cartridge
from engine.errors import RomError
from engine.games.base import Atlas, Recognised
from engine.games.crystal.game import CrystalGame
from engine.games.facts import read_rows, read_tables
from engine.types import Goal, GoalKind, MapId

PRACTICE_TITLE = "PRACTICE"
FACTS = Path(__file__).parent / "facts"
"""Written by the build of the game (roms/practice/build.py)."""

# Where the milestones are reached that are no map to enter, by hand, after roms/practice/world.py.
_HOME_1F, _LAB, _PATH = MapId(40, 2), MapId(40, 4), MapId(40, 6)
_CENTER, _GYM = MapId(40, 8), MapId(40, 10)

_SPOTS = {
    "got_starter": (_LAB, (7, 4)),  # RILLET, whose water beats the gym's rock
    "beat_moe": (_GYM, (2, 9)),
    "beat_ida": (_GYM, (7, 6)),
    "first_badge": (_GYM, (4, 2)),
}

_HEALERS = (
    Goal("heal", "Rest at the rest house", _CENTER, (4, 2), True, GoalKind.HEAL),
    Goal("heal", "Rest at home with mother", _HOME_1F, (2, 4), True, GoalKind.HEAL),
)

_TRAINING = Goal("train", "Train in the tall grass", _PATH, kind=GoalKind.TRAIN)


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
    refusal = RomError(
        f"The practice game {file} is damaged or of another version (SHA-1 {sha1}).",
        "Reinstall poketui, or build it with `python roms/practice/build.py`.",
    )
    return Recognised(f"{game.name} (unknown build)", game, refusal)


@cache
def atlas() -> Atlas:
    """Return what is known of the game's world."""
    keys = {name: key for key, name in read_tables(FACTS).MAPS.items()}
    links: dict[tuple[int, int], list[tuple[str, int, int, tuple[int, int]]]] = {}
    for row in read_rows(FACTS, "links"):
        link = row["kind"], int(row["x"]), int(row["y"]), keys[row["target"]]
        links.setdefault(keys[row["map"]], []).append(link)
    ways = {key: tuple(found) for key, found in links.items()}
    return Atlas(ways, _SPOTS, _HEALERS, _TRAINING, rest_name="CENTER", healer=1)


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
