"""Write the world in C: maps with warps, people, signs and triggers, scripts, texts, pools."""

from __future__ import annotations

from collections.abc import Iterator

from . import tables, text
from .emit import braces, defines, numbers, rows, source
from .maps import (
    BRIDGE,
    FIRST_BADGE_FLAG,
    FLOOR,
    MAPS,
    SCRIPTS,
    STORY_SPAWNS,
    TYPES,
    UPPER,
    WALKABLE,
    Map,
    World,
    cell_names,
    flags,
    kind_of,
    map_ids,
    scenes,
    style_of,
)
from .sources import act_one, creatures, world_kinds

SYSTEM_FLAGS = (
    ("FLAG_BADGE_1", FIRST_BADGE_FLAG),
    ("FLAG_HAS_PARTY", 0x860),
    ("FLAG_RUNNING_SHOES", 0x8C0),
)
VAR_STARTER = 0x4023
NONE = 0xFFFF

GATE = ("STONEHOLLOW", 10, 1)
"""The gatehouse, where the second act begins in the first practice game."""
GATE_LINES = (
    ("COBBLE_BADGE", "The old gatehouse. Its door is open."),
    ("", "Between the trees you see an old roof."),
)

PARTNERS = {"moe": "ida"}
"""Who joins in, where two own creatures can fight."""

MOVEMENTS = {"still": 0, "spin": 1, "wander": 2}
FACINGS = {"up": 7, "down": 8, "left": 9, "right": 10}
MOVEMENT_NAMES = ("NONE", "LOOK_AROUND", "WANDER")
DIRECTIONS = {"south": 1, "north": 2, "west": 3, "east": 4}

GRAPHICS: tuple[str, ...] = (
    "hero_boy", "hero_girl", "mother", "professor", "rival", "girl", "boy", "old_man", "nurse",
    "clerk", "trainer_a", "trainer_b", "leader", "fisher", "ball_closed", "emote",
)  # fmt: skip
"""Sprites of art/people.py in the order of their numbers."""

WILD_SHARES = (20, 20, 10, 10, 10, 10, 5, 5, 4, 4, 1, 1)
"""Percent of the twelve places of Emerald's wild tables."""
WILD_RATE = 20
"""As Emerald counts: about one step in nine in the grass."""

GROUPS_IN_ASSEMBLY = """
asm(".global gMapGroups\\n.set gMapGroups, map_groups + {offset}");
"""


def _word(value: int) -> bytes:
    return value.to_bytes(2, "little")


