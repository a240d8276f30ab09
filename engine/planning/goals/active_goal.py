"""Evaluate from RAM how a planner's goal goes while it is pursued."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from engine.planning.goals.subgoal_codec import subgoal_from_json, subgoal_to_json
from engine.planning.rules.goal_tracker import LIFE_STEPS
from engine.planning.rules.ways import needs_healing
from engine.planning_types import Condition, Outcome, Subgoal
from engine.types import BattleKind, GameState, GoalKind, MapId
from engine.wayfinding.exits import Tile, distance, is_faced

NEW_TILES = 20
"""Tiles that are new to the episode which count as new ground."""

SIGHT = 5
"""Tiles that a trainer sees at most, and challenges the player from."""

_SAME = 4
"""Tiles: a person no farther than this from where somebody was seen is taken for the same one."""

_SAVED_AS: Mapping[str, str] = MappingProxyType(
    {
        "subgoal": "plan",
        "is_control": "is_ignored",
        "is_assigned": "is_dealt",
        "active_goal": "pursuit",
        "share_credit": "owed",
    }
)
"""Fields with another name in checkpoints."""
_FIELDS: Mapping[str, str] = MappingProxyType({key: name for name, key in _SAVED_AS.items()})


def facts_of(one: Any) -> dict[str, Any]:
    """Return the fields of a dataclass under the names that checkpoints have for them."""
    return {_SAVED_AS.get(each.name, each.name): getattr(one, each.name) for each in fields(one)}


def fields_from(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `facts_of` returned, under the names of the fields."""
    return {_FIELDS.get(key, key): value for key, value in facts.items()}


@dataclass(frozen=True, slots=True)
class Scene:
    """A game state, with the facts of the episode by which goals are evaluated.

    Attributes:
        milestones: How many the episode has reached.
        tiles: How many it has stood on.
        levels: Of the party, highest first.
        was_won: In the last battle, or this one, the enemy was down when last seen.
    """

    state: GameState
    milestones: int
    tiles: int
    levels: tuple[int, ...]
    was_won: bool


@dataclass(frozen=True, slots=True)
class ActiveGoal:
    """A subgoal that is followed, or would be if it were not of the control group.

    Attributes:
        base: The situation that it was adopted in.
        destination: Map that a goal to reach ends on.
        person: Number of the map's object that is met, 0 if it is none.
        milestones: How many there were in the beginning; so are `tiles`, `levels`, `caught`.
        size: Of the party in the beginning.
        age: Steps so far.
        made_progress: Something was gained meanwhile.
        has_come_true: Its condition has held; the game is still busy with it.
    """

    subgoal: Subgoal
    base: tuple[Any, ...]
    is_control: bool
    destination: MapId | None
    person: int
    milestones: int
    tiles: int
    levels: tuple[int, ...]
    caught: int
    size: int
    age: int = 0
    made_progress: bool = False
    has_come_true: bool = False

    @property
    def freshness(self) -> float:
        """Return 1 at first, falling to 0 at the end of the goal's life."""
        return max(0.0, 1 - self.age / LIFE_STEPS)

    def target(self, state: GameState) -> Tile | None:
        """Return where the goal's target is now: who is met may walk about."""
        goal = self.subgoal.option.goal
        if self.person and state.place.map == goal.map:
            for one in state.map.objects:
                if one.index == self.person:
                    return one.x, one.y
        return goal.target

    def save(self) -> dict[str, Any]:
        """Return all of it, JSON-able."""
        end = self.destination
        return facts_of(self) | {
            "plan": subgoal_to_json(self.subgoal),
            "base": list(self.base),
            "destination": [end.group, end.number] if end else None,
            "levels": list(self.levels),
        }

    def older(self, *, has_come_true: bool) -> "ActiveGoal":
        """Return it one step later; called in every step: `replace` takes several times as long."""
        return ActiveGoal(*(*_unchanging(self), self.age + 1, self.made_progress, has_come_true))

    @classmethod
    def load(cls, facts: dict[str, Any]) -> "ActiveGoal":
        """Restore what `save` returned."""
        end = facts["destination"]
        changed = {
            "subgoal": subgoal_from_json(facts["plan"]),
            "base": tuple(facts["base"]),
            "destination": MapId(*end) if end else None,
            "levels": tuple(facts["levels"]),
        }
        return cls(**fields_from(facts) | changed)


_unchanging = attrgetter(*(each.name for each in fields(ActiveGoal)[:-3]))


