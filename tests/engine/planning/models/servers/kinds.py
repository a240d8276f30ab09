"""What the kinds of servers do that people run: from their documentation, source and issues."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Refusal = tuple[int, Mapping[str, Any] | str]
"""Status and body."""


def _openai(status: int, message: str, code: str = "invalid_request_error") -> Refusal:
    return status, {"error": {"message": message, "type": code, "param": None, "code": None}}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a kind of server does.

    Attributes:
        name: What it is called in tables.
        model: As its users name it.
        is_ollama: It speaks Ollama's own protocol and not OpenAI's.
        keeps: Types of `response_format` that it keeps its model to; it overlooks others.
        refuses: By a part of a request (see `parts_of`), how it refuses that.
        limits: Names under which it honours a limit.
        thinks: Its model thinks if it is not told otherwise.
        off: Parts of a request that switch thinking off; none: it cannot be.
        thinks_in: A field beside the answer's, or the closing tag of thoughts within it.
        mistakes: A schema takes hold while the model is to think: the answer counts as a thought.
        falls_silent: Parts of a request with which, and a schema, its model says nothing.
        comments: It sends comments before an answer.
        fails: The first request fails with an error in its stream.
    """

    name: str
    model: str = "some-model-7b-instruct"
    is_ollama: bool = False
    keeps: frozenset[str] = frozenset({"json_schema", "json_object"})
    refuses: Mapping[str, Refusal] = field(default_factory=dict)
    limits: tuple[str, ...] = ("max_tokens", "max_completion_tokens")
    thinks: bool = False
    off: frozenset[str] = frozenset()
    thinks_in: str = "reasoning_content"
    mistakes: bool = False
    falls_silent: frozenset[str] = frozenset()
    comments: bool = False
    fails: bool = False


_NOT_A_LITERAL = (
    "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), "
    "'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}]"
)
_NOT_A_SCHEMA = "'response_format.type' must be 'json_schema' or 'text'"
_NO_SYSTEM = {
    "object": "error",
    "message": "System role not supported",
    "type": "BadRequestError",
    "param": None,
    "code": 400,
}
_NO_ENDPOINT = {
    "message": "No endpoints found that can handle the requested parameters. To learn more about "
    "provider routing, visit: https://openrouter.ai/docs/guides/routing/provider-selection",
    "code": 404,
}
_UNSUPPORTED = "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
_EFFORT = (
    "[{'type': 'literal_error', 'loc': ('body', 'reasoning_effort'), "
    "'msg': \"Input should be 'low', 'medium' or 'high'\", 'input': 'none'}]"
)
_JSON = frozenset({"json_object"})
_SCHEMA = frozenset({"json_schema"})
_TEMPLATE = frozenset({"enable_thinking=False"})
_NONE = frozenset({"reasoning_effort=none"})

