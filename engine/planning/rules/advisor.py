"""Advise the next button: battle rules, answers to the screen, else the way to the goal."""

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.env.milestones import MilestoneTracker
from engine.games.base import Game
from engine.ground.text import counted
from engine.planning.rules.answers import Repeats, Tried, Wishes, answer
from engine.planning.rules.battle import battle_button, is_weak
from engine.planning.rules.exploring import Explorer
from engine.planning.rules.goals import UNREACHABLE, GoalPlanner, GoalTracker
from engine.planning.rules.items import (
    ITEM_POCKET,
    ItemUse,
    Supplies,
    cure_for,
    is_end_of_goods,
    potion_for,
    revive_for,
)
from engine.planning.rules.ways import STEPS_A_MAP, step_exits, steps_away
from engine.types import Action, Advice, Bag, GameState, Goal, GoalKind, GoalTally, MapId
from engine.wayfinding.navigation import (
    Exit,
    Navigator,
    Tile,
    WorldMap,
    grass_exits,
    link_exits,
    talk_exits,
)

Suggestion = tuple[list[Action], str]
"""Buttons that are equally good, none where nothing is known, and why."""

Route = tuple[tuple[MapId, tuple[Tile, ...]], ...]
"""A way over several maps: for each the tiles (x, y) in order."""

GOAL_SOURCE = "rules"
"""Goal source of the rules' goals."""

_CONFIDENCE = 0.9
_STUCK_AFTER = 6
"""Steps without any visible change after which no advice is given any more."""
_STUCK_WAITING = 40
"""The same while the game moves by itself: before a trainer's battle it does for 16, a creature
evolves for 30, and any button could stop that."""

STUCK = "nothing changes: try something else"

_NOWHERE = Goal("explore", "Explore")

_HALFWAY = 30.0
"""Steps away from a goal at which its nearness is 1/2."""

_SHOP_REACH = 3
"""Maps away up to which a shop is worth the way."""

_HEALER_NEAR = 1
"""Maps away up to which the party is taken to a healer instead of given potions."""

_DRINK_BELOW, _DRINK_TO = 0.4, 0.5
"""Shares of the best creature's health below which potions are used: usually, and on the way to
rest. Above the latter the mask keeps the menu shut: nobody is hurt enough."""


