"""Drive the real command as a user would: bad input is one clear line and exit code 2."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PRACTICE_ROM = ROOT / "roms" / "practice.gbc"


def poketui(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    return subprocess.run(
        [sys.executable, "-m", "pokeTUI", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=cwd or ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def assert_refused(result: subprocess.CompletedProcess[str], *words: str) -> None:
    """Check for one line on standard error that holds `words`, and exit code 2."""
    assert result.returncode == 2, result.stderr
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("poketui: ")
    for word in words:
        assert word in lines[0]


def headless(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return poketui("run", "--headless", "--save-dir", str(tmp_path / "saves"), *arguments)


def test_help_names_the_commands_and_needs_no_torch() -> None:
    code = (
        "import sys\n"
        "from pokeTUI.cli import app\n"
        "try: app(['--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'torch', 'pyboy', 'textual', 'numpy'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert "run" in result.stdout
    assert result.stdout.strip().endswith("[]")


def test_unknown_strategy_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    refused = headless(tmp_path, "--strategy", "bold")
    assert_refused(refused, "strategy", "bold", "'adaptive', 'llm_heavy', 'balanced'")


def test_missing_rom_is_refused(tmp_path: Path) -> None:
    assert_refused(headless(tmp_path, "--rom", str(tmp_path / "no.gbc")), "no.gbc")


def test_folder_as_rom_is_refused(tmp_path: Path) -> None:
    assert_refused(headless(tmp_path, "--rom", str(tmp_path)), str(tmp_path))


def test_text_file_as_rom_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "letter.gbc"
    path.write_text("Dear reader, " * 5000)
    assert_refused(headless(tmp_path, "--rom", str(path)), "letter.gbc")


def test_truncated_rom_is_refused_and_nothing_is_written_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "roms"
    folder.mkdir()
    path = folder / "cut.gbc"
    image = PRACTICE_ROM.read_bytes()
    path.write_bytes(image[: len(image) // 2])
    assert_refused(headless(tmp_path, "--rom", str(path)), "cut.gbc")
    assert [entry.name for entry in folder.iterdir()] == ["cut.gbc"]


def test_changed_rom_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "changed.gbc"
    image = bytearray(PRACTICE_ROM.read_bytes())
    image[0x2000] ^= 0xFF
    path.write_bytes(image)
    assert_refused(headless(tmp_path, "--rom", str(path)), "changed.gbc")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("bad.json", "{", ("bad.json", "broken")),
        ("bad.toml", "seed = = 1", ("bad.toml", "broken")),
        ("list.json", "[1]", ("list.json",)),
        ("key.json", '{"sede": 1}', ("key.json", "sede")),
        ("value.toml", "[ppo]\nepochs = -1\n", ("value.toml", "ppo.epochs", "-1")),
    ],
)
def test_broken_config_file_is_refused(
    tmp_path: Path, name: str, content: str, words: tuple[str, ...]
) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert_refused(headless(tmp_path, "--config", str(path)), *words)


def test_missing_config_file_is_refused(tmp_path: Path) -> None:
    assert_refused(headless(tmp_path, "--config", str(tmp_path / "no.json")), "no.json")


def test_save_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    # A file where the folder should be: also stops root, whom no permission stops.
    (tmp_path / "saves").write_text("in the way")
    assert_refused(headless(tmp_path), "saves")


def test_unknown_run_cannot_be_resumed(tmp_path: Path) -> None:
    assert_refused(headless(tmp_path, "--resume", "nobody"), "nobody")
    assert_refused(headless(tmp_path, "--resume"))


def test_setting_without_a_value_is_refused(tmp_path: Path) -> None:
    assert_refused(headless(tmp_path, "--set", "seed"), "KEY=VALUE")


def test_cockpit_without_a_terminal_points_to_headless() -> None:
    assert_refused(poketui("run"), "--headless")


def test_rom_command_says_what_the_practice_game_is() -> None:
    result = poketui("rom", str(PRACTICE_ROM))
    assert result.returncode == 0
    assert "Mosslight" in result.stdout


def test_headless_run_saves_is_listed_and_resumes(tmp_path: Path) -> None:
    small = ("--envs", "2", "--workers", "1", "--set", "ppo.rollout_steps=32")
    first = headless(tmp_path, *small, "--steps", "256")
    assert first.returncode == 0, first.stderr
    assert "poketui run --resume" in first.stdout
    listing = poketui("runs", "--save-dir", str(tmp_path / "saves"))
    assert listing.returncode == 0
    assert "256" in listing.stdout
    second = headless(tmp_path, "--resume", "--steps", "512")
    assert second.returncode == 0, second.stderr
    assert "resumed at step 256" in second.stdout
    assert "512" in second.stdout.splitlines()[-1]


def test_recorded_episode_is_replayed(tmp_path: Path) -> None:
    saves = ["--save-dir", str(tmp_path / "saves")]
    few = [
        "--agent",
        "random",
        "--envs",
        "1",
        "--episodes",
        "1",
        "--set",
        "env.max_steps=40",
        "--set",
        "env.progress_steps=0",
    ]
    assert headless(tmp_path, *few).returncode == 0
    result = poketui("replay", *saves)
    assert result.returncode == 0, result.stderr
    assert "Episode 1 of run" in result.stdout
    assert "40 steps" in result.stdout
    assert_refused(
        poketui("replay", *saves, "--episode", "7"), "no recorded episode 7", "last is 1"
    )
    assert_refused(poketui("replay", "nowhere", *saves), "no saved run 'nowhere'")
