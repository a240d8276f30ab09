"""Ask a model of Anthropic. Needs the extra `anthropic`."""

import asyncio
import importlib
import os
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
from engine.llm.backends.dialect import REFUSED

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_PROBE_FACTOR = 5
"""A probe may take this many times as long as connecting."""
_DONE_REASONS = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}
_THINKING: tuple[dict[str, Any] | None, ...] = (
    {"type": "adaptive"},
    {"type": "enabled", "budget_tokens": THINKING_TOKENS},
    None,
)
"""Ways to ask for thought, newest first: which one a model takes, only its server knows."""
_NO_THINKING: tuple[dict[str, Any] | None, ...] = ({"type": "disabled"}, None)


class AnthropicBackend:
    """A model of Anthropic, or of a server at `base_url`, else ANTHROPIC_BASE_URL.

    A model that refuses a part of the request is asked again without it, and from then on.

    Args:
        model: As Anthropic names it.
        base_url: Without "/v1".
        connect_timeout_s: Longest time to connect.

    Raises:
        ConfigurationError: ANTHROPIC_API_KEY is missing, and no other server is named.
    """

    name = "anthropic"

    def __init__(self, model: str, *, base_url: str = "", connect_timeout_s: float = 1.0) -> None:
        self.model = model
        self._base_url = base_url or os.environ.get("ANTHROPIC_BASE_URL", "").strip()
        self._key = key_from("ANTHROPIC_API_KEY")
        if self._base_url:
            check_address(self._base_url, "llm_base_url" if base_url else "ANTHROPIC_BASE_URL")
        elif not self._key:
            raise ConfigurationError(
                f"{model} needs a key of Anthropic.", "Set ANTHROPIC_API_KEY to it."
            )
        shown = shown_address(self._base_url)
        self._server = f"The server at {shown}" if shown else "Anthropic"
        self._connect_timeout_s = connect_timeout_s
        self._client: AsyncAnthropic | None = None
        self._takes_schema = True
        self._thinking = {False: 0, True: 0}
        """Which of the ways of saying it the model takes, by whether it is to think."""

    @property
    def is_paid(self) -> bool:
        """Tell whether the model is asked of whom it belongs to."""
        return not self._base_url

    async def chat(self, request: ChatRequest) -> AsyncIterator[Chunk]:
        """Stream an answer; see `Backend.chat`."""
        client = await self._open()
        from anthropic import APIStatusError

        with self._failures():
            create: Any = client.messages.create  # its overloads take no mapping
            known = self._takes_schema, dict(self._thinking)
            while True:
                try:
                    stream = await create(**self._body(request))
                    break
                except APIStatusError as error:
                    if not self._can_do_without(error, request.think):
                        self._takes_schema, self._thinking = known  # what did not help
                        raise
            try:
                reading = _Reading()
                async for event in stream:
                    for chunk in reading.take(event):
                        yield chunk
                yield reading.last()
            finally:
                await stream.close()

    async def probe(self) -> ModelStatus:
        """Look whether the server knows the model; see `Backend.probe`."""
        try:
            client = await self._open()
            from anthropic import APIStatusError

            with self._failures():
                try:
                    async with asyncio.timeout(_PROBE_FACTOR * self._connect_timeout_s):
                        await client.models.retrieve(self.model)
                except APIStatusError as error:
                    # Anthropic itself says so of a name that it does not know.
                    if error.status_code not in (UNLISTED if self._base_url else {404}):
                        raise
                    return self._unknown()
        except LLMConnectionError as error:
            return status_of(error)
        return ModelStatus("ready", "", (self.model,))

    async def load(self) -> None:
        """Return at once: this server loads by itself."""

    async def close(self) -> None:
        """Let go of all connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _open(self) -> "AsyncAnthropic":
        if self._client is None:
            # Importing it and reading certificates take long enough to hold up the loop.
            await asyncio.to_thread(importlib.import_module, "anthropic")
            with self._failures():
                client = await asyncio.to_thread(self._make_client)
            self._client = self._client or client
        return self._client

    def _make_client(self) -> "AsyncAnthropic":
        from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient, Timeout

        client = AsyncAnthropic(
            # Always given: without one, the client looks for keys on the disk.
            api_key=self._key or "none",
            base_url=self._base_url or None,
            timeout=Timeout(None, connect=self._connect_timeout_s),
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(follow_redirects=False),  # the key stays here
        )
        _ = client.messages, client.models  # each imports more
        return client

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        """Return the request without what the model has refused before."""
        body: dict[str, Any] = {"model": self.model, "stream": True, "system": request.system}
        if self._takes_schema:
            schema = strict_schema(request.schema)
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        else:
            body["system"] += schema_in_words(request.schema)
        thinking = _ways(request.think)[self._thinking[request.think]]
        if thinking is not None:
            body["thinking"] = thinking
        body["max_tokens"] = request.max_tokens + (THINKING_TOKENS if request.think else 0)
        body["messages"] = [{"role": "user", "content": request.user}]
        return body

    def _can_do_without(self, error: Any, think: bool) -> bool:
        """Tell whether the request can be made in a simpler form after a refusal; make it so."""
        if error.status_code not in REFUSED:
            return False
        said = f"{error.message} {error.body}".lower()
        has_changed = False
        if self._takes_schema and any(w in said for w in ("output_", "json_schema", "schema")):
            self._takes_schema = False
            has_changed = True
        if "thinking" in said and self._thinking[think] + 1 < len(_ways(think)):
            self._thinking[think] += 1
            has_changed = True
        return has_changed

    def _unknown(self) -> ModelStatus:
        if self._base_url:  # many servers answer to messages and to nothing else
            return ModelStatus("ready", f"{self._server} does not list {self.model!r}.")
        return ModelStatus(
            "missing", f"{self._server} has no model {self.model!r} for this key. Check the name."
        )

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Turn all that the client raises into LLMConnectionError."""
        import anthropic
        import httpx2

        try:
            yield
        except anthropic.APIStatusError as error:
            # An error in the middle of an answer has the status of its beginning.
            status = error.status_code if error.status_code >= 300 else -1
            detail = redacted(_said(error.body) or error.message, self._key)
            hint = "Check ANTHROPIC_API_KEY." if status in (401, 403) else ""
            raise refusal(self._server, status, detail, hint) from None
        except (anthropic.APITimeoutError, httpx2.TimeoutException, TimeoutError):
            raise self._unreachable("does not answer in time") from None
        except (
            anthropic.APIConnectionError,
            httpx2.HTTPError,
            httpx2.InvalidURL,
            OSError,
        ) as error:
            cause = redacted(type(error.__cause__ or error).__name__)
            raise self._unreachable(f"cannot be reached or broke off ({cause})") from None
        except anthropic.AnthropicError as error:
            detail = redacted(error, self._key)
            raise refusal(self._server, -1, detail) from None
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
            # The client expects certain fields in every event.
            raise LLMConnectionError(
                f"{self._server} sent what is not Anthropic's protocol.", "Check the address."
            ) from None

    def _unreachable(self, what: str) -> LLMConnectionError:
        return LLMConnectionError(
            f"{self._server} {what}.", "Check the network, and ANTHROPIC_BASE_URL if it is set."
        )


