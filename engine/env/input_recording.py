"""Record an episode as its start and its inputs, and play it again exactly."""

import base64
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.env.live import MAX_LIVE_INPUTS, LiveStretch
from engine.errors import ReplayError
from engine.files import inflate, parse_json

if TYPE_CHECKING:
    from engine.env.game_env import GameEnv

MAX_ACTIONS = 1 << 22
"""Of an episode, with those of the episodes that it follows on from."""
_START_AGAIN = "Record it anew."


@dataclass(frozen=True, slots=True)
class Segment:
    """Inputs that follow on from a state of the game.

    Attributes:
        random: The two bytes of the game's random state (hRandomAdd, hRandomSub) at the start.
        actions: One byte an action.
        live: What ran between the actions at a person's hands.
    """

    random: tuple[int, int]
    actions: bytes
    live: tuple[LiveStretch, ...] = ()

    def pack(self) -> list[Any]:
        """Return it JSON-able."""
        packed = [self.random, base64.b64encode(zlib.compress(self.actions, 9)).decode()]
        return [*packed, [stretch.pack() for stretch in self.live]] if self.live else packed

    @classmethod
    def unpack(cls, packed: Sequence[Any]) -> "Segment":
        """Read what `pack` returned.

        Raises:
            ValueError, TypeError: It is none.
        """
        random, data, *rest = packed
        first, second = (int(value) for value in random)
        actions = inflate(base64.b64decode(data, validate=True), MAX_ACTIONS)
        live: list[LiveStretch] = []
        inputs = 0
        for stretch in (stretch for part in rest for stretch in part):
            live.append(LiveStretch.unpack(stretch))
            inputs += len(live[-1].inputs)
            if inputs > MAX_LIVE_INPUTS:
                raise ValueError("its live inputs are too many")
        places = [stretch.after for stretch in live]
        if sorted(places) != places or any(not 0 <= at <= len(actions) for at in places):
            raise ValueError("its live inputs are in no order")
        return cls((first, second), actions, tuple(live))


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
            raise ValueError("it is too long")
    return tuple(segments)


@dataclass(frozen=True, slots=True)
class Recording:
    """All that an episode depends on, and what its memory was at the end.

    Attributes:
        rom: SHA-1 of the ROM.
        start: SHA-1 of the start state.
        emulator: Its version.
        frames: Frames a button is held and waited for.
        segments: The last one is the episode. One that began from an archived state follows on
            from others, which led there from the start state.
        memory: SHA-1 of the work RAM after the last of them.
    """

    rom: str
    start: str
    emulator: str
    frames: tuple[int, int]
    segments: tuple[Segment, ...]
    memory: str

    @property
    def actions(self) -> bytes:
        """Return the episode's own inputs, one byte an action."""
        return self.segments[-1].actions

    def encode(self) -> str:
        """Return it as one line of JSON; a thousand steps take about 500 bytes."""
        segments = [segment.pack() for segment in self.segments]
        return json.dumps(
            [self.rom, self.start, self.emulator, self.frames, segments, self.memory],
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
            hold, wait = (int(value) for value in frames)
        except (ValueError, TypeError) as error:
            raise ReplayError(f"The recording is damaged: {error}.", _START_AGAIN) from None
        if not segments:
            raise ReplayError("The recording is damaged: it is empty.", _START_AGAIN)
        return cls(str(rom), str(start), str(emulator), (hold, wait), segments, str(memory))


def replay(env: "GameEnv", recording: Recording) -> Iterator[tuple[float, bool, bool]]:
    """Play a recorded episode in `env`; yield what every step returns.

    Raises:
        ReplayError: The environment is not the recorded one, or its memory is another at the end.
    """
    begin_replay(env, recording)
    for move in moves(recording.segments[-1]):
        yield play_move(env, move)
    if env.memory_digest() != recording.memory:
        raise ReplayError(
            f"The episode went another way within its {len(recording.actions):,} steps.",
            "Was it recorded with other settings of `env`?",
        )


def begin_replay(env: "GameEnv", recording: Recording) -> None:
    """Bring `env` to where a recorded episode began.

    Raises:
        ReplayError: The environment is not the recorded one.
    """
    _check_same(env, recording)
    if any(action >= len(env.game.actions) for s in recording.segments for action in s.actions):
        raise ReplayError("The recording is damaged: its actions are none.", _START_AGAIN)
    *lead, episode = recording.segments
    for segment in lead:
        _begin(env, segment, is_first=segment is lead[0])
        for move in moves(segment):
            play_move(env, move)
    _begin(env, episode, is_first=not lead)


def moves(segment: Segment) -> Iterator[int | LiveStretch]:
    """Yield a segment's actions, and its live stretches between them."""
    live = list(segment.live)
    for number, action in enumerate(segment.actions):
        while live and live[0].after == number:
            yield live.pop(0)
        yield action
    yield from live


def play_move(env: "GameEnv", move: int | LiveStretch) -> tuple[float, bool, bool]:
    """Take an action or play a live stretch; return what a step returns."""
    return env.replay_live(move) if isinstance(move, LiveStretch) else env.advance(move)


def _begin(env: "GameEnv", segment: Segment, *, is_first: bool) -> None:
    if is_first:
        env.begin_recorded(segment.random)
    else:
        env.begin_from(env.save(), segment.random)


def _check_same(env: "GameEnv", recording: Recording) -> None:
    now: tuple[tuple[str, Any, Any], ...] = (
        ("with another ROM", recording.rom, env.game.sha1),
        ("from another start state", recording.start, env.start_hash),
        (f"with emulator {recording.emulator}", recording.emulator, env.game.emulator_version),
        (
            "with other frames a press",
            recording.frames,
            (env.config.hold_frames, env.config.wait_frames),
        ),
    )
    for what, recorded, present in now:
        if recorded != present:
            raise ReplayError(
                f"The episode was recorded {what}.", "Replay it with the settings of its run."
            )
