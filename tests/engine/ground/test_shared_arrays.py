"""Arrays over a shared file are the same memory wherever they are mapped."""

from pathlib import Path

import numpy as np
import pytest

from engine.ground.shared_arrays import map_arrays, shared_file

LAYOUT = [(np.bool_, (3,)), (np.float32, (2, 5)), (np.int64, ())]


@pytest.mark.parametrize("is_on_disk", [False, True])
def test_what_one_writes_the_other_reads(tmp_path: Path, is_on_disk: bool) -> None:
    with shared_file(tmp_path if is_on_disk else None) as file:
        ours, theirs = map_arrays(LAYOUT, file), map_arrays(LAYOUT, file)
        for number, array in enumerate(ours):
            array[...] = number
    assert not list(tmp_path.iterdir())
    assert [(each.dtype, each.shape) for each in theirs] == LAYOUT
    assert [each.min() for each in theirs] == [each.max() for each in theirs] == [0, 1, 2]


def test_without_a_file_each_mapping_has_its_own_memory() -> None:
    ours, theirs = map_arrays(LAYOUT, None), map_arrays(LAYOUT, None)
    ours[1][...] = 1
    assert not theirs[1].any()
    assert all(each.ctypes.data % 64 == 0 for each in ours)
