import pytest

from engine.emulator.advance_cartridge import BATTERY_SIZE, battery_memory
from engine.errors import ConfigurationError

MEMORY = bytes(range(256)) * 512


def test_battery_file_is_the_memory_with_or_without_a_clock() -> None:
    assert len(MEMORY) == BATTERY_SIZE
    assert battery_memory(MEMORY, "game.sav") == MEMORY
    assert battery_memory(MEMORY + bytes(16), "game.sav") == MEMORY


@pytest.mark.parametrize("size", [0, 1, 0x8000, 0x10000, BATTERY_SIZE - 1, BATTERY_SIZE + 17])
def test_battery_file_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(ConfigurationError) as caught:
        battery_memory(bytes(size), "game.sav")
    assert str(caught.value).startswith(f"game.sav has {size:,} bytes")
    assert caught.value.hint
