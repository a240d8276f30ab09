"""Define the log of a demonstration that is being played, and the draft that it is read into.

After the magic line follow records, each as payload size (uint32), CRC-32 of kind and payload
(uint32), kind (1 byte), payload. A record that a crash tore is left out when it is read.
"""

import json
import math
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.demos import layout
from engine.demos.demonstration import (
    MAP,
    MAX_EVENTS,
    NO_PROPOSAL,
    SUCCESS,
    DemoEvent,
    Demonstration,
    decode_demo,
)
from engine.demos.layout import Beginning, directions_of, read_limited, shown_live
from engine.env.input_recording import Segment
from engine.env.live import LiveStretch
from engine.errors import DemoError
from engine.ground.files import parse_json

LOG_MAGIC = b"PokeTUI demo log 1\n"
LOG_SUFFIX = ".part"

HEAD, STEP, LIVE, EVENT, MEMORY, TAG, TASK, REWIND, UNMARK = (
    b"H", b"S", b"L", b"E", b"M", b"T", b"W", b"R", b"U",
)  # fmt: skip
STEP_FORM = struct.Struct("<BfBB")
"""Action, reward, flags (1 done, 2 intervention), proposal."""

_FRAME = struct.Struct("<IIc")
_MAX_RECORD, _MAX_LOG = 1 << 22, 1 << 26
_MAX_LIVE_INPUTS = 1 << 20


class Draft:
    """A demonstration while it is played: it grows, and can be taken back to an earlier step.

    Attributes:
        head: The demonstration as it begins, with the inputs that led there.
        begin: Where the shown part begins.
        paid_live: ((steps, live frames after them), what was paid then).
    """

    def __init__(self, head: Demonstration) -> None:
        taken = head.recording.segments[-1]
        count, last = len(taken.actions), taken.live[-1:]
        self.head = head
        self.begin = Beginning(count, sum(each.frames for each in last if each.after == count))
        self.actions = bytearray(taken.actions)
        self.rewards = [0.0] * count
        self.flags = bytearray(count)
        self.proposals = bytearray([NO_PROPOSAL]) * count
        self.live = list(taken.live)
        self.paid_live: list[tuple[tuple[int, int], float]] = []
        self.events: list[DemoEvent] = []
        self.hashes: dict[int, str] = {}
        self.tags = set(head.tags)
        self.task, self.memory = head.task, ""

    @property
    def length(self) -> int:
        """Return the episode's steps, those before somebody took over included."""
        return len(self.actions)

    @property
    def live_frames(self) -> int:
        """Return how many frames of live play followed the last step."""
        return self.live[-1].frames if self.live and self.live[-1].after == self.length else 0

    @property
    def num_shown(self) -> int:
        """Return the number of shown presses: see `Demonstration.shown`."""
        begin, frames = self.begin, self.head.recording.frames.usual
        directions = directions_of(self.head.action_names)
        stretches = (each for each in self.live if each.after >= begin.step)
        live = sum(1 for each in stretches for _ in shown_live(each, frames, begin, directions))
        return self.length - begin.step + live

    @property
    def paid(self) -> float:
        """Return the sum of the rewards."""
        return sum(self.rewards) + sum(paid for _, paid in self.paid_live)

    def step(self, action: int, reward: float, flags: int, proposal: int) -> None:
        """Take in a step."""
        self.actions.append(action)
        self.rewards.append(reward)
        self.flags.append(flags)
        self.proposals.append(proposal)
        self.memory = ""

    def play_live(self, stretch: LiveStretch, paid: float) -> None:
        """Take in live play, or the whole of what is known in part, and what was paid for it."""
        if paid:
            self.paid_live.append(((stretch.after, stretch.frames), paid))
        if self.live and self.live[-1].after == stretch.after:
            self.live.pop()
        self.live.append(stretch)
        self.memory = ""

    def note(self, event: DemoEvent) -> None:
        """Take in an event that happens now; of two maps at one moment the later one counts."""
        event = replace(event, frames=self.live_frames)
        if event.kind == MAP and self.events and self.events[-1].kind == MAP:
            if self.events[-1].time == event.time:
                self.events.pop()
            elif self.events[-1].text == event.text:
                return
        self.events.append(event)

    def unmark(self) -> None:
        """Take back that it was marked as a success."""
        self.events = [event for event in self.events if event.kind != SUCCESS]

    def remember(self, digest: str, *, is_step: bool) -> None:
        """Take in the memory's current hash; `is_step`: no live play followed the last step."""
        self.memory = digest
        if is_step:
            self.hashes[self.length] = digest

    def rewind(self, step: int, frames: int = 0) -> None:
        """Go back to where `step` steps were taken, and `frames` frames of live play after them."""
        step, frames = then = max((step, frames), (self.begin.step, self.begin.frames))
        for kept in (self.actions, self.rewards, self.flags, self.proposals):
            del kept[step:]
        at_step = [each.cut(frames) for each in self.live if each.after == step and frames]
        self.live = [*(each for each in self.live if each.after < step), *at_step]
        self.paid_live = [each for each in self.paid_live if each[0] <= then]
        self.events = [event for event in self.events if event.time <= then]
        self.hashes = {at: digest for at, digest in self.hashes.items() if at <= step}
        self.memory = "" if frames else self.hashes.get(step, "")

    def demonstration(self) -> Demonstration:
        """Return the draft as a demonstration."""
        recording, flags = self.head.recording, np.frombuffer(bytes(self.flags), np.uint8)
        *lead, taken = recording.segments
        own = Segment(taken.random, bytes(self.actions), tuple(self.live))
        return replace(
            self.head,
            recording=replace(recording, segments=(*lead, own), memory=self.memory),
            rewards=np.array(self.rewards, np.float32),
            dones=(flags & 1).astype(np.bool_),
            events=tuple(sorted(self.events, key=lambda event: event.time)),
            tags=frozenset(self.tags),
            task=self.task,
            memory_hashes=tuple(sorted(self.hashes.items())),
            proposals=np.frombuffer(bytes(self.proposals), np.uint8),
            is_intervention=(flags & 2).astype(np.bool_),
            begins_at=self.begin.step,
            begins_frames=self.begin.frames,
            live_return=sum((paid for _, paid in self.paid_live), 0.0),
        )


