"""Share what all models behind a server need: connections, streams, refusals, failures."""

import asyncio
import importlib
import os
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from typing import Any

from engine.errors import ConfigurationError, LLMConnectionError, PokeTUIError
from engine.ground.providers import PROVIDERS
from engine.planning.models.backends.base import (
    ChatRequest,
    Chunk,
    ModelStatus,
    check_address,
    check_key,
    key_from,
    names_model,
    redacted,
    refusal,
    shown_address,
)
from engine.planning.models.backends.dialect import Dialect, Refusal, adapt
from engine.planning.models.backends.transport import EVENTS, BoundedTransport, route_to

_PROBE_FACTOR = 5
"""A probe may take this many times as long as connecting."""


class HostedBackend:
    """A model behind a server that a client library speaks to; see `Backend`.

    A server that refuses a part of a question is asked again without it, and from then on.
    Subclasses say how to make a client (`_make_client`, in a thread since it may take long), ask
    (`_answer`) and look for the model (`_look`), which errors refuse a form of the question
    (`_refusal_of`), and what all others mean (`_failure`). Messages call the server at `address`
    `server`.

    Attributes:
        name: Of the backend; its client library's package is called the same.

    Raises:
        ConfigurationError: The environment names no proxy, or no certificates, that can be used.
    """

    name: str
    is_paid = False

    def __init__(self, model: str, server: str, address: str, connect_timeout_s: float) -> None:
        self.model = model
        self._route = route_to(address)
        through = f" (through {self._route.origin})" if self._route.origin else ""
        self._server = f"{server}{through}"
        self._connect_timeout_s = connect_timeout_s
        self._dialect = Dialect(frozenset())
        self._client: Any = None  # the library's, which is imported when it is first needed

    async def chat(self, request: ChatRequest) -> AsyncIterator[Chunk]:
        """Stream an answer; see `Backend.chat`."""
        client = await self._open()
        with self._failures():
            async with aclosing(self._stream(client, request)) as chunks:
                async for chunk in chunks:
                    yield chunk

    async def probe(self) -> ModelStatus:
        """Look whether the model can be asked; see `Backend.probe`."""
        timeout_s = _PROBE_FACTOR * self._connect_timeout_s
        try:
            client = await self._open()
            async with asyncio.timeout(timeout_s):
                with self._failures():
                    return await self._look(client)
        except TimeoutError:
            late = f"{self._server} did not answer within {timeout_s:g} s: it may be busy."
            return ModelStatus("unreachable", late)
        except LLMConnectionError as error:
            return ModelStatus("refused" if error.is_permanent else "unreachable", str(error))

    async def load(self) -> None:
        """Import the client, so that no deadline counts that: most servers load by themselves."""
        await self._open()

    async def close(self) -> None:
        """Let go of all connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _open(self) -> Any:
        if self._client is None:
            with self._failures():
                # Importing it and reading certificates take long enough to hold up the loop.
                client = await asyncio.to_thread(self._make_client)
            self._client = self._client or client
        return self._client

    def _stream(self, client: Any, request: ChatRequest) -> AsyncGenerator[Chunk]:
        """Stream an answer in the first form that the server takes, and keep to that form."""
        return adapt(
            self._dialect,
            lambda dialect: self._answer(client, request, dialect),
            self._refusal_of,
            self._learn,
            is_named=self.is_paid,
        )

    def _learn(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def _make_client(self) -> Any:
        raise NotImplementedError

    def _answer(self, client: Any, request: ChatRequest, dialect: Dialect) -> AsyncGenerator[Chunk]:
        raise NotImplementedError

    async def _look(self, client: Any) -> ModelStatus:
        raise NotImplementedError

    def _refusal_of(self, error: Exception) -> Refusal | None:
        """Return what a server refuses with an error; None if it is another failure."""
        raise NotImplementedError

    def _failure(self, error: Exception) -> LLMConnectionError:
        """Return what an exception of the client means."""
        raise NotImplementedError

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Turn all that the client raises into LLMConnectionError."""
        try:
            yield
        except ImportError as error:
            raise LLMConnectionError(
                f"The package {self.name} cannot be imported: {redacted(error).rstrip('.')}.",
                f"Reinstall it: pip install --force-reinstall {self.name}",
            ) from None
        except Exception as error:  # of somebody else's code, which expects well-formed answers
            ours: BaseException | None = error
            while ours is not None and not isinstance(ours, PokeTUIError):
                ours = ours.__cause__
            raise ours or self._failure(error) from None


