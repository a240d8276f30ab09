"""Find where a library keeps the addresses of functions that it imports; refuse a truncated one.

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


def import_slots(library: bytes) -> Mapping[str, int]:
    """Return by name, for each function that a library imports, where its address will be.

    That is counted from the library's start in memory. A library for another processor than x86-64
    has none that we know of.

    Raises:
        ValueError: It is no library, or truncated: loading it would kill the process.
    """
    if not library.startswith(_IDENTIFICATION):
        raise ValueError("it is no 64-bit library")
    try:
        header = _HEADER.unpack_from(library)
        start, count = header[5], header[10]
        programs = [
            _PROGRAM.unpack_from(library, start + index * _PROGRAM.size) for index in range(count)
        ]
        segments = [_Segment(each[2], each[3], each[5]) for each in programs if each[0] == _LOAD]
        if not segments or any(each.offset + each.size > len(library) for each in segments):
            raise ValueError("it is truncated")
        if header[2] != _X86_64:
            return {}
        tags: dict[int, int] = {}
        for kind, _, offset, _, _, size, *_ in programs:
            if kind == _DYNAMIC_SEGMENT:
                tags = dict(_DYNAMIC.iter_unpack(library[offset : offset + size]))
        return dict(_slots(library, segments, tags)) if _PLT_RELOCATIONS in tags else {}
    except (struct.error, KeyError, OverflowError, UnicodeDecodeError):
        raise ValueError("it is damaged") from None


def _slots(
    library: bytes, segments: list[_Segment], tags: Mapping[int, int]
) -> Iterator[tuple[str, int]]:
    at = _offset(segments, tags[_PLT_RELOCATIONS])
    for slot, info, _ in _RELOCATION.iter_unpack(library[at : at + tags[_PLT_RELOCATIONS_SIZE]]):
        if info & 0xFFFF_FFFF == _JUMP_SLOT:
            symbol = _offset(segments, tags[_SYMBOLS]) + (info >> 32) * _SYMBOL.size
            name = _offset(segments, tags[_STRINGS]) + _SYMBOL.unpack_from(library, symbol)[0]
            yield library[name : library.index(b"\0", name)].decode(), slot


def _offset(segments: list[_Segment], address: int) -> int:
    """Return where in the file an address is.

    Raises:
        ValueError: Nowhere.
    """
    for each in segments:
        if each.address <= address < each.address + each.size:
            return each.offset + address - each.address
    raise ValueError("it is damaged")
