"""Judge from RAM what becomes of a planner's goal while it is pursued."""

from dataclasses import dataclass, replace
from typing import Any

from engine.llm.subgoal_codec import subgoal_from_json, subgoal_to_json
from engine.planning_types import Condition, Outcome, Subgoal
from engine.strategy.goal_tracker import LIFE_STEPS
from engine.strategy.navigation import Tile, talk_exits
from engine.strategy.ways import needs_healing
from engine.types import DIRECTIONS, BattleKind, GameState, GoalKind, MapId

NEW_TILES = 20
"""As many tiles new to the episode are new ground."""

SIGHT = 5
"""Tiles; trainers see no farther, and who is seen by one is challenged from there."""

_SAME = 4
"""A person so near to where somebody was seen is taken for the same one."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A game state with what of the episode matters for judging.

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
    """A plan that is followed, or would be if it were not ignored, and how it stands.

    Attributes:
        base: The situation that it was adopted in.
        destination: Map that a goal to reach ends on.
        person: Number of the map's object that is met, 0 if it is none.
        milestones: How many there were in the beginning; so are `tiles`, `levels`, `caught`.
        size: Of the party in the beginning.
        age: Steps so far.
        made_progress: Something was won meanwhile.
        has_come_true: Its condition held; the game is still busy with it.
    """

    plan: Subgoal
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
        goal = self.plan.option.goal
        if self.person and state.place.map == goal.map:
            for one in state.map.objects:
                if one.index == self.person:
                    return one.x, one.y
        return goal.target

    def save(self) -> dict[str, Any]:
        """Return all of it, JSON-able."""
        end = self.destination
        return {
            "plan": subgoal_to_json(self.plan),
            "base": list(self.base),
            "is_ignored": self.is_control,
            "destination": [end.group, end.number] if end else None,
            "person": self.person,
            "milestones": self.milestones,
            "tiles": self.tiles,
            "levels": list(self.levels),
            "caught": self.caught,
            "size": self.size,
            "age": self.age,
            "made_progress": self.made_progress,
            "has_come_true": self.has_come_true,
        }

    def older(self, *, has_come_true: bool) -> "ActiveGoal":
        """Return it a step later; in every step, and `replace` takes several times as long."""
        return ActiveGoal(
            self.plan,
            self.base,
            self.is_control,
            self.destination,
            self.person,
            self.milestones,
            self.tiles,
            self.levels,
            self.caught,
            self.size,
            self.age + 1,
            self.made_progress,
            has_come_true,
        )

    @classmethod
    def load(cls, facts: dict[str, Any]) -> "ActiveGoal":
        """Restore what `save` returned."""
        end = facts["destination"]
        changed = {
            "plan": subgoal_from_json(facts["plan"]),
            "base": tuple(facts["base"]),
            "destination": MapId(*end) if end else None,
            "levels": tuple(facts["levels"]),
        }
        is_control = facts["is_ignored"]
        same = {name: value for name, value in facts.items() if name != "is_ignored"}
        return cls(**{**same, **changed}, is_control=is_control)


def activate(plan: Subgoal, base: tuple[Any, ...], scene: Scene, *, is_control: bool) -> ActiveGoal:
    """Begin to pursue a plan."""
    state, goal = scene.state, plan.option.goal
    destination, person = None, 0
    if goal.kind is GoalKind.REACH:
        # A tile on this map is a way out to be taken, not a place to arrive at.
        ways = (warp.target for warp in state.map.warps if (warp.x, warp.y) == goal.target)
        destination = goal.map if goal.target is None else next(ways, None)
    elif goal.target is not None and goal.map == state.place.map:
        person = _person_at(state, goal.target)
    return ActiveGoal(
        plan=plan,
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
    """Look at the state that a step led to.

    A goal outside of battles is over only once the player can walk again: until then texts, menus
    and the fight that it led to belong to it.
    """
    state = scene.state
    is_true = active_goal.has_come_true or _holds(active_goal, scene)
    active_goal = active_goal.older(has_come_true=is_true)
    if is_battle_plan(active_goal.plan):
        if state.battle is not None:
            return active_goal, None
        return _closed(active_goal) if is_true else (active_goal, Outcome.FAILED)
    if is_true and state.control.is_free and state.battle is None:
        return _closed(active_goal)
    if active_goal.age >= LIFE_STEPS:
        return _closed(active_goal) if is_true else (active_goal, Outcome.FAILED)
    return active_goal, None


def is_idle(active_goal: ActiveGoal, scene: Scene) -> bool:
    """Return whether a plan wants what is so already: it would be judged a success for nothing."""
    wants_state = active_goal.plan.condition in {Condition.HEALED, Condition.ENTERED}
    return wants_state and _holds(active_goal, scene)


def is_battle_plan(plan: Subgoal) -> bool:
    """Return whether a plan is about the battle that it was made in."""
    kind = plan.option.kind
    return kind in {GoalKind.FIGHT, GoalKind.RUN} or (
        kind is GoalKind.CATCH and plan.option.goal.map is None
    )


def has_gained_level(before: tuple[int, ...], now: tuple[int, ...]) -> bool:
    """Return whether a party has a level more; both highest first."""
    return any(new > old for old, new in zip(before, now, strict=False))


def _closed(active_goal: ActiveGoal) -> tuple[ActiveGoal, Outcome]:
    is_end_in_itself = active_goal.plan.condition in {Condition.HEALED, Condition.BATTLE_LEFT}
    has_made = active_goal.made_progress or is_end_in_itself
    return replace(active_goal, made_progress=has_made), Outcome.REACHED


def _holds(active_goal: ActiveGoal, scene: Scene) -> bool:
    state = scene.state
    match active_goal.plan.condition:
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
    if not is_open or target is None or place.map != active_goal.plan.option.goal.map:
        return False
    if active_goal.person and state.battle is not None and state.battle.kind is BattleKind.TRAINER:
        return (
            _first_in_sight(state) == active_goal.person
        )  # a trainer does not wait to be talked to
    return any(
        entry.tile == (place.x, place.y) and DIRECTIONS[entry.action] is place.facing
        for entry in talk_exits(state.map, target)
    )


def _first_in_sight(state: GameState) -> int:
    """Return the number of the nearest person that the player looks at, 0 if there is none."""
    place = state.place
    dx, dy = place.facing.delta
    line = [(place.x + dx * far, place.y + dy * far) for far in range(1, SIGHT + 1)]
    people = {(one.x, one.y): one.index for one in state.map.objects}
    return next((people[tile] for tile in line if tile in people), 0)


def _person_at(state: GameState, tile: Tile) -> int:
    """Return the number of who stands there, or near: the plan may be from another game."""
    near = [(abs(one.x - tile[0]) + abs(one.y - tile[1]), one.index) for one in state.map.objects]
    distance, index = min(near, default=(_SAME + 1, 0))
    return index if distance <= _SAME and tile not in state.map.signs else 0