def activate(
    subgoal: Subgoal, base: tuple[Any, ...], scene: Scene, *, is_control: bool
) -> ActiveGoal:
    """Begin to pursue a subgoal."""
    state, goal = scene.state, subgoal.option.goal
    destination, person = None, 0
    if goal.kind is GoalKind.REACH:
        # A tile on this map is a way out to be taken, not a place to arrive at.
        ways = (warp.target for warp in state.map.warps if (warp.x, warp.y) == goal.target)
        destination = goal.map if goal.target is None else next(ways, None)
    elif goal.target is not None and goal.map == state.place.map:
        person = _person_at(state, goal.target)
    return ActiveGoal(
        subgoal=subgoal,
        base=base,
        is_control=is_control,
        destination=destination,
        person=person,
        milestones=scene.milestones,
        tiles=scene.tiles,
        levels=scene.levels,
        caught=state.caught,
        size=len(state.party),
    )


def evaluate(active_goal: ActiveGoal, scene: Scene) -> tuple[ActiveGoal, Outcome | None]:
    """Return the goal after a step, and its outcome if it is over.

    A goal outside of battles is over only once the player can walk again: until then texts, menus
    and the fight that it led to belong to it.
    """
    state = scene.state
    is_true = active_goal.has_come_true or _holds(active_goal, scene)
    active_goal = active_goal.older(has_come_true=is_true)
    if is_about_battle(active_goal.subgoal):
        if state.battle is not None:
            return active_goal, None
        return _closed(active_goal) if is_true else (active_goal, Outcome.FAILED)
    if is_true and state.control.is_free and state.battle is None:
        return _closed(active_goal)
    if active_goal.age >= LIFE_STEPS:
        return _closed(active_goal) if is_true else (active_goal, Outcome.FAILED)
    return active_goal, None


def is_idle(active_goal: ActiveGoal, scene: Scene) -> bool:
    """Return whether a subgoal wants what is already the case: it would succeed at once."""
    wants_state = active_goal.subgoal.condition in {Condition.HEALED, Condition.ENTERED}
    return wants_state and _holds(active_goal, scene)


def is_about_battle(subgoal: Subgoal) -> bool:
    """Return whether a subgoal is about the battle that it was chosen in."""
    kind, goal = subgoal.option.kind, subgoal.option.goal
    return kind in {GoalKind.FIGHT, GoalKind.RUN} or (kind is GoalKind.CATCH and goal.map is None)


def has_gained_level(before: tuple[int, ...], now: tuple[int, ...]) -> bool:
    """Return whether a party has a level more; both highest first."""
    return any(new > old for old, new in zip(before, now, strict=False))


def _closed(active_goal: ActiveGoal) -> tuple[ActiveGoal, Outcome]:
    is_end_in_itself = active_goal.subgoal.condition in {Condition.HEALED, Condition.BATTLE_LEFT}
    has_made = active_goal.made_progress or is_end_in_itself
    return replace(active_goal, made_progress=has_made), Outcome.REACHED


def _holds(active_goal: ActiveGoal, scene: Scene) -> bool:
    state = scene.state
    match active_goal.subgoal.condition:
        case Condition.ENTERED:
            return state.place.map == active_goal.destination
        case Condition.ANSWERED:
            return _is_answering(active_goal, state)
        case Condition.MILESTONE:
            return scene.milestones > active_goal.milestones
        case Condition.HEALED:
            return bool(state.party) and not needs_healing(state.party)
        case Condition.LEVEL_GAINED:
            return has_gained_level(active_goal.levels, scene.levels)
        case Condition.CAUGHT:
            return state.caught > active_goal.caught or len(state.party) > active_goal.size
        case Condition.BATTLE_WON:
            return state.battle is None and scene.was_won
        case Condition.BATTLE_LEFT:
            return state.battle is None
        case Condition.NEW_TILES:
            return scene.tiles - active_goal.tiles >= NEW_TILES


def _is_answering(active_goal: ActiveGoal, state: GameState) -> bool:
    """Return whether a text or menu is open, or a fight begins, before what was to be met."""
    control, place = state.control, state.place
    target = active_goal.target(state)
    is_open = control.in_text or control.in_menu or state.battle is not None
    if not is_open or target is None or place.map != active_goal.subgoal.option.goal.map:
        return False
    if active_goal.person and state.battle is not None and state.battle.kind is BattleKind.TRAINER:
        # A trainer does not wait to be talked to.
        return _first_in_sight(state) == active_goal.person
    return is_faced(state, target)


def _first_in_sight(state: GameState) -> int:
    """Return the number of the nearest person that the player looks at, 0 if there is none."""
    place = state.place
    dx, dy = place.facing.delta
    line = [(place.x + dx * far, place.y + dy * far) for far in range(1, SIGHT + 1)]
    people = {(one.x, one.y): one.index for one in state.map.objects}
    return next((people[tile] for tile in line if tile in people), 0)


def _person_at(state: GameState, tile: Tile) -> int:
    """Return the number of who stands there, or near: the subgoal may be from another game."""
    near = [(distance((one.x, one.y), tile), one.index) for one in state.map.objects]
    steps, index = min(near, default=(_SAME + 1, 0))
    return index if steps <= _SAME and tile not in state.map.signs else 0