class WorldSource:
    """The C sources of the world, and the ids that they and the game share."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._flags = flags()
        self._texts = text.Texts()
        for words in act_one.TEXTS.values():
            self._texts.number(words)
        self._scripts: dict[bytes, str] = {}
        self._body = self._write()

    def ids(self) -> str:
        """Return world_ids.h."""
        places = map_ids()
        pairs: list[tuple[str, int | str]] = [
            (f"MAP_{name}", f"0x{group << 8 | number:04X}")
            for name, (group, number) in places.items()
        ]
        pairs += [(f"FLAG_{name}", f"0x{flag:03X}") for name, flag in self._flags.items()]
        pairs += [(name, f"0x{flag:03X}") for name, flag in SYSTEM_FLAGS]
        pairs += [(f"VAR_SCENE_{name}", f"0x{var:04X}") for name, var in scenes().items()]
        pairs += [("VAR_STARTER", f"0x{VAR_STARTER:04X}")]
        pairs += [(f"TEXT_{key}", self._texts.number(t)) for key, t in act_one.TEXTS.items()]
        pairs += [("TEXT_NONE", NONE), ("SCRIPT_NONE", NONE)]
        pairs += [(f"SCRIPT_{key.upper()}", i) for i, key in enumerate(SCRIPTS)]
        pairs += [(f"GFX_{key.upper()}", i) for i, key in enumerate(GRAPHICS)]
        pairs += tables.trainer_ids()
        pairs += [(f"MOVEMENT_{key}", i) for i, key in enumerate(MOVEMENT_NAMES)]
        pairs += [(f"MOVEMENT_FACE_{key.upper()}", i) for key, i in FACINGS.items()]
        for name, (x, y) in STORY_SPAWNS.items():
            pairs += [(f"SPAWN_{name}_X", x), (f"SPAWN_{name}_Y", y)]
        return f"#ifndef WORLD_IDS_H\n#define WORLD_IDS_H\n{defines(pairs)}#endif\n"

    def c_source(self) -> str:
        """Return world.c."""
        return self._body

    def _write(self) -> str:
        maps = [self._map(number, name, one) for number, (name, one) in enumerate(MAPS.items(), 1)]
        sight = self._sight_trainers()
        borders = (
            numbers(f"static const u16 border_{style}[]", cells, 4)
            for style, cells in self._world.borders.items()
        )
        scripts = (
            f"static const u8 {name}[] = {braces(code)};\n" for code, name in self._scripts.items()
        )
        return source(
            *(pair.c_source() for pair in self._world.pairs.values()),
            *borders,
            "".join(scripts),
            *maps,
            _groups(),
            self._changes(),
            sight,
            _functions(),
            _pools(),
            self._text_table(),
            _section_names(),
        )

    # ---- maps ----------------------------------------------------------------------------------

    def _map(self, number: int, name: str, one: Map) -> str:
        low, style = name.lower(), style_of(one)
        cells = self._world.cells[name]
        parts = [
            numbers(f"static const u16 cells_{low}[]", (c for row in cells for c in row), 4),
            f"static const struct MapLayout layout_{low} = {{{len(cells[0])}, {len(cells)}, "
            f"border_{style}, cells_{low}, &tileset_{style}, &tileset_{style}_more}};\n",
        ]
        events = {
            "ObjectTemplate": list(self._objects(one)),
            "WarpEvent": list(_warps(one)),
            "CoordEvent": list(self._triggers(name, one)),
            "BgEvent": list(self._signs(name, one)),
        }
        for kind, found in events.items():
            if found:
                parts.append(rows(f"static const struct {kind} {kind}s_{low}[]", found))
        fields: list[int | str] = [len(found) for found in events.values()]
        fields += [f"{kind}s_{low}" if found else 0 for kind, found in events.items()]
        parts.append(f"static const struct MapEvents events_{low} = {braces(fields)};\n")
        return "".join(parts) + _connections(low, one) + _header(number, low, one)

    def _objects(self, one: Map) -> Iterator[str]:
        for number, person in enumerate(one.people, 1):
            trainer = act_one.SIGHT_TRAINERS.get(person.trainer)
            stands = person.move == "stand"
            movement = FACINGS[person.face] if stands else MOVEMENTS[person.move]
            x, y = standing_place(one, person)
            reach = person.radius * 0x11 if person.move == "wander" else 0
            flag = self._flags[person.hidden_by] if person.hidden_by else 0
            script = self._script(person.says, person.script, person.trainer)
            yield braces(
                (
                    number, GRAPHICS.index(person.sprite), 0, 0, x, y, standing_level(one, x, y),
                    movement, reach, int(trainer is not None), trainer.sight if trainer else 0,
                    script, f"0x{flag:03X}", 0,
                )
            )  # fmt: skip

    def _triggers(self, name: str, one: Map) -> Iterator[str]:
        for trigger in one.triggers:
            script = self._script("", trigger.script)
            for y in range(trigger.y0, trigger.y1 + 1):
                for x in range(trigger.x0, trigger.x1 + 1):
                    var = f"0x{scenes()[name]:04X}"
                    yield braces((x, y, WALKABLE, 0, var, trigger.scene, 0, script))

    def _signs(self, name: str, one: Map) -> Iterator[str]:
        signs = list(one.signs)
        if name == GATE[0]:
            signs.append(world_kinds.Sign(*GATE[1:], GATE_LINES))
        for sign in signs:
            yield braces((sign.x, sign.y, 0, 0, 0, self._script(sign.says, sign.script)))

    def _script(self, says: world_kinds.Lines, script: str, trainer: str = "") -> str:
        """Return the name of a script's bytes, which game.h describes."""
        if trainer:
            place = list(act_one.SIGHT_TRAINERS).index(trainer)
            number = tables.trainer_number(act_one.SIGHT_TRAINERS[trainer].key)
            code = bytes((0x5C, 0)) + _word(number) + bytes((0, 0, place))
        elif script:
            code = b"\xf1" + _word(SCRIPTS.index(script))
        elif isinstance(says, str):
            code = b"\xf0" + _word(self._texts.number(says))
        else:
            pairs = (
                _word(self._flags[event] if event else 0) + _word(self._texts.number(words))
                for event, words in says
            )
            code = bytes((0xF2, len(says))) + b"".join(pairs)
        return self._scripts.setdefault(code + b"\x02", f"bytes_{len(self._scripts)}")

    # ---- what changes, who fights, what is said ------------------------------------------------

    def _changes(self) -> str:
        table = [
            braces((_map_macro(name), f"FLAG_{event}", x, y, f"0x{cell:04X}"))
            for name, event, x, y, cell in self._world.changes
        ]
        count = f"const u16 map_change_count = {len(table)};\n"
        return rows("const struct MapChange map_changes[]", table) + count

    def _sight_trainers(self) -> str:
        def said(words: str) -> int | str:
            return self._texts.number(words) if words else "TEXT_NONE"

        table = (
            braces(
                (
                    tables.trainer_number(one.key),
                    f"FLAG_{one.event}",
                    *map(said, (one.before, one.lost, one.after)),
                    f"SCRIPT_{one.script.upper()}" if one.script else "SCRIPT_NONE",
                    int(one.rests_party),
                    PARTNERS.get(key, 0) and list(act_one.SIGHT_TRAINERS).index(PARTNERS[key]) + 1,
                )
            )
            for key, one in act_one.SIGHT_TRAINERS.items()
        )
        return rows("const struct SightTrainer sight_trainers[]", table)

    def _text_table(self) -> str:
        encoded = self._texts.encoded()
        texts = (
            f"static const u8 text_{number}[] = {braces(codes)};\n"
            for number, codes in enumerate(encoded)
        )
        pointers = (f"text_{number}" for number in range(len(encoded)))
        return "".join(texts) + rows("const u8 *const text_table[]", pointers)


