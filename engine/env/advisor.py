"""Define what advises an environment."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.planning_types import GoalOutcome, PlannerUpdate, PlanningQuery
from engine.types import Advice, GameState, GoalTally, MapId


class Advisor(Protocol):
    """Suggests actions from the game's state alone."""

    def reset(self, state: GameState) -> None:
        """Start an episode at `state`."""
        ...

    def advise(self, state: GameState, mask: NDArray[np.bool_]) -> Advice | None:
        """Return what to do now, None without advice."""
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

    def route(self, state: GameState) -> tuple[tuple[MapId, tuple[tuple[int, int], ...]], ...]:
        """Return the way beyond this map that the last advice serves, tiles by map."""
        ...

    def question(self) -> PlanningQuery | None:
        """Return what to ask the planner, once; None when there is nothing."""
        ...

    def take_goal_outcomes(self) -> tuple[GoalOutcome, ...]:
        """Return the outcome of plans since the last time."""
        ...
