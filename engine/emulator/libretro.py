"""Run a Game Boy Advance game in the mGBA core, over libretro's interface."""

import ctypes
import hashlib
import struct
import weakref
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.emulator import libretro_abi as abi
from engine.emulator.core import Core, LoadedCore
from engine.errors import EnvironmentError, RomError
from engine.types import GAME_BOY_ADVANCE_ACTIONS, GAME_BOY_ADVANCE_FRAME_SHAPE, Frame

_HEIGHT, _WIDTH, _ = GAME_BOY_ADVANCE_FRAME_SHAPE
_BUTTONS = (abi.A, abi.B, abi.START, abi.SELECT, abi.UP, abi.DOWN, abi.LEFT, abi.RIGHT, abi.L, abi.R)
"""Of the actions in order."""

_OPTIONS = {
    b"mgba_skip_bios": b"ON",
    b"mgba_use_bios": b"OFF",
    b"mgba_idle_optimization": b"Remove Known",
}
_FRAMESKIP = b"mgba_frameskip"
_SAVE_SIZE = 0x20000
_HEADER = struct.Struct("<4sI20sQ")
_MAGIC = b"PTGA"


class _Frontend:
    """What the core calls: its options, its input, its picture and its memory."""

    def __init__(self) -> None:
        self.held = [0] * abi.NUM_BUTTONS
        self.is_drawing = False
        self.frames = 0
        self.frameskip = b"0"
        self.is_changed = False
        self.pixels = np.zeros((_HEIGHT, 256), np.uint16)
        self.regions: dict[int, tuple[int, int]] = {}
        self._answer: Any = None
        self.callbacks = (
            abi.EnvironmentCallback(self._environment),
            abi.VideoCallback(self._video),
            abi.AudioCallback(lambda _left, _right: None),
            abi.AudioBatchCallback(lambda _samples, count: count),
            abi.InputPollCallback(lambda: None),
            abi.InputStateCallback(self._input),
        )

    def _environment(self, command: int, data: int) -> bool:
        command &= ~abi.EXPERIMENTAL
        if command == abi.GET_VARIABLE_UPDATE:
            ctypes.c_bool.from_address(data).value = self.is_changed
            self.is_changed = False
            return True
        if command == abi.GET_VARIABLE:
            variable = abi.Variable.from_address(data)
            value = self.frameskip if variable.key == _FRAMESKIP else _OPTIONS.get(variable.key)
            if value is None:
                return False
            self._answer = value
            variable.value = value
            return True
        if command == abi.SET_PIXEL_FORMAT:
            return ctypes.c_int.from_address(data).value == abi.RGB565
        if command == abi.SET_MEMORY_MAPS:
            memory = abi.MemoryMap.from_address(data)
            for each in memory.descriptors[: memory.num_descriptors]:
                if each.ptr:
                    self.regions[each.start >> 24] = (each.ptr + each.offset, each.len)
            return True
        return False

    def _video(self, data: int, width: int, height: int, pitch: int) -> None:
        if self.is_drawing and data:
            ctypes.memmove(self.pixels.ctypes.data, data, height * pitch)

    def _input(self, port: int, device: int, index: int, button: int) -> int:
        return self.held[button] if port == 0 and device == abi.JOYPAD else 0


class _Running:
    """A running machine: it lasts as long as something looks into its memory."""


def _shut_down(core: LoadedCore, frontend: _Frontend) -> None:
    core.library.retro_unload_game()
    core.library.retro_deinit()
    core.close()


