"""Train the battle policy that comes along, and write it as engine/battles/shipped.zip.

`python -m tests.benchmarks.battle_policy [--minutes N] [--seed N] [--save-dir FOLDER] [--run RUN]`

It never meets the players that it is judged by. Half precision is enough to play: 1.3 MB.
"""

import argparse
import subprocess
import sys

import numpy as np

from engine.battles.play.players import SHIPPED_FILE
from engine.battles.policy import NETWORK, write_network
from engine.runs.checkpoint import LATEST
from engine.runs.folder import RunFolder, find_run
from engine.runs.settings import read_settings

TRAINING = (
    "vgc train --headless --num-workers 2 --buffer-size 4096 --ppo-epochs 4 --num-minibatches 16 "
    "--anneal --opponents self=0.75,past=0.2,random=0.05 --set vgc.num_teams=64"
)


def write(save_dir: str, run: str) -> str:
    """Write the newest policy of a run; return what it is."""
    folder = RunFolder(find_run(save_dir, run, purpose="write"))
    trained = folder.store().load_newest()[0]
    weights = trained.arrays_under(NETWORK)
    halves = {name: array.astype(np.float16) for name, array in weights.items()}
    format = read_settings(folder.path).vgc.format
    facts = {"battle_format": format, "run": folder.run_id, "training": TRAINING}
    write_network(SHIPPED_FILE, halves, facts)
    return f"{SHIPPED_FILE}: {folder.run_id}, {SHIPPED_FILE.stat().st_size / 1e6:.1f} MB"


def main() -> None:
    """Train, unless a run is named, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save-dir", default="saves/vgc")
    parser.add_argument("--run", default="")
    args = parser.parse_args()
    if not args.run:
        given = ["--minutes", args.minutes, "--seed", args.seed, "--checkpoint-dir", args.save_dir]
        command = [sys.executable, "-m", "pokeTUI", *TRAINING.split(), *map(str, given)]
        subprocess.run(command, check=True)
    print(write(args.save_dir, args.run or LATEST))


if __name__ == "__main__":
    main()
