"""Hold a run's state: the games, what was counted of them, and snapshots to branch from."""

import contextlib
import inspect
import math
import re
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from engine import commands
from engine.config import RunConfig
from engine.curriculum.archive import StateArchive
from engine.curriculum.starts import EpisodeStarts, WayToGoal
from engine.env.batch import Batch
from engine.env.start_states import pack_state, unpack_env
from engine.env.world import (
    POWERS,
    FullWorld,
    Inspectable,
    LivePlay,
    Overrides,
    Overview,
    Recording,
    SingleSteps,
    Snapshots,
    World,
)
from engine.errors import WorkerError
from engine.events import KeptState, StatesKept
from engine.games.base import Game
from engine.ground.files import make_subfolder, write_file
from engine.loop.metrics import RunMetrics
from engine.planning.rules.goals import known_goals

_NEEDED: dict[type, tuple[type, str]] = {
    commands.Watch: (Inspectable, "be watched"),
    commands.ShowGames: (Overview, "show several games"),
    commands.TakeOver: (SingleSteps, "be played by hand"),
    commands.Press: (SingleSteps, "be played by hand"),
    commands.PlayLive: (LivePlay, "run in real time"),
    commands.Restart: (Snapshots, "restart episodes"),
    commands.KeepState: (Snapshots, "save states"),
    commands.Branch: (Snapshots, "save states"),
    commands.SaveSlot: (Snapshots, "save states"),
    commands.LoadSlot: (Snapshots, "save states"),
    commands.SetGoal: (Overrides, "change its goal while running"),
    commands.SetMode: (Overrides, "change its mode while running"),
    commands.SetWeight: (Overrides, "change its rewards while running"),
    commands.StartRecording: (Recording, "be recorded"),
}


def refusal(world: World, command: commands.Command) -> str:
    """Return why a world lacks the power that a command needs, "" if it has it."""
    power, text = _NEEDED.get(type(command), (object, ""))
    own = world.world if isinstance(world, _Completed) else world
    return "" if isinstance(own, power) else f"This world cannot {text}."


def with_powers(world: World, batch: Batch) -> FullWorld:
    """Return a world with stand-ins for the powers that it lacks; `batch` is its last one."""
    lacks_none = all(isinstance(world, power) for power in POWERS)
    return cast(FullWorld, world if lacks_none else _Completed(world, batch))


class _Completed:
    """A world with methods for the powers that it lacks, which do nothing or raise."""

    can_record = False
    frames_per_s = math.nan

    def __init__(self, world: World, batch: Batch) -> None:
        self.world = world
        self._last = batch
        self._shows = isinstance(world, Inspectable)
        for power in POWERS:
            if isinstance(world, power):
                for name, _ in inspect.getmembers(power, inspect.isfunction):
                    if not name.startswith("_") and name != "step":
                        setattr(self, name, getattr(world, name))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.world, name)

    def reset(self, seeds: Sequence[int]) -> Batch:
        self._last = self.world.reset(seeds)
        return self._last

    def step(self, actions: NDArray[np.int64], *, shows: bool = True) -> Batch:
        step: Any = self.world.step
        self._last = step(actions, shows=shows) if self._shows else step(actions)
        return self._last

    def save(self) -> list[bytes]:
        """Return an empty state for each environment."""
        return [b""] * self.world.num_envs

    def load(self, states: Sequence[bytes]) -> Batch:
        """Keep the environments where they are: in a resumed run, at the start of episodes."""
        return self._last

    def mend(self) -> Batch:
        """Return the last batch without rewards and ends, which are those of the step before."""
        nothing = np.zeros(self.world.num_envs)
        return replace(
            self._last,
            rewards=nothing.astype(np.float32),
            terminated=nothing.astype(np.bool_),
            truncated=nothing.astype(np.bool_),
            summaries={},
            reached={},
        )

    def _do_without(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing; commands that need the power are refused before (`refusal`)."""

    watch = inspect = update_planner = question = override = _do_without

    def _cannot(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise WorkerError("This world cannot do that.")

    step_one = play_frames = count_frames = record = draw_games = pictures = _cannot
    snapshot = place = begin_now = _cannot


_SHORTEST_S = 2.0
"""Least time between two automatic snapshots, each of which takes 12 ms."""

_MOST_ASKED = 12
"""States that a person asked for; another one replaces the oldest."""


_SAVED = ("number", "env_index", "episode_steps", "place", "episode", "kept_s", "slot")
"""Fields of a state in a checkpoint, in this order."""

_Kept = tuple[KeptState, bytes]
"""A state and its snapshot."""


class KeptStates:
    """Snapshots of the watched game to branch from: the last automatic ones, and those asked for.

    A checkpoint holds those asked for; the others end with the process.

    Args:
        most: How many automatic ones are kept; 0: none.
        interval: Steps of an episode between two of them, more where steps are fast. There is also
            one at each milestone, unless they come too fast.
        clock: Seconds that only rise.
        now: Seconds since 1970.

    Attributes:
        write: Writes the file of a state that a person keeps; None: none is written.
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
        """Return all kept states, oldest first."""
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
        if self._clock() < self._due_s:  # a fast episode reaches ten milestones in a second
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
    """Write a state of the ROM with this SHA-1 for `poketui run --state`.

    Returns:
        Its path, which was free.

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


class EpisodeTally:
    """What was counted in each environment's current episode.

    Attributes:
        steps: (envs,) int64.
        planned_steps: (envs,) int64, actions for which the planner made the difference.
        llm_steps: (envs,) int64, those of them for which a language model did.
        is_touched: (envs,) bool, a person acted in it, and it does not count.
    """

    def __init__(self, num_envs: int) -> None:
        self.steps, self.planned_steps, self.llm_steps = np.zeros((3, num_envs), np.int64)
        self.is_touched = np.zeros(num_envs, np.bool_)

    def reset(self, env_index: int) -> None:
        """Begin an episode."""
        self.steps[env_index] = self.planned_steps[env_index] = self.llm_steps[env_index] = 0
        self.is_touched[env_index] = False


class RunState:
    """The state of a run; at first before its first step.

    Attributes:
        batch: What the last step led to.
        starts: Where episodes begin.
        kept_states: States of the watched game for a person to branch from.
        milestone_texts: Of the game, by key.
        way: The milestones to the run's goal.
        known_goals: Keys of the milestones that the rule planner knows a way to.
        is_save_due: A checkpoint is to be written after this step.
    """

    def __init__(
        self, config: RunConfig, vector: World, batch: Batch, game: Game, clock: Callable[[], float]
    ) -> None:
        self.config = config
        self.vector = with_powers(vector, batch)
        self.batch = batch
        self.metrics = RunMetrics()
        self.tally = EpisodeTally(vector.num_envs)
        self.starts: EpisodeStarts = StateArchive(config.curriculum.archive_share, config.seed)
        self.kept_states = KeptStates(config.keep_states, config.keep_states_interval, clock)
        self.actions = game.actions
        self.milestone_texts = dict(game.milestones)
        self.known_goals = known_goals(game)
        self.way = WayToGoal(game.tables.MILESTONES, config.env.goal)
        self.is_save_due = False