KINDS = (
    Kind("llama.cpp"),
    # PR 19831 made llama.cpp honour the newer name; before, only n_predict and max_tokens counted.
    Kind(
        "llama.cpp of 2024",
        keeps=_JSON,
        limits=("max_tokens",),
        refuses={
            "json_schema": _openai(
                500,
                'response_format type must be one of "text" or "json_object", but got: json_schema',
                "server_error",
            )
        },
    ),
    # ggml-org/llama.cpp issue 22537.
    Kind(
        "llama.cpp, thinking model",
        "Qwen3.6-35B-A3B-Q8_0.gguf",
        thinks=True,
        off=_TEMPLATE,
        mistakes=True,
    ),
    # abetlen/llama-cpp-python: server/errors.py wraps what pydantic refuses; issue 1907.
    Kind(
        "llama-cpp-python",
        keeps=_JSON,
        limits=("max_tokens",),
        refuses={"json_schema": _openai(500, _NOT_A_LITERAL, "internal_server_error")},
    ),
    # The same, where the form is overlooked: modelship-ai/modelship pull request 71.
    Kind("llama-cpp-python, no form", keeps=frozenset(), limits=("max_tokens",)),
    Kind(
        "LM Studio",
        keeps=_SCHEMA,
        refuses={"json_object": (400, {"error": _NOT_A_SCHEMA})},
    ),
    # lmstudio-bug-tracker issue 1698.
    Kind(
        "LM Studio, thinking model",
        "qwen3.5-9b-distilled",
        keeps=_SCHEMA,
        thinks=True,
        mistakes=True,
    ),
    # lmstudio-bug-tracker issue 1569: thoughts stand in the answer, as its template begins them.
    Kind(
        "LM Studio, thoughts in tags",
        "deepseek/deepseek-r1-0528-qwen3-8b",
        keeps=frozenset(),
        thinks=True,
        thinks_in="<think>",
    ),
    Kind(
        "a server whose thoughts only end with a tag",
        "some-distilled-model",
        keeps=frozenset(),
        thinks=True,
        thinks_in="</think>",
    ),
    Kind("vLLM"),
    Kind("vLLM, Gemma 2", "google/gemma-2-2b-it", refuses={"system": (400, _NO_SYSTEM)}),
    Kind(
        "vLLM, reasoning parser",
        "Qwen/Qwen3-32B",
        thinks=True,
        off=_TEMPLATE,
        refuses={"reasoning_effort=none": (400, {"message": _EFFORT, "code": 400})},
    ),
    # vllm-project/vllm issue 19222: with thinking off, its parser takes the answer for a thought.
    Kind(
        "vLLM, reasoning parser of R1",
        "Qwen/Qwen3-32B",
        thinks=True,
        mistakes=True,
    ),
    # sgl-project/sglang issue 892: the template's error is nobody's.
    Kind("SGLang, Gemma 2", "gemma-2-2b", refuses={"system": (500, "Internal Server Error")}),
    Kind(
        "OpenRouter",
        "arcee-ai/trinity-large-preview:free",
        refuses={"json_schema": (404, {"error": _NO_ENDPOINT})},
        thinks_in="reasoning",
        comments=True,
        fails=True,
    ),
    Kind(
        "OpenRouter, DeepSeek R1",
        "deepseek/deepseek-r1",
        keeps=_JSON,
        refuses={"json_schema": (404, {"error": _NO_ENDPOINT})},
        thinks=True,
        thinks_in="reasoning",
        comments=True,
    ),
    Kind(
        "OpenRouter, o3",
        "openai/o3-mini",
        limits=("max_completion_tokens",),
        refuses={
            "max_tokens": _openai(400, f"{_UNSUPPORTED}'max_completion_tokens' instead."),
            "temperature": _openai(400, "Unsupported value: 'temperature' does not support 0.2."),
            "bounds": _openai(
                400,
                "Invalid schema for response_format 'answer': In context=('properties', "
                "'confidence'), 'maximum' is not permitted.",
            ),
        },
        thinks=True,
        thinks_in="nowhere",
        comments=True,
    ),
    Kind(
        "DeepSeek's own",
        "deepseek-reasoner",
        keeps=_JSON,
        refuses={"json_schema": _openai(400, "This response_format type is unavailable now")},
        thinks=True,
    ),
    Kind(
        "a server of pydantic's",
        "codestral",
        keeps=_JSON,
        refuses={
            part: (
                422,
                {"detail": [{"loc": ["body", part], "msg": "Extra inputs are not permitted"}]},
            )
            for part in ("stream_options", "chat_template_kwargs")
        },
    ),
    Kind(
        "a server that says nothing of why",
        keeps=frozenset(),
        refuses={"response_format": (501, "Not Implemented"), "temperature": (400, "Bad Request")},
    ),
    Kind("Ollama", "smollm2:1.7b", is_ollama=True),
    # HarperFast/harper issue 1805.
    Kind(
        "Ollama, thinking model",
        "qwen3-next:80b",
        is_ollama=True,
        thinks=True,
        off=frozenset({"think=False"}),
        mistakes=True,
    ),
    # ollama/ollama issue 11867, vectorize-io/hindsight issue 3246.
    Kind(
        "Ollama, gpt-oss",
        "gpt-oss:20b",
        is_ollama=True,
        thinks=True,
        falls_silent=frozenset({"think=False", "think=None"}),
    ),
    Kind("Ollama's /v1", "llama3.2"),
    # ollama/ollama issues 15288 and 14820.
    Kind(
        "Ollama's /v1, thinking model",
        "gemma4:26b",
        thinks=True,
        off=_NONE,
        thinks_in="reasoning",
        mistakes=True,
    ),
    # nextcloud/integration_openai issue 426.
    Kind("Ollama's /v1, empty", "gpt-oss:20b", falls_silent=frozenset({"json_schema"})),
)
