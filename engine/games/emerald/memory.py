"""Name the RAM addresses of Pokémon Emerald, and read what lies there without believing it."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from engine.games.facts import read_rows

# RAM addresses are those of the US version, revision 0. facts/symbols.csv is the only table of
# them: it says what each place holds, and the practice game's build makes its linker script of it,
# so the two cannot drift apart. Work RAM has two parts: 256 KiB from 0200_0000 and 32 KiB from
# 0300_0000. The save blocks move within their areas: always go through gSaveBlock1Ptr and
# gSaveBlock2Ptr. Addresses of code and tables are those of an image: see `Profile`.

FACTS = Path(__file__).parent / "facts"
"""Names and numbers of the game, a CSV file a kind, from pret/pokeemerald."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named place in RAM.

    Attributes:
        name: The label in pret/pokeemerald.
        address: As the processor sees it.
        size: Length in bytes.
    """

    name: str
    address: int
    size: int


SYMBOLS: Mapping[str, Symbol] = MappingProxyType(
    {
        row["name"]: Symbol(row["name"], int(row["address"], 16), int(row["size"]))
        for row in read_rows(FACTS, "symbols")
    }
)


@dataclass(frozen=True)
class Profile:
    """An image, and where its code and tables lie.

    RAM addresses (`SYMBOLS`) are the same in all games that keep their state as Emerald does; code
    and tables lie elsewhere in every image, so that a reader takes them from here.

    Attributes:
        sha1: Of the whole image, lower-case hexadecimal.
        name: For people.
        title: From the header, at most 12 characters.
        code: From the header, 4 characters: "BPEE".
        rom: Label -> address, of code without the thumb bit, of tables, and of the RAM that this
            image alone uses; an image need not have them all.
        sizes: Label -> length in bytes, of those whose length is known.
        words: Menu -> its entries in order, of menus whose entries RAM does not tell.
    """

    sha1: str
    name: str
    title: str
    code: str
    rom: Mapping[str, int] = field(hash=False)
    sizes: Mapping[str, int] = field(default_factory=dict, hash=False)
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    @classmethod
    @cache
    def read(cls, folder: Path) -> Self:
        """Read a folder's tables.

        They are game.csv (name, sha1, title, code), rom_symbols.csv (name, address, size) and
        words.csv (menu, place, text; by menu and place).
        """
        (game,) = read_rows(folder, "game")
        rows = read_rows(folder, "rom_symbols")
        words: dict[str, tuple[str, ...]] = {}
        for row in read_rows(folder, "words"):
            words[row["menu"]] = (*words.get(row["menu"], ()), row["text"])
        return cls(
            sha1=game["sha1"],
            name=game["name"],
            title=game["title"],
            code=game["code"],
            rom=MappingProxyType({row["name"]: int(row["address"], 16) for row in rows}),
            words=MappingProxyType(words),
            sizes=MappingProxyType(
                {row["name"]: int(row["size"]) for row in rows if row.get("size")}
            ),
        )

    def function(self, name: str) -> int:
        """Return a function's address as pointers to it hold it, with the thumb bit.

        It is 1, which no pointer holds, where the image has no such function.
        """
        return self.rom.get(name, 0) | 1


# No pointer and no count in RAM is believed: what does not lie in RAM or in the image is empty.

EWRAM, EWRAM_SIZE = 0x0200_0000, 0x4_0000
IWRAM, IWRAM_SIZE = 0x0300_0000, 0x8000
ROM = 0x0800_0000

_SLACK = 0x7C
"""The save blocks lie 0 to this many bytes into their areas, both by the same, in steps of 4."""
_KEY = 0xAC  # of SaveBlock2
_POINTERS = struct.Struct("<II")
_WORD = struct.Struct("<I")


class Machine(Protocol):
    """What a reader needs of an emulator.

    Attributes:
        rom: The image.
        ewram: (262144,) uint8, the RAM at 02000000 itself.
        iwram: (32768,) uint8, the RAM at 03000000 itself.
    """

    rom: bytes
    ewram: NDArray[np.uint8]
    iwram: NDArray[np.uint8]


class SaveBlocks(NamedTuple):
    """Where the save blocks lie in `Memory.ewram` now, and the key of what is encrypted in them."""

    first: int
    """SaveBlock1: place, flags, variables, bag."""
    second: int
    """SaveBlock2: name, play time, options, Pokédex."""
    key: int
    """32 bits; money is XORed with it, counts of items with its low half."""


class Memory:
    """A machine's RAM and image, as views that always show their current content.

    Attributes:
        ewram: (262144,) bytes; address `a` is at `a - EWRAM`.
        iwram: (32768,) bytes; address `a` is at `a - IWRAM`.
        rom: The image; address `a` is at `a - ROM`.
    """

    def __init__(self, machine: Machine) -> None:
        self.ewram = machine.ewram.data
        self.iwram = machine.iwram.data
        self.rom = machine.rom

    def read(self, address: int, size: int) -> bytes:
        """Return a stretch of RAM or of the image; b"" unless all of it lies in one of them."""
        for data, base in ((self.rom, ROM), (self.ewram, EWRAM), (self.iwram, IWRAM)):
            start = address - base
            if start >= 0 and start + size <= len(data):
                return bytes(data[start : start + size])
        return b""

    def read_most(self, address: int, size: int) -> bytes:
        """Return a stretch of the image, shorter where that ends before; b"" outside of it."""
        start = address - ROM
        return self.rom[start : start + size] if start >= 0 else b""

    def pointer(self, address: int) -> int:
        """Return the address that lies at an address; 0 outside of RAM and image."""
        return int.from_bytes(self.read(address, 4), "little")

    def save_blocks(self) -> SaveBlocks | None:
        """Return where the save blocks are, None before there are any.

        They move at every map load, and the key changes with it: ask at every reading.
        """
        first, second = _POINTERS.unpack_from(self.iwram, _BLOCK_POINTERS)
        offset = first - _FIRST_AREA
        if offset != second - _SECOND_AREA or not 0 <= offset <= _SLACK or offset & 3:
            return None
        second -= EWRAM
        (key,) = _WORD.unpack_from(self.ewram, second + _KEY)
        return SaveBlocks(first - EWRAM, second, key)


def ewram_at(name: str) -> int:
    """Return the place of a symbol in `Memory.ewram`."""
    place = SYMBOLS[name].address - EWRAM
    assert 0 <= place < EWRAM_SIZE, f"{name} is not in EWRAM"
    return place


def iwram_at(name: str) -> int:
    """Return the place of a symbol in `Memory.iwram`."""
    place = SYMBOLS[name].address - IWRAM
    assert 0 <= place < IWRAM_SIZE, f"{name} is not in IWRAM"
    return place


_BLOCK_POINTERS = iwram_at("gSaveBlock1Ptr")  # gSaveBlock2Ptr follows
_FIRST_AREA, _SECOND_AREA = SYMBOLS["gSaveblock1"].address, SYMBOLS["gSaveblock2"].address


class Mode(IntEnum):
    """What the game is in the middle of."""

    BEFORE = 0
    """No game is running: power-on, title, main menu, introduction."""
    LOADING = 1
    """A map is being left, loaded or come back to."""
    FIELD = 2
    BATTLE = 3
    SCREEN = 4
    """Any other full screen, opened in the field or in battle."""


_LOADING = (
    "CB2_LoadMap", "CB2_LoadMap2", "CB2_DoChangeMap", "CB2_ReturnToField",
    "CB2_ReturnToFieldLocal", "CB2_WhiteOut", "CB2_NewGame",
    "CB2_OverworldBasic",  # while a battle's picture comes up
)  # fmt: skip
_TITLES = ("CB2_InitTitleScreen", "CB2_InitMainMenu", "CB2_MainMenu")
_BATTLE = ("CB2_InitBattle", "CB2_HandleStartBattle", "BattleMainCB2")
_LISTS = ("CB2_UpdatePartyMenu", "CB2_BagMenuRun", "CB2_BuyMenu")
_HANDLERS = (
    "Task_HandleReplaceMoveInput", "Task_HandleReplaceMoveYesNoInput",
    "Task_HandleStopLearningMoveYesNoInput",
    "Task_HandleYesNoInput", "Task_CallYesOrNoCallback", "Task_HandleConfirmStarterInput",
    "Task_BuyHowManyDialogueHandleInput", "Task_ChooseHowManyToToss", "Task_ChooseHowManyToSell",
    "Task_HandleStarterChooseInput", "Task_HandleMultichoiceInput",
    "Task_HandleMultichoiceGridInput", "Task_HandleSelectionMenuInput", "Task_ShopMenu",
    "Task_ItemContext_SingleRow", "Task_ItemContext_MultipleRows", "Task_ShowStartMenu",
    "Task_HandleChooseMonInput", "Task_BagMenu_HandleInput", "ListMenuDummyTask",
)  # fmt: skip
"""Tasks that wait for buttons, those first that lie over others: a list stays under a question."""
CHOOSE_ACTION, CHOOSE_MOVE = "HandleInputChooseAction", "HandleInputChooseMove"
CHOOSE_TARGET = "HandleInputChooseTarget"
_CONTROLLERS = (CHOOSE_ACTION, CHOOSE_MOVE, CHOOSE_TARGET)


class Functions:
    """The functions that matter, as pointers to them hold them.

    Attributes:
        field: Both callbacks of gMain while the player walks.
        modes: Second callback of gMain -> mode, of those that name one.
        battle_loop: Second callback while a battle asks and shows.
        naming: Second callback of the screen that asks for a name.
        evolution: Second callback while a creature evolves, which B would stop.
        starter: Second callback of the screen where the first creature is chosen; 0: its menu is
            not known.
        lists: Second callbacks of the screens with lists and messages: party, bag, shop.
        press: What a script runs that waits for A or B.
        fanfare: What a script runs that waits for a fanfare's end.
        handlers: Task that waits for buttons -> its place in the order in which they lie over each
            other, and its name.
        controllers: What a battler is asked -> its name.
        instruction: Address of the pointer to a battle script's next command, 0: there are none.
        scripting: Address of what those scripts remember.
        summary: Address of the pointer to what the summary screen remembers, 0: it is not known.
    """

    def __init__(self, profile: Profile) -> None:
        function = profile.function
        self.field = function("CB1_Overworld"), function("CB2_Overworld")
        self.modes = {
            **{function(name): Mode.LOADING for name in _LOADING},
            **{function(name): Mode.BEFORE for name in _TITLES},
            **{function(name): Mode.BATTLE for name in _BATTLE},
        }
        self.battle_loop = function("BattleMainCB2")
        self.naming = function("CB2_NamingScreen")
        self.evolution = function("CB2_EvolutionSceneUpdate")
        has_menu = "Task_HandleStarterChooseInput" in profile.rom
        self.starter = function("CB2_StarterChoose") if has_menu else 0
        self.lists = {function(name) for name in _LISTS}
        self.press = function("WaitForAorBPress")
        self.fanfare = function("WaitForFanfareFinish")
        self.handlers = {function(name): (place, name) for place, name in enumerate(_HANDLERS)}
        self.controllers = {function(name): name for name in _CONTROLLERS}
        self.instruction = profile.rom.get("gBattlescriptCurrInstr", 0)
        self.scripting = profile.rom.get("gBattleScripting", 0)
        self.summary = profile.rom.get("sMonSummaryScreen", 0)


@cache
def functions_of(profile: Profile) -> Functions:
    """Return an image's functions, made once."""
    return Functions(profile)
