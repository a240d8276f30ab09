"""Set the clock, take the disk's space and give it back, forbid to write."""

import errno
import os
import random
import shutil
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.faults.fault import Fault, Lost, Skipped, Strike
from tests.benchmarks.faults.processes import Headless, check_resumes, check_saved
from tests.benchmarks.faults.workshop import SMALL, Workshop, run_here

_NOBODY = 65534
_DISK = "16m"
_SETS_THE_CLOCK = """
import random, runpy, sys, time
jumps = random.Random({seed})
began, offset = time.monotonic(), [0.0, 0.0]
real = dict(time=time.time, localtime=time.localtime, strftime=time.strftime)
def now():
    if time.monotonic() > offset[1]:
        offset[:] = [jumps.choice((-1e9, -86400, -3600, -1, 0, 3600, 1e9)), time.monotonic() + 0.2]
    return real["time"]() + offset[0]
time.time = now
time.time_ns = lambda: int(now() * 1e9)
time.localtime = lambda s=None: real["localtime"](now() if s is None else s)
time.strftime = lambda f, t=None: real["strftime"](f, time.localtime() if t is None else t)
sys.argv[0] = "poketui"
runpy.run_module("pokeTUI", run_name="__main__")
"""
"""The program with a wall clock that jumps five times a second; the monotonic one continues."""


@contextmanager
def clock(shop: Workshop) -> Iterator[Strike]:
    """Set the clock of a run's own process back and forward, again and again."""

    def strike(rng: random.Random) -> None:
        saves = shop.folder()
        start = [sys.executable, "-c", _SETS_THE_CLOCK.format(seed=rng.randrange(1000))]
        often = ("--set", "save_interval=1", "--steps", "1500")
        with Headless(shop, saves, *SMALL, *often, start=start) as run:
            code = run.process.wait(120)
            text = run.text
        if code:
            raise Lost(f"ended with {code}: {text}")
        check_saved(saves, text)
        check_resumes(shop, saves)
        shutil.rmtree(saves)

    yield strike


@contextmanager
def full_disk(shop: Workshop) -> Iterator[Strike]:
    """Fill a small disk while a run saves on it, and give the space back."""
    saves = shop.folder()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_DISK}", "none", str(saves)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        raise Skipped("only root can mount a small disk")
    try:
        with Headless(shop, saves, *SMALL, "--set", "save_interval=1") as run:
            run.wait_for("saved at step")

            def strike(rng: random.Random) -> None:
                warned = run.text.count("warning: Cannot write")
                filler = saves / "filler"
                fill(filler)
                run.wait_for("warning: Cannot write", warned + 1)
                time.sleep(rng.random())
                filler.unlink()
                run.wait_for("saved at step", run.text.count("saved at step") + 1)

            yield strike
            run.end()
        check_saved(saves, run.text)
        check_resumes(shop, saves)
    finally:
        subprocess.run(["umount", str(saves)], check=False)


def fill(path: Path) -> None:
    """Write until nothing more can be written."""
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise


@contextmanager
def read_only(shop: Workshop) -> Iterator[Strike]:
    """Be an ordinary user with a save folder that may only be read."""
    if os.geteuid():
        raise Skipped("only root can become another user")
    saves = shop.copy_of_saves()
    for path in [saves, *saves.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    commands = (
        (2, "run", "--headless"),
        (2, "run", "--headless", "--resume", "bad"),
        (2, "run", "--detach"),
        (0, "runs"),
        (0, "runs", "bad"),
        (2, "export", "bad", "--out", str(saves / "x")),
        (2, "record", "--headless", "--player", "rules", "--episodes", "1"),
        (2, "demos", "import", str(saves / "x.csv")),
    )
    before = sorted(saves.rglob("*"))

    def strike(rng: random.Random) -> None:
        expected, *arguments = rng.choice(commands)
        code, said = as_nobody([str(word) for word in arguments] + ["--save-dir", str(saves)])
        if code != expected or "Traceback" in said or (code and said.count("\n") != 1):
            raise Lost(f"{' '.join(map(str, arguments[:2]))} ended with {code}: {said}")
        if sorted(saves.rglob("*")) != before:
            raise Lost("something was written")

    yield strike


def as_nobody(arguments: list[str]) -> tuple[int, str]:
    """Run a command in an ordinary user's fork; return its code and what it complained."""
    from engine.sessions import train as session  # noqa: F401 (that user may not be allowed to read it)

    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        code, said = 1, ""
        try:
            os.setgroups([])
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
            code, _, said = run_here(*arguments)
        except BaseException:
            said = traceback.format_exc()
        finally:
            os.write(writer, said[-60_000:].encode(errors="replace"))
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader, errors="replace") as file:
        said = file.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said


FAULTS = (
    Fault("the clock set back and forward", 3, clock),
    Fault("a full disk, and space again", 6, full_disk),
    Fault("a read-only folder of an ordinary user", 24, read_only),
)
