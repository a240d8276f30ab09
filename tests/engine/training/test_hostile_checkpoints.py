"""Checkpoints that somebody made to do harm: sealed anew, so that only their contents are wrong."""

import functools
import io
import random
import struct
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.config import RunConfig
from engine.errors import CheckpointError
from engine.runs import checkpoint as checkpoints
from engine.runs.checkpoint import (
    LIMITS,
    MAX_FACTS,
    Checkpoint,
    CheckpointStore,
    read_checkpoint,
    write_checkpoint,
)
from engine.training.snapshot import refuse_other_versions
from tests.engine.training.helpers import sealed

FACTS = '{"format": 2, "score": [9]}'
FEW = 64 << 20
"""Bytes that refusing any of these may take."""


def header(text: str) -> bytes:
    packed = text.encode().ljust(118 - 1) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(packed).to_bytes(2, "little") + packed


def npy(descr: str = "<f4", shape: str = "(3,)", order: str = "False") -> bytes:
    return header(f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}")


def archive(**members: bytes) -> bytes:
    return sealed({"facts.json": FACTS, **members})


def array(content: bytes) -> bytes:
    return archive(**{"arrays/x.npy": content})


def facts(text: str) -> bytes:
    return sealed({"facts.json": text})


def claimed_size() -> bytes:
    """Return one whose list of members says that an array has 2 GiB."""
    size = 1 << 31
    content = bytearray(array(npy(shape=f"({size // 4},)") + bytes(12)))
    at = content.rindex(b"PK\x01\x02")
    content[at + 24 : at + 28] = size.to_bytes(4, "little")
    return bytes(content)


def doubled() -> bytes:
    return archive(**{"facts.jsom": FACTS.encode()}).replace(b"facts.jsom", b"facts.json")


