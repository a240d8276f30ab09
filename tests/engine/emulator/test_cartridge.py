import pytest

from engine.emulator.cartridge import Battery, Cartridge, is_image_checksum_right
from engine.errors import ConfigurationError
from tests.engine.cartridges import CLOCK, NO_CLOCK, RAM_32_KB, cartridge

CRYSTAL_LIKE = cartridge(
    title=b"PM_CRYSTAL", code=b"BYTE", kind=CLOCK, ram_size_code=RAM_32_KB, revision=1
)


def test_header_is_read() -> None:
    header = Cartridge.of(CRYSTAL_LIKE)
    assert (header.title, header.code, header.revision) == ("PM_CRYSTAL", "BYTE", 1)
    assert (header.controller, header.rom_size, header.ram_size) == ("MBC3", 0x8000, 0x8000)
    assert header.has_battery
    assert header.has_clock
    assert header.is_header_right
    assert is_image_checksum_right(CRYSTAL_LIKE)


def test_changed_byte_breaks_the_right_checksum() -> None:
    changed = bytearray(CRYSTAL_LIKE)
    changed[0x4000] ^= 1
    assert Cartridge.of(changed).is_header_right
    assert not is_image_checksum_right(bytes(changed))
    changed[0x134] ^= 1
    assert not Cartridge.of(changed).is_header_right


def test_strange_bytes_in_a_title_become_plain_text() -> None:
    header = Cartridge.of(cartridge(title=b"\x1b[31m\xff", kind=0x77))
    assert header.title == "?[31m?"
    assert header.controller == "unknown controller"


@pytest.mark.parametrize("more", [0, 44, 48])
def test_battery_files_of_all_emulators_are_taken(more: int) -> None:
    data = bytes(0x7FFF) + b"\x01" + bytes(more)
    battery = Battery.of(data, Cartridge.of(CRYSTAL_LIKE), "a.sav")
    assert battery.ram == data[:0x8000]
    assert (battery.clock is not None) == bool(more)


def test_footer_of_a_cartridge_without_a_clock_is_left_out() -> None:
    plain = cartridge(kind=NO_CLOCK, ram_size_code=RAM_32_KB)
    assert Battery.of(bytes(0x8000 + 44), Cartridge.of(plain), "a.sav").clock is None


@pytest.mark.parametrize("size", [0, 0x2000, 0x7FFF, 0x8001, 0x10000])
def test_battery_file_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(ConfigurationError, match=r"a\.sav has .* 32,768, or 32,812 or 32,816"):
        Battery.of(bytes(size), Cartridge.of(CRYSTAL_LIKE), "a.sav")


def test_battery_file_for_a_cartridge_without_one_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no battery memory"):
        Battery.of(bytes(0x8000), Cartridge.of(cartridge()), "a.sav")