class _Reading:
    """What the events of an answer have said of its end so far."""

    def __init__(self) -> None:
        self._done_reason = ""
        self._prompt_tokens = 0
        self._answer_tokens = 0

    def take(self, event: Any) -> Iterator[Chunk]:
        if event.type == "message_start":
            self._prompt_tokens = event.message.usage.input_tokens or 0
        elif event.type == "content_block_delta" and event.delta.type == "text_delta":
            yield Chunk(event.delta.text)
        elif event.type == "content_block_delta" and event.delta.type == "thinking_delta":
            yield Chunk(event.delta.thinking, is_thinking=True)
        elif event.type == "message_delta":
            reason = event.delta.stop_reason or ""
            self._done_reason = _DONE_REASONS.get(reason, reason)
            if event.usage:
                self._answer_tokens = event.usage.output_tokens or 0

    def last(self) -> Chunk:
        return Chunk(
            done_reason=self._done_reason or "cut",
            prompt_tokens=self._prompt_tokens,
            answer_tokens=self._answer_tokens,
        )


def _ways(think: bool) -> tuple[dict[str, Any] | None, ...]:
    return _THINKING if think else _NO_THINKING


def _said(body: object) -> str:
    """Return the message of an error's body, {"error": {"message": ...}}."""
    while isinstance(body, dict):
        body = body.get("error") or body.get("message")
    return body if isinstance(body, str) else ""
