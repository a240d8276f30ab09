"""Let faults happen to the real program: `python -m tests.benchmarks.faults`.

Prints a table (fault, times, outcome, seconds) and ends with 1 if something was lost, there was a
traceback, or something hung. `--only WORDS` takes the faults whose name has these words, `--times`
lets each happen so often, `--minutes` ends it after so long, `--soak STEPS` steps so often with
the cockpit open besides. Which damage is done depends on `--seed` alone.
"""

import argparse
import sys
import time

from tests.benchmarks.faults.fault import Fault, Row, try_out
from tests.benchmarks.faults.registry import FAULTS, SOAK
from tests.benchmarks.faults.workshop import workshop


def main() -> int:
    """Return the exit code."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--only", metavar="WORDS", default="")
    options.add_argument("--times", type=int)
    options.add_argument("--minutes", type=float, default=float("inf"))
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--soak", type=int, default=0, metavar="STEPS")
    options.add_argument("--list", action="store_true", help="name the faults, and do nothing")
    given = options.parse_args()
    chosen = [fault for fault in FAULTS if given.only in fault.name]
    if given.soak:
        chosen = [*chosen, SOAK] if given.only == "" else [SOAK]
    if given.list or not chosen:
        print(*(f"{fault.times:>5} {fault.name}" for fault in FAULTS), sep="\n")
        return 0 if given.list else 2
    rows = run(chosen, given.times, given.seed, given.minutes * 60, soak_steps=given.soak)
    return int(any(row.is_bad for row in rows))


def run(
    faults: list[Fault], times: int | None, seed: int, limit_s: float, *, soak_steps: int = 0
) -> list[Row]:
    """Let faults happen, print the table, and return its rows."""
    end_s = time.monotonic() + limit_s
    rows = []
    print("| fault | times | outcome | s |\n|---|---|---|---|", flush=True)
    with workshop() as shop:
        shop.soak_steps = soak_steps
        for fault in faults:
            if time.monotonic() >= end_s:
                break
            rows.append(try_out(fault, shop, times or fault.times, seed, end_s))
            print(rows[-1].markdown(), flush=True)
    bad = sum(row.is_bad for row in rows)
    print(f"\n{sum(row.times for row in rows):,} faults, {bad} of {len(rows)} rows bad")
    return rows


if __name__ == "__main__":
    sys.exit(main())
