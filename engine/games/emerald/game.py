"""Be Pokémon Emerald: put its reader, buttons, masks and tables together as a `Game`."""

import hashlib
import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast
from weakref import WeakKeyDictionary

from engine.config import EnvConfig
from engine.emulator.advance_cartridge import AdvanceCartridge, battery_memory
from engine.emulator.base import GAME_BOY_ADVANCE_FRAMES_PER_S, Emulator
from engine.emulator.core import check_core, core_version
from engine.emulator.libretro import GameBoyAdvance
from engine.errors import ConfigurationError, RomError
from engine.games import introduction
from engine.games.base import (
    GAME_BOY_ADVANCE_ROLE_PLAYING,
    Atlas,
    BattleCells,
    Game,
    Reader,
    Recognised,
)
from engine.games.emerald import pressing
from engine.games.emerald.control import ControlReader
from engine.games.emerald.masking import blocked_actions, menu_uses
from engine.games.emerald.memory import (
    EWRAM,
    EWRAM_SIZE,
    FACTS,
    IWRAM,
    IWRAM_SIZE,
    SYMBOLS,
    Machine,
    Memory,
    Profile,
)
from engine.games.emerald.overworld import read_overworld
from engine.games.emerald.reader import EmeraldReader
from engine.games.emerald.rom_tables import read_tables
from engine.games.facts import with_places
from engine.games.overworld import Ability, Overworld
from engine.types import GAME_BOY_ADVANCE_ACTIONS, GAME_BOY_ADVANCE_FRAME_SHAPE, Action, GameState

_SISTERS: Mapping[str, str] = {
    "AXV": "Pokémon Ruby",
    "AXP": "Pokémon Sapphire",
    "BPR": "Pokémon FireRed",
    "BPG": "Pokémon LeafGreen",
}
_EMERALD, _ENGLISH = "BPE", "E"
_ROM_SIZE = 16 * 1024 * 1024
_LANGUAGES: Mapping[str, str] = {
    "J": "Japanese",
    "D": "German",
    "F": "French",
    "I": "Italian",
    "S": "Spanish",
}
_OTHER_ADDRESSES = (
    "It would need its own tables of RAM addresses, maps and events in engine/games; "
    "only the English Emerald has them."
)

_CLOCK = SYMBOLS["sRtc"]

_BADGES = 8
BATTLE_CELLS = BattleCells(fight=(1, 1), bag=(1, 2), team=(2, 1), run=(2, 2))
FIELD_MOVES: Mapping[Ability, tuple[str, int | None]] = {
    Ability.CUT: ("CUT", 0),
    Ability.ROCK_SMASH: ("ROCK SMASH", 2),
    Ability.STRENGTH: ("STRENGTH", 3),
    Ability.SURF: ("SURF", 4),
    Ability.WATERFALL: ("WATERFALL", 7),
}
ATLAS = Atlas(
    rest_name="POKEMON CENTER 1F",
    healer=1,
    shop_name=" MART",  # not the hall of smart contests
    clerk=1,
    field_moves=FIELD_MOVES,
)
"""What the names of maps and the order of their objects say of Emerald's world."""

_FAST_TEXT, _NO_SCENES = 2, 1 << 10
_OPTIONS_AT, _TEXT_SPEED = 0x14, 7
"""In SaveBlock2, 16 bits: 0-2 text speed (2 fast), 10 no battle scenes, the others stay."""

USUAL_FRAMES = 4_900
"""Measured on a cartridge, from the power-on to the inside of the truck."""


def make_fast(emulator: Emulator) -> None:
    """Choose fast text and no battle scenes, as a player could."""
    pointer = int.from_bytes(emulator.read(0, SYMBOLS["gSaveBlock2Ptr"].address, 4), "little")
    if not pointer:
        return
    options = int.from_bytes(emulator.read(0, pointer + _OPTIONS_AT, 2), "little")
    options = options & ~_TEXT_SPEED | _FAST_TEXT | _NO_SCENES
    emulator.write(0, pointer + _OPTIONS_AT, options.to_bytes(2, "little"))


play_introduction = partial(
    introduction.play_introduction,
    usual_frames=USUAL_FRAMES,
    make_fast=make_fast,
    hold_frames=16,
    wait_frames=8,
    rest_frames=8,
    stable_frames=48,  # a map's own script may begin some 20 frames after the first control
    scene_action=Action.A,
)


