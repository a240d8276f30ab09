r"""Define a demonstration, one episode as its start, inputs and results, and its file's format.

The file's layout:

    "PokeTUI demo 1\n"                          15 bytes
    SHA-256 of all that follows                 32 bytes
    three sections, each behind its size        uint32 packed, uint32 raw, zlib data
        1  facts, a JSON object; who chose each action, and why, as "choices"
        2  arrays: actions of all segments (1 byte each), live inputs (frame uint32, buttons
           uint8), rewards (float32), flags (1 byte: 1 done, 2 intervention), proposals (1 byte)
        3  the start state, as the emulator saved it

Of a game whose actions or frames are not a Game Boy's the facts name them, as "actions" (names in
order), "frame" (height, width, 3) and "frames_per_s".

Numbers are little-endian. The same demonstration always gives the same bytes.
"""

import hashlib
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import PressFrames
from engine.demos import layout
from engine.demos.layout import Beginning, Shown, directions_of, read_limited, shown, write_whole
from engine.emulator.base import GAME_BOY_FRAMES_PER_S
from engine.env.choices import Choices
from engine.env.input_recording import Recording
from engine.env.start_states import MAX_STATE_SIZE
from engine.errors import DemoError
from engine.ground.files import FILE_MODE, parse_json
from engine.types import GAME_BOY_ACTIONS, GAME_BOY_FRAME_SHAPE

SUFFIX = ".demo"
NO_PROPOSAL = 255
"""In `Demonstration.proposals`: no agent proposed anything."""
INTERVENTION = "intervention"
"""Tag of what was recorded because a person took over from an agent: the person's part counts."""
HASH_EVERY = 100
"""Steps between two hashes of the memory."""

MAX_DEMO_FILE = 1 << 24
MAX_EVENTS = 1 << 17

MILESTONE, SUCCESS, GOAL, MAP, NOTE = "milestone", "success", "goal", "map", "note"
"""Kinds of events: text is a milestone's key, words, words, a map's name, a person's words.

A map's event says on which map the player stands from that step on.
"""

_MAX_FACTS, _MAX_ARRAYS = 1 << 23, 1 << 24
_DONE, _INTERVENTION = 1, 2
_ARRAYS = (
    ("rewards", np.float32),
    ("dones", np.bool_),
    ("proposals", np.uint8),
    ("is_intervention", np.bool_),
)
_USUAL = {
    "begins_frames": 0,
    "choices": [],
    "actions": GAME_BOY_ACTIONS.names,
    "frame": GAME_BOY_FRAME_SHAPE,
    "frames_per_s": GAME_BOY_FRAMES_PER_S,
}
"""Facts that a file leaves out where they have these values."""


@dataclass(frozen=True, slots=True)
class DemoEvent:
    """Something that happened.

    Attributes:
        step: After so many steps of the episode.
        kind: One word; unknown ones count as notes.
        frames: After so many frames of real-time play that followed that step.
    """

    step: int
    kind: str
    text: str = ""
    frames: int = 0

    @property
    def time(self) -> tuple[int, int]:
        """Return when it was, in the order of play."""
        return self.step, self.frames


