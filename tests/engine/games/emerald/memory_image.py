"""Build the memory of a machine that runs Emerald, part by part, without a machine.

Every part lies where the game has it; the image is a small one of its own, whose code and tables
have addresses of their own.
"""

import struct
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations

import numpy as np

from engine.games.base import GameTables
from engine.games.emerald.memory import EWRAM, FACTS, IWRAM, ROM, SYMBOLS, Profile
from engine.games.emerald.reader import EmeraldReader
from engine.games.emerald.screen import CHARMAP

ROM_SIZE = 0x10000
GROUPS, TRAINERS = ROM + 0x4000, ROM + 0x5000
_FREE_ROM = 0x6000
_RETAIL = Profile.read(FACTS)
FUNCTIONS = {
    name: ROM + 0x100 + 0x10 * number
    for number, name in enumerate(n for n in _RETAIL.rom if not n.startswith(("g", "s")))
}
PROFILE = Profile(
    sha1="",
    name="Test",
    title="TEST",
    code="BTST",
    words=_RETAIL.words,
    rom={
        **FUNCTIONS,
        **{name: _RETAIL.rom[name] for name in ("gBattlescriptCurrInstr", "gBattleScripting")},
        "gMapGroups": GROUPS,
        "gTrainers": TRAINERS,
    },
)
TABLES = GameTables(
    NAME="Test",
    MAPS={(0, 9): "LITTLEROOT TOWN", (0, 16): "ROUTE 101", (1, 0): "HOUSE"},
    LANDMARKS={3: "LITTLEROOT"},
    SPAWNS={0: (0, 9), 1: (0, 10)},
    TRAINER_CLASSES={7: "YOUNGSTER"},
    SPECIES={283: "MUDKIP", 288: "ZIGZAGOON", 74: "GEODUDE"},
    SPECIES_TYPES={283: (11,), 288: (0,), 74: (5, 4)},
    MOVES={33: ("TACKLE", 0, 35, 95, 35), 45: ("GROWL", 0, 0, 100, 40)},
    ITEMS={13: "POTION", 4: "POKé BALL", 259: "MACH BIKE", 289: "TM01", 133: "CHERI BERRY"},
)
CODES = {text: code for code, text in sorted(CHARMAP.items(), reverse=True)}
GRASS, OCEAN, LEDGE_SOUTH, DOOR, STAIRS, MAT_SOUTH, COUNTER = 2, 0x15, 0x3B, 0x69, 0x60, 0x65, 0x80
BEHAVIOURS = (0, GRASS, OCEAN, LEDGE_SOUTH, DOOR, STAIRS, MAT_SOUTH, COUNTER)
"""Of the metatiles 0 to 7 of the first tileset, and of 512 to 519 of the second, turned round."""

BAG: Mapping[int, Sequence[tuple[int, int]]] = {
    0x560: [(13, 3), (4, 5)],
    0x5D8: [(259, 1)],
    0x650: [(4, 7)],
    0x690: [(289, 1)],
    0x790: [(133, 2)],
}
"""Items and counts by where their pocket begins in SaveBlock1."""


def encode(text: str) -> bytes:
    """Return a text in the game's letters, a new page for "|" and 0xFF at its end."""
    marks = {"\n": 0xFE, "|": 0xFB, "~": 0xFA}
    return bytes(marks.get(letter) or CODES[letter] for letter in text) + b"\xff"