class RuleAdvisor:
    """The rule planner of one environment; knows the game only by its tables and its RAM.

    Attributes:
        world: Which map leads to which.
        navigator: Finds the way on a map.
        unchanged_steps: For how many steps nothing visible has changed.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self.world = WorldMap.of(game)
        self.navigator = Navigator(game.atlas, game.overworld, self.world.triggers_here)
        self._steps_left: int | None = None  # on this map, of the way that was suggested last
        self.unchanged_steps = 0
        self._routed: tuple[tuple[MapId, Goal] | None, Route] = (None, ())
        self._planner = GoalPlanner(game.tables.MILESTONES, game.atlas)
        self._milestones = MilestoneTracker(game.tables.MILESTONES)
        self._goals = GoalTracker(GOAL_SOURCE)
        self._explorer = Explorer(self.world)
        self._supplies = Supplies(game.tables)
        self._repeats = Repeats()
        self._shops = tuple(
            Goal("buy", f"Buy potions in {name}", MapId(*key), kind=GoalKind.BUY)
            for key, name in game.tables.MAPS.items()
            if game.atlas.is_shop(name)
        )
        self._last_view: list[object] = []
        self._is_waiting = False
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
        self.world.reset()
        self._goals.reset()
        self._explorer.reset()
        self._supplies.reset()
        self._repeats.reset()
        self._last_view = []
        self.unchanged_steps = 0

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
        self._count_unchanged(state)
        self._repeats.notice(state, len(self.reached))
        self._supplies.notice(state)
        goal = self._planner.next_goal(
            state, self.reached, self._maps_away, self._first, self._steps_away
        )
        goal = self._explorer.goal(state, goal, len(self.reached))
        return self._shop_before(state, goal) if goal else _NOWHERE

    def lead(self, goal: Goal, state: GameState, mask: NDArray[np.bool_]) -> Advice:
        """Return a prior that serves the goal of `notice`."""
        confidence = _CONFIDENCE * self._goals.pursue(goal, state)
        if self.is_stuck:
            self._explorer.note_way(state, is_known=False)
            return self.advice_of(goal, [], STUCK, mask, confidence)
        may_catch = state.battle is not None or self._game.atlas.is_shop(state.place.name)
        actions, reason = self.suggest(
            state,
            lambda: self._walk_to(goal, state),
            wants_catch=may_catch and self._planner.wants_catch(state, self.reached),
            goal=goal,
        )
        return self.advice_of(goal, actions, reason, mask, confidence, self.nearness(goal, state))

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
            return [], "the game has not started"
        repeats = self._repeats
        tried = Tried(self.unchanged_steps, repeats.times, repeats.wants_other_answer)
        wishes = Wishes(wants_catch=wants_catch, wants_run=wants_run)
        if state.battle is not None:
            action, reason = battle_button(self._game.tables, state, wishes, tried)
            return [action], reason
        if not repeats.is_tired:
            wishes = self._with_items(state, wishes, goal)
        elif repeats.wants_other_answer and (use := self._medicine(state, goal)):
            self._supplies.note_useless(use.item)
        if state.control.is_free:
            return ([Action.START], wishes.use.why) if wishes.use else walk()
        if wishes.buy and is_end_of_goods(state):
            self._supplies.note_not_sold(state.place.map, wishes.buy)
        action, reason = answer(state, wishes, tried)
        return [action], reason

    def _walk_to(self, goal: Goal, state: GameState) -> Suggestion:
        suggestion = self.walk(state, self._exits(state, goal), goal.text)
        self._explorer.note_way(state, is_known=bool(suggestion[0]))
        return suggestion

    def walk(self, state: GameState, exits: tuple[Exit, ...], what: str) -> Suggestion:
        """Return the way to the nearest exit; `what` names its purpose."""
        if not exits:
            return [], "no known path"
        actions, distance = self.navigator.step_towards(state, exits)
        if not actions:
            return [], f"{what}: path blocked"
        self._steps_left = distance
        return actions, f"{what}: {counted(distance, 'step')} to go" if distance else what

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
    def is_stuck(self) -> bool:
        """Return whether advice has changed nothing for too long to be trusted."""
        return self.unchanged_steps >= (_STUCK_WAITING if self._is_waiting else _STUCK_AFTER)

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
        self.world.load(saved.get("world", {}))
        self._goals.load(saved["goals"])
        if "explorer" in saved:
            self._explorer.load(saved["explorer"])
        self._milestones.steps = dict(saved["milestones"])
        self._supplies.load(saved.get("supplies", ()))
        if "repeats" in saved:
            self._repeats.load(saved["repeats"])
        self._last_view = saved["last_view"]
        self._first = str(saved.get("first", ""))
        self._is_replaying = True
        self.unchanged_steps = int(saved["unchanged_steps"])

    def _memory(self) -> dict[str, Any]:
        return {
            "planner": self._planner.save(),
            "world": self.world.save(),
            "goals": self._goals.save(),
            "explorer": self._explorer.save(),
            "milestones": dict(self._milestones.steps),
            "supplies": self._supplies.save(),
            "repeats": self._repeats.save(),
            "last_view": self._last_view,
            "unchanged_steps": self.unchanged_steps,
            "first": self._first,
        }

    def _exits(self, state: GameState, goal: Goal) -> tuple[Exit, ...]:
        """Return the exits of the current map that serve the goal."""
        return self.world.exits(state, goal, lambda: self._exits_here(state, goal))

    def _exits_here(self, state: GameState, goal: Goal) -> tuple[Exit, ...]:
        """Return them as far as this map and the links of maps tell."""
        if goal.map is None:
            return ()
        if state.place.map != goal.map:
            return link_exits(state.map, self.world.links_towards(state.place.map, goal.map))
        if goal.target is not None and not goal.is_interaction:
            return step_exits(state.map, goal.target)
        if goal.target is not None:
            return self.world.talk_exits(state, goal.target)
        if goal.kind is GoalKind.BUY:
            clerk = self._game.atlas.clerk
            found = ((one.x, one.y) for one in state.map.objects if one.index == clerk)
            return tuple(entry for tile in found for entry in talk_exits(state.map, tile))
        return grass_exits(state.map)

    def _shop_before(self, state: GameState, goal: Goal) -> Goal:
        """Return the way to a shop where it pays before `goal`, else `goal`."""
        is_story = goal.kind in {GoalKind.MEET, GoalKind.REACH}
        if not is_story or not self._planner.is_preparing(goal) or self._repeats.is_tired:
            return goal
        due = [
            (distance, i)
            for i, shop in enumerate(self._shops)
            if (distance := self._maps_away(state, shop)) <= _SHOP_REACH
            and shop.map is not None
            and self._supplies.is_visit_due(state, shop.map)
        ]
        shops = (self._shops[i] for _, i in sorted(due))
        return next((one for one in shops if self._steps_away(state, one) is not None), goal)

    def _with_items(self, state: GameState, wishes: Wishes, goal: Goal | None) -> Wishes:
        """Return the wishes with what to buy here, or to drink."""
        place = state.place
        if self._game.atlas.is_shop(place.name):
            buy = self._supplies.wanted(state, place.map, wants_catch=wishes.wants_catch)
            return replace(wishes, buy=buy)
        return replace(wishes, use=self._medicine(state, goal))

    def _medicine(self, state: GameState, goal: Goal | None) -> ItemUse | None:
        """Return what to use on the way where no healer is near; None: there is no need."""
        bag, tables = self._supplies.of_use(state.bag), self._game.tables
        if state.place.environment == "indoor" or not bag.items or not state.party:
            return None
        use = self._revival(state, bag) or self._cure(state, bag)
        if use is None:
            is_resting = goal is not None and goal.kind is GoalKind.HEAL
            if not is_weak(state.party, _DRINK_TO if is_resting else _DRINK_BELOW):
                return None
            slot = _strongest(state)
            potion = potion_for(tables, bag, state.party[slot])
            if potion is None:
                return None
            use = ItemUse(potion[1], ITEM_POCKET, slot, f"heal {state.party[slot].name}")
        return None if self._is_healer_near(state) else use

    def _revival(self, state: GameState, bag: Bag) -> ItemUse | None:
        """Return how to bring the strongest back; a weaker one is not worth it."""
        slot = max(range(len(state.party)), key=lambda i: (state.party[i].level, -i))
        best = state.party[slot]
        item = revive_for(self._game.tables, bag, best)
        return ItemUse(item, ITEM_POCKET, slot, f"revive {best.name}") if item else None

    def _cure(self, state: GameState, bag: Bag) -> ItemUse | None:
        for slot, one in enumerate(state.party):
            if item := cure_for(self._game.tables, bag, one):
                return ItemUse(item, ITEM_POCKET, slot, f"cure {one.name} of {one.status}")
        return None

    def _is_healer_near(self, state: GameState) -> bool:
        return any(
            self._maps_away(state, healer) <= _HEALER_NEAR
            and self._steps_away(state, healer) is not None
            for healer in self._game.atlas.healers
        )

    def _steps_away(self, state: GameState, goal: Goal) -> int | None:
        return steps_away(self.world, state, goal)

    def _maps_away(self, state: GameState, goal: Goal) -> int:
        if goal.map is None:
            return UNREACHABLE
        return self.world.distances_to(goal.map).get(state.place.map, UNREACHABLE)

    def _count_unchanged(self, state: GameState) -> None:
        battle, place, control = state.battle, state.place, state.control
        view: list[object] = [
            [place.map.group, place.map.number, place.x, place.y, int(place.facing)],
            [*control.cursor, control.selection, control.pocket, control.prompt],
            list(state.screen_text),
            [battle.own.hp, battle.enemy.hp] if battle and battle.own and battle.enemy else [],
        ]
        self.unchanged_steps = self.unchanged_steps + 1 if view == self._last_view else 0
        self._last_view, self._is_waiting = view, control.is_busy


def _strongest(state: GameState) -> int:
    """Return the place in the party of the strongest that stands, the first of equals."""
    _, slot = max(((one.level, -i) for i, one in enumerate(state.party) if one.hp), default=(0, 0))
    return -slot


def known_goals(game: Game) -> frozenset[str]:
    """Return the keys of the milestones that the rules know a way to."""
    has_ways = game.atlas.links or game.overworld is not None
    return frozenset(GoalPlanner(game.tables.MILESTONES, game.atlas).goals if has_ways else ())