Change = Callable[[Draft], None]
"""Applies a record to a draft."""


def log_path(path: Path) -> Path:
    """Return the log of the demonstration at `path`."""
    return path.with_name(path.name + LOG_SUFFIX)


def frame(kind: bytes, payload: bytes) -> bytes:
    """Return a record as bytes."""
    return _FRAME.pack(len(payload), zlib.crc32(kind + payload), kind) + payload


def as_json(value: Any) -> bytes:
    """Return a value as compact JSON."""
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
    """Read what was played until its program or machine died.

    Raises:
        DemoError: It is no log, or is damaged before its end.
    """
    data = read_limited(path, _MAX_LOG)
    if not data.startswith(LOG_MAGIC):
        raise DemoError(f"{path} is not a demonstration log.", "Use another file.")
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
    except layout.BROKEN as error:
        reason = error.message if isinstance(error, DemoError) else str(error)
        raise DemoError(
            f"The log {path} is damaged: {reason.rstrip('.')}.", "It cannot be repaired; delete it."
        ) from None
    raise DemoError(f"The log {path} is empty.", "Nothing was recorded; delete it.")


def read_change(kind: bytes, payload: bytes, draft: Draft) -> Change:
    """Return the change that a record makes, checked against `draft`, which stays as it is.

    Raises:
        ValueError, TypeError, struct.error, zlib.error: The record is invalid.
    """
    if kind == STEP:
        return _step(payload, draft)
    facts = parse_json(payload)
    if kind == LIVE:
        return _live(facts, draft)
    if kind == EVENT:
        step, name, text = facts
        if step != draft.length or len(draft.events) >= MAX_EVENTS:
            raise ValueError("event out of order")
        event = DemoEvent(step, layout.plain_text(name, 40), layout.plain_text(text))
        return lambda draft: draft.note(event)
    if kind == MEMORY:
        digest, is_step = facts
        layout.read_digest(digest)
        return lambda draft: draft.remember(digest, is_step=bool(is_step))
    if kind == TAG:
        tags = layout.read_tags(facts)
        return lambda draft: draft.tags.update(tags)
    if kind == TASK:
        task = layout.plain_text(facts)
        return lambda draft: setattr(draft, "task", task)
    if kind == UNMARK:
        return lambda draft: draft.unmark()
    if kind == REWIND:
        step, frames = facts
        if not (type(step) is type(frames) is int and 0 <= step <= draft.length and frames >= 0):
            raise ValueError("invalid rewind")
        return lambda draft: draft.rewind(step, frames)
    raise ValueError("unknown record type")


def _step(payload: bytes, draft: Draft) -> Change:
    action, reward, flags, proposal = STEP_FORM.unpack(payload)
    count = len(draft.head.action_names)
    if action >= count or flags > 3 or not math.isfinite(reward):
        raise ValueError("invalid step")
    if proposal >= count and proposal != NO_PROPOSAL:
        raise ValueError("invalid proposal")
    if draft.length >= layout.MAX_STEPS:
        raise ValueError("too long")
    return lambda draft: draft.step(action, reward, flags, proposal)


def _live(facts: Any, draft: Draft) -> Change:
    packed, paid = facts
    stretch = LiveStretch.unpack(packed)
    frames = sum(each.frames for each in draft.live) + stretch.frames
    inputs = sum(len(each.inputs) for each in draft.live) + len(stretch.inputs)
    if stretch.after != draft.length or not stretch.frames >= 0:
        raise ValueError("live play out of order")
    if frames > 2 * layout.MAX_LIVE_FRAMES or inputs > _MAX_LIVE_INPUTS or not abs(paid) < 1e9:
        raise ValueError("live play too long")
    return lambda draft: draft.play_live(stretch, float(paid))
