"""Divide a folder's demonstrations into those that are learnt from and those that only validate.

The division is kept beside them; whoever clones from the folder keeps to it.
"""

import json
from pathlib import Path

from engine.demos.dataset import DemoSet
from engine.demos.demonstration import read_limited
from engine.demos.writing import write_whole
from engine.errors import DemoError
from engine.files import parse_json

SPLIT = "split.json"
_MAX_SIZE = 1 << 24


def write_split(demos: DemoSet, valid_share: float, seed: int) -> tuple[Path, int, int]:
    """Divide demonstrations of one folder, and write down how beside them.

    Returns:
        The file, how many are learnt from, and how many validate.

    Raises:
        DemoError: There are none, the share is none, or it cannot be written.
    """
    if not len(demos):
        raise DemoError(f"No demonstrations in {demos.folder}.", "Record some first.")
    train, valid = demos.split(valid_share, seed)
    facts = {
        "train": [path.name for path in train.paths],
        "valid": [path.name for path in valid.paths],
        "seed": seed,
        "valid_share": valid_share,
    }
    path = demos.folder / SPLIT
    write_whole(path, json.dumps(facts, indent=1).encode())
    return path, len(train), len(valid)


def read_split(folder: Path) -> frozenset[str]:
    """Return the names of the files in a folder that only validate; none where nobody divided it.

    Raises:
        DemoError: What was written down is damaged.
    """
    path = folder / SPLIT
    if not path.exists():
        return frozenset()
    try:
        names = parse_json(read_limited(path, _MAX_SIZE))["valid"]
        if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
            raise ValueError("its names are none")
        return frozenset(names)
    except (ValueError, TypeError, KeyError):
        raise DemoError(
            f"{path} says nothing of what validates.", "Divide anew: poketui demos split"
        ) from None
