"""Turn text into the bytes of Emerald's character set, for C sources and generated data."""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path

EMERALD = Path(__file__).resolve().parents[2] / "engine" / "games" / "emerald" / "facts"

END = 0xFF
"""The byte that ends every text."""

PLACEHOLDERS: Mapping[str, bytes] = {
    "{PLAYER}": b"\xfd\x01",
    "{BUFFER}": b"\xfd\x02",
    "{RIVAL}": b"\xfd\x06",
}
"""What msg_add() replaces: the player's name, gStringVar1, the rival's name."""

ALIASES: Mapping[str, str] = {"’": "'", "$": "¥"}
"""What sources write -> the same in the character table."""

CONTROLS: Mapping[str, int] = {"\f": 0xFB, "\n": 0xFE}


@cache
def codes() -> Mapping[str, int]:
    """Return character -> code, from engine/games/emerald/facts/charmap.csv."""
    with (EMERALD / "charmap.csv").open(encoding="utf-8", newline="") as file:
        table = {row["text"]: int(row["code"], 16) for row in csv.DictReader(file)}
    table[" "] = 0
    table.update((sign, table[same]) for sign, same in ALIASES.items())
    table.update(CONTROLS)
    return table


def encode(text: str) -> bytes:
    """Return the codes of `text` with the end mark.

    Raises:
        ValueError: A character has no code.
    """
    table, found, at = codes(), bytearray(), 0
    while at < len(text):
        name = next((name for name in PLACEHOLDERS if text.startswith(name, at)), text[at])
        if name in PLACEHOLDERS:
            found += PLACEHOLDERS[name]
        elif name in table:
            found.append(table[name])
        else:
            raise ValueError(f"no code for {name!r} in {text!r}")
        at += len(name)
    return bytes(found) + bytes((END,))
