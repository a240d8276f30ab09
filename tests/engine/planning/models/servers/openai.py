"""A server of OpenAI's chat completions, streamed as server-sent events."""

import json
from typing import Any

from tests.engine.planning.models.servers import Call, Scripted


class ScriptedOpenAI(Scripted):
    """OpenAI's server; what it refuses can be set."""

    path = "/v1/chat/completions"
    error_type: str | None = "invalid_request_error"

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def list_models(self, call: Call) -> None:
        if call.path != "/v1/models" or self.models is None:
            self.fail(call, self.unlisted, "Not found")
        elif self.scenario == "status 401":
            self.play(call)
        else:
            data = [
                {"id": m, "object": "model", "created": 0, "owned_by": "x"} for m in self.models
            ]
            call.send(200, {"object": "list", "data": data})

    def say(self, call: Call, text: str) -> None:
        self.delta(call, {"content": text})

    def think(self, call: Call, text: str) -> None:
        self.delta(call, {"reasoning_content": text})

    def delta(self, call: Call, fields: dict[str, Any]) -> None:
        """Send a piece with these fields."""
        self.raw(call, json.dumps(_part(fields)))

    def end(self, call: Call, reason: str) -> None:
        self.raw(call, json.dumps(_part({}, finish_reason=reason)))
        if call.body.get("stream_options"):
            read, written = self.tokens
            usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": 0}
            self.raw(call, json.dumps({**_part({}), "choices": [], "usage": usage}))
        self.raw(call, "[DONE]")
        call.finish()

    def fail(self, call: Call, status: int, message: str) -> None:
        call.send(status, {"error": {"message": message, "type": self.error_type, "code": None}})

    def fail_within(self, call: Call, message: str) -> None:
        self.raw(call, json.dumps({"error": {"message": message, "type": "server_error"}}))
        call.finish()

    def raw(self, call: Call, data: str) -> None:
        call.stream(f"data: {data}\n\n".encode(), "text/event-stream")


def _part(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    return {
        "id": "x",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
    }
