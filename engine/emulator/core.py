"""Find a libretro core for the Game Boy Advance, load separate copies of it, and answer them."""

import ctypes
import hashlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import numpy as np

from engine.emulator import libretro_abi as abi
from engine.emulator.core_hooks import LIBC, FrameClock, delayed_signals, import_slots
from engine.errors import EnvironmentError
from engine.ground.folders import CORE_VARIABLE
from engine.ground.processes import worker_command, worker_environment
from engine.ground.scratch import scratch_folder
from engine.types import GAME_BOY_ADVANCE_FRAME_SHAPE, Frame

# Answer what a libretro core asks of whoever runs it: options, buttons, picture and memory.

_HEIGHT, _WIDTH, _ = GAME_BOY_ADVANCE_FRAME_SHAPE
_MAX_WIDTH = 256
"""Pixels from one line of the core's picture to the next."""

_PIXEL = np.dtype([("red_green", "<u2"), ("blue", "u1")])
"""Three bytes, of which the first two are written at once."""

_OPTIONS = {
    b"mgba_skip_bios": b"ON",
    b"mgba_use_bios": b"OFF",  # or it would look for an image of it
    b"mgba_idle_optimization": b"Remove Known",
}


class Frontend:
    """What one core calls while it runs; lasts as long as the core.

    Args:
        frameskip: How many frames the core leaves undrawn after one that it draws.

    Attributes:
        frames: How many ran since power-on.
        held: Bit n: the button with that number is down.
        is_drawing: The picture of the frame that runs is wanted.
        memory: Highest byte of a machine's address -> where the core keeps that memory in this
            process, and its size in bytes.
    """

    def __init__(self, frameskip: int) -> None:
        self.frames = 0
        self.held = 0
        self.is_drawing = False
        self.memory: dict[int, tuple[int, int]] = {}
        self._options = {**_OPTIONS, b"mgba_frameskip": b"%d" % frameskip}
        self._pixels = np.zeros((_HEIGHT, _MAX_WIDTH), np.uint16)
        self._pixels_at: int = self._pixels.ctypes.data

    def connect(self, library: Any) -> object:
        """Have a core call this, before it is initialised; return what must live as long as it.

        It is not kept here, as it refers to this: only the cyclic collector would free both.
        """
        callbacks = {
            "retro_set_environment": abi.EnvironmentCallback(self._environment),
            "retro_set_video_refresh": abi.VideoCallback(self._video),
            "retro_set_audio_sample": abi.AudioCallback(lambda _left, _right: None),
            "retro_set_audio_sample_batch": abi.AudioBatchCallback(lambda _samples, count: count),
            "retro_set_input_poll": abi.InputPollCallback(lambda: None),
            "retro_set_input_state": abi.InputStateCallback(self._input),
        }
        for name, callback in callbacks.items():
            getattr(library, name)(callback)
        return callbacks

    def picture(self) -> Frame:
        """Copy the last picture that was wanted: (160, 240, 3) uint8."""
        pixels = self._pixels
        frame = np.empty((_HEIGHT, _WIDTH), _PIXEL)
        # 16 bits: red 5, green 6, blue 5. The machine has 5 bits of green, so the sixth is empty.
        # Whole rows and two bytes at a time, which takes two thirds of the time.
        red_green, part = pixels >> 8, pixels >> 13
        red_green &= 0xF8
        red_green |= part
        np.left_shift(pixels, 5, out=part)
        part &= 0xF800
        red_green |= part
        np.bitwise_and(pixels, 0x0700, out=part)
        red_green |= part
        frame["red_green"] = red_green[:, :_WIDTH]
        blue = pixels.astype(np.uint8)
        blue <<= 3
        blue |= blue >> 5
        frame["blue"] = blue[:, :_WIDTH]
        return frame.view(np.uint8).reshape(GAME_BOY_ADVANCE_FRAME_SHAPE)

    def _environment(self, command: int, data: int) -> bool:
        command &= ~abi.EXPERIMENTAL
        if command == abi.GET_VARIABLE:
            variable = abi.Variable.from_address(data)
            variable.value = self._options.get(variable.key)
            return variable.value is not None
        if command == abi.SET_PIXEL_FORMAT:
            return bool(ctypes.c_int.from_address(data).value == abi.RGB565)
        if command == abi.SET_MEMORY_MAPS:
            memory = abi.MemoryMap.from_address(data)
            for each in memory.descriptors[: memory.num_descriptors]:
                if each.ptr:
                    self.memory[each.start >> 24] = (each.ptr + each.offset, each.len)
            return True
        return False

    def _video(self, data: int | None, _width: int, height: int, pitch: int) -> None:
        if self.is_drawing and data:
            ctypes.memmove(self._pixels_at, data, min(height * pitch, self._pixels.nbytes))

    def _input(self, port: int, device: int, _index: int, button: int) -> int:
        return self.held >> button & 1 if port == 0 and device == abi.JOYPAD else 0


