"""Rewrite the imports of the original documents to ours: `python -m engine.api.migrate FILE...`.

Nothing but these imports is changed. What has no counterpart is named with its line.
"""

import argparse
import ast
import difflib
import io
import re
import stat
import sys
import tokenize
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from engine.ground.files import read_file, write_file
from engine.ground.text import visible

_CLONING = (
    "Args ImpalaCNN ReplayBuffer ResidualBlock compute_bc_loss compute_hybrid_loss evaluate "
    "load_expert_data train"
)
_NAMES = {
    "trainer.hybrid_llm_rl_trainer": "HybridLLMRLTrainer create_trainer_from_config",
    "trainer.llm_manager": "BaseLLMManager LLMManager",
    "core.hybrid_agent": "AgentMode HybridAgent",
    "core.adaptive_strategy_system": "AdaptiveStrategySystem StrategyType",
    "core.decision_history_analyzer": "DecisionHistoryAnalyzer",
    "core.enhanced_pyboy_env": "EnhancedPyBoyPokemonCrystalEnv",
    "core.exceptions": (
        "TrainingError ConfigurationError EnvironmentError CheckpointError LLMConnectionError "
        "DecisionValidationError"
    ),
    "core.game_state_analyzer": "GameStateAnalysis",
    "pokemon_env.gym_env": "PokemonEnv",
    "bc_pokemon": _CLONING,
    "rl_training.bc_pokemon": _CLONING,
    "tests.utils": (
        "cleanup_test_files create_mock_environment create_test_trainer generate_test_config"
    ),
    "tests.benchmarks": (
        "benchmark_decision_latency benchmark_memory_usage benchmark_training_speed"
    ),
}


def _home(module: str) -> str:
    if module.startswith("tests."):
        return module
    return "engine.api.bc_pokemon" if module.endswith("bc_pokemon") else "engine"


IMPORTS: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {module: (_home(module), tuple(names.split())) for module, names in _NAMES.items()}
)
"""Documented modules: our module, and the documented names, which are the same in it."""

NO_COUNTERPART: Mapping[str, str] = MappingProxyType(
    {
        "agent.code_agent": "use `poketui record --player planner --llm-model NAME`",
        "collect_expert_data": "use `poketui record`",
        "elitefurretai.rl.agent": "use engine.battles.learn.networks.TwoHeadedHybridModel",
        "elitefurretai.rl.environment": "use engine.battles.env.VGCDoublesEnv",
        "elitefurretai.rl.learner": "use `poketui vgc train` (engine/battles/learn/learner.py)",
        "elitefurretai.rl.memory": "use `poketui vgc train` (engine/battles/learn/experience.py)",
        "elitefurretai.rl.simple_train": "use `poketui vgc train`",
        "elitefurretai.rl.train": "use `poketui vgc train`",
        "elitefurretai.rl.worker": "use `poketui vgc train` (engine/battles/learn/actor.py)",
        "elitefurretai": "see docs/vgc.md",
        "llm_trainer": "use `poketui run`",
        "trainer.llm": "use engine.LLMManager",
        "trainer.monitoring": "use `poketui run --web`",
        "trainer.pokemon_trainer": "use engine.HybridLLMRLTrainer",
        "trainer.rewards": "override _calculate_reward or see docs/rewards.md",
        "tests.core": "see tests/engine/api",
        "tests.integration": "see tests/engine/api/test_documented_examples.py",
        "tests.trainer": "see tests/engine/api/test_hybrid_trainer.py",
        "unit_tests.rl": "see tests/engine/battles",
    }
)
"""Documented modules that name no class, or are something else here: what to do instead. One that
lies in another stands before it."""

_MOVED = MappingProxyType({old: new for old, new in IMPORTS.items() if new[0] != old})
_DOCUMENTED = (*_MOVED, *NO_COUNTERPART)
_PACKAGES = frozenset(old.partition(".")[0] for old in _MOVED)
_GAP = r"(?:[ \t\f]|\\(?:\r\n?|\n))++"
# Nothing is tried twice, however many blanks there are.
_MODULE = re.compile(rf"from{_GAP}((?:[^ \t\f\\]++|{_GAP}(?!import\b))++){_GAP}import\b")
_LINE_END = re.compile(r"\r\n?|\n")
_MAX_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class Migrated:
    """A rewritten source.

    Attributes:
        text: The source.
        count: Statements that were rewritten.
        notes: Lines, and what is to be done there by hand.
    """

    text: str
    count: int
    notes: list[tuple[int, str]]


@dataclass(slots=True)
class _Source:
    text: str
    edits: list[tuple[int, int, str]] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    lines: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = [0, *(end.end() for end in _LINE_END.finditer(self.text))]

    def span(self, node: ast.stmt | ast.alias) -> tuple[int, int]:
        """Return where a node begins and ends, in characters."""
        end_line, end_column = node.end_lineno or 0, node.end_col_offset or 0
        return self._at(node.lineno, node.col_offset), self._at(end_line, end_column)

    def _at(self, line: int, column: int) -> int:
        start = self.lines[line - 1]  # the column counts bytes of UTF-8
        return start + len(self.text[start : start + column].encode()[:column].decode())

    def note(self, node: ast.stmt | ast.expr, text: str) -> None:
        self.notes.append((node.lineno, text))

    def replace(self, node: ast.stmt, statements: str) -> None:
        """Put others in the place of a statement; comments inside of it go above them."""
        start, end = self.span(node)
        old = self.text[start:end]
        lines = io.StringIO(_LINE_END.sub("\n", old))
        tokens = tokenize.generate_tokens(lines.readline)
        comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
        indent = self.text[self.lines[node.lineno - 1] : start]
        if comments and indent.strip():
            self.note(node, f"a comment is in the way: write {statements!r} by hand")
            return
        line_end = _LINE_END.search(old)
        above = (f"{comment}{line_end[0] if line_end else ''}{indent}" for comment in comments)
        self.edits.append((start, end, "".join(above) + statements))

    def rewritten(self) -> str:
        text = self.text
        for start, end, new in sorted(self.edits, reverse=True):
            text = text[:start] + new + text[end:]
        return text


