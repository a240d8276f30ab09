"""Advise by a planner's subgoals where they lead; elsewhere the rules lead, or nobody."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import RunConfig
from engine.env.observation.pixels import sight_of
from engine.env.stepping import SteppedEnv, make_game_env
from engine.games.base import Game
from engine.planning.goals.active_goal import ActiveGoal, Scene
from engine.planning.goals.queries import make_planning_query
from engine.planning.goals.scheduler import RECENT, PlanScheduler, SchedulerState, Slot
from engine.planning.goals.subgoal_codec import subgoal_from_json, subgoal_to_json
from engine.planning.history.patterns import context_key, walking_context
from engine.planning.rules.advisor import GOAL_SOURCE, STUCK, Route, RuleAdvisor, Suggestion
from engine.planning.rules.ways import exits_for, step_to_new_ground
from engine.planning_types import GoalOutcome, PlannerUpdate, PlanningQuery, Subgoal, SubgoalBook
from engine.types import Advice, GameState, Goal, GoalKind, GoalTally, MapId
from engine.wayfinding.exits import Tile

_UNKNOWN = 0.5
"""Chance of success of what was not tried often enough."""

Known = Mapping[str, Mapping[int, float]]
"""Context key -> action -> estimated success, 0 to 1."""


class Experience:
    """Weigh equally good buttons by what the history of decisions knows of them.

    The one that paid off more often in such situations is advised more; how far advice is followed
    at all does not change. The last weights are saved, so that a restored state gets the same
    advice again.
    """

    def __init__(self) -> None:
        self._known: Known = {}
        self._used: list[float] = []
        self._replayed: list[float] | None = None

    def learn(self, known: Known) -> None:
        """Replace what is known."""
        self._known = known

    def weigh(self, advice: Advice, state: GameState) -> Advice:
        """Return the advice with its equally good buttons weighed."""
        weights, self._replayed = self._replayed, None
        if weights is None:
            weights = self._weights(advice, state)
        self._used = list(weights)
        if not weights:
            return advice
        prior = advice.prior * np.array(weights, np.float32)
        return replace(advice, prior=prior / prior.sum() * advice.prior.sum())

    def save(self) -> list[float]:
        """Return what the last advice was weighed by, JSON-able."""
        return self._used

    def restore(self, saved: Sequence[Any]) -> None:
        """Weigh the next advice by what `save` returned."""
        self._replayed = [float(weight) for weight in saved]

    def _weights(self, advice: Advice, state: GameState) -> list[float]:
        """Return (A,) weights; [] where there is nothing to weigh, or nothing is known."""
        is_walking = state.control.is_free and state.battle is None
        if not self._known or not is_walking or np.count_nonzero(advice.prior) < 2:
            return []
        context = walking_context(state.place.name, advice.goal.kind)
        found = self._known.get(context_key(context))
        if not found:
            return []
        return [found.get(action, _UNKNOWN) for action in range(len(advice.prior))]


_NOBODY = Goal("none", "No goal")


class PlannedAdvisor:
    """Advise one environment by subgoals. Until there is one, it is the rule planner.

    The run's seed decides which subgoals are ignored, as controls.
    """

    def __init__(self, game: Game, env_index: int = 0, seed: int = 0) -> None:
        self._rules = RuleAdvisor(game)
        self._game = game
        self._env_index = env_index
        self._scheduler = PlanScheduler(game.tables.NAME, env_index, seed, self._look)
        self._book = SubgoalBook()
        self._experience = Experience()
        self._coming = self._now = PlannerUpdate()
        self._state: GameState | None = None
        self._goal: Goal | None = None
        self._is_reopening = False
        self._forget()

    def _forget(self) -> None:
        """Forget everything but what continues over episodes."""
        self._scheduler.reset()
        self._before: SchedulerState | None = None
        # In the order of the first visit, so that their number shows what was known when.
        self._tiles: dict[tuple[MapId, Tile], None] = {}
        self._been: dict[MapId, set[Tile]] = {}
        self._question: tuple[Slot, str, str] | None = None
        self._looked: dict[str, Subgoal | None] = {}
        self._replayed: dict[str, Subgoal | None] | None = None
        self.goal_source = GOAL_SOURCE

    @property
    def wants_plan(self) -> bool:
        """Return whether `question` has something to ask."""
        return self._question is not None

    def update_planner(self, update: PlannerUpdate) -> None:
        """Follow these subgoals from the next advice on."""
        self._book.take(update)
        self._experience.learn(update.experience)
        self._coming = replace(update, plans=(), asks_anew=False)
        for subgoal in update.plans:
            self._scheduler.asked.pop(subgoal.key, None)
        self._is_reopening |= update.asks_anew

    def prioritise_milestone(self, milestone: str) -> None:
        """Let the rules pursue a milestone before all others, from the next advice on."""
        self._rules.prioritise_milestone(milestone)

    def path(self, state: GameState) -> tuple[Tile, ...]:
        """Return the tiles of this map on the way that the last advice serves, next first."""
        active_goal = self._scheduler.leading(state) if self._now.is_on else None
        if active_goal is None:
            has_rules = not self._now.is_on or self._now.fallback == "rules"
            return self._rules.path(self._goal, state) if has_rules and self._goal else ()
        goal = active_goal.subgoal.option.goal
        if goal.kind is GoalKind.EXPLORE:
            return ()
        exits = exits_for(state, self._game, self._rules.world, goal, active_goal.target(state))
        return self._rules.navigator.path(state, exits)

    def route(self, state: GameState) -> Route:
        """Return the way beyond this map that the last advice serves, tiles by map."""
        active_goal = self._scheduler.leading(state) if self._now.is_on else None
        goal = self._goal if active_goal is None else active_goal.subgoal.option.goal
        return self._rules.route(goal, state) if goal is not None else ()

    def reset(self, state: GameState) -> None:
        """Start an episode at `state`; what is still pursued has failed."""
        if self._now.is_on:
            self._scheduler.end()
        self._forget()
        self._rules.reset(state)

    def advise(self, state: GameState, mask: NDArray[np.bool_]) -> Advice:
        """Return the goal and a prior over the actions that `mask` (A,) lets through."""
        if self._replayed is None:
            self._turn_to(self._coming)
        if not self._now.is_on:
            self._replayed = None
            advice = self._rules.advise(state, mask)
            self._goal = advice.goal
            return self._experience.weigh(advice, state)
        rules, scheduler = self._rules, self._scheduler
        self._before = copy.copy(scheduler.memory)
        self._looked = {}
        self._state = state
        goal = self._goal = rules.notice(state)
        unchanged = rules.unchanged_steps
        scheduler.advance(self._scene(state), len(self._been), self._now, rules.reached, unchanged)
        self._question = scheduler.next_question(state, self._now, unchanged)
        self._replayed = None
        return self._experience.weigh(self._lead(goal, state, mask), state)

    def question(self) -> PlanningQuery | None:
        """Return what to ask the planner, once; None when there is nothing."""
        if self._question is None or self._state is None:
            return None
        slot, key, trigger = self._question
        memory = self._scheduler.memory
        recent, active_goal = memory.recent, slot.active_goal
        if active_goal is not None and key != slot.key:
            text = active_goal.subgoal.option.goal.text
            recent = (*recent, (text, f"not within {active_goal.age} steps"))
        self._scheduler.asked[key] = memory.step
        self._question = None
        return make_planning_query(
            self._state,
            self._game,
            self._rules.world,
            self._rules.reached,
            tried=memory.tried.get(slot.base, ()),
            key=key,
            env_index=self._env_index,
            trigger=trigger,
            recent=recent[-RECENT:],
        )

    def take_goal_outcomes(self) -> tuple[GoalOutcome, ...]:
        """Return the outcomes of subgoals since the last time."""
        taken, self._scheduler.goal_outcomes = self._scheduler.goal_outcomes, []
        return tuple(taken)

    @property
    def set_aside(self) -> tuple[str, ...]:
        """Return the keys of the milestones that the rules have put off."""
        return self._rules.set_aside

    def outcomes(self) -> tuple[GoalTally, ...]:
        """Return how the rules' goals of the episode went; subgoals have goal outcomes."""
        return self._rules.outcomes()

    def save(self) -> dict[str, Any]:
        """Return what it remembered before its last advice, and the subgoals looked up for that.

        The book of subgoals is not in it: whoever sent them sends them again.
        """
        memory = self._before or self._scheduler.memory
        now = self._now
        planned = {
            "memory": memory.save(),
            "tiles": [
                [place.group, place.number, *tile]
                for place, tile in list(self._tiles)[: memory.num_tiles]
            ],
            "asked": dict(self._scheduler.asked),
            "looked": {key: one and subgoal_to_json(one) for key, one in self._looked.items()},
            "now": [now.is_on, now.model_share, now.holdout_fraction, now.fallback],
            "is_reopening": self._is_reopening,
        }
        weights = self._experience.save()
        return self._rules.save() | {"planned": planned, "weights": weights}

    def restore(self, saved: dict[str, Any]) -> None:
        """Put back what `save` returned; the next advice is the one that was given then."""
        self._rules.restore(saved)
        self._experience.restore(saved.get("weights", ()))
        self._forget()
        self._scheduler.goal_outcomes = []
        facts = saved.get("planned")
        if facts is None:  # saved before there were subgoals
            return
        self._scheduler.memory = SchedulerState.load(facts["memory"])
        self._scheduler.asked = dict(facts["asked"])
        for group, number, x, y in facts["tiles"]:
            self._note_tile(MapId(group, number), (x, y))
        self._is_reopening = bool(facts.get("is_reopening"))
        is_on, model_share, holdout_fraction, fallback = facts["now"]
        self._now = PlannerUpdate(is_on, model_share, holdout_fraction, fallback)
        self._replayed = {
            key: subgoal_from_json(one) if one else None for key, one in facts["looked"].items()
        }

    def _turn_to(self, update: PlannerUpdate) -> None:
        if self._now.is_on and not update.is_on:
            self._forget()
        self._now = update
        if self._is_reopening:
            self._is_reopening = False
            self._scheduler.reopen()

    def _look(self, key: str) -> Subgoal | None:
        """Return the subgoal for a key; after `restore` the one that was known then."""
        known = self._book if self._replayed is None else self._replayed
        self._looked[key] = known.get(key)
        return self._looked[key]

    def _scene(self, state: GameState) -> Scene:
        place, battle = state.place, state.battle
        if state.control.is_free:
            self._note_tile(place.map, (place.x, place.y))
        was_won = self._scheduler.memory.was_won
        if battle is not None:
            was_won = battle.enemy is not None and battle.enemy.hp == 0
        levels = tuple(sorted((one.level for one in state.party), reverse=True))
        return Scene(state, len(self._rules.reached), len(self._tiles), levels, was_won)

    def _note_tile(self, place: MapId, tile: Tile) -> None:
        self._tiles[place, tile] = None
        self._been.setdefault(place, set()).add(tile)

    def _lead(self, rules_goal: Goal, state: GameState, mask: NDArray[np.bool_]) -> Advice:
        active_goal = self._scheduler.leading(state)
        self.goal_source = GOAL_SOURCE
        if active_goal is None and self._now.fallback == "rules":
            return self._rules.lead(rules_goal, state, mask)
        self._rules.give_way()
        if active_goal is None:
            return self._rules.advice_of(_NOBODY, [], "no planner goal", mask, 0.0)
        subgoal = active_goal.subgoal
        self.goal_source = subgoal.goal_source
        goal, confidence = subgoal.option.goal, subgoal.confidence * active_goal.freshness
        if self._rules.is_stuck:
            return self._rules.advice_of(goal, [], STUCK, mask, confidence)
        stays = {GoalKind.FIGHT, GoalKind.CATCH, GoalKind.TRAIN}
        kind = subgoal.option.kind
        actions, reason = self._rules.suggest(
            state,
            lambda: self._walk(state, active_goal),
            wants_catch=kind is GoalKind.CATCH,
            wants_run=True if kind is GoalKind.RUN else False if kind in stays else None,
            goal=goal,
        )
        nearness = self._rules.nearness(goal, state)
        return self._rules.advice_of(goal, actions, reason, mask, confidence, nearness)

    def _walk(self, state: GameState, active_goal: ActiveGoal) -> Suggestion:
        goal = active_goal.subgoal.option.goal
        if goal.kind is GoalKind.EXPLORE:
            step = step_to_new_ground(state, self._been.get(state.place.map, ()))
            return ([step.action], goal.text) if step else ([], "everything in reach has been seen")
        exits = exits_for(state, self._game, self._rules.world, goal, active_goal.target(state))
        return self._rules.walk(state, exits, goal.text)


def make_env(config: RunConfig, env_index: int, kind: type[SteppedEnv] = SteppedEnv) -> SteppedEnv:
    """Make one environment of a run, as its workers run it; with an advisor if one is of use."""
    env = make_game_env(config, env_index)
    advisor = PlannedAdvisor(env.game, env_index, config.seed) if config.is_advised else None
    stepped = kind(
        env, advisor, sight=sight_of(config.encoder), is_advised=config.mode != "rl_only"
    )
    if config.agent == "explore":
        env.lift_limits()  # what is returned to may be longer than an episode
    if config.agent == "explore" or config.curriculum.swarm_share:
        stepped.cell_tiles = config.explore.tiles
    return stepped
