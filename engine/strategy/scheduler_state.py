"""Remember how subgoals stand in an episode; a copy is a snapshot, and all of it goes into JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from engine.planning_types import GoalOutcome
from engine.strategy.active_goal import ActiveGoal, facts_of, fields_from
from engine.strategy.planning_queries import Base, Tried


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
    """How subgoals stand. No value in it is ever changed, only replaced.

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
        """Return a snapshot: one is taken in every step, and the general way takes far longer."""
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
