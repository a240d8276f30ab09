"""Every command of README.md is run where a test can, else parsed by the real command line."""

import re
import shlex
from pathlib import Path
from typing import Any, cast

import pytest
import typer

from pokeTUI.cli.main import _name_latest_run, app
from tests.pokeTUI.in_process import poketui

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
RUN = ("runs", "demos", "trust", "rom --world", "rom --path FERNWICK GYM", "doctor")
"""Those that a test runs, with a save folder of its own."""
ONLY_PARSED = {
    "": "needs a terminal (tests/pokeTUI/test_start_terminal.py)",
    "attach": "needs a terminal and a run (test_attach.py)",
    "bc": "takes minutes (test_cli_bc.py)",
    "bench": "takes minutes (tests/engine/bench)",
    "eval": "needs a trained run (test_cli.py)",
    "export": "needs a run (test_cli.py)",
    "llm": "needs an Ollama server, or a run (test_llm.py)",
    "record": "needs a terminal (test_record_terminal.py)",
    "replay": "needs a run (test_cli.py)",
    "rom": "needs a cartridge's file (test_roms.py)",
    "run": "needs a terminal, or trains for ever (test_cli.py, test_real_terminal.py)",
    "runs": "needs two runs (test_cli.py)",
    "serve": "needs a run and a browser (test_serve_browser.py)",
    "vgc": "needs Node, or trains for ever (tests/engine/battles, test_cli_vgc.py)",
    "trust": "changes what the user trusts (test_trust.py)",
}
"""Why the others are only parsed, and where they are run."""
OTHER_PROGRAMS = ("python3 -m venv", "pip install")


def commands() -> list[str]:
    """Return the arguments of each `poketui ...` in blocks and in the text."""
    blocks = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    lines = [line.partition("  #")[0] for block in blocks for line in block.splitlines()]
    found = [part for line in lines for part in re.split(r" && ", line)]
    prose = re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)
    found += [" ".join(text.split()) for text in re.findall(r"`(poketui\b[^`]*)`", prose)]
    ours = [part.strip().removeprefix("poketui").strip() for part in found if part[:7] == "poketui"]
    return sorted(set(ours))


def test_commands_of_the_readme_are_found() -> None:
    assert len(commands()) > 25
    assert set(RUN) <= set(commands())


@pytest.mark.parametrize("command", RUN)
def test_command_of_the_readme_runs(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POKETUI_CONFIG_DIR", str(tmp_path))
    done = poketui(*shlex.split(command), cwd=tmp_path)
    assert done.returncode == 0 or (command == "doctor" and done.returncode == 1), done.stderr
    assert done.stdout


@pytest.mark.parametrize("command", [one for one in commands() if one not in RUN])
def test_command_of_the_readme_is_accepted_by_the_command_line(command: str) -> None:
    arguments = _name_latest_run(shlex.split(command))
    assert (arguments or [""])[0] in ONLY_PARSED
    found = cast(Any, typer.main.get_command(app))
    while arguments and hasattr(found, "commands"):
        found = found.commands[arguments.pop(0)]
    if not hasattr(found, "commands"):
        found.make_context(command, arguments)


def test_every_other_command_of_the_readme_is_known() -> None:
    blocks = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    first = {line.strip() for block in blocks for line in block.splitlines() if line.strip()}
    others = [line for line in first if not line.startswith("poketui")]
    assert all(line.startswith(OTHER_PROGRAMS) for line in others), others


def test_each_picture_is_referred_to() -> None:
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("roms/**/*.md")]
    texts = "".join(path.read_text(encoding="utf-8") for path in documents)
    pictures = [path.name for path in (ROOT / "docs" / "images").iterdir()]
    assert [name for name in pictures if f"images/{name}" not in texts] == []
