"""Turn world/ into the game's data: blocks, maps, texts, events, and the C tables around them.

A block is two by two walk cells. For every tileset the distinct blocks of its maps get numbers;
`tiles` holds 32 bytes a block (per cell four tiles and four attributes), `collisions` four
COLL ids, which is the table that wTilesetCollisionBank/Address point to. The maps themselves are
laid out by layout.py.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import creatures
import world
from art.tiles import CELLS, dress
from banks import Banks
from pictures import HOP_MARK, TileSet
from world import MAPS, kinds
from world.kinds import Map

# From id 1 on, each with its palette set. Maps of the first act use the first two only.
TILESETS = {"outdoor": 0, "indoor": 1, "lake": 0, "hall": 1, "cave": 4}
WALL, HOP_DOWN, CUT_TREE = 0x07, 0xA3, 0x12
BORDER_COLLISION = 0xFF
"""Of block 0, which lies around a map where no neighbour is."""
FELLED = "grass"
"""What is left where a tree is cut."""
NONE = 255
LEGENDS = {
    "outdoor": kinds.OUTDOOR,
    "indoor": kinds.INDOOR,
    "lake": kinds.OUTDOOR,
    "hall": kinds.INDOOR,
    "cave": kinds.CAVE,
}
BORDERS = {
    "outdoor": "tree_between",
    "indoor": "void",
    "lake": "tree_between",
    "hall": "void",
    "cave": "cave_rock",
}

Block = tuple[str, str, str, str]


def tileset_of(one: Map) -> str:
    """Name the tileset of a map."""
    if one.tileset:
        return one.tileset
    return one.kind if one.kind in TILESETS else "outdoor"


# ---- blocks ---------------------------------------------------------------------------------


def cell_names(name: str, one: Map) -> list[list[str]]:
    """Return the dressed cell names of a map, row by row.

    Raises:
        ValueError: Its text has uneven rows, an odd size or an unknown sign.
    """
    legend = LEGENDS[tileset_of(one)]
    width = len(one.rows[0])
    if width % 2 or len(one.rows) % 2 or any(len(row) != width for row in one.rows):
        raise ValueError(f"map {name} is not a rectangle of whole blocks")
    unknown = set("".join(one.rows)) - set(legend)
    if unknown:
        raise ValueError(f"map {name} has unknown signs {sorted(unknown)}")
    cells = dress([[legend[sign] for sign in row] for row in one.rows])
    for y, row in enumerate(cells[1:]):
        for x, below in enumerate(row):
            if CELLS[below].collision == HOP_DOWN:
                cells[y][x] += HOP_MARK
    return cells


def collision_of(cell: str) -> int:
    """Return the COLL id of a cell: as in Crystal one hops FROM a cell over the wall below it."""
    if cell.endswith(HOP_MARK):
        return HOP_DOWN
    collision = CELLS[cell].collision
    return WALL if collision == HOP_DOWN else collision


def border_block(tileset: str) -> Block:
    """Return the block around a map where no neighbour is."""
    cell = BORDERS[tileset]
    return (cell, cell, cell, cell)


@dataclass(slots=True)
class Blocks:
    """The numbered blocks of one tileset."""

    numbers: dict[Block, int]

    def number(self, block: Block) -> int:
        """Return the block's number, a new one if it is new."""
        return self.numbers.setdefault(block, len(self.numbers))

    def of_map(self, cells: list[list[str]]) -> bytes:
        """Return a map's block numbers, row by row."""
        return bytes(
            self.number((cells[y][x], cells[y][x + 1], cells[y + 1][x], cells[y + 1][x + 1]))
            for y in range(0, len(cells), 2)
            for x in range(0, len(cells[0]), 2)
        )


def felled(block: Block) -> Block:
    """Return the block with its small trees cut."""
    a, b, c, d = (FELLED if collision_of(cell) == CUT_TREE else cell for cell in block)
    return a, b, c, d


# ---- words ----------------------------------------------------------------------------------


