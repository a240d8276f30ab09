"""Be Pokémon Crystal: put its reader, buttons, masks and tables together as a `Game`."""

import hashlib
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path

from engine.emulator.base import GAME_BOY_FRAMES_PER_S, Emulator
from engine.emulator.cartridge import Battery, Cartridge
from engine.errors import ConfigurationError, RomError
from engine.games import introduction
from engine.games.base import GAME_BOY_ROLE_PLAYING, Atlas, Game, GameTables, Reader, Recognised
from engine.games.crystal import pressing
from engine.games.crystal.machines import with_machines
from engine.games.crystal.masking import blocked_actions, menu_uses
from engine.games.crystal.memory import FACTS, SYMBOLS
from engine.games.crystal.reader import CrystalReader
from engine.games.crystal.rom_tables import read_overworld
from engine.games.facts import read_tables, with_places
from engine.games.overworld import Ability, Overworld
from engine.types import GAME_BOY_ACTIONS, GAME_BOY_FRAME_SHAPE, Action, GameState

_TITLE = "PM_CRYSTAL"
# SHA-1 sums from the README of pret/pokecrystal; both are the English game, revisions 0 and 1.
_KNOWN: Mapping[str, str] = {
    "f4cd194bdee0d04ca4eac29e09b8e4e9d818c133": "Pokémon Crystal (1.0)",
    "f2f52230b536214ef7c9924f483392993e226cfb": "Pokémon Crystal (1.1)",
}
_SISTERS = {"POKEMON_GLD": "Pokémon Gold", "POKEMON_SLV": "Pokémon Silver"}
_JAPANESE = "J"
_OTHER_ADDRESSES = (
    "It would need its own tables of RAM addresses, maps and events in engine/games; "
    "only the English Crystal has them."
)

_RANDOM = (SYMBOLS["hRandomAdd"], SYMBOLS["hRandomSub"])
# Where Crystal marks its saved game and the backup of it, and by what: sCheckValue1 01:A008 and
# sCheckValue2 01:AD0F, sBackupCheckValue1 00:B208 and 2 00:BF0F. The game's data follow the first,
# the 16-bit sum of their bytes precedes the second (pret/pokecrystal, ram/sram.asm).
_CHECK_VALUES = (0x63, 0x7F)
_SAVED_GAMES = ((0x2008, 0x2D0F), (0x1208, 0x1F0F))
_DATA_SIZE = 0xB7A

FAST_OPTIONS = 0x91
"""WOptions CFCC: shortest text delay, no text delay, battle scenes off."""
_OTHER_OPTIONS = 0x60
"""Battle style and stereo sound, which stay as they are."""


def make_fast(emulator: Emulator) -> None:
    """Choose fast text and no battle scenes, as a player could."""
    bank, address = SYMBOLS["wOptions"].bank, SYMBOLS["wOptions"].address
    kept = emulator.read(bank, address, 1)[0] & _OTHER_OPTIONS
    emulator.write(bank, address, bytes((kept | FAST_OPTIONS,)))


play_introduction = partial(
    introduction.play_introduction,
    usual_frames=4_620,  # measured on a cartridge, from the power-on to the bedroom
    make_fast=make_fast,
    hold_frames=4,
    wait_frames=12,
    rest_frames=16,
    stable_frames=128,
    scene_action=Action.NOOP,  # a START now would only open the menu
    blind_start_counts=True,
)

ATLAS = Atlas(
    rest_name="CENTER",
    healer=1,
    shop_name="MART",
    clerk=1,
    field_moves={
        Ability.CUT: ("CUT", 1),
        Ability.STRENGTH: ("STRENGTH", 2),
        Ability.SURF: ("SURF", 3),
        Ability.WHIRLPOOL: ("WHIRLPOOL", 6),
        Ability.WATERFALL: ("WATERFALL", 7),
        Ability.ROCK_SMASH: ("ROCK SMASH", None),
    },
)
"""What the names of maps and the order of their objects say of Crystal's world."""


