"""Read a frozen GameState from the work RAM of Pokémon Crystal, or of the practice game."""

from engine.emulator.base import Emulator
from engine.games.crystal.creatures import CREATURE_WINDOWS, CreatureReader
from engine.games.crystal.maps import MAP_WINDOWS, MapReader
from engine.games.crystal.ram import WorkRam, at, window
from engine.games.crystal.screen import box_lines, has_text_box
from engine.games.profile import GameProfile
from engine.types import Bag, Control, Facing, GameState, MapId, Place

_ENVIRONMENTS = {1: "town", 2: "route", 3: "indoor", 4: "cave", 6: "gate", 7: "dungeon"}
_HANDLING = 2  # wMapStatus while the map's control loop runs
_STANDING = 255  # wPlayerWalking
_AWAY = 255  # wXCoord or wYCoord for 2 frames on a map connection
_LIST_END = 0xFF

_GROUP, _NUMBER, _X, _Y = (at(f"w{name}") for name in ("MapGroup", "MapNumber", "XCoord", "YCoord"))
_DIRECTION, _WALKING = at("wPlayerDirection"), at("wPlayerWalking")
_ENVIRONMENT = at("wEnvironment")
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
_ITEMS, _KEY_ITEMS, _BALLS = at("wNumItems"), at("wNumKeyItems"), at("wNumBalls")
_HOURS = at("wGameTimeHours")
_CAUGHT, _SEEN = at("wPokedexCaught"), at("wPokedexSeen")
_MAX_ITEMS, _MAX_KEY_ITEMS, _MAX_BALLS = 20, 25, 12

_STATE_WINDOWS: tuple[tuple[int, int], ...] = (
    *(
        window(name)
        for name in (
            "wMapGroup", "wMapNumber", "wXCoord", "wYCoord", "wPlayerDirection", "wPlayerWalking",
            "wEnvironment", "wMapStatus", "wMapEventStatus", "wScriptRunning", "wGameTimerPaused",
            "wBattleMode", "wWindowStackSize", "wMenuCursorY", "wMenuCursorX", "w2DMenuNumRows",
            "w2DMenuNumCols", "wTilemap", "wEventFlags", "wMoney", "wJohtoBadges", "wKantoBadges",
            "wNumItems", "wItems", "wNumKeyItems", "wKeyItems", "wNumBalls", "wBalls",
            "wPokedexCaught", "wPokedexSeen",
        )
    ),
    window("wGameTimeHours", 5),
)  # fmt: skip


class CrystalReader:
    """Read states from a running game.

    Parts whose bytes did not change are taken over from the last state, so reading costs little
    more than the copying of the RAM.

    Args:
        emulator: Runs the game.
        profile: Gives the names.
    """

    def __init__(self, emulator: Emulator, profile: GameProfile) -> None:
        self._emulator = emulator
        self._names = profile.tables.MAPS
        self._ram = WorkRam((*_STATE_WINDOWS, *MAP_WINDOWS, *CREATURE_WINDOWS))
        self._maps = MapReader(emulator, self._ram)
        self._creatures = CreatureReader(self._ram, profile.tables)
        self._tilemap = b""
        self._lines: tuple[str, ...] = ()
        self._bag_bytes = b""
        self._bag = Bag()

    def read(self) -> GameState:
        """Read the state of now."""
        self._ram.refresh(self._emulator)
        ram = self._ram.data
        tilemap = bytes(ram[_TILEMAP : _TILEMAP + 360])
        control = self._control(tilemap)
        if tilemap != self._tilemap:
            self._tilemap, self._lines = tilemap, box_lines(tilemap)
        view = self._maps.read(control.is_free)
        hours = ram[_HOURS] << 8 | ram[_HOURS + 1]
        minutes, seconds, frames = ram[_HOURS + 2 : _HOURS + 5]
        return GameState(
            place=self._place(),
            control=control,
            party=self._creatures.party(),
            battle=self._creatures.battle(),
            badges=(ram[_JOHTO], ram[_KANTO]),
            money=int.from_bytes(ram[_MONEY : _MONEY + 3], "big"),
            play_time_s=hours * 3600 + minutes * 60 + seconds + frames / 60,
            caught=int.from_bytes(ram[_CAUGHT : _CAUGHT + 32], "big").bit_count(),
            seen=int.from_bytes(ram[_SEEN : _SEEN + 32], "big").bit_count(),
            bag=self._read_bag(),
            event_flags=bytes(ram[_FLAGS : _FLAGS + 256]),
            screen_text=self._lines,
            map=view,
        )

    def save(self) -> list[str]:
        """Return what RAM does not tell at any time (the map seen before a battle)."""
        return self._maps.save()

    def restore(self, saved: list[str]) -> None:
        """Put back what `save` returned."""
        self._maps.restore(saved)

    def _place(self) -> Place:
        ram = self._ram.data
        key = (ram[_GROUP], ram[_NUMBER])
        name = self._names.get(key) or f"map {key[0]}.{key[1]}"
        environment = _ENVIRONMENTS.get(ram[_ENVIRONMENT], "indoor")
        facing = Facing(ram[_DIRECTION] & 12)
        return Place(MapId(*key), name, ram[_X], ram[_Y], facing, environment)

    def _control(self, tilemap: bytes) -> Control:
        """Tell who is in control (facts: "In control" in emulator.md)."""
        ram = self._ram.data
        is_running = bool(ram[_COUNTING] & 1) and ram[_GROUP] != 0
        is_scripted = ram[_SCRIPT] != 0
        in_transition = ram[_MAP_STATUS] != _HANDLING or ram[_X] == _AWAY or ram[_Y] == _AWAY
        is_free = (
            is_running
            and not is_scripted
            and not in_transition
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

    def _read_bag(self) -> Bag:
        ram = self._ram.data
        raw = bytes(ram[_ITEMS : _BALLS + 1 + 2 * _MAX_BALLS])
        if raw != self._bag_bytes:
            keys = min(ram[_KEY_ITEMS], _MAX_KEY_ITEMS)
            key_items = ram[_KEY_ITEMS + 1 : _KEY_ITEMS + 1 + keys]
            self._bag_bytes = raw
            self._bag = Bag(
                items=self._pairs(_ITEMS, _MAX_ITEMS),
                balls=self._pairs(_BALLS, _MAX_BALLS),
                key_items=tuple(item for item in key_items if item != _LIST_END),
            )
        return self._bag

    def _pairs(self, start: int, maximum: int) -> tuple[tuple[int, int], ...]:
        ram = self._ram.data
        count = min(ram[start], maximum)
        places = range(start + 1, start + 1 + 2 * count, 2)
        return tuple((ram[at], ram[at + 1]) for at in places if ram[at] != _LIST_END)
