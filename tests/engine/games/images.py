"""Draw images of RAM: a player at rest on a small map, boxes, creatures and battles."""

import numpy as np

from engine.games.crystal.control import CHARMAP
from engine.games.crystal.memory import FACTS as CRYSTAL_FACTS
from engine.games.crystal.memory import SYMBOLS
from engine.games.crystal.reader import CrystalReader
from engine.games.facts import read_tables
from engine.games.practice.game import FACTS as PRACTICE_FACTS
from engine.types import GameState
from tests.engine.fakes import MemoryMachine

CRYSTAL = read_tables(CRYSTAL_FACTS)
PRACTICE = read_tables(PRACTICE_FACTS)
CODES = {text: code for code, text in CHARMAP.items()}
BANK, TABLE, WARPS, SIGNS = 1, 0x5000, 0x6000, 0x6100
WIDTH, HEIGHT = 3, 2
"""Of the map, in blocks."""


def rom_with_tables() -> bytes:
    """Build a ROM with a tileset, two warps (the second leads back) and a sign."""
    rom = bytearray(0x8000)
    # Block 0 is all wall, block 1 floor, block 2 has a different id in each quarter.
    rom[TABLE : TABLE + 12] = bytes([7] * 4 + [0] * 4 + [0x18, 0x71, 0x70, 0x29])
    rom[WARPS : WARPS + 15] = bytes([3, 1, 2, 24, 4, 0, 0, 255, 20, 1, 99, 1, 1, 24, 4])
    rom[SIGNS : SIGNS + 10] = bytes([1, 3, 0, 0, 0, 1, 99, 0, 0, 0])
    return bytes(rom)


def put_map(machine: MemoryMachine, group: int = 24, number: int = 3) -> None:
    """Load the map and let the player stand on it at (1, 2), free."""
    machine.put("wGameTimerPaused", 1)
    machine.put("wMapStatus", 2)
    machine.put("wPlayerWalking", 255)
    machine.put("wMapGroup", group, number)
    machine.put("wYCoord", 2, 1)  # then wXCoord
    machine.put("wMapHeight", HEIGHT, WIDTH)  # then wMapWidth
    machine.put("wTilesetCollisionBank", BANK, TABLE & 0xFF, TABLE >> 8)
    machine.put("wMapScriptsBank", BANK)
    machine.put("wCurMapWarpEventCount", 3, WARPS & 0xFF, WARPS >> 8)
    machine.put("wCurMapBGEventCount", 2, SIGNS & 0xFF, SIGNS >> 8)
    blocks = np.zeros((HEIGHT + 6, WIDTH + 6), np.uint8)
    blocks[3:5, 3:6] = 1
    blocks[3, 4] = 2
    machine.put("wOverworldMapBlocks", *blocks.ravel().tolist())


def read(machine: MemoryMachine) -> GameState:
    """Read once with a fresh reader."""
    return CrystalReader(machine, CRYSTAL).read()


def write_row(machine: MemoryMachine, x: int, y: int, *codes: int) -> None:
    machine.put("wTilemap", *codes, offset=20 * y + x)


def draw_box(machine: MemoryMachine, x: int, y: int, width: int, height: int) -> None:
    write_row(machine, x, y, 0x79, *[0x7A] * (width - 2), 0x7B)
    for row in range(y + 1, y + height - 1):
        write_row(machine, x, row, 0x7C, *[0x7F] * (width - 2), 0x7C)
    write_row(machine, x, y + height - 1, 0x7D, *[0x7A] * (width - 2), 0x7E)


def put_cursor(machine: MemoryMachine, x: int, y: int, code: int = 0xED) -> None:
    """Draw a menu's cursor and point to it."""
    write_row(machine, x, y, code)
    address = SYMBOLS["wTilemap"].address + 20 * y + x
    machine.put("wCursorCurrentTile", address & 0xFF, address >> 8)


def letters(text: str) -> list[int]:
    return [CODES[letter] for letter in text]


def words(*values: int) -> list[int]:
    """Return big-endian words."""
    return [byte for value in values for byte in (value >> 8, value & 0xFF)]


STATS = (11, 12, 13, 14, 300)


def party_struct(species: int = 155, level: int = 5, hp: int = 20, max_hp: int = 276) -> list[int]:
    """Build a party struct: poisoned, TACKLE and LEER, PP Ups, 260 points of experience."""
    raw = [0] * 48
    raw[0:6] = [species, 3, 33, 43, 0, 0]
    raw[8:11] = [0, 1, 4]
    raw[23:25] = [0xC0 | 35, 30]
    raw[31:33] = [level, 0x08]
    raw[34:48] = words(hp, max_hp, *STATS)
    return raw


def put_party(machine: MemoryMachine, *structs: list[int]) -> None:
    species = [raw[0] for raw in structs]
    machine.put("wPartyCount", len(structs), *species, 0xFF)
    machine.put("wPartyMon1", *[byte for raw in structs for byte in raw])


def battle_struct(
    species: int, level: int, hp: int, max_hp: int, points: tuple[int, int] = (35, 30)
) -> list[int]:
    """Build a battle struct: TACKLE and LEER, types 0 and 2."""
    head = [species, 0, 33, 43, 0, 0, 0, 0, *points, 0, 0, 70, level, 0, 0]
    return [*head, *words(hp, max_hp, *STATS), 0, 2]


def put_battle(machine: MemoryMachine, *, trainer: bool = False) -> None:
    """Let the party's first creature, with 17 of 20 HP, fight a sleeping SENTRET."""
    put_party(machine, party_struct(hp=20, max_hp=20))
    machine.put("wBattleMode", 2 if trainer else 1, 0, 9, 1, 3)  # then class 9, type, number 3
    machine.put("wBattleMonSpecies", *battle_struct(155, 5, 17, 20))
    machine.put("wEnemyMonSpecies", *battle_struct(161, 2, 8, 13))
    machine.put("wEnemyMonStatus", 0x03)
