"""Read what waits for buttons: texts, questions, menus and lists, with their cursors."""

import struct
from typing import NamedTuple

from engine.games.emerald.memory import (
    CHOOSE_ACTION,
    CHOOSE_TARGET,
    SYMBOLS,
    Functions,
    Memory,
    Mode,
    ewram_at,
    iwram_at,
)
from engine.types import Prompt

_WORD = struct.Struct("<I")
_TASKS = struct.Struct("<" + "IB35x" * 16)
_TASK_SIZE = 40
_PRINTER_SIZE, _NUM_PRINTERS = 0x24, 32
_PRINTER_ACTIVE, _PRINTER_STATE = 0x1B, 0x1C
_WAITING = frozenset({1, 2, 3})
"""States of a printer that wait for A or B: to go on, to clear the box, to scroll it."""
_BEFORE_MARK = frozenset({2, 3})

_CALLBACK = iwram_at("gMain") + 4
_SCRIPT, _CONTEXT = iwram_at("sGlobalScriptContextStatus"), iwram_at("sGlobalScriptContext")
_MODE, _NATIVE = _CONTEXT + 1, _CONTEXT + 4
_RUNNING, _IN_NATIVE = 0, 2
_FADING, _FADE_BIT = ewram_at("gPaletteFade") + 7, 0x80
_TASK_LIST, _PRINTERS = iwram_at("gTasks"), ewram_at("sTextPrinters")
_PRINTERS_END = _PRINTERS + _PRINTER_SIZE * _NUM_PRINTERS
_BOX = ewram_at("sFieldMessageBoxMode")
_CONTROLLERS, _POSITIONS = iwram_at("gBattlerControllerFuncs"), ewram_at("gBattlerPositions")
_BATTLERS = ewram_at("gBattlersCount")
_ACTION, _MOVE = ewram_at("gActionSelectionCursor"), ewram_at("gMoveSelectionCursor")
_OWN_SIDE = 1  # bit of a battler's position: clear for the player's
_MENU, _START_CURSOR = ewram_at("sMenu"), ewram_at("sStartMenuCursorPos")
_START_ENTRIES = SYMBOLS["sCurrentStartMenuActions"].size
_MENU_CURSOR, _MENU_LEAST, _MENU_MOST = (_MENU + at for at in (2, 3, 4))
_MENU_COLUMNS, _MENU_ROWS = _MENU + 9, _MENU + 10
_BAG = ewram_at("gBagPosition")
_BAG_POCKET, _BAG_CURSORS, _BAG_SCROLLS = _BAG + 5, _BAG + 8, _BAG + 0x12
_NUM_POCKETS = 5
_SLOT = ewram_at("gPartyMenu") + 9
_CANCEL_SLOT = 7
_PARTY_COUNT, _PARTY_SIZE = ewram_at("gPlayerPartyCount"), 6

POCKETS = (0, 1, 3, 4, 2)
"""`Control.pocket` by the game's number of a pocket: items, balls, machines, berries, key items."""
LIST_END = 0xFF
"""`Control.selection` on the last line of a list, which closes it."""
_SQUARE = (2, 2)
"""Rows and columns of both menus of a battle."""
_MOST_ENTRIES = 64
_LIST_ENTRIES, _LIST_TOTAL, _LIST_SCROLL, _LIST_ROW = 8, 0x14, 0x20, 0x22
_ENTRY_SIZE, _ENTRY_ID = 8, 4
_QUANTITY_ITEM = 0x12

