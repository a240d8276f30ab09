"""Turn world.py into the game's data: blocks, maps, texts, events, and the C tables around them.

A block is two by two walk cells. For every tileset the distinct blocks of its maps get numbers;
`tiles` holds 32 bytes a block (per cell four tiles and four attributes), `collisions` four
COLL ids, which is the table that wTilesetCollisionBank/Address point to.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import creatures
import world
from art.tiles import CELLS, dress
from banks import Banks, Place
from pictures import HOP_MARK, TileSet, sprite_palettes
from world import MAPS, Map

TILESETS = ("outdoor", "indoor")
ENVIRONMENTS = {"town": 1, "route": 2, "indoor": 3}
SIDES = ("north", "south", "west", "east")
CONNECTION_BITS = {"north": 8, "south": 4, "west": 2, "east": 1}
FACINGS = {"down": 0, "up": 4, "left": 8, "right": 12}
MOVES = {"stand": 0, "wander": 1, "spin": 2}
KIND_TALK, KIND_SCRIPT, KIND_TRAINER = range(3)
NO_FLAG = 0xFFFF
WALL, HOP_DOWN = 0x07, 0xA3
NONE = 255

Block = tuple[str, str, str, str]


def tileset_of(one: Map) -> str:
    """Name the tileset of a map."""
    return "indoor" if one.kind == "indoor" else "outdoor"


def event_number(name: str) -> int:
    """Return an event's bit in wEventFlags."""
    return world.FIRST_EVENT + world.EVENTS.index(name)


def map_number(name: str) -> int:
    """Return a map's wMapNumber."""
    return list(MAPS).index(name) + 1


# ---- blocks ---------------------------------------------------------------------------------


def cell_names(name: str, one: Map) -> list[list[str]]:
    """Return the dressed cell names of a map, row by row.

    Raises:
        ValueError: Its text has uneven rows, an odd size or an unknown sign.
    """
    legend = world.INDOOR if tileset_of(one) == "indoor" else world.OUTDOOR
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
    cell = "void" if tileset == "indoor" else "tree_between"
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


class TalkLines:
    """Rows of (event, text), of which the first with a set event is said."""

    def __init__(self, texts: Texts) -> None:
        """Start with no rows."""
        self._texts = texts
        self._first: dict[world.Lines, int] = {}
        self.rows: list[tuple[int, int]] = []

    def first(self, says: world.Lines) -> int:
        """Return the number of the first row of these words."""
        if says not in self._first:
            pairs = (("", says),) if isinstance(says, str) else says
            self._first[says] = len(self.rows)
            for event, text in pairs:
                flag = event_number(event) if event else NO_FLAG
                self.rows.append((flag, self._texts.number(text)))
        return self._first[says]


# ---- maps -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PackedMap:
    """Where a map's parts lie, and its C header row."""

    places: dict[str, Place]
    row: str