CONTROL_CODES = {"|": 0x51, "\n": 0x4F}
NAME_CODES = {"<P>": 0x52, "<R>": 0x53, "<B>": 0x59}
TEXT_END = 0x50


class Texts:
    """All texts, each stored once."""

    def __init__(self, charmap: dict[str, int]) -> None:
        """Start with no texts."""
        self._codes = {**charmap, **CONTROL_CODES, "'": 0xE0, "…": 0x75, " ": 0x7F}
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """Return the text's number."""
        return self._numbers.setdefault(text, len(self._numbers))

    def encode(self, text: str) -> bytes:
        """Encode one text with its end sign.

        Raises:
            ValueError: It has a sign that the font lacks or is too long to compose.
        """
        plain = text.replace("...", "…")
        for name, code in NAME_CODES.items():
            plain = plain.replace(name, chr(0xE000 + code))
        try:
            codes = [ord(s) - 0xE000 if ord(s) >= 0xE000 else self._codes[s] for s in plain]
        except KeyError as missing:
            raise ValueError(f"no letter {missing} in the font: {text!r}") from None
        if len(codes) > 220:
            raise ValueError(f"text of {len(codes)} letters: {text!r}")
        return bytes([*codes, TEXT_END])

    def blob(self, address: int) -> bytes:
        """Return a table of addresses, then the texts, for a blob that lies at `address`."""
        encoded = [self.encode(text) for text in self._numbers]
        if len(encoded) > NONE:
            raise ValueError(f"{len(encoded)} texts, {NONE} are possible")
        at = address + 2 * len(encoded)
        table = bytearray()
        for text in encoded:
            table += at.to_bytes(2, "little")
            at += len(text)
        return bytes(table) + b"".join(encoded)


# ---- everything -----------------------------------------------------------------------------


class World:
    """Everything packed, in the order in which it must be placed."""

    def __init__(self, charmap: dict[str, int], banks: Banks, permissions: bytes) -> None:
        """Pack all of world/ into `banks`.

        Args:
            charmap: Letter -> code.
            banks: Take the data.
            permissions: Of every collision id.
        """
        self.texts = Texts(charmap)
        self.text_ids = {name: self.texts.number(text) for name, text in world.TEXTS.items()}
        self.banks = banks
        self.permissions = permissions
        self.cells = {name: cell_names(name, one) for name, one in MAPS.items()}
        self.tile_sets: dict[str, TileSet] = {}
        self.blocks: dict[str, Blocks] = {}
        self.map_blocks: dict[str, bytes] = {}
        for tileset in TILESETS:
            self._pack_tileset(tileset)

    def _pack_tileset(self, tileset: str) -> None:
        blocks = Blocks({border_block(tileset): 0})
        maps = {name: one for name, one in MAPS.items() if tileset_of(one) == tileset}
        for name, one in maps.items():
            self.map_blocks[name] = blocks.of_map(self.cells[name])
            for change in one.changes:
                self.changed_block(name, change, blocks)
        for block in list(blocks.numbers):
            blocks.number(felled(block))
        used = dict.fromkeys(cell for block in blocks.numbers for cell in block)
        tiles = TileSet(used)
        if len(blocks.numbers) > 256:
            raise ValueError(f"tileset {tileset} has {len(blocks.numbers)} blocks, 256 fit")
        upper = tileset.upper()
        for_tiles = b"".join(tiles.cell(cell) for block in blocks.numbers for cell in block)
        inside = [collision_of(cell) for block in blocks.numbers for cell in block][4:]
        collisions = bytes([BORDER_COLLISION] * 4 + inside)
        self.banks.add(f"TILES_{upper}", for_tiles + collisions)
        self.banks.add(f"GRAPHICS_{upper}", tiles.graphics())
        self.tile_sets[tileset], self.blocks[tileset] = tiles, blocks

    def changed_block(self, name: str, change: kinds.BlockChange, blocks: Blocks) -> int:
        """Return the number of the block that a change puts in its place."""
        rows = list(MAPS[name].rows)
        x, y = change.x, change.y
        for row, text in enumerate(change.rows, y):
            rows[row] = rows[row][:x] + text + rows[row][x + 2 :]
        cells = cell_names(name, replace(MAPS[name], rows=tuple(rows)))
        return blocks.number((cells[y][x], cells[y][x + 1], cells[y + 1][x], cells[y + 1][x + 1]))

    def felled_blocks(self, tileset: str) -> Iterator[tuple[int, int]]:
        """Yield the blocks of a tileset that have a tree to cut, and what becomes of them."""
        numbers = self.blocks[tileset].numbers
        for block, number in numbers.items():
            if felled(block) != block:
                yield number, numbers[felled(block)]


