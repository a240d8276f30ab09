"""Tests that need a program say so by their mark alone, so that a stranger's test run is green."""

import re
from pathlib import Path

import pytest

from tests.tools import PACKAGES, find_tool, lack_of

TESTS = Path(__file__).parent
SOURCES = [path for path in TESTS.rglob("*.py") if path not in (Path(__file__), TESTS / "tools.py")]


def test_a_missing_program_is_named_with_its_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert lack_of("ffmpeg") == "needs ffmpeg: apt install ffmpeg"
    (tmp_path / "google-chrome").touch(0o755)
    assert find_tool("chromium") == str(tmp_path / "google-chrome")
    assert lack_of("chromium") == ""


def test_no_test_skips_itself_without_a_program_in_a_way_of_its_own() -> None:
    own = re.compile(r"(skipif\(.*which|if not shutil\.which\(.*\n +pytest\.skip)")
    assert [path.name for path in SOURCES if own.search(path.read_text(encoding="utf-8"))] == []


def test_every_mark_names_a_program_with_a_package() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in SOURCES)
    marked = set(re.findall(r'"([^"]+)"', " ".join(re.findall(r"mark\.tool\(([^)]*)\)", text))))
    assert marked == PACKAGES.keys()
