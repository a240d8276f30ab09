"""Keep one played episode exactly and small: its start, its inputs, and the result."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.demos.decisions import Beginning, Shown, directions_of, shown
from engine.emulator.base import GAME_BOY_FRAMES_PER_S
from engine.env.input_recording import Recording
from engine.errors import DemoError
from engine.files import FILE_MODE, FileTooLargeError, read_file
from engine.types import GAME_BOY_ACTIONS, GAME_BOY_FRAME_SHAPE

SUFFIX = ".demo"
NO_PROPOSAL = 255
"""Stands in `Demonstration.proposals` where no agent proposed anything."""
INTERVENTION = "intervention"
"""Tag of what was recorded because a person took over from an agent: the person's part counts."""
HASH_EVERY = 100
"""Steps between two hashes of the memory."""

MAX_DEMO_FILE = 1 << 24
MAX_STEPS = 1 << 20
MAX_TEXT = 400
MAX_EVENTS = 1 << 17
MAX_LIVE_FRAMES = 60 * 60 * 60 * 24
"""A day at 60 frames a second: nobody plays longer, and a damaged file must not either."""

MILESTONE, SUCCESS, GOAL, MAP, NOTE = "milestone", "success", "goal", "map", "note"
"""Kinds of events: text is a milestone's key, words, words, a map's name, a person's words.

A map's event says on which map the player stands from that step on.
"""


@dataclass(frozen=True, slots=True)
class DemoEvent:
    """Something that happened.

    Attributes:
        step: After so many steps of the episode.
        kind: One word; any other than the known ones is a note, too.
        frames: After so many frames of real-time play that followed that step.
    """

    step: int
    kind: str
    text: str = ""
    frames: int = 0

    @property
    def moment(self) -> tuple[int, int]:
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
        begins_at: The steps before are how the game came here, and show nothing.
        begins_frames: Nor do so many frames of real-time play that followed the last of them.
        live_return: What was paid while a person played in real time, which counts no steps.
        action_names: Of the game's actions, each at its number.
        frame_shape: (H, W, 3) of the game's frames.

    Raises:
        DemoError: These do not belong together.
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

    def __post_init__(self) -> None:
        length = len(self.recording.actions)
        if len(self.action_names) > NO_PROPOSAL:
            raise DemoError(
                f"A game with {len(self.action_names):,} actions cannot be recorded.",
                f"A demonstration holds up to {NO_PROPOSAL}.",
            )
        if not len(self.proposals):
            object.__setattr__(self, "proposals", np.full(length, NO_PROPOSAL, np.uint8))
        if not len(self.is_intervention):
            object.__setattr__(self, "is_intervention", np.zeros(length, np.bool_))
        for name, kind in _ARRAYS:
            array = getattr(self, name)
            if array.shape != (length,) or array.dtype != kind:
                raise DemoError(f"A demonstration's {name} are not one {kind} a step.")
            array.setflags(write=False)
        if hashlib.sha1(self.start_state, usedforsecurity=False).hexdigest() != (
            self.recording.start
        ):
            raise DemoError("A demonstration's start state is not the recorded one.")
        if not 0 <= self.begins_at <= length:
            raise DemoError("A demonstration begins after its end.")

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
        """Return from where on it shows something."""
        return Beginning(self.begins_at, self.begins_frames)

    @property
    def shown(self) -> tuple[Shown, ...]:
        """Return what was pressed from there on, by turns or in real time."""
        own = self.recording.segments[-1]
        frames = sum(self.recording.frames)
        directions = directions_of(self.action_names)
        return tuple(shown(own.actions, own.live, frames, self.begin, directions))

    @property
    def num_interventions(self) -> int:
        """Return how often a person pressed something in an agent's place."""
        is_live_one = INTERVENTION in self.tags
        live = sum(each.is_live for each in self.shown) if is_live_one else 0
        return int(self.is_intervention.sum()) + live

    @property
    def live_s(self) -> float:
        """Return how many seconds from there on were played in real time."""
        live = self.recording.segments[-1].live
        frames = sum(max(0, each.frames - self.begin.frame_in(each)) for each in live)
        return frames / GAME_BOY_FRAMES_PER_S

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
        """Return whether the run's goal was reached, or the person marked it as a success."""
        return SUCCESS in self.tags or any(each.kind in (GOAL, SUCCESS) for each in self.events)

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
            while place + 1 < len(visits) and visits[place + 1].moment <= (each.step, each.frame):
                place += 1
            if place >= 0:
                pressed[place] += 1
        return tuple((each.text, count) for each, count in zip(visits, pressed, strict=True))


_ARRAYS = (
    ("rewards", np.float32),
    ("dones", np.bool_),
    ("proposals", np.uint8),
    ("is_intervention", np.bool_),
)


def read_demo(path: Path) -> Demonstration:
    """Read a demonstration's file.

    Raises:
        DemoError: It is missing, damaged, foreign or too large; what it holds is never executed.
    """
    # Here, not above: the layout of the file needs the kinds above.
    from engine.demos.layout import decode_demo

    return decode_demo(read_limited(path, MAX_DEMO_FILE), str(path))


def write_demo(path: Path, demo: Demonstration, mode: int = FILE_MODE) -> None:
    """Write a demonstration's file, beside and renamed.

    Raises:
        DemoError: It cannot be written; what was there is untouched.
    """
    from engine.demos.layout import encode_demo
    from engine.demos.writing import write_whole

    write_whole(path, encode_demo(demo), mode)


def read_limited(path: Path, limit: int) -> bytes:
    """Return a file's bytes.

    Raises:
        DemoError: It cannot be read, or has more than `limit` bytes.
    """
    try:
        if not path.is_file():
            what = "is a folder" if path.is_dir() else "is no regular file"
            if not path.exists():
                what = "is not there"
            raise DemoError(f"{path} {what}.", "Name a demonstration; see: poketui demos")
        return read_file(path, limit)
    except FileTooLargeError:
        raise DemoError(f"{path} is too large for a demonstration.", "Name another file.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DemoError(f"Cannot read {path}: {reason}.", "Make it readable.") from None
