"""Make the questions to a planner: tell situations apart, and list the goals possible in one.

A planner picks one of these goals and nothing else.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from engine.env.milestones import Story, milestone_goal
from engine.games.base import Game, GameTables, Milestone
from engine.games.overworld import Ability
from engine.planning.goals.text_state import asked_sections, rules
from engine.planning.rules.battle import is_weak
from engine.planning.rules.surroundings import Spot, Surroundings, survey
from engine.planning.rules.ways import exits_for, heal_goal, needs_healing, steps_away
from engine.planning_types import Condition, GoalOption, Outcome, PlanningQuery, Subgoal
from engine.types import BattleKind, Creature, GameState, Goal, GoalKind, MapId, Terrain
from engine.wayfinding.exits import Link, link_exits
from engine.wayfinding.world_map import WorldMap

MOST = 24
"""Options that are listed at most."""

_FAR = 6
"""Places for maps that are farther away, if as many are known."""

STORY = "next milestone"
"""Name of the option that leads all the way to where the next milestone is reached."""

_TRIED = 4
"""Milestones to which a way is searched at most."""


def _option(text: str, goal: Goal, *conditions: Condition) -> GoalOption:
    return GoalOption(goal.kind, "", text, goal, conditions)


def _named(name: str, text: str, goal: Goal, condition: Condition) -> GoalOption:
    return GoalOption(goal.kind, name, text, goal, (condition, Condition.MILESTONE))


_FIGHT = _option(
    "win this battle",
    Goal("fight", "Win the battle", kind=GoalKind.FIGHT),
    Condition.BATTLE_WON,
    Condition.LEVEL_GAINED,
)
_RUN = _option(
    "run away from this battle", Goal("run", "Run away", kind=GoalKind.RUN), Condition.BATTLE_LEFT
)
_CATCH_IT = _option(
    "weaken and catch it", Goal("catch", "Catch it", kind=GoalKind.CATCH), Condition.CAUGHT
)
_EXPLORE = _option(
    "walk where you have not been",
    Goal("explore", "Walk where nobody has been", kind=GoalKind.EXPLORE),
    Condition.NEW_TILES,
    Condition.MILESTONE,
)


def choices(
    state: GameState, game: Game, world: WorldMap, milestones: Collection[str] = ()
) -> tuple[GoalOption, ...]:
    """Return the goals that make sense now, at least one: the next milestone, then what is near.

    `milestones` are the keys of those reached in this episode.
    """
    if state.battle is not None:
        return tuple(_in_battle(state))
    around = survey(state, game)
    found = (*_exits(state, world, around), *_answering(state, around))
    near = [option for _, option in sorted(found, key=lambda one: one[0])]
    far = list(_far_maps(state, game, world))
    story = list(_story(state, game, world, milestones))
    always = list(_anywhere(state, game, world))
    room = MOST - len(always) - len(story)
    num_far = min(len(far), max(_FAR, room - len(near)))
    return (*story, *near[: room - num_far], *always, *far[:num_far])


def _in_battle(state: GameState) -> Iterator[GoalOption]:
    yield _FIGHT
    if state.battle is not None and state.battle.kind is BattleKind.WILD:
        if state.bag.balls:
            yield _CATCH_IT
        yield _RUN


def _story(
    state: GameState, game: Game, world: WorldMap, milestones: Collection[str]
) -> Iterator[GoalOption]:
    """Yield the first milestone that is possible and to which a way is open, if there is one."""
    story = Story(game.tables.MILESTONES)
    done = story.reached(state, milestones)
    goals = ((one, goal) for one in story.open(done) if (goal := milestone_goal(one)) is not None)
    for (one, goal), _ in zip(goals, range(_TRIED), strict=False):
        steps = steps_away(world, state, goal)
        if steps is not None and exits_for(state, game, world, goal, goal.target):
            far = f"about {steps} step{'s' * (steps > 1)}" if steps else "beside you"
            text = f"{STORY} {_whereabouts(one, game.tables)}, {far}: {one.text}"
            yield GoalOption(goal.kind, STORY, text, goal, (Condition.MILESTONE,))
            return


def _whereabouts(one: Milestone, tables: GameTables) -> str:
    """Return e.g. "in GYM, Greta at (4,2)"."""
    place = f"in {tables.map_name(one.place)}" if one.place else ""
    tile = f"at ({one.target[0]},{one.target[1]})" if one.target else ""
    who = " ".join(filter(None, (one.who, tile)))
    return ", ".join(filter(None, (place, who)))


def _exits(
    state: GameState, world: WorldMap, around: Surroundings
) -> Iterator[tuple[int, GoalOption]]:
    """Yield steps and option of every way out that is in reach and leads elsewhere."""
    here = state.place.map
    targets = [_target(state, world, spot) for spot in around.exits]
    for spot, target in zip(around.exits, targets, strict=True):
        name = f"exit {spot.mark}" if spot.tiles else f"{spot.side} edge"
        if spot.steps is None or target in {None, here} or (spot.tiles and not spot.mark):
            continue
        if targets.count(target) > 1 and spot.tiles:
            # Which of several doors is taken matters: they may lead to different parts.
            text = f"Take the way to {spot.name}"
            goal = Goal("reach", text, here, spot.tiles[0], kind=GoalKind.REACH)
        else:
            goal = Goal("reach", f"Go to {spot.name or name}", target, kind=GoalKind.REACH)
        text = f"{name} to {spot.name}" if spot.name else name
        yield spot.steps, _named(name, f"{text}, {spot.nearness}", goal, Condition.ENTERED)


def _target(state: GameState, world: WorldMap, spot: Spot) -> MapId | None:
    view = state.map
    if spot.tiles:
        warps = (warp.target for warp in view.warps if (warp.x, warp.y) == spot.tiles[0])
        return next(warps, None)
    edges = (edge.target for edge in view.edges if edge.side == spot.side)
    links = (
        link.target for link in world.maps.links_from(state.place.map) if link.side == spot.side
    )
    return next(edges, None) or next(links, None)


def _answering(state: GameState, around: Surroundings) -> Iterator[tuple[int, GoalOption]]:
    """Yield steps and option of everyone and everything in reach that may answer A."""
    here = state.place.map
    people = [
        (f"person {spot.mark}", "Meet who stands", spot) for spot in around.people if spot.mark
    ]
    signs = [(f"sign {i}", "Read what is", spot) for i, spot in enumerate(around.signs, 1)]
    for name, verb, spot in (*people, *signs):
        if spot.steps is None:
            continue
        x, y = spot.tiles[0]
        text = f"{verb} at ({x},{y}) in {state.place.name}"
        goal = Goal("meet", text, here, (x, y), is_interaction=True, kind=GoalKind.MEET)
        text = f"{name} ({x},{y}), {spot.nearness}"
        yield spot.steps, _named(name, text, goal, Condition.ANSWERED)


def _anywhere(state: GameState, game: Game, world: WorldMap) -> Iterator[GoalOption]:
    here, name = state.place.map, state.place.name
    rest = heal_goal(state, game, world) if needs_healing(state.party) else None
    if rest is not None:
        yield _option(f"heal the party: {rest.text}", rest, Condition.HEALED)
    if state.party and bool((state.map.terrain & Terrain.GRASS).any()):
        goal = Goal("train", f"Train in the grass of {name}", here, kind=GoalKind.TRAIN)
        text = "train in the tall grass here"
        yield _option(text, goal, Condition.LEVEL_GAINED, Condition.MILESTONE)
        if state.bag.balls:
            goal = Goal("catch", f"Catch one in {name}", here, kind=GoalKind.CATCH)
            yield _option("catch one in the grass here", goal, Condition.CAUGHT)
    yield _EXPLORE


def _far_maps(state: GameState, game: Game, world: WorldMap) -> Iterator[GoalOption]:
    """Yield the maps that are more than one map away, nearest first."""
    names, here, view = game.tables.MAPS, state.place.map, state.map
    counts = Counter(names.values())
    can_surf = bool(game.atlas.abilities(state) & Ability.SURF)
    links = dict.fromkeys(
        (
            *(Link(warp.target, (warp.x, warp.y)) for warp in view.warps),
            *world.maps.links_from(here),
        )
    )
    # The others an event is yet to open.
    is_open = [link for link in links if link_exits(view, [link], can_surf=can_surf)]
    for target, distance in world.maps.distances_from(here, is_open).items():
        name = names.get((target.group, target.number), "")
        if distance > 1 and name and counts[name] == 1:
            goal = Goal("reach", f"Go to {name}", target, kind=GoalKind.REACH)
            yield _named(name, name, goal, Condition.ENTERED)


Base = tuple[Any, ...]
"""Facts that distinguish situations, beside the goals tried in them; strings and numbers only."""

Tried = tuple[str, ...]
"""Goals with their outcomes, oldest first."""

_WEAK_BELOW = 0.4
_LAST_TRIED = 3
_MAP, _MILESTONES, _PLACE, _OUTSIDE = slice(0, 2), 2, slice(0, 3), slice(0, 7)
"""Indices in a base: the map, the milestones, both, all that is not about a battle."""


def is_settled(state: GameState) -> bool:
    """Return whether a state is one to plan in, not a passage between two."""
    if not state.control.in_game or state.control.in_transition:
        return False
    battle = state.battle
    return battle is None or (battle.own is not None and battle.enemy is not None)


def walking_base(state: GameState, milestones: Collection[str]) -> Base:
    """Return what distinguishes situations outside of battles."""
    place = state.place.map
    return (
        place.group,
        place.number,
        ",".join(sorted(milestones)),
        len(state.party),
        int(is_weak(state.party, _WEAK_BELOW)),
        *state.badges,
    )


def battle_base(state: GameState, outside: Base) -> Base:
    """Return what distinguishes battles; `outside` is where they began."""
    battle = state.battle
    assert battle is not None
    assert battle.own is not None
    assert battle.enemy is not None
    enemy = battle.enemy
    return (*outside, battle.kind.value, enemy.species, _band(battle.own), _band(enemy))


def trigger_of(before: Base, now: Base) -> str:
    """Return why a planner is asked when one base follows on another of its kind."""
    if before[_MILESTONES] != now[_MILESTONES]:
        return "milestone"
    if before[_MAP] != now[_MAP]:
        return "map"
    return "battle" if before[_OUTSIDE] == now[_OUTSIDE] else "party"


def key_of(game: str, base: Base, tried: Tried) -> str:
    """Return the same short text for the same situation, in any process."""
    text = json.dumps([game, base, tried])
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def with_tried(tried: Tried, subgoal: Subgoal, outcome: Outcome) -> Tried:
    """Add a goal that is over; only the last ones are kept."""
    return (*tried, f"{_what(subgoal.option.goal)}: {outcome.value}")[-_LAST_TRIED:]


def make_planning_query(
    state: GameState,
    game: Game,
    world: WorldMap,
    milestones: Collection[str],
    *,
    tried: Tried,
    key: str,
    env_index: int,
    trigger: str,
    recent: tuple[tuple[str, str], ...],
) -> PlanningQuery:
    """Return what a planner is asked: the state in words, and what can be wanted in it.

    A goal that ended alike again and again is left out: it would be chosen for ever.
    """
    offered = choices(state, game, world, milestones)
    fresh = tuple(option for option in offered if not _is_worn(option, tried))
    return PlanningQuery(
        key=key,
        env_index=env_index,
        trigger=trigger,
        sections=asked_sections(state, game, world, milestones=milestones),
        options=fresh or offered,
        recent=recent,
        rules=rules(game),
        game=game.description,
        place_key=key_of(game.tables.NAME, walking_base(state, milestones)[_PLACE], ()),
    )


def _is_worn(option: GoalOption, tried: Tried) -> bool:
    if option.kind not in {GoalKind.REACH, GoalKind.MEET, GoalKind.EXPLORE}:
        return False
    is_same = len(tried) == _LAST_TRIED and len(set(tried)) == 1
    return is_same and tried[0].startswith(f"{_what(option.goal)}: ")


def _what(goal: Goal) -> str:
    where = f" {goal.map.group}.{goal.map.number}" if goal.map else ""
    tile = f" {goal.target[0]},{goal.target[1]}" if goal.target else ""
    return f"{goal.kind.value}{where}{tile}"


def _band(creature: Creature) -> str:
    """Return a creature's health in a word, as `engine.planning.history.patterns` does."""
    share = creature.hp / max(1, creature.max_hp)
    if share <= 0:
        return "out"
    return "low" if share < 0.25 else "hurt" if share < 0.5 else "fine"
