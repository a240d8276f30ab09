"""Define what a language model's server must be able to do, and put its failures into words."""

import json
import os
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from engine.config import THINKING_TOKENS
from engine.errors import ConfigurationError, LLMConnectionError
from engine.ground.text import one_line

PERMANENT = frozenset({301, 302, 303, 307, 308, 400, 401, 403, 404})
UNLISTED = frozenset({404, 405, 501})
"""Statuses with which servers that have no list of models refuse one: the model may exist."""
_LONGEST_DETAIL = 200
_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window)(?:(?: is| of(?: only)?)? \(?(\d+))?"
    r"|prompt is too long|reduce the length|max_seq_len",
    re.IGNORECASE,
)
"""How servers say that a question and its answer do not fit, some with how much would."""
_KEY_LIKE = re.compile(r"\b(?:(?:sk|key)-[\w*.…-]{4,}|(?:basic|bearer)\s+\S+)", re.IGNORECASE)
_BOUNDS = frozenset({"minimum", "maximum", "minLength", "maxLength"})


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A question.

    Attributes:
        schema: JSON schema of the answer: an object of plain values, all of them required.
        max_tokens: Of the answer; what a model thinks comes on top.
        think: Let the model think first, if it can.
    """

    system: str
    user: str
    schema: dict[str, Any]
    max_tokens: int
    temperature: float
    think: bool

    def limit(self, *, thinks: bool = False) -> int:
        """Return the most tokens to write, with room for the thoughts of a model that thinks."""
        return self.max_tokens + (THINKING_TOKENS if thinks or self.think else 0)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a streamed answer.

    Attributes:
        done_reason: On the last one, why it ended: "stop", "length" or what the server says.
        prompt_tokens: On the last one, as is `answer_tokens`; 0 if the server does not say.
    """

    text: str = ""
    is_thinking: bool = False
    done_reason: str = ""
    prompt_tokens: int = 0
    answer_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """Whether a model can be asked.

    Attributes:
        state: "ready", "loading" (there, but not in the server's memory: `Backend.load` it),
            "missing" (no such model), "unreachable" or "refused" (key or request not accepted).
        detail: In words: what is wrong and what to do, or "".
        models: What the server has, as far as it says.
    """

    state: str
    detail: str = ""
    models: tuple[str, ...] = ()


class Backend(Protocol):
    """A model behind one kind of server. All of it runs in the event loop that used it first.

    Attributes:
        name: "ollama", "openai", "anthropic" or "local".
        model: The model's name.
        is_paid: Answers cost money, as far as is known.
    """

    name: str
    model: str
    is_paid: bool

    def chat(self, request: ChatRequest) -> AsyncIterator[Chunk]:
        """Stream an answer. Only connecting is bounded in time: `engine.planning.models.asking`
        does more.

        Raises:
            LLMConnectionError: There is no answer, or it broke off.
        """
        ...

    async def probe(self) -> ModelStatus:
        """Look whether the model can be asked. Never raises, and soon comes back."""
        ...

    async def load(self) -> None:
        """Have the server load the model, where it has to; return when it is loaded.

        Raises:
            LLMConnectionError: It was not, or not within the time for it.
        """
        ...

    async def close(self) -> None:
        """Let go of all connections."""
        ...


def redacted(said: object, *secrets: str) -> str:
    """Return what a server said as a line to show: without `secrets`, or what looks like a key."""
    try:
        text = str(said)
    except Exception:  # an exception of somebody else's code, which cannot even say what it is
        text = ""
    for secret in filter(None, secrets):
        text = text.replace(secret, "***")
    return one_line(_KEY_LIKE.sub("***", text), _LONGEST_DETAIL)


def shown_address(address: str) -> str:
    """Return an address to show: without user name, password and query."""
    scheme, separator, rest = address.rpartition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path.partition('?')[0]}"


def check_address(address: str, origin: str, *, needs_scheme: bool = True) -> None:
    """Refuse what no connection can be tried to; a bare host and port may do.

    Raises:
        ConfigurationError: It is no address; `origin` is the variable or option it is from.
    """
    try:
        has_scheme = "://" in address or needs_scheme
        parts = urlsplit(address if has_scheme else f"http://{address}")
        is_good = parts.scheme in ("http", "https") and parts.port != 0 and address.isprintable()
    except ValueError:  # the port, or a bracket
        is_good = False
    if not is_good or any(c.isspace() for c in address):
        raise ConfigurationError(
            f"{origin} is not a valid address: {redacted(shown_address(address))}.",
            "Examples: http://127.0.0.1:11434, https://host/v1.",
        )


def key_from(variable: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the key in an environment variable, "" without one."""
    return environment.get(variable, "").strip()


def check_key(variable: str, key: str) -> None:
    """Refuse what no request can name as a key.

    Raises:
        ConfigurationError: It is nothing that a key can be.
    """
    if not (key.isascii() and key.isprintable()):
        raise ConfigurationError(
            f"{variable} is not a key: it has letters that none has, or several lines.",
            f"Correct or unset {variable}.",
        )


def names_model(said: str, model: str) -> bool:
    """Return whether a refusal is about the model, rather than the address."""
    return model in said or re.search(r"\bmodel\b", said, re.IGNORECASE) is not None


def refusal(server: str, status: int, detail: str, hint: str = "") -> LLMConnectionError:
    """Return the error for a server's error status (-1: an error in the middle of an answer)."""
    what = f"answered {status}" if status > 0 else "closed the connection"
    if detail.startswith("<"):  # a page, cut short: of what stands between an answer and us
        detail = " ".join(re.sub(r"<[^>]*>?", " ", detail).split())
    if 300 <= status < 400:
        hint = "It redirects, and redirects are not followed: use the address it redirects to."
    elif too_long := _TOO_LONG.search(detail):
        most = f" to at most {too_long[1]}" if too_long[1] else ""
        hint = f"Set max_context_length{most}, or run the server with a larger context."
    said = f": {detail}" if detail else ""
    hints = {
        401: "Check the key.",
        403: "Check the key and its permissions.",
        404: "Check the model's name and the server's address.",
        429: "Its rate limit is reached; it will be retried later.",
        500: "The server's log has the reason; it will be retried later.",
        502: "The server behind that address does not respond; it will be retried later.",
        503: "It is busy; it will be retried later.",
        504: "The server behind that address does not respond; it will be retried later.",
    }
    return LLMConnectionError(
        f"{server} {what}{said.rstrip('.')}.",
        hint or hints.get(status, ""),
        is_permanent=status in PERMANENT,
    )


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema as strict modes take it: without bounds, of its properties neither."""
    plain = {key: value for key, value in schema.items() if key not in _BOUNDS}
    if "properties" in plain:
        fields = plain["properties"].items()
        plain["properties"] = {name: strict_schema(field) for name, field in fields}
    return plain


def schema_in_words(schema: Mapping[str, Any]) -> str:
    """Return what is added to the rules for a model whose server takes no schema."""
    plain = json.dumps(strict_schema(schema))
    return f"\nAnswer with one JSON object that fits this schema: {plain}"
