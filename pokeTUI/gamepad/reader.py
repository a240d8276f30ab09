"""Read the gamepads while the event loop runs; they may be unplugged and plugged in again."""

import asyncio
import os
import struct
from collections.abc import Callable

from pokeTUI.gamepad.controls import Controls
from pokeTUI.gamepad.devices import InputDevices, axis_ranges

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
        """Look for gamepads now, and again and again, where the system has any such thing."""
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
        """Read those, too, that were plugged in since the last time."""
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
