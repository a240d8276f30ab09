"""Define what a game and a planner exchange: planning queries, subgoals, goal outcomes.

A planner that is a language model never plays. It is sent a planning query and picks one of its
options; the game's side pursues that goal and evaluates from RAM the outcome of it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from engine.types import Goal, GoalKind


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a query's text."""

    name: str
    text: str
    rank: int
    """0 is needed most; to save room, the highest is left out first."""


class Condition(StrEnum):
    """When a goal is reached; each can be read from RAM."""

    ENTERED = "entered the place"
    ANSWERED = "it answered"
    MILESTONE = "a milestone was reached"
    HEALED = "the party is healthy"
    LEVEL_GAINED = "a level was gained"
    CAUGHT = "one more was caught"
    BATTLE_WON = "the battle was won"
    BATTLE_LEFT = "the battle is over"
    NEW_TILES = "new ground was walked"


@dataclass(frozen=True, slots=True)
class GoalOption:
    """A goal that can be chosen in answer to a query."""

    kind: GoalKind
    target: str
    """Short name by which a reply picks it, unique among the options of its kind, e.g. "exit 1",
    "person A", "GYM"; "" where the kind says it all."""
    text: str
    """The goal in a line for the prompt, e.g. "exit 1 to HOME 1F, 5 steps"."""
    goal: Goal
    conditions: tuple[Condition, ...]
    """Which of them a reply may choose from; the first holds where it names none."""


@dataclass(frozen=True, slots=True)
class PlanningQuery:
    """What a planner is asked about."""

    key: str
    """Equal for queries to which the same subgoal is good: map, milestones, party, badges, battle
    and the goals tried here."""
    env_index: int
    trigger: str
    """Why now: "start", "map", "battle", "party", "milestone", "done", "failed", "stuck",
    "late"."""
    sections: tuple[Section, ...]
    """The state in words, in reading order; what the game shows is quoted."""
    options: tuple[GoalOption, ...]
    """What can be wanted; never empty."""
    recent: tuple[tuple[str, str], ...] = ()
    """(goal, outcome) of the last goals of this episode, oldest first."""
    rules: str = ""
    """What never changes in this world and helps to read `sections`, in words."""
    game: str = "a role-playing game"
    """What is played, in words."""
    place_key: str = ""
    """Equal for queries on the same map after the same milestones: coarser than `key`."""


@dataclass(frozen=True, slots=True)
class Subgoal:
    """What is to be done wherever a query has this key."""

    key: str
    goal_sources: tuple[str, ...]
    """Models that chose it, one or more."""
    option: GoalOption
    condition: Condition
    confidence: float
    """As stated, 0 to 1."""
    reasoning: str

    @property
    def goal_source(self) -> str:
        """Return the models' names as one."""
        return "+".join(self.goal_sources)


class Outcome(StrEnum):
    """The outcome of a goal."""

    REACHED = "reached"
    FAILED = "failed"
    """Not within its life, or not before the episode ended."""
    REPLACED = "replaced"
    """Another goal came first; that is held against it only if no progress came of either."""


@dataclass(frozen=True, slots=True)
class GoalOutcome:
    """What RAM showed of one planning event, once it is over."""

    env_index: int
    key: str
    goal_source: str
    """`Subgoal.goal_source` of the subgoal that was at hand."""
    kind: GoalKind
    text: str
    outcome: Outcome
    made_progress: bool
    """A milestone, a map new to the episode, a level or a catch came within a goal's life from its
    beginning; healing and escaping are progress themselves."""
    steps: int
    """For how long it was pursued."""
    is_control: bool = False
    """The subgoal was ignored at random, to see what happens without it (control group)."""

    def to_json(self) -> dict[str, Any]:
        """Return JSON-able facts, with the keys of `_SAVED_AS`."""
        return {_SAVED_AS.get(name, name): value for name, value in asdict(self).items()}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> "GoalOutcome":
        """Read what `to_json` returned.

        Raises:
            KeyError, TypeError, ValueError: It is none.
        """
        kind, outcome = GoalKind(facts["kind"]), Outcome(facts["outcome"])
        names = {key: name for name, key in _SAVED_AS.items()}
        values = {names.get(key, key): value for key, value in facts.items()}
        return cls(**{**values, "kind": kind, "outcome": outcome})


