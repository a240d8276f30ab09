"""Ask a model of OpenAI, or of any server that speaks its protocol. Needs the extra `openai`."""

import asyncio
import importlib
import os
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from engine.config import THINKING_TOKENS
from engine.errors import ConfigurationError, LLMConnectionError
from engine.llm.backends.base import (
    UNLISTED,
    ChatRequest,
    Chunk,
    ModelStatus,
    check_address,
    key_from,
    redacted,
    refusal,
    schema_in_words,
    shown_address,
    status_of,
    strict_schema,
)

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletionChunk

_PROBE_FACTOR = 5
"""A probe may take this many times as long as connecting."""
_REASONS = re.compile(r"o\d|gpt-[5-9]")
"""Models that always think: they take no temperature, and think as little as they are told."""
_OPTIONAL = {
    "response_format": ("response_format", "json_schema", "schema", "strict", "grammar"),
    "max_completion_tokens": ("max_completion_tokens", "max_tokens"),
    "temperature": ("temperature",),
    "reasoning_effort": ("reasoning_effort", "reasoning.effort"),
    "stream_options": ("stream_options",),
}
"""What a server may refuse, and the words by which its error tells so."""
_FIRST_DROPPED = ("response_format", "max_completion_tokens")
"""What is left out where the error names nothing."""


