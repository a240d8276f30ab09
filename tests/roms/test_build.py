"""The committed image is what its sources build, and its header is right."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine.games.crystal.memory import SYMBOLS
from tests.roms.machine import ROM

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "roms" / "practice" / "build.py"
MAX_SIZE = 256 * 1024
WORK_RAM = range(0xC000, 0xE000)


def test_header_names_the_game_and_carries_no_logo() -> None:
    rom = ROM.read_bytes()
    assert len(rom) <= MAX_SIZE
    assert rom[0x104:0x134] == bytes(48)
    assert rom[0x134:0x143].rstrip(b"\0") == b"PRACTICE"
    assert rom[0x143] == 0xC0
    assert 0x8000 << rom[0x148] == len(rom)


def test_header_sums_are_right() -> None:
    rom = ROM.read_bytes()
    total = 0
    for value in rom[0x134:0x14D]:
        total = (total - value - 1) & 0xFF
    assert rom[0x14D] == total
    assert int.from_bytes(rom[0x14E:0x150], "big") == sum(rom[:0x14E] + rom[0x150:]) & 0xFFFF


@pytest.mark.slow
@pytest.mark.tool("sdcc")
def test_rebuilds_byte_for_byte(tmp_path: Path) -> None:
    rom, tables = tmp_path / "practice.gbc", tmp_path / "facts"
    paths = ("--out", rom, "--tables", tables, "--work", tmp_path / "build")
    subprocess.run([sys.executable, BUILD, *paths], check=True)
    assert rom.read_bytes() == ROM.read_bytes()
    committed = ROOT / "engine" / "games" / "practice" / "facts"
    names = sorted(path.name for path in committed.iterdir())
    assert sorted(path.name for path in tables.iterdir()) == names
    for name in names:
        assert (tables / name).read_bytes() == (committed / name).read_bytes(), name


def test_private_variables_avoid_the_listed_addresses() -> None:
    """Every fixed address in the C sources and the linker's range are free of listed symbols."""
    listed = {
        address
        for symbol in SYMBOLS.values()
        for address in range(symbol.address, symbol.address + symbol.size)
    }
    text = BUILD.read_text(encoding="utf-8")
    bounds = re.search(r"DATA_START, DATA_END = (0x\w+), (0x\w+)", text)
    assert bounds
    own = set(range(int(bounds[1], 16), int(bounds[2], 16) + 1))
    own |= set(range(0xC110, 0xC110 + 255))  # text.c: the composed message
    own |= set(range(0xC700, 0xC800))  # map.c: warps, signs, triggers
    own |= set(range(0xC400, 0xC4A0))  # shadow OAM
    assert own <= set(WORK_RAM)
    assert not own & listed
