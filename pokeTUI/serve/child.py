"""Run a module as a viewer's process that ends when the server does, however that ends.

python -m pokeTUI.serve.child PARENT_PID MODULE [ARGUMENT ...]
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


def main() -> None:
    """Bind this process to its parent, then become the module."""
    _end_with(int(sys.argv[1]))
    module, *arguments = sys.argv[2:]
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _end_with(parent: int) -> None:
    """Have this process killed when `parent` is gone: by the kernel on Linux, else by a thread.

    The thread is there on Linux too: the kernel's signal can be forgotten, by a set-uid program for
    example. Nothing is lost by a kill: a viewer keeps nothing.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it was gone before
        os._exit(1)
    threading.Thread(target=_watch, args=(parent,), name="parent", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_POLL_INTERVAL_S)
    os._exit(1)


if __name__ == "__main__":
    main()