def standing_place(one: Map, person: world_kinds.Person) -> tuple[int, int]:
    """Return where somebody stands: one who moves and is in a wall, beside it."""
    names = cell_names(one)

    def distance(place: tuple[int, int]) -> int:
        return abs(place[0] - person.x) + abs(place[1] - person.y)

    if person.move != "wander" or not kind_of(names[person.y][person.x]).wall:
        return person.x, person.y
    free = (
        (x, y)
        for y, row in enumerate(names)
        for x, name in enumerate(row)
        if kind_of(name) == FLOOR
    )
    return min(free, key=distance)


def standing_level(one: Map, x: int, y: int) -> int:
    """Return the level of somebody who stands on a cell; on a bridge it is the upper one."""
    level = kind_of(cell_names(one)[y][x]).elevation
    return UPPER if level == BRIDGE else level


def _map_macro(name: str) -> str:
    return f"MAP_{name}"


def warps_of(one: Map) -> list[world_kinds.Warp]:
    """Return a map's warps, without those into the second act."""
    return [warp for warp in one.warps if warp.target in MAPS]


def _warps(one: Map) -> Iterator[str]:
    for warp in warps_of(one):
        group, number = map_ids()[warp.target]
        yield braces((warp.x, warp.y, 0, warp.arrival - 1, number, group))


def _connections(low: str, one: Map) -> str:
    if not one.connections:
        return ""
    table = []
    for side, target, blocks in one.connections:
        group, number = map_ids()[target]
        table.append(braces((DIRECTIONS[side], "{0}", 2 * blocks, group, number, "{0}")))
    return rows(f"static const struct MapConnection sides_{low}[]", table) + (
        f"static const struct MapConnections connections_{low} = {{{len(table)}, sides_{low}}};\n"
    )


def _header(number: int, low: str, one: Map) -> str:
    section = act_one.LANDMARKS.index(one.landmark)
    sides = f"&connections_{low}" if one.connections else "0"
    fields = (f"&layout_{low}", f"&events_{low}", 0, sides, 0, number, section, 0, 0)
    return (
        f"static const struct MapHeader map_{low} = {braces((*fields, TYPES[one.kind], '{0}'))};\n"
    )


