import hashlib
from pathlib import Path

import pytest

from engine.emulator.advance_cartridge import AdvanceCartridge
from engine.emulator.cartridge import Cartridge
from engine.errors import RomError
from engine.games.catalog import describe, identify, load_game, recognise
from engine.games.practice.game import rom_path
from tests.engine.cartridges import CLOCK, RAM_32_KB, cartridge

EMERALD = "f3ae088181bf583e55daf962a92bb46f4f1d07b7"
CRYSTAL_1_0 = "f4cd194bdee0d04ca4eac29e09b8e4e9d818c133"
CRYSTAL_1_1 = "f2f52230b536214ef7c9924f483392993e226cfb"


def crystal(code: bytes = b"BYTE", revision: int = 0) -> bytes:
    """Return a cartridge with Crystal's header and nothing of its content."""
    return cartridge(
        title=b"PM_CRYSTAL", code=code, kind=CLOCK, ram_size_code=RAM_32_KB, revision=revision
    )


def advance(title: bytes = b"POKEMON EMER", code: bytes = b"BPEE", size: int = 0x200) -> bytes:
    """Return a Game Boy Advance image of a right header and no content."""
    rom = bytearray(size)
    rom[0xA0 : 0xA0 + len(title)] = title
    rom[0xAC:0xB0] = code
    rom[0xB2] = 0x96
    rom[0xBD] = -(sum(rom[0xA0:0xBD]) + 0x19) & 0xFF
    return bytes(rom)


EMERALD_SIZE = 16 * 1024 * 1024


def with_wrong_header(rom: bytes) -> bytes:
    return rom[:0x135] + b"!" + rom[0x136:]


