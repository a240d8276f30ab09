"""Advise the next button: battle rules, menus and texts, else the way to the goal."""

import math
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.env.milestones import MilestoneTracker
from engine.games.base import Game
from engine.games.menus import MenuKind, menu_kind
from engine.strategy.battle import battle_button
from engine.strategy.goal_tracker import GoalTracker
from engine.strategy.goals import GoalPlanner
from engine.strategy.navigation import (
    Exit,
    Navigator,
    Tile,
    WorldMap,
    grass_exits,
    link_exits,
    talk_exits,
)
from engine.types import Action, Advice, GameState, Goal, GoalTally

Suggestion = tuple[list[Action], str]
"""Buttons that are equally good, none where nothing is known, and why."""

GOAL_SOURCE = "rules"
"""Names the goal source of its goals."""

_CONFIDENCE = 0.9
_STUCK_AFTER = 6
"""Steps without any visible change after which the advice is not trusted any more."""

STUCK = "Nothing changes: try something else"

_NOWHERE = Goal("explore", "Explore")
_UNREACHABLE = 1_000

_HALFWAY = 30.0
"""Steps from which a goal is half as near as from where it is."""

_STEPS_A_MAP = 20
"""What another map on the way counts as."""


class RuleAdvisor:
    """The rule planner of one environment; knows the game only by its tables and its RAM.

    Attributes:
        world: Which map leads to which.
        navigator: Finds the way on a map.
        unchanged_steps: For how many steps nothing has changed to the eye.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self.world = WorldMap(game.atlas.links)
        self.navigator = Navigator()
        self._steps_left: int | None = None  # on this map, of the way that was suggested last
        self.unchanged_steps = 0
        self._planner = GoalPlanner(game.tables.MILESTONES, game.atlas)
        self._milestones = MilestoneTracker(game.tables.MILESTONES)
        self._goals = GoalTracker(GOAL_SOURCE)
        self._last_view: list[object] = []
        self._saved: dict[str, Any] = {}
        self._first = self._coming_first = ""
        self._is_replaying = False

    def prioritise_milestone(self, milestone: str) -> None:
        """Pursue a milestone before all others, from the next advice on; "" for none."""
        self._coming_first = milestone

    def reset(self, state: GameState) -> None:
        """Start an episode at `state`."""
        self._milestones.reset(state)
        self._planner.reset()
        self._goals.reset()
        self._last_view = []
        self.unchanged_steps = 0

    def advise(self, state: GameState, mask: NDArray[np.bool_]) -> Advice:
        """Return the goal and a prior over the actions that `mask` (A,) lets through."""
        return self.lead(self.notice(state), state, mask)

    def notice(self, state: GameState) -> Goal:
        """Take in a state, whoever leads; return the goal that the rules set in it."""
        if not self._is_replaying:
            self._first = self._coming_first
        self._is_replaying = False
        self._saved = self._memory()
        self._milestones.update(state, 0)
        self._goals.evaluate(state, self.reached)
        self._count_unchanged(state)
        goal = self._planner.next_goal(state, self.reached, self._maps_away, self._first)
        return goal or _NOWHERE

    def lead(self, goal: Goal, state: GameState, mask: NDArray[np.bool_]) -> Advice:
        """Return a prior that serves the goal of `notice`."""
        confidence = _CONFIDENCE * self._goals.pursue(goal, state)
        if self.is_stuck:
            return self.advice_of(goal, [], STUCK, mask, confidence)
        wants_catch = bool(state.battle) and self._planner.wants_catch(state, self.reached)
        actions, reason = self.suggest(
            state,
            lambda: self.walk(state, self._exits(state, goal), goal.text),
            wants_catch=wants_catch,
        )
        return self.advice_of(goal, actions, reason, mask, confidence, self.nearness(goal, state))

    def suggest(
        self,
        state: GameState,
        walk: Callable[[], Suggestion],
        *,
        wants_catch: bool,
        wants_run: bool | None = None,
    ) -> Suggestion:
        """Return the buttons to press now; `walk` where the player can walk.

        In battles the wishes count as in `battle_button`.
        """
        self._steps_left = None
        if not state.control.in_game:
            return [], "the game has not begun"
        if state.battle is not None:
            action, reason = battle_button(
                self._game.tables, state, wants_catch=wants_catch, wants_run=wants_run
            )
            return [action], reason
        if state.control.in_menu:
            return _answer_menu(state)
        if not state.control.is_free:
            # B, not A: it turns pages too, and never begins the same talk again.
            return [Action.B], "read on" if state.control.in_text else "let the scene go on"
        return walk()

    def walk(self, state: GameState, exits: tuple[Exit, ...], what: str) -> Suggestion:
        """Return the way to the nearest exit; `what` names its purpose."""
        if not exits:
            return [], "no way is known"
        actions, distance = self.navigator.step_towards(state, exits)
        if not actions:
            return [], f"{what}: the way is blocked"
        self._steps_left = distance
        return actions, f"{what}: {distance} steps to go" if distance else what

    def advice_of(
        self,
        goal: Goal,
        buttons: list[Action],
        reason: str,
        mask: NDArray[np.bool_],
        confidence: float,
        nearness: float = math.nan,
    ) -> Advice:
        """Return advice to press any of the buttons that the game has and that are not masked."""
        prior = np.zeros(len(self._game.actions), np.float32)
        known = (self._game.actions.index(button) for button in buttons)
        valid = [action for action in known if action is not None and mask[action]]
        if not valid:
            return Advice(goal, prior, 0.0, reason, nearness)
        prior[valid] = 1.0 / len(valid)
        return Advice(goal, prior, confidence, reason, nearness)

    def nearness(self, goal: Goal, state: GameState) -> float:
        """Return how near a goal is after the way that was suggested last, nan without one."""
        steps = self._steps_left
        if steps is None or goal.map is None:
            return math.nan
        return _HALFWAY / (_HALFWAY + steps + _STEPS_A_MAP * self._maps_away(state, goal))

    def path(self, goal: Goal, state: GameState) -> tuple[Tile, ...]:
        """Return the tiles of this map on the way to a goal, the next one first."""
        return self.navigator.path(state, self._exits(state, goal))

    def give_way(self) -> None:
        """Note that somebody else leads in the state of `notice`."""
        self._goals.pause()

    @property
    def is_stuck(self) -> bool:
        """Return whether advice has changed nothing for too long to be trusted."""
        return self.unchanged_steps >= _STUCK_AFTER

    @property
    def reached(self) -> Collection[str]:
        """Return the keys of the milestones reached in this episode."""
        return self._milestones.steps.keys()

    def outcomes(self) -> tuple[GoalTally, ...]:
        """Return how the episode's goals went, as if it ended now."""
        return self._goals.outcomes()

    def open_goals(self, state: GameState) -> tuple[Goal, ...]:
        """Return the milestones' goals that are still open, in order."""
        return tuple(self._planner.open_goals(state, self.reached))

    def save(self) -> dict[str, Any]:
        """Return what it remembered before its last advice, JSON-able.

        After `restore` the same state is advised on again, and remembered then.
        """
        return self._saved

    def restore(self, saved: dict[str, Any]) -> None:
        """Put back what `save` returned."""
        self._planner.load(saved["planner"])
        self._goals.load(saved["goals"])
        self._milestones.steps = dict(saved["milestones"])
        self._last_view = saved["last_view"]
        self._first = str(saved.get("first", ""))
        self._is_replaying = True
        self.unchanged_steps = int(saved["unchanged_steps"])

    def _memory(self) -> dict[str, Any]:
        return {
            "planner": self._planner.save(),
            "goals": self._goals.save(),
            "milestones": dict(self._milestones.steps),
            "last_view": self._last_view,
            "unchanged_steps": self.unchanged_steps,
            "first": self._first,
        }

    def _exits(self, state: GameState, goal: Goal) -> tuple[Exit, ...]:
        """Return the exits of the current map that serve the goal."""
        if goal.map is None:
            return ()
        if state.place.map != goal.map:
            return link_exits(state.map, self.world.links_towards(state.place.map, goal.map))
        if goal.target is not None:
            return talk_exits(state.map, goal.target)
        return grass_exits(state.map)

    def _maps_away(self, state: GameState, goal: Goal) -> int:
        if goal.map is None:
            return _UNREACHABLE
        return self.world.distances_to(goal.map).get(state.place.map, _UNREACHABLE)

    def _count_unchanged(self, state: GameState) -> None:
        battle, place, control = state.battle, state.place, state.control
        view: list[object] = [
            [place.map.group, place.map.number, place.x, place.y, int(place.facing)],
            list(control.cursor),
            list(state.screen_text),
            [battle.own.hp, battle.enemy.hp] if battle and battle.own and battle.enemy else [],
        ]
        self.unchanged_steps = self.unchanged_steps + 1 if view == self._last_view else 0
        self._last_view = view


def _answer_menu(state: GameState) -> Suggestion:
    if menu_kind(state) is not MenuKind.YES_NO:
        return [Action.B], "close this menu"
    if any("nickname" in line.lower() for line in state.screen_text):
        return [Action.B], "no nickname"
    return [Action.A if state.control.cursor[0] == 1 else Action.UP], "yes to the question"


def known_goals(game: Game) -> frozenset[str]:
    """Return the keys of the milestones that the rules know a way to."""
    return (
        frozenset(GoalPlanner(game.tables.MILESTONES, game.atlas).goals)
        if game.atlas.links
        else frozenset()
    )
