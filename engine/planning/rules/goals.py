"""Set the next goal.

It is the first milestone that is possible, unless the party must rest or train.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from engine.env.milestones import Story, milestone_goal
from engine.games.base import Approach, Atlas, Game, GameTables, Milestone, MilestoneKind
from engine.planning.rules.battle import is_weak
from engine.planning.rules.goal_tracker import (
    LIFE_STEPS,
    RESTED,
    UNREACHABLE,
    Patience,
    Reason,
    highest_level,
)
from engine.planning.rules.training import REST_BEFORE_TRAINERS, training_places, worthwhile
from engine.types import BattleKind, GameState, Goal, GoalKind, MapId
from engine.wayfinding.exits import is_faced

MapsAway = Callable[[GameState, Goal], int]
"""Returns how many maps a goal is away."""

StepsAway = Callable[[GameState, Goal], int | None]
"""Returns how many steps a goal is away; None: there is no way now."""

_REST_BELOW = 0.4
"""Share of the best creature's health below which it is taken to rest."""

_REST_BEFORE_FIGHT = 0.7
"""The same before a fight to prepare for that is near."""

_NEAR = 1
"""Maps up to which a fight is near."""

_LEVELS_MORE = 2
"""Levels to gain before the trainer who won is met again."""

_SHORT_WAY = 30
"""Steps to a healer that are worth it for one who is hurt and about to go farther."""

_LEVELS_LIKE_NEWS = 5
"""Levels after which a goal that failed is tried again: it may have been a fight."""

_FAR = 6
"""Maps between a town and the last rest from which on it is worth resting there at once."""

NO_TABLES = GameTables()
"""Of a game of which nothing but its milestones is known."""

_BADGES = (MilestoneKind.BADGE, MilestoneKind.KANTO_BADGE)

_HIGHEST_WANTED = 14
_THERE, _HUNTING = 20, 0.2
"""What a step counts as in which a milestone's tile is reached and the milestone is not: usually,
and where one is to be caught."""

_MARGIN = 6
"""Levels above those that a milestone asks for that are gained at most."""

_LOOKED_AT = 6
"""Places to rest, or to train, to which a way is searched at most."""

_ERRAND_PATIENCE = 2000
"""Counted steps after which a place to rest or train is given up: those in the grass, and each on
the way there that comes no nearer as `_DETOUR`, each with nobody to heal as `_UNHEARD`."""
_DETOUR, _UNHEARD = 20, 100