class World:
    """Everything packed, in the order in which it must be placed."""

    def __init__(self, charmap: dict[str, int], banks: Banks) -> None:
        """Pack all of world.py into `banks`."""
        self.texts = Texts(charmap)
        self.text_ids = {name: self.texts.number(text) for name, text in world.TEXTS.items()}
        self.lines = TalkLines(self.texts)
        self.banks = banks
        self.cells = {name: cell_names(name, one) for name, one in MAPS.items()}
        self.tile_sets: dict[str, TileSet] = {}
        self.blocks: dict[str, Blocks] = {}
        self.map_blocks: dict[str, bytes] = {}
        for tileset in TILESETS:
            self._pack_tileset(tileset)
        self.rows = [self._pack_map(name, one) for name, one in MAPS.items()]
        self.trainer_rows = [self._trainer_row(t) for t in world.SIGHT_TRAINERS.values()]
        # The table of addresses needs the final address: place a blob of the right size first.
        size = len(self.texts.blob(0))
        place = banks.add("TEXTS", bytes(size))
        bank = banks.data[place.bank - 2]
        start = place.address - 0x4000
        bank[start : start + size] = self.texts.blob(place.address)

    def _pack_tileset(self, tileset: str) -> None:
        blocks = Blocks({border_block(tileset): 0})
        for name, one in MAPS.items():
            if tileset_of(one) == tileset:
                self.map_blocks[name] = blocks.of_map(self.cells[name])
        used = dict.fromkeys(cell for block in blocks.numbers for cell in block)
        tiles = TileSet(used)
        if len(blocks.numbers) > 256:
            raise ValueError(f"tileset {tileset} has {len(blocks.numbers)} blocks, 256 fit")
        upper = tileset.upper()
        for_tiles = b"".join(tiles.cell(cell) for block in blocks.numbers for cell in block)
        collisions = bytes(collision_of(cell) for block in blocks.numbers for cell in block)
        self.banks.add(f"TILES_{upper}", for_tiles + collisions)
        self.banks.add(f"GRAPHICS_{upper}", tiles.graphics())
        self.tile_sets[tileset], self.blocks[tileset] = tiles, blocks

    def tileset_row(self, tileset: str) -> str:
        """Return the C row of a tileset."""
        upper = tileset.upper()
        tiles, blocks = self.tile_sets[tileset], self.blocks[tileset]
        place = self.banks.places[f"TILES_{upper}"]
        graphics = self.banks.places[f"GRAPHICS_{upper}"]
        collisions = place.address + 32 * len(blocks.numbers)
        return (
            f"{{(const u8 *)0x{place.address:04X}, (const u8 *)0x{collisions:04X}, {place.bank}, "
            f"{tiles.animated}, (const u8 *)0x{graphics.address:04X}, {tiles.count}, "
            f"{graphics.bank}}},"
        )

    def _action(self, says: world.Lines, script: str, trainer: str = "") -> tuple[int, int]:
        if trainer:
            return KIND_TRAINER, list(world.SIGHT_TRAINERS).index(trainer)
        if script:
            return KIND_SCRIPT, world.SCRIPTS.index(script)
        return KIND_TALK, self.lines.first(says)

    def _person(self, person: world.Person) -> bytes:
        kind, param = self._action(person.says, person.script, person.trainer)
        flag = event_number(person.hidden_by) if person.hidden_by else NO_FLAG
        record = [world.SPRITES.index(person.sprite) + 1, person.x, person.y]
        record += [MOVES[person.move], FACINGS[person.face], person.radius, kind, param]
        return bytes(record) + flag.to_bytes(2, "little")

    def _warp(self, warp: world.Warp) -> bytes:
        target = map_number(warp.target)
        return bytes([warp.y, warp.x, warp.arrival, world.MAP_GROUP, target])

    def _pack_map(self, name: str, one: Map) -> str:
        warps = b"".join(self._warp(warp) for warp in one.warps)
        signs = b"".join(bytes([s.y, s.x, *self._action(s.says, s.script), 0]) for s in one.signs)
        people = b"".join(self._person(person) for person in one.people)
        parts = (self.map_blocks[name], warps, signs, people)
        place = self.banks.add(f"MAP_{name}", b"".join(parts))
        at, addresses = place.address, []
        for part in parts:
            addresses.append(f"(const u8 *)0x{at:04X}")
            at += len(part)
        links = {side: (target, offset) for side, target, offset in one.connections}
        bits = sum(CONNECTION_BITS[side] for side in links)
        neighbours = []
        for side in SIDES:
            target, offset = links.get(side, ("", 0))
            neighbours.append(f"{{{map_number(target) if target else 0}, {offset}}}")
        tileset = TILESETS.index(tileset_of(one))
        pool = list(creatures.POOLS).index(one.pool) if one.pool else NONE
        numbers = [tileset, tileset, ENVIRONMENTS[one.kind], world.LANDMARKS.index(one.landmark)]
        numbers += [len(one.rows[0]) // 2, len(one.rows) // 2, 0, place.bank]
        counts = [len(one.warps), len(one.signs), len(one.people), pool, bits]
        return (
            f"{{{', '.join(map(str, numbers))}, {', '.join(addresses)}, "
            f"{', '.join(map(str, counts))}, {{{', '.join(neighbours)}}}}},  /* {name} */"
        )

    def _trainer_row(self, trainer: world.SightTrainer) -> str:
        script = world.SCRIPTS.index(trainer.script) if trainer.script else NONE
        said = [self.texts.number(text) for text in (trainer.before, trainer.lost, trainer.after)]
        number = list(creatures.TRAINERS).index(trainer.key)
        row = [event_number(trainer.event), number, trainer.sight, *said, script]
        row.append(int(trainer.rests_party))
        return "{" + ", ".join(map(str, row)) + "},"


# ---- C --------------------------------------------------------------------------------------


def c_ids(packed: World) -> str:
    """Return world_ids.h."""

    def numbered(prefix: str, names: Iterable[str], first: int = 0) -> list[str]:
        return [f"#define {prefix}_{n.upper()} {i}" for i, n in enumerate(names, first)]

    lines = ["/* Generated by build.py from world.py. */"]
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


def wall_bits() -> list[int]:
    """Return 32 bytes, bit n set where nobody walks on collision id n (a wall or water)."""
    bits = [0] * 32
    for number in (0x07, *range(0x20, 0x40), *range(0x90, 0xA0), 0xFF):
        bits[number >> 3] |= 1 << (number & 7)
    return bits


def ascii_codes(charmap: dict[str, int]) -> list[int]:
    """Return the code of every ASCII sign from 20 on; `$` is the coin, `*` times, `~` dots."""
    special = {"'": 0xE0, "$": 0xF0, "*": 0xF1, "~": 0x75, " ": 0x7F, '"': 0x73, "_": 0x6E}
    codes = {**charmap, **special}
    return [codes.get(chr(number), 0x7F) for number in range(0x20, 0x80)]


def _table(declaration: str, rows: Iterable[str]) -> str:
    return f"{declaration} = {{\n" + "\n".join(rows) + "\n};\n"


def _bytes(name: str, values: Iterable[int]) -> str:
    return f"const u8 {name}[] = {{{', '.join(map(str, values))}}};\n"


def c_tables(packed: World, charmap: dict[str, int]) -> str:
    """Return world_data.c."""
    triggers = [
        f"{{{map_number(name)}, {t.x0}, {t.y0}, {t.x1}, {t.y1}, {world.SCRIPTS.index(t.script)}}},"
        for name, one in MAPS.items()
        for t in one.triggers
    ]
    spawns = [
        "{" + f"{map_number(name)}, " + ", ".join(map(str, one.spawn)) + "},"
        for name, one in MAPS.items()
        if one.spawn
    ]
    lines = [f"{{{flag}, {text}}}," for flag, text in packed.lines.rows]
    return "".join(
        [
            '/* Generated by build.py from world.py. */\n#include "game.h"\n#include "system.h"\n',
            _bytes("ascii_tiles", ascii_codes(charmap)),
            _bytes("wall_bits", wall_bits()),
            _bytes("sprite_palettes", sprite_palettes()),
            _table("const MapHeader map_headers[]", packed.rows),
            _table("const Tileset tilesets[]", [packed.tileset_row(name) for name in TILESETS]),
            _table("const TalkLine talk_lines[]", lines),
            _table("const SightTrainer sight_trainers[]", packed.trainer_rows),
            _table("const Trigger triggers[]", [*triggers, "{0, 0, 0, 0, 0, 0},"]),
            _table("const Spawn spawns[]", [*spawns, "{0, 0, 0, 0},"]),
            _table("const char *const landmark_names[]", [f'"{n}",' for n in world.LANDMARKS]),
            "".join(f"void script_{name}(void);\n" for name in world.SCRIPTS),
            _table("void (*const scripts[])(void)", [f"script_{n}," for n in world.SCRIPTS]),
        ]
    )
