"""Make up for what a libretro core does otherwise: its clock, and Ctrl-C within its calls."""

import _signal  # type: ignore[import-not-found]
import ctypes
import mmap
import signal
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import Any, NamedTuple

from engine.emulator.base import GAME_BOY_ADVANCE_FRAMES_PER_S

# Find where a library keeps the addresses of the functions that it imports. Source: the System V
# ABI, "Object Files", and its AMD64 supplement: 64-bit, little-endian.

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

    Addresses are relative to the library's start in memory. Of a library for another processor than
    x86-64 none are known.

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


# Make a core's clock follow the emulated time alone, whatever the wall clock says.
#
# The core asks the C library for the time. A library calls what it imports through a table of
# addresses (the global offset table), which is the core's own, as its copy of the file is: two
# entries are replaced.

POWER_ON_S = 1_104_537_600
"""What the clock says at frame 0, in seconds since 1970: Saturday, 1 January 2005, 00:00."""

_Time = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.POINTER(ctypes.c_long))
LIBC = ctypes.CDLL(None)
_READ_WRITE = 1 | 2  # PROT_READ, PROT_WRITE


class _Place(ctypes.Structure):
    """Dl_info of dladdr(3)."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


class FrameClock:
    """Stands in for the wall clock of one loaded core; lasts as long as the core.

    Args:
        library: The core.
        slots: Where it keeps the addresses of what it imports (`import_slots`).
        frames: Returns how many frames ran since power-on.

    Attributes:
        is_fixed: The core asks this clock; False: it still asks the computer's.
    """

    def __init__(self, library: Any, slots: Mapping[str, int], frames: Callable[[], int]) -> None:
        self._time = _Time(lambda target: _tell(target, frames()))
        self.is_fixed = self._replace(library, slots)

    def _replace(self, library: Any, slots: Mapping[str, int]) -> bool:
        if not {"time", "localtime_r"} <= slots.keys():
            return False
        place = _Place()
        if not LIBC.dladdr(library.retro_run, ctypes.byref(place)):
            return False
        # With gmtime_r the game tells the same time in every time zone.
        for name, function in (("time", self._time), ("localtime_r", LIBC.gmtime_r)):
            address = ctypes.c_void_p.from_buffer(function).value  # a cast would keep it for good
            if not _overwrite(place.base + slots[name], address):
                return False
        return True


def _tell(target: Any, frames: int) -> int:
    now = POWER_ON_S + int(frames / GAME_BOY_ADVANCE_FRAMES_PER_S)
    if target:
        target[0] = now
    return now


def _overwrite(slot: int, value: int | None) -> bool:
    """Write an address into memory that may be read-only; return whether that worked."""
    page = slot & -mmap.PAGESIZE
    size = ctypes.sizeof(ctypes.c_void_p)  # aligned, so it lies within the page
    if LIBC.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(mmap.PAGESIZE), _READ_WRITE):
        return False
    ctypes.memmove(slot, ctypes.byref(ctypes.c_void_p(value)), size)
    return True


# Keep Ctrl-C from being lost where C code runs Python functions.
#
# Python handles signals in its main thread between any two instructions, so within a function that
# C code calls back, too; the KeyboardInterrupt that is raised there has nobody to go to, and ctypes
# prints and drops it.
#
# `_signal` is what `signal` wraps: the wrappers look for members of enumerations first, and take
# ten times as long, which would be a twentieth of a frame.

_SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")
    if hasattr(signal, name)
)
_Handler = Callable[[int, FrameType | None], object]
_Arrived = tuple[_Handler, int, FrameType | None]


class DelayedSignals:
    """A context in which signals wait until it is left.

    A class rather than a generator: that would take three times as long, 200 times a second in each
    game.
    """

    __slots__ = ("_is_over", "_replaced", "arrived")

    def __init__(self) -> None:
        self.arrived: list[_Arrived] = []
        self._replaced: dict[int, _Handler] = {}
        self._is_over = False

    def __enter__(self) -> list[_Arrived]:
        global _outermost
        if (outer := _outermost) is not None:
            return outer.arrived
        if threading.get_ident() != threading.main_thread().ident:
            return self.arrived
        try:
            _outermost = self
            for number in _SIGNALS:
                handler = _signal.getsignal(number)
                if callable(handler):
                    self._replaced[number] = handler
                    _signal.signal(number, self._note)
        except BaseException:  # of a handler that was not replaced yet
            self._leave()
            raise
        return self.arrived

    def __exit__(self, *exc_info: object) -> None:
        if _outermost is self:
            self._leave()

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._is_over:  # a handler that raised kept us from putting this one back
            self._replaced[number](number, frame)
        else:
            self.arrived.append((self._replaced[number], number, frame))

    def _leave(self) -> None:
        global _outermost
        _outermost = None  # first: a handler that raises from here on does not keep it set
        self._is_over = True
        for number, handler in self._replaced.items():
            _signal.signal(number, handler)
        for handler, number, frame in self.arrived:
            handler(number, frame)


_outermost: DelayedSignals | None = None
"""The block in which the main thread is."""


def delayed_signals() -> DelayedSignals:
    """Have signals handled when the block is left; what it is given holds those that arrived.

    The block can look there whether it should end early. A block within another changes nothing:
    signals are handled when the outer one is left. Other threads than the main one handle no
    signals, so nothing changes for them.
    """
    return DelayedSignals()
