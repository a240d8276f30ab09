import io
import os

import numpy as np
import pytest

from engine.errors import CheckpointError
from engine.runs.checkpoint import (
    BEST,
    Checkpoint,
    CheckpointStore,
    read_checkpoint,
    steps_of,
    write_checkpoint,
)
from tests.engine.training.helpers import raising, sealed


def example(value: int = 1) -> Checkpoint:
    return Checkpoint(
        facts={"steps": value, "rng": {"state": 2**127 + 1}},
        arrays={"network/a.weight": np.arange(12, dtype=np.float32).reshape(3, 4) + value},
        blobs={"env/0000": os.urandom(5000)},
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.zip"


@pytest.fixture
def store(tmp_path):
    """Return a store of an older checkpoint."""
    store = CheckpointStore(tmp_path, keep=3)
    store.save(example(1), 10)
    return store


def test_checkpoint_reads_back_what_was_written(path):
    written = example()
    write_checkpoint(path, written)
    found = read_checkpoint(path)
    assert (found.facts["rng"], found.blobs) == (written.facts["rng"], written.blobs)
    weights = [one.arrays["network/a.weight"] for one in (found, written)]
    np.testing.assert_array_equal(*weights)


def test_every_flipped_byte_is_noticed(path):
    write_checkpoint(path, example())
    content = path.read_bytes()
    for place in range(0, len(content), 97):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        with pytest.raises(CheckpointError):
            read_checkpoint(path)


@pytest.mark.parametrize("length", [0, 1, 100, 2000, 5000])
def test_a_cut_off_file_is_refused_in_one_line(path, length):
    write_checkpoint(path, example())
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(CheckpointError, match="damaged or unreadable"):
        read_checkpoint(path)


def test_a_missing_checkpoint_is_called_missing_and_another_format_by_its_number(path):
    with pytest.raises(CheckpointError, match=r"There is no checkpoint .*a\.zip") as caught:
        read_checkpoint(path)
    assert "damaged" not in str(caught.value)
    write_checkpoint(path, Checkpoint(facts={"format": 99}))
    with pytest.raises(CheckpointError, match="has format 99"):
        read_checkpoint(path)


def test_a_pickled_array_is_refused_unopened(path, tmp_path):
    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "exploded"),))

    array = np.empty(1, object)
    array[0] = Bomb()
    pickled = io.BytesIO()
    np.lib.format.write_array(pickled, array, allow_pickle=True)
    path.write_bytes(sealed({"facts.json": '{"format": 2}', "arrays/x.npy": pickled.getvalue()}))
    with pytest.raises(CheckpointError, match="damaged or unreadable"):
        read_checkpoint(path)
    assert not (tmp_path / "exploded").exists()


def test_the_store_keeps_the_newest(tmp_path):
    store = CheckpointStore(tmp_path / "checkpoints", keep=2)
    for steps in (10, 20, 300, 1000):
        store.save(example(), steps)
    assert [steps_of(path) for path in store.paths()] == [1000, 300]


def test_a_damaged_newest_checkpoint_gives_way_to_the_one_before(store):
    store.save(example(2), 20).write_bytes(b"PK broken")
    checkpoint, path, warnings = store.load_newest()
    assert (checkpoint.facts["steps"], steps_of(path)) == (1, 10)
    assert "step-000000000020.zip" in warnings[0]


def test_no_usable_checkpoint_is_an_error(tmp_path):
    with pytest.raises(CheckpointError, match="No usable checkpoint"):
        CheckpointStore(tmp_path, keep=1).load_newest()


def test_a_damaged_checkpoint_pushes_no_good_one_out(tmp_path):
    store = CheckpointStore(tmp_path, keep=1)
    store.save(example(1), 10)
    (tmp_path / "step-000000000030.zip").write_bytes(b"PK broken")
    store.save(example(2), 20)
    assert store.load_newest()[0].facts["steps"] == 2
    store.save(example(4), 40)
    assert [steps_of(path) for path in store.paths()] == [40]


def test_a_checkpoint_that_cannot_be_used_gives_way_to_the_one_before(store):
    store.save(example(2), 20)

    def use(checkpoint):
        if checkpoint.facts["steps"] == 2:
            raise CheckpointError("It is for another game.")

    _, path, warnings = store.load_newest(use)
    assert steps_of(path) == 10
    assert warnings == ["It is for another game. Using the previous one."]


def test_an_older_version_is_refused_in_one_line_and_the_one_before_taken(store):
    store.save(Checkpoint(facts={"format": 1}), 20)
    _, path, (warning,) = store.load_newest()
    assert steps_of(path) == 10
    assert "step-000000000020.zip has format 1, expected" in warning
    assert "\n" not in warning


def scored(value: float, stage: int = 0, *, is_evaluated: bool = False) -> Checkpoint:
    return Checkpoint(facts={"score": (is_evaluated, stage, value), "value": value})


def best(folder) -> float:
    return read_checkpoint(folder / BEST).facts["value"]


def test_the_best_checkpoint_outlives_the_rotation_and_the_process(tmp_path):
    for steps, value in enumerate((1.0, 7.0, 3.0, 2.0)):
        store = CheckpointStore(tmp_path, keep=1)
        store.save(scored(value), steps)
    assert best(tmp_path) == 7.0
    assert [steps_of(path) for path in store.paths()] == [3]


def test_a_later_stage_beats_return_and_an_evaluation_beats_both(tmp_path):
    store = CheckpointStore(tmp_path, keep=1)
    store.save(scored(90.0, stage=1), 1)
    store.save(scored(50.0, stage=2), 2)
    assert best(tmp_path) == 50.0
    store.save(scored(20.0, is_evaluated=True), 3)
    store.save(scored(95.0, stage=5), 4)
    assert best(tmp_path) == 20.0


def test_a_damaged_best_is_replaced_and_half_written_files_cleared_away(tmp_path):
    (tmp_path / BEST).write_bytes(b"PK broken")
    (tmp_path / "step-000000000010.zip.tmp").write_bytes(b"PK half")
    CheckpointStore(tmp_path, keep=1).save(scored(3.0), 2)
    assert best(tmp_path) == 3.0
    assert not list(tmp_path.glob("*.tmp"))


@pytest.mark.parametrize(("is_evaluated", "value"), [(True, 7.0), (False, 3.0)])
def test_what_was_best_alone_is_taken_and_what_was_best_with_help_is_not(
    tmp_path, is_evaluated, value
):
    store = CheckpointStore(tmp_path, keep=3)
    for steps, score in ((10, 7.0), (20, 3.0)):
        store.save(scored(score, is_evaluated=is_evaluated), steps)
    found, path, warnings = store.load_best()
    assert found.facts["value"] == value
    assert (path.name == BEST) == is_evaluated
    assert warnings == []


def test_without_a_usable_best_one_the_latest_is_taken_and_that_is_said(tmp_path):
    store = CheckpointStore(tmp_path, keep=3)
    store.save(Checkpoint({"value": 1.0}), 10)
    assert store.load_best()[2] == []
    (tmp_path / BEST).write_bytes(b"PK broken")
    found, _, (warning,) = store.load_best()
    assert found.facts["value"] == 1.0
    assert "Using the latest one." in warning


def test_where_files_have_one_name_only_the_best_is_a_copy(tmp_path, monkeypatch):
    monkeypatch.setattr("os.link", raising(OSError(38, "Function not implemented")))
    CheckpointStore(tmp_path, keep=1).save(scored(3.0), 2)
    assert best(tmp_path) == 3.0