class EmeraldGame(Game):
    """Pokémon Emerald, or a game that keeps its state as Emerald does.

    Args:
        profile: Where the image has its code and tables.
        rom: The image, already checked: the core runs truncated and corrupted ones without a word.
        facts: Folder with the names of maps, flags and milestones.
        atlas: What is known of its world.
        sha1: Of the image, where it is not the profile's; "": it is.
        name: For people, where it is not the profile's.
        introduction_frames: About how many there are from the power-on to the first control.

    Attributes:
        profile: As given.
        emulator_version: The core's name and version; "" where there is none.
    """

    description = GAME_BOY_ADVANCE_ROLE_PLAYING
    actions = GAME_BOY_ADVANCE_ACTIONS
    frame_shape = GAME_BOY_ADVANCE_FRAME_SHAPE
    frames_per_s = GAME_BOY_ADVANCE_FRAMES_PER_S
    prepare = staticmethod(make_fast)

    def __init__(
        self,
        profile: Profile,
        rom: bytes = b"",
        *,
        facts: Path = FACTS,
        atlas: Atlas | None = None,
        sha1: str = "",
        name: str = "",
        introduction_frames: int = USUAL_FRAMES,
    ) -> None:
        self.sha1, self.title, self.name = sha1 or profile.sha1, profile.title, name or profile.name
        self.rom, self.profile = rom, profile
        self._introduction_frames = introduction_frames
        tables = read_tables(rom, profile, facts)
        self.tables = replace(tables, BATTLE_CELLS=BATTLE_CELLS, BADGES=_BADGES)
        self.emulator_version = core_version()
        self._menu_uses = menu_uses(self.tables)
        self._controls: WeakKeyDictionary[Emulator, ControlReader] = WeakKeyDictionary()
        self.atlas = atlas or with_places(ATLAS, FACTS)
        self.healing_items = self.tables.potions()

    @property
    def overworld(self) -> Overworld | None:
        """Return the world that the image carries; None: its tables were not found."""
        return self._world[0]

    @property
    def overworld_problem(self) -> str:
        """Return in one line why there is no `overworld`; "" where there is one."""
        return self._world[1]

    @property
    def _world(self) -> tuple[Overworld | None, str]:
        return read_overworld(self.rom, self.profile, self.tables.BLOCK_CHANGES)

    def check_emulator(self) -> None:
        """Check that there is a core that can be used.

        Raises:
            EnvironmentError: There is none.
        """
        check_core()

    def start(self) -> Emulator:
        """Switch a new Game Boy Advance on.

        Raises:
            EnvironmentError: There is no core that can be used.
        """
        return self._start(None)

    def start_saved(self, battery: bytes, file: str) -> Emulator:
        """Switch a new Game Boy Advance on with a battery file's memory.

        Raises:
            ConfigurationError: It is not of this cartridge, or holds no saved game.
            EnvironmentError: There is no core that can be used.
        """
        memory = battery_memory(battery, file)
        if not has_saved_game(memory):
            if has_signature(memory):
                raise ConfigurationError(
                    f"The saved game in {file} is damaged: no slot has all its sectors intact.",
                    "Use an older copy, or leave --state out.",
                )
            raise ConfigurationError(
                f"{file} contains no saved game of {self.name}.",
                "It is from a different game, or nothing was saved. Save in the game first.",
            )
        if other := other_game(memory):
            raise ConfigurationError(
                f"{file} is a saved game of {other}, not of {self.name}.", "Use one of this game."
            )
        return self._start(memory)

    def _start(self, battery: bytes | None) -> Emulator:
        return GameBoyAdvance(self.rom, battery)

    def reader(self, emulator: Emulator) -> Reader:
        """Return a reader of a machine that runs this game."""
        return EmeraldReader(cast(Machine, emulator), self.profile, self.tables)

    def play_introduction(
        self,
        emulator: Emulator,
        read: Callable[[], GameState],
        report: Callable[[int, int], None] = lambda done, most: None,
    ) -> None:
        """Press through title, menus and introduction, then make text and battles fast."""
        play_introduction(emulator, read, report, usual_frames=self._introduction_frames)

    def seed(self, emulator: Emulator, random: tuple[int, int]) -> None:
        """Set gRngValue."""
        first, second = random
        seed = (first | second << 8) * 0x1_0001
        emulator.write(0, SYMBOLS["gRngValue"].address, seed.to_bytes(4, "little"))

    def play(
        self, emulator: Emulator, action: int, state: GameState, config: EnvConfig, render: bool
    ) -> None:
        """Press a button and wait until what it began has come to its end: see `pressing`."""
        pressing.play(emulator, self._control(emulator), action, state, config, render)

    def is_at_rest(self, emulator: Emulator) -> bool:
        """Return whether no step and no way through a door is under way."""
        return pressing.is_at_rest(self._control(emulator))

    def is_readable(self, emulator: Emulator) -> bool:
        """Return whether the game is not on its way from one map to another."""
        return not self._control(emulator).is_between_maps()

    def blocked(self, state: GameState) -> dict[int, str]:
        """Return the actions that are of no use now, each with the reason."""
        return blocked_actions(state, self._menu_uses)

    def _control(self, emulator: Emulator) -> ControlReader:
        """Return what reads who is in control of a machine; it is kept as long as the machine."""
        control = self._controls.get(emulator)
        if control is None:
            control = ControlReader(Memory(cast(Machine, emulator)), self.profile)
            self._controls[emulator] = control
        return control

    def digest(self, emulator: Emulator) -> str:
        """Return the SHA-1 of both work RAMs but for the clock that the cartridge shows."""
        memory = bytearray(emulator.read(0, IWRAM, IWRAM_SIZE))
        clock = _CLOCK.address - IWRAM
        memory[clock : clock + _CLOCK.size] = bytes(_CLOCK.size)
        digest = hashlib.sha1(emulator.read(0, EWRAM, EWRAM_SIZE), usedforsecurity=False)
        digest.update(memory)
        return digest.hexdigest()