class GoalPlanner:
    """Follow the game's milestones.

    One whose place is not known is left to chance. One that is pursued without coming nearer is
    set aside until the others were tried, or there is news; once all were, nothing is wanted for a
    while: the time to explore. Optional ones wait until the story has nothing to do.

    Attributes:
        goals: How to reach a milestone, by its key, as far as that is known.
    """

    def __init__(
        self, milestones: Iterable[Milestone], atlas: Atlas, tables: GameTables = NO_TABLES
    ) -> None:
        self._story = Story(milestones)
        self._atlas, self._tables = atlas, tables
        self.goals: dict[str, Goal] = {}
        for one in self._story.milestones:
            if (goal := milestone_goal(one)) is not None:
                self.goals[one.key] = goal
        self._levels = {one.key: one.level for one in self._story.milestones}
        self._rows = {one.key: one for one in self._story.milestones}
        self._healers = atlas.healers
        self._training = training_places(atlas, tables)
        self._listeners = {(one.place, one.person) for one in tables.TUNES}
        self._towns = {MapId(*one) for one in tables.SPAWNS.values()}
        self.reset()

    def reset(self) -> None:
        """Start an episode."""
        self._wanted_level = 0
        self._lost_before = ""  # key of the milestone that was pursued then
        self._is_resting = False
        self._lost_battle = False
        self._arrived: MapId | None = None  # town far from the last rest, to rest in
        self._patience = Patience(LIFE_STEPS)
        self._errands = Patience(_ERRAND_PATIENCE)

    def next_goal(
        self,
        state: GameState,
        reached: Collection[str],
        maps_away: MapsAway,
        first: str = "",
        steps_away: StepsAway = lambda state, goal: 0,
        num_trainers: int = 0,
    ) -> Goal | None:
        """Return what to do next; None when nothing is known, or all was tried for now.

        Args:
            state: The game now.
            reached: Keys of the milestones reached in this episode.
            maps_away: Returns how many maps a goal is away.
            first: Milestone that comes before all others until it is reached; "" for none.
            steps_away: Returns how many steps a goal is away.
            num_trainers: How many on this map look out for the player.
        """
        num_reached = len(reached)

        def news(key: str) -> Reason:
            return self._reason(key, state, reached)

        self._patience.refresh(news)
        self._errands.refresh(lambda _: [num_reached])
        wanted = self._wanted(state, reached, first, maps_away)
        self._watch(state, wanted, reached)
        if state.party:
            is_fight_near = (
                wanted is not None
                and 0 < wanted.level <= highest_level(state)
                and maps_away(state, self.goals[wanted.key]) <= _NEAR
            )
            least = REST_BEFORE_TRAINERS if num_trainers > 1 else _REST_BELOW
            errand = self._errand(state, wanted, is_fight_near, least, maps_away, steps_away)
            if errand is not None:
                goal, steps = errand
                cost = _errand_cost(goal, state, steps)
                self._errands.pursue(
                    _place_of(goal), state, steps, num_reached, cost, lambda _: [num_reached]
                )
                return goal
        if wanted is None:
            self._patience.look_around(state, num_reached)
            return None
        goal = self.goals[wanted.key]
        effort = _cost(goal, state)
        self._patience.pursue(goal.key, state, maps_away(state, goal), num_reached, effort, news)
        return goal

    def _reason(self, key: str, state: GameState, reached: Collection[str]) -> Reason:
        """Return what a goal's failure may depend on: what the party can, and news of the place."""
        goal = self.goals[key]
        rows = (self._rows[one] for one in reached if one in self._rows)
        reason = [
            int(self._atlas.abilities(state)),
            state.badges[0] | state.badges[1] << 8,
            highest_level(state) // _LEVELS_LIKE_NEWS,
            sum(one.place == goal.map for one in rows),
        ]
        if (goal.map, goal.target) in self._listeners:  # the radio needs its cards
            reason.append(sum(one in reached for one in self._rows[key].requires))
        return reason

    def set_goal_aside(self, goal: Goal, state: GameState, reached: Collection[str]) -> None:
        """Set a milestone's goal aside until something has changed that it may depend on."""
        if goal.key in self.goals:
            self._patience.set_aside[goal.key] = self._reason(goal.key, state, reached)

    def _errand(
        self,
        state: GameState,
        wanted: Milestone | None,
        is_fight_near: bool,
        least: float,
        maps_away: MapsAway,
        steps_away: StepsAway,
    ) -> tuple[Goal, int] | None:
        """Return where to rest or to train first, and how far it is; None: there is no need."""
        if state.battle is None:  # what is near then may be what is being fought
            was_resting = self._is_resting
            begin = _REST_BEFORE_FIGHT if is_fight_near else least
            if not (was_resting or is_fight_near) and self._leaves_healer(
                state, wanted, maps_away, steps_away
            ):
                begin = REST_BEFORE_TRAINERS
            share = RESTED if was_resting else begin
            self._is_resting = is_weak(state.party, share, self._tables)
            if was_resting and not self._is_resting:
                self._errands.set_aside.clear()
            self._note_arrival(state, maps_away)
        is_due = self._is_resting or (self._arrived is not None and not is_fight_near)
        away = partial(maps_away, state)
        if is_due:
            healers = sorted(self._healers, key=away)
            if found := self._reachable(state, healers, maps_away, steps_away):
                return found
        highest = highest_level(state)
        if highest >= max(self._wanted_level, wanted.level if wanted else 0):
            return None
        for places in worthwhile(self._training, self._tables, highest, away):
            if found := self._reachable(state, places, maps_away, steps_away):
                return found
        return None

    def _reachable(
        self,
        state: GameState,
        places: Iterable[Goal],
        maps_away: MapsAway,
        steps_away: StepsAway,
    ) -> tuple[Goal, int] | None:
        """Return the first place of a few to which a way leads, and how far it is."""
        known = (one for one in places if maps_away(state, one) < UNREACHABLE)
        for goal in islice(known, _LOOKED_AT):
            is_open = _place_of(goal) not in self._errands.set_aside
            if is_open and (steps := steps_away(state, goal)) is not None:
                return goal, steps
        return None

    def _leaves_healer(
        self,
        state: GameState,
        wanted: Milestone | None,
        maps_away: MapsAway,
        steps_away: StepsAway,
    ) -> bool:
        """Return whether a hurt party is about to leave a healer for a way with trainers."""
        is_hurt = is_weak(state.party, REST_BEFORE_TRAINERS, self._tables)
        if not is_hurt or wanted is None or maps_away(state, self.goals[wanted.key]) <= _NEAR:
            return False
        near = (one for one in self._healers if maps_away(state, one) <= _NEAR)
        steps = (steps_away(state, one) for one in near)
        return any(count is not None and count <= _SHORT_WAY for count in steps)

    def _note_arrival(self, state: GameState, maps_away: MapsAway) -> None:
        """Remember a town in which to rest once: after a defeat the way back would be long."""
        here, last = state.place, state.healing_place
        if last is None or last == self._arrived:
            self._arrived = None
        elif here.map in self._towns and here.map not in (last, self._arrived):
            there = replace(state, place=replace(here, map=last))
            is_far = maps_away(there, Goal("heal", "Rest", here.map)) >= _FAR
            is_next = any(maps_away(state, one) <= _NEAR for one in self._healers)
            self._arrived = here.map if is_far and is_next else None

    def open_goals(self, state: GameState, reached: Iterable[str]) -> Iterator[Goal]:
        """Yield the milestones' goals that are open, in order; places passed by stay behind."""
        for one in self._ahead(state, reached):
            if one.key in self.goals:
                yield self.goals[one.key]

    def is_preparing(self, goal: Goal) -> bool:
        """Return whether a goal is a fight to prepare for: it asks for a level, or was lost."""
        return self._wanted_level > 0 or self._levels.get(goal.key, 0) > 0

    def level_of(self, goal: Goal) -> int:
        """Return the level that a milestone's goal asks for; 0: any."""
        return self._levels.get(goal.key, 0)

    def destination(self, goal: Goal) -> MapId | None:
        """Return the map that a goal leads to, which need not be where one goes for it."""
        row = self._rows.get(goal.key)
        return row.entered if row is not None and row.entered is not None else goal.map

    def is_push(self, goal: Goal) -> bool:
        """Return whether a milestone's goal is the hole of a boulder."""
        row = self._rows.get(goal.key)
        return row is not None and row.how is Approach.PUSH

    def wants_catch(self, state: GameState, reached: Iterable[str]) -> bool:
        """Return whether another creature is a milestone still to reach."""
        return any(
            one.kind is MilestoneKind.PARTY
            and (one.key not in self.goals or one.how is Approach.CATCH)
            for one in self._ahead(state, reached)
        )

    @property
    def set_aside(self) -> tuple[str, ...]:
        """Return the keys of the milestones that wait until the others were tried."""
        return tuple(sorted(self._patience.set_aside))

    def move_of(self, goal: Goal) -> str:
        """Return which move one is to be caught for; "" where it is for none."""
        row = self._rows.get(goal.key)
        return row.move if row is not None and goal.kind is GoalKind.CATCH else ""

    def learners(self, goal: Goal) -> frozenset[int]:
        """Return which species a goal to catch one is about; empty: any."""
        return self._tables.LEARNERS.get(self.move_of(goal), frozenset())

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        return {
            "wanted_level": self._wanted_level,
            "lost_before": self._lost_before,
            "is_resting": self._is_resting,
            "lost_battle": self._lost_battle,
            "arrived": [self._arrived.group, self._arrived.number] if self._arrived else [],
            "patience": self._patience.save(),
            "errands": self._errands.save(),
        }

    def load(self, facts: dict[str, Any]) -> None:
        """Restore the state that `save` returned."""
        self._wanted_level = int(facts["wanted_level"])
        self._lost_before = str(facts.get("lost_before", ""))
        self._is_resting = bool(facts["is_resting"])
        self._lost_battle = bool(facts["lost_battle"])
        self._arrived = MapId(*facts["arrived"]) if facts.get("arrived") else None
        for one, name in ((self._patience, "patience"), (self._errands, "errands")):
            one.load(facts.get(name, ["", 0, 0, 0, 0, []]))

    def _wanted(
        self, state: GameState, reached: Collection[str], first: str, maps_away: MapsAway
    ) -> Milestone | None:
        """Return the milestone to pursue: the first that is possible and not set aside.

        Of several badges it is the nearest, and that one until it is reached or set aside.
        """
        if first in self.goals and first not in reached:
            return self._rows[first]
        possible = tuple(self._story.open(self._story.reached(state, reached)))
        is_optional = all(one.is_optional for one in possible)
        left = [
            one
            for one in possible
            if one.is_optional is is_optional and one.key not in self._patience.set_aside
        ]
        badges = [one for one in left if one.kind in _BADGES]
        if not left or left[0].kind not in _BADGES or len(badges) == 1:
            return left[0] if left else None
        present = (one for one in badges if one.key == self._patience.present)
        nearest = min(badges, key=lambda one: maps_away(state, self.goals[one.key]))
        return next(present, nearest)

    def _ahead(self, state: GameState, reached: Iterable[str]) -> tuple[Milestone, ...]:
        return self._story.ahead(self._story.reached(state, reached))

    def _watch(self, state: GameState, wanted: Milestone | None, reached: Collection[str]) -> None:
        """Ask for more levels once a trainer has won, until the story continues."""
        battle = state.battle
        if self._lost_before in reached:
            self._wanted_level, self._lost_before = 0, ""
        if battle is not None and battle.own is not None:
            is_trainer = battle.kind is BattleKind.TRAINER
            is_alone = sum(creature.hp > 0 for creature in state.party) <= 1
            self._lost_battle = is_trainer and battle.own.hp == 0 and is_alone
        elif battle is None and self._lost_battle and state.control.is_free:
            self._lost_battle = False
            highest = max(_HIGHEST_WANTED, wanted.level + _MARGIN if wanted else 0)
            self._wanted_level = min(highest_level(state) + _LEVELS_MORE, highest)
            self._lost_before = wanted.key if wanted else ""


