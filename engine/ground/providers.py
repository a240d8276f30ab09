"""Name the providers of language models: hosts, environment variables, forms of models' names."""

import re
from dataclasses import dataclass

from engine.ground.folders import user_path

# gpt-oss is open, in Ollama's library and not with OpenAI; only Ollama's names end in a tag.
_OPENAI = re.compile(r"ft:.|(?:gpt-(?!oss)|chatgpt-|o[134](?:-|$))[^:]*$")
_ANTHROPIC = re.compile(r"claude-")
# Ollama gets files from Hugging Face by such names; no name begins as paths do.
_FILE = re.compile(
    r"(?:~|\.{0,2}/).*|(?!hf\.co/|huggingface\.co/).*\.gguf", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Provider:
    """Whose protocol a server speaks."""

    host: str
    """Its own server, reached by https."""
    address_variable: str
    """Environment variable of another server's address."""
    key_variable: str
    """Environment variable of its key."""
    port: int = 80
    """Of an address that has neither a port nor a scheme."""


PROVIDERS = {
    "ollama": Provider("ollama.com", "OLLAMA_HOST", "OLLAMA_API_KEY", 11434),
    "openai": Provider("api.openai.com", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
    "anthropic": Provider("api.anthropic.com", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
}


def backend_of(model: str) -> str:
    """Return what a model's name speaks of: a key of `PROVIDERS`, or "local" for a file."""
    if _FILE.fullmatch(model):
        return "local"
    if _OPENAI.match(model):
        return "openai"
    return "anthropic" if _ANTHROPIC.match(model) else "ollama"


def names_of(models: str) -> tuple[str, ...]:
    """Return the names of models that stand in one text, with commas between."""
    return tuple(name.strip() for name in models.split(",") if name.strip())


def whole_path(file: str) -> str:
    """Return the absolute path of a model's file, which may begin with a ~.

    Raises:
        ConfigurationError: It begins in a home folder that is not known.
    """
    return str(user_path(file).absolute())


def with_whole_paths(models: str, backend: str = "") -> str:
    """Return names of models with commas between, those of files as absolute paths.

    Raises:
        ConfigurationError: One begins in a home folder that is not known.
    """
    names = names_of(models)
    kinds = [backend or backend_of(name) for name in names]
    if "local" not in kinds:
        return models
    found = zip(names, kinds, strict=True)
    return ",".join(whole_path(name) if kind == "local" else name for name, kind in found)
