"""One place of the command line prints, and what it prints is text."""

import ast
import contextlib
import io
import os
import sys
from pathlib import Path

import pytest

import pokeTUI
from pokeTUI.terminal import printing
from tests.pokeTUI.hostile import EVIL
from tests.pokeTUI.in_process import Done, output_of
from tests.pokeTUI.says import assert_lacks

PRINTING = ("print", "echo", "secho", "confirm", "prompt", "input", "print_exc")
"""Calls that write to the terminal."""


def test_only_printing_writes_to_the_standard_streams() -> None:
    root = Path(pokeTUI.__file__).parent
    found = []
    for path in root.rglob("*.py"):
        if path.name == "printing.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _is_printing(node.func):
                found.append(f"{path.relative_to(root)}:{node.lineno}")
    assert not found


def _is_printing(function: ast.expr) -> bool:
    match function:
        case ast.Name(id=name):
            return name in PRINTING and name != "confirm"
        case ast.Attribute(value=ast.Name(id="typer" | "click" | "traceback"), attr=name):
            return name in PRINTING
        case ast.Attribute(value=ast.Attribute(attr="stdout" | "stderr"), attr=name):
            return name in ("write", "writelines")
    return False


def test_printed_values_make_no_line_of_their_own() -> None:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        printing.say(f"run {EVIL}", "next")
    first, second = out.getvalue().splitlines()
    assert first.startswith(
        "run \\x1b]0;owned\\x07\\x1b[2J\\x9b31m\\u202egnp.\\u200b\\x7f\\r\\nSaved"
    )
    assert second == "next"


def test_a_table_has_columns_as_wide_as_their_longest_text() -> None:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        printing.say_table([("name", "won", "note"), ("a", "10", ""), ("longer", "5", "x")], [1])
        printing.say_table([])
    assert out.getvalue().splitlines() == ["name    won  note", "a        10", "longer    5  x"]


def test_a_warning_goes_to_standard_error() -> None:
    with contextlib.redirect_stderr(io.StringIO()) as err:
        printing.warn("low\x1bdisk")
    assert err.getvalue() == "warning: low\\x1bdisk\n"


def test_undecodable_names_can_be_printed() -> None:
    with contextlib.redirect_stderr(io.StringIO()) as err:
        printing.complain(os.fsdecode(b"a\xff"))
    assert err.getvalue() == "a\\udcff\n"


def test_text_that_goes_on_keeps_its_lines_and_nothing_else() -> None:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        printing.say_part("go \x1b[2Jnorth\nthen ")
    assert out.getvalue() == "go  [2Jnorth\nthen "


def test_a_traceback_of_ours_is_visible() -> None:
    with contextlib.redirect_stderr(io.StringIO()) as err:
        printing.complain_of(ValueError(EVIL))
    assert "\x1b" not in err.getvalue()
    assert "ValueError: \\x1b]0;owned" in err.getvalue()


@pytest.mark.parametrize("answer", ["y\n", "yes\n", "Y\n"])
def test_a_yes_is_a_yes(answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    assert printing.confirm("Delete it?")


def shell(line: str, folder: Path, **more: str) -> Done:
    command = line.replace("poketui", f"{sys.executable} -m pokeTUI")
    return output_of(["bash", "-c", command], folder, **more)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("poketui demos | true; echo ${PIPESTATUS[0]} >&2", 0),
        ("poketui demos > /dev/full", 2),
        ("poketui demos >&- 2>&- <&-", 0),
        ("poketui <&-", 2),
        ("poketui demos delete x <&-", 2),
    ],
)
def test_closed_or_full_streams_bring_no_traceback(line: str, code: int, tmp_path: Path) -> None:
    result = shell(line, tmp_path)
    assert_lacks(result.stderr, "Traceback", "Exception")
    assert result.returncode == code or result.stderr.strip() == str(code)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_printing_replaces_signs_that_the_encoding_lacks(encoding: str, tmp_path: Path) -> None:
    name = "Pokémon ●"
    result = shell(f"poketui rom '{name}'; poketui --help", tmp_path, PYTHONIOENCODING=encoding)
    assert "Traceback" not in result.stderr
    shown = name.encode(encoding, "replace").decode(errors="surrogateescape")
    assert shown in result.stderr
