"""Show frames in a window of the desktop, through the SDL2 that PyBoy brings along."""

import importlib
import warnings
from typing import Any

from engine.errors import EnvironmentError
from engine.types import Frame

_SCALE = 3


class Window:
    """A window for frames of `shape` (height, width, 3); closed by the user, it shows no more.

    Raises:
        EnvironmentError: None can be opened here.
    """

    def __init__(self, title: str, shape: tuple[int, int, int]) -> None:
        height, width, _ = shape
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
        """Show a frame."""
        if self._window is None:
            return
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
        "Keep headless=True.",
    )
