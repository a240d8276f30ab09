"""Examine everything that a run depends on, and say what to do about what is wrong."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.config import RunConfig, load_config
from engine.errors import ConfigurationError
from pokeTUI.doctor.finding import Finding, bad, good
from pokeTUI.terminal.probe import Terminal

Check = Callable[[], Finding | list[Finding]]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where the program runs; the checks read it from here.

    Attributes:
        terminal: None: it is none.
        size: Columns and rows of the terminal.
    """

    terminal: Terminal | None
    size: tuple[int, int]
    environment: Mapping[str, str]


def examine(
    surroundings: Surroundings,
    config_path: Path | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Iterator[Finding]:
    """Yield a finding a check, as soon as it is known; a model's server may take 2 s.

    Must not be called in an event loop's thread: a screen calls it in a worker thread. Overrides
    are settings by dotted key, as options give them.
    """
    from pokeTUI.doctor import files, machine, models
    from pokeTUI.doctor.screen import examine_terminal

    config, settings = _settings(config_path, overrides)
    checks: tuple[Check, ...] = (
        machine.examine_python,
        machine.examine_packages,
        lambda: machine.examine_extras("wandb" if config.wandb != "off" else ""),
        machine.examine_cores,
        machine.examine_memory,
        lambda: examine_terminal(
            surroundings.terminal, surroundings.size, surroundings.environment
        ),
        lambda: machine.examine_gamepads(surroundings.environment),
        lambda: settings,
        files.examine_preferences,
        files.examine_trust,
        lambda: files.examine_rom(config),
        lambda: files.examine_saves(config),
        files.examine_live_runs,
        lambda: models.examine_models(config),
        lambda: models.examine_keys(surroundings.environment),
    )
    for check in checks:
        found = check()
        yield from found if isinstance(found, list) else [found]


def look_around() -> Surroundings:
    """Ask the terminal of this process, which nothing else may be reading from."""
    from pokeTUI.terminal.probe import probe_own_terminal

    is_drawable = all(os.isatty(number) for number in (0, 1, 2))
    terminal = probe_own_terminal() if is_drawable else None
    size = shutil.get_terminal_size()
    return Surroundings(terminal, (size.columns, size.lines), os.environ)


def _settings(path: Path | None, overrides: Mapping[str, Any] | None) -> tuple[RunConfig, Finding]:
    """Return the settings, or the usual ones if they are wrong, and what was found of them."""
    try:
        config = load_config(path, dict(overrides or {}))
    except ConfigurationError as error:
        return RunConfig(), bad("settings", error.message, error.hint)
    variables = sorted(name for name in os.environ if name.startswith("POKETUI_"))
    sources = [str(path)] if path else []
    sources += [f"environment: {', '.join(variables)}"] if variables else []
    return config, good("settings", "; ".join(sources) or "defaults")
