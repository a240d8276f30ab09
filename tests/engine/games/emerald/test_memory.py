from itertools import pairwise

import pytest

from engine.games.emerald.memory import EWRAM, FACTS, ROM, SYMBOLS, Memory, Profile
from tests.engine.games.emerald.memory_image import MemoryImage


def _memory(image: MemoryImage) -> Memory:
    return Memory(image)  # type: ignore[arg-type]  # rom is read-only


def test_symbols_do_not_overlap() -> None:
    symbols = sorted(SYMBOLS.values(), key=lambda symbol: symbol.address)
    for one, after in pairwise(symbols):
        assert one.address + one.size <= after.address, one


def test_the_profile_says_where_code_and_tables_are() -> None:
    profile = Profile.read(FACTS)
    assert profile.sha1 == "f3ae088181bf583e55daf962a92bb46f4f1d07b7"
    assert profile.rom["gMapGroups"] == 0x0848_6578
    assert profile.sizes["gItems"] == 44 * 377
    assert profile.function("CB2_Overworld") == 0x0808_5E5D
    assert profile.function("no such function") == 1


def test_reading_goes_no_further_than_ram_and_image() -> None:
    image = MemoryImage()
    image.put(EWRAM, b"ram!")
    image.put(ROM, b"rom!")
    memory = _memory(image)
    assert memory.read(EWRAM, 4) == b"ram!"
    assert memory.read(ROM, 4) == b"rom!"
    assert (
        memory.read(EWRAM + 0x3FFFE, 4) == memory.read(0, 4) == memory.read(0xFFFF_FFFF, 4) == b""
    )
    assert memory.read_most(ROM + len(image.rom) - 2, 4) == b"\0\0"
    assert memory.read_most(4, 4) == b""


def test_there_are_no_save_blocks_at_power_on() -> None:
    assert _memory(MemoryImage()).save_blocks() is None


@pytest.mark.parametrize("offset", [0, 0x14, 0x7C])
def test_save_blocks_are_where_their_pointers_say(offset: int) -> None:
    image = MemoryImage()
    image.place_save_blocks(offset, 0x1234_5678)
    blocks = _memory(image).save_blocks()
    assert blocks.first == SYMBOLS["gSaveblock1"].address + offset - EWRAM
    assert blocks.second == SYMBOLS["gSaveblock2"].address + offset - EWRAM
    assert blocks.key == 0x1234_5678


@pytest.mark.parametrize(("name", "by"), [("gSaveblock1", 0x80), ("gSaveblock2", 4)])
def test_pointers_that_do_not_belong_together_are_no_save_blocks(name: str, by: int) -> None:
    image = MemoryImage()
    image.place_save_blocks(0, 1)
    pointer = name.replace("gSaveb", "gSaveB") + "Ptr"
    image.word(pointer, SYMBOLS[name].address + by)
    assert _memory(image).save_blocks() is None
