"""Hold a machine of plain bytes that stands in for the emulator where RAM alone matters."""

import numpy as np

from engine.games.crystal.memory import SYMBOLS
from engine.types import Action, Frame


class MemoryMachine:
    """An `Emulator` whose memory is set by the test; time does not pass."""

    def __init__(self, rom: bytes = bytes(0x8000)) -> None:
        self.rom = rom
        self.memory = bytearray(0x10000)
        self.reads = 0
        self.is_drawn, self.frames_run = False, 0

    def tick(self, frames: int, render: bool = False) -> None:
        pass

    def press(self, action: Action) -> None:
        pass

    def release(self, action: Action) -> None:
        pass

    def read(self, bank: int, address: int, size: int) -> bytes:
        assert bank == (1 if 0xD000 <= address < 0xE000 else 0)
        self.reads += 1
        return bytes(self.memory[address : address + size])

    def read_strided(self, bank: int, address: int, stride: int, count: int) -> bytes:
        return bytes(self.memory[address : address + stride * count : stride])

    def write(self, bank: int, address: int, data: bytes) -> None:
        self.memory[address : address + len(data)] = data

    def frame(self) -> Frame:
        return np.zeros((144, 160, 3), np.uint8)

    def save_state(self) -> bytes:
        return bytes(self.memory)

    def load_state(self, state: bytes) -> None:
        self.memory[:] = state

    def close(self) -> None:
        pass

    def put(self, name: str, *values: int, offset: int = 0) -> None:
        """Set the bytes of a symbol."""
        self.write(0, SYMBOLS[name].address + offset, bytes(values))
