"""Run one browser's viewer: a process that draws for Textual's web driver, by packets over pipes.

A packet is a letter (D for terminal data, M for JSON, P for what is not used here), its length in
four bytes, big-endian, and the payload. textual-serve's own class for this runs a shell between,
and waits for ever for a process that hangs.
"""

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import AsyncIterator, Sequence

from engine.child import worker_command, worker_environment
from engine.numerals import parse_whole

_PRELUDE = b"__GANGLION__\n"
_PRELUDE_LINES = 20
_LARGEST_PACKET = 32 * 1024 * 1024
_LAST_WORDS_BYTES = 4096
_QUIT_GRACE_S = 3.0
_SMALLEST, _LARGEST = 4, 1000


class Viewer:
    """The process of one client.

    Args:
        command: A module and its arguments, run by this Python.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: asyncio.subprocess.Process | None = None
        self._errors = bytearray()
        self._error_task: asyncio.Task[None] | None = None

    async def start(self, columns: int, rows: int) -> None:
        """Start the process for a terminal of that size."""
        self._process = await asyncio.create_subprocess_exec(
            *worker_command(*self._command),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=_environment(columns, rows),
            start_new_session=True,  # Ctrl-C is for the server alone
        )
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None
        assert stdout is not None
        assert stderr is not None
        self._stdin, self._stdout = stdin, stdout
        self._error_task = asyncio.create_task(self._read_errors(stderr))

    async def output(self) -> AsyncIterator[bytes]:
        """Yield what the process writes to its terminal, until it ends."""
        stdout = self._stdout
        try:
            for _ in range(_PRELUDE_LINES):
                if await stdout.readline() == _PRELUDE:
                    break
            else:
                return
            while True:
                kind = await stdout.readexactly(1)
                size = int.from_bytes(await stdout.readexactly(4), "big")
                if size > _LARGEST_PACKET:
                    return
                payload = await stdout.readexactly(size)
                if kind == b"D":
                    yield payload
                elif kind == b"M" and _kind(payload) == "exit":
                    return
        except (asyncio.IncompleteReadError, ConnectionResetError, ValueError):
            return

    async def press(self, data: str) -> None:
        """Hand over keys, mouse reports and what else a terminal sends."""
        await self._write(b"D", data.encode("utf-8", "replace"))

    async def send_meta(self, **meta: str | int) -> None:
        """Hand over a message that is not terminal data."""
        await self._write(b"M", json.dumps(meta).encode())

    async def end(self) -> None:
        """End the process: ask, then kill, as nothing can be lost; back when it is gone."""
        process = self._process
        if process is None:
            return
        drain = asyncio.create_task(self._drain())  # or it could not write its farewell
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_QUIT_GRACE_S):
                await self.send_meta(type="quit")
                await process.wait()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # its group: it began a session
        await process.wait()
        drain.cancel()
        if self._error_task is not None:
            await self._error_task

    def last_words(self) -> str:
        """Return the last line that it wrote to standard error, or ""."""
        text = self._errors.decode("utf-8", "replace").strip()
        return "".join(c for c in text.splitlines()[-1] if c.isprintable()).strip() if text else ""

    async def _write(self, kind: bytes, payload: bytes) -> None:
        with contextlib.suppress(ConnectionError, RuntimeError):
            self._stdin.write(kind + len(payload).to_bytes(4, "big") + payload)
            await self._stdin.drain()

    async def _drain(self) -> None:
        while await self._stdout.read(65536):
            pass

    async def _read_errors(self, stderr: asyncio.StreamReader) -> None:
        while data := await stderr.read(4096):
            self._errors += data
            del self._errors[:-_LAST_WORDS_BYTES]


def bounded(value: object, default: int) -> int:
    """Return a number of columns or rows that a browser names, made sane."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = parse_whole(value, 0, 99_999)
    if type(value) is not int:
        return default
    return max(_SMALLEST, min(_LARGEST, value))


def _environment(columns: int, rows: int) -> dict[str, str]:
    return worker_environment(
        TEXTUAL_DRIVER="textual.drivers.web_driver:WebDriver",
        TEXTUAL_COLOR_SYSTEM="truecolor",
        TERM="xterm-256color",
        COLORTERM="truecolor",
        TERM_PROGRAM="textual",
        COLUMNS=str(columns),
        ROWS=str(rows),
    )


def _kind(payload: bytes) -> str:
    meta = json.loads(payload)
    return str(meta.get("type", "")) if isinstance(meta, dict) else ""
