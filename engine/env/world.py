"""Say what can be trained in: a small `World`, and the powers that it may have beside.

Whatever can be reset and stepped in batches is trained in, an emulator or not. Watching, playing
by hand, saving and more are powers of their own: a run in a world that lacks one does without, and
a command that needs it is refused with the reason (`engine.training.state`).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.env.batch import Batch, Inspection
from engine.env.choices import DemoFacts, DemoRequest
from engine.planning_types import PlannerUpdate, PlanningQuery, UserOverrides
from engine.types import BRANCHED, Frame, SmallPicture


class Playable(Protocol):
    """Environments that step together: all that playing them needs."""

    num_envs: int
    """N, the environments."""

    def reset(self, seeds: Sequence[int]) -> Batch:
        """Start an episode everywhere; environment i draws its random numbers from seeds[i]."""

    def step(self, actions: NDArray[np.int64]) -> Batch:
        """Take (N,) actions, each in its environment; where an episode ends the next begins."""


@runtime_checkable
class Restarts(Protocol):
    """Single environments can begin anew, and stand still in a step: `STAND_STILL` is no action."""

    def restart(self, seeds: Mapping[int, int], *, patience: int = 0) -> Batch:
        """Start episodes in the environments of `seeds`; each draws its random numbers from its.

        The others stand still. What fails is replaced with the batch, as in a step.

        Args:
            seeds: By environment.
            patience: Steps without anything new after which these episodes are truncated; 0: the
                usual limits alone.
        """


class World(Playable, Protocol):
    """All that a run needs to train."""

    feature_size: int
    """F, the length of a feature vector."""
    num_actions: int
    """A; an action is a number from 0 to A - 1."""
    reward_weights: tuple[tuple[str, float], ...]
    """(component, weight) of what the rewards consist of."""

    def close(self) -> None:
        """Free what was made for it."""


@runtime_checkable
class Saving(Protocol):
    """Environments can be saved wholly: a resumed run continues bit for bit."""

    def save(self) -> list[bytes]:
        """Return every environment, for a checkpoint.

        Raises:
            WorkerError: A process failed; after `Replacement.mend` there is something to save.
        """

    def load(self, states: Sequence[bytes]) -> Batch:
        """Put every environment back as saved; return their observations, with no rewards.

        Raises:
            CheckpointError: A state is damaged or of another version.
        """


@runtime_checkable
class Inspectable(Protocol):
    """One environment can be watched."""

    def step(self, actions: NDArray[np.int64], *, shows: bool = True) -> Batch:
        """Take (N,) actions; `shows`: `inspect` is called next."""

    def watch(self, index: int | None, *, renders: bool = True) -> None:
        """Let `inspect` show this environment, with its frames or without; None: no one."""

    def inspect(self) -> Inspection | None:
        """Return what the watched environment shows, None if nothing changed since last time."""


@runtime_checkable
class Overview(Protocol):
    """Several environments can be shown at once, small."""

    def draw_games(self, indices: Collection[int]) -> None:
        """Draw the next step of these environments, for `pictures`."""

    def pictures(self, shrink: int) -> tuple[SmallPicture, ...]:
        """Return small pictures of what `draw_games` asked for, once.

        What no step has drawn meanwhile takes 20 ms each.
        """


@runtime_checkable
class SingleSteps(Protocol):
    """A person can act in one environment while the others stand still."""

    def step_one(self, index: int, action: int) -> Batch:
        """Take an action in one environment."""


@runtime_checkable
class KeepsChoosers(Protocol):
    """What is recorded says who chose each action."""

    def note_choosers(self, codes: NDArray[np.uint8]) -> None:
        """Record who chooses the next actions, (N,) of `engine.env.choices.code_of`."""


@runtime_checkable
class LivePlay(Protocol):
    """A person can play one environment in real time."""

    frames_per_s: float
    """As fast as the game runs on its own machine."""

    def play_frames(
        self, index: int, buttons: frozenset[int], frames: int, *, shows: bool
    ) -> Frame | None:
        """Let one game run with `buttons` down, from the first frame on and after the last.

        The others stand still.

        Returns:
            The picture of the last frame, if it `shows` and the environment is watched with frames.
        """

    def count_frames(self, index: int, *, is_over: bool) -> Batch:
        """Read the result of live frames in one environment: rewards, milestones, its end.

        The others stand still, with reward 0. If live play `is_over`, first let go of all buttons
        and let what has begun come to its end, so that an action can follow.
        """


@runtime_checkable
class Snapshots(Protocol):
    """Episodes can begin at a snapshot of an earlier one.

    Whatever returns no batch raises a WorkerError if the environment's process failed.
    """

    def snapshot(self, index: int) -> bytes:
        """Return the game of an environment as it is now."""

    def place(self, index: int) -> str:
        """Return the name of where an environment is."""

    def begin_now(
        self,
        index: int,
        snapshot: bytes = b"",
        start: str = BRANCHED,
        *,
        continues: bool = False,
        max_steps: int = 0,
    ) -> Batch:
        """Leave an environment's episode, which counts as aborted, and begin another.

        It begins at the snapshot, or at the true start. The other environments stand still.

        Args:
            index: The environment.
            snapshot: As `snapshot` returned it; b"": the true start.
            start: Names the snapshot in `EpisodeSummary.start`.
            continues: Let the snapshot's own episode continue, with the game's random state and all
                that it had reached and been paid for, instead of beginning one there.
            max_steps: Steps without a new milestone after which the episode is truncated; 0: the
                usual limit alone.
        """


@runtime_checkable
class PlannerGoals(Protocol):
    """Environments follow a planner's goals and ask for them."""

    def update_planner(self, update: PlannerUpdate) -> None:
        """Pass the planner's subgoals to every environment."""

    def question(self, index: int) -> PlanningQuery | None:
        """Return what an environment asks the planner, once; None when there is nothing."""


@runtime_checkable
class Overrides(Protocol):
    """A person can change goal, mode and reward weights while the run continues."""

    def override(self, overrides: UserOverrides) -> None:
        """Tell every environment what a person wants."""


@runtime_checkable
class Recording(Protocol):
    """What is played can be kept as demonstrations, if `can_record`."""

    can_record: bool

    def record(self, index: int, order: DemoRequest) -> DemoFacts:
        """Do what is asked about the demonstration that is kept of an environment.

        Where that takes it back to an earlier step, `Replacement.mend` returns what is seen there.

        Raises:
            DemoError: It cannot be done; all is as it was.
            WorkerError: Its process failed; the next step replaces it.
        """


@runtime_checkable
class Replacement(Protocol):
    """What fails is replaced."""

    def mend(self) -> Batch:
        """Replace what failed, and return everything as it is now."""


class FullWorld(
    Inspectable,
    Overview,
    Saving,
    SingleSteps,
    LivePlay,
    Snapshots,
    PlannerGoals,
    Overrides,
    Recording,
    Replacement,
    World,
    Protocol,
):
    """A world with all powers."""


POWERS = tuple(base for base in FullWorld.__bases__ if base not in (World, Protocol))
