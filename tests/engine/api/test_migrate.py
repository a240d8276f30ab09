"""Documented imports become ours, and nothing else changes."""

import ast
import importlib
import io
import re
import stat
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.api.migrate import IMPORTS, NO_COUNTERPART, main, migrate

MOVED = sorted(module for module, (home, _) in IMPORTS.items() if home != module)
DOCUMENT = Path(__file__).parents[3] / "docs" / "documents.md"
STRANGE = ["os", "core.database", "trainer", "über.pokémon"]
COMMENTS = ["", "  # über core.exceptions", "#"]
OTHER = [
    "x = 'from core.exceptions import TrainingError'",
    '"""\nfrom core.hybrid_agent import HybridAgent\n"""',
    "é = 1; import os  # é",
    "\f",
    "# from core.hybrid_agent import HybridAgent",
    "y = [\n    1,  # one\n]",
    "import os \\\n    as o",
    "try:\n    pass\nexcept OSError: import trainer.llm_manager as m",
]
MOST = st.sampled_from


@st.composite
def from_imports(draw: st.DrawFn) -> str:
    module = draw(MOST(MOVED + STRANGE))
    known = IMPORTS.get(module, ("", ("Ding", "train")))[1]
    names = draw(st.lists(MOST([*known, "unknown", "ß"]), min_size=1, max_size=3, unique=True))
    items = [draw(MOST([name, f"{name} as {name}_2", f"{name}  as  z"])) for name in names]
    start = f"{draw(MOST(['', '', 'é = 1; ']))}from {module}"
    match draw(MOST("sbpm*")):
        case "s":
            text = f"{start}  import {', '.join(items)}"
        case "b":
            text = f"{start.replace('.', ' . ')} \\\n import \\\n  {', '.join(items)}"
        case "p":
            text = f"{start} import({', '.join(items)},)"
        case "m":
            comment = draw(MOST(COMMENTS))
            text = f"{start} import ( {comment}\n" + f",{comment}\n  ".join(items) + f"{comment}\n)"
        case _:
            text = f"from {module} import *"
    return text + draw(MOST(COMMENTS))


@st.composite
def plain_imports(draw: st.DrawFn) -> str:
    names = draw(st.lists(MOST(MOVED + STRANGE), min_size=1, max_size=3, unique=True))
    return "import " + ", ".join(draw(MOST([name, f"{name} as short"])) for name in names)


@st.composite
def package_imports(draw: st.DrawFn) -> str:
    module = draw(MOST([name for name in MOVED if "." in name]))
    package, _, name = module.partition(".")
    other = draw(MOST(["", ", utilities", ", utilities as u  # why"]))
    return f"from {package} import {name}{other}"


@st.composite
def sources(draw: st.DrawFn) -> str:
    one = st.one_of(from_imports(), plain_imports(), package_imports(), MOST(OTHER))
    lines = []
    for statement in draw(st.lists(one, max_size=6)):
        is_whole = "*" in statement or statement in OTHER
        lines.append(statement if is_whole or draw(st.booleans()) else f"if 1:\n\t {statement}")
    return "\n".join([*lines, ""]).replace("\n", draw(MOST(["\n", "\r\n", "\r"])))


class WithoutImports(ast.NodeTransformer):
    def _drop(self, node: ast.AST) -> None:
        return None

    visit_Import = visit_ImportFrom = _drop  # noqa: N815


def without_imports(text: str) -> str:
    return ast.dump(WithoutImports().visit(ast.parse(text)))


def comments(text: str) -> Counter[str]:
    lines = io.StringIO(re.sub(r"\r\n?", "\n", text)).readline
    return Counter(
        token.string.rstrip()
        for token in tokenize.generate_tokens(lines)
        if token.type == tokenize.COMMENT
    )


def bound(text: str) -> set[str]:
    """Return the names that imports make, a star's as the documents have them."""
    return {
        name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        for name in (
            IMPORTS.get(getattr(node, "module", "") or "", ("", ("*",)))[1]
            if alias.name == "*"
            else [alias.asname or alias.name]
        )
    }


@given(sources())
def test_rewritten_source_differs_in_imports_only(text: str) -> None:
    migrated = migrate(text)
    assert without_imports(migrated.text) == without_imports(text)
    assert comments(migrated.text) == comments(text)
    assert bound(migrated.text) == bound(text)
    assert migrated.text.count("\f") == text.count("\f")
    assert (migrated.text == text) == (migrated.count == 0)
    again = migrate(migrated.text)
    assert (again.text, again.count) == (migrated.text, 0)
    assert sorted(note for _, note in again.notes) == sorted(note for _, note in migrated.notes)


@given(sources())
def test_no_documented_name_is_still_imported_unless_it_is_told(text: str) -> None:
    migrated = migrate(text)
    told = {line for line, _ in migrate(migrated.text).notes}
    for node in ast.walk(ast.parse(migrated.text)):
        if isinstance(node, ast.ImportFrom) and node.module in MOVED:
            documented = {alias.name for alias in node.names} & {*IMPORTS[node.module][1], "*"}
            assert not documented or node.lineno in told
        elif isinstance(node, ast.Import) and {alias.name for alias in node.names} & {*MOVED}:
            assert node.lineno in told