_SAVED_AS: Mapping[str, str] = MappingProxyType(
    {"goal_source": "setter", "is_control": "is_ignored"}
)
"""Fields of `GoalOutcome` with another name in checkpoints."""


@dataclass(frozen=True, slots=True)
class PlannerUpdate:
    """What the games need to know of the planner; sent again whenever something of it changes."""

    is_on: bool = False
    """A language model is to set goals. While False, rules set them, and nothing is asked."""
    model_share: float = 1.0
    """Share of the planning events with a subgoal at hand that are the model's; the others are the
    rules' (or nobody's, see `fallback`)."""
    holdout_fraction: float = 0.2
    """Share of them that ignore the subgoal at random, as a control group."""
    fallback: str = "rules"
    """Either "rules" or "none": who sets goals where no subgoal is at hand."""
    goal_sources: tuple[str, ...] = ("rules",)
    """Names of goal sources, for `Batch.goal_sources`; the first is "rules"."""
    plans: tuple[Subgoal, ...] = ()
    """Subgoals that are new since the last update, or all of them if `is_whole`."""
    is_whole: bool = False
    """Forget the earlier subgoals."""
    experience: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    """Estimated success, 0 to 1, by kind of situation (a `context_key` of
    `engine.planning.history.patterns`) and action; whole each time."""
    asks_anew: bool = False
    """Ask again, also about what is pursued or was asked about already."""


@dataclass(frozen=True, slots=True)
class UserOverrides:
    """What a person wants of the games; sent as a whole whenever something of it changes."""

    goal: str = ""
    """Key of the milestone that the rule planner pursues before all others, "" for none."""
    is_advised: bool | None = None
    """A planner advises; None: as the run began."""
    weights: tuple[tuple[str, float], ...] = ()
    """(reward component, weight) of those that were changed."""


GoalSources = list[tuple[str, ...]]
"""Groups of names that set goals together, each once, the rules first; see
`PlannerUpdate.goal_sources`."""


def with_goal_sources(known: GoalSources, plans: Iterable[Subgoal]) -> GoalSources:
    """Return the groups that are known, and after them those of new subgoals."""
    return list(dict.fromkeys([*known, *(plan.goal_sources for plan in plans)]))


def goal_source_names(groups: GoalSources) -> tuple[str, ...]:
    """Return the groups as `PlannerUpdate.goal_sources` names them."""
    return tuple("+".join(group) for group in groups)


class SubgoalBook:
    """Keep the subgoals that updates bring, by key; of more than `most`, the oldest go."""

    def __init__(self, most: int = 2048) -> None:
        self._most = most
        self._plans: dict[str, Subgoal] = {}
        self._update = PlannerUpdate()

    def take(self, update: PlannerUpdate) -> None:
        """Take in what is new."""
        if update.is_whole:
            self._plans = {}
        self.add(update.plans)
        self._update = replace(update, plans=(), asks_anew=False)

    def add(self, plans: Iterable[Subgoal]) -> None:
        """Keep more subgoals, each in place of the one that its key had."""
        for plan in plans:
            self._plans.pop(plan.key, None)
            self._plans[plan.key] = plan
        while len(self._plans) > self._most:
            del self._plans[next(iter(self._plans))]

    def forget(self, keys: Iterable[str]) -> None:
        """Drop the subgoals of these keys, as far as they are kept."""
        for key in keys:
            self._plans.pop(key, None)

    @property
    def plans(self) -> tuple[Subgoal, ...]:
        """Return all that is kept, the oldest first."""
        return tuple(self._plans.values())

    def get(self, key: str) -> Subgoal | None:
        """Return the subgoal for a key."""
        return self._plans.get(key)

    def whole(self) -> PlannerUpdate:
        """Return everything that was taken in, for a receiver that has nothing yet."""
        return replace(self._update, plans=self.plans, is_whole=True)
