"""Decide in each situation of an episode who leads, and judge the plans that were at hand.

A planning event is a new situation (its key is new), a goal or a battle that is over, or a plan
that comes for a situation that had none. If a plan is known then, it is decided who leads: the
model by its share of the events, sometimes ignored at random, so that its worth can be measured.
RAM judges every plan of a model's event, followed or ignored.
"""

import hashlib
from collections.abc import Callable, Collection
from dataclasses import replace

from engine.plans import Directions, Outcome, Plan, Verdict
from engine.strategy.goal_watch import LIFE_STEPS
from engine.strategy.plan_memory import PlanMemory, Slot, Waiting
from engine.strategy.pursuit import (
    Pursuit,
    Scene,
    has_gained_level,
    is_battle_plan,
    is_idle,
    judge,
    pursue,
)
from engine.strategy.situations import (
    Base,
    battle_base,
    is_settled,
    key_of,
    trigger_of,
    walking_base,
    with_tried,
)
from engine.types import BattleKind, GameState, GoalKind

RECENT = 8
"""So many goals that are over are remembered in words."""

_LATE = int(0.7 * LIFE_STEPS)
"""Steps of a goal's life after which the next one is asked for."""

_GOLDEN = 0.618033988749895
"""Multiples of it, less their whole parts, lie evenly between 0 and 1 (Weyl)."""

_STUCK_LONG = 30
"""Steps without any visible change after which another goal is asked for."""


