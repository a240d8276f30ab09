"""Ask a model of OpenAI, or of any server that speaks its protocol. Needs the extra `openai`."""

import asyncio
import importlib
import os
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
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
from engine.llm.backends.dialect import Dialect, Form, Refusal, adapt

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletionChunk

_PROBE_FACTOR = 5
"""A probe may take this many times as long as connecting."""
_REASONS = re.compile(r"o\d|gpt-[5-9]|gpt-oss")
"""Models that always think, as little as they are told."""
_THINKS = re.compile(r".*(reasoner|-r1|thinking|magistral)|qwq|qwen3(?!.*instruct)")
"""Models that think unless their server is told not to, if then."""


class OpenAIBackend:
    """A model of a server at `base_url`, else OPENAI_BASE_URL, else OpenAI's own.

    A server that refuses a part of a question is asked again without it, and from then on.

    Args:
        model: As the server names it.
        base_url: Up to and with "/v1", as a rule.
        key: Else OPENAI_API_KEY.
        connect_timeout_s: Longest time to connect.
        heeds_proxies: Go through the proxy that the environment names, if any.

    Raises:
        ConfigurationError: OPENAI_API_KEY is missing, and no other server is named.
    """

    name = "openai"

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "",
        key: str = "",
        connect_timeout_s: float = 1.0,
        heeds_proxies: bool = True,
    ) -> None:
        self.model = model
        self._base_url = base_url or os.environ.get("OPENAI_BASE_URL", "").strip()
        self._key = key or key_from("OPENAI_API_KEY")
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
        self._heeds_proxies = heeds_proxies
        self._client: AsyncOpenAI | None = None
        name = model.lower().rpartition("/")[2]
        self._reasons = bool(_REASONS.match(name))
        self._dialect = _first_dialect(name, is_own=not self._base_url)

    @property
    def is_paid(self) -> bool:
        """Tell whether the model is asked of whom it belongs to."""
        return not self._base_url

    async def chat(self, request: ChatRequest) -> AsyncIterator[Chunk]:
        """Stream an answer; see `Backend.chat`."""
        client = await self._open()
        with self._failures():
            answer = adapt(
                self._dialect,
                lambda dialect: self._answer(client, request, dialect),
                _refusal_of,
                self._learn,
                is_named=not self._base_url,
            )
            async with aclosing(answer) as chunks:
                async for chunk in chunks:
                    yield chunk

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
        from httpx2 import Limits
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout

        # Servers close connections that are idle, some as the next question is on its way. What a
        # new one costs is nothing beside an answer.
        limits = Limits(max_keepalive_connections=0)
        client = AsyncOpenAI(
            api_key=self._key or "none",  # a server of one's own takes any, but there must be one
            base_url=self._base_url or None,
            timeout=Timeout(None, connect=self._connect_timeout_s),
            max_retries=0,
            # The key stays here: redirects are not followed.
            http_client=DefaultAsyncHttpxClient(
                follow_redirects=False, limits=limits, trust_env=self._heeds_proxies
            ),
        )
        _ = client.chat.completions, client.models  # each imports more
        return client

    async def _answer(
        self, client: "AsyncOpenAI", request: ChatRequest, dialect: Dialect
    ) -> AsyncGenerator[Chunk]:
        create: Any = client.chat.completions.create  # its overloads take no mapping
        stream = await create(**self._body(request, dialect))
        try:
            reading = _Reading()
            async for part in stream:
                for chunk in reading.take(part):
                    yield chunk
            yield reading.last()
        finally:
            await stream.close()

    def _body(self, request: ChatRequest, dialect: Dialect) -> dict[str, Any]:
        """Return the request in a dialect."""
        system, limit = request.system, request.max_tokens
        body: dict[str, Any] = {"model": self.model, "stream": True}
        if dialect.form <= Form.PLAIN_SCHEMA:
            is_plain = dialect.form == Form.PLAIN_SCHEMA
            schema = strict_schema(request.schema) if is_plain else request.schema
            described = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": described}
        else:
            system += schema_in_words(request.schema)
            if dialect.form == Form.OBJECT:
                body["response_format"] = {"type": "json_object"}
        if dialect.thinks or request.think:
            limit += THINKING_TOKENS
        optional: dict[str, Any] = {
            "stream_options": {"include_usage": True},
            "temperature": request.temperature,
        }
        if dialect.thinks:
            least = "low" if self._reasons else "none"
            optional["reasoning_effort"] = "medium" if request.think else least
            optional["chat_template_kwargs"] = {"enable_thinking": request.think}
        body |= {name: value for name, value in optional.items() if name in dialect.parts}
        body |= dict.fromkeys(dialect.limits[:1], limit)
        if "chat_template_kwargs" in body:  # servers of open models know it, the client does not
            body["extra_body"] = {"chat_template_kwargs": body.pop("chat_template_kwargs")}
        body["messages"] = _messages(system, request.user, apart="system" in dialect.parts)
        return body

    def _learn(self, dialect: Dialect) -> None:
        self._dialect = dialect

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


def _first_dialect(name: str, *, is_own: bool) -> Dialect:
    """Return how a model is asked before anything is known of its server."""
    reasons = bool(_REASONS.match(name))
    parts = {"system", "stream_options", "reasoning_effort"}
    if not reasons or name.startswith("gpt-oss"):
        parts.add("temperature")
    if is_own:
        limits = ("max_completion_tokens", "max_tokens")
        return Dialect(frozenset(parts), limits, Form.PLAIN_SCHEMA, thinks=reasons)
    parts.add("chat_template_kwargs")
    thinks = reasons or bool(_THINKS.match(name))
    return Dialect(frozenset(parts), ("max_tokens", "max_completion_tokens"), thinks=thinks)


def _messages(system: str, user: str, *, apart: bool) -> list[dict[str, str]]:
    if not apart:
        return [{"role": "user", "content": f"{system}\n\n{user}"}]
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def _refusal_of(error: Exception) -> Refusal | None:
    """Return what a server refuses; an error that an answer begins with is a refusal too."""
    import openai

    if isinstance(error, openai.APIStatusError):
        if error.status_code == 404 and _said(error.body).lower() in ("", "not found"):
            return None  # of the address
        return Refusal(error.status_code, f"{error.message} {error.body}")
    if type(error) is openai.APIError:
        return Refusal(500, f"{error.message} {error.body}")
    return None


def _said(body: object) -> str:
    """Return the message of an error's body: {"message": ...} or {"error": {"message": ...}}."""
    while isinstance(body, dict):
        body = body.get("message") or body.get("error") or body.get("detail")
    return body if isinstance(body, str) else ""
