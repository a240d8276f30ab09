"""Say what is written on the screen, as the game's texts, cursors and lists tell it.

There is no map of letters in memory: windows are drawn pixel by pixel. So the lines are put
together from what is being printed and from what an open menu offers; what memory does not tell,
such as the entries of a choice that a script offers, is left out.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.games.base import GameTables
from engine.games.emerald.memory import (
    EWRAM,
    FACTS,
    SYMBOLS,
    Memory,
    Mode,
    Profile,
    SaveBlocks,
    ewram_at,
    iwram_at,
)
from engine.games.emerald.menus import (
    CONFIRM_STARTER,
    LIST_END,
    MULTICHOICE,
    REPLACE,
    STARTER,
    STARTERS,
    TASK_DATA,
    Menu,
    MenuReader,
)
from engine.games.facts import read_rows
from engine.types import Bag, Battle, Creature, Prompt

# Decode the game's text (pret/pokeemerald's charmap).

END = 0xFF
CHARMAP = {int(row["code"], 16): row["text"] for row in read_rows(FACTS, "charmap")}
"""Character code -> text; what has none is no letter."""

_SCROLL, _NEW_PAGE, _CONTROL, _NEW_LINE = 0xFA, 0xFB, 0xFC, 0xFE
_WITH_ARGUMENT = frozenset({0xF7, 0xF8, 0xF9, 0xFD})
"""Pieces of other texts, pictures of keys and symbols: the byte after says which."""
_CONTROL_SIZES = bytes((0, 1, 1, 1, 3, 1, 1, 0, 1, 0, 0, 2, 1, 1, 1, 0, 2, 1, 1, 1, 1, 0, 0, 0, 0))
"""Bytes that follow a control code, by its number (GetExtCtrlCodeLength)."""
_BOX_LINES = 2
_LETTERS = [CHARMAP.get(code, " ") for code in range(256)]


def decode(raw: bytes) -> str:
    """Return a name or the like: what comes before 0xFF, lines and pages joined by spaces."""
    return " ".join(line for page in _pages(raw) for line in page).strip()


def shown_lines(raw: bytes) -> tuple[str, ...]:
    """Return the lines that a text box shows once `raw` was printed: the last two of a page.

    Args:
        raw: The text up to where it is printed, or all of it.
    """
    *_, page = _pages(raw)
    return tuple(line for line in (each.strip() for each in page[-_BOX_LINES:]) if line)


def _pages(raw: bytes) -> Iterator[list[str]]:
    """Yield the pages of a text, each as its lines."""
    page: list[str] = []
    line: list[str] = []
    at, size = 0, len(raw)
    while at < size and raw[at] != END:
        code = raw[at]
        at += 1
        if code in (_NEW_LINE, _SCROLL):
            page.append("".join(line))
            line = []
        elif code == _NEW_PAGE:
            yield [*page, "".join(line)]
            page, line = [], []
        elif code == _CONTROL:
            number = raw[at] if at < size else 0
            at += 1 + (_CONTROL_SIZES[number] if number < len(_CONTROL_SIZES) else 0)
        elif code in _WITH_ARGUMENT:
            at += 1
        else:
            line.append(_LETTERS[code])
    yield [*page, "".join(line)]


CURSOR = "▶"
_FIELD_TEXT, _BATTLE_TEXT = SYMBOLS["gStringVar4"], SYMBOLS["gDisplayedStringBattle"]
_NAME_SIZE = 8  # of SaveBlock2, at its start
_START_ENTRIES = ewram_at("sCurrentStartMenuActions")
_CALLBACK = iwram_at("gMain") + 4
_PLAYER = 4
"""Of the entries of the START menu: it bears the player's name."""
_ROWS = 8
"""Entries that a bag's or a shop's list shows at once."""
_NUMBER_OF_CHOICE = TASK_DATA + 14
_CHOICE_SIZE = _ENTRY_SIZE = 8
_MOST_LETTERS = 64
"""Of sMultichoiceLists: pointer and count; of each list: pointer to the text, and a word."""
_POKENAV = "POKéNAV"
_ITEM_MENUS = ("Task_ItemContext_SingleRow", "Task_ItemContext_MultipleRows")


class Shown(NamedTuple):
    """What the lines are put together from."""

    mode: Mode
    menu: Menu
    blocks: SaveBlocks
    party: Sequence[Creature]
    battle: Battle | None
    bag: Bag


