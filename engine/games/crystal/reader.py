"""Read a frozen GameState from the work RAM of Pokémon Crystal, or of the practice game."""

from dataclasses import dataclass
from operator import itemgetter

from engine.emulator.base import Emulator
from engine.games.base import GameTables
from engine.games.crystal.control import CONTROL_WINDOWS, ControlReader, box_lines
from engine.games.crystal.creatures import CREATURE_WINDOWS, CreatureReader
from engine.games.crystal.machines import MACHINE_ITEMS
from engine.games.crystal.maps import MAP_WINDOWS, MapReader
from engine.games.crystal.memory import BASE, FACTS, SYMBOLS, WorkRam, at, window
from engine.games.facts import read_rows
from engine.types import Bag, Facing, GameState, MapId, Place

# Read the four pockets of the bag.

_MAX_COUNT = 99
_LIST_END = 0xFF
_ITEMS, _MAX_ITEMS = at("wNumItems"), 20
_KEY_ITEMS, _MAX_KEY_ITEMS = at("wNumKeyItems"), 25
_BALLS, _MAX_BALLS = at("wNumBalls"), 12
_MACHINES = at("wTMsHMs")
_END = _BALLS + 1 + 2 * _MAX_BALLS

BAG_WINDOWS = (window("wTMsHMs", _END - _MACHINES),)
"""Work RAM that `BagReader` needs: the pockets follow each other."""


class BagReader:
    """Read the bag, making a new value only where its bytes changed."""

    def __init__(self, ram: WorkRam) -> None:
        self._ram = ram.data
        self._raw = bytearray()
        self._bag = Bag()

    def read(self) -> Bag:
        """Return the bag.

        A list is as long as its count says, or ends earlier at 0xFF.
        """
        raw = self._ram[_MACHINES:_END]
        if raw != self._raw:
            self._raw = raw
            machines = zip(MACHINE_ITEMS, raw, strict=False)
            self._bag = Bag(
                items=self._pairs(_ITEMS, _MAX_ITEMS),
                balls=self._pairs(_BALLS, _MAX_BALLS),
                key_items=tuple(self._list(_KEY_ITEMS, _MAX_KEY_ITEMS, 1)),
                machines=tuple((item, min(n, _MAX_COUNT)) for item, n in machines if n),
            )
        return self._bag

    def _pairs(self, start: int, maximum: int) -> tuple[tuple[int, int], ...]:
        raw = self._list(start, maximum, 2)
        counts = (min(count, _MAX_COUNT) for count in raw[1::2])
        return tuple(zip(raw[::2], counts, strict=True))

    def _list(self, start: int, maximum: int, width: int) -> bytes:
        """Return a pocket's entries of `width` bytes without count and end."""
        count = min(self._ram[start], maximum)
        raw = bytes(self._ram[start + 1 : start + 1 + width * count])
        ids = raw[::width]
        end = ids.find(_LIST_END)
        return raw if end < 0 else raw[: width * end]


# Read how far the story is: the maps' scene numbers, and the engine flags.

_ENGINE_FLAGS = {
    int(row["index"]): (int(row["address"], 16), int(row["bit"]))
    for row in read_rows(FACTS, "engine_flag_bits")
}
"""Address and bit of each engine flag that the story looks at: those of the day care, of calls and
of what is new each day are left out, and stay clear."""

_ADDRESSES = sorted({address for address, _ in _ENGINE_FLAGS.values()})
_PLACES = [
    (index, _ADDRESSES.index(address), bit) for index, (address, bit) in _ENGINE_FLAGS.items()
]
_NUM_BYTES = max(_ENGINE_FLAGS) // 8 + 1
_GATHER = itemgetter(*(address - BASE for address in _ADDRESSES))
_FIRST_SCENE = SYMBOLS["wMapScenes"].address - BASE
_SCENES = slice(_FIRST_SCENE, _FIRST_SCENE + SYMBOLS["wMapScenes"].size)

_GEAR = SYMBOLS["wPokegearFlags"].address
PROGRESS_WINDOWS: tuple[tuple[int, int], ...] = (
    (_GEAR, _FIRST_SCENE + BASE - _GEAR),  # one read is cheaper than two
    window("wMapScenes"),
    *((address, 1) for address in _ADDRESSES),
)


