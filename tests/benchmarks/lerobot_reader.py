"""Read an exported LeRobotDataset with LeRobot's own reader, and compare it with an NPZ export.

It needs nothing of PokeTUI, but an environment with `lerobot`:

    poketui demos export lab --format lerobot --out /tmp/lab
    poketui demos export lab --format npz --out /tmp/lab-npz
    python tests/benchmarks/lerobot_reader.py /tmp/lab /tmp/lab-npz
"""

import sys
from pathlib import Path

import numpy as np
from lerobot.datasets.lerobot_dataset import LeRobotDataset

PICTURES = "observation.images.game"


def main(folder: Path, npz: Path, backend: str) -> None:
    """Compare frame by frame; the files of `npz` are in the order of the episodes."""
    dataset = LeRobotDataset(f"local/{folder.name}", root=folder, video_backend=backend)
    at, psnrs = 0, []
    for number, path in enumerate(sorted(npz.glob("*.npz"))):
        with np.load(path) as arrays:
            for action, reward, picture in zip(
                arrays["actions"], arrays["rewards"], arrays["observations"], strict=True
            ):
                row = dataset[at]
                assert row["action"].item() == action, at
                assert row["next.reward"].item() == reward, at
                assert row["episode_index"].item() == number, at
                seen = row[PICTURES].permute(1, 2, 0).numpy() * 255
                error = np.square(seen - picture.astype(np.float32)).mean()
                psnrs.append(10 * np.log10(255**2 / max(error, 1e-9)))
                at += 1
    assert at == len(dataset)
    print(f"{dataset.num_episodes} episodes, {at} frames; actions and rewards are equal")
    print(f"PSNR mean {np.mean(psnrs):.1f} dB, least {np.min(psnrs):.1f} dB ({backend})")
    print("tasks:", *dataset.meta.tasks.index)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "pyav")