def lying_over_each_other() -> bytes:
    """Return one of many members with one content (D. Fifield, A better zip bomb, 2019)."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.comment = bytes(64)
        packed.writestr("facts.json", FACTS)
        packed.writestr("blobs/0000", bytes(1 << 20))
        (info,) = (one for one in packed.infolist() if one.filename == "blobs/0000")
        for number in range(1, 1000):
            other = zipfile.ZipInfo(f"blobs/{number:04d}")
            other.header_offset, other.CRC = info.header_offset, info.CRC
            other.compress_size, other.file_size = info.compress_size, info.file_size
            other.compress_type = info.compress_type
            packed.filelist.append(other)
    return file.getvalue()


@functools.cache
def many_members() -> bytes:
    return sealed({f"b/{number}": b"" for number in range(LIMITS.members + 1)}, zipfile.ZIP_STORED)


HOSTILE: dict[str, Callable[[], bytes]] = {
    "10^12 floats": lambda: array(npy(shape="(1000000000000,)")),
    "a shape beyond all numbers": lambda: array(npy(shape="(999999999999999, 999999999999999)")),
    "more than it holds": lambda: array(npy(shape="(4,)") + bytes(12)),
    "less than it holds": lambda: array(npy(shape="(2,)") + bytes(12)),
    "a size that it cannot have": claimed_size,
    "an object": lambda: array(npy(descr="|O") + bytes(24)),
    "text": lambda: array(npy(descr="<U4096", shape="(1,)") + bytes(16384)),
    "dates": lambda: array(npy(descr="<M8") + bytes(24)),
    "a header that is code": lambda: array(header("{'descr': '<f4' + __import__('os').sep}")),
    "a header without end": lambda: array(b"\x93NUMPY\x02\x00\xff\xff\xff\x7f"),
    "two members of one name": doubled,
    "members over each other": lying_over_each_other,
    "too many members": many_members,
    "another way to pack": lambda: sealed({"facts.json": FACTS}, zipfile.ZIP_BZIP2),
    "nested facts": lambda: facts("[" * 100_000 + "]" * 100_000),
    "facts that are none": lambda: facts("null"),
    "facts of many bytes": lambda: facts(" " * (MAX_FACTS + 1)),
    "missing metadata": lambda: archive().replace(b"facts.json", b"facts.jso_"),
}


def refused(path: Path, match: str, most: int) -> str:
    """Return how a checkpoint is refused, which may take so many bytes of memory."""
    tracemalloc.start()
    try:
        with pytest.raises(CheckpointError, match=match) as caught:
            read_checkpoint(path)
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()
    return str(caught.value)


@pytest.fixture
def small_limits(monkeypatch):
    limits = checkpoints.Limits(size=1 << 20, unpacked=1 << 16, members=100)
    monkeypatch.setattr(checkpoints, "LIMITS", limits)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_checkpoint_is_refused_in_one_line_with_little_memory(tmp_path, name):
    path = tmp_path / "step-000000000001.zip"
    path.write_bytes(sealed(HOSTILE[name]()))
    said = refused(path, "damaged or unreadable", FEW)
    assert "\n" not in said
    assert len(said) < 400
    assert CheckpointStore(tmp_path, 1).save(Checkpoint({"score": [1]}), 2)


@pytest.mark.parametrize("name", ["facts of many bytes", "nested facts", "too many members"])
def test_a_hostile_best_checkpoint_gives_way_to_a_good_one(tmp_path, name):
    (tmp_path / "best.zip").write_bytes(sealed(HOSTILE[name]()))
    CheckpointStore(tmp_path, 1).save(Checkpoint({"score": [1], "steps": 2}), 2)
    assert read_checkpoint(tmp_path / "best.zip").facts["steps"] == 2


def bomb(path: Path, size: int) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        packed.comment = bytes(64)
        packed.writestr("facts.json", FACTS)
        with packed.open("arrays/x.npy", "w", force_zip64=True) as file:
            file.write(npy(descr="|u1", shape=f"({size},)"))
            for _ in range(0, size, 1 << 20):
                file.write(bytes(1 << 20))
    path.write_bytes(sealed(path.read_bytes()))


def test_an_archive_that_unpacks_to_more_than_the_limit_is_not_unpacked(tmp_path, small_limits):
    bomb(tmp_path / "a.zip", 1 << 27)
    refused(tmp_path / "a.zip", "unpacks to more than 65,536 bytes", 8 << 20)


def test_hostile_checkpoints_are_refused_where_memory_is_short(tmp_path):
    for number, name in enumerate(HOSTILE):
        (tmp_path / f"{number}.zip").write_bytes(sealed(HOSTILE[name]()))
    bomb(tmp_path / "memory.zip", 1 << 28)  # within the limit, but more than there is
    program = (
        "import re, resource, sys\n"
        "from pathlib import Path\n"
        "from engine.errors import CheckpointError\n"
        "from engine.runs.checkpoint import read_checkpoint\n"
        "size = int(re.search(r'VmSize:\\s+(\\d+)', Path('/proc/self/status').read_text())[1])\n"
        f"limit = size * 1024 + {FEW * 3}\n"
        "resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
        "for path in sorted(Path(sys.argv[1]).iterdir()):\n"
        "    try:\n"
        "        read_checkpoint(path)\n"
        "    except CheckpointError as error:\n"
        "        print(path.name, error)\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert len(found.stdout.splitlines()) == len(HOSTILE) + 1
    assert "memory.zip" in found.stdout


def real(path: Path) -> None:
    write_checkpoint(
        path,
        Checkpoint(
            {"steps": 5, "rng": {"state": 2**127 + 1}, "score": [1, 2.5]},
            {
                "a/weight": np.arange(12, dtype=np.float32).reshape(3, 4),
                "transposed": np.arange(12, dtype=np.int64).reshape(3, 4).T,
                "empty": np.zeros((0, 7), np.uint8),
                "number": np.array(3.5),
                "truths": np.array([True, False]),
            },
            {"env/0000": bytes(range(256)) * 4, "none": b""},
        ),
    )


def test_every_kind_of_array_is_read_as_it_was_written(tmp_path):
    real(tmp_path / "a.zip")
    arrays = read_checkpoint(tmp_path / "a.zip").arrays
    with zipfile.ZipFile(tmp_path / "a.zip") as packed:
        for name, found in arrays.items():
            with packed.open(f"arrays/{name}.npy") as file:
                expected = np.lib.format.read_array(file, allow_pickle=False)
            assert found.dtype == expected.dtype
            assert found.flags.f_contiguous == expected.flags.f_contiguous
            np.testing.assert_array_equal(found, expected)


def test_checkpoints_that_were_changed_and_sealed_again_raise_nothing_else(tmp_path):
    path, rng = tmp_path / "a.zip", random.Random(1)
    real(path)
    whole = path.read_bytes()
    stored = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(stored, "w") as new:
        new.comment = bytes(64)
        for name in old.namelist():
            new.writestr(name, old.read(name))
    refused = 0
    for number in range(600):
        content = bytearray(whole if number % 2 else stored.getvalue())
        for _ in range(rng.choice((1, 1, 3, 10))):
            at = rng.randrange(len(content) - 64)
            match rng.randrange(4):
                case 0:
                    content[at] ^= 1 << rng.randrange(8)
                case 1:
                    content[at : at + rng.choice((1, 2, 4, 8))] = b"\xff" * 4
                case 2:
                    content[at : at + 4] = (rng.getrandbits(32)).to_bytes(4, "little")
                case 3:
                    del content[at : at + rng.randrange(40)]
        path.write_bytes(sealed(bytes(content)))
        try:
            read_checkpoint(path)
        except CheckpointError as error:
            refused += "\n" not in str(error)
    assert refused > 300


def test_checkpoint_that_could_not_be_read_is_not_written(tmp_path, small_limits):
    store = CheckpointStore(tmp_path, 1)
    store.save(Checkpoint({"steps": 1}), 1)
    with pytest.raises(CheckpointError, match=r"70,0\d\d bytes in 2 parts.*Lower num_envs"):
        store.save(Checkpoint({}, {}, {"x": bytes(70_000)}), 2)
    assert store.load_newest()[0].facts["steps"] == 1


def test_limits_leave_room_for_the_largest_replays():
    dqn = RunConfig().dqn
    assert 10 * dqn.capacity * 2_000 < LIMITS.unpacked
    assert 10 * dqn.pixel_capacity * 21_000 < LIMITS.unpacked


@pytest.mark.parametrize(
    "use",
    [
        lambda facts: facts["missing"],
        lambda facts: facts["none"].items(),
        lambda facts: int(facts["large"]),
        lambda facts: struct.pack("<B", facts["whole"]),
        lambda facts: np.zeros(facts["text"]),
    ],
)
def test_sound_json_of_other_kinds_than_ours_is_refused_in_one_line(use):
    checkpoint = Checkpoint({"none": None, "large": float("inf"), "whole": 1 << 40, "text": "x"})
    with pytest.raises(CheckpointError) as refused, refuse_other_versions(checkpoint):
        use(checkpoint.facts)
    assert "\n" not in str(refused.value)
