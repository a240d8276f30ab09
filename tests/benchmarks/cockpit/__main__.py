"""Measure the cockpit in pseudo-terminals: `python -m tests.benchmarks.cockpit [WHAT]...`.

- `start`: how soon after `poketui run` something is seen, and how soon the game.
- `play`: what the screen costs while a game is played at its own pace.
- `overlay`: how long it takes to read many runs and to draw them over each other.
- `training`: what training loses to the screen.
- `frames`: what a picture costs of which every cell changes, in every way of drawing.
- `keys`: how soon a key's effect is seen, also over a slow link.
- `memory`: whether the cockpit grows over ten million events.
"""

import argparse
import os

from engine.bench.environment import print_table
from tests.benchmarks.cockpit.frames import measure_frames
from tests.benchmarks.cockpit.keys import measure_keys
from tests.benchmarks.cockpit.memory import measure_memory
from tests.benchmarks.cockpit.overlay import measure_overlay
from tests.benchmarks.cockpit.play import measure_play
from tests.benchmarks.cockpit.start import imports, measure_start
from tests.benchmarks.cockpit.throughput import measure_throughput


def main() -> None:
    """Print a table of what is named, or of all, between two looks at the machine's load."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="*", help="what to measure; all by default")
    parser.add_argument("--quick", action="store_true", help="shortly, to see that it works")
    args = parser.parse_args()
    is_quick = args.quick
    measurements = {
        "start": lambda: measure_start(1 if is_quick else 5),
        "play": lambda: measure_play(10 if is_quick else 60),
        "overlay": lambda: measure_overlay(3 if is_quick else 60),
        "training": lambda: measure_throughput(4 if is_quick else 100, 1.0),
        "frames": lambda: measure_frames(*((1, 0.5) if is_quick else (5, 2.0))),
        "keys": lambda: measure_keys(4 if is_quick else 20),
        "memory": lambda: measure_memory(100_000 if is_quick else 10_000_000),
    }
    if unknown := [name for name in args.what if name not in measurements]:
        parser.error(f"{unknown[0]} is unknown; choose from {', '.join(measurements)}")
    chosen = args.what or list(measurements)
    print(f"{os.cpu_count()} cores; load average before: {_load()}.")
    print_table(figure for name in chosen for figure in measurements[name]())
    print(f"Load average after: {_load()}.")
    if "start" in chosen:
        print(imports())


def _load() -> str:
    return ", ".join(f"{value:.1f}" for value in os.getloadavg())


if __name__ == "__main__":
    main()