@pytest.mark.parametrize("module", IMPORTS)
def test_every_name_can_be_imported_from_our_module(module: str) -> None:
    home, names = IMPORTS[module]
    for name in names:
        assert getattr(importlib.import_module(home), name).__name__ == name


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from core.hybrid_agent import HybridAgent, AgentMode as M  # é",
         "from engine import HybridAgent, AgentMode as M  # é"),
        ("from core.exceptions import (\r\n  TrainingError, # one\r\n)",
         "from engine import (\r\n  TrainingError, # one\r\n)"),
        ("import os, core.exceptions as e", "import os, engine as e"),
        ("from core import hybrid_agent as h, exceptions",
         "import engine as h, engine as exceptions"),
        ("from core.hybrid_agent import *", "from engine import AgentMode, HybridAgent"),
        ("from core.hybrid_agent import (HybridAgent, # mine\n  Other)",
         "# mine\nfrom engine import HybridAgent; from core.hybrid_agent import Other"),
        ("if x:\n\tfrom core import hybrid_agent, mine",
         "if x:\n\timport engine as hybrid_agent; from core import mine"),
        ("from rl_training.bc_pokemon import train", "from engine.api.bc_pokemon import train"),
        *([unchanged] * 2 for unchanged in (
            "from tests.utils import create_test_trainer",
            "from .core.exceptions import TrainingError",
        )),
    ],
)  # fmt: skip
def test_import_is_rewritten_to(old: str, new: str) -> None:
    assert migrate(old).text == new


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import core.hybrid_agent", "core.hybrid_agent: write engine, here and where it is used"),
        ("from core.hybrid_agent import X", "core.hybrid_agent.X: not in the documents"),
        (
            "from agent.code_agent import CodeAgent",
            "agent.code_agent.CodeAgent: use `poketui record",
        ),
        ("from llm_trainer import main", "llm_trainer.main: use `poketui run`"),
        ("patch('core.hybrid_agent.HybridAgent')", "write engine.HybridAgent, here and where"),
        ("x = 1; from core import (exceptions, # here\n y)", "a comment is in the way: write"),
    ],
)
def test_what_is_not_rewritten_is_told_with_its_line(text: str, told: str) -> None:
    migrated = migrate(f"\n{text}\n")
    assert migrated.text == f"\n{text}\n"
    assert [line for line, note in migrated.notes if told in note] == [2]


def test_imports_of_others_are_not_mentioned() -> None:
    text = "import numpy as np, agents\nfrom evaluate import train\nfrom tests.mine import x\n"
    assert (migrate(text).text, migrate(text).notes) == (text, [])


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8-sig", "from core.exceptions import TrainingError  # é\r\n"),
        ("latin-1", "# coding: latin-1\né = 1; from core.exceptions import TrainingError  # é"),
        ("shift_jis", "# vim: fileencoding=shift_jis\r\n日 = '表'; import core.exceptions as e\r"),
    ],
)
def test_bytes_around_an_import_are_kept(tmp_path: Path, encoding: str, text: str) -> None:
    path = tmp_path / "script.py"
    path.write_bytes(text.encode(encoding))
    assert main([str(path)]) == 0
    expected = text.replace("core.exceptions", "engine")
    assert path.read_bytes() == expected.encode(encoding)


def test_a_link_stays_one_and_its_file_keeps_its_mode(tmp_path: Path) -> None:
    path, link = tmp_path / "script.py", tmp_path / "link.py"
    path.write_text("import core.exceptions as e\n")
    path.chmod(0o755)
    link.symlink_to(path)
    assert main([str(link)]) == 0
    assert link.is_symlink()
    assert path.read_text() == "import engine as e\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o755
    assert sorted(tmp_path.iterdir()) == [link, path]


def test_check_prints_a_diff_and_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "script.py"
    path.write_text("import core.exceptions as e\n")
    assert main(["--check", str(path)]) == 1
    told = capsys.readouterr().out
    assert "-import core.exceptions as e\n+import engine as e\n" in told
    assert f"{path}: 1 import to rewrite" in told
    assert path.read_text() == "import core.exceptions as e\n"
    path.write_text("import engine as e\n")
    assert main(["--check", str(path)]) == 0


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"def f(:\n", "invalid syntax"),
        (b"\xff\n", "invalid or missing encoding"),
        (b"# coding: nothing\n", "unknown encoding"),
        (b"x = 1\0\n", "null bytes"),
        (b"x = '" + b"\n" * 3 + b"\xe9'", "utf-8"),
        (None, "No such file"),
    ],
)
def test_unreadable_file_is_one_line_and_the_others_are_rewritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, told: str
) -> None:
    broken, whole = tmp_path / "broken\n.py", tmp_path / "whole.py"
    if content is not None:
        broken.write_bytes(content)
    whole.write_text("import core.exceptions as e\n")
    assert main([str(broken), str(tmp_path), str(whole)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "broken\\n.py: " in lines[0]
    assert told in lines[0]
    assert whole.read_text() == "import engine as e\n"
    if content is not None:
        assert broken.read_bytes() == content


def test_it_starts_as_a_module_without_a_library(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text("from core.game_state_analyzer import GameStateAnalysis\n")
    command = [sys.executable, "-X", "importtime", "-m", "engine.api.migrate", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{path}: 1 import rewritten\n"
    assert not re.search(r"\b(numpy|torch|pyboy|pydantic)\b", done.stderr)


def test_the_documents_table_of_imports_is_this_one() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    table = text.partition("\n## Imports\n")[2].partition("\n## ")[0]
    ours = [
        f"| `{module}` | `{home}` | {', '.join(f'`{name}`' for name in names)} |"
        for module, (home, names) in IMPORTS.items()
    ]
    others = [f"| `{module}` | none | {remedy} |" for module, remedy in NO_COUNTERPART.items()]
    assert re.findall(r"^\| `.*", table, re.MULTILINE) == ours + others
