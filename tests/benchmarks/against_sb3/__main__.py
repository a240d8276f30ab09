"""Compare with Stable-Baselines3: `python -m tests.benchmarks.against_sb3` (extra `sb3`).

Both sides train in turn with the same hyperparameters and seeds, ours first, one thread each.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace

import torch

from engine.config import DQNConfig
from tests.benchmarks.against_sb3 import ours
from tests.benchmarks.against_sb3.cases import CASES
from tests.benchmarks.against_sb3.runs import Case, Outcome, Run
from tests.benchmarks.against_sb3.tables import (
    RETURNS_HEAD,
    SPEED_HEAD,
    outcome,
    returns_rows,
    speed_row,
)

try:
    from tests.benchmarks.against_sb3 import theirs
except ModuleNotFoundError:
    sys.exit("Stable-Baselines3 is missing: pip install -e '.[sb3]'")

Train = Callable[[Case, int], Run]


def main() -> int:
    """Compare, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, help="of every case, instead of its own")
    parser.add_argument("--only", default="", help="cases whose title has this in it")
    parser.add_argument(
        "--extras",
        action="store_true",
        help="train our DQN also as it is by default",
    )
    options = parser.parse_args()
    torch.set_num_threads(1)
    cases = [case for case in CASES if options.only in case.title]
    if not cases:
        parser.error(f"--only must be in one of: {'; '.join(case.title for case in CASES)}")
    if options.steps:
        cases = [replace(case, steps=options.steps) for case in cases]
    returns, speeds = list(RETURNS_HEAD), list(SPEED_HEAD)
    for case in cases:
        for title, mine, other in compare(case, options.seeds, has_extras=options.extras):
            speeds.append(speed_row(title, mine, other))
            returns += returns_rows(case, title, mine, other)
    print(f"Stable-Baselines3 {theirs.VERSION}, torch {torch.__version__}\n")
    print("\n".join(["", *returns, "", *speeds]))
    return 0


def compare(
    case: Case, seeds: int, *, has_extras: bool
) -> list[tuple[str, list[Outcome], list[Outcome]]]:
    """Return each variant of ours by title, one outcome a seed, beside theirs."""
    sides: dict[str, Train] = {case.title: ours.train}
    config = case.config
    if has_extras and isinstance(config, DQNConfig):
        extended = with_extras(config, case.steps)
        sides[f"{case.title}, with extras"] = lambda case, seed: ours.train(case, seed, extended)
    sides["SB3"] = theirs.train
    warm_up = replace(case, steps=3_000)
    for train in sides.values():
        train(warm_up, 0)
    outcomes: dict[str, list[Outcome]] = {title: [] for title in sides}
    for seed in range(seeds):
        for title, train in sides.items():
            outcomes[title].append(outcome(case, train(case, seed)))
            print(f"{case.title}, seed {seed}, {title}: {outcomes[title][-1]}", file=sys.stderr)
    other = outcomes.pop("SB3")
    return [(title, mine, other) for title, mine in outcomes.items()]


def with_extras(config: DQNConfig, steps: int) -> DQNConfig:
    """Return the same with what our DQN does by default and theirs does not."""
    usual = DQNConfig()
    names = ("double", "duelling", "scale_rewards", "n_steps", "alpha")
    changes = {name: getattr(usual, name) for name in names}
    return config.model_copy(update=changes | {"beta_steps": steps})


if __name__ == "__main__":
    sys.exit(main())
