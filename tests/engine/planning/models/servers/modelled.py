"""Servers with a model in them: each takes, refuses and overlooks what those of its kind do.

The model is the same in all of them. It knows the form of an answer only from a schema that its
server keeps it to, or from words: a schema or an example. It writes as long as it is let. Where it
can think, it does unless that is switched off in the way that its server knows.
"""

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from engine.planning.models.backends.base import strict_schema
from tests.engine.planning.models.servers import Call
from tests.engine.planning.models.servers.kinds import Kind
from tests.engine.planning.models.servers.ollama import ScriptedOllama
from tests.engine.planning.models.servers.openai import ScriptedOpenAI

CHARACTERS_A_TOKEN = 4
_PIECE = 32
_THOUGHTS = 500
"""Tokens that a model thinks before it answers, unless it is told to think more."""
_UNBOUNDED = 700
"""Tokens of a text to which nothing sets an end: more than any answer may have."""
_ENDLESS = 3000
"""Tokens after which a server stops an answer that has no limit: its context is full."""


def server_of(kind: Kind) -> "ModelledOpenAI | ModelledOllama":
    """Return a server of a kind."""
    return ModelledOllama(kind) if kind.is_ollama else ModelledOpenAI(kind)


def parts_of(body: Mapping[str, Any]) -> set[str]:
    """Return what a request has, as `Kind.refuses` names it: fields, and settings as name=value."""
    template = body.get("chat_template_kwargs", {})
    parts = {*body, *(f"{name}={value}" for name, value in template.items())}
    parts |= {f"{name}={body.get(name)}" for name in ("think", "reasoning_effort")}
    parts |= {str(message["role"]) for message in body.get("messages", ())}
    form = _form(body)
    if form:
        parts.add(form)
    schema = _schema(body)
    if schema is not None and strict_schema(schema) != schema:
        parts.add("bounds")
    return parts


class _Modelled:
    """What both protocols share.

    Attributes:
        refused: Requests that it has refused so far.
    """

    def __init__(self, kind: Kind) -> None:
        super().__init__()
        self.kind = kind
        self.refused = 0
        self._has_failed = False

    def refuse(self, call: Call) -> bool:
        """Refuse a request, if its kind does."""
        parts = parts_of(call.body)
        for part, (status, content) in self.kind.refuses.items():
            if part in parts:
                self.refused += 1
                call.send(status, content)
                return True
        return False

    def play(self, call: Call) -> None:
        """Answer as the model does, within the limit."""
        server: Any = self
        if self.kind.fails and not self._has_failed:
            self._has_failed = True
            self.refused += 1
            server.fail_within(call, "Provider disconnected unexpectedly")
            return
        left = _limit(self.kind, call.body) * CHARACTERS_A_TOKEN
        written = 0
        for text, is_thought in _written(self.kind, call.body):
            piece = text[:left]
            left -= len(piece)
            written += len(piece)
            if not (is_thought and self.kind.thinks_in == "nowhere"):
                report = server.think if is_thought else server.say
                for at in range(0, len(piece), _PIECE):
                    report(call, piece[at : at + _PIECE])
        asked = sum(len(message["content"]) for message in call.body["messages"])
        self.tokens = asked // CHARACTERS_A_TOKEN, written // CHARACTERS_A_TOKEN
        server.end(call, "stop" if left else "length")


class ModelledOpenAI(_Modelled, ScriptedOpenAI):
    """A server that speaks OpenAI's protocol."""

    def answer(self, call: Call) -> None:
        if call.path != self.path:
            self.list_models(call)
        elif not self.refuse(call):
            if self.kind.comments:
                call.stream(b": OPENROUTER PROCESSING\n\n", "text/event-stream")
            self.play(call)

    def think(self, call: Call, text: str) -> None:
        self.delta(call, {self.kind.thinks_in: text})


