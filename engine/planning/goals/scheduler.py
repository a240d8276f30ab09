"""Decide in each situation of an episode who leads, and evaluate the subgoals that were at hand.

A planning event is a new situation (its key is new), a goal or a battle that is over, or a subgoal
that comes for a situation that had none. If a subgoal is known then, it is decided who leads: the
model by its share of the events, sometimes ignored at random, so that its uplift can be measured.
RAM shows the outcome of every subgoal of a model's event, followed or ignored.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from engine.planning.goals.active_goal import (
    ActiveGoal,
    Scene,
    activate,
    evaluate,
    facts_of,
    fields_from,
    has_gained_level,
    is_about_battle,
    is_idle,
)
from engine.planning.goals.queries import (
    Base,
    Tried,
    battle_base,
    is_settled,
    key_of,
    trigger_of,
    walking_base,
    with_tried,
)
from engine.planning.rules.goal_tracker import LIFE_STEPS
from engine.planning_types import GoalOutcome, Outcome, PlannerUpdate, Subgoal
from engine.types import BattleKind, GameState, GoalKind


@dataclass(frozen=True, slots=True)
class Slot:
    """A situation, outside of battles or in one, and who leads in it.

    Attributes:
        trigger: Why a planner is asked about it.
        is_assigned: It was decided who leads; else it is still open whether a subgoal is known.
        active_goal: What leads, or is ignored as a control; None: others lead.
        age: Steps since it was assigned to others.
    """

    base: Base
    key: str
    trigger: str
    is_assigned: bool = False
    active_goal: ActiveGoal | None = None
    age: int = 0

    def save(self) -> dict[str, Any]:
        """Return all of it, JSON-able."""
        active_goal = self.active_goal.save() if self.active_goal else None
        return facts_of(self) | {"base": list(self.base), "pursuit": active_goal}

    @classmethod
    def load(cls, facts: Mapping[str, Any]) -> "Slot":
        """Restore what `save` returned."""
        active_goal = ActiveGoal.load(facts["pursuit"]) if facts["pursuit"] else None
        changed = {"base": tuple(facts["base"]), "active_goal": active_goal}
        return cls(**fields_from(facts) | changed)


@dataclass(slots=True)
class SchedulerState:
    """The state of subgoals in an episode; values in it are only replaced: a copy is a snapshot.

    Attributes:
        step: Of the episode, as far as subgoals were followed in it.
        walk: Outside of battles; None before the first state to plan in.
        fight: In the battle, None outside of one.
        tried: Goals that are over, by the base that they were set in, since the last milestone.
        recent: (goal, outcome) of the last goals.
        waiting: Outcomes that are given out once progress shows, or at a step of the episode
            without any.
        share_credit: How much of an event is the model's, by its share so far.
        drawn: Random numbers drawn so far.
        milestones: As of the step before; so are the following four.
        was_won: See `Scene`.
        num_tiles: How many were stood on; so with `num_maps`.
    """

    step: int = 0
    walk: Slot | None = None
    fight: Slot | None = None
    tried: Mapping[Base, Tried] = field(default_factory=lambda: MappingProxyType({}))
    recent: tuple[tuple[str, str], ...] = ()
    waiting: tuple[tuple[GoalOutcome, int], ...] = ()
    share_credit: float = 0.0
    drawn: int = 0
    milestones: int = 0
    levels: tuple[int, ...] = ()
    caught: int = 0
    size: int = 0
    was_won: bool = False
    num_tiles: int = 0
    num_maps: int = 0

    def __copy__(self) -> "SchedulerState":
        """Return a snapshot; one is taken in every step, and `copy`'s own way takes far longer."""
        return SchedulerState(*_values(self))

    def save(self) -> dict[str, Any]:
        """Return all of it, JSON-able."""
        return facts_of(self) | {
            "walk": self.walk.save() if self.walk else None,
            "fight": self.fight.save() if self.fight else None,
            "tried": [[list(base), list(tried)] for base, tried in self.tried.items()],
            "waiting": [[outcome.to_json(), until] for outcome, until in self.waiting],
        }

    @classmethod
    def load(cls, facts: Mapping[str, Any]) -> "SchedulerState":
        """Restore what `save` returned."""
        changed = {
            "walk": Slot.load(facts["walk"]) if facts["walk"] else None,
            "fight": Slot.load(facts["fight"]) if facts["fight"] else None,
            "tried": {tuple(base): tuple(tried) for base, tried in facts["tried"]},
            "recent": tuple((goal, outcome) for goal, outcome in facts["recent"]),
            "waiting": tuple(
                (GoalOutcome.from_json(outcome), until) for outcome, until in facts["waiting"]
            ),
            "levels": tuple(facts["levels"]),
        }
        return cls(**fields_from(facts) | changed)


