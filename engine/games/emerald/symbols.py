"""Name the RAM addresses of Pokémon Emerald (US, revision 0).

facts/symbols.csv is the only address table: it says what each place holds, and the practice game's
build makes its linker script of it, so the two cannot drift apart. Work RAM has two parts: 256 KiB
from 0200_0000 and 32 KiB from 0300_0000. The save blocks move within their areas: always go through
gSaveBlock1Ptr and gSaveBlock2Ptr. Addresses of code and tables are those of an image: see
`engine.games.emerald.profile`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from engine.games.facts import read_rows

FACTS = Path(__file__).parent / "facts"
"""Names and numbers of the game, a CSV file a kind, from pret/pokeemerald."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named place in RAM.

    Attributes:
        name: The label in pret/pokeemerald.
        address: As the processor sees it.
        size: Length in bytes.
    """

    name: str
    address: int
    size: int


SYMBOLS: Mapping[str, Symbol] = MappingProxyType(
    {
        row["name"]: Symbol(row["name"], int(row["address"], 16), int(row["size"]))
        for row in read_rows(FACTS, "symbols")
    }
)
