"""Read the text boxes, and tell who is in control and what the screen waits for.

The rules for the latter were fitted on bytes recorded frame by frame with what the game really
polled for; the tests hold them against that record. One of them takes a few frames to be sure: any
loop that asks for buttons lets wTextDelayFrames run from 5 to 0 again and again, so it reads 3 to 5
in half of the frames. `engine.games.crystal.pressing` waits for such a frame after each press.
"""

from engine.emulator.base import Emulator
from engine.games.base import FREE, MENU_PROMPTS, TEXT_PROMPTS
from engine.games.crystal.machines import MACHINE_ITEMS
from engine.games.crystal.maps import is_plausible_size
from engine.games.crystal.memory import FACTS, SYMBOLS, WorkRam, at, window
from engine.games.facts import read_rows
from engine.types import Control, Prompt

# Read the text boxes on the screen from the tile map.

CHARMAP = {int(row["code"], 16): row["text"] for row in read_rows(FACTS, "charmap")}
"""Character code -> text."""
WIDTH, HEIGHT = 20, 18
_CORNER, _RIGHT_CORNER, _SIDE = 0x79, 0x7B, 0x7C
_LOWER_CORNER = 0x7D
_TEXT_BOX_TOP, _TEXT_BOX_BOTTOM = 12 * WIDTH, 17 * WIDTH

# Map tiles and pictures have no text; the borders of boxes are left out of lines.
_LETTERS = [" " if 0x79 <= code < 0x7F else CHARMAP.get(code, " ") for code in range(256)]


def has_text_box(tilemap: bytes) -> bool:
    """Return whether the text box at rows 12-17 is shown (wTilemap C4A0, 360 bytes)."""
    return tilemap[_TEXT_BOX_TOP] == _CORNER and tilemap[_TEXT_BOX_BOTTOM] == _LOWER_CORNER


def box_lines(tilemap: bytes) -> tuple[str, ...]:
    """Return the lines inside boxes from top to bottom, without empty ones.

    Pictures decode as letters too, so only what lies between two vertical borders of boxes is
    read; what lies between two boxes side by side is in neither.
    """
    if _CORNER not in tilemap:
        return ()
    lines = []
    for start in range(0, WIDTH * HEIGHT, WIDTH):
        row = tilemap[start : start + WIDTH]
        left = row.find(_SIDE)
        while left >= 0:
            right = row.find(_SIDE, left + 1)
            if right < 0:
                break
            text = "".join([_LETTERS[code] for code in row[left + 1 : right]]).strip()
            if text and not _is_between(tilemap, start + left, start + right):
                lines.append(text)
            left = right
    return tuple(lines)


def _is_between(tilemap: bytes, left: int, right: int) -> bool:
    """Return whether one box ends at the cell `left` and another begins at the cell `right`.

    The top of a side may be hidden by another box; then it can be either side.
    """
    return _top(tilemap, left) == _RIGHT_CORNER and _top(tilemap, right) == _CORNER


def _top(tilemap: bytes, cell: int) -> int:
    """Return the code above the vertical border that goes through `cell`."""
    while cell >= 0 and tilemap[cell] == _SIDE:
        cell -= WIDTH
    return tilemap[cell] if cell >= 0 else 0


HANDLING = 2  # wMapStatus while the map's control loop runs
STANDING = 255  # wPlayerWalking
POLLING = (3, 4, 5)
"""Values of wTextDelayFrames that only loops that ask for buttons reach, at most text speeds."""

_AWAY = 255  # wXCoord or wYCoord for 2 frames on a map connection
_CURSOR, _ARROW, _TIMES = 0xED, 0xEE, 0xF1
_YES_NO = 0x1E25  # of YES and NO, in wMenuDataPointer
_TEXT_BOX = bytes((12, 0, 17, 19))  # top, left, bottom, right
_TEXT_AT_WORK = 2  # bit of wTextboxFlags
_SLOW, _NO_DELAY = 5, 0x10  # wOptions

_ARROW_CELL = 17 * WIDTH + 18
_SPINNERS = tuple(
    (above[1] * WIDTH + above[0], top, below[1] * WIDTH + below[0], bottom)
    for above, top, below, bottom in (
        ((11, 7), 0x01, (11, 10), 0x02),  # the hour
        ((15, 7), 0x01, (15, 10), 0x02),  # the minute
        ((14, 3), 0xEF, (14, 6), 0xF5),  # the day
    )
)
"""Cells of the arrows above and below what is chosen, with their codes."""
_GEAR_ICON = ((0, b"\x46\x47"), (WIDTH, b"\x56\x57"))
"""Cells of the icon that stands on each card of the Pokégear, with their codes."""
_NUM_CARDS = 4
_NAMING_ROW = slice(16 * WIDTH, 17 * WIDTH)
_DEL, _END = b"\x83\x84\x8b", b"\x84\x8d\x83"

