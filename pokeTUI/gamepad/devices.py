"""Find the gamepads of this machine.

What a device is, the kernel tells everybody in /sys/class/input. So no keyboard is ever opened to
find out, and a gamepad that may not be read is known too.
"""

import fcntl
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pokeTUI.gamepad.controls import AXES, BTN_GAMEPAD, BTN_JOYSTICK

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
