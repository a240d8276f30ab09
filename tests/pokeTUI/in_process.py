"""Run `poketui` in this process, for tests of what it does rather than of the process itself."""

import io
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

from pokeTUI.cli.main import main

_CAUGHT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP)


def poketui(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Return what a process of its own would; nobody is there to answer."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with _standing_in(["poketui", *arguments], out, err), chdir(cwd or Path.cwd()):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(bool(end.code))
    return subprocess.CompletedProcess(arguments, code, _text(out), _text(err))


@contextmanager
def _standing_in(argv: list[str], out: io.TextIOWrapper, err: io.TextIOWrapper) -> Iterator[None]:
    """Lend the program the arguments, streams and signals, and take them back."""
    before = sys.argv, sys.stdin, sys.stdout, sys.stderr
    handlers = {number: signal.getsignal(number) for number in _CAUGHT}
    with Path(os.devnull).open() as nobody, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.argv, sys.stdin, sys.stdout, sys.stderr = argv, nobody, out, err
        try:
            yield
        finally:
            sys.argv, sys.stdin, sys.stdout, sys.stderr = before
            for number, handler in handlers.items():
                signal.signal(number, handler)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    data = stream.buffer
    assert isinstance(data, io.BytesIO)
    return data.getvalue().decode()
