"""Say what is written on the screen, as the game's texts, cursors and lists tell it.

There is no map of letters in memory: windows are drawn pixel by pixel. So the lines are put
together from what is being printed and from what an open menu offers; what memory does not tell,
such as the entries of a choice that a script offers, is left out.
"""

from collections.abc import Sequence

from engine.games.base import GameTables
from engine.games.emerald.memory import EWRAM, Memory, SaveBlocks, ewram_at
from engine.games.emerald.menus import LIST_END, Menu, MenuReader
from engine.games.emerald.modes import Mode
from engine.games.emerald.symbols import SYMBOLS
from engine.games.emerald.text import decode, shown_lines
from engine.types import Bag, Battle, Creature, Prompt

CURSOR = "▶"
_FIELD_TEXT, _BATTLE_TEXT = SYMBOLS["gStringVar4"], SYMBOLS["gDisplayedStringBattle"]
_NAME_SIZE = 8  # of SaveBlock2, at its start
_START_CURSOR, _START_ENTRIES = (
    ewram_at("sStartMenuCursorPos"),
    ewram_at("sCurrentStartMenuActions"),
)
_PLAYER = 4
_START_NAMES = ("POKéDEX", "POKéMON", "BAG", "POKéNAV", "", "SAVE", "OPTION", "EXIT")
"""By the number of an entry; the player's name is one."""
_ACTIONS = ("FIGHT", "BAG", "POKéMON", "RUN")
_SHOP = ("BUY", "SELL", "QUIT")
_POCKET_TITLES = ("ITEMS", "BALLS", "KEY ITEMS", "MACHINES", "BERRIES")
_ROWS = 8
"""Entries that a bag's or a shop's list shows at once."""
_CANCEL = "CANCEL"
_COUNT = 0x0A
"""Of a task that asks how many: u16."""


class ScreenReader:
    """Put the lines together.

    Args:
        memory: Of the machine.
        menus: Knows what lists hold.
        tables: Name items.
    """

    def __init__(self, memory: Memory, menus: MenuReader, tables: GameTables) -> None:
        self._memory = memory
        self._ewram, self._iwram = memory.ewram, memory.iwram
        self._menus = menus
        self._items = tables.ITEMS

    def lines(
        self,
        mode: Mode,
        menu: Menu,
        blocks: SaveBlocks | None,
        party: Sequence[Creature],
        battle: Battle | None,
        bag: Bag,
    ) -> tuple[str, ...]:
        """Return what is written, from the text to the menu, `CURSOR` before the chosen entry."""
        return (*self._text(mode, menu), *self._entries(menu, blocks, party, battle, bag))

    def _text(self, mode: Mode, menu: Menu) -> tuple[str, ...]:
        if menu.name in ("HandleInputChooseMove", "Task_ShowStartMenu"):
            return ()
        if mode is Mode.BATTLE:
            return self._printed(_BATTLE_TEXT.address, _BATTLE_TEXT.size)
        is_shown = menu.prompt not in (Prompt.NONE, Prompt.SCREEN, Prompt.NAMING)
        if mode is Mode.LOADING or not is_shown:
            return ()
        return self._printed(_FIELD_TEXT.address, _FIELD_TEXT.size)

    def _printed(self, address: int, size: int) -> tuple[str, ...]:
        """Return what of a text a box shows: up to where it is being printed, else its end."""
        start = address - EWRAM
        raw = bytes(self._ewram[start : start + size])
        return shown_lines(raw[: self._menus.printed(address, size)])

    def _entries(
        self,
        menu: Menu,
        blocks: SaveBlocks | None,
        party: Sequence[Creature],
        battle: Battle | None,
        bag: Bag,
    ) -> tuple[str, ...]:
        row, column = menu.cursor
        match menu.name:
            case "HandleInputChooseAction":
                return _marked(_ACTIONS, 2 * (row - 1) + column - 1)
            case "HandleInputChooseMove":
                own = battle.own if battle else None
                names = [move.name for move in own.moves] if own else []
                return _marked(names, 2 * (row - 1) + column - 1)
            case "Task_HandleYesNoInput" | "Task_CallYesOrNoCallback":
                return _marked(("YES", "NO"), row - 1)
            case "Task_ShowStartMenu":
                return self._start_menu(blocks, row, menu.size[0])
            case "Task_ShopMenu":
                return _marked(_SHOP, row - 1)
            case "Task_ItemContext_SingleRow" | "Task_ItemContext_MultipleRows":
                return _marked(("USE",), 0 if menu.cursor == (1, 1) else -1)
            case "Task_HandleChooseMonInput":
                return _marked([*(one.name for one in party), _CANCEL], row - 1)
            case "Task_BagMenu_HandleInput":
                return self._bag(menu, bag)
            case "ListMenuDummyTask":
                items = self._menus.list_items(menu.place)
                return _window([self._item(item) for item in items], row - 1)
        if menu.prompt is Prompt.QUANTITY and menu.place >= 0:
            at = menu.place + _COUNT
            return (f"×{self._iwram[at] | self._iwram[at + 1] << 8:02}",)
        return ()

    def _start_menu(self, blocks: SaveBlocks | None, row: int, rows: int) -> tuple[str, ...]:
        numbers = bytes(self._ewram[_START_ENTRIES : _START_ENTRIES + rows])
        names = [_START_NAMES[n] if n < len(_START_NAMES) else "" for n in numbers]
        if blocks is not None and _PLAYER in numbers:
            name = decode(bytes(self._ewram[blocks.second : blocks.second + _NAME_SIZE]))
            names[numbers.index(_PLAYER)] = name
        return _marked(names, row - 1)

    def _bag(self, menu: Menu, bag: Bag) -> tuple[str, ...]:
        items = [*pocket_items(bag, menu.pocket), LIST_END]
        names = [self._item(item) for item in items]
        return (_POCKET_TITLES[menu.pocket], *_window(names, menu.cursor[0] - 1))

    def _item(self, item: int) -> str:
        return _CANCEL if item == LIST_END else self._items.get(item) or f"item {item}"


def pocket_items(bag: Bag, pocket: int) -> tuple[int, ...]:
    """Return the items of a pocket, by its number in `Control.pocket`."""
    counted = {0: bag.items, 1: bag.balls, 3: bag.machines, 4: bag.berries}
    return bag.key_items if pocket == 2 else tuple(item for item, _ in counted.get(pocket, ()))


def _marked(names: Sequence[str], chosen: int) -> tuple[str, ...]:
    return tuple(f"{CURSOR}{name}" if at == chosen else name for at, name in enumerate(names))


def _window(names: Sequence[str], chosen: int) -> tuple[str, ...]:
    """Return the entries about the chosen one that a list shows at once."""
    first = min(max(0, chosen - _ROWS // 2), max(0, len(names) - _ROWS))
    return _marked(names, chosen)[first : first + _ROWS]
