"""Run in worlds that lack a power: do without it, or say why something cannot be done."""

import inspect
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from engine import commands
from engine.env.batch import Batch
from engine.errors import WorkerError
from engine.world import (
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
    """Return why a world without a power cannot do what a command asks, "" if it can."""
    power, text = _NEEDED.get(type(command), (object, ""))
    own = world.world if isinstance(world, _Completed) else world
    return "" if isinstance(own, power) else f"This world cannot {text}."


def with_powers(world: World, batch: Batch) -> FullWorld:
    """Return a world that stands in for the powers that it lacks, or the same if it lacks none.

    `batch` is what it last returned.
    """
    lacks_none = all(isinstance(world, power) for power in POWERS)
    return cast(FullWorld, world if lacks_none else _Completed(world, batch))


class _Completed:
    """A world, and for each power that it lacks what does nothing or says that it lacks it."""

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
        """Return nothing of any environment."""
        return [b""] * self.world.num_envs

    def load(self, states: Sequence[bytes]) -> Batch:
        """Continue from where the environments are: at the start of episodes, in a resumed run."""
        return self._last

    def mend(self) -> Batch:
        """Replace nothing: rewards and ends are those of the step before, so they are left out."""
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
        """Show, ask and change nothing; whoever wants something else is refused before."""

    watch = inspect = update_planner = question = override = _do_without

    def _cannot(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise WorkerError("This world cannot do that.")

    step_one = play_frames = count_frames = record = draw_games = pictures = _cannot
    snapshot = place = begin_now = _cannot
