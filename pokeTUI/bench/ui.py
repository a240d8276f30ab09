"""Measure the cockpit and print a table with the targets."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.bench.environment import Figure, print_table
from engine.errors import ConfigurationError
from pokeTUI.bench.overlay import measure_overlay
from pokeTUI.bench.play import measure_play
from pokeTUI.bench.start import imports, measure_start
from pokeTUI.bench.throughput import measure_throughput
from pokeTUI.printing import say

Theme = Callable[[], Iterator[Figure]]


def measure_ui(only: Sequence[str] = (), *, is_quick: bool = False) -> tuple[Figure, ...]:
    """Print a table of medians and what missed its target; return the lines.

    Raises:
        ConfigurationError: There is no such theme.
    """
    found = measure_themes(
        {
            "start": lambda: measure_start(1 if is_quick else 5),
            "play": lambda: measure_play(10 if is_quick else 60),
            "overlay": lambda: measure_overlay(3 if is_quick else 60),
            "training": lambda: measure_throughput(4 if is_quick else 100, 1.0),
        },
        only,
    )
    if not only or "start" in only:
        say(imports())
    return found


def measure_themes(themes: Mapping[str, Theme], only: Sequence[str]) -> tuple[Figure, ...]:
    """Measure the themes named, or all, between two looks at the machine's load.

    Raises:
        ConfigurationError: There is no such theme.
    """
    if unknown := [name for name in only if name not in themes]:
        raise ConfigurationError(
            f"Unknown benchmark: {unknown[0]}.", f"Choose from {', '.join(themes)}."
        )
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    say(f"{os.cpu_count()} cores; load average before: {load}.")
    chosen = [theme for name, theme in themes.items() if not only or name in only]
    found = print_table(figure for theme in chosen for figure in theme())
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    say(f"Load average after: {load}.")
    return found
