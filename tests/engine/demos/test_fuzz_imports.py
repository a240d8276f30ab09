"""Damaged files of other programs are refused in one line or read right, and cost no memory."""

import random
import re
import resource
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.config import RunConfig
from engine.demos.minari_folder import read_minari_actions
from engine.demos.npz import NpzReader, from_npz
from engine.demos.table import from_csv
from engine.demos.table import read_table as read_csv
from engine.errors import DemoError
from engine.types import GAME_BOY_ACTIONS, Action
from tests.engine.demos.damage import archives, bombs, hdf5_files, tables

COUNT, PLAYED_SHARE = 200, 0.05
_OTHER = re.compile("'(observations|demo)'|pictures|BadZipFile")
"""An archive is refused for its other arrays, too."""
_READ_IN_LITTLE = """
import resource, sys
from pathlib import Path
from engine.config import RunConfig
from engine.demos.npz import from_npz
from engine.demos.table import from_csv
from engine.errors import DemoError
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (160 << 20),) * 2)
saves = sys.argv[1]
for name in sys.argv[2:]:
    read = from_csv if name.endswith("csv") else from_npz
    try:
        read(Path(name), RunConfig(save_dir=saves), Path(saves))
    except DemoError as error:
        print(error)
"""
"""Reads files with no more than 160 MiB beside what the program takes anyway."""


def check_line(error: DemoError, *, is_right: bool) -> None:
    """Check that a refusal is one printable line, of what is to be refused."""
    assert str(error).isprintable()
    assert is_right


def read_table(path: Path) -> list[int]:
    return list(read_csv(path, GAME_BOY_ACTIONS.names).actions)


def read_archive(path: Path) -> list[int]:
    with NpzReader(path) as file:
        return [int(action) for action in file.whole_numbers("actions", 1 << 20)]


KINDS: dict[str, tuple[Any, str, Callable[[Path], list[int]], Any]] = {
    "tables": (tables, "x.csv", read_table, from_csv),
    "archives": (archives, "x.npz", read_archive, from_npz),
}
"""What damages files, what they are called, and what reads and imports them."""


def fuzz_files(kind: str, folder: Path, config: RunConfig, count: int) -> Counter[str]:
    """Read damaged files, and import some of those that could be read; return how it went."""
    make, name, read, take = KINDS[kind]
    path, went = folder / name, Counter[str]()
    rng = random.Random(count)
    for data, sound in make(random.Random(count), count):
        path.write_bytes(data)
        try:
            actions = read(path)
        except DemoError as error:
            went["refused"] += 1
            check_line(error, is_right=sound is None)
            continue
        assert sound is None or actions == sound
        is_playable = len(actions) > 0 and all(0 <= each < len(Action) for each in actions)
        if is_playable and sound is None and rng.random() > PLAYED_SHARE:
            continue
        try:
            take(path, config, folder)
        except DemoError as error:
            check_line(error, is_right=not is_playable or bool(_OTHER.search(str(error))))
        else:
            went["played"] += 1
            assert is_playable
    return went


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_tables_and_archives_are_refused_or_read_right(
    demo_config: RunConfig, tmp_path: Path, kind: str
) -> None:
    went = fuzz_files(kind, tmp_path, demo_config, COUNT)
    assert went["refused"] > COUNT / 3
    assert went["played"]


def fuzz_datasets(folder: Path, count: int) -> Counter[str]:
    """Read damaged files of Minari's; return how it went."""
    went: Counter[str] = Counter()
    for sound in hdf5_files(folder, random.Random(count), count):
        try:
            found = [list(actions) for actions in read_minari_actions(folder)]
        except DemoError as error:
            went["refused"] += 1
            check_line(error, is_right=sound is None)
        else:
            went["read"] += 1
            assert sound is None or found == [sound]
            assert all(np.asarray(actions).dtype.kind in "iu" for actions in found if actions)
    return went


def test_damaged_datasets_are_refused_or_read_right(tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    pytest.importorskip("minari")
    went = fuzz_datasets(tmp_path, COUNT)
    assert went["refused"] > COUNT / 3
    assert went["read"]


@pytest.mark.slow
def test_bombs_are_refused_within_a_little_memory(tmp_path: Path) -> None:
    made = dict(bombs(tmp_path))
    command = [sys.executable, "-c", _READ_IN_LITTLE, str(tmp_path / "saves"), *map(str, made)]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert found.stderr == ""
    for line, words in zip(found.stdout.splitlines(), made.values(), strict=True):
        assert any(word in line for word in words.split("|")), line


def test_a_chunk_that_unpacks_to_more_than_it_says_is_not_unpacked(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    pytest.importorskip("minari")
    path = tmp_path / "data" / "main_data.hdf5"
    path.parent.mkdir()
    with h5py.File(path, "w") as file:
        actions = file.create_group("episode_0").create_dataset(
            "actions", data=np.arange(100) % 9, chunks=(100,), compression="gzip", shuffle=True
        )
    assert [len(actions) for actions in read_minari_actions(tmp_path)] == [100]
    with h5py.File(path, "r+") as file:
        actions = file["episode_0/actions"]
        actions.id.write_direct_chunk((0,), zlib.compress(bytes(1 << 28)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(DemoError, match="damaged"):
        list(read_minari_actions(tmp_path))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10
