"""Damaged files are refused or read right; nothing in them is executed and nothing crashes."""

import io
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest

from engine.demos.demonstration import Demonstration, decode_demo, encode_demo
from engine.demos.npz import NpzReader
from engine.demos.recording_log import log_path, read_log
from engine.demos.writer import DemoWriter
from engine.errors import DemoError
from tests.engine.demos.damage import damaged
from tests.engine.demos.heads import make_head
from tests.engine.demos.test_demonstration import reseal

Recorded = tuple[Path, Demonstration]

_ODD = (None, -1, 2**70, 1e308, "", "\x1b[2J", [], {}, [[]] * 9, True, [[0, 0]] * 3, "a" * 9000)


def check_line(error: DemoError) -> None:
    """Check that an error is one printable line."""
    assert str(error).isprintable()


def fuzz_files(data: bytes, demo: Demonstration, rng: random.Random, count: int) -> int:
    """Damage the file of a demonstration; return how often it was refused."""
    refused = 0
    for _ in range(count):
        try:
            found = decode_demo(damaged(data, rng), "x.demo")
        except DemoError as error:
            refused += 1
            check_line(error)
        else:
            assert encode_demo(found) == data
    return refused


def fuzz_facts(data: bytes, rng: random.Random, count: int) -> None:
    """Change facts under a right sum; what is taken must be a demonstration that can be written."""
    for _ in range(count):

        def change(facts: dict[str, object]) -> None:
            key = rng.choice(sorted(facts))
            value = facts[key]
            if isinstance(value, list) and value and rng.random() < 0.7:
                value[rng.randrange(len(value))] = rng.choice(_ODD)
            else:
                facts[key] = rng.choice(_ODD)

        try:
            found = decode_demo(reseal(data, change), "x.demo")
        except DemoError as error:
            check_line(error)
        else:
            assert encode_demo(decode_demo(encode_demo(found), "x")) == encode_demo(found)


def fuzz_logs(head: Demonstration, folder: Path, rng: random.Random, count: int) -> None:
    """Damage a log; what is read of it must be a beginning of what was played."""
    writer = DemoWriter(folder / "x.demo", head)
    for number in range(60):
        writer.step(number % 9, 0.5)
    writer.close()
    log = log_path(folder / "x.demo")
    data = log.read_bytes()
    for _ in range(count):
        log.write_bytes(damaged(data, rng))
        try:
            found = read_log(log)
        except DemoError as error:
            check_line(error)
        else:
            # A splice may drop whole records, each of which is sound.
            assert found.episode_length <= 60


def fuzz_archives(folder: Path, rng: random.Random, count: int) -> None:
    """Damage an NPZ; what is read of it must be what was written, or a sound array."""
    buffer = io.BytesIO()
    actions = np.arange(500, dtype=np.int32) % 9
    np.savez_compressed(buffer, actions=actions, observations=np.zeros((5, 144, 160, 3), np.uint8))
    path = folder / "x.npz"
    for _ in range(count):
        path.write_bytes(damaged(buffer.getvalue(), rng))
        try:
            with NpzReader(path) as file:
                found = file.whole_numbers("actions", 1 << 20)
                frames = sum(1 for _ in file.frames("observations"))
        except DemoError as error:
            check_line(error)
        else:
            assert np.array_equal(found, actions)
            assert frames == 5


def fuzz_headers(folder: Path, rng: random.Random, count: int) -> None:
    """Damage the array inside a sound archive: its header may say anything."""
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.arange(50, dtype=np.int32))
    path = folder / "x.npz"
    for _ in range(count):
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("actions.npy", damaged(buffer.getvalue(), rng))
        try:
            with NpzReader(path) as archive:
                assert archive.whole_numbers("actions", 1 << 20).ndim == 1
        except DemoError as error:
            check_line(error)


def fuzz_all(demo_file: Recorded, folder: Path, count: int) -> None:
    """Damage `count` files of all kinds."""
    path, demo = demo_file
    data, rng, part = path.read_bytes(), random.Random(count), count // 5
    assert fuzz_files(data, demo, rng, part) > part * 0.9
    fuzz_facts(data, rng, part)
    head = make_head(demo.start_state, demo.recording.rom)
    fuzz_logs(head, folder, rng, part)
    fuzz_archives(folder, rng, part)
    fuzz_headers(folder, rng, part)


def test_a_thousand_damaged_files_are_refused_or_read_right(
    demo_file: Recorded, tmp_path: Path
) -> None:
    fuzz_all(demo_file, tmp_path, 1_000)


@pytest.mark.slow
def test_ten_thousand_damaged_files_are_refused_or_read_right(
    demo_file: Recorded, tmp_path: Path
) -> None:
    fuzz_all(demo_file, tmp_path, 10_000)
