"""Define what the engine needs of an emulator."""

from typing import Any, Never, Protocol

from engine.errors import ClosedError
from engine.types import Frame

ROM_BANK_SIZE = 0x4000
GAME_BOY_FRAMES_PER_S = 4_194_304 / 70_224
"""Clock cycles a second of the Game Boy, and a frame: 59.73."""
GAME_BOY_ADVANCE_FRAMES_PER_S = 16_777_216 / 280_896
"""Clock cycles a second of the Game Boy Advance, and a frame: 59.7275."""


class Emulator(Protocol):
    """A machine that runs one game without a window, sound or files.

    Attributes:
        rom: The image that it runs.
        frames_run: Frames emulated since it was made.
        is_drawn: `frame` shows the present: the last frame that ran was drawn, and no state was
            loaded since.
    """

    rom: bytes
    is_drawn: bool
    frames_run: int

    def tick(self, frames: int, render: bool = False) -> None:
        """Emulate `frames` frames; `render` draws the last of them."""
        ...

    def press(self, action: int) -> None:
        """Hold the button of an action from the next frame on; one that waits holds nothing."""
        ...

    def release(self, action: int) -> None:
        """Let go of the button of an action from the next frame on."""
        ...

    def read(self, bank: int, address: int, size: int) -> bytes:
        """Read RAM; the machine defines its banks (a Game Boy: of work RAM, else 0)."""
        ...

    def read_strided(self, bank: int, address: int, stride: int, count: int) -> bytes:
        """Read `count` single bytes that lie `stride` apart."""
        ...

    def write(self, bank: int, address: int, data: bytes) -> None:
        """Overwrite RAM."""
        ...

    def frame(self) -> Frame:
        """Copy the last rendered frame."""
        ...

    def save_state(self) -> bytes:
        """Return the whole machine; loading it replays exactly, whatever the wall clock says."""
        ...

    def load_state(self, state: bytes) -> None:
        """Put the whole machine back.

        Raises:
            EnvironmentError: `state` is not of this emulator and cartridge.
        """
        ...

    def close(self) -> None:
        """Free the emulator; all but closing it again then raises ClosedError.

        Nothing is written to disk.
        """
        ...


class _Closed:
    """Stands in for the parts of what was closed: whatever is asked of it is refused."""

    def close(self) -> None:
        """Do nothing: it may be called again."""

    def __getattr__(self, name: str) -> Never:
        raise ClosedError

    def __getitem__(self, key: object) -> Never:
        raise ClosedError

    def __setitem__(self, key: object, value: object) -> Never:
        raise ClosedError

    def __contains__(self, key: object) -> Never:
        raise ClosedError


CLOSED: Any = _Closed()


def rom_slice(rom: bytes, bank: int, address: int, size: int) -> bytes:
    """Return `size` bytes of ROM as the CPU sees them with `bank` switched in (4000-7FFF)."""
    start = address if address < ROM_BANK_SIZE else bank * ROM_BANK_SIZE + address - ROM_BANK_SIZE
    return rom[start : start + size]


# Keep pictures of what runs between two steps, which show only where they end.


class Camera:
    """Runs another emulator, for which it can stand, and keeps its pictures.

    Args:
        emulator: Does all that is asked of this one.
        every: Frames from one picture to the next.
    """

    def __init__(self, emulator: Emulator, every: int) -> None:
        self._emulator, self._every = emulator, every
        self._left = every
        self._frames: list[Frame] = []

    def tick(self, frames: int, render: bool = False) -> None:
        """Emulate `frames` frames, and draw those that are kept besides the last."""
        while frames > 0:
            count = min(frames, self._left)
            frames -= count
            self._left -= count
            self._emulator.tick(count, not self._left or (render and not frames))
            if not self._left:
                self._left = self._every
                self._frames.append(self._emulator.frame())

    def take(self) -> list[Frame]:
        """Return the pictures kept since the last call."""
        frames, self._frames = self._frames, []
        return frames

    def __getattr__(self, name: str) -> Any:
        return getattr(self._emulator, name)
