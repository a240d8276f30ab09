"""Read from docstrings what parameters and fields are for."""

import inspect
import re
from typing import NamedTuple

_ENTRY = re.compile(r"(\w+)(?: \((.+?)\))?: (.+?)(?: Default: (.+?)\.?)?")


class Doc(NamedTuple):
    """An entry of a docstring: "name (PLACEHOLDER): Text. Default: text."."""

    placeholder: str | None
    text: str
    default: str | None


def summary_of(described: object) -> str:
    """Return a docstring without its Args."""
    return (inspect.getdoc(described) or "").partition("\n\nArgs:\n")[0]


def docs_of(described: object) -> dict[str, Doc]:
    """Return the entries below Args or Attributes by name."""
    text = inspect.getdoc(described) or ""
    section = re.search(r"^(?:Args|Attributes):\n((?: .*\n?|\n)*)", text, re.MULTILINE)
    entries = re.split(r"^ {4}(?=\w)", section[1] if section else "", flags=re.MULTILINE)[1:]
    found = filter(None, (_ENTRY.fullmatch(" ".join(entry.split())) for entry in entries))
    return {parts[1]: Doc(parts[2], parts[3], parts[4]) for parts in found}