class GameBoyAdvance:
    """The mGBA core without window, sound or files.

    Args:
        rom: Cartridge image, already checked.
        battery: What the cartridge remembers, 131,072 bytes; None: nothing yet.
        core: None: the one that `Core.find` finds.

    Attributes:
        is_drawn: `frame` is of now.
        core_version: Name and version of the core.
        ewram: (262144,) uint8, the RAM at 02000000 itself.
        iwram: (32768,) uint8, the RAM at 03000000 itself.

    Raises:
        EnvironmentError: There is no core that can be used.
        RomError: The core cannot run the image at all.
    """

    is_drawn = False

    def __init__(
        self, rom: bytes, battery: bytes | None = None, core: Core | None = None
    ) -> None:
        self.rom = rom
        self._sha1 = hashlib.sha1(rom).digest()
        loaded = (core or Core.find()).load()
        self.core_version = loaded.version
        self._library = library = loaded.library
        self._frontend = frontend = _Frontend()
        environment, video, audio, batch, poll, state = frontend.callbacks
        library.retro_set_environment(environment)
        library.retro_set_video_refresh(video)
        library.retro_set_audio_sample(audio)
        library.retro_set_audio_sample_batch(batch)
        library.retro_set_input_poll(poll)
        library.retro_set_input_state(state)
        library.retro_init()
        info = abi.GameInfo(b"game.gba", rom, len(rom), None)
        if not library.retro_load_game(ctypes.byref(info)):
            library.retro_deinit()
            loaded.close()
            raise RomError("The emulator cannot run this ROM.", "Use an intact ROM.")
        self._running = _Running()
        weakref.finalize(self._running, _shut_down, loaded, frontend).atexit = False
        self._regions = {
            page: self._view(*frontend.regions[page]) for page in (2, 3, 4, 5, 6, 7)
        }
        self.ewram, self.iwram = self._regions[2], self._regions[3]
        save = library.retro_get_memory_data(abi.SAVE_RAM)
        self._save = self._regions[0xE] = self._view(save, _SAVE_SIZE)
        self._save[:] = np.frombuffer(battery, np.uint8) if battery else 0xFF
        self._state_size = library.retro_serialize_size()

    def tick(self, frames: int, render: bool = False) -> None:
        """Emulate `frames` frames; `render` draws the last of them."""
        if frames <= 0:
            return
        frontend, run = self._frontend, self._library.retro_run
        skipped = frames - render
        if skipped:
            self._skip(b"10")
            for _ in range(skipped):
                run()
                frontend.frames += 1
        if render:
            self._skip(b"0")
            frontend.is_drawing = True
            run()
            frontend.frames += 1
            frontend.is_drawing = False
        self.is_drawn = render

    def _skip(self, frameskip: bytes) -> None:
        if self._frontend.frameskip != frameskip:
            self._frontend.frameskip = frameskip
            self._frontend.is_changed = True

    def press(self, action: int) -> None:
        """Hold the button of `action` from the next frame on."""
        self._frontend.held[_BUTTONS[action]] = 1

    def release(self, action: int) -> None:
        """Let go of the button of `action` from the next frame on."""
        self._frontend.held[_BUTTONS[action]] = 0

    def read(self, bank: int, address: int, size: int) -> bytes:
        """Read memory by its 32-bit address; `bank` is 0. Where there is none, it is 0."""
        return self.read_strided(bank, address, 1, size)

    def read_strided(self, bank: int, address: int, stride: int, count: int) -> bytes:
        """Read `count` single bytes that lie `stride` apart."""
        page, start = address >> 24, address & 0xFFFFFF
        end = start + stride * count
        if page in (8, 9):
            found = self.rom[address - 0x0800_0000 : address - 0x0800_0000 + stride * count : stride]
        elif page in self._regions:
            found = self._regions[page][start:end:stride].tobytes()
        else:
            found = b""
        return found.ljust(count, b"\0")

    def write(self, bank: int, address: int, data: bytes) -> None:
        """Overwrite RAM."""
        start = address & 0xFFFFFF
        self._regions[address >> 24][start : start + len(data)] = np.frombuffer(data, np.uint8)

    def frame(self) -> Frame:
        """Copy the last rendered frame: (160, 240, 3) uint8."""
        pixels = self._frontend.pixels[:, :_WIDTH]
        frame = np.empty(GAME_BOY_ADVANCE_FRAME_SHAPE, np.uint8)
        for channel, shift in enumerate((11, 6, 0)):
            part = (pixels >> shift & 31).astype(np.uint8)
            frame[:, :, channel] = part << 3 | part >> 2
        return frame

    def save_state(self) -> bytes:
        """Return the whole machine, its battery memory and clock included."""
        state = ctypes.create_string_buffer(self._state_size)
        self._library.retro_serialize(state, self._state_size)
        body = self._save.tobytes() + state.raw
        header = _HEADER.pack(_MAGIC, zlib.crc32(body), self._sha1, self._frontend.frames)
        return header + body

    def load_state(self, state: bytes) -> None:
        """Put the whole machine back.

        Raises:
            EnvironmentError: `state` is not of this emulator and cartridge.
        """
        body = state[_HEADER.size :]
        if len(body) != _SAVE_SIZE + self._state_size:
            raise EnvironmentError("The emulator cannot load this saved state.", "Start a new run.")
        magic, checksum, sha1, frames = _HEADER.unpack_from(state)
        if (magic, sha1, checksum) != (_MAGIC, self._sha1, zlib.crc32(body)):
            raise EnvironmentError("The emulator cannot load this saved state.", "Start a new run.")
        self.is_drawn = False
        self._library.retro_unserialize(body[_SAVE_SIZE:], self._state_size)
        self._save[:] = np.frombuffer(body, np.uint8, _SAVE_SIZE)
        self._frontend.frames = frames

    def close(self) -> None:
        """Free the emulator. Nothing is written to disk."""
        self._regions = {}
        del self._running

    def _view(self, address: int, size: int) -> NDArray[np.uint8]:
        memory = (ctypes.c_uint8 * size).from_address(address)
        memory.owner = self._running  # type: ignore[attr-defined]  # which it must not outlive
        return np.frombuffer(memory, np.uint8)


assert len(_BUTTONS) == len(GAME_BOY_ADVANCE_ACTIONS)
