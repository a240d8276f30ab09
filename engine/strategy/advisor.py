"""Advise the next button: battle rules, menus and texts, else the way to the goal."""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.env.menus import MenuKind, menu_kind
from engine.env.milestones import MilestoneTracker
from engine.games.crystal import practice_goals
from engine.games.profile import GameProfile
from engine.strategy.battle import BattleRules
from engine.strategy.goal_watch import GoalWatch
from engine.strategy.goals import GoalPlanner
from engine.strategy.navigation import (
    Exit,
    Navigator,
    WorldMap,
    grass_exits,
    link_exits,
    talk_exits,
)
from engine.types import NUM_ACTIONS, Action, Advice, GameState, Goal, GoalTally

SETTER = "rules"
"""Names the setter of its goals."""

_CONFIDENCE = 0.9
_STUCK_AFTER = 6
"""Steps without any visible change after which the advice is not trusted any more."""

_NOWHERE = Goal("explore", "Explore")
_UNREACHABLE = 1_000


class RuleAdvisor:
    """The rule planner of one environment; knows the game only by its tables and its RAM.

    Args:
        profile: The game.
    """

    def __init__(self, profile: GameProfile) -> None:
        tables = profile.tables
        self._battle = BattleRules(tables)
        self._planner = _planner(profile)
        self._milestones = MilestoneTracker(tables.MILESTONES)
        self._world = WorldMap(getattr(tables, "MAP_LINKS", {}))
        self._navigator = Navigator()
        self._watch = GoalWatch(SETTER)
        self._last_view: list[object] = []
        self._unchanged_steps = 0
        self._saved: dict[str, Any] = {}

    def reset(self, state: GameState) -> None:
        """Start an episode at `state`."""
        self._milestones.reset(state)
        self._planner.reset()
        self._watch.reset()
        self._last_view = []
        self._unchanged_steps = 0

    def advise(self, state: GameState, mask: NDArray[np.bool_]) -> Advice:
        """Return the goal and a prior over the unmasked actions.

        Args:
            state: The game now.
            mask: (9,) bool.
        """
        self._saved = self._memory()
        self._milestones.update(state, 0)
        reached = self._milestones.steps.keys()
        self._watch.judge(state, reached)
        goal = self._planner.next_goal(state, reached, self._maps_away) or _NOWHERE
        confidence = _CONFIDENCE * self._watch.pursue(goal, state)
        if self._is_stuck(state):
            return _advice(goal, [], "Nothing changes: try something else", mask, confidence)
        return _advice(goal, *self._suggest(state, goal, reached), mask, confidence)

    def outcomes(self) -> tuple[GoalTally, ...]:
        """Return how the episode's goals went, as if it ended now."""
        return self._watch.outcomes()

    def open_goals(self, state: GameState) -> tuple[Goal, ...]:
        """Return the milestones' goals that are still open, in order."""
        return tuple(self._planner.open_goals(state, self._milestones.steps))

    def save(self) -> dict[str, Any]:
        """Return what it remembered before its last advice, JSON-able.

        After `restore` the same state is advised on again, and remembered then.
        """
        return self._saved

    def restore(self, saved: dict[str, Any]) -> None:
        """Put back what `save` returned."""
        self._planner.load(saved["planner"])
        self._watch.load(saved["goals"])
        self._milestones.steps = dict(saved["milestones"])
        self._last_view = saved["last_view"]
        self._unchanged_steps = int(saved["unchanged_steps"])

    def _memory(self) -> dict[str, Any]:
        return {
            "planner": self._planner.save(),
            "goals": self._watch.save(),
            "milestones": dict(self._milestones.steps),
            "last_view": self._last_view,
            "unchanged_steps": self._unchanged_steps,
        }

    def _suggest(
        self, state: GameState, goal: Goal, reached: Collection[str]
    ) -> tuple[list[Action], str]:
        if not state.control.in_game:
            return [], "the game has not begun"
        if state.battle is not None:
            wants_catch = self._planner.wants_catch(state, reached)
            action, reason = self._battle.suggest(state, wants_catch=wants_catch)
            return [action], reason
        if state.control.in_menu:
            return _answer_menu(state)
        if not state.control.is_free:
            # B, not A: it turns pages too, and never begins the same talk again.
            return [Action.B], "read on" if state.control.in_text else "let the scene go on"
        return self._walk(state, goal)

    def _walk(self, state: GameState, goal: Goal) -> tuple[list[Action], str]:
        exits, what = self._exits(state, goal)
        if not exits:
            return [], "no way is known"
        actions, distance = self._navigator.step_towards(state, exits)
        if not actions:
            return [], f"{what}: the way is blocked"
        return actions, f"{what}: {distance} steps to go" if distance else what

    def _exits(self, state: GameState, goal: Goal) -> tuple[tuple[Exit, ...], str]:
        """Return the exits of the current map that serve the goal, in words too."""
        if goal.map is None:
            return (), ""
        if state.place.map != goal.map:
            links = self._world.links_towards(state.place.map, goal.map)
            return link_exits(state.map, links), goal.text
        if goal.target is not None:
            return talk_exits(state.map, goal.target), goal.text
        return grass_exits(state.map), goal.text

    def _maps_away(self, state: GameState, goal: Goal) -> int:
        if goal.map is None:
            return _UNREACHABLE
        return self._world.distances_to(goal.map).get(state.place.map, _UNREACHABLE)

    def _is_stuck(self, state: GameState) -> bool:
        battle, place, control = state.battle, state.place, state.control
        view: list[object] = [
            [place.map.group, place.map.number, place.x, place.y, int(place.facing)],
            list(control.cursor),
            list(state.screen_text),
            [battle.own.hp, battle.enemy.hp] if battle and battle.own and battle.enemy else [],
        ]
        self._unchanged_steps = self._unchanged_steps + 1 if view == self._last_view else 0
        self._last_view = view
        return self._unchanged_steps >= _STUCK_AFTER


def _planner(profile: GameProfile) -> GoalPlanner:
    """Return a planner that knows where the game's milestones are, as far as that is written."""
    milestones = profile.tables.MILESTONES
    if not profile.is_practice:
        return GoalPlanner(milestones, {}, (), None)
    return GoalPlanner(
        milestones, practice_goals.SPOTS, practice_goals.HEALERS, practice_goals.TRAINING
    )


def _answer_menu(state: GameState) -> tuple[list[Action], str]:
    if menu_kind(state) is not MenuKind.YES_NO:
        return [Action.B], "close this menu"
    if any("nickname" in line.lower() for line in state.screen_text):
        return [Action.B], "no nickname"
    return [Action.A if state.control.cursor[0] == 1 else Action.UP], "yes to the question"


def _advice(
    goal: Goal, actions: list[Action], reason: str, mask: NDArray[np.bool_], confidence: float
) -> Advice:
    prior = np.zeros(NUM_ACTIONS, np.float32)
    valid = [action for action in actions if mask[action]]
    if not valid:
        return Advice(goal, prior, 0.0, reason)
    prior[valid] = 1.0 / len(valid)
    return Advice(goal, prior, confidence, reason)
