"""Read the four pockets of the bag."""

from engine.games.crystal.ram import WorkRam, at, window
from engine.types import Bag

_MAX_COUNT = 99
_LIST_END = 0xFF
_MACHINE_ITEMS = tuple(item for item in range(191, 250) if item not in (195, 220))
"""Item ids of TM01-TM50 and HM01-HM07, in the pocket's order."""
_ITEMS, _MAX_ITEMS = at("wNumItems"), 20
_KEY_ITEMS, _MAX_KEY_ITEMS = at("wNumKeyItems"), 25
_BALLS, _MAX_BALLS = at("wNumBalls"), 12
_MACHINES = at("wTMsHMs")
_END = _BALLS + 1 + 2 * _MAX_BALLS

BAG_WINDOWS = (window("wTMsHMs", _END - _MACHINES),)
"""Work RAM that `BagReader` needs: the pockets follow each other."""


class BagReader:
    """Read the bag, making a new value only where its bytes changed."""

    def __init__(self, ram: WorkRam) -> None:
        self._ram = ram.data
        self._raw = bytearray()
        self._bag = Bag()

    def read(self) -> Bag:
        """Return the bag.

        A list is as long as its count says, or ends earlier at 0xFF.
        """
        raw = self._ram[_MACHINES:_END]
        if raw != self._raw:
            self._raw = raw
            machines = zip(_MACHINE_ITEMS, raw, strict=False)
            self._bag = Bag(
                items=self._pairs(_ITEMS, _MAX_ITEMS),
                balls=self._pairs(_BALLS, _MAX_BALLS),
                key_items=tuple(self._list(_KEY_ITEMS, _MAX_KEY_ITEMS, 1)),
                machines=tuple((item, min(n, _MAX_COUNT)) for item, n in machines if n),
            )
        return self._bag

    def _pairs(self, start: int, maximum: int) -> tuple[tuple[int, int], ...]:
        raw = self._list(start, maximum, 2)
        counts = (min(count, _MAX_COUNT) for count in raw[1::2])
        return tuple(zip(raw[::2], counts, strict=True))

    def _list(self, start: int, maximum: int, width: int) -> bytes:
        """Return a pocket's entries of `width` bytes without count and end."""
        count = min(self._ram[start], maximum)
        raw = bytes(self._ram[start + 1 : start + 1 + width * count])
        ids = raw[::width]
        end = ids.find(_LIST_END)
        return raw if end < 0 else raw[: width * end]
