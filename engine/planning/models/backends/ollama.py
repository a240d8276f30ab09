"""Ask a model behind an Ollama server."""

import asyncio
import importlib
import math
import os
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal

from engine.errors import LLMConnectionError
from engine.ground.text import one_line
from engine.planning.models.backends.base import (
    UNLISTED,
    ChatRequest,
    Chunk,
    ModelStatus,
    check_address,
    check_key,
    key_from,
    names_model,
    redacted,
    refusal,
    schema_in_words,
    shown_address,
    strict_schema,
)
from engine.planning.models.backends.dialect import Dialect, Form, Refusal
from engine.planning.models.backends.hosted import HostedBackend
from engine.planning.models.backends.tokens import FRAME_TOKENS, prompt_tokens
from engine.planning.models.backends.transport import LINES, MOST_BYTES, BoundedTransport

_DEFAULT_ADDRESS = "127.0.0.1:11434"
_KEEP_ALIVE = "30m"
_USUAL_CONTEXT = 4096
_LONGEST_STATUS = 60
_MOST_BYTES_SAID = 1 << 63
_UNLOADED = frozenset({400, 422})
"""How other servers refuse to load a model by a question without messages."""
_ITS_VARIABLES = frozenset({"OLLAMA_HOST", "OLLAMA_API_KEY", "SSL_CERT_FILE", "SSL_CERT_DIR"})
_REMEDY = "Start it (ollama serve), or set OLLAMA_HOST to its address."
_NOT_OLLAMA = (
    "Is it an Ollama server? For others: --llm-backend openai and an address that ends in /v1."
)


@dataclass(frozen=True, slots=True)
class Pulled:
    """How far a download is.

    Attributes:
        status: What is being done, in the server's words.
        completed: Bytes of the part that is being loaded.
        total: Of all its bytes; 0: nothing is being loaded.
    """

    status: str
    completed: int = 0
    total: int = 0


