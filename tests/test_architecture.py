"""docs/architecture.md and imports name only what exists; the layers are drawn as contracted."""

import ast
import contextlib
import itertools
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
PICTURE = re.split(r"^```$", TEXT, flags=re.MULTILINE)[1]
NAMES = re.findall(r"`([^`\n]+)`", TEXT.replace(PICTURE, ""))
COMMANDS = {"lint-imports"}
ENTRY_POINTS = {"poketui.games"}


@cache
def definitions() -> dict[str, list[tuple[Path, set[str], set[str]]]]:
    """Return where each top-level name is defined, with the members and bases of a class."""
    found: dict[str, list[tuple[Path, set[str], set[str]]]] = defaultdict(list)
    for package in ("engine", "pokeTUI"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                members = set(map(_name_of, getattr(node, "body", ())))
                bases = {ast.unparse(base) for base in getattr(node, "bases", ())}
                found[_name_of(node)].append((path, members, bases))
    return found


def _name_of(node: ast.AST) -> str:
    target = getattr(node, "target", None) or next(iter(getattr(node, "targets", ())), None)
    return str(getattr(node, "name", getattr(target, "id", "")))


def has_member(name: str, member: str) -> bool:
    """Return whether a class, or a base of it, defines a member."""
    return any(
        member in members or any(has_member(base, member) for base in bases)
        for _, members, bases in definitions().get(name, ())
    )


def is_there(name: str) -> bool:
    if "/" in name or name.endswith(".toml"):
        return (ROOT / name).exists()
    if name.startswith("engine."):
        module, _, last = name.rpartition(".")
        path = ROOT / f"{module.replace('.', '/')}.py"
        return any(path == where for where, *_ in definitions().get(last, ()))
    first, _, member = name.partition(".")
    return first in definitions() and (not member or has_member(first, member))


def test_every_name_exists() -> None:
    names = set(NAMES) - COMMANDS - ENTRY_POINTS
    assert len(names) > 60
    assert sorted(name for name in names if not is_there(name)) == []


def test_names_beside_a_file_are_defined_in_it() -> None:
    pairs = re.findall(r"`(\w+)(?:\.\w+)?`\s+\(`([\w/]+\.py)`\)", TEXT)
    assert len(pairs) > 8
    for name, path in pairs:
        assert ROOT / path in [where for where, *_ in definitions()[name]], (name, path)


def test_a_name_that_does_not_exist_is_found_out() -> None:
    for name in ("engine/nowhere.py", "Nobody", "Trainer.fly", "engine.training.trainer.Saving"):
        assert not is_there(name), name


def test_the_entry_point_group_is_the_one_that_is_read() -> None:
    text = (ROOT / "engine/games/catalog.py").read_text(encoding="utf-8")
    for group in ENTRY_POINTS:
        assert group in NAMES
        assert f'ENTRY_POINTS = "{group}"' in text


def test_the_picture_has_the_layers_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    layers = contracts["importlinter"]["contracts"][0]["layers"]
    rank = {name: row for row, layer in enumerate(layers) for name in layer.split(" | ")}
    rows = [
        [rank[f"engine.{name}"] for name in re.split(", ", names)]
        for names in re.findall(r"│ (\w+(?:, \w+)*)  .*│$", PICTURE, re.MULTILINE)
    ]
    assert len(rows) == len(re.findall(r"│ .*│$", PICTURE, re.MULTILINE))
    for upper, lower in itertools.pairwise(rows):
        assert max(upper) < min(lower)
    drawn = set(re.findall(r"\w+", PICTURE))
    packages = {path.parent.name for path in (ROOT / "engine").glob("*/__init__.py")}
    assert packages <= drawn


@cache
def names_in(module: str) -> set[str]:
    """Return what can be imported from a module: what it defines or imports, or what lies in it."""
    folder = ROOT / module.replace(".", "/")
    files = [path for path in (folder.with_suffix(".py"), folder / "__init__.py") if path.exists()]
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    names = {getattr(node, "asname", None) or getattr(node, "name", "") for node in nodes}
    stored = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | stored | {each.stem for each in folder.glob("*")}


def imports_in(code: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the module and name of each import of ours, those of programs in strings too."""
    for node in ast.walk(code):
        if isinstance(node, ast.ImportFrom) and re.match(
            r"(engine|pokeTUI|tests)\b", node.module or ""
        ):
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Constant) and "from " in str(node.value):
            with contextlib.suppress(SyntaxError):
                yield from imports_in(ast.parse(node.value))


def test_what_tests_and_benchmarks_import_exists_in_programs_in_strings_too() -> None:
    found = {
        (path.relative_to(ROOT).as_posix(), *pair)
        for path in (ROOT / "tests").rglob("*.py")
        for pair in imports_in(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert len(found) > 1_000
    missing = [each for each in sorted(found) if each[2] not in names_in(each[1])]
    assert missing == [("tests/engine/api/test_migrate.py", "tests.mine", "x")]  # it is an example


def test_the_picture_fits_a_terminal() -> None:
    assert max(map(len, PICTURE.splitlines())) <= 80
