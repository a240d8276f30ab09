"""Be an Ollama server whose model is a function: what a benchmark puts behind the real protocol.

The protocol as of ollama/ollama 0.18 (server/routes.go, api/types.go, docs/api.md).
"""

import hashlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from json import dumps, loads
from typing import Any

from tests.engine.planning.models.servers.loopback import Call, LoopbackServer

_TOKEN = re.compile(r"\s*\S{1,4}|\s+")
"""What is streamed at once: about what a model's tokens are."""


class OllamaServer(LoopbackServer):
    """An Ollama server on loopback.

    Args:
        answer: Given the body of a chat request, returns what the model says.
        models: That it has; the first one is loaded.
        latency_s: Before the first token.
        token_interval_s: Between two tokens.
        load_s: How long a model takes to load.
        thinking: Models that can think.

    Attributes:
        load_s: As given; what is loaded from then on takes as long as it says.
    """

    def __init__(
        self,
        answer: Callable[[dict[str, Any]], str],
        *,
        models: Sequence[str] = ("scripted:latest",),
        latency_s: float = 0.0,
        token_interval_s: float = 0.0,
        load_s: float = 0.0,
        thinking: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self.models = tuple(models)
        self.loaded = set(self.models[:1])
        self._said = answer
        self._latency_s = latency_s
        self._token_interval_s = token_interval_s
        self.load_s = load_s
        self._thinking = frozenset(thinking)

    def answer(self, call: Call) -> None:
        """Answer as the real one does."""
        if call.path == "/":
            call.send(200, "Ollama is running")
        elif call.path == "/api/version":
            call.send(200, {"version": "0.18.0"})
        elif call.path == "/api/tags":
            call.send(200, {"models": [_entry(model) for model in self.models]})
        elif call.path == "/api/ps":
            loaded = [_entry(model) for model in self.models if model in self.loaded]
            call.send(200, {"models": [{**e, "context_length": 4096} for e in loaded]})
        elif call.path in ("/api/show", "/api/chat"):
            self._answer_for_model(call)
        else:
            call.send(404, "404 page not found")

    def chat(self, call: Call, model: str) -> None:
        """Stream the answer to a question."""
        began = time.perf_counter_ns()
        content = self._said(call.body)
        call.wait(self._latency_s)
        tokens = _TOKEN.findall(content)
        limit = call.body.get("options", {}).get("num_predict", -1)
        is_cut = 0 < limit < len(tokens)
        for token in tokens[:limit] if is_cut else tokens:
            call.stream(line(model, token))
            call.wait(self._token_interval_s)
        asked = sum(len(message.get("content", "")) for message in call.body["messages"])
        counts: dict[str, int] = {
            "total_duration": time.perf_counter_ns() - began,
            "prompt_eval_count": asked // 4,
            "eval_count": limit if is_cut else len(tokens),
        }
        reason = "length" if is_cut else "stop"
        call.stream(line(model, "", done_reason=reason, counts=counts))
        call.finish()

    def load(self, call: Call, model: str) -> None:
        """Load the model: until then, not a byte is sent."""
        if model not in self.loaded:
            call.wait(self.load_s)
            self.loaded.add(model)

    def _answer_for_model(self, call: Call) -> None:
        name = call.body.get("model", "")
        model = name if ":" in name else f"{name}:latest"
        if not name:
            call.send(400, {"error": "model is required"})
        elif model not in self.models:
            call.send(404, {"error": f"model '{name}' not found"})
        elif call.path == "/api/show":
            capabilities = ["completion"] + ["thinking"] * (model in self._thinking)
            call.send(200, {"capabilities": capabilities, "details": _DETAILS, "model_info": {}})
        elif call.body.get("think") and model not in self._thinking:
            call.send(400, {"error": f'"{name}" does not support thinking'})
        elif not call.body.get("messages"):
            self._load_or_unload(call, model)
        else:
            self.load(call, model)
            self.chat(call, model)

    def _load_or_unload(self, call: Call, model: str) -> None:
        reason = "load"
        if call.body.get("keep_alive") in (0, "0"):
            self.loaded.discard(model)
            reason = "unload"
        else:
            self.load(call, model)
        data = line(model, "", done_reason=reason)
        if call.body.get("stream", True):
            call.stream(data)
            call.finish()
        else:
            call.send(200, loads(data))


_DETAILS = {
    "format": "gguf",
    "family": "llama",
    "families": ["llama"],
    "parameter_size": "1.7B",
    "quantization_level": "Q4_K_M",
}


def line(
    model: str,
    content: str,
    *,
    thinking: str = "",
    done_reason: str = "",
    counts: Mapping[str, int] | None = None,
) -> bytes:
    """Return a line of a streamed answer; with a reason it is the last one."""
    message = {"role": "assistant", "content": content}
    if thinking:
        message["thinking"] = thinking
    part: dict[str, Any] = {"model": model, "created_at": _now(), "message": message}
    if done_reason:
        part["done_reason"] = done_reason
    return dumps({**part, "done": bool(done_reason), **(counts or {})}).encode() + b"\n"


def _entry(model: str) -> dict[str, Any]:
    digest = hashlib.sha256(model.encode()).hexdigest()
    entry = {"name": model, "model": model, "size": 990_000_000, "digest": digest}
    return {**entry, "details": _DETAILS, "modified_at": _now(), "expires_at": _now()}


def _now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")
