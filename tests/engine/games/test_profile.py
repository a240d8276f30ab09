from pathlib import Path

import pytest

from engine.errors import RomError
from engine.games.profile import header_title, load_rom, practice_rom_path

TITLE, CHECKSUM, SIZE_CODE = 0x134, 0x14D, 0x148


def make_rom(title: bytes, size_code: int = 0, size: int = 0x8000) -> bytes:
    rom = bytearray(size)
    rom[TITLE : TITLE + len(title)] = title
    rom[SIZE_CODE] = size_code
    checksum = 0
    for byte in rom[TITLE:CHECKSUM]:
        checksum = (checksum - byte - 1) & 0xFF
    rom[CHECKSUM] = checksum
    return bytes(rom)


def refusal(path: Path, *, allow_unknown: bool = False) -> RomError:
    with pytest.raises(RomError) as caught:
        load_rom(path, allow_unknown)
    error = caught.value
    assert "\n" not in str(error)
    assert error.hint
    return error


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04" * 100, "not a Game Boy ROM"),
        (b"text", "not a Game Boy ROM"),
        (make_rom(b"PM_CRYSTAL", size_code=6), "truncated: 32,768 bytes of 2,097,152"),
        (make_rom(b"PM_CRYSTAL", size=0x10000), "65,536 bytes but its header says 32,768"),
        (make_rom(b"POKEMON_GLDAAUE"), "Pokémon Gold"),
        (make_rom(b"POKEMON_SLVAAXE"), "Pokémon Silver"),
        (make_rom(b"PRACTICE"), "damaged or of another version"),
        (make_rom(b"TETRIS"), "another game (title 'TETRIS')"),
        (make_rom(b"PM_CRYSTAL"), "not a known build (SHA-1 "),
        (make_rom(b"PM_CRYSTAL", size_code=99), "its header says 0"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_file_is_refused_in_one_line_with_a_hint(
    tmp_path: Path, content: bytes, words: str
) -> None:
    file = tmp_path / "game.gbc"
    file.write_bytes(content)
    assert words in refusal(file).message


def test_missing_file_is_refused(tmp_path: Path) -> None:
    assert "There is no ROM file" in refusal(tmp_path / "none.gbc").message


def test_folder_is_refused(tmp_path: Path) -> None:
    assert "is a folder" in refusal(tmp_path).message


def test_huge_file_is_refused_unread(tmp_path: Path) -> None:
    file = tmp_path / "huge.gbc"
    with file.open("wb") as sparse:
        sparse.truncate(1 << 40)
    assert "too large" in refusal(file).message


def test_unknown_crystal_can_be_allowed(tmp_path: Path) -> None:
    file = tmp_path / "hack.gbc"
    file.write_bytes(make_rom(b"PM_CRYSTAL"))
    assert "--allow-unknown-rom" in refusal(file).hint
    rom, profile = load_rom(file, allow_unknown=True)
    assert (profile.title, profile.is_practice) == ("PM_CRYSTAL", False)
    assert len(rom) == 0x8000


def test_another_game_is_never_allowed(tmp_path: Path) -> None:
    file = tmp_path / "tetris.gb"
    file.write_bytes(make_rom(b"TETRIS"))
    refusal(file, allow_unknown=True)


def test_nothing_is_written_beside_the_rom(tmp_path: Path) -> None:
    file = tmp_path / "hack.gbc"
    file.write_bytes(make_rom(b"PM_CRYSTAL"))
    load_rom(file, allow_unknown=True)
    assert list(tmp_path.iterdir()) == [file]


def test_empty_path_is_the_practice_game() -> None:
    rom, profile = load_rom()
    assert rom == practice_rom_path().read_bytes()
    assert (header_title(rom), profile.is_practice) == ("PRACTICE", True)
