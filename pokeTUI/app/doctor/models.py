"""Examine the language model: its server, itself, and the keys for it, which are never shown."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

from engine.config import RunConfig
from engine.errors import PokeTUIError
from engine.ground.providers import PROVIDERS, backend_of
from engine.ground.text import one_line
from engine.planning.models.backends import make_backend
from engine.planning.models.backends.base import ModelStatus, key_from, shown_address
from pokeTUI.app.doctor.machine import Finding, bad, free_memory_gb, good, warning

_CONNECT_TIMEOUT_S = 1.0
_SUGGESTED = "smollm2:1.7b"
_SHOWN_MODELS = 4
_NOT_NEEDED = "not needed: rules set the goals"
_GB = 1024**3
_WORKING_GB = 0.5
"""Memory that a local model needs besides its file."""


def examine_models(config: RunConfig) -> list[Finding]:
    """Report for each configured model whether it can be asked; without one, what could be used."""
    if not config.models:
        return [_unused_server()]
    return [_model(name, config) for name in config.models]


def examine_keys(environment: Mapping[str, str] = os.environ) -> Finding:
    """Report which keys are set."""
    variables = [PROVIDERS[kind].key_variable for kind in ("openai", "anthropic")]
    has = {variable: bool(key_from(variable, environment)) for variable in variables}
    words = [f"{name} {'is set' if is_set else 'is not set'}" for name, is_set in has.items()]
    return good("keys", ", ".join(words))


def _model(name: str, config: RunConfig) -> Finding:
    try:
        kind = config.llm_backend or backend_of(name)
        status = asyncio.run(_probe(name, kind, config.llm_base_url))
    except PokeTUIError as error:
        return bad("model", error.message, error.hint)
    if kind == "local":
        return examine_file(name)
    if status.state == "ready" and status.detail:  # its server does not say whether it has it
        return good("model", f"{name}: {one_line(status.detail, 200)}", _remedy(name, kind))
    if status.state in ("ready", "loading"):
        loading = ", not loaded yet" if status.state == "loading" else ""
        return good("model", f"{name} is available{loading}")
    text = one_line(status.detail, 200) or status.state
    return bad("model", f"{name}: {text}", _remedy(name, kind))


def examine_file(name: str, free_gb: float | None = None) -> Finding:
    """Return whether the memory holds a model that would be run here; its file is there."""
    size_gb = Path(name).stat().st_size / _GB
    free_gb = free_memory_gb() if free_gb is None else free_gb
    text = f"{name}, {size_gb:.1f} GB; runs locally, without a server"
    if free_gb is not None and free_gb < size_gb + _WORKING_GB:
        return warning(
            "model",
            f"{text}; only {free_gb:.1f} GB of memory free.",
            "Close other programs, or use a smaller model.",
        )
    return good("model", text)


def _unused_server() -> Finding:
    """Return whether there is a server on this machine, though nobody asks for one."""
    address = shown_address(os.environ.get("OLLAMA_HOST", "").strip()) or "127.0.0.1:11434"
    try:
        status = asyncio.run(_probe(_SUGGESTED, "ollama", ""))
    except PokeTUIError as error:
        return warning("model", error.message, error.hint)
    is_silent = status.state == "ready" and not status.models  # it does not list any
    if is_silent or status.state in ("unreachable", "refused"):
        return good("model", f"none set; {_NOT_NEEDED}", one_line(status.detail, 200))
    models = ", ".join(one_line(model, 40) for model in status.models[:_SHOWN_MODELS])
    more = ", ..." if len(status.models) > _SHOWN_MODELS else ""
    chosen = status.models[0] if status.models else _SUGGESTED
    first = "" if status.models else f"ollama pull {_SUGGESTED}; "
    return good(
        "model",
        f"none set; Ollama at {address} has {models or 'no models'}{more}",
        f"Use one: {first}poketui run --llm-model {one_line(chosen, 40)}",
    )


async def _probe(name: str, kind: str, base_url: str) -> ModelStatus:
    backend = make_backend(
        name, backend=kind, base_url=base_url, connect_timeout_s=_CONNECT_TIMEOUT_S
    )
    try:
        return await backend.probe()
    finally:
        await backend.close()


def _remedy(name: str, kind: str) -> str:
    backend = "" if kind == backend_of(name) else f" --llm-backend {kind}"
    return f"Check it: poketui llm check --model {one_line(name, 60)}{backend}"
