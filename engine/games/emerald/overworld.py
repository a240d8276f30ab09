"""Read the world in an image of Emerald, or of a game with the same layout."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.games.emerald.memory import Profile
from engine.games.emerald.rom_maps import (
    CONNECTION_FACINGS,
    DYNAMIC_MAP,
    Image,
    RomMap,
    TriggerRow,
    read_maps,
)
from engine.games.emerald.terrain import bridges_of, terrain_of
from engine.games.facts import FIRST_VARIABLE, variable_place
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
from engine.types import NO_BRIDGES, Bridges, Facing, Terrain

_ENVIRONMENTS: Mapping[int, int] = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 2, 8: 3, 9: 3}
"""MAP_TYPE_* -> number in `engine.games.overworld.ENVIRONMENTS`: towns and cities, routes on land
and at sea, underground, underwater, indoors and secret bases."""
_OTHER = 5
_FLOOR = Terrain.WALKABLE | Terrain.WATER

_TRAINER_BATTLE, _BEAT_FLAGS, _NUM_TRAINERS = 0x5C, 0x500, 0x360
_SET_OR_COPY, _ITEM_VARIABLE = 0x1A, 0x8000
_NUM_FLAGS, _HIDDEN_ITEM_FLAGS = 2_400, 0x1F4
_NUM_VARIABLES = 256
_MAX_VALUE = 254
"""255 is `engine.games.overworld.ANY_SCENE`."""

_WALKING = frozenset({*range(0x02, 0x07), *range(0x19, 0x39)})
"""MOVEMENT_TYPE_* of those who walk about: wandering, up and down, in rounds, after the player."""
_GRAPHICS: Mapping[int, Stance] = {82: Stance.TREE, 86: Stance.ROCK, 87: Stance.BOULDER}
"""OBJ_EVENT_GFX_* of what is no person."""
_EMERALD = "BPEE"
"""Code of the game whose figures have these numbers."""


@lru_cache(maxsize=2)
def read_overworld(
    rom: bytes, profile: Profile, changes: tuple[BlockChange, ...] = ()
) -> tuple[Overworld | None, str]:
    """Return the world in an image, or None and in one line why it was not found.

    Args:
        rom: The image.
        profile: Where it has its tables.
        changes: Cells that scripts replace, as far as the image has the old ones there.
    """
    groups = profile.rom.get("gMapGroups", 0)
    image = Image(rom)
    try:
        maps = read_maps(image, groups)
    except ImplausibleError as error:
        return None, f"The maps were not found in the ROM: {error}."
    rows = {(each.group, each.number): row for row, each in enumerate(maps)}
    heads, grids, first = [], [], 0
    gates: list[tuple[int, int, int]] = []
    bridges = NO_BRIDGES
    for each in maps:
        environment = _ENVIRONMENTS.get(each.kind, _OTHER)
        size = each.width, each.height
        heads.append((each.group, each.number, environment, each.section, *size, first))
        terrain, own_gates, own = _terrain(each, changes, first)
        gates += [(first + tile, flag, opens) for tile, flag, opens in own_gates]
        bridges = Bridges(bridges.lower + own.lower, bridges.steps + own.steps)
        grids += [terrain.ravel(), np.array([bits for *_, bits in own.lower], np.uint32)]
        first += each.width * each.height + len(own.lower)
    world = Overworld(
        maps=np.array(heads, MAP_FIELDS),
        terrain=np.concatenate(grids),
        warps=np.array(list(_warps(maps, rows)), WARP_FIELDS),
        connections=np.array(list(_connections(maps, rows)), CONNECTION_FIELDS),
        people=np.array(list(_people(image, maps, profile)), PERSON_FIELDS),
        signs=np.array(list(_signs(maps)), SIGN_FIELDS),
        triggers=np.array(list(_triggers(maps)), TRIGGER_FIELDS),
        scenes=np.zeros(0, SCENE_FIELDS),
        gates=np.array(sorted(gates), GATE_FIELDS),
        addresses={"map groups": f"{groups:08X}"},
        bridges=bridges,
    )
    return world, ""


def _terrain(
    here: RomMap, changes: tuple[BlockChange, ...], first: int
) -> tuple[NDArray[np.uint32], list[tuple[int, int, int]], Bridges]:
    """Return (height, width) terrain, the gates as (tile of the map, flag, bit that opens it), and
    the tiles under bridges.

    Of what scripts change, the terrain is the variant through which more ways lead. `first` is the
    number of the map's first tile.
    """
    cells = np.frombuffer(here.cells, "<u2").reshape(here.height, here.width)
    primary, secondary = (np.frombuffer(part, "<u2") for part in here.attributes)
    warps = [(x, y) for x, y, *_ in here.warps]
    own = [one for one in changes if one.map == (here.group, here.number)]
    if not own:
        terrain = terrain_of(cells, primary, secondary, warps)
        return terrain, [], bridges_of(cells, terrain, first)
    changed, gates = cells.copy(), []
    for one in own:
        if one.x < here.width and one.y < here.height and cells[one.y, one.x] == one.old:
            changed[one.y, one.x] = one.new
    before = terrain_of(cells, primary, secondary, warps)
    after = terrain_of(changed, primary, secondary, warps)
    opened = cells.copy()
    for y, x in np.argwhere(cells != changed).tolist():
        ranks = [_rank(int(grid[y, x])) for grid in (before, after)]
        when, flag = next((one.when, one.flag) for one in own if (one.x, one.y) == (x, y))
        is_new = when is When.ALWAYS or ranks[1] > ranks[0]
        if is_new:
            opened[y, x] = changed[y, x]
        if ranks[0] != ranks[1] and when in (When.SET, When.CLEAR):
            gates.append((y * here.width + x, flag, int((when is When.SET) == is_new)))
    terrain = terrain_of(opened, primary, secondary, warps)
    return terrain, gates, bridges_of(opened, terrain, first)


def _rank(terrain: int) -> int:
    """Return how many ways lead through a tile, roughly."""
    return 2 if terrain & Terrain.WARP else int(terrain & _FLOOR != 0)


def _warps(
    maps: list[RomMap], rows: Mapping[tuple[int, int], int]
) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield WARP_FIELDS; one off its map stays in its place, for others are numbered after it."""
    for row, each in enumerate(maps):
        for x, y, _, warp, number, group in each.warps:
            is_inside = 0 <= x < each.width and 0 <= y < each.height
            place = (x, y) if is_inside else (each.width, each.height)
            there = rows.get((group, number), -1)
            is_known = there >= 0 and warp < min(len(maps[there].warps), BACK - 1)
            if (group, number) == DYNAMIC_MAP:
                yield row, *place, -1, BACK
            else:
                yield row, *place, there if is_known else -1, warp + 1 if is_known else 0


