"""Start Python processes of ours: the only place that knows how."""

import os
import sys


def python_command(module: str, *arguments: str, options: tuple[str, ...] = ()) -> list[str]:
    """Return the command that runs a module in this Python; options are of Python itself."""
    return [*_python(options), "-m", module, *arguments]


def code_command(code: str, options: tuple[str, ...] = ()) -> list[str]:
    """Return the command that runs lines of code in this Python; options are of Python itself."""
    return [*_python(options), "-c", code]


def python_environment(**variables: str) -> dict[str, str]:
    """Return an environment in which a child finds our modules, with `variables` set besides."""
    # Absolute, as they mean something else in another folder; and without those that PYTHONPATH
    # would take apart: their halves are folders that nobody named.
    places = [os.path.abspath(entry) for entry in sys.path if isinstance(entry, str)]  # noqa: PTH100
    path = os.pathsep.join(place for place in places if os.pathsep not in place)
    return {**os.environ, "PYTHONPATH": path, **variables}


def _python(options: tuple[str, ...]) -> list[str]:
    # -P: a numpy.py in the folder that a person happens to be in is not ours to run.
    return [sys.executable, "-P", *options]
