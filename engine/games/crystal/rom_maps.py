"""Find and read the maps in an image of Crystal, or of a hack of it: what their headers lead to.

MapGroupPointers lists the groups, those their maps' headers, those the blocks and events. It is
looked for where Crystal has it, then by its shape anywhere in the image. Nothing in an image is
believed: every address and every size is checked before it is followed.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from engine.games.crystal.memory import SYMBOLS
from engine.games.overworld import ImplausibleError
from engine.types import Facing

BANK = 0x4000
MAX_BLOCKS = SYMBOLS["wOverworldMapBlocks"].size

_GROUPS_AT = (0x25, 0x4000)
"""In both revisions (pret/pokecrystal symbols)."""
_HEADER, _ATTRIBUTES, _CONNECTION = 9, 12, 12
_MAX_TILESET, _ENVIRONMENTS = 40, range(1, 8)
_MAX_GROUPS = _MAX_NUMBER = 255
_SIDES = ((8, Facing.UP), (4, Facing.DOWN), (2, Facing.LEFT), (1, Facing.RIGHT))
_COUNTS = (("warps", 5), ("triggers", 8), ("signs", 5), ("objects", 13))


class Image:
    """A ROM whose reads stay inside a bank."""

    def __init__(self, rom: bytes) -> None:
        self.rom = rom
        self.banks = len(rom) // BANK

    def read(self, bank: int, address: int, size: int) -> bytes:
        """Return `size` bytes that the CPU sees at an address with a bank switched in."""
        end = BANK if address < BANK else 2 * BANK
        start = address if address < BANK else bank * BANK + address - BANK
        if bank >= self.banks or address + size > end or start + size > len(self.rom):
            raise ImplausibleError(f"{bank:02X}:{address:04X} is outside the image")
        return self.rom[start : start + size]


@dataclass(frozen=True, slots=True)
class RomMap:
    """What the header, the attributes and the events of one map say, sizes in blocks."""

    group: int
    number: int
    tileset: int
    environment: int
    landmark: int
    width: int
    height: int
    blocks: bytes
    connections: tuple[tuple[Facing, bytes], ...]
    events: Mapping[str, tuple[bytes, ...]]
    scripts_bank: int


def written(place: tuple[int, int]) -> str:
    """Return a place as people write it, "bank:address"."""
    return f"{place[0]:02X}:{place[1]:04X}"


def find_maps(image: Image) -> tuple[tuple[int, int], list[RomMap]]:
    """Return where MapGroupPointers is, and the maps."""
    try:
        return _GROUPS_AT, _read_maps(image, *_GROUPS_AT)
    except ImplausibleError as error:
        problem = str(error)
    found: list[tuple[tuple[int, int], list[RomMap]]] = []
    last = (0, 0)
    for place in _group_tables(image):
        headers = place[0], word(image.read(*place, 2))
        if found and headers == last:
            continue  # behind the pointers of first groups that are empty, the list begins again
        try:
            found.append((place, _read_maps(image, *place)))
            last = headers
        except ImplausibleError:
            continue
    if len(found) > 1:
        places = ", ".join(written(place) for place, _ in found[:4])
        raise ImplausibleError(f"several tables could be the map groups ({places})")
    if not found:
        raise ImplausibleError(f"no complete list of map groups ({problem})")
    return found[0]


def _group_tables(image: Image) -> Iterator[tuple[int, int]]:
    """Yield where a list of pointers, the first to its own end, could begin: MapGroupPointers."""
    addresses = BANK + np.arange(BANK - 1)
    for bank in range(1, image.banks):  # each by itself: of all at once the arrays take 40 MB
        data = np.frombuffer(image.rom[bank * BANK : (bank + 1) * BANK], np.uint8).astype(np.int32)
        words = data[:-1] | data[1:] << 8
        sizes = words - addresses
        is_first = (sizes >= 2) & (sizes <= 2 * _MAX_GROUPS) & (sizes % 2 == 0)
        starts = np.flatnonzero(is_first & (words < 2 * BANK - _HEADER))
        headers = words[starts] - BANK
        is_header = (data[headers + 1] >= 1) & (data[headers + 1] <= _MAX_TILESET)
        is_header &= np.isin(data[headers + 2], list(_ENVIRONMENTS))
        for start in starts[is_header].tolist():
            yield bank, BANK + start


def _read_maps(image: Image, bank: int, address: int) -> list[RomMap]:
    """Return all maps of the groups listed at an address."""
    first = word(image.read(bank, address, 2))
    count = (first - address) // 2
    if not 1 <= count <= _MAX_GROUPS or first != address + 2 * count:
        raise ImplausibleError(f"no map groups are listed at {bank:02X}:{address:04X}")
    data = image.read(bank, address, 2 * count)
    starts = [word(data, 2 * i) for i in range(count)]
    sizes = [after - start for start, after in itertools.pairwise(starts)]
    if any(size < 0 or size % _HEADER or size > _HEADER * _MAX_NUMBER for size in sizes):
        raise ImplausibleError(f"the map groups at {bank:02X}:{address:04X} are out of order")
    maps = [
        _read_map(image, bank, start + _HEADER * i, group, i + 1)
        for group, (start, size) in enumerate(zip(starts, sizes, strict=False), 1)
        for i in range(size // _HEADER)
    ]
    # Nothing says where the last group ends but that no header follows.
    for number in range(1, _MAX_NUMBER + 1):
        try:
            last = _read_map(image, bank, starts[-1] + _HEADER * (number - 1), count, number)
        except ImplausibleError:
            if number == 1:
                raise
            break
        maps.append(last)
    return maps


def _read_map(image: Image, bank: int, address: int, group: int, number: int) -> RomMap:
    header = image.read(bank, address, _HEADER)
    pointer = word(header, 3)
    name = f"map {group}.{number}"
    if not 1 <= header[1] <= _MAX_TILESET or header[2] not in _ENVIRONMENTS:
        raise ImplausibleError(f"{name} has no header")
    if not BANK <= pointer < 2 * BANK:
        raise ImplausibleError(f"{name} has no attributes")
    data = image.read(header[0], pointer, _ATTRIBUTES)
    height, width, sides = data[1], data[2], data[11]
    if not height or not width or (height + 6) * (width + 6) > MAX_BLOCKS or sides > 0xF:
        raise ImplausibleError(f"{name} has an invalid size")
    connections, at = [], pointer + _ATTRIBUTES
    for bit, facing in _SIDES:
        if sides & bit:
            connections.append((facing, image.read(header[0], at, _CONNECTION)))
            at += _CONNECTION
    return RomMap(
        group,
        number,
        header[1],
        header[2],
        header[5],
        width,
        height,
        image.read(data[3], word(data, 4), width * height),
        tuple(connections),
        _read_events(image, data[6], word(data, 9), name),
        data[6],
    )


def _read_events(image: Image, bank: int, address: int, name: str) -> dict[str, tuple[bytes, ...]]:
    """Return the rows of a map's four tables: warps, triggers, signs and objects."""
    if any(image.read(bank, address, 2)):
        raise ImplausibleError(f"{name} has no events")
    at, events = address + 2, {}
    for kind, size in _COUNTS:
        count = image.read(bank, at, 1)[0]
        rows = image.read(bank, at + 1, count * size)
        events[kind] = tuple(rows[i : i + size] for i in range(0, len(rows), size))
        at += 1 + count * size
    return events


def word(data: bytes, at: int = 0) -> int:
    """Return the word at an offset, little end first."""
    return data[at] | data[at + 1] << 8
