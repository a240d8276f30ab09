"""Take creatures apart that lie in RAM as Pokémon Emerald keeps them."""

import struct
from dataclasses import dataclass
from itertools import permutations

from tests.roms.advance.machine import Machine

SIZE = 100
_SECURE = slice(32, 80)
_ORDERS = tuple("".join(order) for order in permutations("GAEM"))
"""Of the four blocks, by personality modulo 24: growth, attacks, effort values, miscellaneous."""


@dataclass(frozen=True, slots=True)
class Creature:
    """One creature.

    Attributes:
        is_sound: The checksum is that of the decrypted blocks.
        order: Which block comes first to last.
    """

    is_sound: bool
    order: str
    species: int
    experience: int
    moves: tuple[int, ...]
    points: tuple[int, ...]
    ivs: tuple[int, ...]
    status: int
    level: int
    hp: int
    stats: tuple[int, ...]

    @classmethod
    def parse(cls, raw: bytes) -> "Creature":
        """Decrypt the 100 bytes of a creature."""
        personality, trainer = struct.unpack_from("<II", raw)
        words = struct.unpack("<12I", raw[_SECURE])
        plain = struct.pack("<12I", *(word ^ personality ^ trainer for word in words))
        order = _ORDERS[personality % 24]
        blocks = {name: plain[12 * i : 12 * i + 12] for i, name in enumerate(order)}
        (checksum,) = struct.unpack_from("<H", raw, 28)
        species, _, experience = struct.unpack_from("<HHI", blocks["G"])
        (ivs,) = struct.unpack_from("<I", blocks["M"], 4)
        status, level, hp, *stats = struct.unpack_from("<IBxHHHHHHH", raw, 80)
        return cls(
            sum(struct.unpack("<24H", plain)) & 0xFFFF == checksum,
            order,
            species,
            experience,
            struct.unpack_from("<4H", blocks["A"]),
            tuple(blocks["A"][8:12]),
            tuple(ivs >> 5 * i & 31 for i in range(6)),
            status,
            level,
            hp,
            tuple(stats),
        )


def party(game: Machine, owner: str = "gPlayerParty") -> list[Creature]:
    """Return the creatures of the player's or the enemy's party, up to the first free place."""
    raw = game.read(owner)
    found = (raw[at : at + SIZE] for at in range(0, len(raw), SIZE))
    listed = list(found)
    if owner == "gPlayerParty":
        listed = listed[: game.get("gPlayerPartyCount")]
    return [Creature.parse(one) for one in listed if one[19] & 2]
