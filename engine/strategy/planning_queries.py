"""Tell situations apart, and put one into what a planner is asked."""

import hashlib
import json
from collections.abc import Collection
from typing import Any

from engine.games.base import Game
from engine.planning_types import GoalOption, Outcome, PlanningQuery, Subgoal
from engine.strategy.battle import is_weak
from engine.strategy.goal_options import choices
from engine.strategy.text_state import asked_sections, rules
from engine.types import Creature, GameState, Goal, GoalKind
from engine.wayfinding.navigation import WorldMap

Base = tuple[Any, ...]
"""What distinguishes situations, beside the goals tried in them; strings and numbers only."""

Tried = tuple[str, ...]
"""Goals with their outcomes, oldest first."""

_WEAK_BELOW = 0.4
_LAST_TRIED = 3
_MAP, _MILESTONES, _PLACE, _OUTSIDE = slice(0, 2), 2, slice(0, 3), slice(0, 7)
"""Places in a base: the map, the milestones, both, all that is not about a battle."""


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

    What ended alike again and again is left out: the same subgoal would be found for it for ever.
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
    """Return a creature's health in a word, as `engine.history.patterns` does."""
    share = creature.hp / max(1, creature.max_hp)
    if share <= 0:
        return "out"
    return "low" if share < 0.25 else "hurt" if share < 0.5 else "fine"