class OllamaBackend(HostedBackend):
    """A model of an Ollama server, at `base_url`, else OLLAMA_HOST, else this machine's.

    An address http://1.2.3.4 means port 80, a bare host port 11434. The model is called as `ollama
    list` shows it, but for ":latest", and loaded for at most `max_context_length` tokens of
    question and answer; 0: as many as the questions need.

    Raises:
        ConfigurationError: The address is none.
    """

    name = "ollama"

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "",
        connect_timeout_s: float = 1.0,
        load_timeout_s: float = 300.0,
        max_context_length: int = 0,
    ) -> None:
        self._host = base_url or os.environ.get("OLLAMA_HOST", "").strip() or _DEFAULT_ADDRESS
        origin = "llm_base_url" if base_url else "OLLAMA_HOST"
        check_address(self._host, origin, needs_scheme=False)
        self._key = key_from("OLLAMA_API_KEY")
        check_key("OLLAMA_API_KEY", self._key)
        server = f"Ollama at {shown_address(self._host)}"
        address = self._host if "://" in self._host else f"http://{self._host}"
        super().__init__(model, server, address, connect_timeout_s)
        self._load_timeout_s = load_timeout_s
        self._most_tokens = max_context_length or sys.maxsize
        self._context_tokens = _USUAL_CONTEXT
        self._is_known = False
        self._always_thinks = _always_thinks(model)
        self._dialect = Dialect(frozenset({"think"}), thinks=self._always_thinks)

    async def load(self) -> None:
        """Have the model loaded; see `Backend.load`."""
        client = await self._open()
        try:
            async with asyncio.timeout(self._load_timeout_s):
                with self._failures(), self._optional(UNLISTED | _UNLOADED):
                    await client.chat(
                        self.model, messages=[], keep_alive=_KEEP_ALIVE, options=self._memory()
                    )
        except TimeoutError:
            raise LLMConnectionError(
                f"{self._server} did not load {self.model} within {self._load_timeout_s:g} s.",
                "planner.load_timeout_s sets the timeout; a smaller model loads faster.",
            ) from None

    async def pull(self) -> AsyncGenerator[Pulled]:
        """Have the server download the model, and yield how far that is; it resumes by itself.

        Raises:
            LLMConnectionError: It failed: there is no such model, its disk is full, or it is gone.
        """
        status = ""
        with self._failures():
            # It may tell for hours how far it is.
            client = await asyncio.to_thread(self._make_client, math.inf)
            async with client, aclosing(await client.pull(self.model, stream=True)) as parts:
                async for part in parts:
                    status = one_line(part.status or "", _LONGEST_STATUS)
                    yield Pulled(status, _bytes(part.completed), _bytes(part.total))
        if status != "success":
            raise LLMConnectionError(
                f"{self._server} closed the connection while pulling {self.model}.",
                "Pull it again to resume.",
            )

    def _make_client(self, most_bytes: float = MOST_BYTES) -> Any:
        import httpx

        _import_client()
        from ollama import AsyncClient

        transport = BoundedTransport(
            httpx,
            self._route,
            self._server,
            _REMEDY,
            ends=LINES,
            most_bytes=most_bytes,
            secret=self._key,
        )
        # Loading a model can take minutes without a byte: reading is bounded elsewhere.
        timeout = httpx.Timeout(None, connect=self._connect_timeout_s)
        return AsyncClient(
            self._host, timeout=timeout, transport=transport, trust_env=False,
            follow_redirects=False,  # the key stays
        )  # fmt: skip

    async def _answer(
        self, client: Any, request: ChatRequest, dialect: Dialect
    ) -> AsyncGenerator[Chunk]:
        self._make_room(request)
        system = request.system
        if dialect.form >= Form.OBJECT:
            system += schema_in_words(request.schema)
        formats: dict[Form, object] = {
            Form.SCHEMA: request.schema,
            Form.PLAIN_SCHEMA: strict_schema(request.schema),
            Form.OBJECT: "json",
        }
        parts = await client.chat(
            self.model,
            messages=[
                {"role": "system", "content": system},
                {"role": "user", "content": request.user},
            ],
            stream=True,
            think=self._think(request.think) if "think" in dialect.parts else None,
            format=formats.get(dialect.form),
            options={
                "num_predict": request.limit(thinks=dialect.thinks),
                "temperature": request.temperature,
                **self._memory(),
            },
            keep_alive=_KEEP_ALIVE,
        )
        async with aclosing(parts):
            async for part in parts:
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

    def _make_room(self, request: ChatRequest) -> None:
        """Have a context that holds the request; it only grows: each size loads the model anew."""
        limit = request.limit(thinks=self._dialect.thinks)
        needed = min(self._most_tokens, prompt_tokens(request) + FRAME_TOKENS + limit)
        while self._context_tokens < needed:
            self._context_tokens *= 2

    def _memory(self) -> dict[str, Any]:
        """Return the options that decide how the model is loaded: always the same ones."""
        return {"num_ctx": min(self._context_tokens, self._most_tokens)}

    async def _look(self, client: Any) -> ModelStatus:
        from ollama import ResponseError

        models, loaded = None, None  # None: servers that only look like Ollama may not say
        with self._optional(UNLISTED):
            models = tuple(sorted(m.model for m in (await client.list()).models if m.model))
        with suppress(ResponseError):
            loaded = tuple(m.model or "" for m in (await client.ps()).models)
        if models is not None and not self._is_among(models):
            return ModelStatus("missing", f"{self._server} has no {self._missing()}", models)
        await self._look_at_model(client)
        # Those in the cloud are in no memory.
        if loaded is None or self._is_among(loaded) or self.model.endswith("cloud"):
            unlisted = f"{self._server} does not list its models."
            return ModelStatus("ready", "" if models else unlisted, models or ())
        unloaded = f"{self._server} has not loaded {self.model} yet."
        return ModelStatus("loading", unloaded, models or ())

    @contextmanager
    def _optional(self, statuses: frozenset[int]) -> Iterator[None]:
        """Do without what a server does not have, as these statuses say of all but the model."""
        from ollama import ResponseError

        try:
            yield
        except ResponseError as error:
            if error.status_code not in statuses or names_model(error.error, self.model):
                raise

    async def _look_at_model(self, client: Any) -> None:
        """Learn once whether the model can think, and whether it can be kept from it."""
        if self._is_known:
            return
        from ollama import ResponseError

        with suppress(ResponseError):  # servers that only look like Ollama may not say
            shown = await client.show(self.model)
            can_think = "thinking" in (shown.capabilities or ("thinking",))
            family = shown.details.family if shown.details else ""
            always = _always_thinks(family or "") or _always_thinks(self.model)
            self._always_thinks = can_think and always
            self._dialect = Dialect(
                frozenset({"think"} if can_think else ()), thinks=self._always_thinks
            )
        self._is_known = True

    def _think(self, is_wanted: bool) -> "bool | Literal['low', 'medium']":
        if self._always_thinks:  # asked not to, together with a schema, it says nothing at all
            return "medium" if is_wanted else "low"
        return is_wanted

    def _is_among(self, models: tuple[str, ...]) -> bool:
        return self.model in models or f"{self.model}:latest" in models

    def _missing(self) -> str:
        return f"model {self.model!r}. Get it: ollama pull {self.model}"

    def _refusal_of(self, error: Exception) -> Refusal | None:
        from ollama import ResponseError

        if not isinstance(error, ResponseError) or error.status_code == 404:
            return None
        return Refusal(error.status_code if error.status_code > 0 else 500, str(error.error))

    def _failure(self, error: Exception) -> LLMConnectionError:
        from ollama import ResponseError

        if not isinstance(error, ResponseError):  # it expects certain fields in every line
            return LLMConnectionError(
                f"{self._server} sent an invalid Ollama response.",
                "Check the address and the server.",
            )
        detail = redacted(error.error, self._key)
        if error.status_code != 404:
            return refusal(self._server, error.status_code, detail)
        if names_model(detail, self.model):
            return LLMConnectionError(f"{self._server} has no {self._missing()}", is_permanent=True)
        return refusal(self._server, 404, detail, _NOT_OLLAMA)


def _import_client() -> None:
    """Import the client, which makes one of its own for everything that the environment names.

    Where it cannot, be it for an address or a proxy that we do without, it is shown none of that.
    """
    try:
        importlib.import_module("ollama")
    except Exception as error:  # of whichever part of the environment it did not like
        if isinstance(error, ModuleNotFoundError):
            raise
        names = [n for n in os.environ if n in _ITS_VARIABLES or n.lower().endswith("_proxy")]
        hidden = {name: os.environ.pop(name, "") for name in names}
        try:
            importlib.import_module("ollama")
        finally:
            os.environ.update(hidden)


def _bytes(said: int | None) -> int:
    return min(max(said or 0, 0), _MOST_BYTES_SAID)


def _always_thinks(model: str) -> bool:
    """Return whether a model, by its name or family, only takes how much it is to think."""
    return model.lower().rpartition("/")[2].replace("-", "").startswith("gptoss")