_values = attrgetter(*(entry.name for entry in fields(SchedulerState)))


RECENT = 8
"""Number of ended goals that are remembered in words."""

_LATE = int(0.7 * LIFE_STEPS)
"""Steps of a goal's life after which the next one is asked for."""

_GOLDEN = 0.618033988749895
"""Multiples of it, less their whole parts, lie evenly between 0 and 1 (Weyl)."""

_STUCK_LONG = 30
"""Steps without any visible change after which another goal is asked for."""


class PlanScheduler:
    """Who leads in one environment.

    Args:
        game: Its name: keys of different games differ.
        env_index: The environment's number.
        seed: Of the run: decides which subgoals are ignored.
        look: Returns the subgoal that is known for a key.

    Attributes:
        memory: The state of the episode.
        goal_outcomes: Those that nobody has taken yet.
        asked: Key -> step at which it was asked about.
    """

    def __init__(
        self, game: str, env_index: int, seed: int, look: Callable[[str], Subgoal | None]
    ) -> None:
        # Not every environment is to follow the model in the same event.
        self.memory = SchedulerState(share_credit=env_index * _GOLDEN % 1.0)
        self.goal_outcomes: list[GoalOutcome] = []
        self.asked: dict[str, int] = {}
        self._game = game
        self._env_index = env_index
        self._seed = seed
        self._look = look

    def reset(self) -> None:
        """Begin an episode: share and random numbers continue."""
        self.memory = SchedulerState(share_credit=self.memory.share_credit, drawn=self.memory.drawn)
        self.asked = {}

    def reopen(self) -> None:
        """Ask about everything again; what is pursued continues until a new subgoal is there."""
        memory = self.memory
        memory.walk, memory.fight = (
            replace(slot, is_assigned=False) if slot else None
            for slot in (memory.walk, memory.fight)
        )
        self.asked = {}

    def end(self) -> None:
        """Close what is still open when the episode ends: what was not reached has failed."""
        memory = self.memory
        for slot in (memory.walk, memory.fight):
            active_goal = slot.active_goal if slot else None
            if active_goal is not None and active_goal.age > 1:
                outcome = Outcome.REACHED if active_goal.has_come_true else Outcome.FAILED
                self.goal_outcomes.append(self._goal_outcome(active_goal, outcome))
        self.goal_outcomes += [goal_outcome for goal_outcome, _ in memory.waiting]

    def advance(
        self,
        scene: Scene,
        num_maps: int,
        now: PlannerUpdate,
        milestones: Collection[str],
        unchanged_steps: int,
    ) -> None:
        """Evaluate the scene that a step led to, and decide who leads where that is open.

        Args:
            scene: The state, with what matters of the episode.
            num_maps: How many maps the episode has seen.
            now: How large the model's part is.
            milestones: Keys of those reached in the episode.
            unchanged_steps: For how long nothing visible has changed.
        """
        self._follow(scene, num_maps)
        self._evaluate(scene)
        if not is_settled(scene.state):
            return
        memory, state = self.memory, scene.state
        if state.battle is None:
            walk = self._entered(memory.walk, walking_base(state, milestones), "start")
            if _is_stuck(walk, unchanged_steps):
                walk = self._given_up(walk)
            memory.walk = self._assigned(walk, scene, now) if state.control.is_free else walk
        else:
            # An episode that begins in a battle has not walked yet.
            walk_base = memory.walk.base if memory.walk else walking_base(state, milestones)
            fight = self._entered(memory.fight, battle_base(state, walk_base), "battle")
            memory.fight = self._assigned(fight, scene, now)

    def leading(self, state: GameState) -> ActiveGoal | None:
        """Return the subgoal that leads now; a goal continues through the battles on its way."""
        fight = self.memory.fight
        is_own = fight is not None and (fight.is_assigned or fight.active_goal is not None)
        slot = fight if state.battle is not None and is_own else self.memory.walk
        active_goal = slot.active_goal if slot else None
        return None if active_goal is None or active_goal.is_control else active_goal

    def _follow(self, scene: Scene, num_maps: int) -> None:
        """Note what the step led to; progress is credited to all that is open."""
        memory, state = self.memory, scene.state
        has_progress = memory.step > 0 and (
            num_maps > memory.num_maps
            or scene.milestones > memory.milestones
            or state.caught > memory.caught
            or len(state.party) > memory.size
            or has_gained_level(memory.levels, scene.levels)
        )
        if scene.milestones != memory.milestones:
            memory.tried = {}
        memory.step += 1
        memory.milestones, memory.levels = scene.milestones, scene.levels
        memory.caught, memory.size = state.caught, len(state.party)
        memory.was_won = scene.was_won
        memory.num_tiles, memory.num_maps = scene.tiles, num_maps
        if has_progress:
            memory.walk, memory.fight = (_credited(slot) for slot in (memory.walk, memory.fight))
            self.goal_outcomes += [
                replace(goal_outcome, made_progress=True) for goal_outcome, _ in memory.waiting
            ]
            memory.waiting = ()

    def _evaluate(self, scene: Scene) -> None:
        """Close the goals that are over, and publish the outcomes that waited long enough."""
        memory = self.memory
        if memory.waiting:
            self.goal_outcomes += [one for one, until in memory.waiting if until <= memory.step]
            memory.waiting = tuple(one for one in memory.waiting if one[1] > memory.step)
        memory.walk = self._evaluated(memory.walk, scene)
        memory.fight = self._evaluated(memory.fight, scene)
        if memory.fight is not None and scene.state.battle is None:
            memory.fight = None
            if memory.walk is not None and memory.walk.active_goal is None:
                memory.walk = replace(memory.walk, is_assigned=False)

    def _evaluated(self, slot: Slot | None, scene: Scene) -> Slot | None:
        if slot is None or (not slot.is_assigned and slot.active_goal is None):
            return slot
        if slot.active_goal is None:
            age = slot.age + 1
            return replace(slot, age=age % LIFE_STEPS, is_assigned=age < LIFE_STEPS)
        active_goal, outcome = evaluate(slot.active_goal, scene)
        slot = replace(slot, active_goal=active_goal)
        return slot if outcome is None else self._close(slot, active_goal, outcome)

    def _close(self, slot: Slot, active_goal: ActiveGoal, outcome: Outcome, word: str = "") -> Slot:
        """End an active goal: what was tried changes the situation's key, unless it was ignored.

        With a `word` the planner hears that the goal failed, and how, whatever its outcome.
        """
        memory, subgoal = self.memory, active_goal.subgoal
        self._report(active_goal, outcome)
        trigger = slot.trigger
        seen = Outcome.FAILED if word else outcome
        if seen is Outcome.REACHED or (seen is Outcome.FAILED and not active_goal.is_control):
            self._note_tried(active_goal.base, subgoal, seen)
            memory.recent = (*memory.recent, (subgoal.option.goal.text, word or outcome.value))
            memory.recent = memory.recent[-RECENT:]
            trigger = "done" if seen is Outcome.REACHED else "stuck" if word else "failed"
        return Slot(slot.base, self._key(slot.base), trigger)

    def _entered(self, slot: Slot | None, base: Base, first: str) -> Slot:
        """Return the slot of a situation; what is pursued in the one before continues."""
        if slot is None:
            return Slot(base, self._key(base), first)
        if slot.base == base:
            return slot
        return Slot(
            base, self._key(base), trigger_of(slot.base, base), active_goal=slot.active_goal
        )

    def _given_up(self, slot: Slot) -> Slot:
        """Drop a goal that leads nowhere, once the planner has chosen what comes after it."""
        active_goal = slot.active_goal
        if active_goal is None or active_goal.is_control:
            return slot
        if self._look(self._key_without(slot, active_goal)) is None:
            return slot
        return self._close(slot, active_goal, Outcome.REPLACED, word="stuck")

    def _assigned(self, slot: Slot, scene: Scene, now: PlannerUpdate) -> Slot:
        """Decide who leads, if that is open and a subgoal is known."""
        subgoal = None if slot.is_assigned else self._look(slot.key)
        if subgoal is None or is_about_battle(subgoal) != (scene.state.battle is not None):
            return slot
        if is_idle(activate(subgoal, slot.base, scene, is_control=True), scene):
            self._note_tried(slot.base, subgoal, Outcome.REACHED)
            return replace(slot, key=self._key(slot.base))
        active_goal = slot.active_goal
        if active_goal is not None:
            if _wants_the_same(active_goal.subgoal, subgoal):
                return replace(slot, is_assigned=True)
            self._report(active_goal, Outcome.REPLACED)
        memory = self.memory
        # Controls count as the rules', so more of the events are assigned to the model.
        memory.share_credit += min(1.0, now.model_share / max(1e-9, 1 - now.holdout_fraction))
        if memory.share_credit < 1 - 1e-9:
            return replace(slot, is_assigned=True, active_goal=None, age=0)
        memory.share_credit -= 1
        is_control = self._draw() < now.holdout_fraction
        active_goal = activate(subgoal, slot.base, scene, is_control=is_control)
        return replace(slot, is_assigned=True, active_goal=active_goal, age=0)

    def _note_tried(self, base: Base, subgoal: Subgoal, outcome: Outcome) -> None:
        tried = self.memory.tried
        self.memory.tried = {**tried, base: with_tried(tried.get(base, ()), subgoal, outcome)}

    def _draw(self) -> float:
        """Return the next random number, 0 to 1: its own, by number alone."""
        self.memory.drawn += 1
        text = f"{self._seed} {self._env_index} {self.memory.drawn}"
        digest = hashlib.blake2b(text.encode(), digest_size=6).digest()
        return int.from_bytes(digest, "big") / 2**48

    def next_question(
        self, state: GameState, now: PlannerUpdate, unchanged_steps: int
    ) -> tuple[Slot, str, str] | None:
        """Return the situation, key and trigger to ask about, None where nothing is missing."""
        slot = self.memory.walk if state.battle is None else self.memory.fight
        if slot is None or not is_settled(state):
            return None
        is_trainer = state.battle is not None and state.battle.kind is BattleKind.TRAINER
        if is_trainer and (now.fallback == "rules" or self.leading(state) is not None):
            return None  # all that can be wanted is to win, and somebody leads
        if self._is_open(slot.key):
            return slot, slot.key, slot.trigger
        active_goal = slot.active_goal
        if active_goal is None or active_goal.is_control or state.battle is not None:
            return None
        is_stuck = _is_stuck(slot, unchanged_steps)
        if is_stuck or active_goal.age >= _LATE:
            key = self._key_without(slot, active_goal)
            if self._is_open(key):
                return slot, key, "stuck" if is_stuck else "late"
        return None

    def _is_open(self, key: str) -> bool:
        """Return whether there is no subgoal for a key, and it was not asked about lately."""
        if self._look(key) is not None:
            return False
        asked = self.asked.get(key)
        return asked is None or self.memory.step - asked >= LIFE_STEPS

    def _key(self, base: Base) -> str:
        return key_of(self._game, base, self.memory.tried.get(base, ()))

    def _key_without(self, slot: Slot, active_goal: ActiveGoal) -> str:
        """Return the key that will be, once the pursued goal has failed."""
        tried = self.memory.tried.get(slot.base, ())
        if active_goal.base == slot.base:
            tried = with_tried(tried, active_goal.subgoal, Outcome.FAILED)
        return key_of(self._game, slot.base, tried)

    def _report(self, active_goal: ActiveGoal, outcome: Outcome) -> None:
        """Publish a goal outcome as soon as it is known whether progress came of it.

        Followed or ignored, reached or replaced, a subgoal has the same time to show progress: else
        those that are followed would seem worth more, or less, than they are.
        """
        goal_outcome, left = self._goal_outcome(active_goal, outcome), LIFE_STEPS - active_goal.age
        if goal_outcome.made_progress or outcome is Outcome.FAILED or left <= 0:
            self.goal_outcomes.append(goal_outcome)
        else:
            self.memory.waiting += ((goal_outcome, self.memory.step + left),)

    def _goal_outcome(self, active_goal: ActiveGoal, outcome: Outcome) -> GoalOutcome:
        subgoal = active_goal.subgoal
        return GoalOutcome(
            env_index=self._env_index,
            key=subgoal.key,
            goal_source=subgoal.goal_source,
            kind=subgoal.option.kind,
            text=subgoal.option.goal.text,
            outcome=outcome,
            made_progress=active_goal.made_progress,
            steps=active_goal.age,
            is_control=active_goal.is_control,
        )


def _credited(slot: Slot | None) -> Slot | None:
    if slot is None or slot.active_goal is None or slot.active_goal.made_progress:
        return slot
    return replace(slot, active_goal=replace(slot.active_goal, made_progress=True))


def _wants_the_same(one: Subgoal, other: Subgoal) -> bool:
    kinds = {one.option.kind, other.option.kind}
    return kinds == {GoalKind.HEAL} or one.option.goal == other.option.goal


def _is_stuck(slot: Slot, unchanged_steps: int) -> bool:
    """Return whether what is pursued has changed nothing for long."""
    goal = slot.active_goal
    return goal is not None and min(unchanged_steps, goal.age) >= _STUCK_LONG
