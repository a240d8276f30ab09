"""Start Python processes of ours: the only place that knows how."""

import os
import sys


def python_command(module: str, *arguments: str, options: tuple[str, ...] = ()) -> list[str]:
    """Return the command that runs a module in this Python.

    Args:
        module: Its full name.
        arguments: What the module is given.
        options: Options of Python itself.
    """
    # -P: a numpy.py in the folder that a person happens to be in is not ours to run.
    return [sys.executable, "-P", *options, "-m", module, *arguments]


def python_environment(**variables: str) -> dict[str, str]:
    """Return an environment in which a child finds the modules that this process finds."""
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)  # noqa: PTH109
    return {**os.environ, "PYTHONPATH": path, **variables}
