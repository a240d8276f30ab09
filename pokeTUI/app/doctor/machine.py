"""Examine Python, its packages, the cores, the memory, the gamepads and the terminal."""

import importlib.metadata
import importlib.util
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from engine.loop.machine import memory
from pokeTUI.draw.colors import ColorDepth
from pokeTUI.draw.layout import MIN_COLUMNS, MIN_ROWS
from pokeTUI.terminal.gamepad import NO_PERMISSION, InputDevices
from pokeTUI.terminal.probe import Terminal

INSTALL = "Reinstall: pip install -c constraints.txt -e ."
NAME_WIDTH = 11
"""Of the longest name of a check."""


class Verdict(Enum):
    """The result of a check; the value is for machines."""

    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"

    @property
    def sign(self) -> str:
        """Return what stands before a finding."""
        return {"good": "✓", "warning": "!", "bad": "✗"}[self.value]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Attributes:
        text: What was found, in one line.
        remedy: What to do about it; "" where there is nothing to do.
    """

    name: str
    verdict: Verdict
    text: str
    remedy: str = ""


def good(name: str, text: str, remedy: str = "") -> Finding:
    """Return a finding that all is well; a remedy says what would be better still."""
    return Finding(name, Verdict.GOOD, text, remedy)


def warning(name: str, text: str, remedy: str) -> Finding:
    """Return a finding that one can live with."""
    return Finding(name, Verdict.WARNING, text, remedy)


def bad(name: str, text: str, remedy: str) -> Finding:
    """Return a finding that something will not work."""
    return Finding(name, Verdict.BAD, text, remedy)


_OLDEST_PYTHON = (3, 11)
_SHOWN = ("textual", "torch", "pyboy", "gymnasium", "numpy")
_MODULES = {"pydantic-settings": "pydantic_settings"}
_EXTRAS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "local": "xllamacpp",
    "tensorboard": "tensorboard",
    "wandb": "wandb",
    "web": "textual_serve",
    "gif": "PIL",
    "gba": "stable_retro",
}
"""Module that each extra brings."""
_NEEDED_GB = 2.0
_CGROUP = Path("/sys/fs/cgroup")
_GB = 1024**3


def examine_python(version: tuple[int, ...] = sys.version_info[:3]) -> Finding:
    """Return whether this Python is new enough."""
    text = ".".join(map(str, version))
    if version < _OLDEST_PYTHON:
        return bad("Python", f"{text} is too old.", "Use Python 3.11 or newer.")
    return good("Python", text)


def examine_packages() -> Finding:
    """Return whether what is needed is installed, in versions that fit. Nothing is imported."""
    try:
        needed = [
            parsed
            for line in importlib.metadata.requires("poketui") or ()
            if "extra ==" not in line and (parsed := _parse(line)) is not None
        ]
    except importlib.metadata.PackageNotFoundError:
        return warning("packages", "poketui itself is not installed.", INSTALL)
    missing, old, new, versions = [], [], [], {}
    for name, least, below in needed:
        try:
            version = versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
            continue
        if importlib.util.find_spec(_MODULES.get(name, name)) is None:
            missing.append(name)
        elif least and _numbers(version) < _numbers(least):
            old.append(f"{name} {version} (needs {least})")
        elif below and _numbers(version) >= _numbers(below):
            new.append(f"{name} {version} (tested below {below})")
    if missing or old:
        parts = [f"missing: {', '.join(missing)}"] if missing else []
        parts += [f"too old: {', '.join(old)}"] if old else []
        return bad("packages", f"{'; '.join(parts)}.", INSTALL)
    if new:
        return warning("packages", f"newer than tested: {', '.join(new)}.", INSTALL)
    return good("packages", ", ".join(f"{n} {versions[n]}" for n in _SHOWN if n in versions))


def examine_extras(wanted: str = "") -> Finding:
    """Report which optional packages are there; `wanted` is one that the settings need."""
    present = [name for name, module in _EXTRAS.items() if importlib.util.find_spec(module)]
    absent = [name for name in _EXTRAS if name not in present]
    if wanted and wanted in absent:
        return bad(
            "extras",
            f"the settings need {wanted}, which is not installed.",
            f"pip install 'poketui[{wanted}]'",
        )
    text, remedy = ", ".join(present) or "none", ""
    if absent:
        text += f"; not installed: {', '.join(absent)}"
        remedy = f"Optional: pip install 'poketui[{absent[0]}]'"
    return good("extras", text, remedy)


def examine_cores(cores: float | None = None) -> Finding:
    """Report how many cores may be used."""
    cores = usable_cores() if cores is None else cores
    text = f"{cores:g} {'core' if cores == 1 else 'cores'}"
    if cores < 2:
        return warning(
            "cores",
            f"{text}, shared by cockpit and training.",
            "Training is faster with more cores or without the cockpit: poketui run --headless",
        )
    return good("cores", text)


def examine_memory(free_gb: float | None = None) -> Finding:
    """Return whether the memory will do."""
    free_gb = free_memory_gb() if free_gb is None else free_gb
    if free_gb is None:
        return good("memory", "free memory unknown on this system")
    if free_gb < _NEEDED_GB:
        return warning(
            "memory",
            f"{free_gb:.1f} GB free; a typical run uses up to {_NEEDED_GB:g} GB.",
            "Close other programs, or use fewer games: --envs 8 --workers 1",
        )
    return good("memory", f"{free_gb:.1f} GB free")


def examine_gamepads(
    environment: Mapping[str, str], devices: InputDevices | None = None
) -> Finding:
    """Report which gamepads can be used."""
    found = [*(devices or InputDevices()).gamepads()]
    refused = [title for device, title in found if not os.access(device, os.R_OK)]
    if refused:
        return warning("gamepad", f"{', '.join(refused)} may not be read.", NO_PERMISSION)
    over_ssh = "; one at your own machine is not seen over ssh"
    text = ", ".join(title for _, title in found) or "none at this machine"
    return good("gamepad", text + over_ssh * bool(environment.get("SSH_CONNECTION")))


def usable_cores() -> float:
    """Return the cores that this process may use: in a container perhaps only some."""
    if sys.platform == "linux":
        count = float(len(os.sched_getaffinity(0)))
    else:
        count = float(os.cpu_count() or 1)
    try:
        quota, period = (_CGROUP / "cpu.max").read_text().split()
        return min(count, int(quota) / int(period))
    except (OSError, ValueError, ZeroDivisionError):
        return count


def free_memory_gb() -> float | None:
    """Return the memory that is free here, None if the system does not say."""
    found = memory()
    return None if found is None else (found[1] - found[0]) / _GB


def _parse(requirement: str) -> tuple[str, str, str] | None:
    """Return the name, the lowest version and the first that is too high, "" where none is set."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    if name is None:
        return None
    least = re.search(r">=\s*([\d.]+)", requirement)
    below = re.search(r"<\s*([\d.]+)", requirement)
    return name[0], least[1] if least else "", below[1] if below else ""


