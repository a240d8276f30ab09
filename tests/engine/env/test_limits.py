"""What is packed inside a checkpoint, a journal or a start state has a limit, too."""

import base64
import functools
import json
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from engine.env import input_recording as recordings
from engine.env import live
from engine.env.input_recording import Recording, Segment, unpack_segments
from engine.env.live import MAX_LIVE_INPUTS, LiveStretch
from engine.env.start_states import (
    MAGIC,
    MAX_STATE_SIZE,
    pack_env,
    pack_state,
    unpack_env,
    unpack_state,
)
from engine.errors import CheckpointError, ReplayError

FEW = 64 << 20
FEWER = 16
"""To decode as many live inputs as are allowed takes seconds: a part of them, in their share of the
memory."""


@functools.cache
def big() -> bytes:
    """Return 260 kB that become 256 MiB."""
    return zlib.compress(bytes(1 << 28), 9)


def big_text() -> str:
    return base64.b64encode(big()).decode()


def presses(count: int) -> list[Any]:
    raw = b"".join(struct.pack("<IB", frame, frame & 1) for frame in range(count))
    return [0, count, base64.b64encode(zlib.compress(raw, 9)).decode()]


def recording(*segments: Any) -> str:
    return json.dumps(["0" * 40, "0" * 40, "2.8", [8, 12], segments, ""])


def actions(count: int) -> str:
    return base64.b64encode(zlib.compress(bytes(count), 9)).decode()


HOSTILE: dict[str, tuple[type[Exception], Callable[[], object]]] = {
    "a saved environment": (
        CheckpointError,
        lambda: unpack_env(pack_env({}, b"")[: -len(zlib.compress(b"", 1))] + big()),
    ),
    "nested facts of one": (
        CheckpointError,
        lambda: unpack_env(
            b"PokeTUI environment 3\n" + struct.pack("<I", 200_000) + b"[" * 200_000
        ),
    ),
    "actions": (ReplayError, lambda: Recording.decode(recording([[0, 0], big_text()]))),
    "live inputs": (
        ReplayError,
        lambda: Recording.decode(recording([[0, 0], actions(1), [[0, 1, big_text()]]])),
    ),
    "many segments": (
        ReplayError,
        lambda: Recording.decode(recording(*[[[0, 0], actions(1 << 21)]] * 1000)),
    ),
    "many stretches": (
        ReplayError,
        lambda: Recording.decode(recording([[0, 0], actions(1), [presses(1 << 12)] * 20])),
    ),
    "stretches of many segments": (
        ValueError,
        lambda: unpack_segments([[[0, 0], actions(1), [presses(1 << 12)] * 5]] * 20),
    ),
    "nested recordings": (ReplayError, lambda: Recording.decode("[" * 100_000)),
    "a start state": (ValueError, lambda: unpack_state(MAGIC + b"0" * 40 + big())),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_data_that_unpacks_to_much_is_refused_with_little_memory(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, read = HOSTILE[name]
    big()
    most_allowed = FEW
    if "stretches" in name:
        most_allowed = 2 * FEW // FEWER
        for module in (live, recordings):
            monkeypatch.setattr(module, "MAX_LIVE_INPUTS", MAX_LIVE_INPUTS // FEWER)
    tracemalloc.start()
    try:
        with pytest.raises(kind) as refused:
            read()
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < most_allowed
    assert "\n" not in str(refused.value)


def test_packed_states_are_unpacked() -> None:
    assert unpack_state(pack_state("0" * 40, b"x" * 1000)) == b"x" * 1000
    assert unpack_env(pack_env({"a": 1}, b"x" * MAX_STATE_SIZE)) == (
        {"a": 1},
        b"x" * MAX_STATE_SIZE,
    )
    segment = Segment((1, 2), bytes(5), (LiveStretch.unpack(presses(100)),))
    assert unpack_segments([segment.pack()]) == (segment,)