def refusal(path: Path, *, allow_unknown: bool = False) -> RomError:
    with pytest.raises(RomError) as caught:
        load_game(path, allow_unknown)
    error = caught.value
    assert "\n" not in str(error)
    assert error.hint
    return error


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04" * 100, "is a zip archive"),
        (b"\x1f\x8b" * 200, "is a gzip archive"),
        (b"text", "not a Game Boy ROM"),
        (cartridge(title=b"PM_CRYSTAL", rom_size_code=6), "truncated: 32,768 bytes of 2,097,152"),
        (cartridge(title=b"PM_CRYSTAL", size=0x10000), "65,536 bytes but its header says 32,768"),
        (cartridge(title=b"POKEMON_GLD", code=b"AAUE"), "Pokémon Gold"),
        (cartridge(title=b"POKEMON_SLV", code=b"AAXE"), "Pokémon Silver"),
        (cartridge(title=b"POKEMON_GLDAAUJ"), "Pokémon Gold"),
        (crystal(b"BXTJ"), "the Japanese Pokémon Crystal"),
        (with_wrong_header(crystal()), "wrong header checksum"),
        (cartridge(title=b"PRACTICE"), "damaged or from a different version"),
        (cartridge(title=b"TETRIS"), "an unsupported game ('TETRIS')"),
        (cartridge(title=b"PM_CRYSTAL"), "not a known build (SHA-1 "),
        (cartridge(title=b"PM_CRYSTAL", rom_size_code=99), "its header says 0"),
        (advance(), "truncated: 512 bytes of 16,777,216"),
        (advance(size=EMERALD_SIZE), "calls itself Pokémon Emerald but is not a known build"),
        (advance(code=b"BPEJ"), "the Japanese Pokémon Emerald"),
        (advance(code=b"BPED"), "the German Pokémon Emerald"),
        (advance(code=b"AXVE"), "Pokémon Ruby"),
        (advance(code=b"AXPE"), "Pokémon Sapphire"),
        (advance(code=b"BPRE"), "Pokémon FireRed"),
        (advance(code=b"BPGE"), "Pokémon LeafGreen"),
        (advance(b"MOSSLIGHTADV", b"AMLE"), "damaged or from a different version"),
        (advance(b"OTHER", b"ABCE"), "an unsupported game ('OTHER')"),
        (advance()[:0xA5] + b"!" + advance()[0xA6:], "wrong header checksum"),
        (advance()[:0xBE], "not a Game Boy ROM"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_file_is_refused_in_one_line_with_a_hint(
    tmp_path: Path, content: bytes, words: str
) -> None:
    file = tmp_path / "game.gbc"
    file.write_bytes(content)
    assert words in refusal(file).message


@pytest.mark.parametrize(
    ("name", "words"),
    [("none.gbc", "There is no ROM file"), ("", "is a folder"), ("huge.gbc", "too large")],
)
def test_what_cannot_be_a_rom_is_refused_unread(tmp_path: Path, name: str, words: str) -> None:
    with (tmp_path / "huge.gbc").open("wb") as sparse:
        sparse.truncate(1 << 40)
    assert words in refusal(tmp_path / name).message


@pytest.mark.parametrize(
    ("rom", "title", "name"),
    [
        pytest.param(
            cartridge(title=b"PM_CRYSTAL"),
            "PM_CRYSTAL",
            "Pokémon Crystal (unknown build)",
            id="Crystal",
        ),
        pytest.param(
            advance(size=EMERALD_SIZE),
            "POKEMON EMER",
            "Pokémon Emerald (unknown build)",
            id="Emerald",
        ),
    ],
)
def test_unknown_build_can_be_allowed_and_another_game_cannot(
    tmp_path: Path, rom: bytes, title: str, name: str
) -> None:
    file = tmp_path / "hack.rom"
    file.write_bytes(rom)
    assert "--allow-unknown-rom" in refusal(file).hint
    game = load_game(file, allow_unknown=True)
    assert (game.title, game.name, len(game.rom)) == (title, name, len(rom))
    assert list(tmp_path.iterdir()) == [file], "nothing is written beside the ROM"
    file.write_bytes(cartridge(title=b"TETRIS"))
    refusal(file, allow_unknown=True)


def test_a_game_boy_image_stays_one_whatever_lies_where_an_advance_header_would(
    tmp_path: Path,
) -> None:
    file = tmp_path / "hack.gbc"
    rom = bytearray(cartridge(title=b"PM_CRYSTAL"))
    rom[0xB2] = 0x96
    file.write_bytes(rom)
    assert "not a known build" in refusal(file).message
    assert load_game(file, allow_unknown=True).title == "PM_CRYSTAL"


def test_practice_game_of_the_advance_is_known_by_its_name() -> None:
    game = load_game("mosslight-advance")
    assert game.title == "MOSSLIGHTADV"
    assert game.sha1 == hashlib.sha1(game.rom).hexdigest()
    lines = describe(identify("mosslight-advance"))
    assert lines[1] == "  title      MOSSLIGHTADV, code AMLE (English), revision 0"
    assert lines[2] == "  cartridge  Game Boy Advance"
    assert lines[4] == "  checksum   header right"
    assert lines[-1].startswith("Play it with: poketui run --rom ")


def test_empty_path_is_the_practice_game() -> None:
    game = load_game()
    assert game.rom == rom_path().read_bytes()
    assert game.title == "PRACTICE"


@pytest.mark.parametrize(
    ("sha1", "name", "rom", "first_map"),
    [
        (CRYSTAL_1_0, "Pokémon Crystal (1.0)", crystal(), "OLIVINE POKECENTER 1F"),
        (CRYSTAL_1_1, "Pokémon Crystal (1.1)", crystal(), "OLIVINE POKECENTER 1F"),
        (EMERALD, "Pokémon Emerald", advance(), "PETALBURG CITY"),
    ],
    ids=["Crystal 1.0", "Crystal 1.1", "Emerald"],
)
def test_a_game_is_known_by_its_hash(sha1: str, name: str, rom: bytes, first_map: str) -> None:
    header = AdvanceCartridge.of(rom) if sha1 == EMERALD else Cartridge.of(rom)
    found = recognise(Path("a.rom"), sha1, header, rom)
    assert (found.name, found.refusal) == (name, None)
    assert next(iter(found.game.tables.MAPS.values())) == first_map


@pytest.mark.parametrize(
    ("rom", "needed"),
    [
        (cartridge(title=b"POKEMON_GLD", code=b"AAUE"), "its own tables of RAM addresses"),
        (crystal(b"BXTJ"), "its own tables of RAM addresses"),
        (cartridge(title=b"TETRIS"), "your own Pokémon Crystal"),
    ],
    ids=["Gold", "Japanese Crystal", "unsupported game"],
)
def test_refused_game_is_described_with_what_would_be_needed(
    tmp_path: Path, rom: bytes, needed: str
) -> None:
    file = tmp_path / "game.gbc"
    file.write_bytes(rom)
    found = identify(file)
    assert found.recognised.game is None
    assert needed in found.recognised.refusal.hint
    text = "\n".join(describe(found))
    assert found.sha1 in text
    assert "checksums  header right, whole image right" in text
    assert "Play it" not in text


def test_description_names_every_fact_of_the_header(tmp_path: Path) -> None:
    file = tmp_path / "a hack.gbc"
    rom = bytearray(crystal(b"BYTD", revision=1))
    rom[0x4000] = 1
    file.write_bytes(rom)
    lines = describe(identify(file))
    assert lines[0].endswith("a hack.gbc: Pokémon Crystal (unknown build)")
    assert lines[1:5] == [
        "  title      PM_CRYSTAL, code BYTD (German), revision 1",
        "  cartridge  MBC3 (type 10), 32 KB RAM, battery, clock",
        "  size       32 KB",
        "  checksums  header right, whole image wrong",
    ]
    assert lines[-1] == f"Play it with: poketui run --rom '{file}' --allow-unknown-rom"


def test_damaged_rom_is_described_too(tmp_path: Path) -> None:
    file = tmp_path / "cut.gbc"
    file.write_bytes(cartridge(title=b"PM_CRYSTAL", rom_size_code=6))
    found = identify(file)
    assert found.recognised.game is None
    assert describe(found)[0].endswith("a damaged ROM")