def recognise(file: Path, sha1: str, cartridge: AdvanceCartridge, rom: bytes) -> Recognised | None:
    """Return what a whole image is if it is Emerald or one of its sisters, else None."""
    profile = Profile.read(FACTS)
    if sha1 == profile.sha1:
        return Recognised(profile.name, EmeraldGame(profile, rom))
    family, language = cartridge.code[:3], cartridge.code[3:]
    if family == _EMERALD and language == _ENGLISH:
        return _unknown_build(file, sha1, profile, rom)
    if family == _EMERALD:
        language = _LANGUAGES.get(language, "translated")
        name = f"Pokémon Emerald ({language})"
        message = f"{file} is the {language} Pokémon Emerald, whose memory layout differs."
    elif family in _SISTERS:
        name = _SISTERS[family]
        message = f"{file} is {name}, whose memory layout differs from Emerald's."
    else:
        return None
    return Recognised(name, None, RomError(message, _OTHER_ADDRESSES))


def _unknown_build(file: Path, sha1: str, profile: Profile, rom: bytes) -> Recognised:
    name = "Pokémon Emerald (unknown build)"
    if len(rom) < _ROM_SIZE:
        refusal = RomError(
            f"The ROM {file} is truncated: {len(rom):,} bytes of {_ROM_SIZE:,}.", "Copy it again."
        )
        return Recognised("a damaged ROM", None, refusal)
    refusal = RomError(
        f"{file} calls itself Pokémon Emerald but is not a known build (SHA-1 {sha1}).",
        "It may be damaged, translated or modified. Use the original English ROM, or add "
        "--allow-unknown-rom to try it anyway.",
    )
    return Recognised(name, EmeraldGame(profile, rom, sha1=sha1, name=name), refusal)


# Tell whether a cartridge's flash memory holds a saved game of Pokémon Emerald.
#
# It has two slots of 14 sectors, which the game fills in turn. A sector ends with its number, a
# checksum, a signature and the count of the saving that wrote it (pret/pokeemerald,
# include/save.h).

_SECTOR, _SECTORS, _SLOTS = 0x1000, 14, 2
_DATA_SIZE, _SHORTER = 0xF80, {0: 0xF2C, 4: 0xF08, 13: 0x7D0}
"""Bytes of data in a sector, and in those that are not full, by number."""
_FOOTER = struct.Struct("<HHII")  # number, checksum, signature, counter
_FOOTER_AT = 0xFF4
_SIGNATURE = 0x0801_2025
_KEY_AT = 0xAC
_OTHERS = {0: "Pokémon Ruby or Sapphire", 1: "Pokémon FireRed or LeafGreen"}


def has_saved_game(memory: bytes) -> bool:
    """Return whether one of the slots is whole; `memory` are the 131,072 bytes of the flash."""
    return any(_is_whole(memory, slot) for slot in range(_SLOTS))


def other_game(memory: bytes) -> str:
    """Return which games of the same form have saved in `memory`; "" for Emerald, or for none.

    Where Emerald keeps its encryption key, SaveBlock2 + AC, the others keep 0 and 1.
    """
    for sector in range(_SLOTS * _SECTORS):
        number, checksum, signature, _ = _footer(memory, sector)
        is_right = signature == _SIGNATURE and checksum == _checksum(memory, sector, number)
        if number == 0 and is_right:
            (key,) = struct.unpack_from("<I", memory, sector * _SECTOR + _KEY_AT)
            return _OTHERS.get(key, "")
    return ""


def has_signature(memory: bytes) -> bool:
    """Return whether something was ever saved in `memory`, be it damaged now."""
    sectors = range(_SLOTS * _SECTORS)
    return any(_footer(memory, sector)[2] == _SIGNATURE for sector in sectors)


def _is_whole(memory: bytes, slot: int) -> bool:
    """Return whether a slot holds each of the sectors, of one saving."""
    numbers, counters = set(), set()
    for sector in range(slot * _SECTORS, (slot + 1) * _SECTORS):
        number, checksum, signature, counter = _footer(memory, sector)
        if signature == _SIGNATURE and checksum == _checksum(memory, sector, number):
            numbers.add(number)
            counters.add(counter)
    return numbers == set(range(_SECTORS)) and len(counters) == 1


def _footer(memory: bytes, sector: int) -> tuple[int, int, int, int]:
    number, checksum, signature, counter = _FOOTER.unpack_from(
        memory, sector * _SECTOR + _FOOTER_AT
    )
    return number, checksum, signature, counter


def _checksum(memory: bytes, sector: int, number: int) -> int:
    """Return the sum of a sector's words, its halves added: `CalculateChecksum` in src/save.c."""
    count = _SHORTER.get(number, _DATA_SIZE) // 4
    total: int = sum(struct.unpack_from(f"<{count}I", memory, sector * _SECTOR))
    return (total >> 16 & 0xFFFF) + total & 0xFFFF
