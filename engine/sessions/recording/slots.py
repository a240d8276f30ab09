"""Save slots: states of the recorded game, kept beside the dataset's demonstrations."""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.commands import NUM_SLOTS
from engine.demos.layout import BROKEN, plain_text, read_limited, write_whole
from engine.env.start_states import pack_env, unpack_env
from engine.errors import DemoError, PokeTUIError
from engine.events import KeptState, StatesKept
from engine.sessions.recording.game import RecordedGame

_FOLDER = "states"
_MAX_SIZE = 1 << 22


class Slots:
    """The slots 1 to 10 of a dataset, each a file, with those of earlier sessions.

    Args:
        now: Seconds since 1970.

    Attributes:
        refused: Why existing files cannot be used, in a line each.
    """

    def __init__(self, game: RecordedGame, now: Callable[[], float] = time.time) -> None:
        self._game = game
        self._folder = game.folder / _FOLDER
        self._now = now
        self._states: dict[int, KeptState] = {}
        self.refused: list[str] = []
        for slot in range(1, NUM_SLOTS + 1):
            if self._path(slot).exists():
                try:
                    self._states[slot] = self._read(slot)[0]
                except DemoError as error:
                    self.refused.append(str(error))

    @property
    def listed(self) -> StatesKept:
        """Return the saved states, oldest first."""
        return StatesKept(tuple(sorted(self._states.values(), key=lambda one: one.kept_s)))

    @property
    def next_free(self) -> int:
        """Return an empty slot; where there is none, the one that was saved first."""
        free = (slot for slot in range(1, NUM_SLOTS + 1) if slot not in self._states)
        return next(free, min(self._states, key=lambda slot: self._states[slot].kept_s, default=1))

    def save(self, slot: int, episode: int) -> KeptState:
        """Save the game, which is at rest, in place of what the slot held.

        Raises:
            DemoError: It cannot be written; the slot keeps what it held.
        """
        env = self._game.env
        state = KeptState(
            slot, 0, env.episode_steps, self._game.place, True, episode, self._now(), slot
        )
        facts = {
            "start": self._start,
            "steps": state.episode_steps,
            "place": state.place,
            "episode": episode,
            "kept_s": state.kept_s,
        }
        write_whole(self._path(slot), pack_env(facts, self._game.snapshot()))
        self._states[slot] = state
        return state

    def load(self, slot: int) -> tuple[KeptState, bytes]:
        """Return a slot's state and snapshot; the game, at rest, is left where it is.

        Raises:
            DemoError: It is empty, damaged, or of another game; or the goal is reached there.
        """
        if slot not in self._states:
            raise DemoError(f"Slot {slot} is empty.", "Save it first.")
        state, snapshot = self._read(slot)
        now = self._game.save()
        try:
            self._game.go_to(snapshot)
            is_over = self._game.env.is_success
        except (*BROKEN, PokeTUIError):
            raise _damaged(self._path(slot)) from None
        finally:
            self._game.restore(now)
        if is_over:
            raise DemoError(f"The goal is reached in slot {slot}.", "Load another slot.")
        return state, snapshot

    @property
    def _start(self) -> list[Any]:
        """Return what must be equal for a demonstration to continue from a slot."""
        game, config = self._game.env.game, self._game.env.config
        frames = [config.hold_frames, config.wait_frames]
        return [game.sha1, game.emulator_version, self._game.env.start_hash, *frames]

    def _path(self, slot: int) -> Path:
        return self._folder / f"slot-{slot}.slot"

    def _read(self, slot: int) -> tuple[KeptState, bytes]:
        path = self._path(slot)
        try:
            facts, snapshot = unpack_env(read_limited(path, _MAX_SIZE))
            steps, episode, kept_s = (facts[name] for name in ("steps", "episode", "kept_s"))
            place = plain_text(facts["place"])
            state = KeptState(slot, 0, int(steps), place, True, int(episode), float(kept_s), slot)
            if not math.isfinite(state.kept_s):
                raise ValueError("it has no time")
        except DemoError:
            raise
        except (*BROKEN, PokeTUIError):
            raise _damaged(path) from None
        if facts.get("start") != self._start:
            raise DemoError(
                f"The save slot {path} is of another ROM, start or emulator.", "Save it again."
            )
        return state, snapshot


def _damaged(path: Path) -> DemoError:
    return DemoError(f"The save slot {path} is damaged.", "Save it again.")
