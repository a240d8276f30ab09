"""Read from an image of Crystal which machine teaches what to whom, and the levels in the grass.

What is not where Crystal has it, or does not look as it should, is left out: tests and hacks run
without these tables, and nothing in an image is believed.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from engine.emulator.base import rom_slice
from engine.games.base import GameTables

MACHINE_ITEMS = tuple(item for item in range(191, 250) if item not in (195, 220))
"""Item ids of TM01-TM50 and HM01-HM07, in the pocket's order."""

_HIDDEN_MOVES = bytes((15, 19, 57, 70, 148, 250, 127))
"""Numbers of the moves of HM01 to HM07, which follow those of the fifty TMs (TMHMMoves)."""
_TMS = 50
_BASE_DATA, _BASE_SIZE, _SPECIES, _LEARNT = (0x14, 0x5424), 32, 251, 0x18
"""BaseData of pret/pokecrystal: number, six stats and more, and 8 bytes of a bit a machine."""
_GRASS_BANK, _GRASS_SIZE, _HEAD, _MAX_LEVEL = 0x0A, 47, 5, 100
"""JohtoGrassWildMons and KantoGrassWildMons: group, number, three rates, 21 levels and species."""
_MIN_RUN = 8
"""Maps that follow each other in a table of wild creatures."""
_ROM_BANK = 0x4000


def with_machines(tables: GameTables, rom: bytes) -> GameTables:
    """Return the tables with what the image says of machines and wild levels."""
    names = [tables.MOVES[move][0] for move in _machine_moves(rom) if move in tables.MOVES]
    if len(names) != len(MACHINE_ITEMS):
        names = []
    return replace(
        tables,
        MACHINES=dict(zip(MACHINE_ITEMS, names, strict=False)),
        LEARNERS=_learners(rom, names),
        WILD_LEVELS=_wild_levels(rom, tables),
    )


def _machine_moves(rom: bytes) -> bytes:
    at = rom.find(_HIDDEN_MOVES)
    if at < _TMS or rom.find(_HIDDEN_MOVES, at + 1) >= 0:
        return b""
    return rom[at - _TMS : at + len(_HIDDEN_MOVES)]


def _learners(rom: bytes, names: list[str]) -> Mapping[str, frozenset[int]]:
    data = rom_slice(rom, *_BASE_DATA, _BASE_SIZE * _SPECIES)
    if data[::_BASE_SIZE] != bytes(range(1, _SPECIES + 1)):
        return {}
    rows = np.frombuffer(data, np.uint8).reshape(_SPECIES, _BASE_SIZE)[:, _LEARNT:]
    bits = np.unpackbits(rows, axis=1, bitorder="little")
    return {
        name: frozenset((np.flatnonzero(bits[:, number]) + 1).tolist())
        for number, name in enumerate(names)
    }


def _wild_levels(rom: bytes, tables: GameTables) -> Mapping[tuple[int, int], tuple[int, int]]:
    data = rom_slice(rom, _GRASS_BANK, _ROM_BANK, _ROM_BANK)
    found: dict[tuple[int, int], tuple[int, int]] = {}
    at = 0
    while at + _GRASS_SIZE <= len(data):
        run: list[tuple[tuple[int, int], tuple[int, int]]] = []
        while row := _grass_row(data, at + len(run) * _GRASS_SIZE, tables):
            run.append(row)
        if len(run) >= _MIN_RUN:
            found = dict(run) | found
        at += len(run) * _GRASS_SIZE if len(run) >= _MIN_RUN else 1
    return found


def _grass_row(
    data: bytes, at: int, tables: GameTables
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return a map and its lowest and highest level, None where there is no such row."""
    row = data[at : at + _GRASS_SIZE]
    if len(row) < _GRASS_SIZE or (row[0], row[1]) not in tables.MAPS:
        return None
    levels, species = row[_HEAD::2], row[_HEAD + 1 :: 2]
    is_sound = 0 < min(levels) <= max(levels) <= _MAX_LEVEL
    if not is_sound or not 0 < min(species) <= max(species) <= _SPECIES:
        return None
    return (row[0], row[1]), (min(levels), max(levels))
