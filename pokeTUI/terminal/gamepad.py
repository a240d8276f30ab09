"""Find the gamepads of this machine, and read what is pressed on them."""

import asyncio
import fcntl
import os
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

# Name a gamepad's controls, and follow which are down.
#
# Codes are those of Linux's input-event-codes.h; what a gamepad reports is in the kernel's "Linux
# Gamepad Specification". Buttons are named by where they are, not by what is printed on them.

_EV_SYN, _EV_KEY, _EV_ABS = 0, 1, 3
_SYN_DROPPED = 3
AXES = (0x00, 0x01, 0x10, 0x11)
"""Left stick and direction pad, left and right before up and down; some pads have only one."""
BTN_GAMEPAD, BTN_JOYSTICK = 0x130, 0x120

_BUTTONS: Mapping[int, str] = MappingProxyType(
    {
        0x130: "south",
        0x131: "east",
        0x133: "north",
        0x134: "west",
        0x136: "l",
        0x137: "r",
        0x138: "zl",
        0x139: "zr",
        0x13A: "select",
        0x13B: "start",
        0x13C: "home",
        0x13D: "stick_l",
        0x13E: "stick_r",
        0x220: "up",
        0x221: "down",
        0x222: "left",
        0x223: "right",
    }
    | {BTN_JOYSTICK + number: f"joy{number + 1}" for number in range(12)}
)
_WAYS = {axis: ("up", "down") if axis % 2 else ("left", "right") for axis in AXES}
CONTROLS = tuple(dict.fromkeys(_BUTTONS.values()))
"""Those of `joy1` on are numbered: what older pads report, whose places differ."""

USUAL: Mapping[str, str] = MappingProxyType(
    {
        "up": "button_up",
        "down": "button_down",
        "left": "button_left",
        "right": "button_right",
        "east": "button_a",
        "south": "button_b",
        "start": "button_start",
        "select": "button_select",
        "l": "hold_rewind",
        "r": "save_slot_1",
        "joy2": "button_a",
        "joy3": "button_b",
        "joy5": "hold_rewind",
        "joy6": "save_slot_1",
        "joy9": "button_select",
        "joy10": "button_start",
    }
)
"""Action of the key table by control. A is on the right and B below it, as Nintendo has them."""

_PRESSED, _LET_GO = 0.5, 0.35
"""Of the way from the middle of an axis to its end: where a direction begins and where it ends."""


class Controls:
    """The controls of one gamepad that are down.

    Args:
        ranges: By axis: its least and its greatest value.
    """

    def __init__(self, ranges: Mapping[int, tuple[int, int]]) -> None:
        self._ranges = ranges
        # Of what is down, by code and side: a stick and a direction pad may both say "left".
        self._sources: dict[tuple[int, int], str] = {}

    @property
    def down(self) -> frozenset[str]:
        """Return those that are down."""
        return frozenset(self._sources.values())

    def take(self, kind: int, code: int, value: int) -> None:
        """Take in one event of the device."""
        if kind == _EV_KEY and code in _BUTTONS:
            self._set((code, 0), _BUTTONS[code], is_down=value != 0)
        elif kind == _EV_ABS and code in self._ranges:
            self._move(code, value)
        elif kind == _EV_SYN and code == _SYN_DROPPED:
            self._sources.clear()  # some were lost, among them perhaps the ends of presses

    def _move(self, axis: int, value: int) -> None:
        low, high = self._ranges[axis]
        place = (2 * value - low - high) / max(1, high - low)
        for sign, control in zip((-1, 1), _WAYS[axis], strict=True):
            source = axis, sign
            least = _LET_GO if source in self._sources else _PRESSED
            self._set(source, control, is_down=sign * place > least)

    def _set(self, source: tuple[int, int], control: str, *, is_down: bool) -> None:
        if is_down:
            self._sources[source] = control
        else:
            self._sources.pop(source, None)


# Find the gamepads of this machine.
#
# What a device is, the kernel tells everybody in /sys/class/input. So no keyboard is ever opened to
# find out, and a gamepad that may not be read is known too.

NO_PERMISSION = "sudo usermod -aG input $USER, then log in again"
_LONG_BITS = 8 * struct.calcsize("l")
_ABSINFO = struct.Struct("6i")
"""struct input_absinfo: value, least, greatest, fuzz, flat, resolution."""
_READ, _SIZE_SHIFT, _TYPE_SHIFT = 2 << 30, 16, 8
_EVIOCGABS = _READ | _ABSINFO.size << _SIZE_SHIFT | ord("E") << _TYPE_SHIFT | 0x40
"""Plus the axis."""
_HAT_RANGE, _STICK_RANGE = (-1, 1), (-32768, 32767)


