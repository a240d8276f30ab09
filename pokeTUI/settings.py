"""Describe the settings by their schema, change them, and write them as TOML."""

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from engine.commands import Command, SetMode, SetStrategy, SetWeight
from engine.config import RunConfig
from engine.events import SteeringChanged
from engine.ground.files import EXPORT_MODE, write_file

# TOML, which Python's standard library can only read.


def to_toml(values: Mapping[str, object], comment: str = "") -> str:
    """Return `values` as TOML: strings, numbers, booleans, lists, and tables of these; no None."""
    lines = [f"# {line}" for line in comment.splitlines()]
    lines += _table(values, ())
    return "\n".join(lines).strip() + "\n"


def _table(values: Mapping[str, object], path: tuple[str, ...]) -> list[str]:
    plain = {key: value for key, value in values.items() if not isinstance(value, Mapping)}
    lines: list[str] = []
    if path and (plain or not values):
        lines += ["", f"[{'.'.join(_key(name) for name in path)}]"]
    lines += [f"{_key(key)} = {_value(value)}" for key, value in plain.items()]
    for key, value in values.items():
        if isinstance(value, Mapping):
            lines += _table(value, (*path, key))
    return lines


def _key(name: str) -> str:
    is_bare = bool(name) and all(
        char.isascii() and (char.isalnum() or char in "-_") for char in name
    )
    return name if is_bare else _string(name)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)  # 1e-05, inf and nan are TOML too
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    raise TypeError(f"TOML has no {type(value).__name__}")


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


RUN_SECTION = "run"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    Attributes:
        key: Dotted, e.g. "ppo.epochs".
        kind: In words: "whole number", "one of ...".
        allowed: The range in words, "" if anything is.
        description: What it is for, "" if its name says that.
        choices: All values, if there are few.
        is_live: It can be changed during a run.
    """

    key: str
    section: str
    kind: str
    allowed: str
    default: object
    description: str
    choices: tuple[str, ...] = ()
    is_live: bool = False

    def meaning(self, value: object) -> str:
        """Return what 0 or an empty value stands for by the description, "" if it says nothing."""
        if value is None or isinstance(value, bool) or value not in (0, ""):
            return ""
        word = "empty" if value == "" else "0"
        found = re.search(rf"(?:^|[;.] ){word}: ([^.;]+)", self.description, re.IGNORECASE)
        return found[1] if found else ""

    @property
    def usual(self) -> str:
        """Return the default as the help of an option shows it, "" for a switch that is off."""
        return self.meaning(self.default) or ("" if self.default is False else shown(self.default))

    @property
    def purpose(self) -> str:
        """Return the description without the meaning of the default, which help shows apart."""
        usual = self.meaning(self.default)
        said = rf"[;.] (0|empty): {re.escape(usual)}(?=[;.])"
        return re.sub(said if usual else "$^", "", self.description, flags=re.IGNORECASE)


def as_steered(config: RunConfig, steering: SteeringChanged | None) -> RunConfig:
    """Return a run's settings with what was changed since it began."""
    if steering is None:
        return config
    known = set(type(config.rewards).model_fields)
    weights = {name: weight for name, weight in steering.weights if name in known}
    rewards = config.rewards.model_copy(update=weights)
    changes = {"mode": steering.mode, "strategy": steering.strategy, "rewards": rewards}
    return config.model_copy(update=changes)


def settings_of(model: type[BaseModel], prefix: str = "", section: str = "") -> list[Setting]:
    """Return a model's settings, those of nested models below their own headings."""
    found: list[Setting] = []
    nested: list[Setting] = []
    docs = _descriptions(model)
    for name, field in model.model_fields.items():
        key = f"{prefix}{name}"
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            nested += settings_of(kind, f"{key}.", key)
            continue
        choices = _choices(kind)
        found.append(
            Setting(
                key,
                section or RUN_SECTION,
                _kind(kind),
                _allowed(field),
                field.get_default(call_default_factory=True),
                docs.get(name, ""),
                choices,
                is_live=command_for(key, "0") is not None,
            )
        )
    return found + nested


def value_of(values: Mapping[str, Any], key: str) -> Any:
    """Return the value at a dotted key."""
    for part in key.split("."):
        values = values[part]
    return values


def shown(value: object) -> str:
    """Return a value as it is typed."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=to_jsonable_python)


def changed(config: RunConfig, key: str, text: str) -> tuple[RunConfig | None, str]:
    """Return the configuration with the value that `text` stands for, or what is wrong with it."""
    values = config.model_dump()
    *sections, leaf = key.split(".")
    target = values
    for section in sections:
        target = target[section]
    old = target[leaf]
    target[leaf] = text.strip()
    if isinstance(old, dict | list | tuple):
        try:
            target[leaf] = json.loads(text)
        except ValueError:
            return None, "Use JSON, like the current value."
    try:
        return RunConfig.model_validate(values), ""
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        what = first["msg"].removeprefix("Value error, ")
        return None, what if where in ("", key) else f"{where}: {what}"


def command_for(key: str, text: str) -> Command | None:
    """Return the command that changes a setting during a run, None if there is none."""
    section, _, name = key.partition(".")
    if key == "mode":
        return SetMode(text)
    if key == "strategy":
        return SetStrategy(text)
    if section == "rewards" and name and name != "extra":
        return SetWeight(name, float(text))
    return None


def write_config(config: RunConfig, path: Path) -> None:
    """Write what differs from the defaults, for `poketui run --config`; atomically.

    Raises:
        OSError: It cannot be written.
    """
    values = config.model_dump(mode="json", exclude_defaults=True)
    if path.suffix == ".json":
        text = json.dumps(values, indent=2) + "\n"
    else:
        text = to_toml(values, f"For: poketui run --config {path}")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, text.encode(), EXPORT_MODE)


def _choices(kind: object) -> tuple[str, ...]:
    if get_origin(kind) is Literal:
        return tuple(str(value) for value in get_args(kind))
    return ("true", "false") if kind is bool else ()


def _kind(kind: object) -> str:
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(str(value) or '""' for value in get_args(kind))
    names = {bool: "true or false", int: "whole number", float: "number", str: "text"}
    return names.get(kind, "JSON") if isinstance(kind, type) else "JSON"


def _allowed(field: FieldInfo) -> str:
    words = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    found = [
        f"{word} {limit:g}"
        for name, word in words.items()
        for bound in field.metadata
        if (limit := getattr(bound, name, None)) is not None
    ]
    return ", ".join(found)


@cache
def _descriptions(model: type[BaseModel]) -> dict[str, str]:
    """Return the strings that stand below a model's fields, by field."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(model)))
    except (OSError, SyntaxError):
        return {}  # no source is installed: the names have to do
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    found = {}
    for statement, after in pairwise(body):
        if (
            isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            found[statement.target.id] = " ".join(str(after.value.value).split())
    return found