def _groups() -> str:
    """Write the groups' lists directly before gMapGroups: their lengths are found by that."""
    groups: dict[int, list[str]] = {}
    for name, (group, _) in map_ids().items():
        groups.setdefault(group, []).append(f"&map_{name.lower()}")
    lists = [f"*group_{group}[{len(maps)}]" for group, maps in groups.items()]
    pointers = (f"map_groups.group_{group}" for group in groups)
    fields = [braces(maps) for maps in groups.values()] + [braces(pointers)]
    sizes = numbers("const u8 map_group_sizes[]", map(len, groups.values()))
    return (
        f"{sizes}"
        f"extern const struct {{\n    const struct MapHeader {', '.join(lists)};\n"
        f"    const struct MapHeader *const *groups[{len(groups)}];\n}} map_groups;\n"
        f"const __typeof__(map_groups) map_groups = {{{', '.join(fields)}}};\n"
        + GROUPS_IN_ASSEMBLY.format(offset=4 * sum(map(len, groups.values())))
    )


def _section_names() -> str:
    """Write the places' names by MapHeader.section."""
    names = [text.encode(name) for name in act_one.LANDMARKS]
    texts = (f"static const u8 section_{n}[] = {braces(codes)};\n" for n, codes in enumerate(names))
    pointers = (f"section_{number}" for number in range(len(names)))
    return "".join(texts) + rows("const u8 *const section_names[]", pointers)


def _functions() -> str:
    """Write how a script's number finds its function in story.c."""
    names = [f"script_{name}" for name in SCRIPTS]
    return f"void {', '.join(f'{name}(void)' for name in names)};\n" + rows(
        "const StoryFunction story_functions[]", names
    )


def wild_places(key: str) -> list[creatures.WildSlot]:
    """Share a pool's slots out over the twelve places of Emerald's wild tables."""
    slots = creatures.POOLS[key]
    left = [slot.weight * 100 / sum(s.weight for s in slots) for slot in slots]
    places = []
    for share in WILD_SHARES:
        number = max(range(len(slots)), key=lambda n: left[n])
        left[number] -= share
        places.append(slots[number])
    return places


def wild_shares(key: str) -> list[tuple[creatures.WildSlot, int]]:
    """Return a pool's slots with their chances in percent, as its twelve places give them."""
    places = wild_places(key)
    return [
        (slot, sum(n for n, place in zip(WILD_SHARES, places, strict=True) if place is slot))
        for slot in creatures.POOLS[key]
    ]


def _pools() -> str:
    """Write the wild pools, for the game and in Emerald's tables, with equal chances."""
    parts, headers = [], []
    for key in tables.pool_keys():
        entries, mons = [], []
        for slot, share in wild_shares(key):
            species = tables.species_number(slot.species)
            entries.append(braces((share, slot.low, slot.high, species)))
        for slot in wild_places(key):
            mons.append(braces((slot.low, slot.high, tables.species_number(slot.species))))
        parts.append(rows(f"static const struct PoolEntry pool_{key}[]", [*entries, "{0}"]))
        parts.append(rows(f"static const struct WildMon wild_{key}[]", mons))
        info = f"wild_info_{key} = {{{WILD_RATE}, {{0}}, wild_{key}}}"
        parts.append(f"static const struct WildMonInfo {info};\n")
    users = [(name, one.pool) for name, one in MAPS.items() if one.pool]
    for name, key in users:
        group, number = map_ids()[name]
        headers.append(braces((group, number, 0, f"&wild_info_{key}", 0, 0, 0)))
    headers.append("{0xFF, 0xFF, 0, 0, 0, 0, 0}")
    pools = (f"pool_{key}" for key in tables.pool_keys())
    used = (braces((_map_macro(name), tables.pool_keys().index(k), WILD_RATE)) for name, k in users)
    return "".join(
        (
            *parts,
            rows("const struct PoolEntry *const pools[]", pools),
            f"const u8 map_pools_count = {len(users)};\n",
            rows("const __typeof__(map_pools[0]) map_pools[]", used),
            rows("const struct WildMonHeader gWildMonHeaders[]", headers),
        )
    )
