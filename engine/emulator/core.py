"""Find a libretro core for the Game Boy Advance, and load copies of it that share nothing."""

import ctypes
import importlib.util
import os
import shutil
import tempfile
import _ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from engine.emulator import libretro_abi as abi
from engine.errors import EnvironmentError

CORE_VARIABLE = "POKETUI_GBA_CORE"
"""Environment variable that names the core's file; processes that are started inherit it."""

_PACKAGE, _IN_PACKAGE = "stable_retro", Path("cores", "mgba_libretro.so")
_SYSTEM_FOLDERS = ("/usr/lib/x86_64-linux-gnu/libretro", "/usr/lib/libretro", "/usr/lib64/libretro")
_FILE_NAME = "mgba_libretro.so"
_API_VERSION = 1
_NAME = "mGBA"
_INSTALL = "Install it with pip install 'poketui[gba]', or name its file with --core."


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
            if not Path(named).is_file():
                raise EnvironmentError(f"There is no core at {named}.", "Check --core.")
            return cls(Path(named))
        for path in _places():
            if path.is_file():
                return cls(path)
        raise EnvironmentError("A Game Boy Advance game needs the mGBA core.", _INSTALL)

    def load(self) -> "LoadedCore":
        """Load a copy of its own.

        Raises:
            EnvironmentError: The file is no core that can be used here.
        """
        return LoadedCore(self.path)


class LoadedCore:
    """A copy of a core in this process, with a machine of its own.

    A core keeps its machine in variables, and a file that is loaded twice is loaded once: each
    machine therefore gets a copy of the file, which is gone as soon as it is loaded.

    Attributes:
        version: Name and version, e.g. "mGBA 0.7.0 ec7a6271".
    """

    def __init__(self, path: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="poketui-core-") as folder:
            copy = Path(folder, path.name)
            shutil.copyfile(path, copy)
            try:
                self.library: Any = ctypes.CDLL(str(copy))
            except OSError as error:
                raise _unusable(path, str(error).removeprefix(f"{copy}: ")) from None
        self._handle: int = self.library._handle
        try:
            for name, (result, arguments) in abi.FUNCTIONS.items():
                function = getattr(self.library, name)
                function.restype, function.argtypes = result, arguments
        except AttributeError:
            self.close()
            raise _unusable(path, "it is not a libretro core") from None
        info = abi.SystemInfo()
        self.library.retro_get_system_info(ctypes.byref(info))
        name, version = info.library_name.decode(), info.library_version.decode()
        self.version = f"{name} {version}"
        if name != _NAME or self.library.retro_api_version() != _API_VERSION:
            self.close()
            raise _unusable(path, f"it is {self.version}, not mGBA")

    def close(self) -> None:
        """Unload it; nothing of it may be used any more."""
        _ctypes.dlclose(self._handle)


def _places() -> Iterator[Path]:
    package = importlib.util.find_spec(_PACKAGE)  # its import would take seconds and pyglet
    for folder in package.submodule_search_locations or () if package else ():
        yield Path(folder, _IN_PACKAGE)
    for folder in _SYSTEM_FOLDERS:
        yield Path(folder, _FILE_NAME)


def _unusable(path: Path, reason: str) -> EnvironmentError:
    return EnvironmentError(f"{path} cannot be used: {reason}.", _INSTALL)
