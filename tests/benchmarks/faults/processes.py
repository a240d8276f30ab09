"""Stop, continue, kill and signal the program's processes at moments nobody chose."""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from engine.errors import AttachError, CheckpointError
from engine.remote.folder import LiveRun, live_runs
from engine.runs.checkpoint import checkpoint_paths, read_checkpoint
from tests.benchmarks.faults.fault import Fault, Lost, Strike
from tests.benchmarks.faults.workshop import LIMIT_S, SMALL, Workshop
from tests.engine.processes import children, is_gone, wait_until

_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Headless:
    """A run without a screen, in a process of its own; `text` is all that it has said."""

    def __init__(self, shop: Workshop, saves: Path, *options: str, start: list[str] | None = None):
        self.saves = saves
        self._output = shop.folder() / "said"
        arguments = ["run", "--headless", "--save-dir", str(saves), *options]
        command = (start or shop.command()) + arguments
        with self._output.open("wb") as file:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                env=shop.environment, cwd=shop.path, start_new_session=True,
            )  # fmt: skip
        self._seen: set[int] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave nobody, whatever failed."""
        pids = self.workers()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if not wait_until(lambda: all(map(is_gone, pids)), LIMIT_S):
            raise Lost(f"{len(pids)} worker processes outlive the run")

    @property
    def text(self) -> str:
        return self._output.read_text(errors="replace")

    def workers(self) -> list[int]:
        self._seen |= set(children(self.process.pid))
        return list(self._seen)

    def wait_for(self, words: str, count: int = 1) -> None:
        """Wait until it has said something so often.

        Raises:
            TimeoutError: It never does.
            Lost: It has ended before.
        """
        end = time.monotonic() + LIMIT_S
        while self.text.count(words) < count:
            if self.process.poll() is not None and self.text.count(words) < count:
                raise Lost(f"ended with {self.process.returncode} before {words!r}: {self.text}")
            if time.monotonic() >= end:
                raise TimeoutError(f"never said {words!r}")
            time.sleep(0.02)
        self.workers()

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, wait for the end and return the exit code."""
        self.workers()
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        return self.process.wait(LIMIT_S)


def check_saved(saves: Path, text: str = "") -> int:
    """Check that all that is saved of the runs in a folder is whole; return steps of the newest.

    Raises:
        Lost: Something is not, or there is a traceback in what was said.
    """
    steps = 0
    for run in (saves / "runs").glob("*"):
        log = run / "engine.log"
        text += log.read_text(errors="replace") if log.exists() else ""
        try:
            found = [read_checkpoint(path) for path in checkpoint_paths(run / "checkpoints")]
        except CheckpointError as error:
            raise Lost(error.message) from None
        if found:
            json.loads((run / "config.json").read_bytes())
            journal = (run / "journal.jsonl").read_bytes()
            length = int(found[0].facts["journal_bytes"])
            if len(journal) < length:
                raise Lost(f"the journal has {len(journal)} bytes of {length}")
            for line in journal[:length].splitlines():
                json.loads(line)
            steps = max(steps, int(checkpoint_paths(run / "checkpoints")[0].stem[5:]))
    if "Traceback" in text:
        raise Lost(f"a traceback: {text.rpartition('Traceback')[2][-200:]}")
    return steps


def check_resumes(shop: Workshop, saves: Path) -> None:
    """Check that the program continues with the only run, and keeps the journal of its checkpoint.

    Raises:
        Lost: It does not.
    """
    steps = check_saved(saves)
    (run,) = (saves / "runs").iterdir()
    newest = read_checkpoint(checkpoint_paths(run / "checkpoints")[0])
    before = (run / "journal.jsonl").read_bytes()[: int(newest.facts["journal_bytes"])]
    more = ("--resume", "--steps", str(steps + 200), "--save-dir", str(saves))
    done = shop.run("run", "--headless", *more)
    if done.returncode:
        raise Lost(f"resuming ended with {done.returncode}: {done.stderr}")
    if not (run / "journal.jsonl").read_bytes().startswith(before):
        raise Lost("the journal is another one after resuming")
    if check_saved(saves, done.stdout + done.stderr) <= steps:
        raise Lost("resuming played nothing")


@contextmanager
def signalled(shop: Workshop) -> Iterator[Strike]:
    """End a run by a signal: while it starts, plays, saves, evaluates or ends."""

    def strike(rng: random.Random) -> None:
        saves = shop.folder()
        number = rng.choice(_ENDS)
        often = ("--set", "save_interval=1", "--set", "eval_interval=2", "--steps", "2000")
        with Headless(shop, saves, *SMALL, *often, "--set", "eval_episodes=2") as run:
            if rng.random() < 0.6:
                run.wait_for("saved at step")
            time.sleep(rng.random() * 3)
            code = run.end(number)
            text = run.text
        # Before it could say so itself, the signal ends it as any program.
        if code not in (0, 128 + number, -number):
            raise Lost(f"{number.name}: ended with {code}: {text}")
        check_saved(saves, text)
        shutil.rmtree(saves)

    yield strike


@contextmanager
def interrupted_often(shop: Workshop) -> Iterator[Strike]:
    """Press Ctrl-C many times, fast."""

    def strike(rng: random.Random) -> None:
        saves = shop.folder()
        with Headless(shop, saves, *SMALL) as run:
            run.wait_for("saved at step")
            for _ in range(rng.randrange(2, 12)):
                if run.process.poll() is None:
                    run.process.send_signal(signal.SIGINT)
                time.sleep(rng.random() * 0.05)
            code = run.process.wait(LIMIT_S)
            text = run.text
        if code not in (130, -signal.SIGINT):
            raise Lost(f"ended with {code}: {text}")
        check_saved(saves, text)
        shutil.rmtree(saves)

    yield strike


