"""Explore where the story says nothing or no way is known: go to the nearest thing not tried yet.

Exits, people and signs of the map are tried first, then other maps. What was tried is
remembered until a milestone is reached: then there may be news everywhere.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.planning.rules.surroundings import walking_steps
from engine.types import GameState, Goal, GoalKind, MapId
from engine.wayfinding.exits import Exit, Link, Tile, distance, is_faced, link_exits, talk_exits
from engine.wayfinding.world_map import WorldMap

_BLOCKED = 8
"""Steps without a known way after which a goal is left for exploring."""

_FACED = 3
"""Steps in front of something after which it is taken to have nothing to say."""

_STOPS = 2
"""Scenes on the way, such as a guard who sends the player back, before a target is given up."""

_SPARE, _STEPS_A_MAP = 40, 100
"""Steps that a target may take beyond twice its distance, and for each map on the way."""

_REMEMBERED = 1_000
"""Targets that are remembered at most."""


@dataclass(frozen=True, slots=True)
class _Target:
    """Something to try.

    Attributes:
        name: What it is, unique in the game and the same in every run.
        goal: How to get there.
        steps: How far it is.
        is_known: It only leads to a map where the player was.
    """

    name: str
    goal: Goal
    steps: int
    is_known: bool = False


class Explorer:
    """Choose what to try next; remembers what was tried.

    Args:
        world: Which map leads to which, as far as that is known.
    """

    def __init__(self, world: WorldMap) -> None:
        self._world = world
        self.reset()

    def reset(self) -> None:
        """Start an episode."""
        self._num_reached = 0
        self._tried: dict[str, int] = {}
        self._been: dict[str, int] = {}  # map -> how much of it is left to try
        self._target: _Target | None = None
        self._start = ""  # map on which the target was chosen
        self._instead_of = ""  # key of the goal that is wanted meanwhile
        self._steps = self._faced = self._stops = self._no_way = 0
        self._was_faced = self._was_free = False

    def goal(self, state: GameState, wanted: Goal | None, num_reached: int) -> Goal | None:
        """Return the wanted goal while there is a way, else what to explore.

        Args:
            state: The game now.
            wanted: What the story wants; None: nothing.
            num_reached: Milestones reached in this episode.
        """
        if num_reached != self._num_reached:
            self.reset()
            self._num_reached = num_reached
        if (wanted.key if wanted else "") != self._instead_of:
            self._instead_of = wanted.key if wanted else ""
            self._target, self._no_way = None, 0
        if self._target is not None:
            self._follow(state, self._target)
        if self._target is None:
            has_way = wanted is not None and self._no_way < _BLOCKED
            if has_way or not state.control.is_free:
                return wanted
            self._target = self._choose(state)
            self._start = _name(state.place.map)
            self._steps = self._faced = self._stops = self._no_way = 0
        return self._target.goal if self._target is not None else wanted

    def note_way(self, state: GameState, *, is_known: bool) -> None:
        """Note whether a way to the goal of this state is known."""
        if state.control.is_free:
            self._no_way = 0 if is_known else self._no_way + 1

    def save(self) -> list[Any]:
        """Return all that is remembered, JSON-able."""
        target = self._target
        goal = target.goal if target else None
        place = [goal.map.group, goal.map.number] if goal and goal.map else []
        tile = list(goal.target) if goal and goal.target else []
        return [
            self._num_reached,
            dict(self._tried),
            dict(self._been),
            [target.name, goal.text, place, tile, goal.is_interaction, target.steps]
            if target and goal
            else [],
            [self._start, self._instead_of],
            [self._steps, self._faced, self._stops, self._no_way],
            [self._was_faced, self._was_free],
        ]

    def load(self, saved: list[Any]) -> None:
        """Put back what `save` returned."""
        self._num_reached, tried, been, target, names, counts, facts = saved
        self._tried, self._been, self._target = dict(tried), dict(been), None
        self._start, self._instead_of = names
        self._steps, self._faced, self._stops, self._no_way = counts
        self._was_faced, self._was_free = facts
        if target:
            name, text, place, tile, is_interaction, steps = target
            goal = _goal(text, MapId(*place), tuple(tile) or None, is_interaction)
            self._target = _Target(name, goal, steps)

    def _follow(self, state: GameState, target: _Target) -> None:
        """Note how a target goes, and drop it once it was tried."""
        place, goal = state.place, target.goal
        is_talk = goal.is_interaction
        if not state.control.is_free:
            if is_talk and self._was_faced:
                self._finish(target)
            elif self._was_free and state.battle is None:
                self._stops += 1
            self._was_free = False
            return
        self._was_free = True
        if is_talk:
            self._target = target = self._moved(state, target)
            goal = target.goal
        is_there = place.map == goal.map
        has_left = goal.target is not None and not is_talk and _name(place.map) != self._start
        if has_left or (is_there and goal.target is None):
            self._finish(target)
            return
        self._was_faced = (
            is_talk and is_there and goal.target is not None and is_faced(state, goal.target)
        )
        self._faced += self._was_faced
        self._steps += 1
        is_in_vain = self._faced > _FACED or self._stops > _STOPS or self._no_way >= _BLOCKED
        if is_in_vain or self._steps > target.steps:
            self._finish(target)

    def _moved(self, state: GameState, target: _Target) -> _Target:
        """Return a target with the tile where it is now: people walk about."""
        prefix = f"{_name(state.place.map)} person "
        if not target.name.startswith(prefix):
            return target
        index = int(target.name.removeprefix(prefix))
        for thing in state.map.objects:
            if thing.index == index and (thing.x, thing.y) != target.goal.target:
                tile = (thing.x, thing.y)
                goal = _goal(target.goal.text, state.place.map, tile, is_interaction=True)
                return _Target(target.name, goal, target.steps)
        return target

    def _finish(self, target: _Target) -> None:
        times = self._tried.pop(target.name, 0)
        self._tried[target.name] = times + 1
        while len(self._tried) > _REMEMBERED:
            del self._tried[next(iter(self._tried))]
        self._target = None
        self._no_way = 0
        self._was_faced = False

    def _choose(self, state: GameState) -> _Target | None:
        """Return the nearest target not tried: here, then on other maps, then the least tried."""
        here = _name(state.place.map)
        self._been.setdefault(here, 0)
        targets = list(self._targets(state))
        new = [one for one in targets if one.name not in self._tried and not one.is_known]
        self._been[here] = max(0, len(new) - 1)
        if new:
            return min(new, key=lambda one: (one.steps, one.name))
        elsewhere = self._elsewhere(state)
        if elsewhere is not None:
            return elsewhere
        return min(
            targets,
            key=lambda one: (self._tried.get(one.name, 0), one.steps, one.name),
            default=None,
        )

    def _elsewhere(self, state: GameState) -> _Target | None:
        """Return the nearest map with something left to try."""
        for place, maps_away in self._world.maps.distances_from(state.place.map).items():
            name = _name(place)
            is_left = name not in self._been or self._been[name] > 0
            if maps_away and is_left and f"{name} map" not in self._tried:
                steps = _SPARE + _STEPS_A_MAP * (maps_away + 1)
                return _Target(f"{name} map", _goal("Explore another map", place), steps)
        return None

    def _targets(self, state: GameState) -> Iterator[_Target]:
        """Yield what is in reach on this map."""
        view, here = state.map, state.place.map
        if not view.contains(state.place.x, state.place.y):
            return
        steps = walking_steps(view, (state.place.x, state.place.y))
        for thing in view.objects:
            tile = (thing.x, thing.y)
            what = f"person {thing.index}"
            yield from self._target_at(what, state, tile, talk_exits(view, tile), steps)
        for tile in view.signs:
            what = f"sign {tile[0]} {tile[1]}"
            yield from self._target_at(what, state, tile, talk_exits(view, tile), steps)
        doors: list[tuple[MapId, Tile]] = []
        for warp in view.warps:
            tile = (warp.x, warp.y)
            if any(warp.target == to and distance(tile, other) == 1 for to, other in doors):
                continue  # another half of the same door
            doors.append((warp.target, tile))
            exits = link_exits(view, [Link(here, tile)])
            is_known = _name(warp.target) in self._been
            what = f"exit {tile[0]} {tile[1]}"
            yield from self._target_at(what, state, tile, exits, steps, is_known=is_known)
        for link in self._world.maps.links_from(here):
            near = [steps[e.tile] for e in link_exits(view, [link]) if e.tile in steps]
            if link.side and near:
                goal = _goal(f"Explore {link.side}", link.target)
                name = f"{_name(here)} {link.side}"
                is_known = _name(link.target) in self._been
                yield _Target(name, goal, _SPARE + 2 * min(near), is_known)

    def _target_at(
        self,
        what: str,
        state: GameState,
        tile: Tile,
        exits: tuple[Exit, ...],
        steps: dict[Tile, int],
        *,
        is_known: bool = False,
    ) -> Iterator[_Target]:
        near = [steps[entry.tile] for entry in exits if entry.tile in steps]
        if near:
            is_talk = exits[0].is_talk
            place = state.place.map
            text = f"{'Interact' if is_talk else 'Try the exit'} at ({tile[0]},{tile[1]})"
            goal = _goal(text, place, tile, is_interaction=is_talk)
            yield _Target(f"{_name(place)} {what}", goal, _SPARE + 2 * min(near), is_known)


def _goal(text: str, place: MapId, tile: Tile | None = None, is_interaction: bool = False) -> Goal:
    return Goal("explore", text, place, tile, is_interaction, GoalKind.EXPLORE)


def _name(place: MapId) -> str:
    return f"{place.group}.{place.number}"
