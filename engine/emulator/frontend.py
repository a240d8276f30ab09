"""Answer what a libretro core asks of whoever runs it: options, buttons, picture and memory."""

import ctypes
from typing import Any

import numpy as np

from engine.emulator import libretro_abi as abi
from engine.types import GAME_BOY_ADVANCE_FRAME_SHAPE, Frame

_HEIGHT, _WIDTH, _ = GAME_BOY_ADVANCE_FRAME_SHAPE
_MAX_WIDTH = 256
"""Pixels from one line of the core's picture to the next."""

_PIXEL = np.dtype([("red_green", "<u2"), ("blue", "u1")])
"""Three bytes, of which the first two are written at once."""

_OPTIONS = {
    b"mgba_skip_bios": b"ON",
    b"mgba_use_bios": b"OFF",  # or it would look for an image of it
    b"mgba_idle_optimization": b"Remove Known",
}


class Frontend:
    """What one core calls while it runs; lasts as long as the core.

    Args:
        frameskip: How many frames the core leaves undrawn after one that it draws.

    Attributes:
        frames: How many ran since power-on.
        held: Bit n: the button with that number is down.
        is_drawing: The picture of the frame that runs is wanted.
        memory: Highest byte of an address to where that memory is, and its size in bytes; of what
            the core maps for the machine.
    """

    def __init__(self, frameskip: int) -> None:
        self.frames = 0
        self.held = 0
        self.is_drawing = False
        self.memory: dict[int, tuple[int, int]] = {}
        self._options = {**_OPTIONS, b"mgba_frameskip": b"%d" % frameskip}
        self._pixels = np.zeros((_HEIGHT, _MAX_WIDTH), np.uint16)
        self._pixels_at: int = self._pixels.ctypes.data

    def connect(self, library: Any) -> object:
        """Have a core call this, before it is initialised; return what must last as long as it.

        It is not kept here, as it refers to this: both would wait for the cyclic collector.
        """
        callbacks = {
            "retro_set_environment": abi.EnvironmentCallback(self._environment),
            "retro_set_video_refresh": abi.VideoCallback(self._video),
            "retro_set_audio_sample": abi.AudioCallback(_ignore_sample),
            "retro_set_audio_sample_batch": abi.AudioBatchCallback(_ignore_samples),
            "retro_set_input_poll": abi.InputPollCallback(_ignore_poll),
            "retro_set_input_state": abi.InputStateCallback(self._input),
        }
        for name, callback in callbacks.items():
            getattr(library, name)(callback)
        return callbacks

    def picture(self) -> Frame:
        """Copy the last picture that was wanted: (160, 240, 3) uint8."""
        pixels = self._pixels
        frame = np.empty((_HEIGHT, _WIDTH), _PIXEL)
        # 16 bits: red 5, green 6, blue 5. The machine has 5 bits of green, so the sixth is empty.
        # Whole rows and two bytes at a time, which takes two thirds of the time.
        red_green, part = pixels >> 8, pixels >> 13
        red_green &= 0xF8
        red_green |= part
        np.left_shift(pixels, 5, out=part)
        part &= 0xF800
        red_green |= part
        np.bitwise_and(pixels, 0x0700, out=part)
        red_green |= part
        frame["red_green"] = red_green[:, :_WIDTH]
        blue = pixels.astype(np.uint8)
        blue <<= 3
        blue |= blue >> 5
        frame["blue"] = blue[:, :_WIDTH]
        return frame.view(np.uint8).reshape(GAME_BOY_ADVANCE_FRAME_SHAPE)

    def _environment(self, command: int, data: int) -> bool:
        command &= ~abi.EXPERIMENTAL
        if command == abi.GET_VARIABLE:
            variable = abi.Variable.from_address(data)
            variable.value = self._options.get(variable.key)
            return variable.value is not None
        if command == abi.SET_PIXEL_FORMAT:
            return bool(ctypes.c_int.from_address(data).value == abi.RGB565)
        if command == abi.SET_MEMORY_MAPS:
            memory = abi.MemoryMap.from_address(data)
            for each in memory.descriptors[: memory.num_descriptors]:
                if each.ptr:
                    self.memory[each.start >> 24] = (each.ptr + each.offset, each.len)
            return True
        return False

    def _video(self, data: int | None, _width: int, height: int, pitch: int) -> None:
        if self.is_drawing and data:
            ctypes.memmove(self._pixels_at, data, min(height * pitch, self._pixels.nbytes))

    def _input(self, port: int, device: int, _index: int, button: int) -> int:
        return self.held >> button & 1 if port == 0 and device == abi.JOYPAD else 0


def _ignore_sample(_left: int, _right: int) -> None:
    pass


def _ignore_samples(_samples: int, count: int) -> int:
    return count


def _ignore_poll() -> None:
    pass