def migrate(text: str) -> Migrated:
    """Rewrite the documented imports of a Python source.

    Raises:
        SyntaxError: It is none.
    """
    with warnings.catch_warnings(action="ignore"):  # those are about the user's code
        tree = ast.parse(text)
    source, count = _Source(text), 0
    for node in ast.walk(tree):
        before = len(source.edits)
        match node:
            case ast.ImportFrom(module=str(module), level=0):
                _rewrite_from(source, node, module)
            case ast.Import():
                _rewrite_import(source, node)
            case ast.Constant(value=str(value)) if re.fullmatch(r"\w+(\.\w+)+", value):
                if any(f"{value}.".startswith(f"{module}.") for module in _DOCUMENTED):
                    source.note(node, f"{value!r}: {_remedy(value)}")
        count += len(source.edits) > before
    return Migrated(source.rewritten(), count, sorted(source.notes))


def _rewrite_from(source: _Source, node: ast.ImportFrom, module: str) -> None:
    home, known = _MOVED.get(module, ("", ()))
    names = [(alias.name, alias.asname) for alias in node.names]
    if known and names == [("*", None)]:
        names = [(name, None) for name in known]
    elif known and all(name in known for name, _ in names):
        if found := _MODULE.match(source.text, *source.span(node)):
            source.edits.append((*found.span(1), home))
        return
    parts: dict[str, list[str]] = {}
    for name, other in names:
        path = f"{module}.{name}"
        if path in _MOVED:
            parts.setdefault("import", []).append(f"{_MOVED[path][0]} as {other or name}")
            continue
        if name not in known and (remedy := _remedy(path)):
            source.note(node, f"{path}: {remedy}")
        kind = f"from {home if name in known else module} import"
        parts.setdefault(kind, []).append(f"{name} as {other}" if other else name)
    if [*parts] != [f"from {module} import"]:
        source.replace(node, "; ".join(f"{kind} {', '.join(parts[kind])}" for kind in parts))


def _rewrite_import(source: _Source, node: ast.Import) -> None:
    for alias in node.names:
        if alias.name in _MOVED and alias.asname:
            new = f"{_MOVED[alias.name][0]} as {alias.asname}"
            source.edits.append((*source.span(alias), new))
        elif remedy := _remedy(alias.name):
            source.note(node, f"{alias.name}: {remedy}")


def _remedy(path: str) -> str:
    """Return what to do about what is not rewritten; "" if the documents have nothing like it."""
    for module, remedy in NO_COUNTERPART.items():
        if f"{path}.".startswith(f"{module}."):
            return remedy
    for module, (home, names) in _MOVED.items():
        if path in (module, *(f"{module}.{name}" for name in names)):
            return f"write {home}{path.removeprefix(module)}, here and where it is used"
    is_near = path.partition(".")[0] in _PACKAGES
    return "not in the documents, so left as it is" if is_near else ""


def _migrate_file(path: Path, *, is_checked: bool) -> bool:
    """Rewrite a file, or show how; return whether anything is to be rewritten."""
    data = read_file(path, _MAX_BYTES)
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    text = data.decode(encoding)
    if text.encode(encoding) != data:
        raise ValueError(f"its encoding {encoding} cannot be written back byte for byte")
    migrated, name = migrate(text), visible(str(path))
    notes = migrated.notes
    if migrated.count and is_checked:
        old, new = map(_LINE_END.split, (text, migrated.text))
        for changed in difflib.unified_diff(old, new, name, name, lineterm=""):
            print(visible(changed))
    elif migrated.count:
        target = path.resolve()  # a link stays one
        mode = stat.S_IMODE(target.stat().st_mode)
        write_file(target, migrated.text.encode(encoding), mode)
        target.chmod(mode)
        notes = migrate(migrated.text).notes  # with the lines as they are now
    done = "to rewrite" if is_checked else "rewritten"
    print(f"{name}: {migrated.count} import{'s' * (migrated.count != 1)} {done}")
    for line, note in notes:
        print(f"{name}:{line}: {visible(note)}")
    return bool(migrated.count)


def main(arguments: Sequence[str] | None = None) -> int:
    """Rewrite files; return 2 if one cannot be read, 1 if `--check` finds something to rewrite."""
    parser = argparse.ArgumentParser(prog="python -m engine.api.migrate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="print a diff and change nothing")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    is_due = has_failed = False
    for path in options.files:
        try:
            is_due |= _migrate_file(path, is_checked=options.check)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            reason = getattr(error, "strerror", None) or str(error) or "it is nested too deeply"
            print(f"{visible(str(path))}: {visible(reason)}", file=sys.stderr)
            has_failed = True
    return 2 if has_failed else int(is_due and options.check)


if __name__ == "__main__":
    sys.exit(main())
