"""The log that a demonstration is written into while it is played.

After the magic line follow records, each as payload size (uint32), CRC-32 of kind and payload
(uint32), kind (1 byte), payload. What a crash tore off at the end is cut when it is read.
"""

import json
import math
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from engine.demos.demonstration import (
    MAX_EVENTS,
    NO_PROPOSAL,
    DemoEvent,
    Demonstration,
    decode_demo,
)
from engine.demos.draft import Draft
from engine.demos.files import read_limited
from engine.demos.layout import (
    BROKEN,
    MAX_LIVE_FRAMES,
    MAX_STEPS,
    plain_text,
    read_digest,
    read_tags,
)
from engine.env.live import LiveStretch
from engine.errors import DemoError
from engine.files import parse_json

LOG_MAGIC = b"PokeTUI demo log 1\n"
LOG_SUFFIX = ".part"

HEAD, STEP, LIVE, EVENT, MEMORY, TAG, TASK, REWIND, UNMARK = (
    b"H", b"S", b"L", b"E", b"M", b"T", b"W", b"R", b"U",
)  # fmt: skip
STEP_FORM = struct.Struct("<BfBB")
"""Action, reward, flags (1 done, 2 intervention), proposal."""

Change = Callable[[Draft], None]

_FRAME = struct.Struct("<IIc")
_MAX_RECORD, _MAX_LOG = 1 << 22, 1 << 26
_MAX_LIVE_INPUTS = 1 << 20


def log_path(path: Path) -> Path:
    """Return the log of the demonstration at `path`."""
    return path.with_name(path.name + LOG_SUFFIX)


def frame(kind: bytes, payload: bytes) -> bytes:
    """Return a record."""
    return _FRAME.pack(len(payload), zlib.crc32(kind + payload), kind) + payload


def as_json(value: Any) -> bytes:
    """Return JSON."""
    return json.dumps(value, separators=(",", ":")).encode()


def records(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield (kind, payload) of the whole records; end where one is torn or damaged."""
    at = len(LOG_MAGIC)
    while at + _FRAME.size <= len(data):
        size, crc, kind = _FRAME.unpack_from(data, at)
        start = at + _FRAME.size
        payload = data[start : start + size]
        if size > _MAX_RECORD or len(payload) != size or zlib.crc32(kind + payload) != crc:
            return
        yield kind, payload
        at = start + size


def read_log(path: Path) -> Demonstration:
    """Read what was played by the time its program or machine died.

    Raises:
        DemoError: It is no log, or is damaged before its end.
    """
    data = read_limited(path, _MAX_LOG)
    if not data.startswith(LOG_MAGIC):
        raise DemoError(f"{path} is no log of a demonstration.", "Name another file.")
    draft: Draft | None = None
    try:
        for kind, payload in records(data):
            if draft is None:
                if kind != HEAD:
                    break
                draft = Draft(decode_demo(payload, str(path)))
            else:
                read_change(kind, payload, draft)(draft)
        if draft is not None:
            return draft.demonstration()
    except BROKEN as error:
        reason = error.message if isinstance(error, DemoError) else str(error)
        raise DemoError(
            f"The log {path} is damaged: {reason.rstrip('.')}.", "It cannot be mended; delete it."
        ) from None
    raise DemoError(f"The log {path} has no beginning.", "Nothing was recorded yet; delete it.")


def read_change(kind: bytes, payload: bytes, draft: Draft) -> Change:
    """Return what a record changes, checked: `draft` is only looked at.

    Raises:
        ValueError, TypeError, struct.error, zlib.error: It is none.
    """
    if kind == STEP:
        return _step(payload, draft)
    facts = parse_json(payload)
    if kind == LIVE:
        return _live(facts, draft)
    if kind == EVENT:
        step, name, text = facts
        if step != draft.length or len(draft.events) >= MAX_EVENTS:
            raise ValueError("an event is out of order")
        event = DemoEvent(step, plain_text(name, 40), plain_text(text))
        return lambda draft: draft.note(event)
    if kind == MEMORY:
        digest, is_step = facts
        read_digest(digest)
        return lambda draft: draft.remember(digest, is_step=bool(is_step))
    if kind == TAG:
        tags = read_tags(facts)
        return lambda draft: draft.tags.update(tags)
    if kind == TASK:
        task = plain_text(facts)
        return lambda draft: setattr(draft, "task", task)
    if kind == UNMARK:
        return lambda draft: draft.unmark()
    if kind == REWIND:
        step, frames = facts
        if not (type(step) is type(frames) is int and 0 <= step <= draft.length and frames >= 0):
            raise ValueError("it was rewound to no step of it")
        return lambda draft: draft.rewind(step, frames)
    raise ValueError("a record is of no kind")


def _step(payload: bytes, draft: Draft) -> Change:
    action, reward, flags, proposal = STEP_FORM.unpack(payload)
    count = len(draft.head.action_names)
    if action >= count or flags > 3 or not math.isfinite(reward):
        raise ValueError("a step is none")
    if proposal >= count and proposal != NO_PROPOSAL:
        raise ValueError("a proposal is no action")
    if draft.length >= MAX_STEPS:
        raise ValueError("it is too long")
    return lambda draft: draft.step(action, reward, flags, proposal)


def _live(facts: Any, draft: Draft) -> Change:
    packed, paid = facts
    stretch = LiveStretch.unpack(packed)
    frames = sum(each.frames for each in draft.live) + stretch.frames
    inputs = sum(len(each.inputs) for each in draft.live) + len(stretch.inputs)
    if stretch.after != draft.length or not stretch.frames >= 0:
        raise ValueError("live play is out of order")
    if frames > 2 * MAX_LIVE_FRAMES or inputs > _MAX_LIVE_INPUTS or not abs(paid) < 1e9:
        raise ValueError("live play is too long")
    return lambda draft: draft.play_live(stretch, float(paid))
