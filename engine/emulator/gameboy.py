"""Run a Game Boy Color game in PyBoy: the only module that imports it."""

import io
import sys
import time
from typing import Any

import numpy as np

from engine.emulator.base import CLOSED
from engine.emulator.cartridge import Battery, Cartridge
from engine.emulator.gameboy_hooks import (
    CartridgeClock,
    SharedRom,
    find_work_ram,
    offset_of,
    share_roms,
)
from engine.errors import ClosedError, EnvironmentError, RomError
from engine.types import Action, Frame

# PyBoy imports SDL2 for windows that are never opened here, which costs each process 0.2 s, 5 MB
# and a warning, and Pillow, if it is there, for pictures that nobody asks for, which costs 3 MB and
# time in every tick; where they are missing, PyBoy does without.
_hidden = {"sdl2", "PIL"} - sys.modules.keys()
sys.modules.update(dict.fromkeys(_hidden))  # type: ignore[arg-type]
from pyboy import PyBoy  # noqa: E402
from pyboy.core import cartridge as pyboy_cartridge  # noqa: E402
from pyboy.utils import PyBoyException  # noqa: E402

for _name in _hidden:
    del sys.modules[_name]
share_roms(pyboy_cartridge)

_BUTTONS: dict[int, str] = {
    Action.A: "a",
    Action.B: "b",
    Action.START: "start",
    Action.SELECT: "select",
    Action.UP: "up",
    Action.DOWN: "down",
    Action.LEFT: "left",
    Action.RIGHT: "right",
}

_SILENT = 5  # Only this level of pyboy's logger prints nothing.
_RAM_BANK = 0x2000  # PyBoy counts cartridge RAM in whole banks, and at least one
_WRAM, _WRAM_SWITCHED, _WRAM_END = 0xC000, 0xD000, 0xE000
_OTHER_STATE = "It was made by a different PyBoy version or for a different ROM; start a new run."


