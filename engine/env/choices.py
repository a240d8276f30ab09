"""Keep who chose each action of an episode, and what is asked of an environment that records."""

import base64
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.commands import (
    DescribeRecording,
    DiscardRecording,
    MarkRecording,
    Rewind,
    StopRecording,
)
from engine.ground.files import inflate
from engine.ground.text import one_line
from engine.types import Decision, Source

# Keep who chose each action of an episode, how sure they were, and why: two bytes a step.

_SOURCES = (Source.POLICY, Source.PLANNER, Source.RULES, Source.RANDOM, Source.HUMAN)
LEVELS = 15
"""Confidence is kept in steps of 1/15, in half a byte; the other half is the source."""
_MOST_TEXTS, _LONGEST = 255, 200
_MOST_BYTES = _MOST_TEXTS * (4 * _LONGEST + 1)
UNKNOWN = 0
"""Stands where nobody said who chose."""


def code_of(source: Source, confidence: float) -> int:
    """Return a source and its confidence, 0 to 1, as one byte; `UNKNOWN` for `Source.RECORDED`."""
    if source not in _SOURCES:
        return UNKNOWN
    level = round(min(max(confidence, 0.0), 1.0) * LEVELS)
    return (_SOURCES.index(source) + 1) << 4 | level


BY_HAND = code_of(Source.HUMAN, 1.0)


def is_advised(code: int) -> bool:
    """Return whether an action was chosen by advice, which has a reason."""
    return code >> 4 in (_SOURCES.index(Source.PLANNER) + 1, _SOURCES.index(Source.RULES) + 1)


def words(source: Source, confidence: float, name: str, reason: str) -> str:
    """Say why the action called `name` was chosen."""
    if reason:
        return f"{name}: {reason}"
    if source in (Source.PLANNER, Source.RULES):
        return f"{name}, as the planner advises"
    return f"{name}, sampled" if source is Source.RANDOM else f"{name}, confidence {confidence:.0%}"


@dataclass(frozen=True, slots=True)
class Choices:
    """Who chose the actions of a segment, and why; nobody knows where it is empty.

    Attributes:
        codes: A byte an action, see `code_of`.
        places: A byte an action: the place of its reason in `texts`, from 1 on; 0: none.
        texts: The reasons.
    """

    codes: bytes = b""
    places: bytes = b""
    texts: tuple[str, ...] = ()

    def cut(self, begin: int, end: int | None = None) -> "Choices":
        """Return those of the actions from `begin` to `end`."""
        return Choices(self.codes[begin:end], self.places[begin:end], self.texts)

    def decision(self, step: int, action: int, name: str) -> Decision | None:
        """Return who chose the action of a step, and why; None: it was not recorded."""
        code = self.codes[step] if step < len(self.codes) else UNKNOWN
        if code == UNKNOWN:
            return None
        source, confidence = _SOURCES[(code >> 4) - 1], (code & LEVELS) / LEVELS
        reason = self.texts[self.places[step] - 1] if self.places[step] else ""
        return Decision(action, source, confidence, words(source, confidence, name, reason))

    def pack(self) -> list[Any]:
        """Return it JSON-able; nothing where nothing is known."""
        if not any(self.codes):
            return []
        data = self.codes + self.places + "\n".join(self.texts).encode()
        return [base64.b64encode(zlib.compress(data, 9)).decode()]

    @classmethod
    def unpack(cls, packed: Sequence[Any], length: int) -> "Choices":
        """Read what `pack` returned for `length` actions; damaged data count as nothing known."""
        try:
            (data,) = packed
            raw = inflate(base64.b64decode(data, validate=True), 2 * length + _MOST_BYTES)
            codes, places, text = raw[:length], raw[length : 2 * length], raw[2 * length :].decode()
        except (ValueError, TypeError):
            return cls()
        texts = tuple(one_line(each, _LONGEST) for each in text.split("\n")) if text else ()
        is_sound = (
            len(places) == length
            and len(texts) <= _MOST_TEXTS
            and max(codes, default=0) >> 4 <= len(_SOURCES)
            and max(places, default=0) <= len(texts)
        )
        return cls(codes, places, texts) if is_sound else cls()


NO_CHOICES = Choices()


