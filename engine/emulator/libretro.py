"""Run a Game Boy Advance game in the mGBA core, over libretro's interface."""

import ctypes
import hashlib
import struct
import weakref
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.emulator import libretro_abi as abi
from engine.emulator.advance_cartridge import BATTERY_SIZE
from engine.emulator.base import CLOSED
from engine.emulator.core import Core, Frontend, LoadedCore
from engine.emulator.core_hooks import delayed_signals
from engine.errors import EnvironmentError, RomError
from engine.types import Frame

# Pack a machine's state into bytes that name its ROM and core, and check both on unpacking. A state
# is a quarter to half a megabyte, most of it memory that no game uses: blocks that hold
# zeros or all ones only are left out.

BLOCK_SIZE = 64
_MAGIC = b"PTUI-GBA1"
_CHECKSUM = struct.Struct("<I")
_FACTS = struct.Struct("<20sQHIB")  # SHA-1, frames, buttons, size of the memory, of the version
_MAX_MEMORY = 1 << 22
_WORD = np.dtype("<u8")
_ONES = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_OTHER_GAME = "It is damaged or from a different game; start a new run."


@dataclass(frozen=True, slots=True, eq=False)
class MachineState:
    """A machine between two frames.

    Attributes:
        rom_sha1: Of the image, 20 bytes.
        core_version: Name and version of the core whose memory this is.
        frames: How many ran since power-on.
        held: Bit n: the button with that number is down.
        memory: (n * BLOCK_SIZE,) uint8.
    """

    rom_sha1: bytes
    core_version: str
    frames: int
    held: int
    memory: NDArray[np.uint8]

    def pack(self) -> bytes:
        """Return the state as bytes."""
        version = self.core_version.encode()
        facts = _FACTS.pack(self.rom_sha1, self.frames, self.held, self.memory.size, len(version))
        words = self.memory.view(_WORD).reshape(-1, BLOCK_SIZE // _WORD.itemsize)
        either, both = words[:, 0].copy(), words[:, 0].copy()
        for column in range(1, words.shape[1]):  # a fifth of the time that .any(axis=1) takes
            either |= words[:, column]
            both &= words[:, column]
        is_ones = both == _ONES
        is_kept = (either != 0) & ~is_ones
        packed = b"".join(
            (
                facts,
                version,
                np.packbits(is_ones).tobytes(),
                np.packbits(is_kept).tobytes(),
                words[is_kept].tobytes(),
            )
        )
        return b"".join((_MAGIC, _CHECKSUM.pack(zlib.crc32(packed)), packed))

    @classmethod
    def unpack(cls, state: bytes, rom_sha1: bytes, core_version: str) -> Self:
        """Return what `pack` packed.

        Raises:
            EnvironmentError: It is damaged, or not of this ROM and core.
        """
        start = len(_MAGIC) + _CHECKSUM.size
        if not state.startswith(_MAGIC) or len(state) < start + _FACTS.size:
            raise EnvironmentError(
                "This is no saved state of a Game Boy Advance game.", _OTHER_GAME
            )
        packed = memoryview(state)[start:]
        if _CHECKSUM.unpack_from(state, len(_MAGIC)) != (zlib.crc32(packed),):
            raise EnvironmentError("The saved state is damaged.", "Use an older one.")
        sha1, frames, held, size, version_size = _FACTS.unpack_from(packed)
        if sha1 != rom_sha1:
            raise EnvironmentError("The saved state is from a different ROM.", _OTHER_GAME)
        at = _FACTS.size + version_size
        version = bytes(packed[_FACTS.size : at]).decode(errors="replace")
        if version != core_version:
            raise EnvironmentError(
                f"The saved state is from the core {version}; this is {core_version}.",
                "Name the file of that core with --core, or start a new run.",
            )
        try:
            return cls(sha1, version, frames, held, _unpack_memory(packed[at:], size))
        except (ValueError, IndexError):  # forged, as the checksum is right
            raise EnvironmentError("The saved state is damaged.", "Use an older one.") from None


def _unpack_memory(packed: memoryview, size: int) -> NDArray[np.uint8]:
    count, rest = divmod(size, BLOCK_SIZE)
    if rest or size > _MAX_MEMORY:
        raise ValueError(f"{size} bytes of memory")
    mask_size = -(-count // 8)
    masks = np.frombuffer(packed, np.uint8, 2 * mask_size).reshape(2, mask_size)
    is_ones, is_kept = np.unpackbits(masks, axis=1, count=count).astype(bool)
    words = np.zeros((count, BLOCK_SIZE // _WORD.itemsize), _WORD)
    words[is_ones] = _ONES
    words[is_kept] = np.frombuffer(packed[2 * mask_size :], _WORD).reshape(-1, words.shape[1])
    return words.view(np.uint8).reshape(-1)


# Choose which frames a core draws, for which libretro's interface has no call.
#
# mGBA draws a frame, skips as many as its option `mgba_frameskip` says, and draws the next. How
# many are still to be skipped is no option, but lies in memory, where it can be set: behind the
# sprites, as the last of `frameCounter`, `frameskip` and `frameskipCounter` (mGBA, struct GBAVideo
# in include/mgba/internal/gba/video.h).

NEVER = 1 << 30
"""A frameskip at which no frame is drawn, but those for which the countdown is set to 0."""

_SPRITES = 0x07
_FRAMESKIP_AT, _COUNTDOWN_AT = 0x404, 0x408
"""From the start of the sprites' memory on."""
_ENDLESS_LOOP = bytes.fromhex("feffffea").ljust(0x200, b"\0")
"""An image of one instruction."""


def countdown_of(frontend: Frontend) -> ctypes.c_int32:
    """Return the number of frames still to be skipped, to be set; needs `can_set_countdown`."""
    return ctypes.c_int32.from_address(frontend.memory[_SPRITES][0] + _COUNTDOWN_AT)


@lru_cache
def can_set_countdown(core: Core) -> bool:
    """Return whether the countdown is where it is expected, by looking at it as it counts.

    Raises:
        EnvironmentError: There is no core in the file that can be used here.
    """
    frontend, loaded = Frontend(NEVER), LoadedCore(core, lambda: 0)
    try:
        if not loaded.start(frontend, _ENDLESS_LOOP) or _SPRITES not in frontend.memory:
            return False
        sprites, _ = frontend.memory[_SPRITES]
        frameskip = ctypes.c_int32.from_address(sprites + _FRAMESKIP_AT)
        countdown = countdown_of(frontend)
        seen = [frameskip.value, countdown.value]
        for _ in range(2):
            loaded.library.retro_run()
            seen.append(countdown.value)
        return seen == [NEVER, 0, NEVER, NEVER - 1]
    finally:
        loaded.close()


_BUTTONS = (
    abi.A, abi.B, abi.START, abi.SELECT, abi.UP, abi.DOWN, abi.LEFT, abi.RIGHT, abi.L, abi.R
)  # fmt: skip
"""By index in `GAME_BOY_ADVANCE_ACTIONS`."""

_EWRAM, _IWRAM, _ROM, _BATTERY = 0x02, 0x03, (0x08, 0x09), 0x0E
_RAM: Mapping[int, int] = MappingProxyType(
    {_EWRAM: 0x40000, _IWRAM: 0x8000, 0x04: 0x400, 0x05: 0x400, 0x06: 0x18000, _SPRITES: 0x400}
)
"""Highest byte of the address to the size: work RAM, registers, palette, video RAM, sprites."""

_MACHINE_SIZE = 0x61000
"""Bytes of the machine in a core's state (mGBA, struct GBASerializedState). From 0.8 on a copy of
the battery memory follows; having loaded that, the core would no longer use the memory we see."""
_MAX_FRAMES = 60
"""Frames that run before Ctrl-C is handled."""


class _Running:
    """Keeps a core loaded until nothing refers to the machine's memory any more."""


class GameBoyAdvance:
    """The mGBA core without window, sound or files.

    Args:
        rom: Cartridge image, already checked (`engine.games.catalog.load_game`): the core runs
            truncated and corrupted images without a word.
        battery: What the cartridge remembers, as `battery_memory` returns it; None: nothing yet.
        core: None: the one that `Core.find` finds.

    Attributes:
        is_drawn: `frame` shows the present.
        frames_run: Frames emulated since it was made.
        core_version: Of the core (`LoadedCore.version`).
        is_clock_fixed: The cartridge's clock counts frames; False: it is the computer's.
        ewram: (262144,) uint8, the RAM at 02000000 itself, for as long as it is referred to.
        iwram: (32768,) uint8, likewise the RAM at 03000000.

    Raises:
        EnvironmentError: There is no core that can be used.
        RomError: The core cannot run the image at all.
    """

    is_drawn = False
    frames_run = 0

    def __init__(self, rom: bytes, battery: bytes | None = None, core: Core | None = None) -> None:
        self.rom = rom
        self._sha1 = hashlib.sha1(rom).digest()
        core = core or Core.find()
        is_drawn_on_demand = can_set_countdown(core)
        self._frontend = frontend = Frontend(NEVER if is_drawn_on_demand else 0)
        loaded = LoadedCore(core, lambda: frontend.frames)
        self.core_version, self.is_clock_fixed = loaded.version, loaded.is_clock_fixed
        self._library: Any = loaded.library
        self._running: _Running | None = _Running()
        weakref.finalize(self._running, loaded.close).atexit = False
        is_loaded = loaded.start(frontend, rom)
        battery_at, battery_size = 0, 0
        if is_loaded:
            battery_at = self._library.retro_get_memory_data(abi.SAVE_RAM)
            battery_size = self._library.retro_get_memory_size(abi.SAVE_RAM)
        sizes = {page: frontend.memory.get(page, (0, 0))[1] for page in _RAM}
        if sizes != _RAM or battery_size != BATTERY_SIZE:
            self._running = None
            raise RomError(
                "The emulator cannot run this ROM.", "Use an intact Game Boy Advance ROM."
            )
        self._memory = {page: self._view(*frontend.memory[page]) for page in _RAM}
        self.ewram, self.iwram = self._memory[_EWRAM], self._memory[_IWRAM]
        self._battery = self._memory[_BATTERY] = self._view(battery_at, BATTERY_SIZE)
        self._battery[:] = np.frombuffer(battery, np.uint8) if battery else 0xFF
        self._countdown = countdown_of(frontend) if is_drawn_on_demand else ctypes.c_int32()
        self._state = self._room_for_state()

    def tick(self, frames: int, render: bool = False) -> None:
        """Emulate `frames` frames; `render` draws the last of them."""
        self.frames_run += max(0, frames)
        while frames > 0:
            count = min(frames, _MAX_FRAMES)
            frames -= count
            with delayed_signals():
                self._run(count, render and not frames)

    def press(self, action: int) -> None:
        """Hold the button of `action` from the next frame on."""
        self._frontend.held |= 1 << _BUTTONS[action]

    def release(self, action: int) -> None:
        """Let go of the button of `action` from the next frame on."""
        self._frontend.held &= ~(1 << _BUTTONS[action])

    def read(self, bank: int, address: int, size: int) -> bytes:
        """Read memory at a 32-bit address; `bank` is 0. It is zero where there is none."""
        return self.read_strided(bank, address, 1, size)

    def read_strided(self, bank: int, address: int, stride: int, count: int) -> bytes:
        """Read `count` single bytes that lie `stride` apart; of the image, too."""
        page, start = address >> 24, address & 0xFF_FFFF
        if page in _ROM:
            start = address - (_ROM[0] << 24)
            found = self.rom[start : start + stride * count : stride]
        elif page in self._memory:
            found = self._memory[page][start : start + stride * count : stride].tobytes()
        else:
            found = b""
        return found.ljust(count, b"\0")

    def write(self, bank: int, address: int, data: bytes) -> None:
        """Overwrite RAM at a 32-bit address.

        Raises:
            ValueError: There is no RAM.
        """
        start = address & 0xFF_FFFF
        memory = self._memory.get(address >> 24, self.ewram[:0])
        if start + len(data) > memory.size:
            raise ValueError(f"no RAM at {address:08X}")
        memory[start : start + len(data)] = np.frombuffer(data, np.uint8)

    def frame(self) -> Frame:
        """Copy the last rendered frame: (160, 240, 3) uint8."""
        return self._frontend.picture()

    def save_state(self) -> bytes:
        """Return the whole machine, its battery memory, clock and buttons included."""
        with delayed_signals():
            is_saved = self._library.retro_serialize(self._state.ctypes.data, self._state.size)
            if not is_saved:  # its size depends on what the game has used
                self._state = self._room_for_state()
                is_saved = self._library.retro_serialize(self._state.ctypes.data, self._state.size)
        if not is_saved:
            raise EnvironmentError("The emulator cannot save its state.", "Use another core.")
        memory = np.concatenate((self._battery, self._state[:_MACHINE_SIZE]))
        frontend = self._frontend
        return MachineState(
            self._sha1, self.core_version, frontend.frames, frontend.held, memory
        ).pack()

    def load_state(self, state: bytes) -> None:
        """Put the whole machine back.

        Raises:
            EnvironmentError: `state` is not of this core and cartridge.
        """
        machine = MachineState.unpack(state, self._sha1, self.core_version)
        saved = machine.memory[BATTERY_SIZE:]
        if saved.size != _MACHINE_SIZE:
            raise EnvironmentError("The saved state is damaged.", "Use an older one.")
        # mGBA 0.7 forgets its list of sprites, and makes it anew where the load changes one.
        self._memory[_SPRITES] ^= 0xFF
        with delayed_signals():
            is_loaded = self._library.retro_unserialize(saved.ctypes.data, saved.size)
        if not is_loaded:
            self._memory[_SPRITES] ^= 0xFF
            raise EnvironmentError("The emulator cannot load this saved state.", "Start a new run.")
        self._battery[:] = machine.memory[:BATTERY_SIZE]
        self._frontend.frames, self._frontend.held = machine.frames, machine.held
        self.is_drawn = False

    def close(self) -> None:
        """Free the emulator; nothing is written to disk. May be called again."""
        self._library = self._memory = self._battery = CLOSED
        self._running = None
        self._frontend = self.ewram = self.iwram = CLOSED
        self._countdown = ctypes.c_int32()
        self.is_drawn = True  # or whoever wants a picture would run a frame for it

    def _run(self, frames: int, render: bool) -> None:
        frontend, run = self._frontend, self._library.retro_run
        self.is_drawn = False
        for _ in range(frames - render):
            run()
            frontend.frames += 1
        if render:
            self._countdown.value = 0
            frontend.is_drawing = True
            run()
            frontend.is_drawing = False
            frontend.frames += 1
            self.is_drawn = True

    def _view(self, address: int, size: int) -> NDArray[np.uint8]:
        memory = _bytes(size).from_address(address)
        memory.machine = self._running  # not freed before
        return np.frombuffer(memoryview(memory), np.uint8)

    def _room_for_state(self) -> NDArray[np.uint8]:
        return np.zeros(self._library.retro_serialize_size(), np.uint8)


@cache
def _bytes(size: int) -> Any:
    """Return the array type of so many bytes, the same for all machines: types are not freed."""
    return ctypes.c_uint8 * size
