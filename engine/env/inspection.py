"""Define what an environment shows of itself."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.types import AntiStuckStatus, Frame, GameState, Goal, MapId, RewardBreakdown


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a watched environment shows.

    Attributes:
        frame: None where nobody wants pictures.
        breakdown: The last step's reward.
        goal: What its advisor wants, if it has one.
        reason: Why, in one line.
        milestones: Keys reached in this episode.
        final_milestone: Key of the one that ends the episode, "" if none does.
        episode: This episode's reward so far by component.
        paid: What was paid since the last look, with all causes.
        path: Tiles (x, y) of this map on the way to the goal, the next one first.
        visited: (height, width) bool, tiles of this map that the episode has stood on; None where
            nobody wants pictures.
        route: The way beyond this map to the goal: for each map on it, tiles (x, y) in order.
        anti_stuck: How the episode gets on; None where nobody knows.
    """

    frame: Frame | None
    state: GameState
    breakdown: RewardBreakdown
    goal: Goal | None = None
    reason: str = ""
    milestones: frozenset[str] = frozenset()
    final_milestone: str = ""
    episode: tuple[tuple[str, float], ...] = ()
    paid: RewardBreakdown | None = None
    path: tuple[tuple[int, int], ...] = ()
    visited: NDArray[np.bool_] | None = None
    route: tuple[tuple[MapId, tuple[tuple[int, int], ...]], ...] = ()
    anti_stuck: AntiStuckStatus | None = None
