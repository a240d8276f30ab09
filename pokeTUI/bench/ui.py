"""Measure the cockpit and print a table with the targets."""

import os
from collections.abc import Callable, Iterator, Sequence

from engine.bench.environment import Figure, print_table
from engine.errors import ConfigurationError
from pokeTUI.bench.frames import measure_frames
from pokeTUI.bench.keys import measure_keys
from pokeTUI.bench.memory import measure_memory
from pokeTUI.bench.play import measure_play
from pokeTUI.bench.start import imports, measure_start
from pokeTUI.bench.throughput import measure_throughput
from pokeTUI.cli.printing import say

Theme = Callable[[], Iterator[Figure]]


def measure_ui(only: Sequence[str] = (), *, is_quick: bool = False) -> tuple[Figure, ...]:
    """Print a table of medians and what missed its target; return the lines.

    Args:
        only: Names of themes; empty: all.
        is_quick: Measure shortly, to see that everything works.

    Raises:
        ConfigurationError: There is no such theme.
    """
    themes = _quick_themes() if is_quick else _themes()
    if unknown := [name for name in only if name not in themes]:
        raise ConfigurationError(
            f"There is nothing called {unknown[0]} to measure.", f"Choose of {', '.join(themes)}."
        )
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    say(f"{os.cpu_count()} cores; load average before: {load}.")
    chosen = [theme for name, theme in themes.items() if not only or name in only]
    found = print_table(figure for theme in chosen for figure in theme())
    if not only or "start" in only:
        say(imports())
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    say(f"Load average after: {load}.")
    return found


def _themes() -> dict[str, Theme]:
    return {
        "start": lambda: measure_start(5),
        "frames": lambda: measure_frames(5, 2.0),
        "play": lambda: measure_play(60),
        "training": lambda: measure_throughput(100, 1.0),
        "keys": lambda: measure_keys(20),
        "memory": lambda: measure_memory(10_000_000),
    }


def _quick_themes() -> dict[str, Theme]:
    return {
        "start": lambda: measure_start(1),
        "frames": lambda: measure_frames(1, 0.5),
        "play": lambda: measure_play(10),
        "training": lambda: measure_throughput(4, 1.0),
        "keys": lambda: measure_keys(4),
        "memory": lambda: measure_memory(100_000),
    }
