r"""Lay a demonstration out as bytes, and read them back without trusting them.

    "PokeTUI demo 1\n"                          15 bytes
    SHA-256 of all that follows                 32 bytes
    three sections, each behind its size        uint32 packed, uint32 raw, zlib data
        1  facts, a JSON object
        2  arrays: actions of all segments (1 byte each), live inputs (frame 3 bytes, buttons
           8 to 15, buttons 0 to 7), rewards (float32), flags (1 byte: 1 done, 2 intervention),
           proposals (1 byte)
        3  the start state, as the emulator saved it

Of a game whose actions or frames are not a Game Boy's the facts name them, as "actions" (names in
order) and "frame" (height, width, 3).

Numbers are little-endian. The same demonstration always gives the same bytes.
"""

import hashlib
import itertools
import json
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import EnvConfig, RewardConfig
from engine.demos.demonstration import (
    MAX_EVENTS,
    MAX_LIVE_FRAMES,
    MAX_STEPS,
    MAX_TEXT,
    NO_PROPOSAL,
    DemoEvent,
    Demonstration,
)
from engine.env.input_recording import Recording, Segment
from engine.env.live import INPUT_SIZE, MAX_LIVE_INPUTS, LiveInput, LiveStretch, unpack_inputs
from engine.env.state_file import MAX_STATE_SIZE
from engine.errors import DemoError
from engine.files import inflate, parse_json
from engine.types import GAME_BOY_ACTIONS, GAME_BOY_FRAME_SHAPE

MAGIC = b"PokeTUI demo 1\n"

_HASH_SIZE = 32
_SIZES = struct.Struct("<II")
_MAX_FACTS, _MAX_ARRAYS, _MAX_SEGMENTS, _MAX_STRETCHES = 1 << 23, 1 << 24, 4096, 1 << 16
_MAX_SIDE = 4096
_DONE, _INTERVENTION = 1, 2
_AGAIN = "Use another file, or record it anew."
BROKEN = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    OverflowError,
    RecursionError,
    MemoryError,
    AttributeError,
    struct.error,
    zlib.error,
    DemoError,
)
"""What reading damaged data raises."""


def encode_demo(demo: Demonstration) -> bytes:
    """Return a demonstration as the bytes of its file."""
    facts = json.dumps(_facts(demo), separators=(",", ":"), sort_keys=True).encode()
    sections = (facts, _arrays(demo), demo.start_state)
    body = b"".join(_pack(section) for section in sections)
    return MAGIC + hashlib.sha256(body).digest() + body


def decode_demo(data: bytes, name: str) -> Demonstration:
    """Read what `encode_demo` returned; `name` is that of the file, for the error.

    Raises:
        DemoError: It is damaged or foreign.
    """
    if not data.startswith(MAGIC):
        raise DemoError(f"{name} is no demonstration of this version.", _AGAIN)
    start = len(MAGIC) + _HASH_SIZE
    body = data[start:]
    if hashlib.sha256(body).digest() != data[len(MAGIC) : start]:
        raise DemoError(f"The demonstration {name} is damaged.", _AGAIN)
    try:
        return _unpack_body(body)
    except BROKEN as error:
        reason = error.message if isinstance(error, DemoError) else type(error).__name__
        raise DemoError(
            f"{name} is no sound demonstration: {reason.rstrip('.')}.", _AGAIN
        ) from None


def unpack_section(data: bytes, at: int, most: int) -> tuple[bytes, int]:
    """Return the section at `at`, never more than `most` bytes of it, and where it ends.

    Raises:
        ValueError, struct.error: There is none.
    """
    packed, raw = _SIZES.unpack_from(data, at)
    start = at + _SIZES.size
    if raw > most or start + packed > len(data):
        raise ValueError("a section is too large")
    section = inflate(data[start : start + packed], raw)
    if len(section) != raw:
        raise ValueError("a section has another size")
    return section, start + packed


def plain_text(text: Any, most: int = MAX_TEXT) -> str:
    """Return `text` if it is one printable line.

    A terminal obeys control characters, so no file may bring any.

    Raises:
        ValueError: It is not.
    """
    if not isinstance(text, str) or len(text) > most or not text.isprintable():
        raise ValueError("a text is not plain")
    return text


def _pack(section: bytes) -> bytes:
    packed = zlib.compress(section, 9)
    return _SIZES.pack(len(packed), len(section)) + packed


