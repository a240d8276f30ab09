"""Record an episode as its start and its inputs."""

import base64
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.config import PressFrames
from engine.env.choices import NO_CHOICES, Choices
from engine.env.live import MAX_LIVE_INPUTS, LiveStretch
from engine.errors import ReplayError
from engine.ground.files import inflate, parse_json

MAX_ACTIONS = 1 << 22
"""Of an episode, with those of the episodes that it follows on from."""
RECORD_ANEW = "Record it again."


@dataclass(frozen=True, slots=True)
class Segment:
    """Inputs that follow on from a state of the game.

    Attributes:
        random: The two bytes of the game's random state (hRandomAdd, hRandomSub) at the start.
        actions: One byte an action.
        live: Real-time play of a person between the actions.
        choices: Who chose the actions, and why.
    """

    random: tuple[int, int]
    actions: bytes
    live: tuple[LiveStretch, ...] = ()
    choices: Choices = field(default=NO_CHOICES, compare=False)

    @property
    def end(self) -> tuple[int, int]:
        """Return how many actions there are, and frames of live play after the last of them."""
        step, last = len(self.actions), self.live[-1:]
        return step, sum(each.frames for each in last if each.after == step)

    def until(self, step: int, frames: int) -> "Segment":
        """Return the first `step` actions, and `frames` frames of live play after them."""
        at = [each.cut(frames) for each in self.live if each.after == step and frames]
        live = (*(each for each in self.live if each.after < step), *at)
        return Segment(self.random, self.actions[:step], live, self.choices.cut(0, step))

    def since(self, step: int, frames: int) -> "Segment":
        """Return what follows after `step` actions and `frames` frames of live play after them."""
        later = [each.without(frames) if each.after == step else each for each in self.live]
        live = [replace(each, after=each.after - step) for each in later if each.after >= step]
        kept = tuple(each for each in live if each.frames)
        return Segment(self.random, self.actions[step:], kept, self.choices.cut(step))

    def pack(self) -> list[Any]:
        """Return it JSON-able."""
        packed = [self.random, base64.b64encode(zlib.compress(self.actions, 9)).decode()]
        live, choices = [stretch.pack() for stretch in self.live], self.choices.pack()
        return [*packed, live, choices] if choices else [*packed, live] if live else packed

    @classmethod
    def unpack(cls, packed: Sequence[Any]) -> "Segment":
        """Read what `pack` returned.

        Raises:
            ValueError, TypeError: It is none.
        """
        random, data, *rest = packed
        stretches, choices = [*rest, [], []][:2]
        first, second = (int(value) for value in random)
        actions = inflate(base64.b64decode(data, validate=True), MAX_ACTIONS)
        live: list[LiveStretch] = []
        inputs = 0
        for stretch in stretches:
            live.append(LiveStretch.unpack(stretch))
            inputs += len(live[-1].inputs)
            if inputs > MAX_LIVE_INPUTS:
                raise ValueError("too many live inputs")
        places = [stretch.after for stretch in live]
        if sorted(places) != places or any(not 0 <= at <= len(actions) for at in places):
            raise ValueError("live inputs out of order")
        known = Choices.unpack(choices, len(actions))
        return cls((first, second), actions, tuple(live), known)


def unpack_segments(packed: Sequence[Any]) -> tuple[Segment, ...]:
    """Read what `Segment.pack` returned of each segment of an episode.

    Raises:
        ValueError, TypeError: They are none, or too long.
    """
    segments: list[Segment] = []
    actions = inputs = 0
    for one in packed:
        segments.append(Segment.unpack(one))
        actions += len(segments[-1].actions)
        inputs += sum(len(stretch.inputs) for stretch in segments[-1].live)
        if actions > MAX_ACTIONS or inputs > MAX_LIVE_INPUTS:
            raise ValueError("too long")
    return tuple(segments)


@dataclass(frozen=True, slots=True)
class Recording:
    """All that an episode depends on, and what its memory was at the end.

    Attributes:
        rom: SHA-1 of the ROM.
        start: SHA-1 of the start state.
        emulator: Its version.
        frames: Frames of an action.
        segments: The last one is the episode. One that began from an archived state follows on
            from others, which led there from the start state.
        memory: SHA-1 of the work RAM after the last of them.
    """

    rom: str
    start: str
    emulator: str
    frames: PressFrames
    segments: tuple[Segment, ...]
    memory: str

    @property
    def actions(self) -> bytes:
        """Return the episode's own inputs, one byte an action."""
        return self.segments[-1].actions

    def encode(self) -> str:
        """Return it as one line of JSON; a thousand steps take about 1.5 KB."""
        segments = [segment.pack() for segment in self.segments]
        return json.dumps(
            [self.rom, self.start, self.emulator, self.frames.pack(), segments, self.memory],
            separators=(",", ":"),
        )

    @classmethod
    def decode(cls, text: str) -> "Recording":
        """Read what `encode` returned.

        Raises:
            ReplayError: It is damaged.
        """
        try:
            rom, start, emulator, frames, packed, memory = parse_json(text)
            segments = unpack_segments(packed)
            press = PressFrames(*map(int, frames))
        except (ValueError, TypeError) as error:
            raise ReplayError(f"The recording is damaged: {error}.", RECORD_ANEW) from None
        if not segments:
            raise ReplayError("The recording is damaged: it is empty.", RECORD_ANEW)
        return cls(str(rom), str(start), str(emulator), press, segments, str(memory))


def moves(segment: Segment) -> Iterator[int | LiveStretch]:
    """Yield a segment's actions, and its live stretches between them."""
    live = list(segment.live)
    for number, action in enumerate(segment.actions):
        while live and live[0].after == number:
            yield live.pop(0)
        yield action
    yield from live


def short_moves(segment: Segment, frames: int) -> Iterator[int | LiveStretch]:
    """Yield a segment's actions, and its live play between them in stretches of `frames` at most.

    A minute of live play in one stretch would pass at once, and could not be paused within.
    """
    for move in moves(segment):
        if not isinstance(move, LiveStretch):
            yield move
            continue
        part = LiveStretch(move.after)
        for buttons, left in move.spans():
            while left:
                count = min(left, frames - part.frames)
                part = part.then(buttons, count)
                left -= count
                if part.frames == frames:
                    yield part
                    part = LiveStretch(move.after)
        if part.frames:
            yield part
