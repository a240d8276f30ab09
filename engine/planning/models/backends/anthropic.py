"""Ask a model of Anthropic. Needs the extra `anthropic`."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.config import THINKING_TOKENS
from engine.planning.models.backends.base import (
    UNLISTED,
    ChatRequest,
    Chunk,
    ModelStatus,
    schema_in_words,
    strict_schema,
)
from engine.planning.models.backends.dialect import REFUSED
from engine.planning.models.backends.hosted import KeyedBackend

_DONE_REASONS = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}
_THINKING: Mapping[bool, Sequence[dict[str, Any] | None]] = {
    True: ({"type": "adaptive"}, {"type": "enabled", "budget_tokens": THINKING_TOKENS}, None),
    False: ({"type": "disabled"}, None),
}
"""Ways to ask for thought or none, newest first: which a model takes, only its server knows."""


class AnthropicBackend(KeyedBackend):
    """A model of Anthropic, or of a server at `base_url`, else ANTHROPIC_BASE_URL.

    The address has no "/v1". A model that refuses a part of the request is asked again without it,
    and from then on.

    Raises:
        ConfigurationError: ANTHROPIC_API_KEY is missing, and no other server is named.
    """

    name = "anthropic"
    provider = "Anthropic"
    key_remedy = "Set ANTHROPIC_API_KEY."
    address_remedy = "Check the address."

    def __init__(self, model: str, *, base_url: str = "", connect_timeout_s: float = 1.0) -> None:
        super().__init__(model, base_url=base_url, connect_timeout_s=connect_timeout_s)
        self._takes_schema = True
        self._thinking = {False: 0, True: 0}
        """Which of the ways of saying it the model takes, by whether it is to think."""

    def _make_client(self) -> Any:
        from anthropic import AsyncAnthropic

        client = AsyncAnthropic(**self._connection())
        _ = client.messages, client.models  # each imports more
        return client

    async def _stream(self, client: Any, request: ChatRequest) -> AsyncGenerator[Chunk]:
        from anthropic import APIStatusError

        known = self._takes_schema, dict(self._thinking)
        while True:
            try:
                stream = await client.messages.create(**self._body(request))
                break
            except APIStatusError as error:
                if not self._can_do_without(error, request.think):
                    self._takes_schema, self._thinking = known  # what did not help
                    raise
        last = Chunk(done_reason="cut")
        async with stream:
            async for event in stream:
                if event.type == "message_start":
                    last = replace(last, prompt_tokens=event.message.usage.input_tokens or 0)
                elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                    yield Chunk(event.delta.text)
                elif event.type == "content_block_delta" and event.delta.type == "thinking_delta":
                    yield Chunk(event.delta.thinking, is_thinking=True)
                elif event.type == "message_delta":
                    reason = event.delta.stop_reason or ""
                    last = replace(last, done_reason=_DONE_REASONS.get(reason, reason) or "cut")
                    if event.usage:
                        last = replace(last, answer_tokens=event.usage.output_tokens or 0)
            yield last

    async def _look(self, client: Any) -> ModelStatus:
        from anthropic import APIStatusError

        try:
            await client.models.retrieve(self.model)
        except APIStatusError as error:
            # Anthropic itself says so of a name that it does not know.
            if error.status_code not in (UNLISTED if self._base_url else {404}):
                raise
            return self._unlisted()
        return ModelStatus("ready", "", (self.model,))

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        """Return the request without what the model has refused before."""
        body: dict[str, Any] = {"model": self.model, "stream": True, "system": request.system}
        if self._takes_schema:
            schema = strict_schema(request.schema)
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        else:
            body["system"] += schema_in_words(request.schema)
        thinking = _THINKING[request.think][self._thinking[request.think]]
        if thinking is not None:
            body["thinking"] = thinking
        body["max_tokens"] = request.limit()
        body["messages"] = [{"role": "user", "content": request.user}]
        return body

    def _can_do_without(self, error: Any, think: bool) -> bool:
        """Return whether the request can be made in a simpler form after a refusal; make it so."""
        if error.status_code not in REFUSED:
            return False
        said = f"{error.message} {error.body}".lower()
        has_changed = False
        if self._takes_schema and any(w in said for w in ("output_", "json_schema", "schema")):
            self._takes_schema = False
            has_changed = True
        if "thinking" in said and self._thinking[think] + 1 < len(_THINKING[think]):
            self._thinking[think] += 1
            has_changed = True
        return has_changed
