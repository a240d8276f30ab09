"""Damaged files are refused or read right; nothing in them is executed and nothing crashes."""

import io
import random
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

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


T = TypeVar("T")


def check_line(error: DemoError) -> None:
    assert str(error).isprintable()


def readable(read: Callable[[], T], count: int) -> Iterator[T]:
    """Read `count` damaged things; yield what could be read. A refusal is one printable line."""
    for _ in range(count):
        try:
            found = read()
        except DemoError as error:
            check_line(error)
        else:
            yield found


def odd(rng: random.Random) -> Callable[[dict[str, Any]], None]:
    """Return what changes a fact into another that it may not be."""

    def change(facts: dict[str, Any]) -> None:
        key = rng.choice(sorted(facts))
        value = facts[key]
        if isinstance(value, list) and value and rng.random() < 0.7:
            value[rng.randrange(len(value))] = rng.choice(_ODD)
        else:
            facts[key] = rng.choice(_ODD)

    return change


def fuzz_all(demo_file: Recorded, folder: Path, count: int) -> None:
    """Damage `count` files of all kinds; nothing that is read of them may be wrong."""
    path, demo = demo_file
    data, rng, part = path.read_bytes(), random.Random(count), count // 5
    whole = [*readable(lambda: decode_demo(damaged(data, rng), "x.demo"), part)]
    assert all(encode_demo(found) == data for found in whole)
    assert len(whole) < part * 0.1
    for found in readable(lambda: decode_demo(reseal(data, odd(rng)), "x.demo"), part):
        assert encode_demo(decode_demo(encode_demo(found), "x")) == encode_demo(found)
    fuzz_logs(make_head(demo.start_state, demo.recording.rom), folder, rng, part)
    fuzz_archives(folder / "x.npz", rng, part)


def fuzz_logs(head: Demonstration, folder: Path, rng: random.Random, count: int) -> None:
    writer = DemoWriter(folder / "x.demo", head)
    for number in range(60):
        writer.step(number % 9, 0.5)
    writer.close()
    log = log_path(folder / "x.demo")
    data = log.read_bytes()

    def read() -> Demonstration:
        log.write_bytes(damaged(data, rng))
        return read_log(log)

    # A splice may drop whole records, each of which is sound.
    assert all(found.episode_length <= 60 for found in readable(read, count))


def fuzz_archives(path: Path, rng: random.Random, count: int) -> None:
    """Damage an NPZ, and the array inside a sound one: its header may say anything."""
    whole, array = io.BytesIO(), io.BytesIO()
    actions = np.arange(500, dtype=np.int32) % 9
    np.savez_compressed(whole, actions=actions, observations=np.zeros((5, 144, 160, 3), np.uint8))
    np.lib.format.write_array(array, actions)

    def read() -> tuple[NDArray[np.integer[Any]], int]:
        path.write_bytes(damaged(whole.getvalue(), rng))
        with NpzReader(path) as file:
            return file.whole_numbers("actions", 1 << 20), len([*file.frames("observations")])

    def read_header() -> NDArray[np.integer[Any]]:
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr("actions.npy", damaged(array.getvalue(), rng))
        with NpzReader(path) as file:
            return file.whole_numbers("actions", 1 << 20)

    assert all(np.array_equal(found, actions) and n == 5 for found, n in readable(read, count))
    assert all(found.ndim == 1 for found in readable(read_header, count))


@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_damaged_files_are_refused_or_read_right(
    demo_file: Recorded, tmp_path: Path, count: int
) -> None:
    fuzz_all(demo_file, tmp_path, count)
