"""Say what a worker process and the trainer need of an environment: plain arrays, and advice."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.env.demo_requests import DemoEnded, DemoFacts, DemoRequest
from engine.planning_types import GoalOutcome, PlannerUpdate, PlanningQuery, UserOverrides
from engine.types import (
    Advice,
    EpisodeSummary,
    Frame,
    GameState,
    Goal,
    GoalTally,
    RewardBreakdown,
)


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a watched environment shows.

    Attributes:
        frame: None where nobody wants pictures.
        breakdown: The last step's reward.
        goal: What its advisor wants, if it has one.
        reason: Why, in one line.
        milestones: Keys reached in this episode.
        episode: This episode's reward so far by component.
        paid: What was paid since the last look, with all causes.
        path: Tiles (x, y) of this map on the way to the goal, the next one first.
        visited: (height, width) bool, tiles of this map that the episode has stood on; None where
            nobody wants pictures.
    """

    frame: Frame | None
    state: GameState
    breakdown: RewardBreakdown
    goal: Goal | None = None
    reason: str = ""
    milestones: frozenset[str] = frozenset()
    episode: tuple[tuple[str, float], ...] = ()
    paid: RewardBreakdown | None = None
    path: tuple[tuple[int, int], ...] = ()
    visited: NDArray[np.bool_] | None = None


class Advisor(Protocol):
    """Suggests actions from the game's state alone."""

    def reset(self, state: GameState) -> None:
        """Start an episode at `state`."""
        ...

    def advise(self, state: GameState, mask: NDArray[np.bool_]) -> Advice | None:
        """Return what to do now, None when there is nothing to say."""
        ...

    def outcomes(self) -> tuple[GoalTally, ...]:
        """Return how the episode's goals went, as if it ended now."""
        ...

    def save(self) -> Any:
        """Return what it remembers, JSON-able."""
        ...

    def restore(self, saved: Any) -> None:
        """Put back what `save` returned."""
        ...


@runtime_checkable
class PlannerAdvisor(Advisor, Protocol):
    """An advisor that follows a planner's plans and asks for them."""

    @property
    def goal_source(self) -> str:
        """Return who set the goal that the last advice serves."""
        ...

    @property
    def wants_plan(self) -> bool:
        """Return whether `question` has something to ask."""
        ...

    def update_planner(self, update: PlannerUpdate) -> None:
        """Take in plans, from the next advice on."""
        ...

    def prioritise_milestone(self, milestone: str) -> None:
        """Let the rules pursue a milestone before all others, from the next advice on."""
        ...

    def path(self, state: GameState) -> tuple[tuple[int, int], ...]:
        """Return the tiles of this map on the way that the last advice serves, next first."""
        ...

    def question(self) -> PlanningQuery | None:
        """Return what to ask the planner, once; None when there is nothing."""
        ...

    def take_goal_outcomes(self) -> tuple[GoalOutcome, ...]:
        """Return the outcome of plans since the last time."""
        ...


_PUBLISHED = "_is_published"
_F = TypeVar("_F", bound=Callable[..., Any])


def _published(method: _F) -> _F:
    """Mark a method of `ArrayEnv` after which the environment shows something else."""
    setattr(method, _PUBLISHED, True)
    return method


