"""Measure the cockpit beyond this machine's share: `python -m tests.benchmarks.cockpit [WHAT]...`.

`frames` draws pictures of which every cell changes, in every way of drawing; `keys` presses keys
over a slow link; `memory` lets ten million events pass. `poketui bench ui` measures the rest.
"""

import argparse

from pokeTUI.bench.ui import measure_themes
from tests.benchmarks.cockpit.frames import measure_frames
from tests.benchmarks.cockpit.keys import measure_keys
from tests.benchmarks.cockpit.memory import measure_memory


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", nargs="*", help="frames, keys or memory; all by default")
    parser.add_argument("--quick", action="store_true", help="shortly, to see that it works")
    args = parser.parse_args()
    is_quick = args.quick
    themes = {
        "frames": lambda: measure_frames(*((1, 0.5) if is_quick else (5, 2.0))),
        "keys": lambda: measure_keys(4 if is_quick else 20),
        "memory": lambda: measure_memory(100_000 if is_quick else 10_000_000),
    }
    measure_themes(themes, args.what)


if __name__ == "__main__":
    main()