# Find a libretro core for the Game Boy Advance, and load copies of it that share nothing.

_FILE_NAME = "mgba_libretro.dylib" if sys.platform == "darwin" else "mgba_libretro.so"
_PACKAGE = "stable_retro"
_SYSTEM_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu/libretro",
    "/usr/lib/aarch64-linux-gnu/libretro",
    "/usr/lib/libretro",
    "/usr/lib64/libretro",
)
_API_VERSION = 1
_NAME = "mGBA"
_TRIED_VARIABLE = "POKETUI_GBA_CORE_TRIED"
"""Environment variable with size, time and hash of the file that was tried, so that child processes
need not try it again."""
_TRY_TIMEOUT_S = 30.0
_INSTALL = (
    "Run pip install 'poketui[gba]' (on Debian also apt install libretro-mgba), or name the file "
    f"of mGBA's libretro core: --core FILE, or the variable {CORE_VARIABLE}."
)


@dataclass(frozen=True, slots=True)
class Core:
    """A core's file."""

    path: Path

    @classmethod
    def find(cls) -> Self:
        """Return the core to use: of `CORE_VARIABLE`, else of the extra `gba`, else the system's.

        Raises:
            EnvironmentError: There is none.
        """
        if named := os.environ.get(CORE_VARIABLE):
            core = cls(Path(named))
            core._try_once()
            return core
        for path in _places():
            if path.is_file():
                return cls(path)
        raise EnvironmentError(
            "Game Boy Advance games need the mGBA core, which is not installed.", _INSTALL
        )

    def _try_once(self) -> None:
        """Have another process use the file first, unless one has with the same content."""
        try:
            found, content = self.path.stat(), self.path.read_bytes()
        except OSError as error:
            raise _unusable(self.path, error.strerror or str(error)) from None
        mark = f"{found.st_size}:{found.st_mtime_ns}:{hashlib.sha256(content).hexdigest()}"
        if os.environ.get(_TRIED_VARIABLE) != mark:
            _try_elsewhere(self.path)
            os.environ[_TRIED_VARIABLE] = mark


def core_version() -> str:
    """Return `LoadedCore.version` of the core that `Core.find` finds; "" where none can be used."""
    try:
        return check_core()
    except EnvironmentError:
        return ""


def check_core() -> str:
    """Return `LoadedCore.version` of the core that `Core.find` finds.

    Raises:
        EnvironmentError: There is none that can be used here.
    """
    return _version_of(Core.find())


