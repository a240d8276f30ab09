"""Start processes: the only place that knows how ours are run, and what others' may know.

A worker is a process of ours that is of no use without the one that started it, and ends with it:
python -m engine.ground.processes PARENT_PID MODULE [ARGUMENT ...]
"""

import ctypes
import os
import runpy
import signal
import sys
import threading
import time

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_POLL_INTERVAL_S = 1.0

_PASSED = frozenset(
    (
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ",
        "TMPDIR", "TMP", "TEMP", "TERM", "COLORTERM", "NO_COLOR",
        "LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH",
        "VIRTUAL_ENV", "CONDA_PREFIX", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
    )
)  # fmt: skip
_PASSED_FAMILIES = (
    "LC_", "XDG_", "PYTHON", "POKETUI_", "TEXTUAL", "SDL_", "MALLOC_", "OMP_", "KMP_",
    "OPENBLAS_", "MKL_", "CUDA_", "NVIDIA_", "ROCR_", "HIP_", "HSA_", "GGML_", "VK_",
)  # fmt: skip
"""Where programs, libraries and a user's folders are, and what they shall be like: nothing secret.
A list of what is secret would miss the next one."""
_SECRET_ENDS = ("KEY", "TOKEN", "SECRET", "PASSWORD")
"""Of names that a family brings along."""


def python_command(module: str, *arguments: str, options: tuple[str, ...] = ()) -> list[str]:
    """Return the command that runs a module in this Python; options are of Python itself."""
    return [*_python(options), "-m", module, *arguments]


def code_command(code: str, options: tuple[str, ...] = ()) -> list[str]:
    """Return the command that runs lines of code in this Python; options are of Python itself."""
    return [*_python(options), "-c", code]


def worker_command(module: str, *arguments: str, options: tuple[str, ...] = ()) -> list[str]:
    """Return the command that runs a module in a process that ends with this one, however it ends.

    On Linux it ends with the thread that starts it, even while it hangs.
    """
    return python_command(__name__, str(os.getpid()), module, *arguments, options=options)


def python_environment(**variables: str) -> dict[str, str]:
    """Return an environment in which a child finds our modules, with `variables` set besides."""
    return {**os.environ, "PYTHONPATH": _python_path(), **variables}


def worker_environment(**variables: str) -> dict[str, str]:
    """Return `python_environment` without keys: of a child that asks no language model."""
    return {**foreign_environment(), "PYTHONPATH": _python_path(), **variables}


def foreign_environment(*families: str, **variables: str) -> dict[str, str]:
    """Return what somebody else's program may know of our environment, and `variables`.

    Args:
        families: How names begin, in small or capital letters, that this program needs besides.
        variables: What is set besides.
    """
    passed = {name: value for name, value in os.environ.items() if _is_passed(name, families)}
    return passed | variables


def end_with(parent: int) -> None:
    """Have this process killed when `parent`, which started it, is gone.

    The kernel does it on Linux, and a thread everywhere: the kernel's signal can be forgotten, by a
    set-uid program for example. A parent that was gone before is noticed by its number.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    threading.Thread(target=_watch, args=(parent,), name="parent", daemon=True).start()


def main() -> None:
    """Bind this process to its parent, then become the module."""
    end_with(int(sys.argv[1]))
    module, *arguments = sys.argv[2:]
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _is_passed(name: str, families: tuple[str, ...]) -> bool:
    if name.lower().startswith(families):
        return True
    is_known = name in _PASSED or name.startswith(_PASSED_FAMILIES)
    return is_known and not name.upper().endswith(_SECRET_ENDS)


def _python_path() -> str:
    # Absolute, as they mean something else in another folder; and without those that PYTHONPATH
    # would take apart: their halves are folders that nobody named.
    places = [os.path.abspath(entry) for entry in sys.path if isinstance(entry, str)]  # noqa: PTH100
    return os.pathsep.join(place for place in places if os.pathsep not in place)


def _python(options: tuple[str, ...]) -> list[str]:
    # -P: a numpy.py in the folder that a person happens to be in is not ours to run.
    return [sys.executable, "-P", *options]


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_POLL_INTERVAL_S)
    os._exit(1)


if __name__ == "__main__":
    main()
