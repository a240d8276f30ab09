"""Know the providers of language models: their own hosts, their variables, their models' names."""

import re
from dataclasses import dataclass

# gpt-oss is open, in Ollama's library and not with OpenAI; only Ollama's names end in a tag.
_OPENAI = re.compile(r"ft:.|(?:gpt-(?!oss)|chatgpt-|o[134](?:-|$))[^:]*$")
_ANTHROPIC = re.compile(r"claude-")


@dataclass(frozen=True, slots=True)
class Provider:
    """Whose protocol a server speaks.

    Attributes:
        host: Its own server, reached by https.
        address_variable: Environment variable of another server's address.
        key_variable: Environment variable of its key.
    """

    host: str
    address_variable: str
    key_variable: str


PROVIDERS = {
    "ollama": Provider("ollama.com", "OLLAMA_HOST", "OLLAMA_API_KEY"),
    "openai": Provider("api.openai.com", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
    "anthropic": Provider("api.anthropic.com", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
}


def backend_of(model: str) -> str:
    """Return the provider that a model's name speaks of, a key of `PROVIDERS`."""
    if _OPENAI.match(model):
        return "openai"
    return "anthropic" if _ANTHROPIC.match(model) else "ollama"
