"""Start and stop background runs."""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine import errors
from engine.config import RunConfig
from engine.errors import AttachError, PokeTUIError
from engine.events import ConnectionLost, ProgressReported, RunFailed, RunStarted, RunStopped
from engine.ground.processes import python_command, python_environment
from engine.remote import daemon
from engine.remote.client import RemoteSession
from engine.remote.folder import LiveRun, probe, runtime_folder

START_TIMEOUT_S = 30.0
"""Longest wait for the first step; a cartridge's introduction may take longer."""
_LOOK_S = 0.05


def start_detached(config: RunConfig, resume: str | None) -> LiveRun:
    """Start a run in a process of its own, and return once it can be attached to.

    Raises:
        PokeTUIError: It cannot start.
    """
    runtime_folder()
    process = subprocess.Popen(
        python_command(daemon.__name__),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=python_environment(),
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    settings = config.model_dump(mode="json", exclude_unset=True)
    with process.stdin, process.stdout:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps({"config": settings, "resume": resume}).encode())
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        lines = (line for line in process.stdout if line.startswith(b"{"))  # no library's own
        answer: dict[str, Any] = json.loads(next(lines, b"{}"))
    if not answer:
        code = process.wait()
        raise errors.EnvironmentError(
            f"The run's process exited with code {code} before it started.",
            "Run it in the foreground: poketui run",
        )
    if "error" in answer:
        process.wait()
        kind = getattr(errors, answer["error"], PokeTUIError)
        raise kind(answer["message"], answer["hint"])
    process.returncode = 0  # it outlives this process, without a warning by Python
    live = probe(Path(answer["socket"]))
    if live is None:
        raise AttachError(f"The run {answer['run_id']} ended immediately.", "See its log.")
    return live


def wait_for_start(
    live: LiveRun, report: Callable[[str], None]
) -> RunFailed | ConnectionLost | None:
    """Wait for a run's first step, or `START_TIMEOUT_S`; return how it failed, if it did.

    `report` is called with the progress in words.
    """
    with contextlib.closing(RemoteSession(live, is_read_only=True)) as session:
        session.start()
        end = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < end:
            was_alive = session.is_alive
            for event in session.mailbox.drain():
                if isinstance(event, RunFailed | ConnectionLost):
                    return event
                if isinstance(event, RunStarted | RunStopped):
                    return None
                if isinstance(event, ProgressReported):
                    report(event.text)
            if not was_alive:
                return None
            time.sleep(_LOOK_S)
    return None


def stop_run(live: LiveRun, timeout_s: float, *, is_now: bool = False) -> bool:
    """Stop a run, by default after saving it; return whether its process ended in time.

    Raises:
        AttachError: Its process is not known.
    """
    if live.pid <= 0:
        raise AttachError(
            f"The run {live.run_id} does not respond, so its process is unknown.",
            "Find it with: ps -ef | grep engine.remote.daemon",
        )
    with contextlib.suppress(ProcessLookupError):
        os.kill(live.pid, signal.SIGKILL if is_now else signal.SIGTERM)
    end = time.monotonic() + timeout_s
    while not _is_gone(live.pid):
        if time.monotonic() >= end:
            return False
        time.sleep(_LOOK_S)
    probe(live.path)  # removes the socket that a killed process leaves behind
    return True


def _is_gone(pid: int) -> bool:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
