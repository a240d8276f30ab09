"""Run `poketui`: in this process, for tests of what it does, or in one of its own."""

import io
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path

from engine.ground.processes import python_command, python_environment
from pokeTUI.cli.main import main
from tests.pokeTUI.says import assert_has

ROOT = Path(__file__).parents[2]
Done = subprocess.CompletedProcess[str]
_CAUGHT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP)


def poketui(*arguments: str, cwd: Path | None = None) -> Done:
    """Return what a process of its own would; nobody is there to answer."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with _standing_in(["poketui", *arguments], out, err), chdir(cwd or Path.cwd()):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(bool(end.code))
    return subprocess.CompletedProcess(arguments, code, _text(out), _text(err))


def output_of(command: Sequence[str], cwd: Path = ROOT, **variables: str) -> Done:
    """Run a command in a process of its own, which nobody is there to answer."""
    return subprocess.run(
        command,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=300,
        cwd=cwd,
        env=python_environment(**variables),
        stdin=subprocess.DEVNULL,
        check=False,
    )


def program(*arguments: str, cwd: Path = ROOT, **variables: str) -> Done:
    """Run `poketui` in a process of its own."""
    command = python_command("pokeTUI", *arguments, options=("-W", "ignore"))
    return output_of(command, cwd, **variables)


def loaded_of(heavy: set[str], code: str) -> str:
    """Return the modules of `heavy` that some code loads, as a list."""
    shown = f"import sys\n{code}\nprint(sorted({heavy} & set(sys.modules)))"
    return succeeded(output_of([sys.executable, "-c", shown])).stdout


def succeeded(done: Done) -> Done:
    """Check that a command has succeeded, and return what it did."""
    assert done.returncode == 0, done.stderr
    return done


def succeed(*arguments: str, cwd: Path | None = None) -> Done:
    """Return what a command does that must succeed."""
    return succeeded(poketui(*arguments, cwd=cwd))


def assert_refused(done: Done, *words: str) -> None:
    """Check for one line on standard error that holds `words`, and exit code 2."""
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("poketui: ")
    assert_has(line, *words)


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