_GROUP, _X, _Y = at("wMapGroup"), at("wXCoord"), at("wYCoord")
_WIDTH, _HEIGHT = at("wMapWidth"), at("wMapHeight")
_MAP_STATUS, _EVENTS_OFF, _SCRIPT = at("wMapStatus"), at("wMapEventStatus"), at("wScriptRunning")
_WALKING, _COUNTING, _BATTLE_MODE = at("wPlayerWalking"), at("wGameTimerPaused"), at("wBattleMode")
_WINDOWS, _CURSOR_Y, _CURSOR_X = at("wWindowStackSize"), at("wMenuCursorY"), at("wMenuCursorX")
_SELECTION, _POCKET = at("wMenuSelection"), at("wCurPocket")
_SPRITES_ON, _CARD, _DIAL = (
    at("wSpriteUpdatesEnabled"), at("wPokegearCard"), at("wRadioTuningKnob")
)  # fmt: skip
_MACHINES, _SCROLLED = at("wTMsHMs"), at("wTMHMPocketScrollPosition")
_MACHINE_POCKET, _POCKET_SIZE, _CANCEL = 3, (5, 1), 0xFF
_ROWS, _COLUMNS = at("w2DMenuNumRows"), at("w2DMenuNumCols")
_BORDERS, _DATA, _CELL = at("wMenuBorderCoords"), at("wMenuDataPointer"), at("wCursorCurrentTile")
_DELAY, _TEXT_FLAGS, _OPTIONS = at("wTextDelayFrames"), at("wTextboxFlags"), at("wOptions")
_TILEMAP = SYMBOLS["wTilemap"]
_UPDATE = SYMBOLS["hOAMUpdate"]

CONTROL_WINDOWS: tuple[tuple[int, int], ...] = tuple(
    window(name)
    for name in (
        "wMapGroup", "wXCoord", "wYCoord", "wMapWidth", "wMapHeight", "wMapStatus",
        "wMapEventStatus", "wScriptRunning", "wPlayerWalking", "wGameTimerPaused", "wBattleMode",
        "wWindowStackSize", "wMenuCursorY", "wMenuCursorX", "w2DMenuNumRows", "w2DMenuNumCols",
        "wMenuSelection", "wCurPocket",
        "wMenuBorderCoords", "wMenuDataPointer", "wCursorCurrentTile", "wTextDelayFrames",
        "wTextboxFlags", "wOptions", "wTilemap", "wTMsHMs", "wTMHMPocketScrollPosition",
        "wSpriteUpdatesEnabled", "wPokegearCard", "wRadioTuningKnob",
    )
)  # fmt: skip

_WITH_CURSOR = (Prompt.MENU, Prompt.YES_NO)