CONFIRM_STARTER, STARTER = "Task_HandleConfirmStarterInput", "Task_HandleStarterChooseInput"
_YES_NO = frozenset(
    {"Task_HandleYesNoInput", "Task_CallYesOrNoCallback", CONFIRM_STARTER,
     "Task_HandleReplaceMoveYesNoInput", "Task_HandleStopLearningMoveYesNoInput"}
)  # fmt: skip
REPLACE = "Task_HandleReplaceMoveInput"
_KNOWN_MOVES, _NEW_MOVE, _MOVE_ROW = 0x84, 0x40C4, 0x40C6
"""Of what the summary screen remembers: 4 u16 of its creature, u16, u8 from 0, where 4 is the new
one. From pret/pokeemerald's sources, not played."""
_MOVE_ROWS = 5
MULTICHOICE = "Task_HandleMultichoiceInput"
_OF_MENU = frozenset(
    {MULTICHOICE, "Task_HandleMultichoiceGridInput", "Task_HandleSelectionMenuInput",
     "Task_ShopMenu", "Task_ItemContext_SingleRow", "Task_ItemContext_MultipleRows"}
)  # fmt: skip
"""Their cursor is sMenu's."""
_GRIDS = ("Task_ItemContext_MultipleRows", "Task_HandleMultichoiceGridInput")
TASK_DATA, STARTERS = 8, 3
_BUYING = "Task_BuyHowManyDialogueHandleInput"
_QUANTITIES = frozenset({"Task_ChooseHowManyToToss", "Task_ChooseHowManyToSell"})
_BOUGHT, _GIVEN_AWAY = 0x0A, 0x18
"""Where in their tasks the quantity is."""
_ASKED_IN_BATTLE = "yesnobox"
_LEARNING, _ASKING = (b"\x5a", b"\x5b"), (b"\x67", b"\xf3")
"""Commands of battle scripts that ask yes or no: yesnoboxlearnmove, yesnoboxstoplearningmove;
yesnobox and trygivecaughtmonnick."""
_ASKED, _LEARN_STATE = b"\1", 0x1F
_LEVEL_UP, _LEVEL_UP_STATE, _SHOWING = b"\x6c", 0x1E, (b"\6", b"\x08")
"""Command that shows what a level adds, and its states that wait for a button."""
_COMMUNICATION = ewram_at("gBattleCommunication")
"""State of a command, and the cursor of its question."""


class Menu(NamedTuple):
    """What waits for a choice.

    Attributes:
        prompt: Which kind.
        name: Of the function that handles it, as in pret/pokeemerald.
        cursor: Row and column, 1-based; (0, 0): not known.
        size: Rows and columns.
        selection: See `Control`.
        pocket: See `Control`.
        place: In IWRAM, of the task of a list or a choice, or of how many are asked for; -1: none.
    """

    prompt: Prompt
    name: str = ""
    cursor: tuple[int, int] = (0, 0)
    size: tuple[int, int] = (0, 0)
    selection: int = 0
    pocket: int = 0
    place: int = -1


NO_MENU = Menu(Prompt.NONE)


