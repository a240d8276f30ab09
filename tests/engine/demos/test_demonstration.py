import hashlib
import json
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.demos.demonstration import (
    DemoEvent,
    Demonstration,
    decode_demo,
    encode_demo,
    read_demo,
    write_demo,
)
from engine.demos.layout import MAGIC
from engine.env.live import LiveStretch
from engine.errors import DemoError
from engine.types import Action

Recorded = tuple[Path, Demonstration]


def reseal(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """Change the facts of a file as somebody with bad intent would: its sum is right again."""
    body = data[len(MAGIC) + 32 :]
    packed = int.from_bytes(body[:4], "little")
    facts = json.loads(zlib.decompress(body[8 : 8 + packed]))
    change(facts)
    raw = json.dumps(facts).encode()
    section = zlib.compress(raw)
    sizes = len(section).to_bytes(4, "little") + len(raw).to_bytes(4, "little")
    body = sizes + section + body[8 + packed :]
    return MAGIC + hashlib.sha256(body).digest() + body


def test_read_demo_returns_what_write_demo_wrote(demo_file: Recorded, tmp_path: Path) -> None:
    path, demo = demo_file
    again = tmp_path / "again.demo"
    write_demo(again, read_demo(path))
    assert again.read_bytes() == path.read_bytes() == encode_demo(demo)
    assert list(tmp_path.iterdir()) == [again]


def test_read_demo_returns_live_play_and_proposals(demo_file: Recorded) -> None:
    demo = demo_file[1]
    stretch = LiveStretch(3).then(frozenset({Action.UP}), 30).then(frozenset(), 4)
    own = replace(demo.recording.segments[-1], live=(stretch,))
    demo = replace(
        demo,
        recording=replace(demo.recording, segments=(own,)),
        proposals=np.full(150, 7, np.uint8),
        is_intervention=np.arange(150) % 3 == 0,
        events=(DemoEvent(2, "note", "é ▶"),),
    )
    back = decode_demo(encode_demo(demo), "x")
    assert back.recording == demo.recording
    assert np.array_equal(back.is_intervention, demo.is_intervention)
    assert np.array_equal(back.proposals, demo.proposals)
    assert back.events == demo.events
    assert back.has_live


def test_a_hundred_and_fifty_steps_take_less_than_a_kilobyte_beside_their_start(
    demo_file: Recorded,
) -> None:
    path, demo = demo_file
    assert path.stat().st_size - len(zlib.compress(demo.start_state, 9)) < 1500


def test_memory_hashes_are_kept_every_hundred_steps_and_at_the_end(demo_file: Recorded) -> None:
    demo = demo_file[1]
    assert [step for step, _ in demo.memory_hashes] == [100, 150]
    assert demo.recording.memory == demo.memory_hashes[-1][1]


def test_steps_on_maps_add_up_to_the_length(demo_file: Recorded) -> None:
    demo = demo_file[1]
    assert sum(steps for _, steps in demo.maps()) == demo.episode_length == 150


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: facts.update(rom="../../etc"),
        lambda facts: facts.update(begins_at=151),
        lambda facts: facts.update(tags=["\x1b[2J"]),
        lambda facts: facts.update(by="\x1b]0;x\x07"),
        lambda facts: facts.update(frames=[8, 10**9]),
        lambda facts: facts.update(frames=[8, True]),
        lambda facts: facts.update(created_s=float("nan")),
        lambda facts: facts.update(segments=[]),
        lambda facts: facts.update(segments=[[[0, 0], 10**12, []]]),
        lambda facts: facts.update(segments=[[[0, 0], 150, [[0, 10**18, 0]]]]),
        lambda facts: facts.update(hashes=[[0, "x"]]),
        lambda facts: facts.update(events=[[9, "a", "b"], [3, "a", "b"]]),
        lambda facts: facts.update(tags=["two words"]),
        lambda facts: facts.update(
            settings=json.dumps({"env": {}, "rewards": {"extra": {"os:system": 1.0}}, "extra": []})
        ),
        lambda facts: facts.update(settings="[" * 5000),
        lambda facts: facts.pop("pyboy"),
    ],
)
def test_facts_that_cannot_be_are_refused_in_one_line(
    demo_file: Recorded, change: Callable[[dict[str, Any]], None]
) -> None:
    data = reseal(demo_file[0].read_bytes(), change)
    with pytest.raises(DemoError) as refused:
        decode_demo(data, "x.demo")
    assert "\n" not in str(refused.value)
    assert "\x1b" not in str(refused.value)


def test_a_section_that_unpacks_to_gigabytes_is_refused(demo_file: Recorded) -> None:
    bomb = zlib.compress(bytes(1 << 28), 9)
    for declared in (1000, (1 << 32) - 1):
        body = len(bomb).to_bytes(4, "little") + declared.to_bytes(4, "little") + bomb
        with pytest.raises(DemoError, match="not a valid demonstration"):
            decode_demo(MAGIC + hashlib.sha256(body).digest() + body, "x.demo")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x80\x04K\x01.", MAGIC])
def test_foreign_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.demo"
    path.write_bytes(content)
    with pytest.raises(DemoError):
        read_demo(path)


def test_missing_files_folders_and_huge_files_are_refused(tmp_path: Path) -> None:
    huge = tmp_path / "huge.demo"
    with huge.open("wb") as file:
        file.truncate(1 << 30)
    for path in (tmp_path / "none.demo", tmp_path, huge):
        with pytest.raises(DemoError):
            read_demo(path)