class ChoiceLog:
    """The choices of a running episode."""

    def __init__(self, choices: Choices | None = None, length: int = 0) -> None:
        known = choices or Choices()
        self._codes = bytearray(known.codes.ljust(length, b"\0"))
        self._places = bytearray(known.places.ljust(length, b"\0"))
        self._texts = {text: place for place, text in enumerate(known.texts, 1)}

    def add(self, code: int, reason: str) -> None:
        """Add a step's; a reason is not kept once the table of reasons is full."""
        text = one_line(reason, _LONGEST) if reason else ""
        if text and text not in self._texts and len(self._texts) < _MOST_TEXTS:
            self._texts[text] = len(self._texts) + 1
        self._codes.append(code)
        self._places.append(self._texts.get(text, 0))

    @property
    def choices(self) -> Choices:
        """Return those so far."""
        return Choices(bytes(self._codes), bytes(self._places), tuple(self._texts))


# Define the requests to an environment that records demonstrations, and its answers.

CANNOT_RECORD = "These games cannot be recorded."


@dataclass(frozen=True, slots=True)
class BeginDemo:
    """Keep what is played from now on.

    Attributes:
        folder: Where the file is written.
        by: Who plays.
        task: What is shown, in words.
        tags: Single words.
        needs_human: Throw it away at its end if it holds no step of a person's.
    """

    folder: str
    by: str = "human"
    task: str = ""
    tags: tuple[str, ...] = ()
    needs_human: bool = False


@dataclass(frozen=True, slots=True)
class ProposeStep:
    """The next step is a person's.

    Attributes:
        proposal: What the agent would do.
    """

    proposal: int


@dataclass(frozen=True, slots=True)
class FollowPlay:
    """A person plays from now on, or no more.

    What they have just played can be kept (`KeepPlay`) while nothing is recorded.
    """

    is_by_hand: bool


@dataclass(frozen=True, slots=True)
class KeepPlay:
    """Make a demonstration of what a person has just played.

    Attributes:
        folder: Where the file is written.
    """

    folder: str


@dataclass(frozen=True, slots=True)
class LoadState:
    """Go to a snapshot if it is of the demonstration, and forget what came after it.

    Attributes:
        snapshot: As `SteppedEnv.snapshot` returned it.
    """

    snapshot: bytes


@dataclass(frozen=True, slots=True)
class StepBack:
    """Take back the last action, or so many frames of real-time play.

    Attributes:
        frames: 0: about a second of it.
    """

    frames: int


@dataclass(frozen=True, slots=True)
class InspectDemo:
    """Ask for the state of the recording."""


DemoRequest = (
    BeginDemo
    | ProposeStep
    | FollowPlay
    | KeepPlay
    | LoadState
    | StepBack
    | InspectDemo
    | StopRecording
    | DiscardRecording
    | Rewind
    | MarkRecording
    | DescribeRecording
)


@dataclass(frozen=True, slots=True)
class DemoEnded:
    """A demonstration ended.

    Attributes:
        env_index: Where it was played.
        path: Of its file; "" where it was thrown away or could not be written.
        steps: How often something was pressed in it, in real time, too.
        human_steps: How often by a person.
        is_live: A person played in real time, too.
        total_reward: What was paid since it began.
        failure: Why it could not be written, and where the rest is; "" where all is well.
    """

    env_index: int
    path: str
    steps: int
    human_steps: int
    is_live: bool
    total_reward: float
    failure: str = ""


@dataclass(frozen=True, slots=True)
class DemoFacts:
    """How the demonstration of an environment stands.

    Attributes:
        path: Where its file will be; "" while none is kept.
        steps: How often something was pressed in it, in real time, too.
        human_steps: How often by a person.
        rewindable: How many of its last actions can be taken back.
        episode_steps: Steps of the episode, those before it included.
        taken_back: How many actions the request took back.
        is_loaded: The request went to its snapshot, which was of the demonstration.
        task: What is shown.
        tags: In order.
        is_marked: Somebody marked it as a success.
        ended: The demonstration that the request ended.
    """

    path: str = ""
    steps: int = 0
    human_steps: int = 0
    rewindable: int = 0
    episode_steps: int = 0
    taken_back: int = 0
    is_loaded: bool = False
    task: str = ""
    tags: tuple[str, ...] = ()
    is_marked: bool = False
    ended: DemoEnded | None = None