class ProgressReader:
    """Read scene numbers, and engine flags, rebuilt only when one of their bytes changed."""

    def __init__(self, ram: WorkRam) -> None:
        self._ram = ram
        self._raw: tuple[int, ...] = ()
        self._scenes = b""
        self._engine_flags = b""

    def scenes(self) -> bytes:
        """Return the scene numbers, in the order of their addresses."""
        raw = self._ram.data[_SCENES]
        if raw != self._scenes:
            self._scenes = bytes(raw)
        return self._scenes

    def engine_flags(self) -> bytes:
        """Return the flags, bit n is flag n, least significant first."""
        raw = _GATHER(self._ram.data)
        if raw != self._raw:
            self._raw = raw
            bits = sum((raw[at] >> bit & 1) << index for index, at, bit in _PLACES)
            self._engine_flags = bits.to_bytes(_NUM_BYTES, "little")
        return self._engine_flags


_ENVIRONMENTS = {1: "town", 2: "route", 3: "indoor", 4: "cave", 6: "gate", 7: "dungeon"}
_HOME_SPAWN = 0
"""Bit of wVisitedSpawns for the player's house, to which one cannot fly."""
_FACINGS = {int(facing): facing for facing in Facing}
_NOWHERE = Place(MapId(0, 0), "nowhere", 0, 0, Facing.DOWN, "indoor")

_GROUP, _NUMBER, _X, _Y = (at(f"w{name}") for name in ("MapGroup", "MapNumber", "XCoord", "YCoord"))
_DIRECTION, _ENVIRONMENT = at("wPlayerDirection"), at("wEnvironment")
_BATTLE_MODE, _WINDOWS = at("wBattleMode"), at("wWindowStackSize")
_TILEMAP, _FLAGS = at("wTilemap"), at("wEventFlags")
_MONEY, _JOHTO, _KANTO = at("wMoney"), at("wJohtoBadges"), at("wKantoBadges")
_MAX_MONEY = 999_999
_HOURS = at("wGameTimeHours")
_POKEDEX, _POKEDEX_END = at("wPokedexCaught"), at("wPokedexSeen") + 32
_SPECIES_MASK = (1 << 251) - 1
_MUSIC = at("wMapMusic")
_REPEL, _SPAWNS, _LAST_SPAWN = at("wRepelEffect"), at("wVisitedSpawns"), at("wLastSpawnMapGroup")

