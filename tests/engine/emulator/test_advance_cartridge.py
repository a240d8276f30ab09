import pytest

from engine.emulator.advance_cartridge import BATTERY_SIZE, battery_memory
from engine.errors import ConfigurationError

MEMORY = bytes(range(256)) * 512


@pytest.mark.parametrize(
    "more", [b"", bytes(16), bytes(range(16)), b"\xff" * 0x20000, bytes(0x1000)]
)
def test_battery_file_is_the_memory_whatever_is_appended(more: bytes) -> None:
    assert len(MEMORY) == BATTERY_SIZE
    assert battery_memory(MEMORY + more, "game.sav") == MEMORY


def test_file_of_half_the_memory_is_the_first_slot() -> None:
    half = MEMORY[: BATTERY_SIZE // 2]
    for more in (b"", bytes(16)):
        assert battery_memory(half + more, "game.sav") == half + b"\xff" * len(half)


@pytest.mark.parametrize("size", [0, 1, 0x8000, BATTERY_SIZE - 1])
def test_battery_file_that_is_too_short_is_refused(size: int) -> None:
    with pytest.raises(ConfigurationError) as caught:
        battery_memory(bytes(size), "game.sav")
    assert str(caught.value).startswith(f"game.sav has {size:,} bytes, {BATTERY_SIZE - size:,} too")
    assert caught.value.hint
