"""Make the backend for a model, by its name and settings."""

import importlib.util
from typing import Any

from engine.config import RunConfig
from engine.errors import ConfigurationError
from engine.ground.providers import backend_of
from engine.planning.models.backends.base import Backend

_EXTRA_PACKAGES = {
    "ollama": (),
    "openai": ("openai",),
    "anthropic": ("anthropic",),
    "local": ("xllamacpp", "openai"),
}
"""What a backend needs beyond what is always installed: an extra of the same name brings it."""


def make_backend(
    model: str,
    *,
    backend: str = "",
    base_url: str = "",
    connect_timeout_s: float = 1.0,
    load_timeout_s: float = 300.0,
    max_context_length: int = 0,
) -> Backend:
    """Return a model's backend. Nothing is connected, and no client imported, before it is used.

    Args:
        model: Its name, e.g. "smollm2:1.7b", "gpt-...", "claude-...", or a GGUF file's path.
        backend: "ollama", "openai", "anthropic" or "local"; "": by the name.
        base_url: Address of the server; "": OLLAMA_HOST, OPENAI_BASE_URL or ANTHROPIC_BASE_URL,
            else the usual one.
        connect_timeout_s: Longest time to connect.
        load_timeout_s: Longest time that the server may take to load the model.
        max_context_length: Most tokens of question and answer; 0: as many as the questions need.

    Raises:
        ConfigurationError: The name, the address or the file is none, or an extra or a key is
            missing.
    """
    if not model.strip() or not model.isprintable():
        raise ConfigurationError(
            "No language model is set.", "Set one, e.g. --llm-model smollm2:1.7b."
        )
    kind = backend or backend_of(model)
    if kind not in _EXTRA_PACKAGES:
        raise ConfigurationError(
            f"Unknown language model backend {kind!r}.",
            "Choose ollama, openai, anthropic or local.",
        )
    if kind == "local" and base_url:
        raise ConfigurationError(
            f"{model} is a local model file, but llm_base_url names a server.",
            "Leave llm_base_url out, or set the server's protocol: --llm-backend openai.",
        )
    for package in _EXTRA_PACKAGES[kind]:
        if importlib.util.find_spec(package) is None:
            raise ConfigurationError(
                f"{model} needs the package {package}, which is not installed.",
                f"Install it: pip install 'poketui[{kind}]'.",
            )
    server: Any = {"base_url": base_url, "connect_timeout_s": connect_timeout_s}
    loading: Any = {"load_timeout_s": load_timeout_s, "max_context_length": max_context_length}
    if kind == "openai":
        from engine.planning.models.backends.openai import OpenAIBackend

        return OpenAIBackend(model, **server)
    if kind == "anthropic":
        from engine.planning.models.backends.anthropic import AnthropicBackend

        return AnthropicBackend(model, **server)
    if kind == "local":
        from engine.planning.models.backends.local import LocalBackend

        return LocalBackend(model, **loading)
    from engine.planning.models.backends.ollama import OllamaBackend

    return OllamaBackend(model, **server, **loading)


def make_backends(config: RunConfig) -> list[Backend]:
    """Return the backends of all models of a run; raises as `make_backend`."""
    return [
        make_backend(
            name,
            backend=config.llm_backend,
            base_url=config.llm_base_url,
            load_timeout_s=config.planner.load_timeout_s,
            max_context_length=config.max_context_length,
        )
        for name in config.models or ("",)
    ]
