"""Remember how plans stand in an episode; a copy is a snapshot, and all of it goes into JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from engine.plans import Verdict
from engine.strategy.pursuit import Pursuit
from engine.strategy.situations import Base, Tried


@dataclass(frozen=True, slots=True)
class Slot:
    """A situation, outside of battles or in one, and who leads in it.

    Attributes:
        trigger: Why a planner is asked about it.
        is_dealt: It was decided who leads; else it is still open whether a plan is known.
        pursuit: The plan that leads, or is ignored; None: others lead.
        age: Steps since it was dealt to others.
    """

    base: Base
    key: str
    trigger: str
    is_dealt: bool = False
    pursuit: Pursuit | None = None
    age: int = 0

    def save(self) -> dict[str, Any]:
        """Return all of it, JSON-able."""
        return {
            "base": list(self.base),
            "key": self.key,
            "trigger": self.trigger,
            "is_dealt": self.is_dealt,
            "pursuit": self.pursuit.save() if self.pursuit else None,
            "age": self.age,
        }

    @classmethod
    def load(cls, facts: Mapping[str, Any]) -> "Slot":
        """Return what `save` was called on."""
        pursuit = Pursuit.load(facts["pursuit"]) if facts["pursuit"] else None
        return cls(**{**facts, "base": tuple(facts["base"]), "pursuit": pursuit})


@dataclass(frozen=True, slots=True)
class Waiting:
    """A verdict that is given out once progress shows, or at a step of the episode without any."""

    verdict: Verdict
    until: int


@dataclass(slots=True)
class PlanMemory:
    """How plans stand. No value in it is ever changed, only replaced.

    Attributes:
        step: Of the episode, as far as plans were followed in it.
        walk: Outside of battles; None before the first state to plan in.
        fight: In the battle, None outside of one.
        tried: Goals that are over, by the base that they were set in, since the last milestone.
        recent: (goal, outcome) of the last goals.
        owed: How much of an event is the model's, by its share so far.
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
    waiting: tuple[Waiting, ...] = ()
    owed: float = 0.0
    drawn: int = 0
    milestones: int = 0
    levels: tuple[int, ...] = ()
    caught: int = 0
    size: int = 0
    was_won: bool = False
    num_tiles: int = 0
    num_maps: int = 0

    def __copy__(self) -> "PlanMemory":
        """Return a snapshot: one is taken in every step, and the general way takes far longer."""
        return PlanMemory(*_values(self))

    def save(self) -> dict[str, Any]:
        """Return all of it, JSON-able."""
        facts: dict[str, Any] = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return facts | {
            "walk": self.walk.save() if self.walk else None,
            "fight": self.fight.save() if self.fight else None,
            "tried": [[list(base), list(tried)] for base, tried in self.tried.items()],
            "waiting": [[asdict(one.verdict), one.until] for one in self.waiting],
        }

    @classmethod
    def load(cls, facts: Mapping[str, Any]) -> "PlanMemory":
        """Return what `save` was called on."""
        changed = {
            "walk": Slot.load(facts["walk"]) if facts["walk"] else None,
            "fight": Slot.load(facts["fight"]) if facts["fight"] else None,
            "tried": {tuple(base): tuple(tried) for base, tried in facts["tried"]},
            "recent": tuple((goal, outcome) for goal, outcome in facts["recent"]),
            "waiting": tuple(
                Waiting(Verdict.from_json(verdict), until) for verdict, until in facts["waiting"]
            ),
            "levels": tuple(facts["levels"]),
        }
        return cls(**{**facts, **changed})


_values = attrgetter(*(entry.name for entry in fields(PlanMemory)))
