"""Read a frozen GameState from the RAM of Pokémon Emerald, or of a game that keeps it likewise."""

import struct
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from engine.games.base import FREE, GameTables
from engine.games.emerald.control import ControlReader
from engine.games.emerald.creatures import CreatureReader
from engine.games.emerald.maps import MapReader
from engine.games.emerald.memory import Machine, Memory, Mode, Profile, SaveBlocks, ewram_at
from engine.games.emerald.menus import LIST_END, NO_MENU, Menu
from engine.games.emerald.screen import ScreenReader, Shown, pocket_items
from engine.types import Bag, Facing, GameState, MapId, Place

# Read the five pockets of the bag, whose counts are XORed with the low half of the key.

_MAX_COUNT = 999
_SLOT = struct.Struct("<HH")
_ITEMS, _KEY_ITEMS, _BALLS, _MACHINES, _BERRIES = 0x560, 0x5D8, 0x650, 0x690, 0x790
_END = 0x848
_POCKETS = (_ITEMS, _KEY_ITEMS, _BALLS, _MACHINES, _BERRIES, _END)
"""Where each begins in SaveBlock1: they follow each other."""

Pocket = tuple[tuple[int, int], ...]
"""Items with their counts."""


class BagReader:
    """Read the bag, making a new value only where its bytes or the key changed.

    Attributes:
        last: The bag as it was last read.
    """

    def __init__(self, memory: Memory) -> None:
        self._ewram = memory.ewram
        self._raw = b""
        self._key = 0
        self.last = Bag()

    def read(self, blocks: SaveBlocks) -> Bag:
        """Return the bag."""
        raw = bytes(self._ewram[blocks.first + _ITEMS : blocks.first + _END])
        if raw != self._raw or blocks.key != self._key:
            self._raw, self._key = raw, blocks.key
            items, key_items, balls, machines, berries = (
                self._pocket(start - _ITEMS, end - _ITEMS) for start, end in pairwise(_POCKETS)
            )
            bag = Bag(items, balls, tuple(item for item, _ in key_items), machines, berries)
            if bag != self.last:  # the key alone changes all the bytes
                self.last = bag
        return self.last

    def _pocket(self, start: int, end: int) -> Pocket:
        key = self._key & 0xFFFF
        slots = _SLOT.iter_unpack(self._raw[start:end])
        return tuple((item, min(count ^ key, _MAX_COUNT)) for item, count in slots if item)


# Of SaveBlock1, whose first bytes are where the player is: s16 x, y, s8 group, number.
_PLACE = struct.Struct("<hhbb")
_LAST_HEAL = 0x1C
_HEAL = struct.Struct("<bbbxhh")
_MONEY, _FLAGS, _VARS = 0x490, 0x1270, 0x139C
_NUM_FLAG_BYTES, _VARS_SIZE = 300, 512
# Of SaveBlock2.
_TIME = struct.Struct("<HBBB")
_PLAY_TIME, _CAUGHT, _DEX_SIZE = 0x0E, 0x28, 52  # the flags of what was seen follow the caught
_MONEY_WORD = struct.Struct("<I")
_MAX_MONEY = 999_999
_FIRST_BADGE, _FIRST_VISITED = 0x867, 0x86F
_NUM_SPAWNS = 16
_REPEL = _VARS + 2 * 0x21
_STEP_COUNTERS = tuple(2 * one for one in (0x21, 0x22, 0x2A, 0x2B, 0x48, 0xE7, 0xF2, 0xF4))
"""Variables for repels, ice, friendship, poison and ash, and three that count steps or battles."""

_FACINGS = {1: Facing.DOWN, 2: Facing.UP, 3: Facing.LEFT, 4: Facing.RIGHT}
_OBJECTS, _OBJECT_SIZE = ewram_at("gObjectEvents"), 0x24
_OBJECT_LEVEL, _OBJECT_FACING = 0x0B, 0x18  # low nibbles
_AVATAR_OBJECT = ewram_at("gPlayerAvatar") + 5
_SECTION, _KIND = ewram_at("gMapHeader") + 0x14, ewram_at("gMapHeader") + 0x17
_ENVIRONMENTS = {
    1: "town", 2: "town", 3: "route", 4: "cave", 5: "cave", 6: "route", 8: "indoor", 9: "indoor",
}  # fmt: skip
_NOWHERE = Place(MapId(0, 0), "nowhere", 0, 0, Facing.DOWN, "indoor")
_EMPTY_DEX = bytes(_DEX_SIZE)
_NOTHING = GameState(_NOWHERE, FREE, caught_flags=_EMPTY_DEX, seen_flags=_EMPTY_DEX)
_NUM_SPECIES = 386
_FIRST_SHIFTED = 252
"""National number from which on species have other numbers of their own in the game."""


@dataclass(frozen=True, slots=True)
class _Pokedex:
    raw: bytes = b""
    caught: int = 0
    seen: int = 0
    caught_flags: bytes = _EMPTY_DEX
    seen_flags: bytes = _EMPTY_DEX