# ---- C --------------------------------------------------------------------------------------


def c_ids(packed: World, tables: dict[str, int]) -> str:
    """Return world_ids.h, with the addresses of the world's tables."""

    def numbered(prefix: str, names: Iterable[str], first: int = 0) -> list[str]:
        return [f"#define {prefix}_{n.upper()} {i}" for i, n in enumerate(names, first)]

    lines = ["/* Generated by build.py from world/. */"]
    bank = packed.banks.places["WORLD"].bank
    lines += [f"#define WORLD_BANK {bank}", f"#define MAP_GROUP {world.MAP_GROUP}"]
    lines += [
        f"#define WORLD_{name.upper()} ((const u8 *)0x{address:04X})"
        for name, address in tables.items()
    ]
    lines += numbered("EVENT", world.EVENTS, world.FIRST_EVENT)
    lines += numbered("MAP", MAPS, 1)
    lines += numbered("SPRITE", world.SPRITES, 1)
    lines += numbered("SCRIPT", world.SCRIPTS)
    lines += [f"#define TEXT_{name} {number}" for name, number in packed.text_ids.items()]
    lines += [
        f"#define HOME_SPAWN_X {world.HOME_SPAWN[0]}",
        f"#define HOME_SPAWN_Y {world.HOME_SPAWN[1]}",
    ]
    return "\n".join(lines) + "\n"


def ascii_codes(charmap: dict[str, int]) -> list[int]:
    """Return the code of every ASCII sign from 20 on; `$` is the coin, `*` times, `~` dots."""
    special = {"'": 0xE0, "$": 0xF0, "*": 0xF1, "~": 0x75, " ": 0x7F, '"': 0x73, "_": 0x6E}
    codes = {**charmap, **special}
    return [codes.get(chr(number), 0x7F) for number in range(0x20, 0x80)]


def _table(declaration: str, rows: Iterable[str]) -> str:
    return f"{declaration} = {{\n" + "\n".join(rows) + "\n};\n"


def _bytes(name: str, values: Iterable[int]) -> str:
    return f"const u8 {name}[] = {{{', '.join(map(str, values))}}};\n"


def c_tables(charmap: dict[str, int]) -> str:
    """Return world_data.c."""
    pools = list(creatures.POOLS)
    return "".join(
        [
            '/* Generated by build.py from world/. */\n#include "game.h"\n#include "system.h"\n',
            _bytes("ascii_tiles", ascii_codes(charmap)),
            _bytes("map_pools", (pools.index(m.pool) if m.pool else NONE for m in MAPS.values())),
            _table("const char *const landmark_names[]", [f'"{n}",' for n in world.LANDMARKS]),
        ]
    )


def c_scripts() -> str:
    """Return script_table.c: how a script's number finds its function."""
    return "".join(
        [
            '/* Generated by build.py from world/. */\n#include "game.h"\n#include "system.h"\n',
            "".join(f"void script_{name}(void);\n" for name in world.SCRIPTS),
            _table("static void (*const table[])(void)", [f"script_{n}," for n in world.SCRIPTS]),
            "void run_script(u8 number) __banked\n{\n    table[number]();\n}\n",
        ]
    )