class ArrayEnv(Protocol):
    """One environment as a worker steps it.

    Its methods can be called from the trainer (`ArrayWorld.call`): what is added here and to an
    environment needs no code between them.

    Attributes:
        features: (F,) float32, of now.
        mask: (A,) bool, False for actions of no use now.
        prior: (A,) float32, the advisor's suggestion, all zero when it has none.
        confidence: The advisor's, 0 to 1.
        nearness: Of its goal, 0 to 1, nan where that is not known.
    """

    feature_size: int
    component_names: tuple[str, ...]
    milestone_keys: tuple[str, ...]
    features: NDArray[np.float32]
    mask: NDArray[np.bool_]
    prior: NDArray[np.float32]
    confidence: float
    nearness: float

    @property
    def goal_kind(self) -> int:
        """Return the kind of the goal that the suggestion serves, as place in `GoalKind`."""
        ...

    @property
    def goal_source(self) -> int:
        """Return who set that goal, as place in `PlannerUpdate.goal_sources`."""
        ...

    @property
    def wants_plan(self) -> bool:
        """Return whether `question` has something to ask."""
        ...

    @property
    def milestone(self) -> str:
        """Return the milestone that the last step reached, "" if it reached none."""
        ...

    @property
    def steps_from_start(self) -> int:
        """Return the steps since the true start, over all episodes that led here."""
        ...

    @property
    def is_walking(self) -> bool:
        """Return whether the player can walk; else a battle, menu, text or scene has the say."""
        ...

    @property
    def place(self) -> str:
        """Return the name of the map."""
        ...

    @property
    def reward_weights(self) -> tuple[tuple[str, float], ...]:
        """Return (component, weight) as they count now."""
        ...

    @property
    def frames_per_s(self) -> float:
        """Return as fast as the game runs on its own machine."""
        ...

    @property
    def can_record(self) -> bool:
        """Return whether what is played can be kept as demonstrations."""
        ...

    @property
    def pixels(self) -> NDArray[np.uint8] | None:
        """Return the last frames, None where nobody wants them."""
        ...

    def render(self, shows: bool) -> None:
        """Draw the next steps' pictures, if they are watched at all, or leave them out."""
        ...

    def watch(self, is_watched: bool, *, renders: bool = True) -> None:
        """Collect payments for `inspect` from now on, or no more; render for it, or not."""
        ...

    def update_planner(self, update: PlannerUpdate) -> None:
        """Tell the advisor of plans."""
        ...

    def override(self, overrides: UserOverrides) -> None:
        """Do what a person wants, from the next step on."""
        ...

    @_published
    def question(self) -> PlanningQuery | None:
        """Return what the advisor asks the planner, once; None when there is nothing."""
        ...

    def take_goal_outcomes(self) -> tuple[GoalOutcome, ...]:
        """Return the outcome of plans since the last time."""
        ...

    @_published
    def record(self, order: DemoRequest) -> DemoFacts:
        """Do what is asked about the demonstration that is kept; say how it stands then.

        Raises:
            DemoError: It cannot be done; all is as it was.
        """
        ...

    def take_demos(self) -> tuple[DemoEnded, ...]:
        """Return the demonstrations that steps brought to their end since the last time."""
        ...

    @_published
    def begin(self, seed: int | None = None) -> None:
        """Start an episode; without a seed the random numbers continue."""
        ...

    def snapshot(self) -> bytes:
        """Return the current game, for `reset_from`."""
        ...

    def reset_from(self, milestone: str, snapshot: bytes) -> None:
        """Let the next episode, and only that, begin at an archived snapshot."""
        ...

    @_published
    def begin_now(self, snapshot: bytes = b"") -> None:
        """Leave this episode and begin another: from the true start, or at a snapshot."""
        ...

    def step(self, action: int) -> tuple[float, bool, bool]:
        """Act; return reward, terminated, truncated. The arrays are then those of now."""
        ...

    @_published
    def play_frames(self, buttons: frozenset[int], frames: int, *, render: bool) -> Frame | None:
        """Let the game run with `buttons` down; `count_frames` reads the result.

        Returns:
            The picture after the last of them, if it was rendered and the environment is watched
            with its frames.
        """
        ...

    def count_frames(self, *, is_over: bool) -> tuple[float, bool, bool]:
        """Take in the result of live frames; return what `step` returns.

        Args:
            is_over: First let go of all buttons and let what has begun come to its end.
        """
        ...

    def summary(self) -> EpisodeSummary:
        """Return the episode so far."""
        ...

    def inspect(self) -> Inspection:
        """Return what to show, and start collecting payments anew."""
        ...

    def save(self) -> bytes:
        """Return the whole environment."""
        ...

    @_published
    def restore(self, saved: bytes) -> None:
        """Put back what `save` returned."""
        ...

    def close(self) -> None:
        """Free the emulator."""
        ...


def public_methods(kind: type) -> frozenset[str]:
    """Return the names of the public methods that a class itself declares."""
    methods = inspect.getmembers(kind, inspect.isfunction)
    return frozenset(name for name, _ in methods if not name.startswith("_"))


ENV_METHODS = public_methods(ArrayEnv)
"""What can be called on an environment from the trainer."""
PUBLISHED_METHODS = frozenset(
    name for name in ENV_METHODS if hasattr(getattr(ArrayEnv, name), _PUBLISHED)
)
"""After these the environment's arrays are published."""


@dataclass(frozen=True, slots=True)
class EnvFacts:
    """What is the same in all environments of a run.

    Attributes:
        feature_size: F, the length of a feature vector.
        num_actions: A.
        pixels_shape: Of the last frames, uint8; None where nobody wants them.
        component_names: Reward components in order.
        milestone_keys: The game's milestones in order.
        reward_weights: (component, weight) as the environments were made.
        can_record: What is played can be kept as demonstrations.
        frames_per_s: As fast as the game runs on its own machine.
    """

    feature_size: int
    num_actions: int
    pixels_shape: tuple[int, ...] | None
    component_names: tuple[str, ...]
    milestone_keys: tuple[str, ...]
    reward_weights: tuple[tuple[str, float], ...]
    can_record: bool
    frames_per_s: float

    @classmethod
    def of(cls, env: ArrayEnv) -> "EnvFacts":
        """Return what an environment says of itself."""
        return cls(
            env.feature_size,
            len(env.mask),
            None if env.pixels is None else env.pixels.shape,
            env.component_names,
            env.milestone_keys,
            env.reward_weights,
            env.can_record,
            env.frames_per_s,
        )
