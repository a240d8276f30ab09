"""Complete words as real shells do: with the script that `--show-completion` prints."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.config import RunConfig
from engine.remote.folder import FOLDER_VARIABLE
from pokeTUI.settings import settings_of
from pokeTUI.terminal.probe import COLOR_OPTIONS
from tests.pokeTUI.in_process import ROOT, output_of, succeeded

AGENTS = ["ppo", "dqn", "rules", "random", "explore"]

SHELLS = ("bash", "zsh", "fish")
GIVEN_SHELL = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
"""Typer looks for the shell that asks; so it takes the one that is named."""
PROGRAM = f"{sys.executable} -m pokeTUI"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a command `poketui`, two saved runs and what is none."""
    command = tmp_path / "bin" / "poketui"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {PROGRAM} "$@"\n')
    command.chmod(0o755)
    for name, agent in (("20260101-000000", "ppo"), ("20260202-000000", "dqn")):
        run = tmp_path / "saves" / "runs" / name
        run.mkdir(parents=True)
        settings = {"agent": agent, "mode": "adaptive", "seed": 3}
        (run / "config.json").write_text(json.dumps(settings))
    (tmp_path / "saves" / "runs" / "20260303-broken").mkdir()
    return tmp_path


def environment(folder: Path, **more: str) -> dict[str, str]:
    path, sockets = f"{folder / 'bin'}:{os.environ['PATH']}", str(folder / "sockets")
    return {"PATH": path, FOLDER_VARIABLE: sockets, "PYTHONWARNINGS": "ignore", **more}


def tab(folder: Path, *lines: str) -> list[list[str]]:
    """Press Tab after each line in a real bash; return what it offers."""
    script = ['eval "$(poketui --show-completion)"']
    for line in lines:
        words = [word for word in re.split("(=)| ", line) if word is not None]
        if words[-2] == "=" and not words[-1]:
            del words[-1]  # as bash has it while nothing stands behind the "="
        listed = " ".join(f"'{word}'" for word in words)
        script += [
            f"COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; COMPREPLY=()",
            f"_poketui_completion poketui '{words[-1]}' '{words[-2]}'",
            'printf "%s\\n" "${COMPREPLY[@]}" ";"',
        ]
    command = ["bash", "--norc", "-c", "\n".join(script)]
    result = succeeded(output_of(command, folder, **environment(folder)))
    assert not result.stderr
    return [offered.split() for offered in result.stdout.split(";")[:-1]]


COMPLETED = [
    ("poketui ru", ["run", "runs"]),
    ("poketui doc", ["doctor"]),
    ("poketui run --strat", ["--strategy"]),
    ("poketui run --agent ", ["ppo", "dqn", "rules", "random", "explore"]),
    ("poketui run --mode r", ["rl_only"]),
    ("poketui run --strategy ", ["adaptive", "llm_heavy", "balanced", "rule_heavy"]),
    ("poketui run --llm-backend ", ["ollama", "openai", "anthropic", "local"]),
    ("poketui eval --checkpoint ", ["latest", "best"]),
    ("poketui export --format c", ["csv"]),
    ("poketui run --resume ", ["latest", "20260202-000000", "20260101-000000"]),
    ("poketui replay 20260101", ["20260101-000000"]),
    ("poketui runs ", ["20260202-000000", "20260101-000000"]),
    ("poketui runs 20260202-000000 ", ["20260101-000000"]),
    ("poketui eval --save-dir nowhere 2", []),
    ("poketui eval --save-dir saves 202602", ["20260202-000000"]),
    ("poketui run --color ", list(COLOR_OPTIONS)),
    ("poketui run --color 2", ["256"]),
    ("poketui run --set ppo.ep", ["ppo.epochs=", "ppo.epochs=3"]),
    ("poketui run --set agen", [f"agent={agent}" for agent in AGENTS]),
    ("poketui run --set agent=", AGENTS),
    ("poketui run --set agent=d", ["dqn"]),
    ("poketui run --seed 3 --set agent=d", ["dqn"]),
    ("poketui run --set ppo.epochs=", ["3"]),
    ("poketui run --set nothing=", []),
    ("poketui bench train --set agent=d", ["dqn"]),
]


@pytest.mark.slow
def test_bash_completes(folder: Path) -> None:
    lines = [line for line, _ in COMPLETED]
    assert list(zip(lines, tab(folder, *lines), strict=True)) == COMPLETED


def test_every_setting_is_offered_with_its_sign(folder: Path) -> None:
    (offered,) = tab(folder, "poketui run --set ")
    assert offered == [f"{one.key}=" for one in settings_of(RunConfig)]
    assert "ppo.epochs=" in offered


def test_runs_that_go_on_complete_where_they_are_wanted(folder: Path) -> None:
    sockets = folder / "sockets"
    sockets.mkdir(mode=0o700)
    (sockets / "20260303-000000.0a1b2c3d.sock").touch()
    assert tab(folder, "poketui serve 2") == [["20260303-000000"]]


def test_a_folder_that_others_can_look_into_completes_nothing(folder: Path) -> None:
    sockets = folder / "sockets"
    sockets.mkdir()
    sockets.chmod(0o755)
    assert tab(folder, "poketui serve 2") == [[]]


COMPLETING = """
import contextlib, io, os, sys
from pokeTUI.cli.main import main

os.environ["_POKETUI_COMPLETE"] = "complete_bash"
for line in sys.argv[1:]:
    os.environ |= {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    offered = io.StringIO()
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(offered):
        main()
    slow = {"torch", "textual", "pyboy", "ollama", "aiohttp"} & sys.modules.keys()
    print(len(offered.getvalue().split()) > 0, "typer" in sys.modules, *slow)
"""


def test_completing_imports_nothing_slow(folder: Path) -> None:
    lines = (
        "poketui ru",
        "poketui run --color ",
        "poketui run --set p",
        "poketui run --agent ",
        "poketui run --resume ",
        "poketui serve ",
    )
    completing = [sys.executable, "-c", COMPLETING, *lines]
    result = succeeded(output_of(completing, folder, **environment(folder)))
    expected = [f"{line != 'poketui serve '} True" for line in lines]  # no run is running
    assert result.stdout.splitlines() == expected, result.stderr


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_gets_its_script(folder: Path, shell: str) -> None:
    asked = ["poketui", "--show-completion", shell]
    result = succeeded(output_of(asked, **environment(folder, **GIVEN_SHELL)))
    assert "_POKETUI_COMPLETE" in result.stdout
    if shutil.which(shell):
        check = ["-n", "-c"] if shell != "fish" else ["--no-execute", "-c"]
        subprocess.run([shell, *check, result.stdout], check=True)


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_is_installed_for_the_shell_that_asks(folder: Path, shell: str) -> None:
    home = folder / "home"
    home.mkdir()
    variables = environment(folder, HOME=str(home), **GIVEN_SHELL)
    result = succeeded(output_of(["poketui", "--install-completion", shell], **variables))
    assert f"{shell} completion installed" in result.stdout
    written = [path for path in home.rglob("*") if path.is_file()]
    assert any("_POKETUI_COMPLETE" in path.read_text() for path in written)
    assert all(home in path.parents for path in written)
