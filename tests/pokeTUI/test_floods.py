"""A flood on the input of a real pseudo-terminal: nothing happens, and the program obeys."""

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

PASTE = b"\x1b[200~" + b"quit Q q \r\n" * 100_000 + b"\x1b[201~"
READ_S = 3.0


@pytest.mark.slow
def test_a_megabyte_of_paste_does_no_harm(config_dir: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.pokeTUI.demo"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        cwd=tmp_path,  # P writes pictures
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    os.close(theirs)
    os.set_blocking(ours, False)
    try:
        talk(ours, b"", "► playing".encode())
        talk(ours, PASTE)
        assert process.poll() is None
        talk(ours, b"\x1b" * 3)  # leaves whatever it has opened
        end = time.monotonic() + 300
        while process.poll() is None and time.monotonic() < end:
            talk(ours, b"\x11")  # reads, too: what nobody reads keeps it from ending
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(1)
        assert process.poll() in (0, 1)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def talk(ours: int, send: bytes, wanted: bytes = b"") -> None:
    """Write what there is to write, and read until `wanted` has come; without it, a while."""
    seen = b""
    end = time.monotonic() + 300
    while time.monotonic() < end:
        readable, writable, _ = select.select([ours], [ours] if send else [], [], 0.1)
        try:
            if readable:
                seen += os.read(ours, 65536)
            if writable:
                send = send[os.write(ours, send[:4096]) :]
                if not send:
                    end = time.monotonic() + READ_S  # what moves on the screen is never quiet
        except OSError:
            return  # the program has ended
        if wanted and wanted in seen:
            return
    assert not wanted, seen[-2000:]
