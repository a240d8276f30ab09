"""A server of Anthropic's messages, streamed as server-sent events."""

import json
from typing import Any

from tests.engine.planning.models.servers import Call, Scripted

_REASONS = {"stop": "end_turn", "length": "max_tokens"}
_ERRORS = {401: "authentication_error", 404: "not_found_error", 529: "overloaded_error"}


class ScriptedAnthropic(Scripted):
    """Anthropic's server; what it refuses can be set."""

    path = "/v1/messages"

    @property
    def base_url(self) -> str:
        return self.url

    def list_models(self, call: Call) -> None:
        model = call.path.removeprefix("/v1/models/")
        if self.scenario == "status 401":
            self.play(call)
        elif model in (self.models or ()):
            call.send(
                200,
                {
                    "type": "model",
                    "id": model,
                    "display_name": model,
                    "created_at": "2026-01-01T00:00:00Z",
                },
            )
        else:
            self.fail(call, self.unlisted, "Not found")

    def play(self, call: Call) -> None:
        if not self.scenario.startswith(("status", "slow", "reset_before")):
            usage = {"input_tokens": self.tokens[0], "output_tokens": 1}
            message = {
                "id": "x",
                "type": "message",
                "role": "assistant",
                "model": "scripted",
                "content": [],
                "stop_reason": None,
                "stop_sequence": None,
                "usage": usage,
            }
            self._send(call, "message_start", message=message)
            block = {"type": "text", "text": ""}
            self._send(call, "content_block_start", index=0, content_block=block)
            self._send(call, "ping")
        super().play(call)

    def say(self, call: Call, text: str) -> None:
        delta = {"type": "text_delta", "text": text}
        self._send(call, "content_block_delta", index=0, delta=delta)

    def think(self, call: Call, text: str) -> None:
        delta = {"type": "thinking_delta", "thinking": text}
        self._send(call, "content_block_delta", index=0, delta=delta)

    def end(self, call: Call, reason: str) -> None:
        self._send(call, "content_block_stop", index=0)
        self._send(
            call,
            "message_delta",
            delta={"stop_reason": _REASONS[reason], "stop_sequence": None},
            usage={"output_tokens": self.tokens[1]},
        )
        self._send(call, "message_stop")
        call.finish()

    def fail(self, call: Call, status: int, message: str) -> None:
        kind = _ERRORS.get(status, "api_error")
        call.send(status, {"type": "error", "error": {"type": kind, "message": message}})

    def fail_within(self, call: Call, message: str) -> None:
        self._send(call, "error", error={"type": "overloaded_error", "message": message})
        call.finish()

    def raw(self, call: Call, data: str) -> None:
        call.stream(f"event: content_block_delta\ndata: {data}\n\n".encode(), "text/event-stream")

    def _send(self, call: Call, event: str, **fields: Any) -> None:
        data = json.dumps({"type": event, **fields})
        call.stream(f"event: {event}\ndata: {data}\n\n".encode(), "text/event-stream")