class GameBoy:
    """PyBoy without window, sound, files or output.

    Args:
        rom: Cartridge image, already checked (`engine.games.catalog.load_game`): PyBoy runs
            truncated and corrupted images without a word.
        battery: What the cartridge remembers; None: nothing yet.

    Attributes:
        is_drawn: `frame` shows the present.
        frames_run: Frames emulated since it was made.

    Raises:
        RomError: PyBoy cannot run the image at all.
    """

    is_drawn = False
    frames_run = 0

    def __init__(self, rom: bytes, battery: Battery | None = None) -> None:
        self.rom = rom
        try:
            # File objects, never paths: for a path PyBoy writes files beside the ROM.
            self._pyboy: Any = PyBoy(
                SharedRom(rom),
                ram_file=io.BytesIO(battery.ram) if battery else None,
                rtc_file=io.BytesIO(battery.clock) if battery and battery.clock else None,
                window="null",
                sound_emulated=False,
                cgb=True,
                log_level=_SILENT,
            )
        except PyBoyException as error:
            raise RomError(
                f"The emulator cannot run this ROM: {error}.", "Use an intact Game Boy Color ROM."
            ) from None
        self._pyboy.set_emulation_speed(0)
        self._memory = self._pyboy.memory
        self._work_ram = find_work_ram(self._memory)
        saved_at = time.time()
        state = self._save()
        self._shape = _shape_of(state)
        self._clock: CartridgeClock | None = None
        cartridge = Cartridge.of(rom)
        if cartridge.has_clock:
            ram_size = max(cartridge.ram_size, _RAM_BANK)
            self._clock = CartridgeClock(self._pyboy, state, saved_at, ram_size)

    def tick(self, frames: int, render: bool = False) -> None:
        """Emulate `frames` frames; `render` draws the last of them."""
        if frames > 0:
            self._pyboy.tick(frames, render, False)
            self.is_drawn = render
            self.frames_run += frames

    def press(self, action: int) -> None:
        """Hold the button of `action` from the next frame on; NOOP holds nothing."""
        if button := _BUTTONS.get(action):
            self._pyboy.button_press(button)

    def release(self, action: int) -> None:
        """Let go of the button of `action` from the next frame on."""
        if button := _BUTTONS.get(action):
            self._pyboy.button_release(button)

    def read(self, bank: int, address: int, size: int) -> bytes:
        """Read RAM. D000-DFFF needs its work-RAM bank, all else bank 0."""
        end = address + size
        ram = self._work_ram
        if ram is not None and (
            _WRAM_SWITCHED <= address < end <= _WRAM_END or _WRAM <= address < end <= _WRAM_SWITCHED
        ):
            start = offset_of(bank, address)
            return ram[start : start + size].tobytes()
        if _WRAM_SWITCHED <= address < _WRAM_END:
            if end == _WRAM_END:
                # PyBoy refuses a banked slice that ends at E000 but not the byte below it.
                last = bytes((self._memory[bank, end - 1],))
                return bytes(self._memory[bank, address : end - 1]) + last if size > 1 else last
            return bytes(self._memory[bank, address:end])
        return bytes(self._memory[address:end])

    def read_strided(self, bank: int, address: int, stride: int, count: int) -> bytes:
        """Read `count` single bytes of D000-DFFF that lie `stride` apart."""
        end = address + stride * count
        ram = self._work_ram
        if ram is not None and end <= _WRAM_END:
            start = offset_of(bank, address)
            return ram[start : start + stride * count : stride].tobytes()
        return bytes(self._memory[bank, address:end:stride])

    def write(self, bank: int, address: int, data: bytes) -> None:
        """Overwrite RAM."""
        for index, value in enumerate(data):
            if _WRAM_SWITCHED <= address + index < _WRAM_END:
                self._memory[bank, address + index] = value
            else:
                self._memory[address + index] = value

    def frame(self) -> Frame:
        """Copy the last rendered frame: (144, 160, 3) uint8."""
        rgba: np.ndarray[Any, np.dtype[np.uint8]] = self._pyboy.screen.ndarray
        frame = np.empty((*rgba.shape[:2], 3), np.uint8)
        pixels, rgba_pixels = frame.reshape(-1, 3), rgba.reshape(-1, 4)
        for channel in range(3):  # flat, 20 times as fast as copying rgba[:, :, :3]
            pixels[:, channel] = rgba_pixels[:, channel]
        return frame

    def save_state(self) -> bytes:
        """Return the whole machine (about 210 KB), its clock included."""
        if self._clock is None:
            return self._save()
        self._clock.bring_up_to_date()
        return self._clock.without_wall_time(self._save())

    def load_state(self, state: bytes) -> None:
        """Put the whole machine back.

        Raises:
            EnvironmentError: `state` is not of this emulator and cartridge.
        """
        if self._pyboy is CLOSED:
            raise ClosedError
        if _shape_of(state) != self._shape:
            # PyBoy would load a part of it.
            raise EnvironmentError("The emulator cannot load this saved state.", _OTHER_STATE)
        self.is_drawn = False
        try:
            if self._clock is None:
                self._load(state)
            else:
                self._clock.load(state, self._load)
        except Exception as error:  # pyboy raises its own kinds, and bare ones for a broken state
            raise EnvironmentError(
                f"The emulator cannot load this saved state: {type(error).__name__}.", _OTHER_STATE
            ) from None

    def close(self) -> None:
        """Free the emulator; nothing is written to disk. May be called again."""
        if self._pyboy is not CLOSED:
            self._pyboy.stop(save=False)
        self._pyboy = self._memory = CLOSED
        self._work_ram = self._clock = None
        self.is_drawn = True  # or whoever wants a picture would run a frame for it

    def _save(self) -> bytes:
        buffer = io.BytesIO()
        self._pyboy.save_state(buffer)
        return buffer.getvalue()

    def _load(self, state: bytes) -> None:
        self._pyboy.load_state(io.BytesIO(state))


def _shape_of(state: bytes) -> tuple[bytes, int]:
    """Return the version of a state's form and its size, alike for all of one cartridge."""
    return state[:1], len(state)
