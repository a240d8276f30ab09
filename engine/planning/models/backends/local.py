"""Run a model from a GGUF file in a process of its own, with no server. Needs the extra `local`.

The process runs llama.cpp and serves OpenAI's protocol to nobody but us: on loopback, with a key
made for it. It gets the processor time that the games leave, and if the file crashes it or its
memory is not to be had, only the model is gone.
"""

import asyncio
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from pathlib import Path
from typing import IO

from engine.errors import ConfigurationError, LLMConnectionError
from engine.ground.processes import ending, lines_in, python_command, reap, worker_environment
from engine.planning.models.backends.base import ChatRequest, Chunk, ModelStatus, redacted
from engine.planning.models.backends.openai import OpenAIBackend

_MAGIC = b"GGUF"
_USUAL_CONTEXT = 8000
_NICENESS = 10
_END_S = 2.0
_LAST_WORDS = 4000
"""Bytes at the end of the process's output in which the reason of its end is looked for."""
_REASON = re.compile(r"error loading model: (.+)")
_ERRORS = 1
"""How much llama.cpp writes: what it says of every question would fill a disk in the end."""


class LocalBackend:
    """A model of a GGUF file, whose name without the folder is the model's.

    It is loaded for `max_context_length` tokens of question and answer; 0: 8,000.

    Raises:
        ConfigurationError: It is no such file.
    """

    name = "local"
    is_paid = False

    def __init__(
        self, path: str, *, load_timeout_s: float = 300.0, max_context_length: int = 0
    ) -> None:
        _check_file(path)
        self._path = path
        self.model = Path(path).name.replace("+", "_")  # models that vote are joined with a +
        self._load_timeout_s = load_timeout_s
        self._context = max_context_length or _USUAL_CONTEXT
        self._running: tuple[_Server, OpenAIBackend] | None = None

    async def chat(self, request: ChatRequest) -> AsyncIterator[Chunk]:
        """Stream an answer; see `Backend.chat`."""
        if self._running is None:
            raise LLMConnectionError(f"{self.model} is not loaded.")
        server, client = self._running
        try:
            async with aclosing(client.chat(request)) as chunks:  # type: ignore[type-var]
                async for chunk in chunks:
                    yield chunk
        except LLMConnectionError:
            # Its connections end before it does.
            if ended := await asyncio.to_thread(server.ended, _END_S / 4):
                raise LLMConnectionError(
                    f"{self.model}: {ended}.", "It will be restarted."
                ) from None
            raise

    async def probe(self) -> ModelStatus:
        """Look whether the model is in memory; see `Backend.probe`."""
        if self._running is None or self._running[0].ended():
            return ModelStatus("loading", f"{self.model} is loading.")
        return await self._running[1].probe()

    async def load(self) -> None:
        """Start the process, if it does not run, and wait for the model; see `Backend.load`."""
        if self._running is not None and not self._running[0].ended():
            return
        await self.close()
        server = _Server(self._path, self._context)
        try:
            async with asyncio.timeout(self._load_timeout_s):
                url = f"{await asyncio.to_thread(server.address)}/v1"
            client = OpenAIBackend(self._path, base_url=url, key=server.key)
        except BaseException as error:
            await asyncio.to_thread(server.close)
            if not isinstance(error, TimeoutError):
                raise
            raise LLMConnectionError(
                f"{self.model} did not load within {self._load_timeout_s:g} s.",
                "planner.load_timeout_s sets the timeout; a smaller model loads faster.",
            ) from None
        self._running = server, client

    async def close(self) -> None:
        """End the process."""
        running, self._running = self._running, None
        if running is not None:
            server, client = running
            await client.close()
            await asyncio.to_thread(server.close)


class _Server:
    """The process, seen from ours; every question has to name its `key`."""

    def __init__(self, path: str, context: int) -> None:
        self.key = secrets.token_urlsafe(32)
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            python_command("engine.planning.models.backends.local"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said,
            env=worker_environment(), start_new_session=True,
        )  # fmt: skip
        self._path = path
        self._settings = {"path": path, "key": self.key, "context": context}

    def address(self) -> str:
        """Wait until the model is loaded, and return where it answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(OSError):  # it has ended: so the line is empty
            self._process.stdin.write(json.dumps(self._settings).encode() + b"\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_S)
            raise LLMConnectionError(
                f"{Path(self._path).name} cannot be loaded: {self.ended() or 'no reason given'}.",
                "Check that the file is complete and fits into memory.",
            )
        return line.decode().strip()

    def ended(self, within_s: float = 0.0) -> str:
        """Return how it has ended, or does so within some time; "" while it runs."""
        how = ending(self._process, within_s)
        if how.startswith("killed"):
            memory = "; it may have run out of memory" if how.endswith(" SIGKILL") else ""
            return f"its process was {how}{memory}"
        return f"its process has ended: {self._last_words() or how}" if how else ""

    def _last_words(self) -> str:
        """Return why it could not load the model, else the last line that it wrote."""
        size = self._said.seek(0, os.SEEK_END)
        lines = lines_in(self._said, max(0, size - _LAST_WORDS))
        reason = next((found[1] for line in lines if (found := _REASON.search(line))), "")
        return redacted(reason or (lines or [""])[-1], self.key).rstrip(".")

    def close(self) -> None:
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()  # by this it knows that nobody wants it any more
        reap(self._process, _END_S)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._said.close()


def _check_file(path: str) -> None:
    remedy = "Use the path of an instruct model's GGUF file."
    file = Path(path)
    if not file.is_file():  # a pipe would be waited for
        what = "is not a file" if file.exists() else "does not exist"
        raise ConfigurationError(f"The model file {path} {what}.", remedy)
    try:
        with file.open("rb") as opened:
            is_model = opened.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        raise ConfigurationError(
            f"The model file {path} cannot be read: {error.strerror or error}.", remedy
        ) from None
    if not is_model:
        raise ConfigurationError(f"{path} is not a GGUF file.", remedy)


def _serve() -> None:
    """Serve the model that the first line of the input names, until the input ends."""
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # llama.cpp writes to both
    settings = json.loads(sys.stdin.readline())
    # Before it loads: that takes long, and may not be wanted any more.
    threading.Thread(target=_end_with_input, daemon=True).start()
    _yield_to_others()
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = settings["path"]
    parameters.api_keys = [settings["key"]]
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = settings["context"]
    parameters.n_parallel = 1  # one question at a time: all the memory is its
    parameters.cache_ram_mib = 0  # it would keep former questions, up to 8 GiB of them
    parameters.verbosity = _ERRORS
    parameters.ui = False
    parameters.offline = True
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = _threads()
    server = xllamacpp.Server(parameters)
    print(server.listening_address, file=answer, flush=True)
    threading.Event().wait()


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)  # an answer that nobody waits for any more need not be finished


def _yield_to_others() -> None:
    """Leave processor time to the games, and be the first to go where memory runs out."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    with suppress(OSError):  # there is no such thing but on Linux
        Path("/proc/self/oom_score_adj").write_text("1000")


def _threads() -> int:
    """Return half the cores: each thread waits for all others, one that has no core included.

    With as many threads as cores, games on all of them make it write 15 times slower.
    """
    is_told = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if is_told else os.cpu_count() or 1
    return max(1, cores // 2)


if __name__ == "__main__":
    _serve()