class KeyedBackend(HostedBackend):
    """A model of a provider that wants a key, or of another server that speaks its protocol.

    Address and key are what the provider's variables say if none are given.

    Attributes:
        provider: What the provider is called; as in its library's names.
        key_remedy: What to do without a key.
        address_remedy: What to do where something else answers.

    Raises:
        ConfigurationError: The key is missing, and no other server is named.
    """

    provider: str
    key_remedy: str
    address_remedy: str

    def __init__(
        self, model: str, *, base_url: str = "", key: str = "", connect_timeout_s: float = 1.0
    ) -> None:
        known = PROVIDERS[self.name]
        self._base_url = base_url or os.environ.get(known.address_variable, "").strip()
        self._key = key or key_from(known.key_variable)
        check_key(known.key_variable, self._key)
        if self._base_url:
            check_address(self._base_url, "llm_base_url" if base_url else known.address_variable)
        elif not self._key:
            raise ConfigurationError(
                f"{model} needs an API key from {self.provider}.", self.key_remedy
            )
        shown = shown_address(self._base_url)
        server = f"The server at {shown}" if shown else self.provider
        address = self._base_url or f"https://{known.host}"
        super().__init__(model, server, address, connect_timeout_s)
        self.is_paid = not self._base_url

    def _connection(self) -> dict[str, Any]:
        """Return what the library's client is made with."""
        import httpx2

        library = importlib.import_module(self.name)
        transport = BoundedTransport(
            httpx2, self._route, self._server, self._remedy, ends=EVENTS, secret=self._key
        )
        return {
            # Always given: without one, some clients look for keys on the disk, or refuse to ask.
            "api_key": self._key or "none",
            "base_url": self._base_url or None,
            "timeout": library.Timeout(None, connect=self._connect_timeout_s),
            "max_retries": 0,
            # The key stays here: redirects are not followed.
            "http_client": library.DefaultAsyncHttpxClient(
                transport=transport, follow_redirects=False, trust_env=False
            ),
        }

    def _unlisted(self) -> ModelStatus:
        """Return the status of a model that its server does not list."""
        if self._base_url:  # many have one model and answer to any name, or have no list
            return ModelStatus("ready", f"{self._server} does not list {self.model!r}.")
        return ModelStatus(
            "missing", f"{self._server} has no model {self.model!r} for this key. Check the name."
        )

    def _failure(self, error: Exception) -> LLMConnectionError:
        library = importlib.import_module(self.name)
        if isinstance(error, library.APIStatusError):
            # An error in the middle of an answer may have the status of its beginning.
            status = error.status_code if error.status_code >= 300 else -1
            detail = redacted(said_of(error.body) or error.message, self._key)
            return refusal(self._server, status, detail, self._hint(status, detail))
        if isinstance(error, library.APIConnectionError):
            cause = redacted(type(error.__cause__ or error).__name__)
            return LLMConnectionError(
                f"{self._server} closed the connection ({cause}).", self._remedy
            )
        if isinstance(error, getattr(library, f"{self.provider}Error")):
            return refusal(self._server, -1, redacted(error, self._key))
        # The client expects certain fields in every event.
        return LLMConnectionError(
            f"{self._server} sent an invalid {self.provider} response.", self.address_remedy
        )

    def _hint(self, status: int, detail: str) -> str:
        """Return what to do about a status, where more is known of that than of any server."""
        if status in (401, 403):
            return f"Check {PROVIDERS[self.name].key_variable}."
        is_path = status == 404 and self._base_url and not names_model(detail, self.model)
        return self.address_remedy if is_path else ""

    @property
    def _remedy(self) -> str:
        return f"Check the network, and {PROVIDERS[self.name].address_variable} if it is set."


def said_of(body: object) -> str:
    """Return the message of an error's body: {"message": ...} or {"error": {"message": ...}}."""
    while isinstance(body, dict):
        body = body.get("message") or body.get("error") or body.get("detail")
    return body if isinstance(body, str) else ""
