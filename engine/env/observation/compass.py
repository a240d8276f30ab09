"""Point to the story's next milestone, and to where the way to it leaves the present map.

That follows from the game's tables, its maps and the state alone: it says where to, and nothing
about what to press, and it is the same whether somebody advises or not.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.env.milestones import Story, milestone_goal
from engine.env.observation.layout import APPROACHES, FACINGS, GOAL_SIZES, NEAR, code_of
from engine.games.base import Approach, Game, Milestone
from engine.games.overworld import Ability
from engine.types import Facing, GameState, Goal
from engine.wayfinding.exits import distance
from engine.wayfinding.search import Last
from engine.wayfinding.world_map import Leaving, WorldMap

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
        facing: In which direction it leaves the map from there; None: it does not, or that is not
            known.
        steps_out: How far the aim is.
        steps: How far the goal is; None: it is not known.
    """

    goal: Milestone
    aim: tuple[int, int] | None = None
    facing: Facing | None = None
    steps_out: int = 0
    steps: int | None = None


class Compass:
    """Find the bearing in one game's states; a way is searched again only where it may differ."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._story = Story(game.tables.MILESTONES)
        self._next, self._abilities = Last[tuple[Milestone, Goal] | None](), Last[Ability]()
        self._here = Last[
            tuple[Callable[[int, int, int], Leaving | None], dict[tuple[int, int, int], Bearing]]
        ]()

    @cached_property
    def _world(self) -> WorldMap:
        return WorldMap.of(self._game)

    def bearing(self, state: GameState, milestones: Mapping[str, int]) -> Bearing | None:
        """Return where to, by the milestones reached; None: nothing is left that has a place."""
        following = self._next.of(
            (milestones,), (len(milestones),), lambda: self._look_up(milestones)
        )
        if following is None:
            return None
        one, goal = following
        place, view = state.place, state.map
        abilities = self._abilities.of(
            (state.party,), (state.badges,), lambda: self._game.atlas.abilities(state)
        )
        leaving, found = self._here.of(
            (view.terrain,),
            (one, goal, place.map, state.event_flags, state.scenes, abilities, view.warps),
            lambda: (self._world.leaving(state, goal), {}),
        )
        here = place.x, place.y, place.level
        if here not in found:
            found[here] = _bearing(state, one, goal, leaving(*here))
        return found[here]

    def _look_up(self, milestones: Mapping[str, int]) -> tuple[Milestone, Goal] | None:
        one = next(self._story.open(milestones.keys()), None)
        goal = None if one is None else milestone_goal(one)
        return None if one is None or goal is None else (one, goal)


def _bearing(state: GameState, one: Milestone, goal: Goal, leaving: Leaving | None) -> Bearing:
    here = state.place.x, state.place.y
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
    approach = goal.how if goal.how in APPROACHES else Approach.STEP
    result += [1.0 if approach is how else 0.0 for how in APPROACHES]
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
