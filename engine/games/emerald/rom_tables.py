"""Read names and figures from an image's own tables: species, moves, items, types, trainers.

The profile says where they are and how long. Nothing in an image is believed: what does not lie in
it, or is not as the layout says, is left out.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from engine.games.base import GameTables, MoveFacts
from engine.games.emerald.memory import ROM, Profile
from engine.games.emerald.screen import decode
from engine.games.facts import read_tables as read_facts

_SPECIES_NAME, _MOVE_NAME, _CLASS_NAME = 11, 13, 13
_SPECIES, _SPECIES_TYPES = 28, 6
_MOVE, _MOVE_POWER = 12, 1  # then type, accuracy and points
_ITEM, _ITEM_NAME = 44, 14
_FIRST_MACHINE = 289
"""Item TM01; the others follow, the HMs after the TMs."""
_MACHINE, _LEARNABLE = 2, 8
_WILD, _NO_MORE, _NUM_WILD = struct.Struct("<BBxxI12x"), 0xFF, 12
"""Of gWildMonHeaders: group, number, and what is in the grass or cave; twelve creatures."""
_TRAINER, _TRAINER_CLASS, _TRAINER_NAME, _TRAINER_NAME_SIZE = 40, 1, 4, 12
_NO_TYPE = 0xFE
"""Of gTypeEffectiveness: rows from here on are no pairs of types. 0xFF ends the table."""
_NEVER_MISSES = 100
_NONE = frozenset({"", "?", "??????????", "????????", "-"})
"""Names of what is not in the game."""


def rom_slice(rom: bytes, address: int, size: int) -> bytes:
    """Return what the processor sees at an address; shorter where the image ends before."""
    start = address - ROM
    return rom[start : start + size] if start >= 0 else b""


@lru_cache(maxsize=4)
def read_tables(rom: bytes, profile: Profile, facts: Path) -> GameTables:
    """Return the tables of a folder with what the image says: species, moves, items, trainers."""
    known = read_facts(facts)
    species = dict(_names(rom, profile, "gSpeciesNames", _SPECIES_NAME))
    moves = dict(_moves(rom, profile))
    machines = dict(_machines(rom, profile, moves))
    return replace(
        known,
        SPECIES=species,
        SPECIES_TYPES=_species_types(rom, profile, species, known.TYPES),
        MOVES=moves,
        MACHINES=machines,
        LEARNERS=_learners(rom, profile, machines),
        WILD_LEVELS=_wild_levels(rom, profile),
        ITEMS=dict(_items(rom, profile)),
        TYPE_CHART=dict(_type_chart(rom, profile, known.TYPES)),
        TRAINER_CLASSES=dict(_names(rom, profile, "gTrainerClassNames", _CLASS_NAME)),
        TRAINERS=dict(_trainers(rom, profile)),
    )


def _rows(rom: bytes, profile: Profile, table: str, size: int) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of each row of a table that lies in the image."""
    address = profile.rom.get(table, 0)
    data = rom_slice(rom, address, profile.sizes.get(table, 0))
    for number in range(len(data) // size):
        yield number, data[number * size : (number + 1) * size]


def _names(rom: bytes, profile: Profile, table: str, size: int) -> Iterator[tuple[int, str]]:
    for number, row in _rows(rom, profile, table, size):
        name = decode(row)
        if name not in _NONE:
            yield number, name


def _species_types(
    rom: bytes, profile: Profile, species: Mapping[int, str], types: Mapping[int, str]
) -> dict[int, tuple[int, ...]]:
    """Return the types of the species; of one type, that alone."""
    found = {}
    for number, row in _rows(rom, profile, "gSpeciesInfo", _SPECIES):
        pair = dict.fromkeys(row[_SPECIES_TYPES : _SPECIES_TYPES + 2])
        if number in species and all(one in types for one in pair):
            found[number] = tuple(pair)
    return found


def _moves(rom: bytes, profile: Profile) -> Iterator[tuple[int, MoveFacts]]:
    names = dict(_names(rom, profile, "gMoveNames", _MOVE_NAME))
    for number, row in _rows(rom, profile, "gBattleMoves", _MOVE):
        power, kind, accuracy, points = row[_MOVE_POWER : _MOVE_POWER + 4]
        if number and number in names:
            yield number, (names[number], kind, power, accuracy or _NEVER_MISSES, points)


def _machines(
    rom: bytes, profile: Profile, moves: Mapping[int, MoveFacts]
) -> Iterator[tuple[int, str]]:
    for number, row in _rows(rom, profile, "sTMHMMoves", _MACHINE):
        move = int.from_bytes(row, "little")
        if move in moves:
            yield _FIRST_MACHINE + number, moves[move][0]


def _learners(
    rom: bytes, profile: Profile, machines: Mapping[int, str]
) -> dict[str, frozenset[int]]:
    """Return the species that can learn each machine's move; empty where no table says it."""
    rows = [
        (number, int.from_bytes(row, "little"))
        for number, row in _rows(rom, profile, "gTMHMLearnsets", _LEARNABLE)
    ]
    return {
        move: frozenset(number for number, bits in rows if bits >> item - _FIRST_MACHINE & 1)
        for item, move in machines.items()
        if rows
    }


def _wild_levels(rom: bytes, profile: Profile) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the lowest and the highest level of what walks into one on a map."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for _, row in _rows(rom, profile, "gWildMonHeaders", _WILD.size):
        group, number, land = _WILD.unpack(row)
        if group == _NO_MORE:
            break
        creatures = int.from_bytes(rom_slice(rom, land + 4, 4), "little")
        rows = rom_slice(rom, creatures, 4 * _NUM_WILD)
        if len(rows) == 4 * _NUM_WILD and min(rows[::4]):
            found.setdefault((group, number), (min(rows[::4]), max(rows[1::4])))
    return found


def _items(rom: bytes, profile: Profile) -> Iterator[tuple[int, str]]:
    for number, row in _rows(rom, profile, "gItems", _ITEM):
        name = decode(row[:_ITEM_NAME])
        if number and name not in _NONE:
            yield number, name


def _type_chart(
    rom: bytes, profile: Profile, types: Mapping[int, str]
) -> Iterator[tuple[tuple[int, int], float]]:
    for _, (attack, defence, tenths) in _rows(rom, profile, "gTypeEffectiveness", 3):
        if attack > _NO_TYPE:
            return
        if attack in types and defence in types:
            yield (attack, defence), tenths / 10


def _trainers(rom: bytes, profile: Profile) -> Iterator[tuple[int, tuple[int, str]]]:
    for number, row in _rows(rom, profile, "gTrainers", _TRAINER):
        name = decode(row[_TRAINER_NAME : _TRAINER_NAME + _TRAINER_NAME_SIZE])
        if name:
            yield number, (row[_TRAINER_CLASS], name)
