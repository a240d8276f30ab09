"""Show how fast the policy alone learns in the default run, as a table of its evaluations.

python -m tests.benchmarks.policy_curve [SEEDS] [SECONDS]
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from engine.events import EvaluationEnded
from engine.history.patterns import success_interval
from engine.training.journal import read_journal


def main(seeds: int = 5, seconds: int = 300) -> None:
    """Train one seed after the other for so long from the first step on, and print each curve."""
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as folder:
            run = [sys.executable, "-m", "pokeTUI", "run", "--headless", "--save-dir", folder]
            run += ["--seed", str(seed)]
            process = subprocess.Popen(run, stdout=subprocess.PIPE, text=True)
            assert process.stdout is not None
            next(line for line in process.stdout if "saved at step 0" in line)
            try:
                process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                process.terminate()
                process.communicate()
            (journal,) = Path(folder).glob("runs/*/journal.jsonl")
            for event in read_journal(journal):
                if isinstance(event, EvaluationEnded):
                    found = event.evaluation
                    successes = round(found.success_rate * found.episodes)
                    low, high = success_interval(successes, found.episodes)
                    print(
                        f"| {seed} | {event.total_steps:,} | {successes} of {found.episodes} "
                        f"| {low:.0%} to {high:.0%} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
