"""Measure how long evaluations of saved runs take, by worker processes and patience.

python -m tests.benchmarks.evaluation EPISODES SAVE_DIR...
"""

import sys
import time
from unittest.mock import patch

from engine.training.evaluation import evaluate_run


def main(episodes: int, save_dirs: list[str]) -> None:
    """Evaluate the latest run of each folder; print a line each time."""
    for save_dir in save_dirs:
        for cores in (1, 2):
            for patience in (0, None):
                with patch("os.cpu_count", return_value=cores):
                    began = time.perf_counter()
                    found = evaluate_run(save_dir, "latest", episodes=episodes, patience=patience)
                    took_s = time.perf_counter() - began
                won = sum(summary.is_success for summary in found.played)
                still = sum(summary.stood_still for summary in found.played)
                steps = sum(summary.length for summary in found.played)
                print(
                    f"| {found.run_id} | {cores} | {'never' if patience == 0 else 'usual'} "
                    f"| {took_s:.1f} s | {steps:,} steps | {won} won | {still} stood still |",
                    flush=True,
                )


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
