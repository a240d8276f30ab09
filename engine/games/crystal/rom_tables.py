"""Read the world in an image of Crystal, or of a hack of it: its maps and the tables beside them.

The tables are looked for where Crystal has them, then by their shape anywhere in the image.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.games.crystal.maps import DOORS, MATS, PERMISSIONS, terrain_table, without_closed_water
from engine.games.crystal.memory import SYMBOLS
from engine.games.crystal.rom_maps import BANK, MAX_BLOCKS, Image, RomMap, find_maps, word, written
from engine.games.overworld import (
    BACK,
    CONNECTION_FIELDS,
    GATE_FIELDS,
    MAP_FIELDS,
    PERSON_FIELDS,
    SCENE_FIELDS,
    SIGN_FIELDS,
    TRIGGER_FIELDS,
    WARP_FIELDS,
    BlockChange,
    ImplausibleError,
    Overworld,
    PersonKind,
    SignKind,
    Stance,
    When,
)
from engine.types import Facing, Terrain

# Both revisions have them there (pret/pokecrystal symbols).
_TILESETS_AT, _PERMISSIONS_AT, _SCENES_AT = (0x13, 0x5596), (0x13, 0x4E1F), (0x13, 0x501E)
_TILESET = 15
_BLOCKS = SYMBOLS["wOverworldMapBlocks"].address
_BORDER = 3
_WALL_ID = 0xFF
_FLOOR = Terrain.WALKABLE | Terrain.WATER | Terrain.CUT_TREE
_OFFSET = 4
_NONE = 0xFFFF
_STANCES = {
    **dict.fromkeys((0x02, 0x04, 0x05, 0x24), Stance.WALKS),
    0x18: Stance.ROCK,
    0x19: Stance.BOULDER,
    **dict.fromkeys((0x15, 0x20, 0x21), Stance.BIG),
}
_WARP_IDS = np.array(sorted({*DOORS, *MATS}), np.uint8)
_MIN_ON_WARPS = 0.5
"""Share of the warps that must lie on doors, stairs or carpets; in Crystal nearly all do."""
_MIN_SCENES = 8
_PERMITTED = np.frombuffer(PERMISSIONS, np.uint8)
_PERMISSION_BYTES = (0x00, 0x01, 0x0F, 0x10, 0x11, 0x1F)
_TELLING = (0x00, 0x07, 0x18, 0x29, 0x33, 0x71, 0x90, 0xA3, 0xFF)
"""Floor, wall, grass, water, waterfall, door, counter, ledge, border: no hack moves them all."""
_MIN_ALIKE = 0.9


@lru_cache(maxsize=2)
def read_overworld(
    rom: bytes, changes: tuple[BlockChange, ...] = ()
) -> tuple[Overworld | None, str]:
    """Return the world in an image, or None and in one line why it was not found.

    Args:
        rom: The image.
        changes: What scripts change, as far as the image has the old blocks there.
    """
    image = Image(rom)
    try:
        place, maps = find_maps(image)
        changed = _changed_blocks(maps, changes)
        tilesets, collisions = _find_collisions(image, maps, changed)
    except ImplausibleError as error:
        return None, f"The maps were not found in the ROM: {error}."
    permissions, permissions_at = _find_permissions(image)
    world = _assemble(image, maps, collisions, permissions, changed)
    scenes, scenes_at = _find_scenes(image, maps)
    addresses = {
        "map groups": written(place),
        "tilesets": written(tilesets),
        "permissions": permissions_at,
        "scenes": scenes_at,
    }
    return Overworld(**world, scenes=scenes, addresses=addresses), ""


def _changed_blocks(
    maps: list[RomMap], changes: Iterable[BlockChange]
) -> list[tuple[int, int, BlockChange]]:
    """Return row of the map, place among its blocks and change, of those that fit the image."""
    rows = {(each.group, each.number): row for row, each in enumerate(maps)}
    found = []
    for change in changes:
        row = rows.get(change.map, -1)
        x, y = change.x // 2, change.y // 2
        if row >= 0 and x < maps[row].width and y < maps[row].height:
            place = y * maps[row].width + x
            if maps[row].blocks[place] == change.old:
                found.append((row, place, change))
    return found


def _find_collisions(
    image: Image, maps: list[RomMap], changed: Iterable[tuple[int, int, BlockChange]]
) -> tuple[tuple[int, int], dict[int, NDArray[np.uint8]]]:
    """Return where Tilesets is, and (blocks, 4) collision ids of each tileset that is used.

    The table has no mark of its own. It is right where the maps' warps lie on doors and carpets.
    """
    counts: dict[int, int] = {}
    for each in maps:
        counts[each.tileset] = max(counts.get(each.tileset, 0), max(each.blocks) + 1)
    for row, _, change in changed:
        counts[maps[row].tileset] = max(counts[maps[row].tileset], change.new + 1)
    spots = list(_warp_spots(maps))
    best: tuple[float, tuple[int, int], dict[int, NDArray[np.uint8]]] | None = None
    for place in (_TILESETS_AT, *_tileset_tables(image, list(counts))):
        try:
            collisions = _read_collisions(image, place, counts)
        except ImplausibleError:
            continue
        share = _share_on_warps(collisions, spots)
        if best is None or share > best[0]:
            best = share, place, collisions
        if place == _TILESETS_AT and share >= _MIN_ON_WARPS:
            break
    if best is None:
        raise ImplausibleError("no table of tilesets has the ones that the maps use")
    if best[0] < _MIN_ON_WARPS:
        raise ImplausibleError("no table of tilesets puts doors where the maps have warps")
    return best[1:]


def _tileset_tables(image: Image, used: list[int]) -> Iterator[tuple[int, int]]:
    """Yield where Tilesets could begin: a possible record stands where every used one should."""
    data = np.frombuffer(image.rom[: image.banks * BANK], np.uint8)
    size = len(data) - _TILESET * (max(used) + 1)
    if size <= 0:
        return
    padded = np.append(data, np.zeros(_TILESET, np.uint8))
    count = len(data)
    bank, high = padded[6 : count + 6], padded[8 : count + 8]
    is_record = (bank < image.banks) & (high >= 0x40) & (high < 0x80)
    is_record &= (padded[11 : count + 11] == 0) & (padded[12 : count + 12] == 0)
    is_table = np.ones(size, np.bool_)
    for tileset in used:
        is_table &= is_record[_TILESET * tileset : _TILESET * tileset + size]
    for start in np.nonzero(is_table)[0].tolist():
        bank_number, offset = divmod(start, BANK)
        yield bank_number, offset + (BANK if bank_number else 0)


def _read_collisions(
    image: Image, place: tuple[int, int], counts: Mapping[int, int]
) -> dict[int, NDArray[np.uint8]]:
    found = {}
    for tileset, count in counts.items():
        record = image.read(place[0], place[1] + _TILESET * tileset, _TILESET)
        data = image.read(record[6], word(record, 7), 4 * count)
        table = np.frombuffer(data, np.uint8).reshape(count, 4).copy()
        table[0] = _WALL_ID  # block 0 is never walked on, whatever its data say
        found[tileset] = table
    return found


def _warp_spots(maps: list[RomMap]) -> Iterator[tuple[int, int, int]]:
    """Yield tileset, block and quarter of every warp."""
    for each in maps:
        for row in each.events["warps"]:
            y, x = row[:2]
            if y < 2 * each.height and x < 2 * each.width:
                block = each.blocks[y // 2 * each.width + x // 2]
                yield each.tileset, block, x % 2 + 2 * (y % 2)


def _share_on_warps(
    collisions: Mapping[int, NDArray[np.uint8]], spots: list[tuple[int, int, int]]
) -> float:
    ids = np.array([collisions[tileset][block, quarter] for tileset, block, quarter in spots])
    return float(np.isin(ids, _WARP_IDS).mean()) if len(ids) else 0.0


def _find_permissions(image: Image) -> tuple[bytes, str]:
    """Return CollisionPermissionTable, Crystal's own where the image has none, and where it is."""
    found = []
    for place in (_PERMISSIONS_AT, *_permission_tables(image)):
        try:
            table = np.frombuffer(image.read(*place, 256), np.uint8)
        except ImplausibleError:
            continue
        is_alike = (table & 0xF == _PERMITTED).mean() >= _MIN_ALIKE
        if is_alike and np.isin(table, _PERMISSION_BYTES).all():
            if place == _PERMISSIONS_AT:
                return table.tobytes(), written(place)
            found.append((table.tobytes(), written(place)))
    return found[0] if len(found) == 1 else (PERMISSIONS, "not found: Crystal's")


