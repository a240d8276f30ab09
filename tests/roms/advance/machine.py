"""Run MOSSLIGHT ADVANCE frame by frame and read its documented RAM, nothing else."""

import struct
from collections.abc import Callable
from pathlib import Path

from engine.emulator.libretro import GameBoyAdvance
from engine.games.emerald.memory import SYMBOLS, Profile
from engine.games.emerald.screen import decode
from engine.types import GAME_BOY_ADVANCE_ACTIONS, Frame

ROOT = Path(__file__).parents[3]
ROM = ROOT / "roms" / "mosslight_advance.gba"
FACTS = ROOT / "engine" / "games" / "mosslight_advance" / "facts"
HOLD_FRAMES, ACTION_FRAMES = 12, 24
OFFSET = 7
"""Of object coordinates, and of the map within the bordered one."""
_BUTTONS = {action.name.lower(): i for i, action in enumerate(GAME_BOY_ADVANCE_ACTIONS)}
_TEXT_SIZE = 1000

Cell = tuple[int, int]


class Machine:
    """The game in an emulator.

    Args:
        seed: Of the game's chance; None: as power-on has it.
        battery: What the flash memory holds, 128 KB; None: nothing.

    Attributes:
        emulator: It, for what this class does not tell.
        profile: Where the image's code and tables lie.
        actions: How many `act` calls there were.
        watch: Called after every frame of an action, if given.
    """

    def __init__(self, seed: int | None = None, battery: bytes | None = None) -> None:
        self.emulator = GameBoyAdvance(ROM.read_bytes(), battery)
        self.profile = Profile.read(FACTS)
        self.actions = 0
        self.watch: Callable[[], None] | None = None
        self._names = {address: name for name, address in self.profile.rom.items()}
        if seed is not None:
            self.seed(seed)

    def seed(self, seed: int) -> None:
        """Write the state of the game's chance, once the start-up code has run."""
        self.tick(10)
        self.emulator.write(0, SYMBOLS["gRngValue"].address, seed.to_bytes(4, "little"))

    # ---- input -----------------------------------------------------------------------------

    def tick(self, frames: int = 1) -> None:
        if self.watch is None:
            self.emulator.tick(frames)
            return
        for _ in range(frames):
            self.emulator.tick(1)
            self.watch()

    def press(self, button: str) -> None:
        self.emulator.press(_BUTTONS[button])

    def release(self, button: str) -> None:
        self.emulator.release(_BUTTONS[button])

    def act(self, button: str = "", hold: int = HOLD_FRAMES, frames: int = ACTION_FRAMES) -> None:
        """One action: hold a button (or none) for `hold` of `frames` frames."""
        if button:
            self.press(button)
        self.tick(hold)
        if button:
            self.release(button)
        self.tick(frames - hold)
        self.actions += 1

    # ---- memory ----------------------------------------------------------------------------

    def at(self, address: int, size: int) -> bytes:
        return self.emulator.read(0, address, size)

    def read(self, name: str, offset: int = 0, size: int = 0) -> bytes:
        """Read a symbol's bytes from `offset` on."""
        symbol = SYMBOLS[name]
        return self.at(symbol.address + offset, size or symbol.size - offset)

    def get(self, name: str, offset: int = 0, size: int = 1) -> int:
        """Read a little-endian number of a symbol."""
        return int.from_bytes(self.read(name, offset, size), "little")

    def block(self, number: int, offset: int, size: int) -> bytes:
        """Read from save block 1 or 2 where it is now."""
        return self.at(self.get(f"gSaveBlock{number}Ptr", size=4) + offset, size)

    @property
    def key(self) -> int:
        """What numbers in the save blocks are XORed with."""
        return int.from_bytes(self.block(2, 0xAC, 4), "little")

    @property
    def money(self) -> int:
        return int.from_bytes(self.block(1, 0x490, 4), "little") ^ self.key

    def stat(self, number: int) -> int:
        return int.from_bytes(self.block(1, 0x159C + 4 * number, 4), "little") ^ self.key

    def flag(self, number: int) -> bool:
        return bool(self.block(1, 0x1270 + number // 8, 1)[0] >> number % 8 & 1)

    def set_flag(self, number: int) -> None:
        """Set a flag, as if the story had; maps notice when they are loaded."""
        byte = self.block(1, 0x1270 + number // 8, 1)[0] | 1 << number % 8
        at = self.get("gSaveBlock1Ptr", size=4) + 0x1270 + number // 8
        self.emulator.write(0, at, bytes((byte,)))

    def var(self, number: int) -> int:
        return int.from_bytes(self.block(1, 0x139C + 2 * (number - 0x4000), 2), "little")

    # ---- what it means ---------------------------------------------------------------------

    def function(self, name: str, offset: int = 0) -> str:
        """Return the name of the function that a pointer in RAM holds, "" for none."""
        return self._names.get(self.get(name, offset, 4) & ~1, "")

    @property
    def mode(self) -> str:
        """The main callback: which screen this is."""
        return self.function("gMain", 4)

    @property
    def in_field(self) -> bool:
        return self.mode == "CB2_Overworld" and self.function("gMain") == "CB1_Overworld"

    @property
    def in_battle(self) -> bool:
        return bool(self.get("gMain", 0x439) & 2)

    @property
    def map_key(self) -> tuple[int, int]:
        group, number = self.block(1, 4, 2)
        return group, number

    @property
    def position(self) -> Cell:
        x, y = struct.unpack("<hh", self.block(1, 0, 4))
        return x, y

    @property
    def facing(self) -> str:
        return ("", "down", "up", "left", "right")[self.objects[0][0x18] & 15]

    @property
    def objects(self) -> list[bytes]:
        """The 16 object structs, the player's first."""
        raw = self.read("gObjectEvents")
        return [raw[at : at + 0x24] for at in range(0, len(raw), 0x24)]

    @property
    def is_free(self) -> bool:
        """Whether the player is in control and stands still, as Emerald's memory says it."""
        return (
            self.in_field
            and not self.get("sLockFieldControls")
            and self.get("sGlobalScriptContextStatus") == 2
            and not self.get("gPaletteFade", 7) & 0x80
            and not self.get("gPlayerAvatar", 6)
            and self.get("gPlayerAvatar", 3) == 0
            and self.get("gPlayerAvatar", 2) != 2
        )

    @property
    def has_fast_options(self) -> bool:
        """Whether texts are fast and battles have no scenes."""
        options = int.from_bytes(self.block(2, 0x14, 2), "little")
        return (options & 7, options >> 10 & 1) == (2, 1)

    @property
    def tasks(self) -> set[str]:
        """Names of the active tasks."""
        return {
            self.function("gTasks", at)
            for at in range(0, 16 * 40, 40)
            if self.get("gTasks", at + 4)
        }

    @property
    def asked(self) -> int:
        """The own battler whose controller waits for keys; 0 if none does."""
        return 2 if self.function("gBattlerControllerFuncs", 8) else 0

    def task_data(self, name: str) -> tuple[int, ...] | None:
        """Return the first eight numbers of an active task, None where it is not active."""
        for at in range(0, 16 * 40, 40):
            if self.get("gTasks", at + 4) and self.function("gTasks", at) == name:
                return struct.unpack("<8h", self.read("gTasks", at + 8, 16))
        return None

    @property
    def starter(self) -> int | None:
        """Which starter the cursor stands at: 0 left, 1 middle, 2 right; None: no such choice."""
        data = self.task_data("Task_HandleStarterChooseInput")
        return data[0] if data else None

    @property
    def text(self) -> str:
        """The field's text."""
        return decode(self.read("gStringVar4", 0, _TEXT_SIZE))

    # ---- the rest --------------------------------------------------------------------------

    def save(self) -> bytes:
        return self.emulator.save_state()

    def load(self, state: bytes) -> None:
        self.emulator.load_state(state)

    def frame(self) -> Frame:
        """Render one more frame: (160, 240, 3) uint8."""
        self.emulator.tick(1, render=True)
        return self.emulator.frame()

    def close(self) -> None:
        self.emulator.close()
