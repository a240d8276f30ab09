"""Advise the next button: battle rules, answers to the screen, else the way to the goal."""

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import groupby
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.env.milestones import MilestoneTracker
from engine.games.base import Answer, Game
from engine.ground.text import counted
from engine.planning.rules.answers import Repeats, Tried, UnchangedView, Wishes, answer, at_title
from engine.planning.rules.battle import battle_button
from engine.planning.rules.exploring import Explorer
from engine.planning.rules.goal_tracker import UNREACHABLE, GoalTracker
from engine.planning.rules.goals import GoalPlanner
from engine.planning.rules.items import is_end_of_goods
from engine.planning.rules.radio import Radio
from engine.planning.rules.replies import Replies
from engine.planning.rules.supplies import Provisions, Supplies
from engine.planning.rules.teaching import Teacher
from engine.planning.rules.training import num_watching
from engine.planning.rules.useless_moves import UselessMoves
from engine.planning.rules.ways import STEPS_A_MAP, CarryingMove, exits_for, steps_away
from engine.types import Action, Advice, GameState, Goal, GoalKind, GoalTally, MapId
from engine.wayfinding.exits import Exit, Link, Tile, is_faced, is_ready, link_exits
from engine.wayfinding.navigation import Navigator
from engine.wayfinding.world_map import WorldMap

Suggestion = tuple[list[Action], str]
"""Buttons that are equally good, none where nothing is known, and why."""

Route = tuple[tuple[MapId, tuple[Tile, ...]], ...]
"""A way over several maps: for each the tiles (x, y) in order."""

GOAL_SOURCE = "rules"
"""Goal source of the rules' goals."""

_CONFIDENCE = 0.9
STUCK = "nothing changes: try something else"

_NOWHERE = Goal("explore", "Explore")

_HALFWAY = 30.0
"""Steps away from a goal at which its nearness is 1/2."""


class _Part(Protocol):
    """Remembers something of the episode."""

    def reset(self) -> None: ...

    def save(self) -> Any: ...

    def load(self, saved: Any, /) -> None: ...


