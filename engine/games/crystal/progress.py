"""Read how far the story is: the maps' scene numbers, and the engine flags."""

from operator import itemgetter

from engine.games.crystal.ram import BASE, WorkRam, window
from engine.games.crystal.symbols import FACTS, SYMBOLS
from engine.games.facts import read_rows

_FLAGS = {
    int(row["index"]): (int(row["address"], 16), int(row["bit"]))
    for row in read_rows(FACTS, "engine_flag_bits")
}
"""Address and bit of each engine flag that the story looks at: those of the day care, of calls and
of what is new each day are left out, and stay clear."""

_ADDRESSES = sorted({address for address, _ in _FLAGS.values()})
_PLACES = [(index, _ADDRESSES.index(address), bit) for index, (address, bit) in _FLAGS.items()]
_NUM_BYTES = max(_FLAGS) // 8 + 1
_GATHER = itemgetter(*(address - BASE for address in _ADDRESSES))
_FIRST_SCENE = SYMBOLS["wMapScenes"].address - BASE
_SCENES = slice(_FIRST_SCENE, _FIRST_SCENE + SYMBOLS["wMapScenes"].size)

_GEAR = SYMBOLS["wPokegearFlags"].address
PROGRESS_WINDOWS: tuple[tuple[int, int], ...] = (
    (_GEAR, _FIRST_SCENE + BASE - _GEAR),  # one read is cheaper than two
    window("wMapScenes"),
    *((address, 1) for address in _ADDRESSES),
)


class ProgressReader:
    """Read both from the work RAM; the flags are put together only when a byte of them changed."""

    def __init__(self, ram: WorkRam) -> None:
        self._ram = ram
        self._raw: tuple[int, ...] = ()
        self._scenes = b""
        self._engine_flags = b""

    def scenes(self) -> bytes:
        """Return the scene numbers, in the order of their addresses."""
        raw = self._ram.data[_SCENES]
        if raw != self._scenes:
            self._scenes = bytes(raw)
        return self._scenes

    def engine_flags(self) -> bytes:
        """Return the flags, bit n is flag n, least significant first."""
        raw = _GATHER(self._ram.data)
        if raw != self._raw:
            self._raw = raw
            bits = sum((raw[at] >> bit & 1) << index for index, at, bit in _PLACES)
            self._engine_flags = bits.to_bytes(_NUM_BYTES, "little")
        return self._engine_flags
