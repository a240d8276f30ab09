"""Examine everything that a run depends on, and say what to do about what is wrong."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.config import RunConfig, load_config
from engine.errors import ConfigurationError
from engine.planning.models.member import describe
from pokeTUI.app.doctor.machine import INSTALL, Finding, bad, good
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
    """Run all checks, and yield findings as they come; a model's server may take 5 s.

    A check that raises becomes a finding itself, and stops no other. Must not be called in an event
    loop's thread: a screen calls it in a worker thread. Overrides are settings by dotted key, as
    options give them.
    """
    from pokeTUI.app.doctor import files, machine, models
    from pokeTUI.app.doctor.machine import examine_terminal

    config, settings = _settings(config_path, overrides)
    environment = surroundings.environment
    checks: Mapping[str, Check] = {
        "Python": machine.examine_python,
        "packages": machine.examine_packages,
        "extras": lambda: machine.examine_extras("wandb" if config.wandb != "off" else ""),
        "cores": machine.examine_cores,
        "memory": machine.examine_memory,
        "terminal": lambda: examine_terminal(surroundings.terminal, surroundings.size, environment),
        "gamepad": lambda: machine.examine_gamepads(environment),
        "settings": lambda: settings,
        "preferences": files.examine_preferences,
        "trusted": files.examine_trust,
        "ROM": lambda: files.examine_rom(config),
        "saves": lambda: files.examine_saves(config),
        "live runs": files.examine_live_runs,
        "model": lambda: models.examine_models(config),
        "keys": lambda: models.examine_keys(environment),
    }
    for name, check in checks.items():
        yield from _made(name, check)


def _made(name: str, check: Check) -> list[Finding]:
    """Run a check; whatever it raises becomes its finding."""
    try:
        found = check()
    except Exception as error:  # the outermost frame of a check
        return [_failed(name, error)]
    return found if isinstance(found, list) else [found]


def _failed(name: str, error: Exception) -> Finding:
    return bad(
        name,
        f"This check failed: {describe(error)}.",
        f"{INSTALL} If it still fails, report this line.",
    )


def look_around() -> Surroundings:
    """Probe the terminal of this process; nothing else may be reading from it."""
    from pokeTUI.terminal.probe import probe_own_terminal

    is_drawable = all(os.isatty(number) for number in (0, 1, 2))
    terminal = probe_own_terminal() if is_drawable else None
    size = shutil.get_terminal_size()
    return Surroundings(terminal, (size.columns, size.lines), os.environ)


def _settings(path: Path | None, overrides: Mapping[str, Any] | None) -> tuple[RunConfig, Finding]:
    """Return the settings, the defaults if they are wrong, and the finding about them."""
    try:
        config = load_config(path, dict(overrides or {}))
    except ConfigurationError as error:
        return RunConfig(), bad("settings", error.message, error.hint)
    except Exception as error:  # as in `_made`
        return RunConfig(), _failed("settings", error)
    variables = sorted(name for name in os.environ if name.startswith("POKETUI_"))
    sources = [str(path)] if path else []
    sources += [f"environment: {', '.join(variables)}"] if variables else []
    return config, good("settings", "; ".join(sources) or "defaults")