class RuleAdvisor:
    """The rule planner of one environment; knows the game only by its tables and its RAM.

    Attributes:
        world: Which map leads to which.
        navigator: Finds the way on a map.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self.world = WorldMap.of(game)
        self.navigator = Navigator(game.atlas, game.overworld, self.world.triggers_here)
        self._steps_left: int | None = None  # on this map, of the way that was suggested last
        self._unchanged = UnchangedView()
        self._routed: tuple[tuple[MapId, Goal] | None, Route] = (None, ())
        self._planner = GoalPlanner(game.tables.MILESTONES, game.atlas, game.tables)
        self._milestones = MilestoneTracker(game.tables.MILESTONES)
        self._goals = GoalTracker(GOAL_SOURCE, game.tables)
        self._explorer = Explorer(self.world)
        self._supplies = Supplies(game.tables)
        self._provisions = Provisions(game, self._supplies, self._maps_away, self._steps_away)
        self._useless_moves = UselessMoves()
        self._repeats = Repeats()
        self._replies = Replies(game.tables.ANSWERS)
        self._teacher = Teacher(game.tables, game.atlas)
        self._radio = Radio(game.tables.TUNES)
        self._carrying = CarryingMove()
        self._parts: dict[str, _Part] = {
            "planner": self._planner,
            "world": self.world,
            "goals": self._goals,
            "explorer": self._explorer,
            "supplies": self._supplies,
            "useless_moves": self._useless_moves,
            "repeats": self._repeats,
            "replies": self._replies,
            "teacher": self._teacher,
            "radio": self._radio,
            "carried": self._carrying,
        }
        self._saved: dict[str, Any] = {}
        self._first = self._coming_first = ""
        self._is_replaying = False

    def prioritise_milestone(self, milestone: str) -> None:
        """Pursue a milestone before all others, from the next advice on; "" for none."""
        self._coming_first = milestone

    def reset(self, state: GameState) -> None:
        """Start an episode at `state`."""
        self._milestones.reset(state)
        for part in self._parts.values():
            part.reset()
        self._unchanged = UnchangedView()

    def advise(self, state: GameState, mask: NDArray[np.bool_]) -> Advice:
        """Return the goal and a prior over the actions that `mask` (A,) lets through."""
        return self.lead(self.notice(state), state, mask)

    def notice(self, state: GameState) -> Goal:
        """Note a state, whoever leads; return the goal that the rules set in it."""
        if not self._is_replaying:
            self._first = self._coming_first
        self._is_replaying = False
        self._saved = self._memory()
        self.world.notice(state)
        self._milestones.update(state, 0)
        self._goals.evaluate(state, self.reached)
        self._unchanged.notice(state)
        self._repeats.notice(state, len(self.reached))
        self._supplies.notice(state)
        self._replies.notice(state)
        self._teacher.notice(state, len(self.reached))
        self._carrying.notice(state)
        self._useless_moves.notice(state)
        trainers = num_watching(self._game.overworld, state)
        goal = self._planner.next_goal(
            state, self.reached, self._maps_away, self._first, self._steps_away, trainers
        )
        goal = self._explorer.goal(state, goal, len(self.reached))
        goal = self._shop_before(state, goal) if goal else _NOWHERE
        if self._radio.notice(state, goal, self._planner.set_aside, self.unchanged_steps):
            self._planner.set_goal_aside(goal, state, self.reached)
        return goal

    def _shop_before(self, state: GameState, goal: Goal) -> Goal:
        """Return the way to a shop where it pays before `goal`, else `goal`."""
        if self._repeats.is_tired:
            return goal
        level, is_fight = self._planner.level_of(goal), self._planner.is_preparing(goal)
        return self._provisions.shop_before(state, goal, level, is_fight=is_fight) or goal

    def lead(self, goal: Goal, state: GameState, mask: NDArray[np.bool_]) -> Advice:
        """Return a prior that serves the goal of `notice`."""
        confidence = _CONFIDENCE * self._goals.pursue(goal, state)
        if self._awaits(goal, state, mask):
            self._unchanged.steps = 0  # others walk meanwhile
            return self.advice_of(goal, [Action.NOOP], "wait for who walks here", mask, confidence)
        if self.is_stuck and state.control.in_game:
            self._explorer.note_way(state, is_known=False)
            return self.advice_of(goal, [], STUCK, mask, confidence)
        may_catch = state.battle is not None or self._game.atlas.is_shop(state.place.name)
        actions, reason = self.suggest(
            state,
            lambda: self._walk_to(goal, state),
            wants_catch=may_catch and self._wants_catch(state, goal),
            goal=goal,
        )
        return self.advice_of(goal, actions, reason, mask, confidence, self.nearness(goal, state))

    def _awaits(self, goal: Goal, state: GameState, mask: NDArray[np.bool_]) -> bool:
        """Return whether the player faces where somebody will be, who is elsewhere now."""
        is_here = state.control.is_free and state.place.map == goal.map and goal.is_interaction
        talks = self._game.actions.index(Action.A)
        if not is_here or goal.target is None or talks is None or mask[talks]:
            return False
        return is_faced(state, goal.target)

    def _wants_catch(self, state: GameState, goal: Goal) -> bool:
        if move := self._planner.move_of(goal):
            return not self._teacher.can_learn(state, move)
        return goal.kind is GoalKind.CATCH or self._planner.wants_catch(state, self.reached)

    def suggest(
        self,
        state: GameState,
        walk: Callable[[], Suggestion],
        *,
        wants_catch: bool,
        wants_run: bool | None = None,
        goal: Goal | None = None,
    ) -> Suggestion:
        """Return the buttons to press now; `walk` where the player can walk.

        Args:
            state: The game now, as given to `notice`.
            walk: Returns the way to the goal.
            wants_catch: A new creature would be welcome.
            wants_run: Leave a wild battle, or never; None: when it is wise.
            goal: What is pursued.
        """
        self._steps_left = None
        if not state.control.in_game:
            return [at_title(state)], "continue the saved game"
        repeats = self._repeats
        useless = self._useless_moves.of(state.battle)
        tried = Tried(self.unchanged_steps, repeats.times, repeats.wants_other_answer, useless)
        species = self._planner.learners(goal) if goal else frozenset[int]()
        wishes = Wishes(wants_catch=wants_catch, wants_run=wants_run, species=species)
        if state.battle is not None:
            action, reason = battle_button(self._game.tables, state, wishes, tried)
            return [action], reason
        if not repeats.is_tired:
            wishes = self._with_items(state, wishes, goal)
        elif repeats.wants_other_answer:
            self._give_up_use(state, goal)
        if not wishes.use and (button := self._radio_button(state, goal or _NOWHERE)):
            return [button[0]], button[1]
        if state.control.is_free and self._carrying.is_due:
            return [Action.NOOP], "let the move take effect"
        if state.control.is_free:
            return ([Action.START], wishes.use.why) if wishes.use else walk()
        if wishes.buy and is_end_of_goods(state):
            self._supplies.note_not_sold(state.place.map, wishes.buy)
        reply = None if tried.wants_other else self._reply(state, goal or _NOWHERE)
        action, reason = reply or answer(state, wishes, tried)
        return [action], reason

    def _radio_button(self, state: GameState, goal: Goal) -> tuple[Action, str] | None:
        tune = self._radio.wanted(state, goal, self._planner.set_aside)
        exits = self.world.talk_exits(state, tune.person) if tune is not None else ()
        return self._radio.button(state, tune, is_faced=is_ready(state, exits))

    def _reply(self, state: GameState, goal: Goal) -> tuple[Action, str] | None:
        """Return what the tables reply here; of several ferries the one that comes nearest."""
        boats = [one for one in self._game.tables.FERRIES if one.place == state.place.map]
        aim = self._planner.destination(goal)
        away = self.world.maps.distances_to(aim) if aim and len(boats) > 1 else {}
        boats.sort(key=lambda one: away.get(one.target, UNREACHABLE))
        here = [Answer("", one.reply, one.place) for one in boats[:1] if one.reply]
        return self._replies.reply(state, goal.key, here)

    def _with_items(self, state: GameState, wishes: Wishes, goal: Goal | None) -> Wishes:
        """Return the wishes with what to buy here, to teach or to drink."""
        if self._game.atlas.is_shop(state.place.name):
            level = self._planner.level_of(goal) if goal else 0
            catch = wishes.wants_catch
            buy = self._supplies.wanted(state, state.place.map, wants_catch=catch, level=level)
            return replace(wishes, buy=buy)
        use = self._teacher.lesson(state) or self._provisions.medicine(state, goal)
        return replace(wishes, use=use)

    def _give_up_use(self, state: GameState, goal: Goal | None) -> None:
        """Note that what is being used has led to nothing."""
        if lesson := self._teacher.lesson(state):
            self._teacher.give_up(lesson)
        elif use := self._provisions.medicine(state, goal):
            self._supplies.note_useless(use.item)

    def _walk_to(self, goal: Goal, state: GameState) -> Suggestion:
        suggestion = self._push_to(goal, state)
        self._explorer.note_way(state, is_known=bool(suggestion[0]))
        return suggestion

    def _push_to(self, goal: Goal, state: GameState) -> Suggestion:
        """Return the way to a goal, or what to push for it."""
        here, target = state.place.map, goal.target
        holes = self._game.tables.HOLES.get((here.group, here.number), {})
        number = next((one for one, tile in holes.items() if tile == target), None)
        if not self._planner.is_push(goal) or here != goal.map or number is None or target is None:
            return self.walk(state, self._exits(state, goal), goal.text)
        if buttons := self.navigator.push_onto(state, number, target):
            return self._at_boulder(buttons), goal.text
        # They are put back when the map is left.
        doors = [Link(one.target, (one.x, one.y)) for one in state.map.warps]
        return self.walk(state, link_exits(state.map, doors), "the boulders shut the way: leave")

    def _at_boulder(self, buttons: list[Action]) -> list[Action]:
        """Return one of A and a direction: first see if the boulder moves, then make ready."""
        if len(buttons) < 2 or buttons[0] is not Action.A:
            return buttons
        return buttons[:1] if self.unchanged_steps else buttons[1:]

    def walk(self, state: GameState, exits: tuple[Exit, ...], what: str) -> Suggestion:
        """Return the way to the nearest exit; `what` names its purpose."""
        if not exits:
            return [], "no known path"
        actions, distance = self.navigator.step_towards(state, exits)
        if not actions:
            return [], f"{what}: path blocked"
        self._steps_left = distance
        left = f"{what}: {counted(distance, 'step')} to go" if distance else what
        return self._at_boulder(actions), left

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
        actions = self._game.actions
        known = (actions.idle if b is Action.NOOP else actions.index(b) for b in buttons)
        valid = [action for action in known if action is not None and mask[action]]
        if not valid:
            return Advice(goal, prior, 0.0, reason, nearness)
        prior[valid] = 1.0 / len(valid)
        return Advice(goal, prior, confidence, reason, nearness)

    def nearness(self, goal: Goal, state: GameState) -> float:
        """Return how near a goal is after the way that was suggested last, nan without one."""
        if self._steps_left is None or goal.map is None:
            return math.nan
        steps = self.world.steps_to(state, goal)
        if steps is None:
            steps = self._steps_left + STEPS_A_MAP * self._maps_away(state, goal)
        return _HALFWAY / (_HALFWAY + steps)

    def path(self, goal: Goal, state: GameState) -> tuple[Tile, ...]:
        """Return the tiles of this map on the way to a goal, the next one first."""
        return self.navigator.path(state, self._exits(state, goal))

    def route(self, goal: Goal, state: GameState) -> Route:
        """Return the way to a goal beyond this map, tiles by map; searched once for each map."""
        key = state.place.map, goal
        if key != self._routed[0]:
            legs = groupby(self.world.way_to(state, goal), key=lambda step: step[0])
            tiles = tuple((here, tuple(tile for _, tile in leg)) for here, leg in legs)
            self._routed = key, tiles[1:]
        return self._routed[1]

    def give_way(self) -> None:
        """Note that somebody else leads in the state of `notice`."""
        self._goals.pause()

    @property
    def unchanged_steps(self) -> int:
        """Return for how many steps nothing visible has changed."""
        return self._unchanged.steps

    @property
    def is_stuck(self) -> bool:
        """Return whether advice has changed nothing for too long to be trusted."""
        return self._unchanged.is_stuck

    @property
    def reached(self) -> Collection[str]:
        """Return the keys of the milestones reached in this episode and not taken back since."""
        return self._milestones.reached

    @property
    def set_aside(self) -> tuple[str, ...]:
        """Return the keys of the milestones that wait until the others were tried."""
        return self._planner.set_aside

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
        for name, part in self._parts.items():
            if name in saved:
                part.load(saved[name])
            else:  # an older checkpoint
                part.reset()
        self._milestones.steps = dict(saved["milestones"])
        self._milestones.reached = frozenset(self._milestones.steps)
        self._unchanged.load(saved["last_view"], saved["unchanged_steps"])
        self._first = str(saved.get("first", ""))
        self._is_replaying = True

    def _memory(self) -> dict[str, Any]:
        return {
            **{name: part.save() for name, part in self._parts.items()},
            "milestones": dict(self._milestones.steps),
            "last_view": self._unchanged.view,
            "unchanged_steps": self._unchanged.steps,
            "first": self._first,
        }

    def _exits(self, state: GameState, goal: Goal) -> tuple[Exit, ...]:
        """Return the exits of the current map that serve the goal."""
        return exits_for(state, self._game, self.world, goal, goal.target)

    def _steps_away(self, state: GameState, goal: Goal) -> int | None:
        return steps_away(self.world, state, goal)

    def _maps_away(self, state: GameState, goal: Goal) -> int:
        if goal.map is None:
            return UNREACHABLE
        return self.world.maps.distances_to(goal.map).get(state.place.map, UNREACHABLE)
