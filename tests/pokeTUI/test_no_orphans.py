"""However the program ends, no worker process stays behind."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.engine.processes import children, is_gone, wait_until

LIMIT_S = 180.0


@contextmanager
def running(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """Start `poketui run --headless` with two workers and wait until it trains."""
    command = [sys.executable, "-m", "pokeTUI", "run", "--headless", "--save-dir", str(folder)]
    command += ["--envs", "4", "--workers", "2", *options]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1
    )
    workers: list[int] = []

    def has_workers() -> bool:
        workers[:] = children(process.pid)
        return len(workers) == 2

    try:
        # Before the first line: a short run may be over by the time that it is read.
        assert wait_until(has_workers, LIMIT_S)
        wait_for_line(process, "saved at step")
        yield process, workers
    finally:
        end(process, workers)


def end(process: subprocess.Popen[str], workers: list[int]) -> None:
    """Leave nobody, whatever failed."""
    process.kill()
    process.wait()
    process.stdout.close()
    for pid in workers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wait_for_line(process: subprocess.Popen[str], words: str) -> None:
    end, said = time.monotonic() + LIMIT_S, ""
    while time.monotonic() < end:
        ready, _, _ = select.select([process.stdout], [], [], 1.0)
        line = process.stdout.readline() if ready else ""
        if words in line:
            return
        said += line
        assert not ready or line, f"ended before it said {words!r}, but said:\n{said}"
    raise AssertionError(f"never said {words!r}, but said:\n{said}")


def all_gone(pids: list[int]) -> bool:
    return wait_until(lambda: all(is_gone(pid) for pid in pids), LIMIT_S)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_saves_and_leaves_no_worker(tmp_path: Path, number: signal.Signals) -> None:
    with running(tmp_path) as (process, workers):
        process.send_signal(number)
        wait_for_line(process, "saving, then stopping")
        wait_for_line(process, "Resume with: poketui run --resume")
        assert process.wait(LIMIT_S) == 128 + number
        assert all_gone(workers)


@pytest.mark.slow
def test_a_second_signal_leaves_no_worker(tmp_path: Path) -> None:
    with running(tmp_path) as (process, workers):
        os.kill(workers[0], signal.SIGSTOP)  # so that saving takes long
        process.send_signal(signal.SIGINT)
        wait_for_line(process, "saving, then stopping")
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT_S) == -signal.SIGINT
        assert all_gone(workers)


@pytest.mark.slow
def test_a_run_that_ends_leaves_no_worker(tmp_path: Path) -> None:
    with running(tmp_path, "--steps", "400") as (process, workers):
        assert process.wait(LIMIT_S) == 0
        assert all_gone(workers)


@pytest.mark.slow
@pytest.mark.parametrize("is_hanging", [False, True])
def test_kill_9_leaves_no_worker(tmp_path: Path, is_hanging: bool) -> None:
    with running(tmp_path) as (process, workers):
        if is_hanging:
            os.kill(workers[0], signal.SIGSTOP)
        process.kill()
        process.wait()
        assert all_gone(workers)


PROGRAM = """
import sys, time
from engine.config import RunConfig
from engine.env.vector.world import PLAIN_FACTORY, VectorEnv
vector = VectorEnv(PLAIN_FACTORY, RunConfig(save_dir=sys.argv[1]), 2, 2)
vector.reset([1, 2])
print(*vector.pids, flush=True)
{last_line}
"""


@contextmanager
def program(folder: Path, last_line: str) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """Start a program that makes a vector and never closes it."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(last_line=last_line), str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    pids = [int(pid) for pid in process.stdout.readline().split()]
    try:
        assert len(pids) == 2
        yield process, pids
    finally:
        end(process, pids)


def test_workers_die_with_a_killed_parent_even_if_they_hang(tmp_path: Path) -> None:
    with program(tmp_path, "time.sleep(600)") as (process, pids):
        assert not any(is_gone(pid) for pid in pids)
        os.kill(pids[0], signal.SIGSTOP)
        process.kill()
        process.wait()
        assert all_gone(pids)


@pytest.mark.parametrize("last_line", ["raise RuntimeError", "import os; os.abort()"])
def test_workers_die_with_a_parent_that_forgot_them(tmp_path: Path, last_line: str) -> None:
    with program(tmp_path, last_line) as (process, pids):
        process.wait(LIMIT_S)
        assert all_gone(pids)
