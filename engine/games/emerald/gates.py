"""Read the turning gates of a map, and how they stand now.

Their places, shapes and first orientations are tables of the image; the orientations, one byte
each, lie in the variables that are forgotten when a map is left.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from engine.games.emerald.memory import Memory, Profile, SaveBlocks
from engine.types import MapId, TurningGate

_TABLES: Mapping[tuple[int, int], str] = MappingProxyType(
    {
        (12, 1): "sRotatingGate_FortreePuzzleConfig",
        (29, 8): "sRotatingGate_TrickHousePuzzleConfig",
    }
)
"""Group and number of the two maps with turning gates: the Fortree gym and the Trick House."""
_GATE = struct.Struct("<hhBB2x")
"""X, y, shape, orientation in quarter turns, clockwise."""
_SHAPES, _SIDES = "sRotatingGate_ArmLayout", struct.Struct("<8B")
"""Of each shape, for its arms up, right, down and left: whether there is a first and a second
tile's length of it."""
_TURNED, _MOST = 0x139C, 12
"""Of SaveBlock1: the variable 0x4000."""
_SAVED = struct.Struct("<hh4B?")


class GateReader:
    """Read turning gates, making new ones only where they changed.

    Args:
        memory: Of the machine.
        profile: Of the image that it runs; where it names no tables, there are no gates.
    """

    def __init__(self, memory: Memory, profile: Profile) -> None:
        self._memory, self._profile = memory, profile
        self._last: tuple[str, bytes, tuple[TurningGate, ...]] = "", b"", ()

    def read(self, blocks: SaveBlocks, map_id: MapId) -> tuple[TurningGate, ...]:
        """Return the gates of a map as they stand now."""
        table = _TABLES.get((map_id.group, map_id.number), "")
        if not table:
            return ()
        start = blocks.first + _TURNED
        turned = bytes(self._memory.ewram[start : start + _MOST])
        if self._last[:2] != (table, turned):
            self._last = table, turned, tuple(self._make(table, turned))
        return self._last[2]

    def _make(self, table: str, turned: bytes) -> Iterator[TurningGate]:
        shapes = list(self._rows(_SHAPES, _SIDES))
        gates = self._rows(table, _GATE)
        for (x, y, shape, first), now in zip(gates, turned, strict=False):
            if shape < len(shapes):
                parts = [int(is_there > 0) for is_there in shapes[shape]]
                arms = [parts[2 * side] + parts[2 * side + 1] for side in range(4)]
                up, right, down, left = (arms[(side - now) % 4] for side in range(4))
                yield TurningGate(x, y, (up, right, down, left), now % 4 != first)

    def _rows(self, name: str, row: struct.Struct) -> Iterator[tuple[int, ...]]:
        size = self._profile.sizes.get(name, 0) // row.size * row.size
        return row.iter_unpack(self._memory.read(self._profile.rom.get(name, 0), size))


def pack_gates(gates: Iterable[TurningGate]) -> str:
    """Return gates as text."""
    return b"".join(_SAVED.pack(one.x, one.y, *one.arms, one.is_turned) for one in gates).hex()


def unpack_gates(saved: str) -> tuple[TurningGate, ...]:
    """Return the gates of a text that `pack_gates` returned."""
    rows = _SAVED.iter_unpack(bytes.fromhex(saved))
    return tuple(TurningGate(x, y, tuple(arms), is_turned) for x, y, *arms, is_turned in rows)