@dataclass(frozen=True, slots=True, eq=False)
class Demonstration:
    """A played episode. T is the number of its actions.

    Attributes:
        recording: The exact inputs. `memory` is "" where the end was lost with the machine.
        start_state: The machine that `recording.start` is the SHA-1 of.
        rewards: (T,) float32.
        dones: (T,) bool, the game ended the episode with this step.
        events: In the order of their steps.
        task: What was to be shown, in the words of whoever recorded it.
        by: "human", or the policy's name.
        memory_hashes: (step, SHA-1 of the work RAM after it).
        proposals: (T,) uint8, what the agent would have done, `NO_PROPOSAL` where none was asked.
        is_intervention: (T,) bool, a person acted in the agent's place.
        created_s: Seconds since 1970.
        settings: JSON of the sections `env` and `rewards` it was played with, and of the names of
            custom rewards as `extra`; "" if they are not known.
        begins_at: Steps at the beginning that only led here and are not part of what is shown.
        begins_frames: Frames of real-time play after the last of them, likewise.
        live_return: What was paid while a person played in real time, which counts no steps.
        action_names: Names of the game's actions, in order.
        frame_shape: (H, W, 3) of the game's frames.
        frames_per_s: The game's frame rate on its own machine.

    Raises:
        DemoError: The values do not fit together.
    """

    recording: Recording
    start_state: bytes
    rewards: NDArray[np.float32]
    dones: NDArray[np.bool_]
    events: tuple[DemoEvent, ...] = ()
    tags: frozenset[str] = frozenset()
    task: str = ""
    by: str = "human"
    memory_hashes: tuple[tuple[int, str], ...] = ()
    proposals: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    is_intervention: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    created_s: float = 0.0
    settings: str = ""
    begins_at: int = 0
    live_return: float = 0.0
    begins_frames: int = 0
    action_names: tuple[str, ...] = GAME_BOY_ACTIONS.names
    frame_shape: tuple[int, int, int] = GAME_BOY_FRAME_SHAPE
    frames_per_s: float = GAME_BOY_FRAMES_PER_S

    def __post_init__(self) -> None:
        length = len(self.recording.actions)
        if len(self.action_names) > NO_PROPOSAL:
            raise DemoError(
                f"A game with {len(self.action_names):,} actions cannot be recorded.",
                f"The maximum is {NO_PROPOSAL}.",
            )
        if not len(self.proposals):
            object.__setattr__(self, "proposals", np.full(length, NO_PROPOSAL, np.uint8))
        if not len(self.is_intervention):
            object.__setattr__(self, "is_intervention", np.zeros(length, np.bool_))
        for name, kind in _ARRAYS:
            array = getattr(self, name)
            if array.shape != (length,) or array.dtype != kind:
                raise DemoError(f"A demonstration's {name} must hold one {kind} per step.")
            array.setflags(write=False)
        if hashlib.sha1(self.start_state, usedforsecurity=False).hexdigest() != (
            self.recording.start
        ):
            raise DemoError("The start state does not match the recording.")
        if not 0 <= self.begins_at <= length:
            raise DemoError("A demonstration starts after its end.")

    @property
    def actions(self) -> NDArray[np.uint8]:
        """Return (T,) uint8."""
        return np.frombuffer(self.recording.actions, np.uint8)

    @property
    def episode_length(self) -> int:
        """Return its steps, those before `begins_at` included."""
        return len(self.recording.actions)

    @property
    def begin(self) -> Beginning:
        """Return where the part that is shown begins."""
        return Beginning(self.begins_at, self.begins_frames)

    @property
    def shown(self) -> tuple[Shown, ...]:
        """Return what was pressed from there on, by turns or in real time."""
        own, frames = self.recording.segments[-1], self.recording.frames.usual
        return tuple(shown(own, frames, self.begin, directions_of(self.action_names)))

    @property
    def num_interventions(self) -> int:
        """Return how often a person pressed something in an agent's place."""
        has_live = INTERVENTION in self.tags
        live = sum(each.is_live for each in self.shown) if has_live else 0
        return int(self.is_intervention.sum()) + live

    @property
    def live_s(self) -> float:
        """Return how many seconds from there on were played in real time."""
        live = self.recording.segments[-1].live
        frames = sum(max(0, each.frames - self.begin.frame_in(each)) for each in live)
        return frames / self.frames_per_s

    @property
    def episode_return(self) -> float:
        """Return what was paid; what was paid before somebody took over is not known."""
        return float(self.rewards.sum(dtype=np.float64)) + self.live_return

    @property
    def milestones(self) -> tuple[tuple[str, int], ...]:
        """Return (key, step) of the milestones that were reached, in order."""
        return tuple((each.text, each.step) for each in self.events if each.kind == MILESTONE)

    @property
    def notes(self) -> tuple[tuple[str, int], ...]:
        """Return (words, step) of what a person noted, in order."""
        return tuple((each.text, each.step) for each in self.events if each.kind == NOTE)

    @property
    def is_success(self) -> bool:
        """Return whether the run's goal was reached, or the person marked it as a success.

        Without any step there is no success.
        """
        is_marked = SUCCESS in self.tags or any(e.kind in (GOAL, SUCCESS) for e in self.events)
        return is_marked and bool(self.shown)

    @property
    def has_live(self) -> bool:
        """Return whether any of it was played in real time."""
        return any(segment.live for segment in self.recording.segments)

    def maps(self) -> tuple[tuple[str, int], ...]:
        """Return (map, what was pressed on it) in the order of visits, as far as it is known."""
        visits = [each for each in self.events if each.kind == MAP]
        pressed = [0] * len(visits)
        place = -1
        for each in self.shown:
            while place + 1 < len(visits) and visits[place + 1].time <= (each.step, each.frame):
                place += 1
            if place >= 0:
                pressed[place] += 1
        return tuple((each.text, count) for each, count in zip(visits, pressed, strict=True))


def read_demo(path: Path) -> Demonstration:
    """Read a demonstration's file.

    Raises:
        DemoError: It is missing, damaged, foreign or too large; what it holds is never executed.
    """
    return decode_demo(read_limited(path, MAX_DEMO_FILE), str(path))


def write_demo(path: Path, demo: Demonstration, mode: int = FILE_MODE) -> None:
    """Write a demonstration's file, beside and renamed.

    Raises:
        DemoError: It cannot be written; what was there is untouched.
    """
    write_whole(path, encode_demo(demo), mode)