class ModelledOllama(_Modelled, ScriptedOllama):
    """An Ollama server."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind)
        self.models = (kind.model if ":" in kind.model else f"{kind.model}:latest",)
        self.loaded = set(self.models)
        self._thinking = frozenset(self.models if kind.thinks else ())

    def chat(self, call: Call, model: str) -> None:
        if not self.refuse(call):
            self.play(call)


def _written(kind: Kind, body: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield what the model writes, and whether that is thought."""
    parts = parts_of(body)
    form, schema = _form(body), _schema(body)
    is_kept = form in kind.keeps
    if is_kept and kind.falls_silent & parts:
        return
    prompt = "\n".join(message["content"] for message in body["messages"])
    wanted = (schema if is_kept else None) or _told(prompt)
    answer = "I would go on and see what comes."
    if wanted:
        answer = _filled(wanted, zlib.crc32(prompt.encode()))
        if not is_kept:
            answer = f"Sure! Here is the plan:\n```json\n{answer}\n```\nGood luck with {{it}}."
    is_thinking = kind.thinks and not kind.off & parts
    if is_thinking and kind.mistakes and is_kept:
        yield answer, True
        return
    if is_thinking:
        thought = _filler(_THOUGHTS * (2 if "reasoning_effort=medium" in parts else 1))
        is_tag = kind.thinks_in.endswith("think>")
        if is_tag:
            opening = "<think>\n" if kind.thinks_in == "<think>" else ""
            yield f"{opening}{thought}\n</think>\n\n", False
        else:
            yield thought, True
    yield answer, False


def _form(body: Mapping[str, Any]) -> str:
    """Return the type of a request's form, in OpenAI's words; "" without one."""
    if "format" in body:
        return "json_object" if body["format"] == "json" else "json_schema"
    return str(body.get("response_format", {}).get("type", ""))


def _schema(body: Mapping[str, Any]) -> dict[str, Any] | None:
    found = body.get("format") or body.get("response_format", {}).get("json_schema", {})
    schema = found.get("schema", found) if isinstance(found, dict) else None
    return schema or None


def _limit(kind: Kind, body: Mapping[str, Any]) -> int:
    if kind.is_ollama:
        return int(body.get("options", {}).get("num_predict", _ENDLESS))
    return next((int(body[name]) for name in kind.limits if name in body), _ENDLESS)


def _told(prompt: str) -> dict[str, Any] | None:
    """Return the schema that a prompt has in words, or what can be seen from its example."""
    at = prompt.rfind('{"type": "object"')
    if at >= 0:
        schema: dict[str, Any] = json.JSONDecoder().raw_decode(prompt, at)[0]
        return schema
    example = re.search(r'^\{"choice".*\}$', prompt, re.MULTILINE)
    if example is None:
        return None
    fields: dict[str, Any] = {name: {"type": "string"} for name in json.loads(example[0])}
    fields["choice"]["enum"] = [
        name
        for line in prompt.rpartition("\nChoices:")[2].splitlines()
        for name in (
            [line[2:].partition(":")[0]]
            if line.startswith("- ")
            else line.removeprefix("Other choices:").strip().split("; ")
        )
        if name
    ]
    return {"properties": fields}


def _filled(schema: Mapping[str, Any], chance: int) -> str:
    """Return an object that fits a schema, its fields in the order that they have there."""
    values: dict[str, Any] = {}
    for name, part in schema["properties"].items():
        if "enum" in part:
            values[name] = part["enum"][chance % len(part["enum"])]
        elif part["type"] == "integer":
            values[name] = chance % 101
        else:
            values[name] = _filler(_UNBOUNDED)[: part.get("maxLength")]
    return json.dumps(values)


def _filler(tokens: int) -> str:
    said = "The next milestone is not far, and the party is well. "
    return (said * (tokens * CHARACTERS_A_TOKEN // len(said) + 1))[: tokens * CHARACTERS_A_TOKEN]
