"""Define the result of stepping many environments at once, and what one shows of itself."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.env.choices import DemoEnded
from engine.planning_types import GoalOutcome
from engine.types import (
    AntiStuckStatus,
    EpisodeSummary,
    Frame,
    GameState,
    Goal,
    MapId,
    RewardBreakdown,
)

_NO_BATTLE = -1


class Cell(NamedTuple):
    """A coarse place and progress, by which an archive of states finds them again.

    Attributes:
        group: Of the map.
        number: Of the map, in its group.
        column: x divided by the size of a cell.
        row: y likewise.
        reached: Count of milestones since power-on.
        party: Count of creatures.
        enemy: In a battle the quarters of health that the enemy has left, up to 4; else -1.
    """

    group: int
    number: int
    column: int
    row: int
    reached: int
    party: int
    enemy: int

    @property
    def map(self) -> tuple[int, int]:
        """Return group and number of the map."""
        return self.group, self.number


def cell_of(state: GameState, reached: int, tiles: int) -> Cell | None:
    """Return where a game is, in cells of so many tiles; None where nobody can act.

    Texts and menus have no cell: a state in one is left at once, or comes again.
    """
    if state.battle is None and not state.control.is_free:
        return None
    enemy = _NO_BATTLE
    if state.battle is not None:
        creature = state.battle.enemy
        if creature is None:
            return None
        enemy = -(-4 * creature.hp // max(1, creature.max_hp))
    place = state.place
    return Cell(
        place.map.group,
        place.map.number,
        place.x // tiles,
        place.y // tiles,
        reached,
        len(state.party),
        enemy,
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


STAND_STILL = -1
"""Given as an action, it leaves the environment as it is."""


@dataclass(slots=True)
class Outcome:
    """What happened in a step beside what the arrays hold; `Batch` documents the fields."""

    summaries: dict[int, EpisodeSummary] = field(default_factory=dict)
    reached: dict[int, tuple[str, int]] = field(default_factory=dict)
    goal_outcomes: list[GoalOutcome] = field(default_factory=list)
    demos: list[DemoEnded] = field(default_factory=list)
    cells: dict[int, tuple[int, Cell]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(
            self.summaries or self.reached or self.goal_outcomes or self.demos or self.cells
        )

    def add(self, other: "Outcome") -> None:
        """Add what happened in other environments."""
        self.summaries |= other.summaries
        self.reached |= other.reached
        self.goal_outcomes += other.goal_outcomes
        self.demos += other.demos
        self.cells |= other.cells


@dataclass(frozen=True, slots=True)
class Batch:
    """All environments after a step: N of them, F features, A actions. The arrays are copies.

    A world sets at least what has no default. Where an episode ended, the observation is already
    that of the next one.

    Attributes:
        features: (N, F) float32.
        mask: (N, A) bool, False for actions of no use.
        prior: (N, A) float32, the advisor's suggestion; all zero without one.
        advice_confidence: (N,) float32, 0 to 1.
        rewards: (N,) float32.
        terminated: (N,) bool.
        truncated: (N,) bool.
        final_features: (N, F) float32, the last features of episodes that ended, else 0; where a
            process failed, the last that are known.
        summaries: Of the episodes that ended, by environment. Those that a failed process took
            down are `is_aborted`, and truncated with reward 0.
        warnings: A line for each process that was replaced.
        goal_kinds: (N,) int64, what kind of goal the advice serves, as its place in `GoalKind`;
            or one number for all.
        reached: Milestone of an environment's last step, and the steps that led to it from the true
            start, by environment; none where the episode ended.
        pixels: (N, ...) uint8, the last frames; None unless `RunConfig.needs_pixels`.
        final_pixels: As `final_features`, of pixels.
        goal_sources: (N,) int64, who set the goal that the advice serves, as place in
            `PlannerUpdate.goal_sources`: 0 is the rules; or one number for all.
        wants_plan: (N,) bool, `question` has something to ask; or one for all.
        goal_outcomes: The outcome of the planner's goals, as far as it showed with this step.
        nearness: (N,) float32, of the goal that the advice serves, 0 to 1, nan where that is not
            known; or one for all.
        shaping: (N,) float32, what is learnt from besides `rewards` (`engine.training.learning`);
            or one for all.
        is_walking: (N,) bool, the player can walk; or one for all.
        demos: Demonstrations that this step brought to their end.
        cells: Steps from the true start and the cell of environments that explore, where there is
            one; none where the episode ended.
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
    goal_sources: NDArray[np.int64] = field(default_factory=lambda: np.zeros((), np.int64))
    wants_plan: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((), np.bool_))
    goal_outcomes: tuple[GoalOutcome, ...] = ()
    nearness: NDArray[np.float32] = field(default_factory=lambda: np.full((), np.nan, np.float32))
    shaping: NDArray[np.float32] = field(default_factory=lambda: np.zeros((), np.float32))
    is_walking: NDArray[np.bool_] = field(default_factory=lambda: np.ones((), np.bool_))
    demos: tuple[DemoEnded, ...] = ()
    cells: dict[int, tuple[int, Cell]] = field(default_factory=dict)

    @property
    def shaped_rewards(self) -> NDArray[np.float32]:
        """Return (N,) what is learnt from: rewards and shaping."""
        return self.rewards + self.shaping