def creature(
    personality: int = 0,
    owner: int = 0x1234_5678,
    *,
    species: int = 283,
    level: int = 5,
    hp: int = 20,
    max_hp: int = 20,
    stats: Sequence[int] = (11, 12, 13, 14, 15),
    moves: Sequence[tuple[int, int]] = ((33, 35), (45, 40)),
    experience: int = 135,
    item: int = 0,
    status: int = 0,
    ivs: int = 0,
) -> bytes:
    """Return the 100 bytes of a creature of a party, encrypted as the game does it."""
    padded = [*moves, *((0, 0),) * (4 - len(moves))]
    blocks = {
        "G": struct.pack("<HHI4x", species, item, experience),
        "A": struct.pack("<4H4B", *(m for m, _ in padded), *(p for _, p in padded)),
        "E": bytes(range(12)),
        "M": struct.pack("<4xI4x", ivs),
    }
    order = list(permutations("GAEM"))[personality % 24]
    plain = b"".join(blocks[block] for block in order)
    checksum = sum(struct.unpack("<24H", plain)) & 0xFFFF
    key = personality ^ owner
    secret = struct.pack("<12I", *(word ^ key for word in struct.unpack("<12I", plain)))
    return struct.pack(
        "<II10sBB8sHH48sIBB7H",
        *(personality, owner, encode("MUDKIP"), 2, 2, b"", checksum, 0, secret, status, level, 0),
        *(hp, max_hp, *stats),
    )


