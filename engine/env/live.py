"""Keep a person's inputs to the frame while a game runs at its own pace, and play them again."""

import base64
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from engine.emulator.base import Emulator
from engine.errors import EnvironmentError
from engine.ground.files import inflate

NUM_BUTTONS = 16
"""Buttons of a higher index cannot be held."""
_ENTRY = struct.Struct("<IB")
"""An input: 24 bits of its frame (77 hours) below 8 for buttons 8 to 15, then a byte for 0 to 7."""
_FRAME_BITS = 24
INPUT_SIZE = _ENTRY.size
MAX_LIVE_INPUTS = 1 << 19
"""Of an episode; a press every frame takes two hours and a half to reach them."""


def mask_of(buttons: frozenset[int]) -> int:
    """Return buttons as a bit mask: bit n for the button with index n."""
    return sum(1 << button for button in buttons if button < NUM_BUTTONS)


@lru_cache(256)  # a hundred thousand inputs share their sets
def buttons_of(mask: int) -> frozenset[int]:
    """Return the buttons of what `mask_of` returned."""
    return frozenset(button for button in range(NUM_BUTTONS) if mask >> button & 1)


@dataclass(frozen=True, slots=True)
class LiveInput:
    """The buttons that are down from a frame on, and no others.

    Attributes:
        frame: Of the stretch, from 0.
    """

    frame: int
    buttons: frozenset[int]

    def pack(self) -> bytes:
        """Return it as `INPUT_SIZE` bytes."""
        high, low = divmod(mask_of(self.buttons), 256)
        return _ENTRY.pack(self.frame + (high << _FRAME_BITS), low)


def unpack_inputs(packed: bytes) -> tuple[LiveInput, ...]:
    """Read what `LiveInput.pack` returned of each input.

    Raises:
        struct.error: It is none.
    """
    return tuple(
        LiveInput(frame % (1 << _FRAME_BITS), buttons_of((frame >> _FRAME_BITS << 8) + low))
        for frame, low in _ENTRY.iter_unpack(packed)
    )


@dataclass(frozen=True, slots=True)
class LiveStretch:
    """Frames that a person played in real time, between two actions of an episode.

    Attributes:
        after: How many actions the episode had before it.
        frames: Its length.
        inputs: What was held, from frame 0 on, in order; each one differs from the one before.
    """

    after: int
    frames: int = 0
    inputs: tuple[LiveInput, ...] = ()

    def then(self, buttons: frozenset[int], frames: int) -> "LiveStretch":
        """Return the stretch with `frames` more, during which `buttons` were down."""
        inputs = self.inputs
        if not inputs or inputs[-1].buttons != buttons:
            inputs = (*inputs, LiveInput(self.frames, buttons))
        return replace(self, frames=self.frames + frames, inputs=inputs)

    def cut(self, frames: int) -> "LiveStretch":
        """Return its first `frames` frames."""
        inputs = tuple(each for each in self.inputs if each.frame < frames)
        return replace(self, frames=min(frames, self.frames), inputs=inputs)

    def without(self, frames: int) -> "LiveStretch":
        """Return it without its first `frames` frames."""
        rest = LiveStretch(self.after)
        for buttons, count in self.spans():
            if left := max(0, count - frames):
                rest = rest.then(buttons, left)
            frames = max(0, frames - count)
        return rest

    def spans(self) -> Iterator[tuple[frozenset[int], int]]:
        """Yield what was held and for how many frames."""
        ends = [*(each.frame for each in self.inputs), self.frames][1:]
        for each, end in zip(self.inputs, ends, strict=True):
            yield each.buttons, end - each.frame

    def pack(self) -> list[Any]:
        """Return it JSON-able; an input takes about three bytes."""
        raw = b"".join(each.pack() for each in self.inputs)
        data = base64.b64encode(zlib.compress(raw, 9)).decode()
        return [self.after, self.frames, data]

    @classmethod
    def unpack(cls, packed: Sequence[Any]) -> "LiveStretch":
        """Read what `pack` returned.

        Raises:
            ValueError, TypeError: It is none.
        """
        after, frames, data = packed
        raw = inflate(base64.b64decode(data, validate=True), MAX_LIVE_INPUTS * INPUT_SIZE)
        if len(raw) % INPUT_SIZE:
            raise ValueError("invalid live inputs")
        inputs = unpack_inputs(raw)
        starts = [each.frame for each in inputs]
        if (
            starts[:1] not in ([], [0])
            or sorted({*starts}) != starts
            or starts[-1:] > [int(frames)]
        ):
            raise ValueError("live inputs out of order")
        return cls(int(after), int(frames), inputs)


class LivePad:
    """The buttons of a running game as a person holds them.

    Attributes:
        held: The buttons that are down.
    """

    def __init__(self, emulator: Emulator, idle: int) -> None:
        self._emulator = emulator
        self._idle = idle
        self.begin()

    def begin(self, held: frozenset[int] = frozenset()) -> None:
        """Begin anew: the emulator was put into a state in which `held` is down."""
        self.held = held
        self._pressed = self._idle

    def take_pressed(self) -> int:
        """Return the button that went down last since this was last asked, else the idle action."""
        pressed, self._pressed = self._pressed, self._idle
        return pressed

    def hold(self, buttons: frozenset[int]) -> None:
        """Hold exactly these buttons from the next frame on.

        Raises:
            EnvironmentError: One of them cannot be held.
        """
        if buttons == self.held:
            return
        if any(button >= NUM_BUTTONS for button in buttons):
            raise EnvironmentError(
                f"Only the first {NUM_BUTTONS} buttons of a game can be held.",
                "Play it step by step.",
            )
        for button in range(NUM_BUTTONS):
            if button in self.held and button not in buttons:
                self._emulator.release(button)
            elif button in buttons and button not in self.held:
                self._emulator.press(button)
                self._pressed = button
        self.held = buttons
