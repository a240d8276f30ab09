"""Say what comes of stepping many environments at once, and what whoever steps them can do."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.env.array_env import Watched
from engine.env.demo_orders import DemoEnded, DemoFacts, DemoOrder
from engine.plans import Directions, Orders, Situation, Verdict
from engine.types import Action, EpisodeSummary, Frame


@dataclass(frozen=True, slots=True)
class Batch:
    """All environments after a step: N of them, F features. The arrays are copies.

    Where an episode ended, the observation is already that of the next one.

    Attributes:
        features: (N, F) float32.
        mask: (N, 9) bool, False for actions of no use.
        prior: (N, 9) float32, the advisor's suggestion; all zero without one.
        advice_confidence: (N,) float32, 0 to 1.
        rewards: (N,) float32.
        terminated: (N,) bool.
        truncated: (N,) bool.
        final_features: (N, F) float32, the last features of episodes that ended, else 0; where a
            process failed, the last that are known.
        summaries: Of the episodes that ended, by environment. Those that a failed process took
            down say so (`is_aborted`); they are truncated, with reward 0.
        warnings: A line for each process that was replaced.
        goal_kinds: (N,) int64, what kind of goal the advice serves, as its place in `GoalKind`;
            or one number for all.
        reached: Milestone of an environment's last step, and the steps that led to it from the true
            start, by environment; none where the episode ended.
        pixels: (N, *PIXELS_SHAPE) uint8; None unless `RunConfig.needs_pixels`.
        final_pixels: As `final_features`, of pixels.
        setters: (N,) int64, who set the goal that the advice serves, as place in
            `Directions.setters`: 0 is the rules; or one number for all.
        wants_plan: (N,) bool, `question` has something to ask; or one for all.
        verdicts: What became of the planner's goals, as far as it showed with this step.
        nearness: (N,) float32, of the goal that the advice serves, 0 to 1, nan where that is not
            known; or one for all.
        shaping: (N,) float32, what is learnt from besides `rewards` (`engine.training.shaping`); or
            one for all.
        is_walking: (N,) bool, the player can walk; or one for all.
        demos: Demonstrations that this step brought to their end.
    """

    features: NDArray[np.float32]
    mask: NDArray[np.bool_]
    prior: NDArray[np.float32]
    advice_confidence: NDArray[np.float32]
    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final_features: NDArray[np.float32]
    summaries: dict[int, EpisodeSummary] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    goal_kinds: NDArray[np.int64] = field(default_factory=lambda: np.zeros((), np.int64))
    reached: dict[int, tuple[str, int]] = field(default_factory=dict)
    pixels: NDArray[np.uint8] | None = None
    final_pixels: NDArray[np.uint8] | None = None
    setters: NDArray[np.int64] = field(default_factory=lambda: np.zeros((), np.int64))
    wants_plan: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((), np.bool_))
    verdicts: tuple[Verdict, ...] = ()
    nearness: NDArray[np.float32] = field(default_factory=lambda: np.full((), np.nan, np.float32))
    shaping: NDArray[np.float32] = field(default_factory=lambda: np.zeros((), np.float32))
    is_walking: NDArray[np.bool_] = field(default_factory=lambda: np.ones((), np.bool_))
    demos: tuple[DemoEnded, ...] = ()

    @property
    def lessons(self) -> NDArray[np.float32]:
        """Return (N,) what is learnt from: rewards and shaping."""
        return self.rewards + self.shaping


class Playable(Protocol):
    """Environments that step together, as far as whoever only plays them must know.

    Attributes:
        num_envs: Environments.
    """

    num_envs: int

    def reset(self, seeds: Sequence[int]) -> Batch:
        """Start an episode everywhere."""
        ...

    def step(self, actions: NDArray[np.int64]) -> Batch:
        """Take (N,) actions, each in its environment."""
        ...


class Vector(Protocol):
    """Environments that step together, wherever they run; `VectorEnv` says what each does.

    Attributes:
        num_envs: Environments.
        feature_size: F, the length of a feature vector.
        reward_weights: (component, weight) as the environments were made.
        can_record: What is played can be kept as demonstrations.
    """

    num_envs: int
    feature_size: int
    reward_weights: tuple[tuple[str, float], ...]
    can_record: bool

    def reset(self, seeds: Sequence[int]) -> Batch:
        """Start an episode everywhere."""
        ...

    def step(self, actions: NDArray[np.int64], *, shows: bool = True) -> Batch:
        """Take (N,) actions, each in its environment; `shows`: `observed` is asked next."""
        ...

    def step_one(self, index: int, action: int) -> Batch:
        """Take an action in one environment."""
        ...

    def play_frames(
        self, index: int, buttons: frozenset[Action], frames: int, *, shows: bool
    ) -> Frame | None:
        """Let one game run with `buttons` down; return its picture if it is watched and `shows`."""
        ...

    def count_frames(self, index: int, *, is_over: bool) -> Batch:
        """Take in what came of live frames in one environment."""
        ...

    def mend(self) -> Batch:
        """Replace what failed, and return everything as it is now."""
        ...

    def moment(self, index: int) -> bytes:
        """Return the game of an environment as it is now."""
        ...

    def begin_next_from(self, index: int, milestone: str, moment: bytes) -> None:
        """Let the next episode of an environment begin at an archived moment."""
        ...

    def begin_now(self, index: int, moment: bytes = b"") -> Batch:
        """Leave an environment's episode and begin another, from the true start or a moment."""
        ...

    def record(self, index: int, order: DemoOrder) -> DemoFacts:
        """Do what is asked about the demonstration that is kept of an environment.

        Where that takes it back to an earlier step, `mend` returns what is seen there.
        """
        ...

    def place(self, index: int) -> str:
        """Return the name of the map that an environment is on."""
        ...

    def direct(self, directions: Directions) -> None:
        """Tell every environment of the planner's plans."""
        ...

    def order(self, orders: Orders) -> None:
        """Tell every environment what a person wants."""
        ...

    def question(self, index: int) -> Situation | None:
        """Return what an environment asks the planner, once; None when there is nothing."""
        ...

    def watch(self, index: int | None, *, renders: bool = True) -> None:
        """Let `observed` show this environment, with its frames or without."""
        ...

    def observed(self) -> Watched | None:
        """Return what the watched environment shows, None if nothing changed since last time."""
        ...

    def save(self) -> list[bytes]:
        """Return every environment wholly, for a checkpoint."""
        ...

    def load(self, states: Sequence[bytes]) -> Batch:
        """Put every environment back as saved."""
        ...

    def close(self) -> None:
        """Free what was made for it."""
        ...
