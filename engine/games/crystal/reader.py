"""Read a frozen GameState from the work RAM of Pokémon Crystal, or of the practice game."""

from dataclasses import dataclass

from engine.emulator.base import Emulator
from engine.games.base import GameTables
from engine.games.crystal.bag import BAG_WINDOWS, BagReader
from engine.games.crystal.creatures import CREATURE_WINDOWS, CreatureReader
from engine.games.crystal.maps import MAP_WINDOWS, MapReader, is_plausible_size
from engine.games.crystal.ram import WorkRam, at, window
from engine.games.crystal.screen import box_lines, has_text_box
from engine.types import Control, Facing, GameState, MapId, Place

_ENVIRONMENTS = {1: "town", 2: "route", 3: "indoor", 4: "cave", 6: "gate", 7: "dungeon"}
_HANDLING = 2  # wMapStatus while the map's control loop runs
_STANDING = 255  # wPlayerWalking
_AWAY = 255  # wXCoord or wYCoord for 2 frames on a map connection
_HOME_SPAWN = 0
"""Bit of wVisitedSpawns for the player's house, to which one cannot fly."""
_NOWHERE = Place(MapId(0, 0), "nowhere", 0, 0, Facing.DOWN, "indoor")

_GROUP, _NUMBER, _X, _Y = (at(f"w{name}") for name in ("MapGroup", "MapNumber", "XCoord", "YCoord"))
_DIRECTION, _WALKING = at("wPlayerDirection"), at("wPlayerWalking")
_ENVIRONMENT = at("wEnvironment")
_WIDTH, _HEIGHT = at("wMapWidth"), at("wMapHeight")
_MAP_STATUS, _EVENTS_OFF, _SCRIPT = (
    at("wMapStatus"),
    at("wMapEventStatus"),
    at("wScriptRunning"),
)
_COUNTING, _BATTLE_MODE = at("wGameTimerPaused"), at("wBattleMode")
_WINDOWS, _CURSOR_Y, _CURSOR_X = at("wWindowStackSize"), at("wMenuCursorY"), at("wMenuCursorX")
_ROWS, _COLUMNS = at("w2DMenuNumRows"), at("w2DMenuNumCols")
_TILEMAP, _FLAGS = at("wTilemap"), at("wEventFlags")
_MONEY, _JOHTO, _KANTO = at("wMoney"), at("wJohtoBadges"), at("wKantoBadges")
_MAX_MONEY = 999_999
_HOURS = at("wGameTimeHours")
_POKEDEX, _POKEDEX_END = at("wPokedexCaught"), at("wPokedexSeen") + 32
_SPECIES_MASK = (1 << 251) - 1
_REPEL, _SPAWNS, _LAST_SPAWN = at("wRepelEffect"), at("wVisitedSpawns"), at("wLastSpawnMapGroup")

_STATE_WINDOWS: tuple[tuple[int, int], ...] = (
    *(
        window(name)
        for name in (
            "wMapGroup", "wMapNumber", "wXCoord", "wYCoord", "wPlayerDirection", "wPlayerWalking",
            "wEnvironment", "wMapStatus", "wMapEventStatus", "wScriptRunning", "wGameTimerPaused",
            "wBattleMode", "wWindowStackSize", "wMenuCursorY", "wMenuCursorX", "w2DMenuNumRows",
            "w2DMenuNumCols", "wTilemap", "wEventFlags", "wMoney", "wJohtoBadges", "wKantoBadges",
            "wPokedexCaught", "wPokedexSeen", "wRepelEffect", "wVisitedSpawns",
            "wLastSpawnMapGroup", "wLastSpawnMapNumber",
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
        windows = (*_STATE_WINDOWS, *MAP_WINDOWS, *BAG_WINDOWS, *CREATURE_WINDOWS)
        self._ram = WorkRam(windows)
        self._maps = MapReader(emulator, self._ram, self._tables.MAPS)
        self._creatures = CreatureReader(emulator, self._ram, self._tables)
        self._bag = BagReader(self._ram)
        self._tilemap = b""
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
        control = self._control(tilemap)
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
            event_flags=bytes(ram[_FLAGS : _FLAGS + 256]),
            screen_text=self._lines,
            map=view,
            caught_flags=pokedex.caught_flags,
            seen_flags=pokedex.seen_flags,
            fly_points=journey.fly_points,
            healing_place=journey.healing_place,
            repel_steps=ram[_REPEL],
        )

    def save(self) -> list[str]:
        """Return what RAM does not tell at any time: where the player was, the map seen there."""
        return [self._place_bytes.hex(), *self._maps.save()]

    def restore(self, saved: list[str]) -> None:
        """Put back what `save` returned."""
        place = bytes.fromhex(saved[0])
        if place:
            self._place_bytes, self._place = place, self._make_place(place)
        self._maps.restore(saved[1:])

    def _settle(self) -> None:
        """Take the place from RAM, which is whole now; in transition the last one is kept."""
        ram = self._ram.data
        raw = bytes(
            (ram[_GROUP], ram[_NUMBER], ram[_X], ram[_Y], ram[_DIRECTION] & 12, ram[_ENVIRONMENT])
        )
        if raw != self._place_bytes:
            self._place_bytes, self._place = raw, self._make_place(raw)

    def _make_place(self, raw: bytes) -> Place:
        group, number, x, y, direction, environment = raw
        tables, map_id = self._tables, MapId(group, number)
        landmark = tables.MAP_LANDMARKS.get((group, number), 0)
        return Place(
            map_id,
            self._maps.name(map_id),
            x,
            y,
            Facing(direction),
            _ENVIRONMENTS.get(environment, "indoor"),
            tables.LANDMARKS.get(landmark, ""),
        )

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

    def _control(self, tilemap: bytes) -> Control:
        """Tell who is in control (facts: "In control" in emulator.md)."""
        ram = self._ram.data
        is_running = bool(ram[_COUNTING] & 1) and ram[_GROUP] != 0
        is_scripted = ram[_SCRIPT] != 0
        in_transition = not is_running or not self._is_whole()
        is_free = (
            not in_transition
            and not is_scripted
            and not ram[_BATTLE_MODE]
            and not ram[_EVENTS_OFF]
            and not ram[_WINDOWS]
            and ram[_WALKING] == _STANDING
        )
        in_menu = ram[_CURSOR_Y] != 0 and not is_free
        return Control(
            in_game=is_running,
            is_free=is_free,
            in_text=not is_free and not in_menu and has_text_box(tilemap),
            in_menu=in_menu,
            is_scripted=is_scripted,
            in_transition=in_transition,
            cursor=(ram[_CURSOR_Y], ram[_CURSOR_X]) if in_menu else (0, 0),
            menu_size=(ram[_ROWS], ram[_COLUMNS]) if in_menu else (0, 0),
        )

    def _is_whole(self) -> bool:
        """Return whether the map is loaded and the coordinates are of it.

        On a connection they are 255, or the map's size, for 2 frames.
        """
        ram = self._ram.data
        x, y = ram[_X], ram[_Y]
        return (
            ram[_MAP_STATUS] == _HANDLING
            and x != _AWAY
            and y != _AWAY
            and x < 2 * ram[_WIDTH]
            and y < 2 * ram[_HEIGHT]
            and is_plausible_size(ram)
        )