def encode_demo(demo: Demonstration) -> bytes:
    """Return a demonstration as the bytes of its file."""
    recording = demo.recording
    segments, inputs = layout.pack_segments(recording.segments)
    facts = {
        "begins_frames": demo.begins_frames,
        "choices": recording.segments[-1].choices.pack(),
        "actions": demo.action_names,
        "frame": demo.frame_shape,
        "frames_per_s": demo.frames_per_s,
        "rom": recording.rom,
        "start": recording.start,
        "pyboy": recording.emulator,
        "frames": recording.frames.pack(),
        "memory": recording.memory,
        "segments": segments,
        "hashes": demo.memory_hashes,
        # Only an event amidst real-time play has frames.
        "events": [
            [each.step, each.kind, each.text, *([each.frames] if each.frames else [])]
            for each in demo.events
        ],
        "tags": sorted(demo.tags),
        "task": demo.task,
        "by": demo.by,
        "created_s": float(demo.created_s),
        "settings": demo.settings,
        "begins_at": demo.begins_at,
        "live_return": float(demo.live_return),
    }
    flags = demo.dones * np.uint8(_DONE) | demo.is_intervention * np.uint8(_INTERVENTION)
    parts = (demo.rewards.astype("<f4"), flags.astype(np.uint8), demo.proposals)
    arrays = inputs + b"".join(part.tobytes() for part in parts)
    unusual = {name: fact for name, fact in facts.items() if fact != _USUAL.get(name)}
    text = json.dumps(unusual, separators=(",", ":"), sort_keys=True).encode()
    return layout.pack_file((text, arrays, demo.start_state))


def decode_demo(data: bytes, name: str) -> Demonstration:
    """Read what `encode_demo` returned; `name` is that of the file, for the error.

    Raises:
        DemoError: It is damaged or foreign.
    """
    body = layout.body_of_file(data, name)
    try:
        text, arrays, start_state = layout.unpack_sections(
            body, (_MAX_FACTS, _MAX_ARRAYS, MAX_STATE_SIZE)
        )
        return _decode(_USUAL | parse_json(text), arrays, start_state)
    except layout.BROKEN as error:
        reason = error.message if isinstance(error, DemoError) else type(error).__name__
        raise DemoError(
            f"{name} is not a valid demonstration: {reason.rstrip('.')}.", layout.USE_ANOTHER
        ) from None


def _decode(facts: dict[str, Any], arrays: bytes, start_state: bytes) -> Demonstration:
    names = layout.read_names(facts["actions"])
    segments, rest = layout.unpack_segments(facts["segments"], arrays, len(names))
    length = len(segments[-1].actions)
    choices = Choices.unpack(facts["choices"], length)
    segments = (*segments[:-1], replace(segments[-1], choices=choices))
    if len(rest) != 6 * length:
        raise ValueError("wrong array size")
    rewards = np.frombuffer(rest, "<f4", length).astype(np.float32)
    flags = np.frombuffer(rest, np.uint8, length, 4 * length)
    proposals = np.frombuffer(rest, np.uint8, length, 5 * length)
    if not np.isfinite(rewards).all():
        raise ValueError("invalid reward")
    if np.any((proposals >= len(names)) & (proposals != NO_PROPOSAL)):
        raise ValueError("invalid proposal")
    frames = PressFrames(*(layout.read_whole(value, 1000) for value in facts["frames"]))
    return Demonstration(
        Recording(
            rom=layout.read_digest(facts["rom"]),
            start=layout.read_digest(facts["start"]),
            emulator=layout.plain_text(facts["pyboy"], 40),
            frames=frames,
            segments=segments,
            memory=layout.read_digest(facts["memory"]) if facts["memory"] else "",
        ),
        start_state,
        rewards,
        dones=(flags & _DONE).astype(np.bool_),
        events=_events(facts["events"], length),
        tags=layout.read_tags(facts["tags"]),
        task=layout.plain_text(facts["task"]),
        by=layout.plain_text(facts["by"], 80),
        memory_hashes=tuple(
            (layout.read_whole(step, length), layout.read_digest(digest))
            for step, digest in facts["hashes"]
        ),
        proposals=proposals,
        is_intervention=(flags & _INTERVENTION).astype(np.bool_),
        created_s=layout.read_number(facts["created_s"]),
        settings=layout.read_settings(facts["settings"]),
        begins_at=layout.read_whole(facts["begins_at"], length),
        live_return=layout.read_number(facts["live_return"]),
        begins_frames=layout.read_whole(facts["begins_frames"], layout.MAX_LIVE_FRAMES),
        action_names=names,
        frame_shape=layout.read_frame_shape(facts["frame"]),
        frames_per_s=layout.read_frame_rate(facts["frames_per_s"]),
    )


def _events(packed: Sequence[Any], length: int) -> tuple[DemoEvent, ...]:
    if len(packed) > MAX_EVENTS:
        raise ValueError("too many events")
    events = tuple(
        DemoEvent(
            layout.read_whole(step, length),
            layout.plain_text(kind, 40),
            layout.plain_text(text),
            layout.read_whole(sum(frames), layout.MAX_LIVE_FRAMES),
        )
        for step, kind, text, *frames in packed
    )
    if any(one.time > other.time for one, other in itertools.pairwise(events)):
        raise ValueError("events out of order")
    return events
