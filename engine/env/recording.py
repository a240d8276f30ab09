"""Record an episode as its start and its inputs, and play it again exactly."""

import base64
import hashlib
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from engine.emulator.base import Emulator
from engine.errors import ReplayError
from engine.types import NUM_ACTIONS

if TYPE_CHECKING:
    from engine.env.crystal_env import EnhancedPyBoyPokemonCrystalEnv

_MAX_SIZE = 1 << 22
_START_AGAIN = "Record it anew."


@dataclass(frozen=True, slots=True)
class Recording:
    """All that an episode depends on, and what its memory was at the end.

    Attributes:
        rom: SHA-1 of the ROM.
        start: SHA-1 of the start state.
        pyboy: Version of the emulator.
        random: The two bytes of the game's random state (hRandomAdd, hRandomSub) at the start.
        frames: Frames a button is held and waited for.
        actions: One byte an action.
        memory: SHA-1 of the work RAM after the last of them.
    """

    rom: str
    start: str
    pyboy: str
    random: tuple[int, int]
    frames: tuple[int, int]
    actions: bytes
    memory: str

    def encode(self) -> str:
        """Return it as one line of JSON; a thousand steps take about 500 bytes."""
        packed = base64.b64encode(zlib.compress(self.actions, 9)).decode()
        return json.dumps(
            [self.rom, self.start, self.pyboy, self.random, self.frames, packed, self.memory],
            separators=(",", ":"),
        )

    @classmethod
    def decode(cls, text: str) -> "Recording":
        """Read what `encode` returned.

        Raises:
            ReplayError: It is damaged.
        """
        try:
            rom, start, pyboy, random, frames, packed, memory = json.loads(text)
            unpacker = zlib.decompressobj()
            actions = unpacker.decompress(base64.b64decode(packed, validate=True), _MAX_SIZE)
            first, second = (int(value) for value in random)
            hold, wait = (int(value) for value in frames)
        except (ValueError, TypeError, zlib.error) as error:
            raise ReplayError(f"The recording is damaged: {error}.", _START_AGAIN) from None
        if not unpacker.eof or any(action >= NUM_ACTIONS for action in actions):
            raise ReplayError("The recording is damaged: its actions are none.", _START_AGAIN)
        return cls(str(rom), str(start), str(pyboy), (first, second), (hold, wait), actions, memory)


def memory_hash(emulator: Emulator) -> str:
    """Return the SHA-1 of the work RAM, C000-DFFF with bank 1."""
    memory = emulator.read(0, 0xC000, 0x1000) + emulator.read(1, 0xD000, 0x1000)
    return hashlib.sha1(memory, usedforsecurity=False).hexdigest()


def pyboy_version() -> str:
    """Return the version of the emulator that saved states and recordings depend on."""
    return version("pyboy")


def replay(
    env: "EnhancedPyBoyPokemonCrystalEnv", recording: Recording
) -> Iterator[tuple[float, bool, bool]]:
    """Play a recorded episode in `env`; yield what every step returns.

    Raises:
        ReplayError: The environment is not the recorded one, or its memory is another at the end.
    """
    _check_same(env, recording)
    env.begin_recorded(recording.random)
    for action in recording.actions:
        yield env.advance(action)
    if memory_hash(env.emulator) != recording.memory:
        raise ReplayError(
            f"The episode went another way within its {len(recording.actions):,} steps.",
            "Was it recorded with other settings of `env`?",
        )


def _check_same(env: "EnhancedPyBoyPokemonCrystalEnv", recording: Recording) -> None:
    now: tuple[tuple[str, Any, Any], ...] = (
        ("with another ROM", recording.rom, env.profile.sha1),
        ("from another start state", recording.start, env.start_hash),
        (f"with pyboy {recording.pyboy}", recording.pyboy, pyboy_version()),
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
