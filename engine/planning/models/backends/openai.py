"""Ask a model of OpenAI, or of any server that speaks its protocol. Needs the extra `openai`."""

import re
from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace
from typing import Any

from engine.planning.models.backends.base import (
    UNLISTED,
    ChatRequest,
    Chunk,
    ModelStatus,
    schema_in_words,
    strict_schema,
)
from engine.planning.models.backends.dialect import Dialect, Form, Refusal
from engine.planning.models.backends.hosted import KeyedBackend, said_of

_REASONS = re.compile(r"o\d|gpt-[5-9]|gpt-oss")
"""Models that always think, as little as they are asked to."""
_THINKS = re.compile(r".*(reasoner|-r1|thinking|magistral)|qwq|qwen3(?!.*instruct)")
"""Models that think unless their server is asked not to, if it heeds that at all."""


class OpenAIBackend(KeyedBackend):
    """A model of a server at `base_url`, else OPENAI_BASE_URL, else OpenAI's own.

    The address ends in "/v1", as a rule; the key is OPENAI_API_KEY if none is given. A server that
    refuses a part of a question is asked again without it, and from then on.

    Raises:
        ConfigurationError: OPENAI_API_KEY is missing, and no other server is named.
    """

    name = "openai"
    provider = "OpenAI"
    key_remedy = "Set OPENAI_API_KEY, or OPENAI_BASE_URL to a server that speaks its protocol."
    address_remedy = "Check the address: it usually ends in /v1."

    def __init__(
        self, model: str, *, base_url: str = "", key: str = "", connect_timeout_s: float = 1.0
    ) -> None:
        super().__init__(model, base_url=base_url, key=key, connect_timeout_s=connect_timeout_s)
        name = model.lower().rpartition("/")[2]
        self._reasons = bool(_REASONS.match(name))
        # How it is asked before anything is known of its server.
        parts = {"system", "stream_options", "reasoning_effort"}
        if not self._reasons or name.startswith("gpt-oss"):
            parts.add("temperature")
        if self.is_paid:
            limits = ("max_completion_tokens", "max_tokens")
            self._dialect = Dialect(
                frozenset(parts), limits, Form.PLAIN_SCHEMA, thinks=self._reasons
            )
        else:
            parts.add("chat_template_kwargs")
            limits = ("max_tokens", "max_completion_tokens")
            thinks = self._reasons or bool(_THINKS.match(name))
            self._dialect = Dialect(frozenset(parts), limits, thinks=thinks)

    def _make_client(self) -> Any:
        from openai import AsyncOpenAI

        client = AsyncOpenAI(**self._connection())
        _ = client.chat.completions, client.models  # each imports more
        return client

    async def _answer(
        self, client: Any, request: ChatRequest, dialect: Dialect
    ) -> AsyncGenerator[Chunk]:
        last = Chunk(done_reason="cut")
        body = self._body(request, dialect)
        async with await client.chat.completions.create(**body) as stream:
            async for event in stream:
                if event.usage:
                    last = replace(
                        last,
                        prompt_tokens=event.usage.prompt_tokens or 0,
                        answer_tokens=event.usage.completion_tokens or 0,
                    )
                for option in (event.choices or ())[:1]:
                    for piece in _pieces(option.delta):
                        yield piece
                    last = replace(last, done_reason=option.finish_reason or last.done_reason)
            yield last

    async def _look(self, client: Any) -> ModelStatus:
        from openai import APIStatusError

        try:
            page = await client.models.list()
        except APIStatusError as error:
            if not self._base_url or error.status_code not in UNLISTED:
                raise
            return ModelStatus("ready", f"{self._server} does not list its models.")
        models = tuple(sorted(str(model.id) for model in page.data or ()))
        if self.model in models:
            return ModelStatus("ready", "", models)
        return replace(self._unlisted(), models=models)

    def _body(self, request: ChatRequest, dialect: Dialect) -> dict[str, Any]:
        """Return the request in a dialect."""
        system = request.system
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
        optional: dict[str, Any] = {
            "stream_options": {"include_usage": True},
            "temperature": request.temperature,
        }
        if dialect.thinks:
            least = "low" if self._reasons else "none"
            optional["reasoning_effort"] = "medium" if request.think else least
            optional["chat_template_kwargs"] = {"enable_thinking": request.think}
        body |= {name: value for name, value in optional.items() if name in dialect.parts}
        body |= dict.fromkeys(dialect.limits[:1], request.limit(thinks=dialect.thinks))
        if "chat_template_kwargs" in body:  # servers of open models know it, the client does not
            body["extra_body"] = {"chat_template_kwargs": body.pop("chat_template_kwargs")}
        if "system" in dialect.parts:
            messages = [("system", system), ("user", request.user)]
        else:
            messages = [("user", f"{system}\n\n{request.user}")]
        body["messages"] = [{"role": role, "content": content} for role, content in messages]
        return body

    def _refusal_of(self, error: Exception) -> Refusal | None:
        """Return what a server refuses; an error that an answer begins with is a refusal too."""
        import openai

        if isinstance(error, openai.APIStatusError):
            if error.status_code == 404 and said_of(error.body).lower() in ("", "not found"):
                return None  # of the address
            return Refusal(error.status_code, f"{error.message} {error.body}")
        if type(error) is openai.APIError:
            return Refusal(500, f"{error.message} {error.body}")
        return None


def _pieces(delta: Any) -> Iterator[Chunk]:
    # Servers of open models send thoughts in a field of their own, under either name.
    thought = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
    if isinstance(thought, str) and thought:
        yield Chunk(thought, is_thinking=True)
    if delta.content or delta.refusal:
        yield Chunk(delta.content or delta.refusal)
