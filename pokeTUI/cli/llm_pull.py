"""Download models with an Ollama server: `poketui llm pull`."""

import asyncio
import shlex
import sys
from collections.abc import Callable
from contextlib import aclosing
from typing import Annotated

from engine.config import RunConfig, load_config
from engine.errors import ConfigurationError, LLMConnectionError
from engine.ground.providers import backend_of
from engine.planning.models.backends.ollama import OllamaBackend, Pulled
from pokeTUI.cli.options import Given
from pokeTUI.cli.progress import Advance, progress
from pokeTUI.terminal.printing import say

DEFAULT_MODEL = "smollm2:1.7b"
_CONNECT_TIMEOUT_S = 5.0
_PARTS = 10
"""How often a line is printed of what is downloaded, where there is no terminal."""
_MOST_PARTS = 1000
"""Of a model: what a server says of more is not counted."""
_RESUMES = "the download is kept; the same command resumes it"
_NO_SERVER = (
    "Get Ollama from ollama.com. Without it, get a GGUF file (hf download REPOSITORY "
    "FILE.gguf --local-dir .), then: pip install 'poketui[local]' && poketui run --llm-model "
    "./FILE.gguf"
)
_REMEDIES = {
    "no space": "Free some disk space on the server; the same command then resumes.",
    "file does not exist": "Check the model's name and tag.",
    "not found": "Check the model's name and tag.",
}
"""By words of what a server says that cannot pull a model."""


def config_with_model(given: Given) -> RunConfig:
    """Return the settings with a model, where none is named the one that is suggested."""
    config = load_config(None, given)
    return config if config.llm_model else config.model_copy(update={"llm_model": DEFAULT_MODEL})


def pull(
    model: str | None = None, /, *, given: Annotated[Given, "llm_base_url=--base-url"]
) -> None:
    """Download a model with Ollama; an interrupted download is resumed.

    Args:
        model: Name in Ollama's library. Default: smollm2:1.7b.
    """
    config = config_with_model(given | ({} if model is None else {"llm_model": model}))
    for name in config.models:
        kind = config.llm_backend or backend_of(name)
        if kind != "ollama":
            what = "is a file" if kind == "local" else f"uses the {kind} protocol"
            raise ConfigurationError(
                f"{name} {what}: there is nothing to pull.",
                f"Check it: poketui llm check --model {shlex.quote(name)}",
            )
    for name in config.models:
        backend = OllamaBackend(
            name, base_url=config.llm_base_url, connect_timeout_s=_CONNECT_TIMEOUT_S
        )
        with progress(f"pulling {name}", left=_RESUMES, in_bytes=True) as advance:
            show = _Lines() if not sys.stderr.isatty() else _Bar(advance)
            asyncio.run(_pull(backend, show))
        say(f"{name} is available. Check it: poketui llm check --model {shlex.quote(name)}")


async def _pull(backend: OllamaBackend, show: Callable[[Pulled], None]) -> None:
    try:
        status = await backend.probe()
        if status.state == "unreachable":
            raise LLMConnectionError(status.detail, _NO_SERVER)
        try:
            async with aclosing(backend.pull()) as parts:
                async for part in parts:
                    show(part)
        except LLMConnectionError as error:
            remedies = (hint for words, hint in _REMEDIES.items() if words in error.message)
            hint = next(remedies, "The same command resumes.")
            raise LLMConnectionError(error.message, hint) from None
    finally:
        await backend.close()


class _Bar:
    """Shows on a bar the bytes of all parts that are known of."""

    def __init__(self, advance: Advance) -> None:
        self._advance = advance
        self._parts: dict[str, Pulled] = {}

    def __call__(self, part: Pulled) -> None:
        is_known = part.status in self._parts or len(self._parts) < _MOST_PARTS
        if part.total and is_known:
            self._parts[part.status] = part
            parts = self._parts.values()
            self._advance(sum(one.completed for one in parts), sum(one.total for one in parts))


class _Lines:
    """Prints a line for what begins, and for each tenth of what is downloaded."""

    def __init__(self) -> None:
        self._last = ("", 0)

    def __call__(self, part: Pulled) -> None:
        done = part.completed * _PARTS // part.total if part.total else 0
        if (part.status, done) != self._last:
            self._last = (part.status, done)
            size = f" {part.completed:,} of {part.total:,} bytes" if part.total else ""
            say(f"{part.status}{size}")