@dataclass(frozen=True, slots=True)
class _Story:
    """What the flags say."""

    flags: bytes = bytes(_NUM_FLAG_BYTES)
    badges: int = 0
    fly_points: tuple[MapId, ...] = ()


class EmeraldReader:
    """Read states from a running game.

    Parts whose bytes did not change are taken over from the last state. The save blocks move and
    the key changes at every map load: both are asked for at every reading.

    Args:
        emulator: Runs the game.
        profile: Of the image that it runs.
        tables: Give the names.
    """

    def __init__(self, emulator: Machine, profile: Profile, tables: GameTables) -> None:
        memory = Memory(emulator)
        self._memory = memory
        self._ewram, self._iwram = memory.ewram, memory.iwram
        self._tables = tables
        self._control = ControlReader(memory, profile)
        self._maps = MapReader(memory, profile, tables)
        self._creatures = CreatureReader(memory, profile, tables)
        self._bag = BagReader(memory)
        self._screen = ScreenReader(memory, profile, self._control.menus, tables)
        self._numbers = _species_numbers(memory, profile)
        self._place = _NOWHERE
        self._place_key: tuple[int, ...] = ()
        self._pokedex = _Pokedex()
        self._story = _Story()
        self._vars_raw, self._vars = b"", b""
        self._heal_raw: tuple[int, ...] = ()
        self._heal: MapId | None = None
        self._money = 0

    def read(self) -> GameState:
        """Read the current state; before a game is running all but `control` is empty."""
        mode = self._control.mode()
        blocks = self._memory.save_blocks()
        if blocks is None or mode is Mode.BEFORE:
            menu = self._control.menu(Mode.BEFORE)
            return replace(_NOTHING, control=self._control.read(Mode.BEFORE, menu))
        is_free = mode is Mode.FIELD and self._control.is_in_control()
        money = self._read_money(blocks)
        if money >= 0:  # else the key is being changed: bag and money are as they were
            self._money = money
            self._bag.read(blocks)
        bag = self._bag.last
        menu = NO_MENU if is_free else _with_item(self._control.menu(mode), bag)
        control = FREE if is_free else self._control.read(mode, menu)
        if mode is Mode.FIELD:
            self._settle(blocks)
        elif mode is Mode.BATTLE:
            self._end_step(blocks)
        party = self._creatures.party()
        battle = self._creatures.battle()
        pokedex, story = self._read_pokedex(blocks), self._read_story(blocks)
        repel = blocks.first + _REPEL
        shown = Shown(mode, menu, blocks, party, battle, bag)
        lines = () if is_free else self._screen.lines(shown)
        hours, minutes, seconds, frames = _TIME.unpack_from(self._ewram, blocks.second + _PLAY_TIME)
        return GameState(
            place=self._place,
            control=control,
            party=party,
            battle=battle,
            badges=(story.badges, 0),
            money=self._money,
            play_time_s=hours * 3600 + minutes * 60 + seconds + frames / 60,
            caught=pokedex.caught,
            seen=pokedex.seen,
            bag=bag,
            event_flags=story.flags,
            screen_text=lines,
            map=self._maps.last,
            caught_flags=pokedex.caught_flags,
            seen_flags=pokedex.seen_flags,
            fly_points=story.fly_points,
            healing_place=self._healing_place(blocks),
            repel_steps=int.from_bytes(self._ewram[repel : repel + 2], "little"),
            scenes=self._read_vars(blocks),
        )

    def save(self) -> dict[str, Any]:
        """Return what RAM does not tell at any time: where the player was, the map seen there."""
        return {
            "place": list(self._place_key),
            "map": self._maps.save(),
            "party": self._creatures.save(),
            "money": self._money,
        }

    def restore(self, saved: dict[str, Any]) -> None:
        """Put back what `save` returned."""
        key = tuple(saved["place"])
        self._place_key = key
        self._place = self._make_place(key) if key else _NOWHERE
        self._maps.restore(saved["map"])
        self._creatures.restore(saved["party"])
        self._money = saved["money"]

    def _settle(self, blocks: SaveBlocks) -> None:
        """Take place and map from RAM, if they are whole and belong together."""
        ewram = self._ewram
        x, y, group, number = _PLACE.unpack_from(ewram, blocks.first)
        map_id = self._place.map
        if (map_id.group, map_id.number) != (group, number):
            map_id = MapId(group, number)
        if not self._maps.is_header_of(map_id):
            return
        view = self._maps.read(blocks, map_id)
        if view is None or not view.contains(x, y):
            return
        slot = ewram[_AVATAR_OBJECT] & 0xF
        own = _OBJECTS + _OBJECT_SIZE * slot
        facing, level = (ewram[own + at] & 0xF for at in (_OBJECT_FACING, _OBJECT_LEVEL))
        key = (group, number, x, y, facing, ewram[_KIND], ewram[_SECTION], level)
        if key != self._place_key:
            self._place, self._place_key = self._make_place(key), key

    def _end_step(self, blocks: SaveBlocks) -> None:
        """Take the tile that the step led to which the battle began with, on the same map."""
        x, y, *map_id = _PLACE.unpack_from(self._ewram, blocks.first)
        key = self._place_key
        if list(key[:2]) == map_id and key[2:4] != (x, y) and self._maps.last.contains(x, y):
            self._place_key = (*key[:2], x, y, *key[4:])
            self._place = replace(self._place, x=x, y=y)

    def _make_place(self, key: tuple[int, ...]) -> Place:
        group, number, x, y, direction, kind, section, level = (*key, 0)[:8]  # once without level
        map_id = MapId(group, number)
        tables = self._tables
        return Place(
            map_id,
            tables.map_name(map_id),
            x,
            y,
            _FACINGS.get(direction, Facing.DOWN),
            _ENVIRONMENTS.get(kind, "dungeon"),
            tables.LANDMARKS.get(section, ""),
            level,
        )

    def _read_money(self, blocks: SaveBlocks) -> int:
        """Return the money, -1 while it is not under the key: more than there can be."""
        (word,) = _MONEY_WORD.unpack_from(self._ewram, blocks.first + _MONEY)
        amount = int(word) ^ blocks.key
        return amount if amount <= _MAX_MONEY else -1

    def _read_vars(self, blocks: SaveBlocks) -> bytes:
        """Return the story's variables, the same object while they are the same.

        Those that count steps are left out: nothing depends on them, and they change all the time.
        """
        start = blocks.first + _VARS
        raw = self._ewram[start : start + _VARS_SIZE].tobytes()
        if raw != self._vars_raw:
            self._vars_raw = raw
            kept = bytearray(raw)
            for at in _STEP_COUNTERS:
                kept[at] = kept[at + 1] = 0
            if kept != self._vars:
                self._vars = bytes(kept)
        return self._vars

    def _read_story(self, blocks: SaveBlocks) -> _Story:
        start = blocks.first + _FLAGS
        raw = self._ewram[start : start + _NUM_FLAG_BYTES].tobytes()
        if raw != self._story.flags:
            visited = _bits(raw, _FIRST_VISITED, _NUM_SPAWNS)
            points = tuple(
                MapId(*target) for bit, target in self._tables.SPAWNS.items() if visited >> bit & 1
            )
            self._story = _Story(raw, _bits(raw, _FIRST_BADGE, 8), points)
        return self._story

    def _read_pokedex(self, blocks: SaveBlocks) -> _Pokedex:
        start = blocks.second + _CAUGHT
        raw = self._ewram[start : start + 2 * _DEX_SIZE].tobytes()
        if raw != self._pokedex.raw:
            caught, seen = (self._by_number(raw[at : at + _DEX_SIZE]) for at in (0, _DEX_SIZE))
            self._pokedex = _Pokedex(
                raw, caught.bit_count(), seen.bit_count(), _as_bytes(caught), _as_bytes(seen)
            )
        return self._pokedex

    def _by_number(self, raw: bytes) -> int:
        """Return the bits of a Pokédex, which are in national order, by the game's own numbers."""
        bits = int.from_bytes(raw, "little") & ((1 << _NUM_SPECIES) - 1)
        own = bits & ((1 << (_FIRST_SHIFTED - 1)) - 1)
        bits >>= _FIRST_SHIFTED - 1
        national = _FIRST_SHIFTED
        while bits:
            if bits & 1:
                own |= 1 << (self._numbers.get(national, national) - 1)
            bits >>= 1
            national += 1
        return own

    def _healing_place(self, blocks: SaveBlocks) -> MapId | None:
        start = blocks.first + _LAST_HEAL
        raw = group, number, _, x, y = _HEAL.unpack_from(self._ewram, start)
        if raw != self._heal_raw:
            is_set = group >= 0 and number >= 0 and (group, number, x, y) != (0, 0, 0, 0)
            self._heal_raw, self._heal = raw, MapId(group, number) if is_set else None
        return self._heal


