"""Ask a model behind an Ollama server."""

import asyncio
import importlib
import json
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, Any

from engine.config import THINKING_TOKENS
from engine.errors import LLMConnectionError
from engine.llm.backends.base import (
    ChatRequest,
    Chunk,
    ModelStatus,
    check_address,
    key_from,
    redacted,
    refusal,
    shown_address,
    status_of,
)
from engine.llm.tokens import FRAME_TOKENS, estimate_tokens

if TYPE_CHECKING:
    from ollama import AsyncClient, ChatResponse, ResponseError

_DEFAULT_ADDRESS = "127.0.0.1:11434"
_KEEP_ALIVE = "30m"
_USUAL_CONTEXT = 4096
_PROBE_FACTOR = 5
"""A probe may take this many times as long as connecting."""


class OllamaBackend:
    """A model of an Ollama server, at `base_url`, else OLLAMA_HOST, else this machine's.

    Args:
        model: As `ollama list` shows it; ":latest" may be left out.
        base_url: As OLLAMA_HOST: http://1.2.3.4 means port 80, a bare host port 11434.
        connect_timeout_s: Longest time to connect.
        load_timeout_s: Longest time to load the model into memory.
        max_context_length: Most tokens of question and answer that it is loaded for; 0: as many as
            the questions need.

    Raises:
        ConfigurationError: The address is none.
    """

    name = "ollama"
    is_paid = False

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "",
        connect_timeout_s: float = 1.0,
        load_timeout_s: float = 300.0,
        max_context_length: int = 0,
    ) -> None:
        self.model = model
        self._host = base_url or os.environ.get("OLLAMA_HOST", "").strip() or _DEFAULT_ADDRESS
        origin = "llm_base_url" if base_url else "OLLAMA_HOST"
        check_address(self._host, origin, needs_scheme=False)
        self._server = f"Ollama at {shown_address(self._host)}"
        self._connect_timeout_s = connect_timeout_s
        self._load_timeout_s = load_timeout_s
        self._client: AsyncClient | None = None
        self._most_tokens = max_context_length or sys.maxsize
        self._context_tokens = _USUAL_CONTEXT
        self._takes_think = True

    async def chat(self, request: ChatRequest) -> AsyncIterator[Chunk]:
        """Stream an answer; see `Backend.chat`."""
        client = await self._open()
        from ollama import ResponseError

        self._make_room(request)
        with self._failures():
            while True:
                try:
                    async with aclosing(self._answer(client, request)) as parts:
                        async for chunk in parts:
                            yield chunk
                    return
                except ResponseError as error:
                    if not self._refuses_think(error):
                        raise
                    self._takes_think = False

    async def probe(self) -> ModelStatus:
        """Look whether the server has the model, and in memory; see `Backend.probe`."""
        try:
            client = await self._open()
            with self._failures():
                async with asyncio.timeout(_PROBE_FACTOR * self._connect_timeout_s):
                    listed = (await client.list()).models
                    models = tuple(sorted(m.model for m in listed if m.model))
                    loaded = tuple(m.model or "" for m in (await client.ps()).models)
        except LLMConnectionError as error:
            return status_of(error)
        if not self._is_among(models):
            return ModelStatus("missing", f"{self._server} has no {self._missing()}", models)
        if self._is_among(loaded) or self.model.endswith("cloud"):  # these are in no memory
            return ModelStatus("ready", "", models)
        return ModelStatus("loading", f"{self._server} has not loaded {self.model} yet.", models)

    async def load(self) -> None:
        """Have the model loaded; see `Backend.load`."""
        client = await self._open()
        with self._failures():
            try:
                async with asyncio.timeout(self._load_timeout_s):
                    await client.chat(
                        self.model, messages=[], keep_alive=_KEEP_ALIVE, options=self._memory()
                    )
            except TimeoutError:
                raise LLMConnectionError(
                    f"{self._server} did not load {self.model} within {self._load_timeout_s:g} s.",
                    "planner.load_timeout_s sets how long to wait; a smaller model loads faster.",
                ) from None

    async def close(self) -> None:
        """Let go of all connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()  # type: ignore[no-untyped-call]

    async def _open(self) -> "AsyncClient":
        if self._client is None:
            # Importing it and reading certificates take long enough to hold up the loop.
            await asyncio.to_thread(importlib.import_module, "ollama")
            with self._failures():
                client = await asyncio.to_thread(self._make_client)
            self._client = self._client or client
        return self._client

    def _make_client(self) -> "AsyncClient":
        import httpx
        from ollama import AsyncClient

        # Loading a model can take minutes without a byte: reading is bounded elsewhere.
        timeout = httpx.Timeout(None, connect=self._connect_timeout_s)
        return AsyncClient(self._host, timeout=timeout, follow_redirects=False)  # the key stays

    async def _answer(self, client: "AsyncClient", request: ChatRequest) -> AsyncGenerator[Chunk]:
        parts = await client.chat(
            self.model,
            messages=[
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.user},
            ],
            stream=True,
            think=request.think if self._takes_think else None,
            format=request.schema,
            options={
                "num_predict": _limit(request),
                "temperature": request.temperature,
                **self._memory(),
            },
            keep_alive=_KEEP_ALIVE,
        )
        async with aclosing(parts):  # type: ignore[type-var]  # it is a generator
            async for part in parts:
                for chunk in _chunks(part):
                    yield chunk

    def _make_room(self, request: ChatRequest) -> None:
        """Have a context that holds the request; it only grows: each size loads the model anew."""
        asked = estimate_tokens(request.system) + estimate_tokens(request.user)
        needed = min(self._most_tokens, asked + FRAME_TOKENS + _limit(request))
        while self._context_tokens < needed:
            self._context_tokens *= 2

    def _memory(self) -> dict[str, Any]:
        """Return the options that decide how the model is loaded: always the same ones."""
        return {"num_ctx": min(self._context_tokens, self._most_tokens)}

    def _refuses_think(self, error: "ResponseError") -> bool:
        return self._takes_think and error.status_code == 400 and "think" in str(error.error)

    def _is_among(self, models: tuple[str, ...]) -> bool:
        return self.model in models or f"{self.model}:latest" in models

    def _missing(self) -> str:
        return f"model {self.model!r}. Get it: ollama pull {self.model}"

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Turn all that the client raises into LLMConnectionError."""
        import httpx
        import ollama

        try:
            yield
        except ollama.ResponseError as error:
            raise self._refused(error.status_code, error.error) from None
        except httpx.TimeoutException:
            raise self._unreachable("does not answer") from None
        except (ConnectionError, httpx.ConnectError):
            raise self._unreachable("cannot be reached") from None
        except TimeoutError:
            raise self._unreachable("does not answer in time") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise self._unreachable(f"broke off ({type(error).__name__})") from None
        except (json.JSONDecodeError, ValueError, TypeError, AttributeError, RecursionError):
            # The client expects objects with certain fields in every line.
            raise LLMConnectionError(
                f"{self._server} sent what is not the Ollama protocol.",
                "Check the address, and that the server is whole.",
            ) from None

    def _refused(self, status: int, said: object) -> LLMConnectionError:
        detail = redacted(said, key_from("OLLAMA_API_KEY"))
        if status == 404 and "not found" in detail:
            return LLMConnectionError(f"{self._server} has no {self._missing()}", is_permanent=True)
        return refusal(self._server, status, detail)

    def _unreachable(self, what: str) -> LLMConnectionError:
        return LLMConnectionError(
            f"{self._server} {what}.",
            "Start it (ollama serve), or set OLLAMA_HOST to where it runs.",
        )


def _limit(request: ChatRequest) -> int:
    return request.max_tokens + (THINKING_TOKENS if request.think else 0)


def _chunks(part: "ChatResponse") -> Iterator[Chunk]:
    if part.message.thinking:
        yield Chunk(part.message.thinking, is_thinking=True)
    if part.done:
        yield Chunk(
            part.message.content or "",
            done_reason=part.done_reason or "stop",
            prompt_tokens=part.prompt_eval_count or 0,
            answer_tokens=part.eval_count or 0,
        )
    elif part.message.content:
        yield Chunk(part.message.content)
