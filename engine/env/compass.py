"""Point to the story's next milestone, and to where the way to it leaves the present map.

That follows from the game's tables, its maps and the state alone: it says where to, and nothing
about what to press, and it is the same whether somebody advises or not.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.env.layout import FACINGS, GOAL_SIZES, NEAR, code_of
from engine.env.milestones import Story, milestone_goal
from engine.games.base import Approach, Game, Milestone
from engine.games.overworld import Ability
from engine.types import Facing, GameState, Goal
from engine.wayfinding.navigation import Leaving, WorldMap, distance

_APPROACHES = tuple(Approach)
_FAR = 32
"""Tiles of an offset that count as 1, and those beyond."""

_HALFWAY_OUT, _HALFWAY = 8, 100
"""Steps to the end of the way on this map, and to the goal, that count as half as near."""

_MOST_LEVELS = 10
_NEAR_ROWS = np.eye(2 * NEAR + 1).tolist()
_SIZE = sum(GOAL_SIZES.values())


@dataclass(frozen=True, slots=True)
class Bearing:
    """The milestone that comes next, and where the way to it leads on this map.

    Attributes:
        goal: The milestone.
        aim: Its tile, or the one from which the way leaves this map; None: it is not known.
        facing: Where to it leaves the map from there; None: it does not, or it is not known.
        steps_out: How far the aim is.
        steps: How far the goal is; None: it is not known.
    """

    goal: Milestone
    aim: tuple[int, int] | None = None
    facing: Facing | None = None
    steps_out: int = 0
    steps: int | None = None


class Compass:
    """Find the bearing of one game's states: the way anew only where what it hangs on changed."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._story = Story(game.tables.MILESTONES)
        self._reached: tuple[Mapping[str, int] | None, int] = None, 0
        self._next: tuple[Milestone, Goal] | None = None
        self._party: tuple[object, object] = None, None
        self._abilities = Ability(0)
        self._terrain: object = None
        self._seen: tuple[object, ...] = ()
        self._leaving: Callable[[int, int], Leaving | None] = lambda x, y: None
        self._found: dict[tuple[int, int], Bearing] = {}

    @cached_property
    def _world(self) -> WorldMap:
        return WorldMap.of(self._game)

    def bearing(self, state: GameState, milestones: Mapping[str, int]) -> Bearing | None:
        """Return where to, by the milestones reached; None: nothing is left that has a place."""
        if self._reached[0] is not milestones or self._reached[1] != len(milestones):
            self._reached = milestones, len(milestones)
            self._next = self._look_up(milestones)
        if self._next is None:
            return None
        place, view = state.place, state.map
        if state.party is not self._party[0] or state.badges != self._party[1]:
            self._party = state.party, state.badges
            self._abilities = self._game.atlas.abilities(state)
        flags = state.event_flags, state.scenes
        seen = (self._next, place.map, *flags, self._abilities, view.warps)
        if view.terrain is not self._terrain or seen != self._seen:
            self._terrain, self._seen, self._found = view.terrain, seen, {}
            self._leaving = self._world.leaving(state, self._next[1])
        here = place.x, place.y
        if here not in self._found:
            self._found[here] = self._find(state, *self._next)
        return self._found[here]

    def _look_up(self, milestones: Mapping[str, int]) -> tuple[Milestone, Goal] | None:
        one = next(self._story.open(milestones.keys()), None)
        goal = None if one is None else milestone_goal(one)
        return None if one is None or goal is None else (one, goal)

    def _find(self, state: GameState, one: Milestone, goal: Goal) -> Bearing:
        here = state.place.x, state.place.y
        leaving = self._leaving(*here)
        is_here = state.place.map == goal.map
        if leaving is None:
            if not is_here or goal.target is None:
                return Bearing(one)
            return Bearing(one, goal.target, None, distance(here, goal.target))
        aim = goal.target if is_here and leaving.facing is None else leaving.tile
        return Bearing(one, aim or leaving.tile, leaving.facing, leaving.steps_out, leaving.steps)


def goal_features(bearing: Bearing | None, state: GameState) -> list[float]:
    """Return the parts of a layout that a bearing fills, from "goal" on."""
    if bearing is None:
        return [0.0] * _SIZE
    goal, place = bearing.goal, state.place
    levels = goal.level - max((one.level for one in state.party), default=0)
    result = [1.0, float(goal.place == place.map), min(max(levels, 0), _MOST_LEVELS) / _MOST_LEVELS]
    result += [1.0 if goal.how is how else 0.0 for how in _APPROACHES]
    result += code_of(goal.key)
    result += code_of(goal.place)
    if bearing.aim is None:
        return result + [0.0] * (_SIZE - len(result))
    offsets = bearing.aim[0] - place.x, bearing.aim[1] - place.y
    for offset in offsets:
        result += _NEAR_ROWS[min(max(offset, -NEAR), NEAR) + NEAR]
    result += [min(max(offset / _FAR, -1.0), 1.0) for offset in offsets]
    result.append(_HALFWAY_OUT / (_HALFWAY_OUT + bearing.steps_out))
    result.append(0.0 if bearing.steps is None else _HALFWAY / (_HALFWAY + bearing.steps))
    result += [1.0 if bearing.facing is facing else 0.0 for facing in FACINGS]
    return result