def _connections(
    maps: list[RomMap], rows: Mapping[tuple[int, int], int]
) -> Iterator[tuple[int, int, int, int, int, int, int]]:
    for row, each in enumerate(maps):
        for direction, offset, group, number in each.connections:
            facing, there = CONNECTION_FACINGS.get(direction), rows.get((group, number))
            if facing is None or there is None:
                continue
            target, is_vertical = maps[there], facing in (Facing.UP, Facing.DOWN)
            own = each.width if is_vertical else each.height
            other = target.width if is_vertical else target.height
            first, last = max(0, offset), min(own, offset + other) - 1
            if first > last:
                continue
            far = (target.height if is_vertical else target.width) - 1
            across = far if facing in (Facing.UP, Facing.LEFT) else 0
            yield row, facing, there, -offset & 0xFF, across, first, last


def _people(image: Image, maps: list[RomMap], profile: Profile) -> Iterator[tuple[int, ...]]:
    graphics = _GRAPHICS if profile.code == _EMERALD else {}
    for row, each in enumerate(maps):
        for number, sprite, x, y, level, movement, trainer, sight, script, flag in each.objects:
            if not (0 <= x < each.width and 0 <= y < each.height):
                continue
            kind, beat_flag, item = _purpose(image, script)
            stance = Stance.WALKS if movement in _WALKING else Stance.FIXED
            is_watching = bool(trainer) and kind is PersonKind.TRAINER
            yield (
                row,
                number,
                x,
                y,
                sprite,
                graphics.get(sprite, stance),
                kind,
                0,
                min(sight, 255) if is_watching else 0,
                flag if 0 < flag < _NUM_FLAGS else -1,
                beat_flag,
                item,
                level,
            )


def _purpose(image: Image, script: int) -> tuple[PersonKind, int, int]:
    """Return what somebody's script makes of them, the trainer's flag or -1, the item or 0."""
    try:
        code = image.read(script, 5)
    except ImplausibleError:
        return PersonKind.SCRIPT, -1, 0
    first, second = (int.from_bytes(code[at : at + 2], "little") for at in (1, 3))
    trainer = int.from_bytes(code[2:4], "little")
    if code[0] == _TRAINER_BATTLE and 0 < trainer < _NUM_TRAINERS:
        return PersonKind.TRAINER, _BEAT_FLAGS + trainer, 0
    if code[0] == _SET_OR_COPY and first == _ITEM_VARIABLE:
        return PersonKind.ITEM, -1, second
    return PersonKind.SCRIPT, -1, 0


def _signs(maps: list[RomMap]) -> Iterator[tuple[int, int, int, int, int, int]]:
    for row, each in enumerate(maps):
        for x, y, kind, content in each.signs:
            if x >= each.width or y >= each.height:
                continue
            flag, item = -1, 0
            if kind == SignKind.ITEM:
                flag, item = _HIDDEN_ITEM_FLAGS + (content >> 16 & 0xFF), content & 0xFFFF
            yield row, x, y, kind, flag, item


def _triggers(maps: list[RomMap]) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield TRIGGER_FIELDS of those that look at a variable; the others change the weather."""
    for row, each in enumerate(maps):
        for trigger in each.triggers:
            if _is_story(trigger, each):
                x, y, variable, value, _ = trigger
                yield row, x, y, value, variable_place(variable)


def _is_story(trigger: TriggerRow, here: RomMap) -> bool:
    x, y, variable, value, script = trigger
    is_inside = 0 <= x < here.width and 0 <= y < here.height
    is_variable = 0 <= variable - FIRST_VARIABLE < _NUM_VARIABLES
    return is_inside and is_variable and 0 <= value <= _MAX_VALUE and bool(script)
