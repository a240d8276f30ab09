"""Children of ours find the modules that their parent finds, and nothing more."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.child import code_command, python_command, python_environment
from tests.hostile_folder import HostileFolder

ROOT = Path(__file__).parents[2]
_PATH = "import sys; print(*sys.path, sep='\\n')"


def printed(*command: str, **variables: str) -> list[str]:
    done = subprocess.run(
        command, env=python_environment(**variables), capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_only_one_file_names_the_python_program() -> None:
    files = [path for part in ("engine", "pokeTUI") for path in (ROOT / part).rglob("*.py")]
    named = [path for path in files if "sys.executable" in path.read_text(encoding="utf-8")]
    assert named == [ROOT / "engine" / "child.py"]


OTHER_PROGRAMS = {
    "pseudo_terminal.py": "is handed a command, for measurements",
    "video.py": "starts ffmpeg",
    "machine.py": "starts nvidia-smi",
    "setup.py": "starts Node and npm",
    "simulator.py": "starts Node",
    "server.py": "starts Node",
}


def test_no_child_is_started_but_in_files_that_ask_how() -> None:
    starts = ("subprocess.Popen(", "subprocess.run(", "create_subprocess_", "os.exec", "os.spawn")
    files = [path for part in ("engine", "pokeTUI") for path in (ROOT / part).rglob("*.py")]
    for path in files:
        text = path.read_text(encoding="utf-8")
        if any(start in text for start in starts):
            assert path.name in OTHER_PROGRAMS or "from engine.child import" in text, path
        assert "shell=True" not in text, path
        assert "os.system(" not in text, path


def test_the_current_folder_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = HostileFolder(tmp_path)
    folder.enter(monkeypatch)
    assert str(tmp_path) not in printed(*code_command(_PATH))
    printed(*python_command("json.tool", "--help"))
    assert folder.imported == []


def test_modules_beside_a_persons_own_script_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_rewards.py").write_text("print('found')")
    monkeypatch.syspath_prepend(tmp_path)
    assert printed(*python_command("own_rewards")) == ["found"]


@pytest.mark.parametrize("entry", ["", ".", "below"])
def test_relative_places_are_those_of_the_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry, *sys.path])
    path = python_environment()["PYTHONPATH"].split(os.pathsep)
    assert path[0] == str(tmp_path / entry)
    assert all(Path(place).is_absolute() for place in path)


def test_a_place_that_would_be_taken_apart_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = HostileFolder(tmp_path / "b")
    monkeypatch.setattr(sys, "path", [*filter(None, sys.path), "/nowhere/a:b", tmp_path])
    monkeypatch.chdir(tmp_path)
    found = printed(*code_command(_PATH))
    assert not {"/nowhere/a", "b", str(folder.path)} & set(found)
    printed(*python_command("json.tool", "--help"))
    assert folder.imported == []
