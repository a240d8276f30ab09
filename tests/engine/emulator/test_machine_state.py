import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.emulator.libretro import BLOCK_SIZE, MachineState
from engine.errors import EnvironmentError

SHA1, VERSION = bytes(range(20)), "mGBA 0.7.0"


def state(memory: np.ndarray) -> MachineState:
    return MachineState(SHA1, VERSION, 123_456, 0b10_0000_0001, memory)


def random_memory(seed: int, blocks: int) -> np.ndarray:
    """Return blocks of zeros, of ones, of both, and of anything."""
    dice = np.random.default_rng(seed)
    kinds = dice.integers(0, 5, blocks)
    memory = np.zeros((blocks, BLOCK_SIZE), np.uint8)
    memory[kinds == 1] = 0xFF
    memory[kinds == 2] = dice.integers(0, 256, BLOCK_SIZE, np.uint8)
    memory[kinds == 3, -1] = 1
    memory[kinds == 4, 0] = 0xFF
    return memory.reshape(-1)


@given(st.integers(0, 2**32), st.integers(1, 40))
def test_packed_state_unpacks_as_it_was(seed: int, blocks: int) -> None:
    memory = random_memory(seed, blocks)
    found = MachineState.unpack(state(memory).pack(), SHA1, VERSION)
    assert (found.rom_sha1, found.core_version) == (SHA1, VERSION)
    assert (found.frames, found.held) == (123_456, 0b10_0000_0001)
    assert np.array_equal(found.memory, memory)


def test_unused_memory_takes_next_to_nothing() -> None:
    memory = np.zeros(500_032, np.uint8)
    memory[: 1 << 17] = 0xFF
    assert len(state(memory).pack()) < 2200


@given(st.integers(0, 2**32), st.data())
def test_any_changed_bit_is_found(seed: int, data: st.DataObject) -> None:
    packed = bytearray(state(random_memory(seed, 9)).pack())
    packed[data.draw(st.integers(0, len(packed) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(EnvironmentError):
        MachineState.unpack(bytes(packed), SHA1, VERSION)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(noise: bytes) -> None:
    packed = state(random_memory(1, 9)).pack()
    for data in (noise, packed[: len(noise)], packed + noise + b"!"):
        with pytest.raises(EnvironmentError):
            MachineState.unpack(data, SHA1, VERSION)


@pytest.mark.parametrize("size", [63, 1 << 31, BLOCK_SIZE * 90])
def test_wrong_size_under_a_right_checksum_is_refused(size: int) -> None:
    packed = bytearray(state(random_memory(1, 9)).pack())
    start = len(b"PTUI-GBA1") + 4
    struct.pack_into("<I", packed, start + 20 + 8 + 2, size)
    struct.pack_into("<I", packed, start - 4, zlib.crc32(packed[start:]))
    with pytest.raises(EnvironmentError, match="damaged"):
        MachineState.unpack(bytes(packed), SHA1, VERSION)


def test_errors_name_what_differs() -> None:
    packed = state(random_memory(1, 9)).pack()
    with pytest.raises(EnvironmentError, match="different ROM"):
        MachineState.unpack(packed, bytes(20), VERSION)
    with pytest.raises(EnvironmentError, match=r"from the core mGBA 0\.7\.0; this is mGBA 0\.10"):
        MachineState.unpack(packed, SHA1, "mGBA 0.10.1")