@contextmanager
def killed(shop: Workshop) -> Iterator[Strike]:
    """Kill -9 a run at a random moment, and resume it."""

    def strike(rng: random.Random) -> None:
        saves = shop.folder()
        with Headless(shop, saves, *SMALL, "--set", "save_interval=1") as run:
            run.wait_for("saved at step")
            time.sleep(rng.random() * 3)
            run.end(signal.SIGKILL)
        check_resumes(shop, saves)
        shutil.rmtree(saves)

    yield strike


@contextmanager
def worker_killed(shop: Workshop) -> Iterator[Strike]:
    """Kill -9 the worker of a run, which replaces it."""
    saves = shop.folder()
    with Headless(shop, saves, *SMALL) as run:
        run.wait_for("saved at step")
        count = 0

        def strike(rng: random.Random) -> None:
            nonlocal count
            time.sleep(2 + rng.random())  # five in a moment would be taken for a defect
            for pid in children(run.process.pid):
                os.kill(pid, signal.SIGKILL)
            count += 1
            run.wait_for("was replaced", count)

        yield strike
        if run.end() != 128 + signal.SIGTERM:
            raise Lost(f"the run ended otherwise: {run.text}")
    check_saved(saves, run.text)


@contextmanager
def halted(shop: Workshop) -> Iterator[Strike]:
    """SIGSTOP and SIGCONT the run or its worker."""
    saves = shop.folder()
    with Headless(shop, saves, *SMALL, "--set", "save_interval=1") as run:
        run.wait_for("saved at step")

        def strike(rng: random.Random) -> None:
            pid = rng.choice((run.process.pid, *children(run.process.pid)))
            os.kill(pid, signal.SIGSTOP)
            time.sleep(rng.random() * 0.7)
            os.kill(pid, signal.SIGCONT)
            run.wait_for("saved at step", run.text.count("saved at step") + 1)
            if "was replaced" in run.text:
                raise Lost("a worker that only stood still was replaced")

        yield strike
        if run.end() != 128 + signal.SIGTERM:
            raise Lost(f"the run ended otherwise: {run.text}")
    check_saved(saves, run.text)


@contextmanager
def detached(shop: Workshop, *options: str) -> Iterator[tuple[Path, LiveRun]]:
    """Start a run in the background; it is gone afterwards, and what it saved is whole."""
    saves = shop.folder()
    done = shop.run("run", "--detach", "--save-dir", str(saves), *SMALL, *options)
    if done.returncode:
        raise Lost(f"--detach ended with {done.returncode}: {done.stderr}")
    (live,) = live_runs()
    pids = [live.pid, *children(live.pid)]
    try:
        yield saves, live
        if not is_gone(live.pid):
            done = shop.run("stop")
            if done.returncode:
                raise Lost(f"poketui stop ended with {done.returncode}: {done.stderr}")
    finally:
        for pid in pids:
            if pid and not is_gone(pid) and not wait_until(lambda pid=pid: is_gone(pid), 10.0):
                os.kill(pid, signal.SIGKILL)
    check_saved(saves)


@contextmanager
def detached_halted(shop: Workshop) -> Iterator[Strike]:
    """SIGSTOP and SIGCONT a run in the background and its worker."""
    with detached(shop) as (_, live):

        def strike(rng: random.Random) -> None:
            pids = [live.pid, *children(live.pid)]
            pid = rng.choice(pids)
            os.kill(pid, signal.SIGSTOP)
            time.sleep(rng.random())
            os.kill(pid, signal.SIGCONT)
            if not wait_until(lambda: any(one.hello is not None for one in live_runs()), LIMIT_S):
                raise TimeoutError("it answers no more")
            if [live.pid, *children(live.pid)] != pids:
                raise Lost("a process that only stood still is gone")

        yield strike


@contextmanager
def detached_killed(shop: Workshop) -> Iterator[Strike]:
    """Kill -9 a run in the background: what looks for it says so, and it is resumed."""

    def strike(rng: random.Random) -> None:
        with detached(shop, "--set", "save_interval=1") as (saves, live):
            time.sleep(rng.random() * 3)
            os.kill(live.pid, signal.SIGKILL)
            wait_until(lambda: is_gone(live.pid), LIMIT_S)
            done = shop.run("stop")
            if done.returncode != 2 or done.stderr.count("\n") != 1:
                raise Lost(f"poketui stop of a killed run: {done.returncode} {done.stderr}")
            with contextlib.suppress(AttachError):
                if live_runs():
                    raise Lost("a killed run is still listed")
        check_resumes(shop, saves)
        shutil.rmtree(saves)

    yield strike


FAULTS = (
    Fault("a signal at a random moment", 12, signalled),
    Fault("Ctrl-C many times, fast", 6, interrupted_often),
    Fault("kill -9 of a run, and resumed", 4, killed),
    Fault("kill -9 of a worker", 8, worker_killed),
    Fault("SIGSTOP, SIGCONT of a run or its worker", 20, halted),
    Fault("SIGSTOP, SIGCONT of a run in the background", 20, detached_halted),
    Fault("kill -9 of a run in the background, and resumed", 2, detached_killed),
)