class ScreenReader:
    """Put the lines together.

    Args:
        memory: Of the machine.
        profile: Of the image that it runs: its words.
        menus: Knows what lists hold.
        tables: Name items.
    """

    def __init__(
        self, memory: Memory, profile: Profile, menus: MenuReader, tables: GameTables
    ) -> None:
        self._memory = memory
        self._ewram, self._iwram = memory.ewram, memory.iwram
        self._words = profile.words
        self._bag_screen = profile.function("CB2_BagMenuRun").to_bytes(4, "little")
        self._party_screen = profile.function("CB2_UpdatePartyMenu").to_bytes(4, "little")
        self._navigator = profile.function("CB2_Pokenav").to_bytes(4, "little")
        self._choices = profile.rom.get("sMultichoiceLists", 0)
        self._starters = self._starter_names(profile, tables)
        self._menus = menus
        self._items, self._moves = tables.ITEMS, tables.MOVES

    def lines(self, shown: Shown) -> tuple[str, ...]:
        """Return what is written, from the text to the menu, `CURSOR` before the chosen entry."""
        if shown.mode is Mode.SCREEN and self._is_on(self._navigator):
            return (_POKENAV,)
        return (*self._text(shown.mode, shown.menu), *self._entries(shown))

    def _text(self, mode: Mode, menu: Menu) -> tuple[str, ...]:
        if mode is Mode.BATTLE:
            is_hidden = menu.name == "HandleInputChooseMove"
            return () if is_hidden else self._printed(_BATTLE_TEXT.address, _BATTLE_TEXT.size)
        if menu.name == CONFIRM_STARTER:
            return self._starters[self._task_word(menu, TASK_DATA) :][:1]
        match menu.prompt:
            case Prompt.NONE:
                is_shown = mode is Mode.FIELD and self._menus.hears_fanfare()
            case Prompt.TEXT | Prompt.PRINTING | Prompt.YES_NO:
                is_shown = True
            case Prompt.MENU if mode is Mode.FIELD:
                is_shown = menu.name != "Task_ShowStartMenu"
            case Prompt.MENU:
                is_shown = self._is_on(self._party_screen)
            case _:
                is_shown = False
        return self._printed(_FIELD_TEXT.address, _FIELD_TEXT.size) if is_shown else ()

    def _printed(self, address: int, size: int) -> tuple[str, ...]:
        """Return what of a text a box shows: up to where it is being printed, else its end."""
        start = address - EWRAM
        raw = bytes(self._ewram[start : start + size])
        return shown_lines(raw[: self._menus.printed(address, size)])

    def _is_on(self, screen: bytes) -> bool:
        return self._iwram[_CALLBACK : _CALLBACK + 4] == screen

    def _entries(self, shown: Shown) -> tuple[str, ...]:
        menu, party, battle = shown.menu, shown.party, shown.battle
        row, column = menu.cursor
        place = (row - 1) * menu.size[1] + column - 1
        match menu.name:
            case "HandleInputChooseAction":
                return self._worded("battle", place)
            case "HandleInputChooseMove":
                return _marked(_moves(battle), place)
            case "Task_ShowStartMenu":
                return self._start_menu(shown.blocks, place, menu.size[0])
            case "HandleInputChooseTarget":
                target = battle.target if battle else None
                return (f"{CURSOR}{target.name}",) if target else ()
            case name if name == STARTER:
                return _marked(self._starters, place)
            case name if name == MULTICHOICE:
                return _marked(self._multichoice(menu), place)
            case name if name == REPLACE:
                return (*self._word("replace"), *_marked(self._replaceable(), place))
            case "Task_ShopMenu":
                return self._worded("shop", place)
            case "Task_HandleSelectionMenuInput":
                return self._choice(shown, place)
            case name if name in _ITEM_MENUS:
                return self._worded("item", place)
            case "Task_HandleChooseMonInput":
                return _marked([*(one.name for one in party), *self._word("party_end")], place)
            case "Task_BagMenu_HandleInput":
                return self._bag(menu, shown.bag)
            case "ListMenuDummyTask":
                items = self._menus.list_items(menu.place)
                return _window([self._item(item, "shop_end") for item in items], place)
        if menu.prompt is Prompt.YES_NO:
            return _marked(("YES", "NO"), place)
        if menu.prompt is Prompt.QUANTITY and menu.place >= 0:
            low, high = self._iwram[menu.place : menu.place + 2]
            return (f"×{low | high << 8:02}",)
        return ()

    def _replaceable(self) -> list[str]:
        """Return the names of the moves of which one must go, the new one last."""
        moves = self._menus.replaceable_moves()
        return [self._moves[one][0] if one in self._moves else f"move {one}" for one in moves]

    def _multichoice(self, menu: Menu) -> list[str]:
        """Return the entries of a script's choice; none where the image has not as many."""
        row = self._choices + _CHOICE_SIZE * self._task_word(menu, _NUMBER_OF_CHOICE)
        raw = self._memory.read(row, _CHOICE_SIZE) if self._choices else b""
        count = menu.size[0]
        if not raw or raw[4] != count:
            return []
        first, pointer = int.from_bytes(raw[:4], "little"), self._memory.pointer
        texts = (pointer(first + _ENTRY_SIZE * number) for number in range(count))
        return [decode(self._memory.read_most(text, _MOST_LETTERS)) for text in texts]

    def _starter_names(self, profile: Profile, tables: GameTables) -> tuple[str, ...]:
        """Return who can be chosen, from left to right."""
        address = profile.rom.get("sStarterMon", 0)
        raw = self._memory.read(address, 2 * STARTERS) if address else b""
        if not raw:
            return "LEFT", "MIDDLE", "RIGHT"
        species = (int.from_bytes(raw[at : at + 2], "little") for at in range(0, len(raw), 2))
        return tuple(map(tables.species_name, species))

    def _task_word(self, menu: Menu, at: int) -> int:
        low, high = self._iwram[menu.place + at : menu.place + at + 2]
        return low | high << 8

    def _choice(self, shown: Shown, place: int) -> tuple[str, ...]:
        """Return what can be done with an item or a creature, where it is always the same."""
        if self._is_on(self._bag_screen):
            return self._worded("item", place)
        if shown.mode is Mode.BATTLE:
            return _marked([*_moves(shown.battle), *self._word("forget")], place)
        if shown.battle is not None and self._is_on(self._party_screen):
            return self._worded("fighter", place)
        return ()

    def _start_menu(self, blocks: SaveBlocks, place: int, rows: int) -> tuple[str, ...]:
        numbers = bytes(self._ewram[_START_ENTRIES : _START_ENTRIES + rows])
        known = self._word("start")
        names = [known[number] if number < len(known) else "" for number in numbers]
        if _PLAYER in numbers:
            name = decode(bytes(self._ewram[blocks.second : blocks.second + _NAME_SIZE]))
            names[numbers.index(_PLAYER)] = name
        return _marked(names, place)

    def _bag(self, menu: Menu, bag: Bag) -> tuple[str, ...]:
        items = (*pocket_items(bag, menu.pocket), LIST_END)
        names = [self._item(item, "bag_end") for item in items]
        titles = self._word("pockets")[menu.pocket : menu.pocket + 1]
        return (*titles, *_window(names, menu.cursor[0] - 1))

    def _item(self, item: int, end: str) -> str:
        if item == LIST_END:
            return "".join(self._word(end))
        return self._items.get(item) or f"item {item}"

    def _word(self, menu: str) -> tuple[str, ...]:
        return self._words.get(menu, ())

    def _worded(self, menu: str, place: int) -> tuple[str, ...]:
        return _marked(self._word(menu), place)


def pocket_items(bag: Bag, pocket: int) -> tuple[int, ...]:
    """Return the items of a pocket, by its number in `Control.pocket`."""
    counted = {0: bag.items, 1: bag.balls, 3: bag.machines, 4: bag.berries}
    return bag.key_items if pocket == 2 else tuple(item for item, _ in counted.get(pocket, ()))


def _moves(battle: Battle | None) -> list[str]:
    own = battle.own if battle else None
    return [move.name for move in own.moves] if own else []


def _marked(names: Sequence[str], chosen: int) -> tuple[str, ...]:
    return tuple(f"{CURSOR}{name}" if at == chosen else name for at, name in enumerate(names))


def _window(names: Sequence[str], chosen: int) -> tuple[str, ...]:
    """Return the entries about the chosen one that a list shows at once."""
    first = min(max(0, chosen - _ROWS // 2), max(0, len(names) - _ROWS))
    return _marked(names, chosen)[first : first + _ROWS]
