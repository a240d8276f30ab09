"""Name the RAM addresses of Pokémon Crystal: facts/symbols.csv is the only address table.

It also says what each place holds, and the practice game's build makes its C header of it, so the
two cannot drift apart. D000-DFFF lies in switchable work RAM: its symbols carry bank 1, which every
read must name. HRAM (FF80-FFFE) and C000-CFFF have bank 0.
"""

from dataclasses import dataclass
from pathlib import Path

from engine.games.facts import read_rows

FACTS = Path(__file__).parent / "facts"
"""Names and numbers of the game, a CSV file a kind, from pret/pokecrystal."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named place in RAM.

    Attributes:
        name: The label in pret/pokecrystal.
        bank: Work-RAM bank, 0 or 1.
        address: CPU address.
        size: Length in bytes.
    """

    name: str
    bank: int
    address: int
    size: int


SYMBOLS = {
    row["name"]: Symbol(row["name"], int(row["bank"]), int(row["address"], 16), int(row["size"]))
    for row in read_rows(FACTS, "symbols")
}
