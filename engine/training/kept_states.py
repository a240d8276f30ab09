"""Keep snapshots of the watched game, so that an episode can branch from them."""

import contextlib
import re
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.env.batch import Batch
from engine.env.state_file import pack_state, unpack_env
from engine.errors import WorkerError
from engine.events import KeptState, StatesKept
from engine.files import make_subfolder, write_file
from engine.world import Snapshots

_SHORTEST_S = 2.0
"""Between two snapshots that are taken unasked: saving a game takes 12 ms."""

_MOST_ASKED = 12
"""States that a person asked for; one more takes the oldest one's place."""


_SAVED = ("number", "env_index", "episode_steps", "place", "episode", "kept_s", "slot")
"""What a checkpoint says of a state, in this order."""

_Kept = tuple[KeptState, bytes]
"""A state and its snapshot."""


class KeptStates:
    """The last snapshots that were taken unasked, and apart from them those asked for.

    A checkpoint holds those asked for; the others end with the process.

    Args:
        most: How many are taken unasked; 0: none.
        interval: Steps of an episode between two of them, more where steps are fast. Milestones
            bring more, where they are not as fast.
        clock: Seconds that only rise.
        now: Seconds since 1970.

    Attributes:
        write: Writes the file of a state that a person keeps; None: it is in memory alone.
    """

    def __init__(
        self,
        most: int,
        interval: int,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.write: Callable[[KeptState, bytes], Path] | None = None
        self._interval = interval
        self._clock = clock
        self._now = now
        self._due_s = 0.0
        self._automatic: deque[_Kept] = deque(maxlen=most)
        self._asked: deque[_Kept] = deque(maxlen=_MOST_ASKED)
        self._slots: dict[int, _Kept] = {}
        self._number = 0
        self._last_steps = 0

    @property
    def listed(self) -> StatesKept:
        """Return what there is, oldest first."""
        return StatesKept(tuple(state for _, (state, _) in sorted(self._by_number.items())))

    def follow(
        self, vector: Snapshots, batch: Batch, env_index: int, steps: int, episode: int
    ) -> bool:
        """Keep the watched environment's state if it is time; return whether it was.

        The environments are still in the batch's state. `steps` are of the watched one's episode;
        `episode` is how many have ended.
        """
        has_stepped, self._last_steps = steps != self._last_steps, steps
        is_wanted = (steps > 0 and steps % self._interval == 0) or env_index in batch.reached
        if not (self._automatic.maxlen and has_stepped and is_wanted):
            return False
        if self._clock() < self._due_s:  # who wins in a second reaches ten milestones in it
            return False
        self._due_s = self._clock() + _SHORTEST_S
        with contextlib.suppress(WorkerError):  # the next step replaces the process, with a warning
            self._automatic.append(self._take(vector, env_index, steps, episode, is_asked=False))
            return True
        return False

    def keep(
        self, vector: Snapshots, env_index: int, steps: int, episode: int, slot: int = 0
    ) -> _Kept:
        """Keep a state that a person asks for; return it and its snapshot, or raise WorkerError.

        `slot`: in place of what that slot held; 0: in none.
        """
        state, snapshot = self._take(vector, env_index, steps, episode, is_asked=True)
        kept = replace(state, slot=slot), snapshot
        if slot:
            self._slots[slot] = kept
        else:
            self._asked.append(kept)
        return kept

    def in_slot(self, slot: int) -> _Kept | None:
        """Return a slot's state and its snapshot, None if it is empty."""
        return self._slots.get(slot)

    def find(self, number: int) -> _Kept | None:
        """Return a state and its snapshot, None if it is not kept."""
        return self._by_number.get(number)

    def save(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Return JSON-able facts, and snapshots by number, from which `load` continues."""
        asked = (*self._asked, *self._slots.values())
        rows = [[getattr(state, name) for name in _SAVED] for state, _ in asked]
        snapshots = {str(state.number): snapshot for state, snapshot in asked}
        return {"number": self._number, "asked": rows}, snapshots

    def load(self, facts: Mapping[str, Any], snapshots: Mapping[str, bytes]) -> None:
        """Restore the state that `save` returned."""
        self._number = int(facts["number"])
        self._automatic.clear()
        self._asked.clear()
        self._slots.clear()
        for row in facts["asked"]:
            values = dict(zip(_SAVED, row, strict=False))  # older ones lack the last
            state = KeptState(
                int(values["number"]),
                int(values["env_index"]),
                int(values["episode_steps"]),
                str(values["place"]),
                is_asked=True,
                episode=int(values.get("episode", 0)),
                kept_s=float(values.get("kept_s", 0.0)),
                slot=int(values.get("slot", 0)),
            )
            kept = state, snapshots[str(state.number)]
            if state.slot:
                self._slots[state.slot] = kept
            else:
                self._asked.append(kept)

    @property
    def _by_number(self) -> dict[int, _Kept]:
        kept = (*self._automatic, *self._asked, *self._slots.values())
        return {one[0].number: one for one in kept}

    def _take(
        self, vector: Snapshots, env_index: int, steps: int, episode: int, *, is_asked: bool
    ) -> _Kept:
        snapshot, place = vector.snapshot(env_index), vector.place(env_index)
        self._number += 1
        state = KeptState(self._number, env_index, steps, place, is_asked, episode, self._now())
        return state, snapshot


def write_state(folder: Path, sha1: str, state: KeptState, snapshot: bytes) -> Path:
    """Write a state of the ROM with this SHA-1 where `poketui run --state` can begin from it.

    Returns:
        Its path; no other file is ever overwritten.

    Raises:
        OSError: The disk is full or not writable.
    """
    place = re.sub(r"[^a-z0-9]+", "-", state.place.lower()).strip("-") or "somewhere"
    make_subfolder(folder)
    path = folder / f"{state.number:04d}-{place}.state"
    for again in range(2, 1000):
        if not path.exists():
            break
        path = folder / f"{state.number:04d}-{place}-{again}.state"
    _, machine = unpack_env(snapshot)
    write_file(path, pack_state(sha1, machine))
    return path