@dataclass(frozen=True, slots=True)
class InputDevices:
    """The input devices of this machine.

    Attributes:
        folder: Where they can be read.
        facts: What they are.
    """

    folder: Path = Path("/dev/input")
    facts: Path = Path("/sys/class/input")

    @property
    def names(self) -> frozenset[str]:
        """Return the names of all input devices; none where the system has no such folder."""
        try:
            return frozenset(path.name for path in self.facts.glob("event*"))
        except OSError:
            return frozenset()

    def gamepads(self) -> Iterator[tuple[Path, str]]:
        """Yield (device, what it calls itself) of each gamepad."""
        for name in sorted(self.names):
            if title := self.title(name):
                yield self.folder / name, title

    def title(self, name: str) -> str:
        """Return what a gamepad calls itself, "" for another device."""
        about = self.facts / name / "device"
        try:
            keys = _bits((about / "capabilities/key").read_text())
            axes = _bits((about / "capabilities/abs").read_text())
            title = (about / "name").read_text(errors="replace").strip()
        except (OSError, ValueError):  # it has just been taken away
            return ""
        is_joystick = keys >> BTN_JOYSTICK & 1 and axes & 3
        if not (keys >> BTN_GAMEPAD & 1 or is_joystick):
            return ""
        return "".join(filter(str.isprintable, title)) or name

    def open(self, name: str) -> int:
        """Open a device to read what comes, without waiting for it; return its descriptor.

        Raises:
            OSError: It may not be read, or is gone.
        """
        return os.open(self.folder / name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)


def axis_ranges(descriptor: int) -> dict[int, tuple[int, int]]:
    """Return the least and the greatest value of each axis of an open device."""
    found = {}
    for axis in AXES:
        usual = _HAT_RANGE if axis >= 0x10 else _STICK_RANGE
        try:
            packed = fcntl.ioctl(descriptor, _EVIOCGABS + axis, bytes(_ABSINFO.size))
        except OSError:
            found[axis] = usual
            continue
        _, low, high, *_ = _ABSINFO.unpack(packed)
        found[axis] = (low, high) if low < high else usual
    return found


def _bits(text: str) -> int:
    """Return a bit map as sysfs writes it: words of a C long, the highest first."""
    found = 0
    for word in text.split():
        found = found << _LONG_BITS | int(word, 16)
    return found


# Read the gamepads while the event loop runs; they may be unplugged and plugged in again.

SCAN_INTERVAL_S = 2.0
_EVENT = struct.Struct("@llHHi")
"""struct input_event: seconds, microseconds, type, code, value."""
_EVENTS_AT_ONCE = 64


class Gamepads:
    """The gamepads of this machine.

    Args:
        changed: Told of each control that goes down (True) or up, by name.
        devices: Among which they are looked for.

    Attributes:
        refused: A gamepad that may not be read, "" if there is none.
    """

    def __init__(
        self, changed: Callable[[str, bool], None], devices: InputDevices | None = None
    ) -> None:
        self._changed = changed
        self._devices = devices or InputDevices()
        self._open: dict[str, tuple[int, Controls]] = {}
        self._known: frozenset[str] = frozenset()
        self._doubted = ""
        self._timer: asyncio.TimerHandle | None = None
        self.refused = ""

    def start(self) -> None:
        """Look for gamepads now and every two seconds, where the system knows input devices."""
        if self._devices.facts.is_dir():
            self._timer = asyncio.get_running_loop().call_later(SCAN_INTERVAL_S, self.start)
            self.scan()

    def close(self) -> None:
        """Read no more."""
        if self._timer is not None:
            self._timer.cancel()
        for name in [*self._open]:
            self._drop(name)

    def scan(self) -> None:
        """Begin to read those that were plugged in since the last time."""
        names, refused = self._devices.names, ""
        for name in sorted(names - self._known):
            title = self._devices.title(name)
            if title and not self._read_from(name):
                names -= {name}
                refused = title
        # The system allows it a moment after the device is there, so once is not enough.
        self.refused = refused if refused == self._doubted else ""
        self._known, self._doubted = names, refused

    def _read_from(self, name: str) -> bool:
        """Begin to read a gamepad; return whether that is allowed."""
        try:
            descriptor = self._devices.open(name)
        except OSError as error:
            return not isinstance(error, PermissionError)
        self._open[name] = descriptor, Controls(axis_ranges(descriptor))
        asyncio.get_running_loop().add_reader(descriptor, self._read, name)
        return True

    def _read(self, name: str) -> None:
        descriptor, controls = self._open[name]
        try:
            data = os.read(descriptor, _EVENT.size * _EVENTS_AT_ONCE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:  # it was unplugged
            self._drop(name)
            return
        for _, _, kind, code, value in _EVENT.iter_unpack(data):
            before = self._down()
            controls.take(kind, code, value)
            self._tell(before)

    def _drop(self, name: str) -> None:
        before = self._down()
        descriptor, _ = self._open.pop(name)
        asyncio.get_running_loop().remove_reader(descriptor)
        os.close(descriptor)
        self._known -= {name}
        self._tell(before)

    def _down(self) -> frozenset[str]:
        """Return what is down on any of them: Steam shows a gamepad a second time, as its own."""
        return frozenset().union(*(controls.down for _, controls in self._open.values()))

    def _tell(self, before: frozenset[str]) -> None:
        after = self._down()
        for control in sorted(before ^ after):
            self._changed(control, control in after)
