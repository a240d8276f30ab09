"""Show frames in a window of the desktop, by the SDL2 that PyBoy brings along; name its keys."""

import importlib
import time
import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from engine.errors import EnvironmentError
from engine.types import Action, ActionSet, Frame

_SCALE = 3
_KEY_CODES: Mapping[str, int] = MappingProxyType(
    {
        "backspace": 8, "enter": 13, "space": 32,
        "right": 0x4000_004F, "left": 0x4000_0050, "down": 0x4000_0051, "up": 0x4000_0052,
    }
)  # fmt: skip
"""Of keys that are no characters: SDL_keycode.h."""
_SHIFTS = (0x4000_00E1, 0x4000_00E5)
"""Left and right; a terminal does not report them."""


def key_codes(actions: ActionSet) -> dict[int, int]:
    """Return the action of each key, by SDL's code: the cockpit's keys, and shift for SELECT."""
    codes: dict[int, int] = {}
    for index, action in enumerate(actions):
        for key in action.keys:
            if (code := ord(key) if len(key) == 1 else _KEY_CODES.get(key)) is not None:
                codes[code] = index
        if action.button is Action.SELECT:
            codes |= dict.fromkeys(_SHIFTS, index)
    return codes


class Window:
    """A window for frames of `shape` (height, width, 3); closed by the user, it shows no more.

    Args:
        title: Of the window.
        shape: Of the frames.
        fps: Frames a second that `show` shows at most; 0: it never waits.

    Raises:
        EnvironmentError: None can be opened here.
    """

    def __init__(self, title: str, shape: tuple[int, int, int], fps: float = 0.0) -> None:
        height, width, _ = shape
        self._period_s = 1.0 / fps if fps else 0.0
        self._due_s = time.monotonic()
        self._window: Any = None
        self._renderer: Any = None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it names the library that it found
                self._sdl: Any = importlib.import_module("sdl2")
        except ImportError as error:
            raise _cannot(str(error)) from None
        sdl = self._sdl
        if sdl.SDL_InitSubSystem(sdl.SDL_INIT_VIDEO):
            raise self._failed()
        centre, size = sdl.SDL_WINDOWPOS_CENTERED, (width * _SCALE, height * _SCALE)
        self._window = sdl.SDL_CreateWindow(
            title.encode(), centre, centre, *size, sdl.SDL_WINDOW_RESIZABLE
        )
        if not self._window:
            raise self._failed()
        self._renderer = sdl.SDL_CreateRenderer(self._window, -1, 0)
        self._texture = sdl.SDL_CreateTexture(
            self._renderer,
            sdl.SDL_PIXELFORMAT_RGB24,
            sdl.SDL_TEXTUREACCESS_STREAMING,
            width,
            height,
        )
        if not self._renderer or not self._texture:
            raise self._failed()

    def show(self, frame: Frame) -> None:
        """Show a frame, when it is its time."""
        if self._window is None:
            return
        time.sleep(max(0.0, self._due_s - time.monotonic()))
        self._due_s = time.monotonic() + self._period_s
        sdl = self._sdl
        event = sdl.SDL_Event()
        while sdl.SDL_PollEvent(event):
            if event.type == sdl.SDL_QUIT:
                self.close()
                return
        row_bytes = frame.shape[1] * frame.shape[2]
        sdl.SDL_UpdateTexture(self._texture, None, frame.tobytes(), row_bytes)
        sdl.SDL_RenderCopy(self._renderer, self._texture, None, None)
        sdl.SDL_RenderPresent(self._renderer)

    def close(self) -> None:
        """Close it; may be called again."""
        if self._window is not None:
            if self._renderer:
                self._sdl.SDL_DestroyRenderer(self._renderer)
            self._sdl.SDL_DestroyWindow(self._window)
            self._sdl.SDL_QuitSubSystem(self._sdl.SDL_INIT_VIDEO)
            self._window = None

    def _failed(self) -> EnvironmentError:
        reason = self._sdl.SDL_GetError().decode(errors="replace")
        self.close()
        return _cannot(reason)


def _cannot(reason: str) -> EnvironmentError:
    return EnvironmentError(
        f"Cannot open a window: {reason.rstrip('.') or 'SDL gave no reason'}.",
        'Keep headless=True. For render_mode, use "rgb_array".',
    )