class Turns:
    """Who leads in one environment.

    Args:
        game: Its name: keys of different games differ.
        env_index: The environment's number.
        seed: Of the run: decides which plans are ignored.
        look: Returns the plan that is known for a key.

    Attributes:
        memory: How everything stands.
        verdicts: That nobody has taken yet.
        asked: Step at which a key was asked about.
    """

    def __init__(
        self, game: str, env_index: int, seed: int, look: Callable[[str], Plan | None]
    ) -> None:
        # Not every environment is to deal the same turn at the same time.
        self.memory = PlanMemory(owed=env_index * _GOLDEN % 1.0)
        self.verdicts: list[Verdict] = []
        self.asked: dict[str, int] = {}
        self._game = game
        self._env_index = env_index
        self._seed = seed
        self._look = look

    def reset(self) -> None:
        """Begin an episode: share and random numbers go on."""
        self.memory = PlanMemory(owed=self.memory.owed, drawn=self.memory.drawn)
        self.asked = {}

    def reopen(self) -> None:
        """Ask about everything again; what is pursued goes on until a new plan is there."""
        memory = self.memory
        memory.walk, memory.fight = (
            replace(slot, is_dealt=False) if slot else None for slot in (memory.walk, memory.fight)
        )
        self.asked = {}

    def end(self) -> None:
        """Judge what is still open when the episode ends: what was not reached has failed."""
        memory = self.memory
        for slot in (memory.walk, memory.fight):
            pursuit = slot.pursuit if slot else None
            if pursuit is not None and pursuit.age > 1:
                outcome = Outcome.REACHED if pursuit.has_come_true else Outcome.FAILED
                self.verdicts.append(self._verdict(pursuit, outcome))
        self.verdicts += [one.verdict for one in memory.waiting]

    def advance(
        self,
        scene: Scene,
        num_maps: int,
        now: Directions,
        milestones: Collection[str],
        unchanged_steps: int,
    ) -> None:
        """Take in the state that a step led to.

        Args:
            scene: That state.
            num_maps: How many maps the episode has seen.
            now: How the model's part is dealt out.
            milestones: Keys of those reached in the episode.
            unchanged_steps: For how long nothing has changed to the eye.
        """
        self._follow(scene, num_maps)
        self._judge(scene)
        if is_settled(scene.state):
            self._plan(scene, now, milestones, unchanged_steps)

    def leading(self, state: GameState) -> Pursuit | None:
        """Return the plan that leads now; a goal goes on through the battles on its way."""
        fight = self.memory.fight
        is_own = fight is not None and (fight.is_dealt or fight.pursuit is not None)
        slot = fight if state.battle is not None and is_own else self.memory.walk
        pursuit = slot.pursuit if slot else None
        return None if pursuit is None or pursuit.is_ignored else pursuit

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
            self._credit()

    def _credit(self) -> None:
        memory = self.memory
        memory.walk, memory.fight = (_credited(slot) for slot in (memory.walk, memory.fight))
        self.verdicts += [replace(one.verdict, made_progress=True) for one in memory.waiting]
        memory.waiting = ()

    def _judge(self, scene: Scene) -> None:
        """Close the goals that are over, and give out the verdicts that waited long enough."""
        memory = self.memory
        if any(one.until <= memory.step for one in memory.waiting):
            due = [one for one in memory.waiting if one.until <= memory.step]
            self.verdicts += [one.verdict for one in due]
            memory.waiting = tuple(one for one in memory.waiting if one.until > memory.step)
        memory.walk = self._judged(memory.walk, scene)
        memory.fight = self._judged(memory.fight, scene)
        if memory.fight is not None and scene.state.battle is None:
            memory.fight = None
            if memory.walk is not None and memory.walk.pursuit is None:
                memory.walk = replace(memory.walk, is_dealt=False)

    def _judged(self, slot: Slot | None, scene: Scene) -> Slot | None:
        if slot is None or (not slot.is_dealt and slot.pursuit is None):
            return slot
        if slot.pursuit is None:
            age = slot.age + 1
            return replace(slot, age=age % LIFE_STEPS, is_dealt=age < LIFE_STEPS)
        pursuit, outcome = judge(slot.pursuit, scene)
        slot = replace(slot, pursuit=pursuit)
        return slot if outcome is None else self._close(slot, pursuit, outcome)

    def _close(self, slot: Slot, pursuit: Pursuit, outcome: Outcome, told: str = "") -> Slot:
        """End a pursuit: what was tried changes the situation's key, unless it was ignored."""
        memory = self.memory
        self._tell(pursuit, outcome)
        trigger = slot.trigger
        seen = Outcome.FAILED if told else outcome
        is_told = seen is Outcome.REACHED or (seen is Outcome.FAILED and not pursuit.is_ignored)
        if is_told:
            self._note_tried(pursuit.base, pursuit.plan, seen)
            goal = pursuit.plan.choice.goal
            memory.recent = (*memory.recent, (goal.text, told or outcome.value))[-RECENT:]
            trigger = "done" if seen is Outcome.REACHED else "stuck" if told else "failed"
        return Slot(slot.base, self._key(slot.base), trigger)

    def _plan(
        self, scene: Scene, now: Directions, milestones: Collection[str], unchanged_steps: int
    ) -> None:
        """Take in a new situation, and decide who leads where that is open."""
        memory, state = self.memory, scene.state
        if state.battle is None:
            walk = self._entered(memory.walk, walking_base(state, milestones), "start")
            if _is_stuck(walk, unchanged_steps):
                walk = self._given_up(walk)
            memory.walk = self._dealt(walk, scene, now) if state.control.is_free else walk
        else:
            # An episode that begins in a battle has not walked yet.
            walk_base = memory.walk.base if memory.walk else walking_base(state, milestones)
            fight = self._entered(memory.fight, battle_base(state, walk_base), "battle")
            memory.fight = self._dealt(fight, scene, now)

    def _entered(self, slot: Slot | None, base: Base, first: str) -> Slot:
        """Return the slot of a situation; what is pursued in the one before goes on."""
        if slot is None:
            return Slot(base, self._key(base), first)
        if slot.base == base:
            return slot
        return Slot(base, self._key(base), trigger_of(slot.base, base), pursuit=slot.pursuit)

    def _given_up(self, slot: Slot) -> Slot:
        """Let a goal go that leads nowhere, once the planner has said what comes after it."""
        pursuit = slot.pursuit
        if pursuit is None or pursuit.is_ignored:
            return slot
        if self._look(self._key_without(slot, pursuit)) is None:
            return slot
        return self._close(slot, pursuit, Outcome.REPLACED, told="stuck")

    def _dealt(self, slot: Slot, scene: Scene, now: Directions) -> Slot:
        """Decide who leads, if that is open and a plan is known."""
        plan = None if slot.is_dealt else self._look(slot.key)
        if plan is None or is_battle_plan(plan) != (scene.state.battle is not None):
            return slot
        if is_idle(pursue(plan, slot.base, scene, is_ignored=True), scene):
            self._note_tried(slot.base, plan, Outcome.REACHED)
            return replace(slot, key=self._key(slot.base))
        pursuit = slot.pursuit
        if pursuit is not None:
            if _wants_the_same(pursuit.plan, plan):
                return replace(slot, is_dealt=True)
            self._tell(pursuit, Outcome.REPLACED)
        memory = self.memory
        # Plans that are ignored count as the rules', so more of the events are dealt to the model.
        memory.owed += min(1.0, now.model_share / max(1e-9, 1 - now.ignore_share))
        if memory.owed < 1 - 1e-9:
            return replace(slot, is_dealt=True, pursuit=None, age=0)
        memory.owed -= 1
        is_ignored = self._draw() < now.ignore_share
        pursuit = pursue(plan, slot.base, scene, is_ignored=is_ignored)
        return replace(slot, is_dealt=True, pursuit=pursuit, age=0)

    def _note_tried(self, base: Base, plan: Plan, outcome: Outcome) -> None:
        tried = self.memory.tried
        self.memory.tried = {**tried, base: with_tried(tried.get(base, ()), plan, outcome)}

    def _draw(self) -> float:
        """Return the next random number, 0 to 1: its own, by number alone."""
        self.memory.drawn += 1
        text = f"{self._seed} {self._env_index} {self.memory.drawn}"
        digest = hashlib.blake2b(text.encode(), digest_size=6).digest()
        return int.from_bytes(digest, "big") / 2**48

    def next_question(
        self, state: GameState, now: Directions, unchanged_steps: int
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
        pursuit = slot.pursuit
        if pursuit is None or pursuit.is_ignored or state.battle is not None:
            return None
        is_stuck = _is_stuck(slot, unchanged_steps)
        if is_stuck or pursuit.age >= _LATE:
            key = self._key_without(slot, pursuit)
            if self._is_open(key):
                return slot, key, "stuck" if is_stuck else "late"
        return None

    def _is_open(self, key: str) -> bool:
        """Tell whether there is no plan for a key, and it was not asked about lately."""
        if self._look(key) is not None:
            return False
        asked = self.asked.get(key)
        return asked is None or self.memory.step - asked >= LIFE_STEPS

    def _key(self, base: Base) -> str:
        return key_of(self._game, base, self.memory.tried.get(base, ()))

    def _key_without(self, slot: Slot, pursuit: Pursuit) -> str:
        """Return the key that will be, once the pursued goal has failed."""
        tried = self.memory.tried.get(slot.base, ())
        if pursuit.base == slot.base:
            tried = with_tried(tried, pursuit.plan, Outcome.FAILED)
        return key_of(self._game, slot.base, tried)

    def _tell(self, pursuit: Pursuit, outcome: Outcome) -> None:
        """Give a verdict out, as soon as it is known whether progress came of it.

        Followed or ignored, reached or replaced, a plan has the same time to show progress: else
        those that are followed would seem worth more, or less, than they are.
        """
        verdict, left = self._verdict(pursuit, outcome), LIFE_STEPS - pursuit.age
        if verdict.made_progress or outcome is Outcome.FAILED or left <= 0:
            self.verdicts.append(verdict)
        else:
            self.memory.waiting += (Waiting(verdict, self.memory.step + left),)

    def _verdict(self, pursuit: Pursuit, outcome: Outcome) -> Verdict:
        plan = pursuit.plan
        return Verdict(
            env_index=self._env_index,
            key=plan.key,
            setter=plan.setter,
            kind=plan.choice.kind,
            text=plan.choice.goal.text,
            outcome=outcome,
            made_progress=pursuit.made_progress,
            steps=pursuit.age,
            is_ignored=pursuit.is_ignored,
        )


def _credited(slot: Slot | None) -> Slot | None:
    if slot is None or slot.pursuit is None or slot.pursuit.made_progress:
        return slot
    return replace(slot, pursuit=replace(slot.pursuit, made_progress=True))


def _wants_the_same(one: Plan, other: Plan) -> bool:
    kinds = {one.choice.kind, other.choice.kind}
    return kinds == {GoalKind.HEAL} or one.choice.goal == other.choice.goal


def _is_stuck(slot: Slot, unchanged_steps: int) -> bool:
    """Tell whether what is pursued has changed nothing for long."""
    return slot.pursuit is not None and min(unchanged_steps, slot.pursuit.age) >= _STUCK_LONG