def _permission_tables(image: Image) -> Iterator[tuple[int, int]]:
    """Yield where land, water and walls could lie as CollisionPermissionTable has them."""
    nybbles = np.frombuffer(image.rom[: image.banks * BANK], np.uint8) & 0xF
    count = max(0, len(nybbles) - 255)
    is_table = np.ones(count, np.bool_)
    for number in _TELLING:
        is_table &= nybbles[number : number + count] == PERMISSIONS[number]
    for start in np.flatnonzero(is_table).tolist():
        bank, offset = divmod(start, BANK)
        yield bank, offset + (BANK if bank else 0)


def _find_scenes(image: Image, maps: list[RomMap]) -> tuple[NDArray[np.void], str]:
    """Return the table of scene numbers, if it is where Crystal has it."""
    rows = {(each.group, each.number): row for row, each in enumerate(maps)}
    found: list[tuple[int, int]] = []
    bank, address = _SCENES_AT
    try:
        while (entry := image.read(bank, address, 4))[0] != 0xFF:
            row = rows.get((entry[0], entry[1]))
            if row is None or not 0xC000 <= word(entry, 2) < 0xE000:
                found = []
                break
            found.append((row, word(entry, 2)))
            address += 4
    except ImplausibleError:
        found = []
    where = written(_SCENES_AT) if len(found) >= _MIN_SCENES else "not found"
    return np.array(found if len(found) >= _MIN_SCENES else [], SCENE_FIELDS), where