class MemoryImage:
    """RAM and image; everything is at rest in the field once `start` was called.

    Attributes:
        ewram: (262144,) uint8.
        iwram: (32768,) uint8.
    """

    def __init__(self) -> None:
        self.ewram = np.zeros(0x40000, np.uint8)
        self.iwram = np.zeros(0x8000, np.uint8)
        self._rom = bytearray(ROM_SIZE)
        self._free = _FREE_ROM
        self.offset, self.key = 0x14, 0xBEEF_CAFE
        self.map = (0, 9)
        self.money = 0

    @property
    def rom(self) -> bytes:
        """Return the image as it is now; a reader keeps what it was given."""
        return bytes(self._rom)

    def reader(self, profile: Profile = PROFILE) -> EmeraldReader:
        """Return a reader of this memory."""
        return EmeraldReader(self, profile, TABLES)  # type: ignore[arg-type]  # rom is read-only

    def put(self, address: int, data: bytes) -> None:
        """Write RAM, or the image."""
        if address >= ROM:
            self._rom[address - ROM : address - ROM + len(data)] = data
            return
        ram, base = (self.iwram, IWRAM) if address >= IWRAM else (self.ewram, EWRAM)
        ram[address - base : address - base + len(data)] = np.frombuffer(data, np.uint8)

    def set(self, name: str, data: bytes, at: int = 0) -> None:
        """Write what a symbol names, from `at` on."""
        assert at + len(data) <= SYMBOLS[name].size, name
        self.put(SYMBOLS[name].address + at, data)

    def word(self, name: str, value: int, at: int = 0) -> None:
        """Write 32 bits of what a symbol names."""
        self.set(name, struct.pack("<I", value), at)

    def add_rom(self, data: bytes) -> int:
        """Put data into the image and return its address."""
        address = ROM + self._free
        self.put(address, data)
        self._free += len(data) + 3 & ~3
        return address

    def start(self) -> "MemoryImage":
        """Put the player into control at (2, 3) of a map of 6 x 5 without anything in it."""
        self.place_save_blocks(self.offset, self.key)
        self.run("CB1_Overworld", "CB2_Overworld")
        self.set("sGlobalScriptContextStatus", b"\2")
        self.make_map(np.full((5, 6), 0x3000, np.uint16))
        self.move(2, 3, 1)
        return self

    def run(self, first: str, second: str) -> None:
        """Set the callbacks; "" for none."""
        for at, name in ((0, first), (4, second)):
            self.word("gMain", FUNCTIONS[name] | 1 if name else 0, at)

    def place_save_blocks(self, offset: int, key: int) -> None:
        """Move the save blocks, with a new key for the money and whatever is encrypted later."""
        old, self.offset, self.key = (self.offset, self.key), offset, key
        for name in ("gSaveblock1", "gSaveblock2"):
            start = SYMBOLS[name].address - EWRAM
            size = SYMBOLS[name].size - 0x80
            data = self.ewram[start + old[0] : start + old[0] + size].copy()
            self.ewram[start : start + size + 0x80] = 0xEE
            self.ewram[start + offset : start + offset + size] = data
        self.word("gSaveBlock1Ptr", SYMBOLS["gSaveblock1"].address + offset)
        self.word("gSaveBlock2Ptr", SYMBOLS["gSaveblock2"].address + offset)
        self.save2(0xAC, struct.pack("<I", key))
        self.set_money(self.money)

    def save1(self, at: int, data: bytes) -> None:
        """Write into SaveBlock1."""
        self.put(SYMBOLS["gSaveblock1"].address + self.offset + at, data)

    def save2(self, at: int, data: bytes) -> None:
        """Write into SaveBlock2."""
        self.put(SYMBOLS["gSaveblock2"].address + self.offset + at, data)

    def set_money(self, amount: int) -> None:
        """Set the money, under the key."""
        self.money = amount
        self.save1(0x490, struct.pack("<I", amount ^ self.key))

    def move(self, x: int, y: int, facing: int, level: int = 3) -> None:
        """Put the player somewhere; facing 1 down, 2 up, 3 left, 4 right."""
        self.save1(0, struct.pack("<hhbb", x, y, *self.map))
        self.set_object(0, x, y, facing=facing, is_player=True, level=level)

    def set_object(
        self,
        slot: int,
        x: int,
        y: int,
        *,
        index: int = 0xFF,
        sprite: int = 0,
        facing: int = 1,
        is_player: bool = False,
        is_hidden: bool = False,
        place: tuple[int, int] | None = None,
        level: int = 3,
    ) -> None:
        """Put something on the map."""
        group, number = place or self.map
        head = struct.pack("<5B", 1, 0x20 * is_hidden, is_player, 0, 0)
        kind = struct.pack("<BBBBBBB", sprite, 0, 0, index, number, group, 0x30 | level)
        rest = struct.pack("<hhhhhhB", 0, 0, x + 7, y + 7, 0, 0, facing | 0x10)
        self.set("gObjectEvents", head + kind + rest, 0x24 * slot)

    def make_map(
        self,
        cells: np.ndarray,
        *,
        warps: Iterable[tuple[int, int, int, int, int]] = (),
        signs: Iterable[tuple[int, int, int]] = (),
        connections: Iterable[tuple[int, int, int, int]] = (),
        border: int = 0x3FF,
        kind: int = 1,
        section: int = 3,
    ) -> None:
        """Load a map; `border` is the cell around it.

        Args:
            cells: (height, width) uint16.
            warps: X, y, group, number and place of the target.
            signs: X, y and kind.
            connections: Direction, offset, group and number.
            border: Cell of the border.
            kind: Type of the map.
            section: Of the region's map.
        """
        height, width = cells.shape
        first, second = (
            self.add_rom(struct.pack("<16xI4x", self.add_rom(struct.pack("<8H", *numbers))))
            for numbers in (BEHAVIOURS, BEHAVIOURS[::-1])
        )
        layout = self.add_rom(struct.pack("<iiIIII", width, height, 0, 0, first, second))
        rows = [struct.pack("<hhBBBB", x, y, 0, at, n, g) for x, y, g, n, at in warps]
        posts = [struct.pack("<HHBB6x", x, y, 0, sign) for x, y, sign in signs]
        tables = (0, self.add_rom(b"".join(rows)), 0, self.add_rom(b"".join(posts)))
        counts = (0, len(rows), 0, len(posts))
        events = self.add_rom(struct.pack("<4B4I", *counts, *tables))
        links = [struct.pack("<B3xiBB2x", d, o, g, n) for d, o, g, n in connections]
        ways = self.add_rom(struct.pack("<iI", len(links), self.add_rom(b"".join(links))))
        header = struct.pack("<4IHHBBBB4x", layout, events, 0, ways, 0, 1, section, 0, 0, kind)
        self.set("gMapHeader", header)
        group, number = self.map
        row = self.add_rom(bytes(4 * 256))
        self.put(row + 4 * number, struct.pack("<I", self.add_rom(header)))
        self.put(GROUPS + 4 * group, struct.pack("<I", row))
        bordered = np.full((height + 14, width + 15), border, np.uint16)
        bordered[7 : 7 + height, 7 : 7 + width] = cells
        self.set("sBackupMapData", bordered.astype("<u2").tobytes())
        size = bordered.shape[1], bordered.shape[0], SYMBOLS["sBackupMapData"].address
        self.set("gBackupMapLayout", struct.pack("<iiI", *size))

    def set_party(self, *members: bytes) -> None:
        """Give the player a party."""
        self.set("gPlayerPartyCount", bytes((len(members),)))
        self.set("gPlayerParty", b"".join(members).ljust(600, b"\0"))

    def fill_bag(self) -> None:
        """Put something into every pocket of the bag: see `BAG`."""
        for at, items in BAG.items():
            for row, (item, count) in enumerate(items):
                self.save1(at + 4 * row, struct.pack("<HH", item, count ^ self.key & 0xFFFF))

    def fight(
        self,
        *fighters: bytes,
        flags: int = 0,
        positions: Sequence[int] = (0, 1),
        indexes: Sequence[int] = (0, 0),
        opponent: int = 0,
    ) -> None:
        """Begin a battle."""
        self.run("", "BattleMainCB2")
        self.set("gMain", b"\2", 0x439)
        self.word("gBattleTypeFlags", flags)
        self.set("gBattlersCount", bytes((len(fighters),)))
        self.set("gBattleMons", b"".join(fighters))
        self.set("gBattlerPositions", bytes(positions))
        self.set("gBattlerPartyIndexes", struct.pack(f"<{len(indexes)}H", *indexes))
        self.set("gTrainerBattleOpponent_A", struct.pack("<H", opponent))

    def begin_task(self, slot: int, name: str, data: Mapping[int, int] | None = None) -> None:
        """Run a task; `data` are its words by their place in it."""
        task = bytearray(struct.pack("<IB35x", FUNCTIONS[name] | 1, 1))
        for at, value in (data or {}).items():
            struct.pack_into("<H", task, at, value)
        self.set("gTasks", bytes(task), 40 * slot)

    def end_tasks(self) -> None:
        """End all tasks."""
        self.set("gTasks", bytes(640))

    def print(self, name: str, text: str, *, done: int | None = None, state: int = 0) -> None:
        """Print a text into a box, up to `done` letters; None: it is all there."""
        self.set(name, encode(text).ljust(SYMBOLS[name].size, b"\xff"))
        is_active = done is not None
        printer = bytearray(0x24)
        struct.pack_into("<I", printer, 0, SYMBOLS[name].address + (done or 0))
        printer[0x1B], printer[0x1C] = is_active, state
        self.set("sTextPrinters", bytes(printer), 0x24 * 3)
        if name == "gStringVar4":
            self.set("sFieldMessageBoxMode", bytes((2 * is_active,)))


def fighter(
    personality: int = 0,
    *,
    species: int = 283,
    level: int = 5,
    hp: int = 20,
    max_hp: int = 20,
    stats: Sequence[int] = (10, 20, 30, 40, 50),
    moves: Sequence[tuple[int, int]] = ((33, 35), (45, 40)),
    stages: Sequence[int] = (6,) * 8,
    types: tuple[int, int] = (11, 11),
    status: int = 0,
) -> bytes:
    """Return one of gBattleMons."""
    padded = [*moves, *((0, 0),) * (4 - len(moves))]
    return struct.pack(
        "<H5H4HI8BB2BB4BHBBHH11sB8sIIIII",
        *(species, *stats, *(m for m, _ in padded), 0, *stages, 0, *types, 0),
        *(*(p for _, p in padded), hp, level, 0, max_hp, 0, b"", 0, b"", 0),
        *(personality, status, 0, 0),
    )