def _facts(demo: Demonstration) -> dict[str, Any]:
    recording = demo.recording
    others: dict[str, Any] = {}
    if demo.begins_frames:
        others["begins_frames"] = demo.begins_frames
    if demo.action_names != GAME_BOY_ACTIONS.names:
        others["actions"] = demo.action_names
    if demo.frame_shape != GAME_BOY_FRAME_SHAPE:
        others["frame"] = demo.frame_shape
    return others | {
        "rom": recording.rom,
        "start": recording.start,
        "pyboy": recording.emulator,
        "frames": recording.frames,
        "memory": recording.memory,
        "segments": [
            [
                segment.random,
                len(segment.actions),
                [[each.after, each.frames, len(each.inputs)] for each in segment.live],
            ]
            for segment in recording.segments
        ],
        "hashes": demo.memory_hashes,
        "events": [_event(event) for event in demo.events],
        "tags": sorted(demo.tags),
        "task": demo.task,
        "by": demo.by,
        "created_s": float(demo.created_s),
        "settings": demo.settings,
        "begins_at": demo.begins_at,
        "live_return": float(demo.live_return),
    }


def _event(event: DemoEvent) -> list[Any]:
    """Return it JSON-able; only one amidst real-time play has frames."""
    return [event.step, event.kind, event.text, *([event.frames] if event.frames else [])]


def _arrays(demo: Demonstration) -> bytes:
    segments = demo.recording.segments
    live = (
        each.pack() for segment in segments for stretch in segment.live for each in stretch.inputs
    )
    flags = demo.dones * np.uint8(_DONE) | demo.is_intervention * np.uint8(_INTERVENTION)
    return b"".join(
        (
            *(segment.actions for segment in segments),
            *live,
            demo.rewards.astype("<f4").tobytes(),
            flags.astype(np.uint8).tobytes(),
            demo.proposals.tobytes(),
        )
    )


def _unpack_body(body: bytes) -> Demonstration:
    raw_facts, at = unpack_section(body, 0, _MAX_FACTS)
    arrays, at = unpack_section(body, at, _MAX_ARRAYS)
    state, at = unpack_section(body, at, MAX_STATE_SIZE)
    if at != len(body):
        raise ValueError("something follows")
    facts = parse_json(raw_facts)
    names = _names(facts.get("actions", GAME_BOY_ACTIONS.names))
    segments, rest = _segments(facts["segments"], arrays, len(names))
    length = len(segments[-1].actions)
    if len(rest) != 6 * length:
        raise ValueError("the arrays have another size")
    flags = np.frombuffer(rest, np.uint8, length, 4 * length)
    hold, wait = (_whole(value, 1000) for value in facts["frames"])
    return Demonstration(
        Recording(
            rom=read_digest(facts["rom"]),
            start=read_digest(facts["start"]),
            emulator=plain_text(facts["pyboy"], 40),
            frames=(hold, wait),
            segments=segments,
            memory=read_digest(facts["memory"]) if facts["memory"] else "",
        ),
        start_state=state,
        rewards=_finite(np.frombuffer(rest, "<f4", length).astype(np.float32)),
        dones=(flags & _DONE).astype(np.bool_),
        events=read_events(facts["events"], length),
        tags=read_tags(facts["tags"]),
        task=plain_text(facts["task"]),
        by=plain_text(facts["by"], 80),
        memory_hashes=tuple(
            (_whole(step, length), read_digest(digest)) for step, digest in facts["hashes"]
        ),
        proposals=read_proposals(rest[5 * length :], len(names)),
        is_intervention=(flags & _INTERVENTION).astype(np.bool_),
        created_s=_number(facts["created_s"]),
        settings=read_settings(facts["settings"]),
        begins_at=_whole(facts["begins_at"], length),
        live_return=_number(facts["live_return"]),
        begins_frames=_whole(facts.get("begins_frames", 0), MAX_LIVE_FRAMES),
        action_names=names,
        frame_shape=_frame_shape(facts.get("frame", GAME_BOY_FRAME_SHAPE)),
    )


def read_events(packed: Sequence[Any], length: int) -> tuple[DemoEvent, ...]:
    """Return events of an episode of `length` steps.

    Raises:
        ValueError, TypeError: They are none.
    """
    if len(packed) > MAX_EVENTS:
        raise ValueError("it has too many events")
    events = tuple(
        DemoEvent(
            _whole(step, length),
            plain_text(kind, 40),
            plain_text(text),
            _whole(sum(frames), MAX_LIVE_FRAMES),
        )
        for step, kind, text, *frames in packed
    )
    if any(one.moment > other.moment for one, other in itertools.pairwise(events)):
        raise ValueError("its events are in no order")
    return events


