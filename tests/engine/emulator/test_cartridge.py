import struct

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


MEMORY = bytes(0x7FFF) + b"\x01"
TIME = struct.pack("<10IQ", 59, 58, 23, 5, 0x41, 59, 58, 23, 5, 0x41, 1_700_000_000)
"""A clock that stands at day 261, as emulators append it with a time of saving of 8 bytes."""


@pytest.mark.parametrize(
    "more",
    [b"", bytes(16), bytes(range(16)), b"\xff" * 0x8000, b"\xff" * 0x18000, bytes(0x19000), b"\1"],
)
def test_battery_file_may_be_padded_or_have_a_footer(more: bytes) -> None:
    battery = Battery.of(MEMORY + more, Cartridge.of(CRYSTAL_LIKE), "a.sav")
    assert battery.ram == MEMORY


@pytest.mark.parametrize("footer", [TIME, TIME[:44]])
@pytest.mark.parametrize("padding", [b"", bytes(0x8000), b"\xff" * 0x18000])
def test_clock_is_found_before_and_after_padding(footer: bytes, padding: bytes) -> None:
    header = Cartridge.of(CRYSTAL_LIKE)
    clocks = [
        Battery.of(MEMORY + rest, header, "a.sav").clock
        for rest in (footer, footer + padding, padding + footer)
    ]
    assert clocks[0] is not None
    assert struct.unpack("<d9BQd", clocks[0])[1:8] == (1, 0, 59, 58, 23, 5, 1)
    assert set(clocks) == {clocks[0]}


def test_footer_of_another_form_is_no_clock() -> None:
    for footer in (b"\xfe" * 44, bytes(range(16)), b""):
        battery = Battery.of(MEMORY + footer, Cartridge.of(CRYSTAL_LIKE), "a.sav")
        assert battery.clock is None


def test_footer_of_a_cartridge_without_a_clock_is_left_out() -> None:
    plain = cartridge(kind=NO_CLOCK, ram_size_code=RAM_32_KB)
    assert Battery.of(MEMORY + TIME, Cartridge.of(plain), "a.sav").clock is None


@pytest.mark.parametrize("size", [0, 0x2000, 0x7FFF])
def test_battery_file_that_is_too_short_is_refused(size: int) -> None:
    words = rf"a\.sav has {size:,} bytes, {0x8000 - size:,} too few: .* 32,768"
    with pytest.raises(ConfigurationError, match=words):
        Battery.of(bytes(size), Cartridge.of(CRYSTAL_LIKE), "a.sav")


def test_file_that_goes_on_with_something_else_is_no_battery_file() -> None:
    with pytest.raises(ConfigurationError, match="65 that are neither a clock nor padding"):
        Battery.of(MEMORY + bytes(99) + b"\1" * 65, Cartridge.of(CRYSTAL_LIKE), "a.sav")


def test_battery_file_for_a_cartridge_without_one_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no battery memory"):
        Battery.of(bytes(0x8000), Cartridge.of(cartridge()), "a.sav")
