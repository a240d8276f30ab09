"""Lay out the world in the image as Pokémon Crystal does, so that one parser reads both.

Map groups, headers, attributes, connections, blocks, events, tilesets, collision permissions,
scenes and spawns have Crystal's rows, as engine/games/crystal/rom_tables.py reads them. What it
keeps in its script language is our own: see `_script` and `_changes`.
"""

import itertools

import creatures
import world
from pack import TILESETS, World, tileset_of
from pictures import sprite_palettes
from world import MAPS, kinds
from world.kinds import Map

ENVIRONMENTS = {"town": 1, "route": 2, "indoor": 3, "cave": 4}
SIDES = {"north": 8, "south": 4, "west": 2, "east": 1}
"""In the order of the connections, with their bits."""
FACINGS = ("down", "up", "left", "right")
STILL, WANDER, SPIN, RING, STAND, BOULDER = 1, 2, 3, 4, 6, 0x19
MOVEMENTS = {"still": STILL, "wander": WANDER, "spin": SPIN, "ring": RING, "boulder": BOULDER}
SCRIPT, TRAINER = 0, 2
LINES, CALL = range(2)
"""Kinds of scripts, as in system.h."""
NO_FLAG = 0xFFFF
NONE = 0xFF
HEADER_SIZE, TILESET_SIZE = 9, 15
BLOCK_MAP, BORDER = 0xC800, 3
"""wOverworldMapBlocks, and how many blocks lie around a map there."""
FIRST_SCENE = 0xD972
MAX_ROWS = {"warps": 16, "triggers": 12, "signs": 16, "people": 12}
"""What map.c and the object structs have room for."""


def event_number(name: str) -> int:
    """Return an event's bit in wEventFlags."""
    return world.FIRST_EVENT + world.EVENTS.index(name)


def map_number(name: str) -> int:
    """Return a map's wMapNumber."""
    return list(MAPS).index(name) + 1


def scene_places() -> dict[str, int]:
    """Return where the scene of every map with triggers lies in RAM."""
    return dict(zip((n for n, one in MAPS.items() if one.triggers), itertools.count(FIRST_SCENE)))


def _word(value: int) -> bytes:
    return value.to_bytes(2, "little")


