"""An Ollama server for every scenario, over the one that benchmarks use."""

from typing import Any

from tests.engine.planning.models.servers import GOOD, Call, Scenarios
from tests.engine.planning.models.servers.scripted_ollama import OllamaServer, line


class ScriptedOllama(Scenarios, OllamaServer):
    """Ollama with the model "scripted:latest", loaded."""

    path = "/api/chat"

    def __init__(self, **options: Any) -> None:
        super().__init__(lambda body: GOOD, **options)

    @property
    def asked(self) -> list[dict[str, Any]]:
        """Return the questions' bodies."""
        return [body for path, body in self.calls if path == self.path and body.get("messages")]

    def answer(self, call: Call) -> None:
        if self.scenario == "status 404" and call.path == self.path:
            self.models = ()
        if self.scenario == "silent":
            call.wait(60)
        super().answer(call)

    def chat(self, call: Call, model: str) -> None:
        self.play(call)

    def say(self, call: Call, text: str) -> None:
        call.stream(line("scripted", text))

    def think(self, call: Call, text: str) -> None:
        call.stream(line("scripted", "", thinking=text))

    def end(self, call: Call, reason: str) -> None:
        counts = dict(zip(("prompt_eval_count", "eval_count"), self.tokens, strict=True))
        call.stream(line("scripted", "", done_reason=reason, counts=counts))
        call.finish()

    def fail(self, call: Call, status: int, message: str) -> None:
        call.send(status, {"error": message})

    def fail_within(self, call: Call, message: str) -> None:
        self.raw(call, f'{{"error": "{message}"}}')
        call.finish()

    def raw(self, call: Call, data: str) -> None:
        call.stream(data.encode() + b"\n")