class CrystalGame(Game):
    """Pokémon Crystal, or a game that keeps its state as Crystal does.

    Args:
        sha1: Of the ROM, lower-case hexadecimal.
        title: From the cartridge's header.
        name: For people.
        rom: The image, already checked: PyBoy runs truncated and corrupted ones without a word.
        tables: Names and figures.
        atlas: What is known of its world.
        is_select_used: The game gives SELECT a meaning.
    """

    description = GAME_BOY_ROLE_PLAYING
    actions = GAME_BOY_ACTIONS
    frame_shape = GAME_BOY_FRAME_SHAPE
    frames_per_s = GAME_BOY_FRAMES_PER_S
    prepare = staticmethod(make_fast)
    play = staticmethod(pressing.play)
    is_at_rest = staticmethod(pressing.is_at_rest)

    def __init__(
        self,
        sha1: str,
        title: str,
        name: str,
        rom: bytes = b"",
        *,
        tables: GameTables | None = None,
        atlas: Atlas | None = None,
        is_select_used: bool = True,
    ) -> None:
        self.sha1, self.title, self.name, self.rom = sha1, title, name, rom
        self.tables = tables or with_machines(read_tables(FACTS), rom)
        self.atlas = atlas or with_places(ATLAS, FACTS)
        self.healing_items = self.tables.potions()
        self.emulator_version = version("pyboy")
        self._is_select_used = is_select_used
        self._menu_uses = menu_uses(self.tables)

    @property
    def overworld(self) -> Overworld | None:
        """Return the world that the image carries; None: its tables were not found."""
        return read_overworld(self.rom, self.tables.BLOCK_CHANGES)[0]

    @property
    def overworld_problem(self) -> str:
        """Return in one line why there is no `overworld`; "" where there is one."""
        return read_overworld(self.rom, self.tables.BLOCK_CHANGES)[1]

    def start(self) -> Emulator:
        """Switch a new Game Boy Color on."""
        return self._start(None)

    def start_saved(self, battery: bytes, file: str) -> Emulator:
        """Switch a new Game Boy Color on with a battery file's memory.

        Raises:
            ConfigurationError: It is not of this cartridge, or holds no saved game.
        """
        memory = Battery.of(battery, Cartridge.of(self.rom), file)
        saved = [
            at for at in _SAVED_GAMES if (memory.ram[at[0]], memory.ram[at[1]]) == _CHECK_VALUES
        ]
        if not saved:
            raise ConfigurationError(
                f"{file} contains no saved game of Pokémon Crystal.",
                "It is from a different game, or nothing was saved. Save in the game first.",
            )
        if not any(_is_sum_right(memory.ram, *at) for at in saved):
            raise ConfigurationError(
                f"The saved game in {file} is damaged: its checksum is wrong.",
                "Use an older copy, or leave --state out.",
            )
        return self._start(memory)

    def _start(self, battery: Battery | None) -> Emulator:
        from engine.emulator.gameboy import GameBoy  # it takes long: `poketui rom` needs no PyBoy

        return GameBoy(self.rom, battery)

    def reader(self, emulator: Emulator) -> Reader:
        """Return a reader of a machine that runs this game."""
        return CrystalReader(emulator, self.tables)

    def play_introduction(
        self,
        emulator: Emulator,
        read: Callable[[], GameState],
        report: Callable[[int, int], None] = lambda done, most: None,
    ) -> None:
        """Press through title, menus and introduction, then make text and battles fast."""
        play_introduction(emulator, read, report)

    def seed(self, emulator: Emulator, random: tuple[int, int]) -> None:
        """Set hRandomAdd and hRandomSub."""
        for symbol, value in zip(_RANDOM, random, strict=True):
            emulator.write(symbol.bank, symbol.address, bytes((value,)))

    def is_readable(self, emulator: Emulator) -> bool:
        """Return whether the game is not on its way from one map to another."""
        return not pressing.is_between_maps(emulator)

    def blocked(self, state: GameState) -> dict[int, str]:
        """Return the actions that are of no use now, each with the reason."""
        return blocked_actions(state, self._menu_uses, is_select_used=self._is_select_used)

    def digest(self, emulator: Emulator) -> str:
        """Return the SHA-1 of C000-DFFF with bank 1."""
        memory = emulator.read(0, 0xC000, 0x1000) + emulator.read(1, 0xD000, 0x1000)
        return hashlib.sha1(memory, usedforsecurity=False).hexdigest()


def _is_sum_right(ram: bytes, first: int, second: int) -> bool:
    data = ram[first + 1 : first + 1 + _DATA_SIZE]
    return sum(data) & 0xFFFF == int.from_bytes(ram[second - 2 : second], "little")


def recognise(file: Path, sha1: str, cartridge: Cartridge, rom: bytes) -> Recognised | None:
    """Return what a whole image is if it is Crystal or one of its sisters, else None."""
    title, language = cartridge.title, cartridge.code[-1:]
    if sha1 in _KNOWN:
        return Recognised(_KNOWN[sha1], CrystalGame(sha1, title, _KNOWN[sha1], rom))
    if title.startswith(_TITLE) and language == _JAPANESE:
        message = f"{file} is the Japanese Pokémon Crystal, whose memory layout differs."
        return Recognised("Pokémon Crystal (Japan)", None, RomError(message, _OTHER_ADDRESSES))
    if title.startswith(_TITLE):
        name = "Pokémon Crystal (unknown build)"
        refusal = RomError(
            f"{file} calls itself Pokémon Crystal but is not a known build (SHA-1 {sha1}).",
            "It may be damaged, translated or modified. Use the original English ROM, or add "
            "--allow-unknown-rom to try it anyway.",
        )
        return Recognised(name, CrystalGame(sha1, title, name, rom), refusal)
    sister = _SISTERS.get(title[:11])
    if sister is None:
        return None
    message = f"{file} is {sister}, whose memory layout differs from Crystal's."
    return Recognised(sister, None, RomError(message, _OTHER_ADDRESSES))
