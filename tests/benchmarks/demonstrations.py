"""Record random demonstrations and play them in another process: all must go the same way.

`python -m tests.benchmarks.demonstrations [COUNT]` records COUNT (1,000) of 10 to 50 steps in the
practice game, and says how long both took and how large the files are.

`python -m tests.benchmarks.demonstrations --damaged [COUNT]` reads COUNT (10,000) damaged files of
each kind: demonstrations with their logs and archives, tables, NPZ and Minari's HDF5. It ends with
an error at the first that is not refused in one line or read right.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from engine.config import RunConfig
from engine.demos.demonstration import read_demo
from engine.demos.recorder import random_policy, record_policy
from engine.demos.validation import validate
from tests.engine.demos.test_fuzz import fuzz_all
from tests.engine.demos.test_fuzz_imports import fuzz_datasets, fuzz_files

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


def damage(count: int) -> int:
    """Read damaged files; return the exit code."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = RunConfig(save_dir=name)
        path = record(folder, 1)[0]
        demo_file = path, read_demo(path)
        kinds: tuple[tuple[str, Callable[[], object]], ...] = (
            ("demonstrations", lambda: fuzz_all(demo_file, folder, count)),
            ("tables", lambda: fuzz_files("tables", folder, config, count)),
            ("archives", lambda: fuzz_files("archives", folder, config, count)),
            ("datasets", lambda: fuzz_datasets(folder, count)),
        )
        for kind, fuzz in kinds:
            began_s = time.perf_counter()
            went = fuzz()
            took_s = time.perf_counter() - began_s
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(f"{count:,} {kind}: {went or 'all as they must'}, {took_s:.0f} s, {peak:,} MiB")
    return 0


def main() -> int:
    """Return the exit code: 1 if one goes another way."""
    options = argparse.ArgumentParser()
    options.add_argument("count", type=int, nargs="?")
    options.add_argument("--damaged", action="store_true")
    given = options.parse_args()
    if given.damaged:
        return damage(given.count or 10_000)
    return play_again(given.count or 1_000)


def play_again(count: int) -> int:
    """Record and play; return the exit code."""
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