class Layout:
    """The tables of the world.

    Attributes:
        addresses: Where the game finds each table.
    """

    def __init__(self, packed: World, bank: int, address: int) -> None:
        """Write all tables for this bank, from this address on."""
        self._packed, self._bank, self._address = packed, bank, address
        self._out = bytearray()
        self.addresses: dict[str, int] = {}
        self._mark("groups")
        # The groups before ours are empty, so that theirs begin where ours does.
        self._put(_word(address + 2 * world.MAP_GROUP) * world.MAP_GROUP)
        headers = len(self._out)
        self._put(bytes(HEADER_SIZE * len(MAPS)))
        self._put_tables()
        self._blocks = {name: self._put(blocks) for name, blocks in packed.map_blocks.items()}
        for name, one in MAPS.items():
            attributes = self._put_map(name, one)
            tileset = list(TILESETS).index(tileset_of(one)) + 1
            header = [bank, tileset, ENVIRONMENTS[one.kind], *_word(attributes)]
            header += [world.LANDMARKS.index(one.landmark), 0, 0, 0]
            self._out[headers : headers + HEADER_SIZE] = bytes(header)
            headers += HEADER_SIZE

    def __bytes__(self) -> bytes:
        """Return everything."""
        return bytes(self._out)

    def _put(self, data: bytes) -> int:
        """Append; returns the address."""
        at = self._address + len(self._out)
        self._out += data
        return at

    def _mark(self, name: str) -> None:
        self.addresses[name] = self._address + len(self._out)

    # ---- tables of the whole world -------------------------------------------------------------

    def _put_tables(self) -> None:
        self._mark("tilesets")
        self._put(bytes(TILESET_SIZE) + b"".join(map(self._tileset, TILESETS)))
        self._mark("permissions")
        self._put(self._packed.permissions)
        self._mark("scenes")
        for name, place in scene_places().items():
            self._put(bytes([world.MAP_GROUP, map_number(name)]) + _word(place))
        self._put(bytes([NONE]))
        self._mark("spawns")
        self._put(self._spawns())
        self._mark("trees")
        for number, tileset in enumerate(TILESETS, 1):
            for block, becomes in self._packed.felled_blocks(tileset):
                self._put(bytes([number, block, becomes]))
        self._put(bytes([NONE]))

    def _tileset(self, name: str) -> bytes:
        places, tiles = self._packed.banks.places, self._packed.tile_sets[name]
        graphics, place = places[f"GRAPHICS_{name.upper()}"], places[f"TILES_{name.upper()}"]
        collisions = place.address + 32 * len(self._packed.blocks[name].numbers)
        far = ((graphics.bank, graphics.address), (place.bank, place.address))
        pointers = (*far, (place.bank, collisions))
        row = b"".join(bytes([bank]) + _word(address) for bank, address in pointers)
        return row + bytes([tiles.animated, tiles.count, 0, 0, TILESETS[name], 0])

    def _spawns(self) -> bytes:
        spots = {one.spawn[2]: (name, *one.spawn[:2]) for name, one in MAPS.items() if one.spawn}
        rows = bytearray(4 * (max(spots) + 1))
        for bit, (name, x, y) in spots.items():
            rows[4 * bit : 4 * bit + 4] = bytes([world.MAP_GROUP, map_number(name), x, y])
        return bytes([*rows, NONE])

    # ---- one map -------------------------------------------------------------------------------

    def _put_map(self, name: str, one: Map) -> int:
        changes = self._put(self._changes(name, one))
        warps = [self._warp(warp) for warp in one.warps]
        cells = [(x, y, t) for t in one.triggers for x, y in cells_of(t)]
        triggers = [
            bytes([t.scene, y, x, 0]) + _word(self._script("", t.script)) + bytes(2)
            for x, y, t in cells
        ]
        signs = [bytes([s.y, s.x, 0]) + _word(self._script(s.says, s.script)) for s in one.signs]
        people = [self._person(person) for person in one.people]
        tables = {"warps": warps, "triggers": triggers, "signs": signs, "people": people}
        for kind, rows in tables.items():
            if len(rows) > MAX_ROWS[kind]:
                raise ValueError(f"map {name} has {len(rows)} {kind}, {MAX_ROWS[kind]} fit")
        events = self._put(
            bytes(2) + b"".join(bytes([len(rows)]) + b"".join(rows) for rows in tables.values())
        )
        links = {side: (target, offset) for side, target, offset in one.connections}
        entries = [self._connection(name, side, *links[side]) for side in SIDES if side in links]
        width, height = size_of(name)
        head = bytes([0, height, width, self._bank]) + _word(self._blocks[name])
        head += bytes([self._bank]) + _word(changes) + _word(events)
        return self._put(head + bytes([sum(SIDES[side] for side in links)]) + b"".join(entries))

    def _warp(self, warp: kinds.Warp) -> bytes:
        target = map_number(warp.target) if warp.target else 0
        return bytes([warp.y, warp.x, warp.arrival, world.MAP_GROUP if target else 0, target])

    def _connection(self, name: str, side: str, target: str, offset: int) -> bytes:
        """Return the entry of a neighbour that lies `offset` blocks further right, or down."""
        (own_width, own_height), (width, height) = size_of(name), size_of(target)
        stride = own_width + 2 * BORDER
        is_beside = side in ("west", "east")
        length, own_length = (height, own_height) if is_beside else (width, own_width)
        skipped = max(0, -offset - BORDER)
        start = max(offset, -BORDER)
        length = min(length - skipped, own_length + BORDER - start)
        if is_beside:
            source = skipped * width + (width - BORDER if side == "west" else 0)
            place = (start + BORDER) * stride + (0 if side == "west" else own_width + BORDER)
            y, x = -2 * offset & 0xFF, 2 * width - 1 if side == "west" else 0
        else:
            source = skipped + ((height - BORDER) * width if side == "north" else 0)
            place = (0 if side == "north" else own_height + BORDER) * stride + start + BORDER
            y, x = 2 * height - 1 if side == "north" else 0, -2 * offset & 0xFF
        entry = bytes([world.MAP_GROUP, map_number(target)])
        entry += _word(self._blocks[target] + source) + _word(BLOCK_MAP + place)
        return entry + bytes([length, width, y, x, 0, 0])

    def _person(self, person: kinds.Person) -> bytes:
        sprite = world.SPRITES.index(person.sprite)
        stand = STAND + FACINGS.index(person.face)
        movement = {"stand": stand, **MOVEMENTS}[person.move]
        trainer = world.SIGHT_TRAINERS[person.trainer] if person.trainer else None
        script = self._trainer(trainer) if trainer else self._script(person.says, person.script)
        kind = sprite_palettes()[sprite] << 4 | (TRAINER if trainer else SCRIPT)
        row = [sprite + 1, person.y + 4, person.x + 4, movement, person.radius * 0x11]
        row += [NONE, NONE, kind, trainer.sight if trainer else 0]
        flag = event_number(person.hidden_by) if person.hidden_by else NO_FLAG
        return bytes(row) + _word(script) + _word(flag)

    # ---- what is our own -----------------------------------------------------------------------

    def _script(self, says: kinds.Lines, script: str) -> int:
        """Put a call of a script's function, or lines to say; returns where."""
        if script:
            return self._put(bytes([CALL, world.SCRIPTS.index(script)]))
        pairs = (("", says),) if isinstance(says, str) else says
        rows = (
            _word(event_number(event) if event else NO_FLAG)
            + bytes([self._packed.texts.number(text)])
            for event, text in pairs
        )
        return self._put(bytes([LINES]) + b"".join(rows))

    def _trainer(self, trainer: kinds.SightTrainer) -> int:
        """Put a trainer: flag, class and id as in Crystal, then what SightTrainer has in C."""
        row = list(creatures.TRAINERS).index(trainer.key)
        one = creatures.TRAINERS[trainer.key]
        said = [self._packed.texts.number(t) for t in (trainer.before, trainer.lost, trainer.after)]
        script = world.SCRIPTS.index(trainer.script) if trainer.script else NONE
        rest = [one.trainer_class, one.trainer_id, row, *said, script, int(trainer.rests_party)]
        return self._put(_word(event_number(trainer.event)) + bytes(rest))

    def _changes(self, name: str, one: Map) -> bytes:
        """Return rows of event flag, x, y, block; a flag that cannot be ends them."""
        blocks = self._packed.blocks[tileset_of(one)]
        return b"".join(
            _word(event_number(change.event))
            + bytes([change.x, change.y, self._packed.changed_block(name, change, blocks)])
            for change in one.changes
        ) + _word(NO_FLAG)


def size_of(name: str) -> tuple[int, int]:
    """Return a map's width and height in blocks."""
    rows = MAPS[name].rows
    return len(rows[0]) // 2, len(rows) // 2


def cells_of(trigger: kinds.Trigger) -> list[tuple[int, int]]:
    """Return the walk cells of a trigger."""
    xs, ys = range(trigger.x0, trigger.x1 + 1), range(trigger.y0, trigger.y1 + 1)
    return [(x, y) for y in ys for x in xs]


def place_tables(packed: World) -> dict[str, int]:
    """Place the tables in the banks, then the texts; return where the game finds each table.

    Both hold their own address, so they are placed first as so many zeros.
    """
    place = packed.banks.add("WORLD", bytes(len(bytes(Layout(packed, 0, 0)))))
    layout = Layout(packed, place.bank, place.address)
    packed.banks.fill("WORLD", bytes(layout))
    place = packed.banks.add("TEXTS", bytes(len(packed.texts.blob(0))))
    packed.banks.fill("TEXTS", packed.texts.blob(place.address))
    return layout.addresses
