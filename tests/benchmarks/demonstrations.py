"""Record random demonstrations and play them in another process: all must go the same way.

`python -m tests.benchmarks.demonstrations [COUNT]` records COUNT (1,000) of 10 to 50 steps in the
practice game, and says how long both took and how large the files are.
"""

import sys
import tempfile
import time
from pathlib import Path

from engine.config import RunConfig
from engine.demos.recorder import random_policy, record_policy
from engine.demos.validation import validate

_GROUP = 25


def record(folder: Path, count: int) -> list[Path]:
    """Record `count` demonstrations, each group of another length and seed."""
    for group, first in enumerate(range(0, count, _GROUP)):
        config = RunConfig(save_dir=str(folder), seed=group)
        number = min(_GROUP, count - first)
        steps = 10 + group % 41
        played = record_policy(
            random_policy(group), config, number, folder, max_steps=steps, is_advised=False
        )
        for _ in played:
            pass
    return sorted(folder.glob("*.demo"))


def main() -> int:
    """Return the exit code: 1 if one goes another way."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    with tempfile.TemporaryDirectory() as name:
        began_s = time.perf_counter()
        paths = record(Path(name), count)
        recorded_s = time.perf_counter()
        found = list(validate(paths, RunConfig(save_dir=name)))
        ended_s = time.perf_counter()
        size = sum(path.stat().st_size for path in paths)
    refused = [each for each in found if each.refusal]
    steps = sum(each.steps for each in found)
    print(f"{len(found):,} demonstrations, {steps:,} steps, {size / len(found):,.0f} bytes each")
    print(f"recorded in {recorded_s - began_s:.0f} s, played in {ended_s - recorded_s:.0f} s")
    print(f"{len(refused):,} went another way")
    for each in refused:
        print(each.refusal)
    return int(bool(refused) or len(found) != count)


if __name__ == "__main__":
    raise SystemExit(main())