def _with_item(menu: Menu, bag: Bag) -> Menu:
    """Return a bag's menu with the item under the cursor instead of its place in the pocket."""
    if menu.name != "Task_BagMenu_HandleInput":
        return menu
    items = (*pocket_items(bag, menu.pocket), LIST_END)
    chosen = menu.selection
    if chosen >= len(items):
        return menu._replace(selection=0)
    return menu._replace(selection=items[chosen], cursor=(chosen + 1, 1), size=(len(items), 1))


def _species_numbers(memory: Memory, profile: Profile) -> dict[int, int]:
    """Return the game's own number of a species by its national one, where an image says it."""
    table = profile.rom.get("sSpeciesToNationalPokedexNum", 0)
    raw = memory.read(table, profile.sizes.get("sSpeciesToNationalPokedexNum", 0))
    nationals = struct.unpack(f"<{len(raw) // 2}H", raw[: len(raw) & ~1])
    return {national: own for own, national in enumerate(nationals, 1) if national}


def _bits(raw: bytes, first: int, count: int) -> int:
    """Return flags from `first` on as bits."""
    word = int.from_bytes(raw[first >> 3 : (first + count + 7) >> 3], "little")
    return word >> (first & 7) & ((1 << count) - 1)


def _as_bytes(bits: int) -> bytes:
    return bits.to_bytes(max(_DEX_SIZE, (bits.bit_length() + 7) // 8), "little")
