"""Say what a worker process and the trainer need of an environment: plain arrays, and advice."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.env.demo_orders import DemoEnded, DemoFacts, DemoOrder
from engine.plans import Directions, Orders, Situation, Verdict
from engine.types import (
    Action,
    Advice,
    EpisodeSummary,
    Frame,
    GameState,
    Goal,
    GoalKind,
    GoalTally,
    RewardBreakdown,
)


@dataclass(frozen=True, slots=True)
class Watched:
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
class DirectedAdvisor(Advisor, Protocol):
    """An advisor that follows a planner's plans and asks for them."""

    @property
    def setter(self) -> str:
        """Return who set the goal that the last advice serves."""
        ...

    @property
    def wants_plan(self) -> bool:
        """Tell whether `question` has something to ask."""
        ...

    def direct(self, directions: Directions) -> None:
        """Take in plans, from the next advice on."""
        ...

    def pursue_first(self, milestone: str) -> None:
        """Let the rules pursue a milestone before all others, from the next advice on."""
        ...

    def path(self, state: GameState) -> tuple[tuple[int, int], ...]:
        """Return the tiles of this map on the way that the last advice serves, next first."""
        ...

    def question(self) -> Situation | None:
        """Return what to ask the planner, once; None when there is nothing."""
        ...

    def take_verdicts(self) -> tuple[Verdict, ...]:
        """Return what became of plans since the last time."""
        ...


class ArrayEnv(Protocol):
    """One environment as a worker steps it.

    Attributes:
        features: (F,) float32, of now.
        mask: (9,) bool, False for actions of no use now.
        prior: (9,) float32, the advisor's suggestion, all zero when it has none.
        confidence: The advisor's, 0 to 1.
        nearness: Of its goal, 0 to 1, nan where that is not known.
        goal_kind: Of the goal that the suggestion serves.
        setter: Who set that goal, as place in `Directions.setters`.
        wants_plan: `question` has something to ask.
        milestone: Key of the milestone that the last step reached, "" if it reached none.
        steps_from_start: Steps since the game's true start, also where episodes lie between.
        is_walking: The player can walk; else a battle, menu, text or scene has the say.
        place: Name of the map.
        reward_weights: (component, weight) as they count now.
        can_record: What is played can be kept as demonstrations.
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
    def goal_kind(self) -> GoalKind:
        """Return the kind of the goal that the suggestion serves."""
        ...

    @property
    def setter(self) -> int:
        """Return who set that goal."""
        ...

    @property
    def wants_plan(self) -> bool:
        """Tell whether the planner is to be asked."""
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
        """Tell whether the player can walk."""
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
    def can_record(self) -> bool:
        """Tell whether what is played can be kept as demonstrations."""
        ...

    @property
    def pixels(self) -> NDArray[np.uint8] | None:
        """Return the last frames, None where nobody wants them."""
        ...

    def render(self, shows: bool) -> None:
        """Draw the next steps' pictures, if they are watched at all, or leave them out."""
        ...

    def watch(self, is_watched: bool, *, renders: bool = True) -> None:
        """Collect payments for `watched` from now on, or no more; render for it, or not."""
        ...

    def direct(self, directions: Directions) -> None:
        """Tell the advisor of plans."""
        ...

    def order(self, orders: Orders) -> None:
        """Do what a person wants, from the next step on."""
        ...

    def question(self) -> Situation | None:
        """Return what the advisor asks the planner, once; None when there is nothing."""
        ...

    def take_verdicts(self) -> tuple[Verdict, ...]:
        """Return what became of plans since the last time."""
        ...

    def record(self, order: DemoOrder) -> DemoFacts:
        """Do what is asked about the demonstration that is kept; say how it stands then.

        Raises:
            DemoError: It cannot be done; all is as it was.
        """
        ...

    def take_demos(self) -> tuple[DemoEnded, ...]:
        """Return the demonstrations that steps brought to their end since the last time."""
        ...

    def begin(self, seed: int | None = None) -> None:
        """Start an episode; without a seed the random numbers go on."""
        ...

    def moment(self) -> bytes:
        """Return the game of now, for `begin_next_from`."""
        ...

    def begin_next_from(self, milestone: str, moment: bytes) -> None:
        """Let the next episode, and only that, begin at an archived moment."""
        ...

    def begin_now(self, moment: bytes = b"") -> None:
        """Leave this episode and begin another: from the true start, or at a moment."""
        ...

    def step(self, action: int) -> tuple[float, bool, bool]:
        """Act; return reward, terminated, truncated. The arrays are then those of now."""
        ...

    def play_frames(self, buttons: frozenset[Action], frames: int, *, render: bool) -> None:
        """Let the game run with `buttons` down; `count_frames` reads what came of it."""
        ...

    def live_frame(self) -> Frame | None:
        """Return the picture after live frames, None where nobody wants pictures."""
        ...

    def count_frames(self, *, is_over: bool) -> tuple[float, bool, bool]:
        """Take in what came of live frames; return what `step` returns.

        Args:
            is_over: First let go of all buttons and let what has begun come to its end.
        """
        ...

    def summary(self) -> EpisodeSummary:
        """Return the episode so far."""
        ...

    def watched(self) -> Watched:
        """Return what to show, and start collecting payments anew."""
        ...

    def save(self) -> bytes:
        """Return the whole environment."""
        ...

    def restore(self, saved: bytes) -> None:
        """Put back what `save` returned."""
        ...

    def close(self) -> None:
        """Free the emulator."""
        ...
