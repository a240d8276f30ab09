"""Write TOML, which Python can only read."""

import json
from collections.abc import Mapping, Sequence


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