_STATE_WINDOWS: tuple[tuple[int, int], ...] = (
    *(
        window(name)
        for name in (
            "wMapNumber", "wPlayerDirection", "wEnvironment", "wEventFlags", "wMoney",
            "wJohtoBadges", "wKantoBadges",
            "wPokedexCaught", "wPokedexSeen", "wRepelEffect", "wVisitedSpawns",
            "wLastSpawnMapGroup", "wLastSpawnMapNumber", "wMapMusic",
        )
    ),
    window("wGameTimeHours", 5),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Pokedex:
    raw: bytes = b""
    caught: int = 0
    seen: int = 0
    caught_flags: bytes = bytes(32)
    seen_flags: bytes = bytes(32)


@dataclass(frozen=True, slots=True)
class _Journey:
    raw: bytes = b""
    fly_points: tuple[MapId, ...] = ()
    healing_place: MapId | None = None


class CrystalReader:
    """Read states from a running game.

    Parts whose bytes did not change are taken over from the last state, so reading costs little
    more than the copying of the RAM.

    Args:
        emulator: Runs the game.
        tables: Give the names.
    """

    def __init__(self, emulator: Emulator, tables: GameTables) -> None:
        self._emulator = emulator
        self._tables = tables
        windows = (
            *_STATE_WINDOWS,
            *CONTROL_WINDOWS,
            *MAP_WINDOWS,
            *BAG_WINDOWS,
            *CREATURE_WINDOWS,
            *PROGRESS_WINDOWS,
        )
        self._ram = WorkRam(windows)
        self._control = ControlReader(emulator, self._ram)
        self._maps = MapReader(emulator, self._ram, tables)
        self._creatures = CreatureReader(emulator, self._ram, self._tables)
        self._bag = BagReader(self._ram)
        self._progress = ProgressReader(self._ram)
        self._tilemap = self._flags = b""
        self._lines: tuple[str, ...] = ()
        self._place_bytes = b""
        self._place = _NOWHERE
        self._pokedex = _Pokedex()
        self._journey = _Journey()

    def read(self) -> GameState:
        """Read the current state."""
        self._ram.refresh(self._emulator)
        ram = self._ram.data
        tilemap = bytes(ram[_TILEMAP : _TILEMAP + 360])
        control = self._control.read(tilemap)
        if tilemap != self._tilemap:
            self._tilemap, self._lines = tilemap, box_lines(tilemap)
        is_loaded = not (control.in_transition or ram[_BATTLE_MODE] or ram[_WINDOWS])
        view = self._maps.read(control.is_free, is_loaded)
        if not control.in_transition:
            self._settle()
        party = self._creatures.party()
        pokedex, journey = self._read_pokedex(), self._read_journey()
        hours = ram[_HOURS] << 8 | ram[_HOURS + 1]
        minutes, seconds, frames = ram[_HOURS + 2 : _HOURS + 5]
        return GameState(
            place=self._place,
            control=control,
            party=party,
            battle=self._creatures.battle(party),
            badges=(ram[_JOHTO], ram[_KANTO]),
            money=min(int.from_bytes(ram[_MONEY : _MONEY + 3], "big"), _MAX_MONEY),
            play_time_s=hours * 3600 + minutes * 60 + seconds + frames / 60,
            caught=pokedex.caught,
            seen=pokedex.seen,
            bag=self._bag.read(),
            event_flags=self._read_flags(),
            screen_text=self._lines,
            map=view,
            caught_flags=pokedex.caught_flags,
            seen_flags=pokedex.seen_flags,
            fly_points=journey.fly_points,
            healing_place=journey.healing_place,
            repel_steps=ram[_REPEL],
            scenes=self._progress.scenes(),
            engine_flags=self._progress.engine_flags(),
            music=ram[_MUSIC],
        )

    def save(self) -> list[str]:
        """Return what RAM does not tell at any time: where the player was, the map seen there."""
        return [self._place_bytes.hex(), *self._maps.save()]

    def restore(self, saved: list[str]) -> None:
        """Put back what `save` returned."""
        place = bytes.fromhex(saved[0])
        if place:
            self._place, self._place_bytes = self._make_place(place), place
        self._maps.restore(saved[1:])

    def _settle(self) -> None:
        """Take the place from RAM, which is whole now; in transition the last one is kept."""
        ram = self._ram.data
        raw = bytes(
            (ram[_GROUP], ram[_NUMBER], ram[_X], ram[_Y], ram[_DIRECTION] & 12, ram[_ENVIRONMENT])
        )
        if raw != self._place_bytes:
            self._place, self._place_bytes = self._make_place(raw), raw

    def _make_place(self, raw: bytes) -> Place:
        group, number, x, y, direction, environment = raw
        facing, known, last = _FACINGS[direction & 12], self._place_bytes, self._place
        if raw[:2] == known[:2] and raw[5:] == known[5:]:  # of the map nothing changed
            return Place(last.map, last.name, x, y, facing, last.environment, last.landmark)
        tables, map_id = self._tables, MapId(group, number)
        landmark = tables.LANDMARKS.get(tables.MAP_LANDMARKS.get((group, number), 0), "")
        where = _ENVIRONMENTS.get(environment, "indoor")
        return Place(map_id, tables.map_name(map_id), x, y, facing, where, landmark)

    def _read_flags(self) -> bytes:
        """Return the event flags, the same object while they are the same: compared at no cost."""
        raw = self._ram.data[_FLAGS : _FLAGS + 256]
        if raw != self._flags:
            self._flags = bytes(raw)
        return self._flags

    def _read_pokedex(self) -> _Pokedex:
        raw = self._ram.data[_POKEDEX:_POKEDEX_END]
        if raw != self._pokedex.raw:
            flags = bytes(raw[:32]), bytes(raw[32:])
            caught, seen = (
                (int.from_bytes(each, "little") & _SPECIES_MASK).bit_count() for each in flags
            )
            self._pokedex = _Pokedex(bytes(raw), caught, seen, *flags)
        return self._pokedex

    def _read_journey(self) -> _Journey:
        ram = self._ram.data
        raw = ram[_SPAWNS : _LAST_SPAWN + 2]
        if raw != self._journey.raw:
            visited = int.from_bytes(raw[:4], "little")
            points = (
                MapId(*target)
                for bit, target in self._tables.SPAWNS.items()
                if bit != _HOME_SPAWN and visited >> bit & 1
            )
            group, number = ram[_LAST_SPAWN], ram[_LAST_SPAWN + 1]
            healing_place = MapId(group, number) if group else None
            self._journey = _Journey(bytes(raw), tuple(points), healing_place)
        return self._journey