def read_tags(packed: Sequence[Any]) -> frozenset[str]:
    """Return tags: single words.

    Raises:
        ValueError, TypeError: They are none.
    """
    tags = frozenset(plain_text(tag, 80) for tag in packed)
    if len(tags) > 100 or any(not tag or " " in tag for tag in tags):
        raise ValueError("a tag is no word")
    return tags


def read_settings(text: Any) -> str:
    """Return settings, checked: they are used to build an environment.

    Raises:
        ValueError, TypeError, KeyError: They are none.
    """
    if text == "":
        return ""
    facts = parse_json(text)
    EnvConfig(**facts["env"])
    if RewardConfig(**facts["rewards"]).extra:
        # A custom reward is named by its module: a file must never choose what is imported.
        raise ValueError("its settings name code")
    for name in facts["extra"]:
        plain_text(name)
    return str(text)


def read_proposals(data: bytes, num_actions: int) -> NDArray[np.uint8]:
    """Return proposed actions.

    Raises:
        ValueError: One is no action.
    """
    proposals = np.frombuffer(data, np.uint8)
    if np.any((proposals >= num_actions) & (proposals != NO_PROPOSAL)):
        raise ValueError("a proposal is no action")
    return proposals


def _segments(
    packed: Sequence[Any], arrays: bytes, num_actions: int
) -> tuple[tuple[Segment, ...], bytes]:
    """Return the segments, and what of the arrays follows them."""
    if not 0 < len(packed) <= _MAX_SEGMENTS:
        raise ValueError("it has no inputs")
    heads = [
        ((_whole(first, 255), _whole(second, 255)), _whole(length, MAX_STEPS), live)
        for (first, second), length, live in packed
    ]
    at = sum(length for _, length, _ in heads)
    if at > min(len(arrays), MAX_STEPS) or sum(len(live) for *_, live in heads) > _MAX_STRETCHES:
        raise ValueError("its inputs are too many")
    actions = arrays[:at]
    if any(action >= num_actions for action in actions):
        raise ValueError("an action is none")
    if sum(_whole(count, len(arrays)) for *_, live in heads for *_, count in live) > (
        MAX_LIVE_INPUTS
    ):
        raise ValueError("its live inputs are too many")
    segments, done = [], 0
    for random, length, live in heads:
        stretches = []
        for after, frames, count in live:
            num_inputs = _whole(count, len(arrays))
            end = at + num_inputs * INPUT_SIZE
            entries = unpack_inputs(arrays[at:end]) if end <= len(arrays) else ()
            stretches.append(
                _stretch(_whole(after, length), _whole(frames, MAX_LIVE_FRAMES), entries)
            )
            at = end
        if any(a.after > b.after for a, b in itertools.pairwise(stretches)):
            raise ValueError("its live inputs are in no order")
        segments.append(Segment(random, actions[done : done + length], tuple(stretches)))
        done += length
    if sum(each.frames for segment in segments for each in segment.live) > MAX_LIVE_FRAMES:
        raise ValueError("it is too long")
    return tuple(segments), arrays[at:]


def _stretch(after: int, frames: int, inputs: Sequence[LiveInput]) -> LiveStretch:
    starts = [each.frame for each in inputs]
    if sorted({*starts}) != starts or starts[:1] != [0] or starts[-1] > frames:
        raise ValueError("its live inputs are in no order")
    return LiveStretch(after, frames, tuple(inputs))


def _names(packed: Sequence[Any]) -> tuple[str, ...]:
    names = tuple(plain_text(name, 40) for name in packed)
    if not 0 < len(names) <= NO_PROPOSAL or len({*names}) < len(names) or not all(names):
        raise ValueError("its actions are none")
    return names


def _frame_shape(packed: Sequence[Any]) -> tuple[int, int, int]:
    height, width, colours = (_whole(size, _MAX_SIDE) for size in packed)
    if not height or not width or colours != 3:
        raise ValueError("its frames are none")
    return height, width, colours


def _whole(value: Any, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError("a number is out of range")
    return value


def _number(value: Any) -> float:
    number = float(value)
    if not -1e15 < number < 1e15:
        raise ValueError("a number is out of range")
    return number


def _finite(values: NDArray[np.float32]) -> NDArray[np.float32]:
    if not np.isfinite(values).all():
        raise ValueError("a reward is no number")
    return values


def read_digest(text: Any) -> str:
    """Return a SHA-1 in hexadecimal.

    Raises:
        ValueError: It is none.
    """
    if not isinstance(text, str) or len(text) != 40 or not {*text} <= {*"0123456789abcdef"}:
        raise ValueError("a hash is none")
    return text
