import io
import os
import zipfile

import numpy as np
import pytest

from engine.errors import CheckpointError
from engine.training.checkpoint import (
    Checkpoint,
    CheckpointStore,
    read_checkpoint,
    seal,
    steps_of,
    write_checkpoint,
)


def example(value: int = 1) -> Checkpoint:
    return Checkpoint(
        facts={"steps": value, "rng": {"state": 2**127 + 1}},
        arrays={"network/a.weight": np.arange(12, dtype=np.float32).reshape(3, 4) + value},
        blobs={"env/0000": os.urandom(5000)},
    )


def test_what_is_written_is_read(tmp_path):
    written = example()
    write_checkpoint(tmp_path / "a.zip", written)
    found = read_checkpoint(tmp_path / "a.zip")
    assert found.facts["rng"] == written.facts["rng"]
    np.testing.assert_array_equal(
        found.arrays["network/a.weight"], written.arrays["network/a.weight"]
    )
    assert found.blobs == written.blobs


def test_every_flipped_byte_is_noticed(tmp_path):
    path = tmp_path / "a.zip"
    write_checkpoint(path, example())
    content = path.read_bytes()
    for place in range(0, len(content), 97):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        with pytest.raises(CheckpointError):
            read_checkpoint(path)


@pytest.mark.parametrize("length", [0, 1, 100, 2000, 5000])
def test_a_cut_off_file_is_refused_in_one_line(tmp_path, length):
    path = tmp_path / "a.zip"
    write_checkpoint(path, example())
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(CheckpointError, match="damaged or unreadable"):
        read_checkpoint(path)


def test_another_format_is_refused(tmp_path):
    write_checkpoint(tmp_path / "a.zip", Checkpoint(facts={"format": 99}))
    with pytest.raises(CheckpointError, match="format 99"):
        read_checkpoint(tmp_path / "a.zip")


def test_a_pickled_array_is_refused_unopened(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "exploded"),))

    array = np.empty(1, object)
    array[0] = Bomb()
    pickled, sealed = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array(pickled, array, allow_pickle=True)
    with zipfile.ZipFile(sealed, "w") as archive:
        archive.comment = bytes(64)
        archive.writestr("facts.json", '{"format": 1}')
        archive.writestr("arrays/x.npy", pickled.getvalue())
    (tmp_path / "a.zip").write_bytes(seal(sealed.getvalue()))
    with pytest.raises(CheckpointError, match="damaged or unreadable"):
        read_checkpoint(tmp_path / "a.zip")
    assert not (tmp_path / "exploded").exists()


def test_the_store_keeps_the_newest(tmp_path):
    store = CheckpointStore(tmp_path / "checkpoints", keep=2)
    for steps in (10, 20, 1000, 300):
        store.save(example(), steps)
    assert [steps_of(path) for path in store.paths()] == [1000, 300]


def test_a_damaged_newest_checkpoint_gives_way_to_the_one_before(tmp_path):
    store = CheckpointStore(tmp_path, keep=3)
    store.save(example(1), 10)
    store.save(example(2), 20).write_bytes(b"PK broken")
    checkpoint, path, warnings = store.load_newest()
    assert checkpoint.facts["steps"] == 1
    assert steps_of(path) == 10
    assert "step-000000000020.zip" in warnings[0]


def test_no_usable_checkpoint_is_an_error(tmp_path):
    with pytest.raises(CheckpointError, match="No usable checkpoint"):
        CheckpointStore(tmp_path, keep=1).load_newest()


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_write_that_fails_anywhere_leaves_the_former_checkpoint_whole(
    tmp_path, monkeypatch, call
):
    store = CheckpointStore(tmp_path, keep=1)
    store.save(example(1), 10)

    def full(*_):
        raise OSError(28, "No space left on device")

    target = {"write": "pathlib.Path.open", "fsync": "os.fsync", "replace": "pathlib.Path.replace"}
    monkeypatch.setattr(target[call], full)
    with pytest.raises(CheckpointError, match="No space left"):
        store.save(example(2), 20)
    monkeypatch.undo()
    assert store.load_newest()[0].facts["steps"] == 1
    assert not list(tmp_path.glob("*.tmp"))
