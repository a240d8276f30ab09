"""Run a Game Boy Advance game in the mGBA core, over libretro's interface."""

import ctypes
import hashlib
import weakref
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.emulator import libretro_abi as abi
from engine.emulator.advance_cartridge import BATTERY_SIZE
from engine.emulator.base import CLOSED
from engine.emulator.core import Core, LoadedCore
from engine.emulator.draw_countdown import NEVER, can_set_countdown, countdown_of
from engine.emulator.frontend import Frontend
from engine.emulator.interrupts import delayed_signals
from engine.emulator.machine_state import MachineState
from engine.errors import EnvironmentError, RomError
from engine.types import Frame

_BUTTONS = (
    abi.A, abi.B, abi.START, abi.SELECT, abi.UP, abi.DOWN, abi.LEFT, abi.RIGHT, abi.L, abi.R
)  # fmt: skip
"""Of `GAME_BOY_ADVANCE_ACTIONS`."""

_EWRAM, _IWRAM, _SPRITES, _ROM, _BATTERY = 0x02, 0x03, 0x07, (0x08, 0x09), 0x0E
_RAM: Mapping[int, int] = MappingProxyType(
    {_EWRAM: 0x40000, _IWRAM: 0x8000, 0x04: 0x400, 0x05: 0x400, 0x06: 0x18000, _SPRITES: 0x400}
)
"""Highest byte of the address to the size: work RAM, registers, palette, video RAM, sprites."""

_MACHINE_SIZE = 0x61000
"""Of the machine in a core's state (mGBA, struct GBASerializedState). From 0.8 on a copy of the
battery memory follows; loading that, the core would turn away from the memory which we see."""
_MAX_FRAMES = 60
"""That run before Ctrl-C is looked at."""


class _Running:
    """A running machine: it runs until nothing looks into its memory any more."""


class GameBoyAdvance:
    """The mGBA core without window, sound or files.

    Args:
        rom: Cartridge image, already checked (`engine.games.catalog.load_game`): the core runs
            truncated and corrupted images without a word.
        battery: What the cartridge remembers, as `battery_memory` returns it; None: nothing yet.
        core: None: the one that `Core.find` finds.

    Attributes:
        is_drawn: `frame` is of now.
        core_version: Of the core (`LoadedCore.version`).
        is_clock_fixed: The cartridge's clock counts frames; False: it is the computer's.
        ewram: (262144,) uint8, the RAM at 02000000 itself, for as long as it is referred to.
        iwram: (32768,) uint8, likewise the RAM at 03000000.

    Raises:
        EnvironmentError: There is no core that can be used.
        RomError: The core cannot run the image at all.
    """

    is_drawn = False

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
    """Return the one type of so many bytes: one a machine would wait for the collector."""
    return ctypes.c_uint8 * size