class LoadedCore:
    """A copy of a core in this process, with a machine of its own.

    A core keeps its machine in global variables, and the system loads a file only once per process:
    so each machine loads a copy of the file, which is deleted at once.

    Args:
        core: The file.
        frames: Returns how many frames ran since power-on.

    Attributes:
        library: Its functions. They run with Python's global lock held: each frame calls back into
            Python some twenty times, and other threads would take the lock each time.
        version: Name and version, e.g. "mGBA 0.7.0 ec7a6271", followed by ", clock not fixed" where
            that holds, since recordings may then not replay exactly.
        is_clock_fixed: A cartridge's clock counts frames; False: it is the computer's.

    Raises:
        EnvironmentError: There is no core in the file that can be used here.
    """

    def __init__(self, core: Core, frames: Callable[[], int]) -> None:
        path = core.path
        slots = _import_slots(path)
        self.library: Any = _load_copy(path)
        self._callbacks: object = None
        self._runs = False
        info = abi.SystemInfo()
        try:
            for name, (result, arguments) in abi.FUNCTIONS.items():
                function = getattr(self.library, name)
                function.restype, function.argtypes = result, arguments
        except AttributeError:
            self.close()
            raise _unusable(path, "it is no libretro core") from None
        self.library.retro_get_system_info(ctypes.byref(info))
        name = info.library_name.decode(errors="replace")
        self.version = f"{name} {info.library_version.decode(errors='replace')}"
        if name != _NAME or self.library.retro_api_version() != _API_VERSION:
            self.close()
            raise _unusable(path, f"it is {self.version}, not {_NAME}")
        self._clock = FrameClock(self.library, slots, frames)
        self.is_clock_fixed = self._clock.is_fixed
        if not self.is_clock_fixed:
            self.version += ", clock not fixed"

    def start(self, frontend: Frontend, rom: bytes) -> bool:
        """Load an image, with `frontend` to answer the core; return whether the core accepts it."""
        with delayed_signals():
            self._callbacks = frontend.connect(self.library)
            self.library.retro_init()
            info = abi.GameInfo(b"game.gba", rom, len(rom), None)
            self._runs = bool(self.library.retro_load_game(ctypes.byref(info)))
        return self._runs

    def close(self) -> None:
        """Unload the core: its functions and its machine's memory must not be used any more."""
        if self._runs:
            self.library.retro_unload_game()
        if self._callbacks:
            self.library.retro_deinit()
        LIBC.dlclose(ctypes.c_void_p(self.library._handle))


def _try_elsewhere(path: Path) -> None:
    """Use a file as any game would, in a process of its own.

    Raises:
        EnvironmentError: The core cannot be used, crashed or hung there.
    """
    with scratch_folder() as folder:  # its copy goes with it, crashed or not
        try:
            tried = subprocess.run(
                worker_command("engine.emulator.core_trial", str(path)),
                env=worker_environment(TMPDIR=str(folder)),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=_TRY_TIMEOUT_S,
                start_new_session=True,
            )
        except subprocess.TimeoutExpired:
            raise _unusable(path, f"it hung for {_TRY_TIMEOUT_S:.0f} s when it was tried") from None
    if tried.returncode or not tried.stdout:
        how = f"({signal.Signals(-tried.returncode).name})" if tried.returncode < 0 else ""
        what = f"it {'crashed' if how else 'ended'} when it was tried {how}".rstrip()
        raise _unusable(path, what)
    if said := json.loads(tried.stdout):
        raise EnvironmentError(said["message"], said["hint"])


@lru_cache
def _version_of(core: Core) -> str:
    loaded = LoadedCore(core, lambda: 0)
    loaded.close()
    return loaded.version


def _import_slots(path: Path) -> Mapping[str, int]:
    """Check a file before it is loaded, on Linux: see `import_slots`."""
    try:
        return import_slots(path.read_bytes()) if sys.platform == "linux" else {}
    except (OSError, ValueError) as error:
        raise _unusable(path, getattr(error, "strerror", None) or str(error)) from None


def _load_copy(path: Path) -> Any:
    try:
        with scratch_folder() as folder:
            copy = shutil.copyfile(path, folder / path.name)
            return ctypes.PyDLL(str(copy))
    except OSError as error:
        reason = error.strerror or str(error).rpartition(f"{path.name}: ")[2]
        if "failed to map segment" in reason:  # the folder's file system runs no programs
            hint = "Set TMPDIR to a folder from which programs can be run."
            raise EnvironmentError(f"A copy of {path} cannot be loaded: {reason}.", hint) from None
        raise _unusable(path, reason) from None


def _places() -> Iterator[Path]:
    package = importlib.util.find_spec(_PACKAGE)  # importing takes seconds, and pyglet
    for folder in (package and package.submodule_search_locations) or ():
        yield Path(folder, "cores", _FILE_NAME)
    for folder in _SYSTEM_FOLDERS:
        yield Path(folder, _FILE_NAME)


def _unusable(path: Path, reason: str) -> EnvironmentError:
    return EnvironmentError(f"The core {path} cannot be used: {reason}.", _INSTALL)
