"""Use a model of a GGUF file, with no server, as a user would."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.engine.processes import child_process, children, wait_until
from tests.pokeTUI.in_process import assert_refused, poketui
from tests.pokeTUI.test_cli import SMALL

LIMIT_S = 180.0
RECORD = ("record", "--headless", "--player", "planner", "--episodes", "1")
DAGGER = ("bc", "--dagger", "planner", "--rules", "1", "--rounds", "1")


@pytest.mark.parametrize("command", [("run", "--headless", *SMALL), RECORD, DAGGER])
@pytest.mark.parametrize(
    ("name", "words"),
    [("./missing.gguf", "does not exist"), (".", "is not a file"), ("text", "is not a GGUF file")],
)
def test_file_that_is_no_model_is_refused_before_anything_is_created(
    command: tuple[str, ...], name: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("no model")
    model = ("--llm-model", name, "--llm-backend", "local", "--save-dir", "saves")
    result = poketui(*command, *model, cwd=tmp_path)
    assert_refused(
        result, str(tmp_path / name), words, "Use the path of an instruct model's GGUF file"
    )
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


@contextmanager
def running(*options: str) -> Iterator[subprocess.Popen[str]]:
    """Start a headless run and wait until its model can be asked."""
    command = [sys.executable, "-m", "pokeTUI", "run", "--headless", *SMALL, *options]
    with child_process([*command, "--steps", "500000"], stdout=PIPE, text=True) as process:
        assert any("a model.gguf is ready" in line for line in process.stdout)
        yield process


def stopped(process: subprocess.Popen[str]) -> str:
    """Stop a run as Ctrl-C does, and return what it says then."""
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 130
    return said


@pytest.mark.slow
def test_run_with_a_real_file_trains_is_advised_and_resumes(smollm2: str, tmp_path: Path) -> None:
    file = tmp_path / "a model.gguf"
    file.symlink_to(smollm2)
    saves = tmp_path / "saves"

    def is_advised() -> bool:
        texts = [log.read_text() for log in saves.glob("runs/*/exchanges.jsonl")]
        whole = [line for text in texts for line in text.split("\n")[:-1]]
        return any(json.loads(line).get("goal") for line in whole)

    before = children(os.getpid())
    model = ("--llm-model", str(file), "--set", "mode=llm_only")
    with running(*model, "--save-dir", str(saves)) as process:
        assert wait_until(is_advised, LIMIT_S)
        assert "Resume with: poketui run --resume" in stopped(process)
    with running("--resume", "latest", "--save-dir", str(saves)) as process:
        assert "Resume with: poketui run --resume" in stopped(process)
    assert wait_until(lambda: children(os.getpid()) == before, LIMIT_S)