class OpenAIBackend:
    """A model of a server at `base_url`, else OPENAI_BASE_URL, else OpenAI's own.

    A server that refuses a part of the request is asked again without it, and from then on.

    Args:
        model: As the server names it.
        base_url: Up to and with "/v1", as a rule.
        connect_timeout_s: Longest time to connect.

    Raises:
        ConfigurationError: OPENAI_API_KEY is missing, and no other server is named.
    """

    name = "openai"

    def __init__(self, model: str, *, base_url: str = "", connect_timeout_s: float = 1.0) -> None:
        self.model = model
        self._base_url = base_url or os.environ.get("OPENAI_BASE_URL", "").strip()
        self._key = key_from("OPENAI_API_KEY")
        if self._base_url:
            check_address(self._base_url, "llm_base_url" if base_url else "OPENAI_BASE_URL")
        elif not self._key:
            raise ConfigurationError(
                f"{model} needs a key of OpenAI.",
                "Set OPENAI_API_KEY, or OPENAI_BASE_URL to a server that speaks its protocol.",
            )
        shown = shown_address(self._base_url)
        self._server = f"The server at {shown}" if shown else "OpenAI"
        self._connect_timeout_s = connect_timeout_s
        self._client: AsyncOpenAI | None = None
        self._refused_parts: set[str] = set()

    @property
    def is_paid(self) -> bool:
        """Tell whether the model is asked of whom it belongs to."""
        return not self._base_url

    async def chat(self, request: ChatRequest) -> AsyncIterator[Chunk]:
        """Stream an answer; see `Backend.chat`."""
        client = await self._open()
        from openai import APIStatusError

        with self._failures():
            create: Any = client.chat.completions.create  # its overloads take no mapping
            while True:
                try:
                    stream = await create(**self._body(request))
                    break
                except APIStatusError as error:
                    if not self._can_do_without(error):
                        raise
            try:
                reading = _Reading()
                async for part in stream:
                    for chunk in reading.take(part):
                        yield chunk
                yield reading.last()
            finally:
                await stream.close()

    async def probe(self) -> ModelStatus:
        """Look whether the server lists the model; see `Backend.probe`."""
        try:
            client = await self._open()
            from openai import APIStatusError

            with self._failures():
                try:
                    async with asyncio.timeout(_PROBE_FACTOR * self._connect_timeout_s):
                        page = await client.models.list()
                except APIStatusError as error:
                    if not self._base_url or error.status_code not in UNLISTED:
                        raise
                    return ModelStatus("ready", f"{self._server} does not list its models.")
        except LLMConnectionError as error:
            return status_of(error)
        models = tuple(sorted(str(model.id) for model in page.data or ()))
        if self.model in models:
            return ModelStatus("ready", "", models)
        if not self._base_url:
            return ModelStatus(
                "missing",
                f"{self._server} has no model {self.model!r} for this key. Check the name.",
                models,
            )
        # Many servers have one model and answer to any name.
        return ModelStatus("ready", f"{self._server} does not list {self.model!r}.", models)

    async def load(self) -> None:
        """Return at once: these servers load by themselves."""

    async def close(self) -> None:
        """Let go of all connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _open(self) -> "AsyncOpenAI":
        if self._client is None:
            # Importing it and reading certificates take long enough to hold up the loop.
            await asyncio.to_thread(importlib.import_module, "openai")
            with self._failures():
                client = await asyncio.to_thread(self._make_client)
            self._client = self._client or client
        return self._client

    def _make_client(self) -> "AsyncOpenAI":
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout

        client = AsyncOpenAI(
            api_key=self._key or "none",  # a server of one's own takes any, but there must be one
            base_url=self._base_url or None,
            timeout=Timeout(None, connect=self._connect_timeout_s),
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(follow_redirects=False),  # the key stays here
        )
        _ = client.chat.completions, client.models  # each imports more
        return client

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        """Return the request without what the server has refused before."""
        system = request.system
        body: dict[str, Any] = {"model": self.model, "stream": True}
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {
                "name": "answer",
                "strict": True,
                "schema": strict_schema(request.schema),
            },
        }
        if "response_format" in self._refused_parts:
            body["response_format"] = {"type": "json_object"}
            system += schema_in_words(request.schema)
        body["stream_options"] = {"include_usage": True}
        reasons = bool(_REASONS.match(self.model))
        if reasons:
            body["reasoning_effort"] = "medium" if request.think else "low"
        else:
            body["temperature"] = request.temperature
        for name in ("stream_options", "reasoning_effort", "temperature"):
            if name in self._refused_parts:
                body.pop(name, None)
        is_old = "max_completion_tokens" in self._refused_parts
        limit = request.max_tokens + (THINKING_TOKENS if reasons or request.think else 0)
        body["max_tokens" if is_old else "max_completion_tokens"] = limit
        body["messages"] = [
            {"role": "system", "content": system},
            {"role": "user", "content": request.user},
        ]
        return body

    def _can_do_without(self, error: Any) -> bool:
        """Tell whether the request can be made in a simpler form after a refusal; make it so."""
        if error.status_code not in (400, 422):
            return False
        said = f"{error.message} {error.body}".lower()
        named = {part for part, words in _OPTIONAL.items() if any(word in said for word in words)}
        if not named and self._base_url:
            named = set(_FIRST_DROPPED)
        is_new = not named <= self._refused_parts
        self._refused_parts |= named
        return is_new

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Turn all that the client raises into LLMConnectionError."""
        import httpx2
        import openai

        try:
            yield
        except openai.APIStatusError as error:
            detail = redacted(_said(error.body) or error.message, self._key)
            hint = "Check OPENAI_API_KEY." if error.status_code in (401, 403) else ""
            raise refusal(self._server, error.status_code, detail, hint) from None
        except (openai.APITimeoutError, httpx2.TimeoutException, TimeoutError):
            raise self._unreachable("does not answer in time") from None
        except (openai.APIConnectionError, httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            cause = redacted(type(error.__cause__ or error).__name__)
            raise self._unreachable(f"cannot be reached or broke off ({cause})") from None
        except openai.OpenAIError as error:
            detail = redacted(error, self._key)
            raise refusal(self._server, -1, detail) from None
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
            # The client expects certain fields in every event.
            raise LLMConnectionError(
                f"{self._server} sent what is not OpenAI's protocol.",
                "Check the address: it ends in /v1, as a rule.",
            ) from None

    def _unreachable(self, what: str) -> LLMConnectionError:
        return LLMConnectionError(
            f"{self._server} {what}.", "Check the network, and OPENAI_BASE_URL if it is set."
        )


class _Reading:
    """What the events of an answer have said of its end so far."""

    def __init__(self) -> None:
        self._done_reason = ""
        self._prompt_tokens = 0
        self._answer_tokens = 0

    def take(self, part: "ChatCompletionChunk") -> Iterator[Chunk]:
        if part.usage:
            self._prompt_tokens = part.usage.prompt_tokens or 0
            self._answer_tokens = part.usage.completion_tokens or 0
        for choice in (part.choices or ())[:1]:
            delta: Any = choice.delta
            # Servers of open models send thoughts in a field of their own, under either name.
            thought = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
            if isinstance(thought, str) and thought:
                yield Chunk(thought, is_thinking=True)
            if delta.content or delta.refusal:
                yield Chunk(delta.content or delta.refusal)
            self._done_reason = choice.finish_reason or self._done_reason

    def last(self) -> Chunk:
        return Chunk(
            done_reason=self._done_reason or "cut",
            prompt_tokens=self._prompt_tokens,
            answer_tokens=self._answer_tokens,
        )


def _said(body: object) -> str:
    """Return the message of an error's body: {"message": ...} or {"error": {"message": ...}}."""
    while isinstance(body, dict):
        body = body.get("message") or body.get("error") or body.get("detail")
    return body if isinstance(body, str) else ""