def _numbers(version: str) -> tuple[int, ...]:
    """Return a version's leading numbers, without the zeros at the end: 8.0 is 8."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(part) for part in found[0].split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


_COMFORTABLE = (120, 40)
_HEADLESS = "Without a terminal: poketui run --headless"


def examine_terminal(
    terminal: Terminal | None, size: tuple[int, int], environment: Mapping[str, str]
) -> list[Finding]:
    """Report how the cockpit will look here.

    Args:
        terminal: None: standard output is none.
        size: Columns and rows.
        environment: TERM, COLORTERM, NO_COLOR, TMUX, SSH_CONNECTION and the locale are looked at.
    """
    if terminal is None:
        return [
            warning("terminal", "none: stdin, stdout and stderr are not all terminals.", _HEADLESS),
            _locale(environment),
        ]
    return [
        _kind(terminal, environment),
        _size(*size),
        _colors(terminal, environment),
        _graphics(terminal),
        _locale(environment),
    ]


def _kind(terminal: Terminal, environment: Mapping[str, str]) -> Finding:
    if terminal.term in ("", "dumb"):
        return bad(
            "terminal",
            f"TERM is {terminal.term or 'not set'}: cannot draw.",
            f"In a real terminal: export TERM=xterm-256color. {_HEADLESS}",
        )
    between = []
    if environment.get("TMUX"):
        between.append("tmux")
    elif environment.get("STY"):
        between.append("GNU screen")
    if environment.get("SSH_CONNECTION"):
        between.append("ssh")
    name = f"{terminal.name}, " if terminal.name else ""
    through = f", through {' and '.join(between)}" if between else ""
    return good("terminal", f"{name}TERM={terminal.term}{through}")


def _size(columns: int, rows: int) -> Finding:
    if columns < MIN_COLUMNS or rows < MIN_ROWS:
        return bad(
            "size",
            f"{columns}x{rows}; the minimum is {MIN_COLUMNS}x{MIN_ROWS}.",
            f"Enlarge the terminal or choose a smaller font. {_HEADLESS}",
        )
    if columns < _COMFORTABLE[0] or rows < _COMFORTABLE[1]:
        return good("size", f"{columns}x{rows}: panes share space as tabs; 120x40 shows more")
    return good("size", f"{columns}x{rows}")


def _colors(terminal: Terminal, environment: Mapping[str, str]) -> Finding:
    if environment.get("NO_COLOR"):
        return good("colours", "none, as NO_COLOR asks")
    if terminal.depth is ColorDepth.TRUECOLOR:
        return good("colours", "16 million")
    if environment.get("TMUX"):
        remedy = (
            "In tmux: set -as terminal-features ',*:RGB'; then here: export COLORTERM=truecolor"
        )
    else:
        remedy = "If it has true colour (most do; ssh does not tell): export COLORTERM=truecolor"
    if terminal.depth is ColorDepth.EIGHT_BIT:
        return warning("colours", "256: the game looks slightly coarser.", remedy)
    return warning("colours", f"{terminal.depth.value}: the game is hard to see.", remedy)


def _graphics(terminal: Terminal) -> Finding:
    best = terminal.best_mode(MIN_COLUMNS, MIN_ROWS)
    pictures = best.value if best.is_picture else "block characters"
    keys = "reported" if terminal.has_kitty_keys else "guessed"
    text = f"game drawn as {pictures}; key releases {keys}"
    if not terminal.is_answering:
        text += " (the terminal did not answer)"
    return good("drawing", text)


def _locale(environment: Mapping[str, str]) -> Finding:
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        value = environment.get(name, "")
        if value:
            if "utf-8" in value.lower() or "utf8" in value.lower():
                return good("letters", f"{name}={value}")
            return warning(
                "letters",
                f"{name}={value} is not UTF-8: lines and blocks may look wrong.",
                "export LC_ALL=C.UTF-8",
            )
    return warning("letters", "no locale set.", "export LANG=C.UTF-8")
