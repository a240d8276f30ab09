"""Kill the program while a child of it starts, and name libraries as the emulator's core."""

import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

from engine.battles.sim.setup import find_simulator
from engine.errors import ConfigurationError
from tests.benchmarks.faults.fault import Fault, Lost, Skipped, Strike
from tests.benchmarks.faults.workshop import LIMIT_S, Workshop
from tests.engine.processes import children, is_gone, wait_until

_LATEST_S = 2.0
_ENDS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_SPOILT = ("*(volatile int *)0 = 1;", "_exit(3);", "abort();", "")


@contextmanager
def server_orphaned(shop: Workshop) -> Iterator[Strike]:
    """End `poketui vgc server` while Node starts, or later."""
    try:
        find_simulator()
    except ConfigurationError as error:
        raise Skipped(str(error)) from None

    # What a shell has its background ignore, its children ignore too.
    ends = [each for each in _ENDS if signal.getsignal(each) is not signal.SIG_IGN]

    def strike(rng: random.Random) -> None:
        program = subprocess.Popen(
            shop.command("vgc", "server", "--port", "0"), env=shop.environment, cwd=shop.path,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        with program:
            started: list[int] = []
            wait_until(lambda: bool(started.extend(children(program.pid)) or started), LIMIT_S)
            time.sleep(rng.uniform(0, _LATEST_S))
            started += children(program.pid)
            program.send_signal(rng.choice(ends))
        if not wait_until(lambda: all(map(is_gone, started)), LIMIT_S):
            raise Lost("Node outlives the program that started it")

    yield strike


@contextmanager
def core_spoilt(shop: Workshop) -> Iterator[Strike]:
    """Name a library as core that crashes, ends the process, or is none."""
    if shutil.which("gcc") is None:
        raise Skipped("needs gcc")

    def strike(rng: random.Random) -> None:
        folder = shop.folder()
        source, library = folder / "core.c", folder / "core.so"
        source.write_text(
            "#include <stdlib.h>\n#include <unistd.h>\n"
            f"__attribute__((constructor)) static void begin(void) {{ {rng.choice(_SPOILT)} }}\n"
        )
        subprocess.run(["gcc", "-shared", "-fPIC", "-w", source, "-o", library], check=True)
        game = ("--game", "mosslight-advance", "--save-dir", str(folder / "saves"))
        done = shop.run("run", "--headless", *game, "--core", str(library))
        if done.returncode != 2 or "--core FILE" not in done.stderr:
            raise Lost(f"ended with {done.returncode}: {done.stderr[-200:]}")
        if len(done.stderr.splitlines()) != 1:
            raise Lost(f"said {done.stderr!r:.200}")

    yield strike


FAULTS = (
    Fault("the program ended while a battle server starts", 10, server_orphaned),
    Fault("a library that crashes, as core", 4, core_spoilt),
)
