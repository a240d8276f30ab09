"""The committed image of MOSSLIGHT ADVANCE is what its sources build, and its header is right."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ROM = ROOT / "roms" / "mosslight_advance.gba"
BUILD = ROOT / "roms" / "mosslight_advance" / "build.py"
FACTS = ROOT / "engine" / "games" / "mosslight_advance" / "facts"
BY_HAND = {"words.csv"}
MAX_SIZE = 512 * 1024


def test_header_names_the_game_and_carries_no_logo() -> None:
    rom = ROM.read_bytes()
    assert len(rom) <= MAX_SIZE
    assert rom[0x04:0xA0] == bytes(156)
    assert rom[0xA0:0xB3] == b"MOSSLIGHTADV" + b"AMLE" + b"00" + b"\x96"


def test_header_sum_is_right() -> None:
    rom = ROM.read_bytes()
    assert rom[0xBD] == -(sum(rom[0xA0:0xBD]) + 0x19) & 0xFF


def test_image_asks_for_128_kb_of_flash_memory() -> None:
    assert ROM.read_bytes().find(b"FLASH1M_V103") % 4 == 0


@pytest.mark.slow
@pytest.mark.tool("arm-none-eabi-gcc")
def test_rebuilds_byte_for_byte(tmp_path: Path) -> None:
    rom, facts = tmp_path / "game.gba", tmp_path / "facts"
    paths = ("--out", rom, "--facts", facts, "--build-dir", tmp_path / "build")
    subprocess.run([sys.executable, BUILD, *paths], check=True)
    assert rom.read_bytes() == ROM.read_bytes()
    committed = {path.name for path in FACTS.glob("*.csv")}
    assert {path.name for path in facts.iterdir()} == committed - BY_HAND
    for name in committed - BY_HAND:
        assert (facts / name).read_bytes() == (FACTS / name).read_bytes(), name


@pytest.mark.slow
@pytest.mark.tool("arm-none-eabi-gcc")
def test_a_source_that_uses_a_later_one_is_refused(tmp_path: Path) -> None:
    upside_down = (
        "import sys; from pathlib import Path; import build; "
        "build.ORDER = build.ORDER[::-1]; build.build(Path(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", upside_down, tmp_path], cwd=BUILD.parent, capture_output=True
    )
    assert b"uses what comes after it" in done.stderr


def test_every_source_over_the_frame_has_a_place_in_the_order() -> None:
    listed = "import build; print(*build.ORDER)"
    done = subprocess.run(
        [sys.executable, "-c", listed], cwd=BUILD.parent, capture_output=True, check=True, text=True
    )
    frame = {"main", "system", "video", "canvas", "memory", "save"}
    sources = {path.stem for path in (BUILD.parent / "src").glob("*.c")}
    assert sources - frame == set(done.stdout.split())
