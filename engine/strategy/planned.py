"""Advise by a planner's plans where they lead; else the rules lead, or nobody."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.games.profile import GameProfile
from engine.llm.plan_codec import plan_facts, read_plan_facts
from engine.plans import Directions, Plan, PlanBook, Situation, Verdict
from engine.strategy.advisor import SETTER, STUCK, RuleAdvisor, advice_of, known_healers
from engine.strategy.experience import Experience
from engine.strategy.navigation import Tile
from engine.strategy.plan_memory import PlanMemory, Slot
from engine.strategy.pursuit import Pursuit, Scene
from engine.strategy.situations import describe_situation
from engine.strategy.steering import Suggestion
from engine.strategy.turns import RECENT, Turns
from engine.strategy.ways import exits_for, step_to_new_ground
from engine.types import NUM_ACTIONS, Advice, GameState, Goal, GoalKind, GoalTally, MapId

_NOBODY = Goal("none", "No goal")


class PlannedAdvisor:
    """Advise one environment by plans. Until it is told of any, it is the rule planner.

    Args:
        profile: The game.
        env_index: The environment's number.
        seed: Of the run: decides which plans are ignored.
    """

    def __init__(self, profile: GameProfile, env_index: int = 0, seed: int = 0) -> None:
        self._rules = RuleAdvisor(profile)
        self._tables = profile.tables
        self._healers = known_healers(profile)
        self._env_index = env_index
        self._turns = Turns(self._tables.NAME, env_index, seed, self._look)
        self._book = PlanBook()
        self._experience = Experience()
        self._coming = self._now = Directions()
        self._before: PlanMemory | None = None
        # In the order of the first visit, so that their number tells what was known when.
        self._tiles: dict[tuple[MapId, Tile], None] = {}
        self._been: dict[MapId, set[Tile]] = {}
        self._question: tuple[Slot, str, str] | None = None
        self._looked: dict[str, Plan | None] = {}
        self._replayed: dict[str, Plan | None] | None = None
        self._state: GameState | None = None
        self._setter = SETTER
        self._goal: Goal | None = None
        self._is_reopening = False

    @property
    def setter(self) -> str:
        """Return who set the goal that the last advice serves."""
        return self._setter

    @property
    def wants_plan(self) -> bool:
        """Tell whether `question` has something to ask."""
        return self._question is not None

    def direct(self, directions: Directions) -> None:
        """Take in plans, from the next advice on."""
        self._book.take(directions)
        self._experience.learn(directions.experience)
        self._coming = replace(directions, plans=(), asks_anew=False)
        for plan in directions.plans:
            self._turns.asked.pop(plan.key, None)
        self._is_reopening |= directions.asks_anew

    def pursue_first(self, milestone: str) -> None:
        """Let the rules pursue a milestone before all others, from the next advice on."""
        self._rules.pursue_first(milestone)

    def path(self, state: GameState) -> tuple[Tile, ...]:
        """Return the tiles of this map on the way that the last advice serves, next first."""
        pursuit = self._turns.leading(state) if self._now.is_on else None
        if pursuit is None:
            has_rules = not self._now.is_on or self._now.fallback == "rules"
            return self._rules.path(self._goal, state) if has_rules and self._goal else ()
        goal = pursuit.plan.choice.goal
        if goal.kind is GoalKind.EXPLORE:
            return ()
        exits = exits_for(state, self._rules.world, goal, pursuit.target(state))
        return self._rules.steering.path(state, exits)

    def reset(self, state: GameState) -> None:
        """Start an episode at `state`; what is still pursued has failed."""
        if self._now.is_on:
            self._turns.end()
        self._forget()
        self._rules.reset(state)

    def advise(self, state: GameState, mask: NDArray[np.bool_]) -> Advice:
        """Return the goal and a prior over the unmasked actions.

        Args:
            state: The game now.
            mask: (9,) bool.
        """
        if self._replayed is None:
            self._turn_to(self._coming)
        if not self._now.is_on:
            self._replayed = None
            advice = self._rules.advise(state, mask)
            self._goal = advice.goal
            return self._experience.weigh(advice, state)
        rules, turns = self._rules, self._turns
        self._before = copy.copy(turns.memory)
        self._looked = {}
        self._state = state
        goal = self._goal = rules.notice(state)
        unchanged = rules.unchanged_steps
        turns.advance(self._scene(state), len(self._been), self._now, rules.reached, unchanged)
        self._question = turns.next_question(state, self._now, unchanged)
        self._replayed = None
        return self._experience.weigh(self._lead(goal, state, mask), state)

    def question(self) -> Situation | None:
        """Return what to ask the planner, once; None when there is nothing."""
        if self._question is None or self._state is None:
            return None
        slot, key, trigger = self._question
        memory = self._turns.memory
        recent = memory.recent
        if slot.pursuit is not None and key != slot.key:
            steps = slot.pursuit.age
            recent = (*recent, (slot.pursuit.plan.choice.goal.text, f"not within {steps} steps"))
        self._turns.asked[key] = memory.step
        self._question = None
        return describe_situation(
            self._state,
            self._tables,
            self._rules.world,
            self._healers,
            self._rules.reached,
            tried=memory.tried.get(slot.base, ()),
            key=key,
            env_index=self._env_index,
            trigger=trigger,
            recent=recent[-RECENT:],
        )

    def take_verdicts(self) -> tuple[Verdict, ...]:
        """Return what became of plans since the last time."""
        turns = self._turns
        if not turns.verdicts:
            return ()
        taken, turns.verdicts = tuple(turns.verdicts), []
        return taken

    def outcomes(self) -> tuple[GoalTally, ...]:
        """Return how the rules' goals of the episode went; plans have verdicts."""
        return self._rules.outcomes()

    def save(self) -> dict[str, Any]:
        """Return what it remembered before its last advice, and which plans that looked at.

        The book of plans is not in it: who sent the plans sends them again.
        """
        memory = self._before or self._turns.memory
        now = self._now
        planned = {
            "memory": memory.save(),
            "tiles": [
                [place.group, place.number, *tile]
                for place, tile in list(self._tiles)[: memory.num_tiles]
            ],
            "asked": dict(self._turns.asked),
            "looked": {key: plan and plan_facts(plan) for key, plan in self._looked.items()},
            "now": [now.is_on, now.model_share, now.ignore_share, now.fallback],
            "is_reopening": self._is_reopening,
        }
        weights = self._experience.save()
        return self._rules.save() | {"planned": planned, "weights": weights}

    def restore(self, saved: dict[str, Any]) -> None:
        """Put back what `save` returned; the next advice is the one that was given then."""
        self._rules.restore(saved)
        self._experience.restore(saved.get("weights", ()))
        self._forget()
        self._turns.verdicts = []
        facts = saved.get("planned")
        if facts is None:  # saved before there were plans
            return
        self._turns.memory = PlanMemory.load(facts["memory"])
        self._turns.asked = dict(facts["asked"])
        for group, number, x, y in facts["tiles"]:
            self._note_tile(MapId(group, number), (x, y))
        self._is_reopening = bool(facts.get("is_reopening"))
        is_on, model_share, ignore_share, fallback = facts["now"]
        self._now = Directions(is_on, model_share, ignore_share, fallback)
        self._replayed = {
            key: read_plan_facts(plan) if plan else None for key, plan in facts["looked"].items()
        }

    def _forget(self) -> None:
        """Begin with nothing but what goes on over episodes."""
        self._turns.reset()
        self._before = None
        self._tiles, self._been = {}, {}
        self._question = None
        self._looked, self._replayed = {}, None
        self._setter = SETTER

    def _turn_to(self, directions: Directions) -> None:
        if self._now.is_on and not directions.is_on:
            self._forget()
        self._now = directions
        if self._is_reopening:
            self._is_reopening = False
            self._turns.reopen()

    def _look(self, key: str) -> Plan | None:
        """Return the plan for a key; after `restore` the one that was known then."""
        plan = self._book.get(key) if self._replayed is None else self._replayed.get(key)
        self._looked[key] = plan
        return plan

    def _scene(self, state: GameState) -> Scene:
        place, battle = state.place, state.battle
        if state.control.is_free:
            self._note_tile(place.map, (place.x, place.y))
        was_won = self._turns.memory.was_won
        if battle is not None:
            was_won = battle.enemy is not None and battle.enemy.hp == 0
        levels = tuple(sorted((one.level for one in state.party), reverse=True))
        return Scene(state, len(self._rules.reached), len(self._tiles), levels, was_won)

    def _note_tile(self, place: MapId, tile: Tile) -> None:
        self._tiles[place, tile] = None
        self._been.setdefault(place, set()).add(tile)

    def _lead(self, rules_goal: Goal, state: GameState, mask: NDArray[np.bool_]) -> Advice:
        pursuit = self._turns.leading(state)
        if pursuit is None and self._now.fallback == "rules":
            self._setter = SETTER
            return self._rules.lead(rules_goal, state, mask)
        self._rules.give_way()
        if pursuit is None:
            self._setter = SETTER
            return Advice(_NOBODY, np.zeros(NUM_ACTIONS, np.float32), 0.0, "nobody leads")
        plan = pursuit.plan
        self._setter = plan.setter
        goal, confidence = plan.choice.goal, plan.confidence * pursuit.freshness
        if self._rules.is_stuck:
            return advice_of(goal, [], STUCK, mask, confidence)
        actions, reason = self._suggest(state, pursuit)
        nearness = self._rules.nearness(goal, state)
        return advice_of(goal, actions, reason, mask, confidence, nearness)

    def _suggest(self, state: GameState, pursuit: Pursuit) -> Suggestion:
        kind = pursuit.plan.choice.kind
        wants_run = {
            GoalKind.RUN: True,
            GoalKind.FIGHT: False,
            GoalKind.CATCH: False,
            GoalKind.TRAIN: False,
        }.get(kind)
        return self._rules.steering.suggest(
            state,
            lambda: self._walk(state, pursuit),
            wants_catch=kind is GoalKind.CATCH,
            wants_run=wants_run,
        )

    def _walk(self, state: GameState, pursuit: Pursuit) -> Suggestion:
        goal = pursuit.plan.choice.goal
        if goal.kind is GoalKind.EXPLORE:
            step = step_to_new_ground(state, self._been.get(state.place.map, ()))
            return ([step.action], goal.text) if step else ([], "everything in reach was seen")
        exits = exits_for(state, self._rules.world, goal, pursuit.target(state))
        return self._rules.steering.walk(state, exits, goal.text)
