"""Name a gamepad's controls, and follow which are down.

Codes are those of Linux's input-event-codes.h; what a gamepad reports is in the kernel's "Linux
Gamepad Specification". Buttons are named by where they are, not by what is printed on them.
"""

from collections.abc import Mapping
from types import MappingProxyType

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
