"""Drive the real command with ROMs, states and battery files: good ones play, none is touched."""

from pathlib import Path

import pytest

from engine.emulator.gameboy import GameBoy
from tests.engine.cartridges import cartridge, crystal_like, saved_game
from tests.pokeTUI.in_process import assert_refused, poketui, succeed, succeeded
from tests.pokeTUI.test_cli import PRACTICE_ROM, headless

SMALL = (
    "--envs=2", "--workers=1", "--steps=64",
    "--set=ppo.rollout_steps=32", "--set=ppo.distillation_gradients=4",
)  # fmt: skip


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Return a folder for a user's files."""
    folder = tmp_path / "mine"
    folder.mkdir()
    return folder


def fingerprint(folder: Path) -> list[tuple[str, bytes, int]]:
    """Return all that a command could change in a folder."""
    return sorted(
        (path.name, path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()
    )


def title_state(file: Path) -> Path:
    machine = GameBoy(PRACTICE_ROM.read_bytes())
    machine.tick(300)
    file.write_bytes(machine.save_state())
    machine.close()
    return file


class TestRomCommand:
    @pytest.mark.parametrize(
        ("rom", "words"),
        [
            (cartridge(title=b"POKEMON_GLD", code=b"AAUE"), ("Pokémon Gold", "RAM addresses")),
            (cartridge(title=b"POKEMON_SLV", code=b"AAXE"), ("Pokémon Silver", "RAM addresses")),
            (cartridge(title=b"PM_CRYSTAL", code=b"BXTJ"), ("the Japanese", "RAM addresses")),
            (cartridge(title=b"TETRIS"), ("an unsupported game ('TETRIS')", "Pokémon Crystal ROM")),
            (cartridge(title=b"PM_CRYSTAL", rom_size_code=6), ("truncated", "Copy it again")),
        ],
        ids=["Gold", "Silver", "Japanese Crystal", "unsupported game", "truncated"],
    )
    def test_recognised_but_refused_game_is_described_and_refused(
        self, mine: Path, rom: bytes, words: tuple[str, ...]
    ) -> None:
        file = mine / "game.gbc"
        file.write_bytes(rom)
        before = fingerprint(mine)
        result = poketui("rom", str(file))
        assert_refused(result, "game.gbc", *words)
        assert "SHA-1" in result.stdout
        assert fingerprint(mine) == before

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"", "is empty"),
            (b"Dear reader, " * 5000, "not a Game Boy ROM"),
            (b"PK\x03\x04" + bytes(1000), "is a zip archive"),
        ],
    )
    def test_other_files_are_refused(self, mine: Path, content: bytes, words: str) -> None:
        (mine / "game.gbc").write_bytes(content)
        result = poketui("rom", str(mine / "game.gbc"))
        assert_refused(result, "game.gbc", words)
        assert result.stdout == ""

    def test_missing_file_and_folder_are_refused(self, tmp_path: Path) -> None:
        assert_refused(poketui("rom", str(tmp_path / "no.gbc")), "no.gbc")
        assert_refused(poketui("rom", str(tmp_path)), "is a folder")

    def test_modified_crystal_can_be_played_if_allowed(self, mine: Path) -> None:
        (mine / "game.gbc").write_bytes(crystal_like())
        before = fingerprint(mine)
        result = succeed("rom", str(mine / "game.gbc"))
        assert "MBC3 (type 10), 32 KB RAM, battery, clock" in result.stdout
        assert result.stdout.strip().endswith("--allow-unknown-rom")
        assert fingerprint(mine) == before


class TestStateOption:
    @pytest.mark.parametrize(
        ("name", "content", "words"),
        [
            ("game.state", b"noise" * 1000, "not a save state of this game"),
            ("game.state", b"", "not a save state of this game"),
            ("game.sav", bytes(0x8000), "no battery memory"),
        ],
    )
    def test_unusable_file_is_refused_and_no_run_begun(
        self, mine: Path, tmp_path: Path, name: str, content: bytes, words: str
    ) -> None:
        (mine / name).write_bytes(content)
        before = fingerprint(mine)
        assert_refused(headless(tmp_path, "--state", str(mine / name)), name, words)
        assert fingerprint(mine) == before
        assert not (tmp_path / "saves" / "runs").exists()

    def test_missing_file_and_folder_are_refused(self, mine: Path, tmp_path: Path) -> None:
        assert_refused(headless(tmp_path, "--state", str(mine / "no.state")), "no.state")
        assert_refused(headless(tmp_path, "--state", str(mine)), "is a folder")

    def test_battery_file_without_a_game_is_refused(self, mine: Path, tmp_path: Path) -> None:
        rom, battery = mine / "game.gbc", mine / "game.sav"
        rom.write_bytes(crystal_like())
        allowed = ("--rom", str(rom), "--allow-unknown-rom", "--state", str(battery))
        for content, words in ((bytes(0x8000), "no saved game"), (bytes(0x7FFF), "1 too few")):
            battery.write_bytes(content)
            before = fingerprint(mine)
            assert_refused(headless(tmp_path, *allowed), "game.sav", words)
            assert fingerprint(mine) == before

    @pytest.mark.slow
    def test_run_from_a_state_resumes_without_the_file(self, mine: Path, tmp_path: Path) -> None:
        file = title_state(mine / "game.state")
        before = fingerprint(mine)
        succeeded(headless(tmp_path, *SMALL, "--state", str(file)))
        assert fingerprint(mine) == before
        file.unlink()
        succeeded(headless(tmp_path, "--resume", "--steps", "128"))
        (copy,) = (tmp_path / "saves" / "states").iterdir()
        copy.unlink()
        assert_refused(headless(tmp_path, "--resume", "--steps", "256"), copy.name)

    @pytest.mark.slow
    def test_run_from_a_battery_file_leaves_files_alone(self, mine: Path, tmp_path: Path) -> None:
        rom, battery = mine / "game.gbc", saved_game(mine / "game.sav", footer=48)
        rom.write_bytes(crystal_like())
        before = fingerprint(mine)
        succeeded(
            headless(
                tmp_path, *SMALL, "--rom", str(rom), "--allow-unknown-rom", "--state", str(battery)
            )
        )
        assert fingerprint(mine) == before