class MenuReader:
    """Read what waits for buttons.

    Args:
        memory: Of the machine.
        functions: Of the image that it runs.
    """

    def __init__(self, memory: Memory, functions: Functions) -> None:
        self._memory = memory
        self._ewram, self._iwram = memory.ewram, memory.iwram
        self._functions = functions

    def read(self, mode: Mode) -> Menu:
        """Return what is waited for; of texts and screens only the prompt."""
        if mode is Mode.LOADING:
            return NO_MENU
        found = self._battle_menu() if mode is Mode.BATTLE else None
        found = found or self._task_menu()
        if found is not None:
            return found
        state = self.printing()
        if state is not None:
            return Menu(Prompt.TEXT if state in _WAITING else Prompt.PRINTING)
        if mode is Mode.FIELD and self.waits_for_press():
            return Menu(Prompt.TEXT)
        if mode is Mode.BATTLE:
            return self._battle_question() or NO_MENU
        callback = _WORD.unpack_from(self._iwram, _CALLBACK)[0]
        if callback == self._functions.evolution:
            return Menu(Prompt.PRINTING)
        has_box = mode is Mode.FIELD or callback in self._functions.lists
        if has_box and self._ewram[_BOX]:
            return Menu(Prompt.PRINTING)
        if mode is Mode.FIELD or self._ewram[_FADING] & _FADE_BIT:
            return NO_MENU
        if callback == self._functions.naming:
            return Menu(Prompt.NAMING)
        is_asked = mode is Mode.SCREEN and callback != self._functions.starter
        return Menu(Prompt.SCREEN if is_asked else Prompt.NONE)

    def waits_for_press(self) -> bool:
        """Return whether a script waits for A or B."""
        return self._runs(self._functions.press)

    def hears_fanfare(self) -> bool:
        """Return whether a script waits for the end of a fanfare."""
        return self._runs(self._functions.fanfare)

    def _runs(self, native: int) -> bool:
        """Return whether a script runs a native, which is stale but in its own mode."""
        iwram = self._iwram
        return (
            iwram[_SCRIPT] == _RUNNING
            and iwram[_MODE] == _IN_NATIVE
            and _WORD.unpack_from(iwram, _NATIVE)[0] == native
        )

    def printed(self, address: int, size: int) -> int:
        """Return how many bytes of a text are on the screen; `size` where it is not printed now.

        A printer that waits to clear or to scroll has already taken that mark.

        Args:
            address: Of the text.
            size: Of the place for it.
        """
        ewram = self._ewram
        for start in range(_PRINTERS, _PRINTERS_END, _PRINTER_SIZE):
            if ewram[start + _PRINTER_ACTIVE]:
                done = int(_WORD.unpack_from(ewram, start)[0]) - address
                if 0 <= done <= size:
                    state = ewram[start + _PRINTER_STATE]
                    return max(0, done - 1) if state in _BEFORE_MARK else done
        return size

    def printing(self) -> int | None:
        """Return the state of a text that is being printed, None where none is."""
        ewram = self._ewram
        active = bytes(ewram[_PRINTERS + _PRINTER_ACTIVE : _PRINTERS_END : _PRINTER_SIZE])
        for number, is_active in enumerate(active):
            if is_active:
                return ewram[_PRINTERS + _PRINTER_SIZE * number + _PRINTER_STATE]
        return None

    def _battle_menu(self) -> Menu | None:
        ewram, iwram = self._ewram, self._iwram
        if _WORD.unpack_from(iwram, _CALLBACK)[0] != self._functions.battle_loop:
            return None
        for battler in range(min(ewram[_BATTLERS], 4)):
            if ewram[_POSITIONS + battler] & _OWN_SIDE:
                continue
            asked = _WORD.unpack_from(iwram, _CONTROLLERS + 4 * battler)[0]
            name = self._functions.controllers.get(asked)
            if name == CHOOSE_TARGET:
                return Menu(Prompt.MENU, name)
            if name is not None:
                chosen = ewram[(_ACTION if name == CHOOSE_ACTION else _MOVE) + battler] & 3
                cursor = (chosen >> 1) + 1, (chosen & 1) + 1
                return Menu(Prompt.MENU, name, cursor, _SQUARE)
        return None

    def _battle_question(self) -> Menu | None:
        """Return what a battle's script asks or shows: a move to learn, the next one, a level."""
        instruction = self._functions.instruction
        if not instruction:
            return None
        command = self._memory.read(self._memory.pointer(instruction), 1)
        if command == _LEVEL_UP:
            shown = self._memory.read(self._functions.scripting + _LEVEL_UP_STATE, 1)
            return Menu(Prompt.TEXT) if shown in _SHOWING else None
        if command in _LEARNING:
            state = self._memory.read(self._functions.scripting + _LEARN_STATE, 1)
        elif command in _ASKING:
            state = bytes(self._ewram[_COMMUNICATION : _COMMUNICATION + 1])
        else:
            return None
        chosen = self._ewram[_COMMUNICATION + 1]
        if state != _ASKED or chosen > 1:
            return None
        return Menu(Prompt.YES_NO, _ASKED_IN_BATTLE, (chosen + 1, 1), (2, 1))

    def _task_menu(self) -> Menu | None:
        tasks = _TASKS.unpack_from(self._iwram, _TASK_LIST)
        best: tuple[int, str] | None = None
        slot = 0
        for number in range(16):
            if tasks[2 * number + 1]:
                found = self._functions.handlers.get(tasks[2 * number])
                if found is not None and (best is None or found < best):
                    best, slot = found, number
        if best is None:
            return None
        name, place = best[1], _TASK_LIST + _TASK_SIZE * slot
        if name in _YES_NO:
            return Menu(Prompt.YES_NO, name, *self._cursor((2, 1)), place=place)
        if name == STARTER:
            return self._starters(name, place)
        if name == _BUYING:
            item = self._word(place + _QUANTITY_ITEM)
            return Menu(Prompt.QUANTITY, name, selection=item, place=place + _BOUGHT)
        if name in _QUANTITIES:
            return Menu(Prompt.QUANTITY, name, place=place + _GIVEN_AWAY)
        if name in _OF_MENU:
            size = self._grid() if name in _GRIDS else None
            return Menu(Prompt.MENU, name, *self._cursor(size), place=place)
        if name == "Task_ShowStartMenu":
            row, rows = self._ewram[_START_CURSOR], self._ewram[_START_CURSOR + 1]
            if row < rows <= _START_ENTRIES:
                return Menu(Prompt.MENU, name, (row + 1, 1), (rows, 1))
            return Menu(Prompt.MENU, name)
        if name == REPLACE:
            return Menu(Prompt.MENU, name, *self._replace_cursor())
        if name == "Task_HandleChooseMonInput":
            return Menu(Prompt.MENU, name, *self._party_cursor())
        if name == "Task_BagMenu_HandleInput":
            return self._bag_menu(name)
        return self._list_menu(name, place)

    def _starters(self, name: str, place: int) -> Menu:
        chosen = self._word(place + TASK_DATA)
        cursor = (1, chosen + 1) if chosen < STARTERS else (0, 0)
        return Menu(Prompt.MENU, name, cursor, (1, STARTERS), place=place)

    def _grid(self) -> tuple[int, int]:
        return self._ewram[_MENU_ROWS], self._ewram[_MENU_COLUMNS]

    def _cursor(
        self, size: tuple[int, int] | None = None
    ) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return cursor and size of what sMenu handles; zeros where they are not plausible.

        Args:
            size: Rows and columns; None: one column, as long as sMenu says.
        """
        ewram = self._ewram
        chosen, least, most = ewram[_MENU_CURSOR], ewram[_MENU_LEAST], ewram[_MENU_MOST]
        rows, columns = size or (most + 1, 1)
        if least or not chosen <= most < _MOST_ENTRIES or not most < rows * columns:
            return (0, 0), (0, 0)
        return (chosen // columns + 1, chosen % columns + 1), (rows, columns)

    def _party_cursor(self) -> tuple[tuple[int, int], tuple[int, int]]:
        count, slot = self._ewram[_PARTY_COUNT], self._ewram[_SLOT]
        row = count if slot == _CANCEL_SLOT else slot
        if row > count or not 0 < count <= _PARTY_SIZE:
            return (0, 0), (0, 0)
        return (row + 1, 1), (count + 1, 1)

    def _replace_cursor(self) -> tuple[tuple[int, int], tuple[int, int]]:
        (row,) = self._summary(_MOVE_ROW, 1) or (_MOVE_ROWS,)
        if row >= _MOVE_ROWS:
            return (0, 0), (0, 0)
        return (row + 1, 1), (_MOVE_ROWS, 1)

    def replaceable_moves(self) -> tuple[int, ...]:
        """Return the moves of which one must go, the new one last; none where RAM has them not."""
        raw = self._summary(_KNOWN_MOVES, 8) + self._summary(_NEW_MOVE, 2)
        return struct.unpack(f"<{len(raw) // 2}H", raw)

    def _summary(self, at: int, size: int) -> bytes:
        """Return a part of what the summary screen remembers; b"" where that is not known."""
        start = self._memory.pointer(self._functions.summary)
        return self._memory.read(start + at, size) if start else b""

    def _bag_menu(self, name: str) -> Menu:
        """Return the bag's list; `selection` is the place in the pocket, from 0."""
        pocket = self._ewram[_BAG_POCKET]
        if pocket >= _NUM_POCKETS:
            return Menu(Prompt.MENU)
        at = struct.unpack_from("<H", self._ewram, _BAG_CURSORS + 2 * pocket)[0]
        scroll = struct.unpack_from("<H", self._ewram, _BAG_SCROLLS + 2 * pocket)[0]
        return Menu(Prompt.MENU, name, selection=at + scroll, pocket=POCKETS[pocket])

    def _list_menu(self, name: str, place: int) -> Menu:
        """Return a list of a shop; `selection` is the item."""
        total, scroll, row = (
            self._word(place + at) for at in (_LIST_TOTAL, _LIST_SCROLL, _LIST_ROW)
        )
        chosen = scroll + row
        if not chosen < total <= _MOST_ENTRIES:
            return Menu(Prompt.MENU, name)
        item = self.list_items(place)[chosen : chosen + 1]
        selection = item[0] if item else 0
        return Menu(
            Prompt.MENU, name, (chosen + 1, 1), (total, 1), selection=selection, place=place
        )

    def list_items(self, place: int) -> tuple[int, ...]:
        """Return the items of a shop's list, `LIST_END` for the entry that leaves it."""
        total = min(self._word(place + _LIST_TOTAL), _MOST_ENTRIES)
        address = _WORD.unpack_from(self._iwram, place + _LIST_ENTRIES)[0]
        raw = self._memory.read(address, total * _ENTRY_SIZE)
        ids = (
            int.from_bytes(raw[at : at + 4], "little")
            for at in range(_ENTRY_ID, len(raw), _ENTRY_SIZE)
        )
        return tuple(item if item < 0x8000 else LIST_END for item in ids)

    def _word(self, at: int) -> int:
        return self._iwram[at] | self._iwram[at + 1] << 8
