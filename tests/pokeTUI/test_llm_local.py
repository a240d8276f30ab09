"""Use a model of a GGUF file, with no server, as a user would."""

import json
import os
from pathlib import Path

import pytest

from tests.engine.processes import children
from tests.pokeTUI.in_process import poketui
from tests.pokeTUI.test_cli import SMALL, assert_refused, program

RECORD = ("record", "--headless", "--player", "planner", "--episodes", "1")
DAGGER = ("bc", "--dagger", "planner", "--rules", "1", "--rounds", "1")


@pytest.mark.parametrize("command", [("run", "--headless", *SMALL), RECORD, DAGGER])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("./missing.gguf", "does not exist"),
        (".", "is no file"),
        ("text", "is no GGUF file"),
    ],
)
def test_what_is_no_model_file_is_refused_before_anything_is_created(
    command: tuple[str, ...], name: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("no model")
    model = ("--llm-model", name, "--llm-backend", "local", "--save-dir", "saves")
    result = poketui(*command, *model, cwd=tmp_path)
    assert_refused(result, str(tmp_path / name), words, "Give the path of a GGUF file")
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_check_says_what_is_wrong_with_a_damaged_file(tmp_path: Path) -> None:
    (tmp_path / "half a model.gguf").write_bytes(b"GGUF" + bytes(28))
    result = poketui("llm", "check", "--model", "./half a model.gguf", cwd=tmp_path)
    assert result.returncode == 2
    assert result.stdout.startswith("half a model.gguf, run here\n")
    assert "✗ load    half a model.gguf cannot be loaded: " in result.stdout


@pytest.mark.slow
def test_check_finds_a_real_file_good(smollm2: str, tmp_path: Path) -> None:
    (tmp_path / "a model").symlink_to(smollm2)
    result = poketui("llm", "check", "--model", "./a model", cwd=tmp_path)
    assert result.stdout.count("✓") == 6, result.stdout
    assert f"poketui run --llm-model '{tmp_path}/a model'" in result.stdout


@pytest.mark.slow
def test_run_with_a_real_file_trains_is_advised_and_resumes(smollm2: str, tmp_path: Path) -> None:
    (tmp_path / "a model.gguf").symlink_to(smollm2)
    before = children(os.getpid())
    saves = ("run", "--headless", *SMALL, "--save-dir", str(tmp_path / "saves"))
    model = ("--llm-model", str(tmp_path / "a model.gguf"))
    began = program(*saves, *model, "--set", "mode=llm_only", "--steps", "20000")
    assert began.returncode == 0, began.stderr
    assert "a model.gguf is ready" in began.stdout
    (log,) = (tmp_path / "saves" / "runs").glob("*/exchanges.jsonl")
    asked = [json.loads(line) for line in log.read_text().splitlines()]
    assert any(one.get("goal") for one in asked), asked
    resumed = program(*saves, "--resume", "latest", "--steps", "24000")
    assert resumed.returncode == 0, resumed.stderr
    assert "a model.gguf is ready" in resumed.stdout
    assert children(os.getpid()) == before