def _assemble(
    image: Image,
    maps: list[RomMap],
    collisions: Mapping[int, NDArray[np.uint8]],
    permissions: bytes,
    changed: Iterable[tuple[int, int, BlockChange]],
) -> dict[str, Any]:
    """Return the fields of an Overworld."""
    rows = {(each.group, each.number): row for row, each in enumerate(maps)}
    terrains = terrain_table(permissions)
    heads, grids, first = [], [], 0
    for each in maps:
        width, height = 2 * each.width, 2 * each.height
        heads.append(
            (each.group, each.number, each.environment, each.landmark, width, height, first)
        )
        blocks = np.frombuffer(each.blocks, np.uint8).reshape(each.height, each.width)
        quads = collisions[each.tileset][blocks].reshape(each.height, each.width, 2, 2)
        grid = terrains[quads.transpose(0, 2, 1, 3).reshape(-1)]
        grids.append(without_closed_water((each.group, each.number), grid))
        first += width * height
    terrain = np.concatenate(grids)
    head = np.array(heads, MAP_FIELDS)
    gates: list[tuple[int, int, int]] = []
    for row, place, change in changed:
        y, x = divmod(place, maps[row].width)
        blocks = collisions[maps[row].tileset]
        for quarter in range(4):
            tile = int(head["first_tile"][row] + (2 * y + quarter // 2) * head["width"][row])
            tile += 2 * x + quarter % 2
            old, new = terrains[blocks[[change.old, change.new], quarter]].tolist()
            terrain[tile], gate = _opened(old, new, change)
            gates += [] if gate is None else [(tile, *gate)]
    return {
        "maps": head,
        "terrain": terrain,
        "gates": np.array(sorted(gates), GATE_FIELDS),
        "warps": np.array(list(_warps(maps, rows)), WARP_FIELDS),
        "connections": np.array(list(_connections(maps, rows)), CONNECTION_FIELDS),
        "people": np.array(list(_people(image, maps)), PERSON_FIELDS),
        "signs": np.array(list(_signs(image, maps)), SIGN_FIELDS),
        "triggers": np.array(
            [
                (row, trigger[2], trigger[1], trigger[0], -1)
                for row, each in enumerate(maps)
                for trigger in each.events["triggers"]
            ],
            TRIGGER_FIELDS,
        ),
    }


def _opened(old: int, new: int, change: BlockChange) -> tuple[int, tuple[int, int] | None]:
    """Return which variant of a tile more ways lead through, and the flag and value it needs."""
    if change.when is When.ALWAYS:
        return new, None
    ranks = [2 if one & Terrain.WARP else int(one & _FLOOR != 0) for one in (old, new)]
    is_new = ranks[1] > ranks[0]
    if ranks[0] == ranks[1] or change.when is When.SOMETIMES:
        return new if is_new else old, None
    return new if is_new else old, (change.flag, int((change.when is When.SET) == is_new))


def _warps(
    maps: list[RomMap], rows: Mapping[tuple[int, int], int]
) -> Iterator[tuple[int, int, int, int, int]]:
    for row, each in enumerate(maps):
        for y, x, number, *target in each.events["warps"]:
            there = rows.get((target[0], target[1]), -1)
            has_place = there >= 0 and 1 <= number <= len(maps[there].events["warps"])
            yield row, x, y, there if has_place and number != BACK else -1, number


def _connections(
    maps: list[RomMap], rows: Mapping[tuple[int, int], int]
) -> Iterator[tuple[int, int, int, int, int, int, int]]:
    for row, each in enumerate(maps):
        for facing, entry in each.connections:
            there = rows.get((entry[0], entry[1]))
            if there is None:
                continue
            is_vertical = facing in (Facing.UP, Facing.DOWN)
            y, x = entry[8], entry[9]
            length = 2 * (each.width if is_vertical else each.height)
            # The neighbour is drawn in this strip only; beyond it are blocks of the border.
            offset = word(entry, 4) - _BLOCKS
            first, last = 0, length - 1
            if 0 <= offset < MAX_BLOCKS and entry[6]:
                down, right = divmod(offset, each.width + 2 * _BORDER)
                begin = 2 * ((right if is_vertical else down) - _BORDER)
                first, last = max(0, begin), min(last, begin + 2 * entry[6] - 1)
            shift, across = (x, y) if is_vertical else (y, x)
            yield row, facing, there, shift, across, first, last


def _people(image: Image, maps: list[RomMap]) -> Iterator[tuple[int, ...]]:
    for row, each in enumerate(maps):
        for index, entry in enumerate(each.events["objects"], 1):
            sprite, y, x, movement, _, hour1, hour2, colour, sight = entry[:9]
            kind = colour & 0xF
            flag = _flag(word(entry, 11))
            script = _try_read(image, each.scripts_bank, word(entry, 9), 2)
            is_trainer, is_item = kind == PersonKind.TRAINER, kind == PersonKind.ITEM
            yield (
                row,
                index,
                (x - _OFFSET) & 0xFF,
                (y - _OFFSET) & 0xFF,
                sprite,
                _STANCES.get(movement, Stance.FIXED),
                kind,
                hour2 & 7 if hour1 == 0xFF and hour2 != 0xFF else 0,
                sight if is_trainer else 0,
                flag,
                _flag(word(script)) if is_trainer and script else -1,
                script[0] if is_item and script else 0,
                0,
            )


def _signs(image: Image, maps: list[RomMap]) -> Iterator[tuple[int, int, int, int, int, int]]:
    for row, each in enumerate(maps):
        for y, x, kind, low, high in each.events["signs"]:
            flag, item = -1, 0
            if kind in (SignKind.IF_SET, SignKind.IF_CLEAR, SignKind.ITEM):
                data = _try_read(image, each.scripts_bank, low | high << 8, 3)
                flag = _flag(word(data)) if data else -1
                item = data[2] if data and kind == SignKind.ITEM else 0
            yield row, x, y, kind, flag, item


def _try_read(image: Image, bank: int, address: int, size: int) -> bytes:
    """Return what a script begins with, b"" where its address leads nowhere."""
    try:
        return image.read(bank, address, size)
    except ImplausibleError:
        return b""


def _flag(word: int) -> int:
    """Return an event flag, -1 for none and for what is no flag."""
    return word if word < 0x8000 else -1