class ControlReader:
    """Read `Control` from a copy of the work RAM.

    Args:
        emulator: Runs the game.
        ram: Keeps `CONTROL_WINDOWS`.
    """

    def __init__(self, emulator: Emulator, ram: WorkRam) -> None:
        self._emulator = emulator
        self._ram = ram

    def read(self, tilemap: bytes) -> Control:
        """Return who is in control; `tilemap` is wTilemap."""
        ram = self._ram.data
        is_running = bool(ram[_COUNTING] & 1) and ram[_GROUP] != 0
        in_transition = not is_running or not self._is_whole()
        is_free = (
            not in_transition
            and not ram[_EVENTS_OFF]
            and not ram[_SCRIPT]
            and ram[_WALKING] == STANDING
            and not ram[_BATTLE_MODE]
            and not ram[_WINDOWS]
        )
        if is_free:
            return FREE
        prompt = self._prompt(tilemap)
        has_cursor = prompt in _WITH_CURSOR
        selection, pocket = self._chosen(prompt, tilemap)
        return Control(
            in_game=is_running,
            is_free=False,
            in_text=prompt in TEXT_PROMPTS,
            in_menu=prompt in MENU_PROMPTS,
            is_scripted=ram[_SCRIPT] != 0,
            in_transition=in_transition,
            cursor=(ram[_CURSOR_Y], ram[_CURSOR_X]) if has_cursor else (0, 0),
            menu_size=(ram[_ROWS], ram[_COLUMNS]) if has_cursor else (0, 0),
            prompt=prompt,
            selection=selection,
            pocket=pocket,
        )

    def _chosen(self, prompt: Prompt, tilemap: bytes) -> tuple[int, int]:
        """Return `Control.selection` and `Control.pocket`."""
        if prompt in MENU_PROMPTS:
            return self._selection(), self._ram.data[_POCKET]
        card = self._card(tilemap) if prompt is Prompt.SCREEN else 0
        return (self._ram.data[_DIAL], card) if card else (0, 0)

    def _card(self, tilemap: bytes) -> int:
        """Return which card of an open Pokégear is shown, from 1; 0: none is open."""
        ram = self._ram.data
        is_screen = ram[_WINDOWS] and not ram[_SPRITES_ON] and not ram[_BATTLE_MODE]
        is_gear = is_screen and all(tilemap.startswith(codes, at) for at, codes in _GEAR_ICON)
        return ram[_CARD] + 1 if is_gear and ram[_CARD] < _NUM_CARDS else 0

    def _selection(self) -> int:
        """Return the item under the cursor; the machine pocket alone does not name it."""
        ram = self._ram.data
        if ram[_POCKET] != _MACHINE_POCKET or (ram[_ROWS], ram[_COLUMNS]) != _POCKET_SIZE:
            return ram[_SELECTION]
        counts = ram[_MACHINES : _MACHINES + len(MACHINE_ITEMS)]
        owned = [item for item, count in zip(MACHINE_ITEMS, counts, strict=True) if count]
        index = ram[_SCROLLED] + ram[_CURSOR_Y] - 1
        return owned[index] if 0 <= index < len(owned) else _CANCEL

    def _prompt(self, tilemap: bytes) -> Prompt:
        ram = self._ram.data
        is_polled = ram[_DELAY] in POLLING
        if self._card(tilemap):
            return Prompt.SCREEN if is_polled else Prompt.NONE
        has_box = has_text_box(tilemap)
        if has_box and tilemap[_ARROW_CELL] == _ARROW:
            return Prompt.TEXT
        cell = (ram[_CELL] | ram[_CELL + 1] << 8) - _TILEMAP.address
        cursor = tilemap[cell] if 0 <= cell < len(tilemap) else 0
        is_question = ram[_DATA] | ram[_DATA + 1] << 8 == _YES_NO and ram[_WINDOWS]
        if cursor == _CURSOR and ram[_CURSOR_Y] and not (has_box and self._is_covered(cell)):
            return Prompt.YES_NO if is_question else Prompt.MENU
        if is_question:
            return Prompt.NONE  # its cursor is not drawn yet
        for above, top, below, bottom in _SPINNERS:
            if tilemap[above] == top and tilemap[below] == bottom:
                return Prompt.SPINNER
        row = tilemap[_NAMING_ROW]
        if _DEL in row and _END in row:
            return Prompt.NAMING
        if not has_box:
            return Prompt.SCREEN if is_polled else Prompt.NONE
        if ram[_TEXT_FLAGS] & _TEXT_AT_WORK:
            return Prompt.TEXT if is_polled and not self._is_slow() else Prompt.PRINTING
        if self._shows_number(tilemap):
            return Prompt.QUANTITY
        return Prompt.TEXT if is_polled or self._is_update_held() else Prompt.NONE

    def _shows_number(self, tilemap: bytes) -> bool:
        """Return whether the newest box begins with the sign of how many are meant."""
        top, left = self._ram.data[_BORDERS : _BORDERS + 2]
        first = (top + 1) * WIDTH + left + 1
        return tilemap[first : first + 1] == bytes((_TIMES,))

    def _is_covered(self, cell: int) -> bool:
        """Return whether a menu's cursor is left over beside a text box drawn since."""
        is_text_newest = self._ram.data[_BORDERS : _BORDERS + 4] == _TEXT_BOX
        return is_text_newest and not self._is_inside(cell)

    def _is_inside(self, cell: int) -> bool:
        """Return whether a cell lies in the newest menu or text box."""
        top, left, bottom, right = self._ram.data[_BORDERS : _BORDERS + 4]
        y, x = divmod(cell, WIDTH)
        return top <= y <= bottom and left <= x <= right

    def _is_slow(self) -> bool:
        """Return whether printing also lets wTextDelayFrames reach 4: then only the arrow tells."""
        options = self._ram.data[_OPTIONS]
        return options & 7 == _SLOW and not options & _NO_DELAY

    def _is_update_held(self) -> bool:
        return self._emulator.read(_UPDATE.bank, _UPDATE.address, 1)[0] == 1

    def _is_whole(self) -> bool:
        """Return whether the map is loaded and the coordinates are of it.

        On a connection they are 255, or the map's size, for 2 frames.
        """
        ram = self._ram.data
        x, y = ram[_X], ram[_Y]
        return (
            ram[_MAP_STATUS] == HANDLING
            and x != _AWAY
            and y != _AWAY
            and x < 2 * ram[_WIDTH]
            and y < 2 * ram[_HEIGHT]
            and is_plausible_size(ram)
        )
