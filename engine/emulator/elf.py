"""Find where a loaded library keeps the addresses of the functions that it imports.

Source: the System V ABI, "Object Files", and its AMD64 supplement: 64-bit, little-endian.
"""

import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_PROGRAM = struct.Struct("<IIQQQQQQ")
_DYNAMIC = struct.Struct("<qQ")
_RELOCATION = struct.Struct("<QQq")
_SYMBOL = struct.Struct("<IBBHQQ")

_IDENTIFICATION = b"\x7fELF\x02\x01"  # 64-bit, little-endian
_X86_64 = 62
_LOAD, _DYNAMIC_SEGMENT = 1, 2
_PLT_RELOCATIONS_SIZE, _STRINGS, _SYMBOLS, _PLT_RELOCATIONS = 2, 5, 6, 23
_JUMP_SLOT = 7  # R_X86_64_JUMP_SLOT


class _Segment(NamedTuple):
    offset: int
    address: int
    size: int


class Library:
    """The file of a shared library for x86-64.

    Raises:
        ValueError: It is something else, or damaged.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        try:
            self._read()
        except (struct.error, KeyError) as error:
            raise ValueError(f"no library for x86-64: {error}") from None

    def _read(self) -> None:
        header = _HEADER.unpack_from(self._data)
        if header[0][:6] != _IDENTIFICATION or header[2] != _X86_64:
            raise ValueError("no library for x86-64")
        start, count = header[5], header[10]
        self._segments: list[_Segment] = []
        tags: dict[int, int] = {}
        for at in range(start, start + count * _PROGRAM.size, _PROGRAM.size):
            kind, _, offset, address, _, size, _, _ = _PROGRAM.unpack_from(self._data, at)
            if kind == _LOAD:
                self._segments.append(_Segment(offset, address, size))
            elif kind == _DYNAMIC_SEGMENT:
                tags = dict(_DYNAMIC.iter_unpack(self._data[offset : offset + size]))
        self.slots: Mapping[str, int] = dict(self._slots(tags))
        """Imported function to the address, from the library's start on, of its address."""

    def _slots(self, tags: Mapping[int, int]) -> Iterator[tuple[str, int]]:
        at, size = self._offset(tags[_PLT_RELOCATIONS]), tags[_PLT_RELOCATIONS_SIZE]
        for slot, info, _ in _RELOCATION.iter_unpack(self._data[at : at + size]):
            if info & 0xFFFF_FFFF == _JUMP_SLOT:
                symbol = self._offset(tags[_SYMBOLS]) + (info >> 32) * _SYMBOL.size
                name = self._offset(tags[_STRINGS]) + _SYMBOL.unpack_from(self._data, symbol)[0]
                yield self._data[name : self._data.index(b"\0", name)].decode(), slot

    def _offset(self, address: int) -> int:
        """Return where in the file an address is.

        Raises:
            ValueError: Nowhere.
        """
        for each in self._segments:
            if each.address <= address < each.address + each.size:
                return each.offset + address - each.address
        raise ValueError("no library for x86-64: an address is outside of it")
