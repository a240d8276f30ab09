"""Every row of docs/documents.md names a promise once, and tests and sections that exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "documents.md"
SECTIONS = re.findall(
    r"^## (\d{3}): .*\n((?:(?!## ).*\n?)*)", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE
)
HERE = re.compile(r"(holds\b|differs: .|claim: .)")
"""What the second column begins with."""


def rows(section: str) -> list[list[str]]:
    """Return the cells of a section's tables, without their heads."""
    lines = re.findall(r"^\| (.*) \|$", section, re.MULTILINE)
    cells = [re.split(r" (?<!\\)\| ", line) for line in lines]
    return [row for row in cells if row != ["promise", "here", "shown by"]]


def words(section: str) -> str:
    return " ".join(row[2] for row in rows(section))


@cache
def names_in(path: Path) -> set[str]:
    """Return the tests of a file as pytest names them."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
            members = node.body if isinstance(node, ast.ClassDef) else []
            found |= {f"{node.name}::{each.name}" for each in members if hasattr(each, "name")}
    return found


@cache
def anchors_in(path: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_the_documents_have_a_section_each() -> None:
    assert [number for number, _ in SECTIONS] == ["000", "001", "002", "003", "004"]


@pytest.mark.parametrize(("number", "section"), SECTIONS, ids=[number for number, _ in SECTIONS])
def test_every_promise_is_there_once_with_an_answer(number: str, section: str) -> None:
    promises = [row[0] for row in rows(section)]
    assert [row for row in rows(section) if len(row) != 3 or not HERE.match(row[1])] == []
    assert sorted(promises) == sorted(set(promises))


@pytest.mark.parametrize(("number", "section"), SECTIONS, ids=[number for number, _ in SECTIONS])
def test_every_row_is_shown_by_a_test_or_section_that_exists(number: str, section: str) -> None:
    shown = re.compile(r"`tests/[\w/]+\.py::\w+|\]\([\w-]+\.md")
    assert [row[0] for row in rows(section) if not shown.search(row[2])] == []
    missing = [
        f"{path}::{name}"
        for path, name in re.findall(r"`(tests/[\w/]+\.py)::([\w:]+)", words(section))
        if not (ROOT / path).exists() or name not in names_in(ROOT / path)
    ]
    assert missing == []


def test_every_link_leads_to_a_heading() -> None:
    links = re.findall(r"\]\(([\w-]+\.md)(?:#([\w-]+))?\)", DOCUMENT.read_text(encoding="utf-8"))
    for name, anchor in links:
        path = DOCUMENT.with_name(name)
        assert path.exists(), name
        assert not anchor or anchor in anchors_in(path), (name, anchor)