def _cost(goal: Goal, state: GameState) -> float:
    """Return what a step counts for a goal: few while waiting for what lives there."""
    if goal.kind is GoalKind.CATCH and state.bag.balls:
        return _HUNTING if state.place.map == goal.map else 1
    return _THERE if _is_at(goal, state) else 1


def _is_at(goal: Goal, state: GameState) -> bool:
    """Return whether the player stands at a goal's tile, and is still free."""
    place = state.place
    if goal.target is None or goal.map != place.map:
        return False
    if not goal.is_interaction:
        return goal.target == (place.x, place.y)
    dx, dy = place.facing.delta
    return goal.target == (place.x + dx, place.y + dy) or is_faced(state, goal.target)


def _place_of(goal: Goal) -> str:
    """Name a place to rest or train: their goals share keys."""
    return f"{goal.key} {goal.map.group}.{goal.map.number}" if goal.map else goal.key


def _errand_cost(goal: Goal, state: GameState, steps: int) -> int:
    if goal.is_interaction and _is_at(goal, state):
        return _UNHEARD
    return _DETOUR if steps else 1


def known_goals(game: Game) -> frozenset[str]:
    """Return the keys of the milestones that the rules know a way to."""
    has_ways = game.atlas.links or game.overworld is not None
    return frozenset(GoalPlanner(game.tables.MILESTONES, game.atlas).goals if has_ways else ())
