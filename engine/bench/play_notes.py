"""What is noted of a game that is played from power-on to a goal."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from pydantic import TypeAdapter

from engine.ground.text import one_line
from engine.types import GameState, Prompt

STANDSTILL_STEPS = 500
"""Steps without progress after which the game is stuck."""

_TEXTS, _TEXT_LENGTH, _MAPS = 5, 160, 10
"""How many of the last texts and maps are noted, and characters of a text."""


@dataclass(frozen=True, slots=True)
class Mark:
    """When something happened, in steps and minutes since the start."""

    steps: int
    minutes: float


@dataclass(frozen=True, slots=True)
class Standstill:
    """Where a game was stuck.

    Attributes:
        steps: Steps without progress.
        since: Steps before it began.
        map: Name of the map.
        tile: x and y.
        screen: Text on the screen after `STANDSTILL_STEPS` of these steps.
    """

    steps: int
    since: int
    map: str
    tile: tuple[int, int]
    screen: str


@dataclass(slots=True)
class Spent:
    """Count the steps by what the game was at when each was decided.

    Attributes:
        walk: The player could walk.
        battle: There was a battle, whatever it asked.
        text: A text was on the screen, a question or a menu.
        wait: Nothing was asked: the game moved by itself.
        unchanged: Steps of all these that changed nothing on the screen.
    """

    walk: int = 0
    battle: int = 0
    text: int = 0
    wait: int = 0
    unchanged: int = 0

    def add(self, before: GameState, *, is_unchanged: bool) -> None:
        """Count a step that was decided in the state `before`."""
        control = before.control
        self.unchanged += is_unchanged
        if before.battle is not None:
            self.battle += 1
        elif control.is_free:
            self.walk += 1
        elif control.is_busy and control.prompt is Prompt.NONE:
            self.wait += 1
        else:
            self.text += 1


@dataclass(frozen=True, slots=True)
class Situation:
    """Where a game stands.

    Attributes:
        map: Name of the map.
        tile: x and y.
        goal: What the rules pursue; "": somebody else plays.
        reason: Why they pressed what they did.
        set_aside: Keys of the milestones that were given up for now.
        party: Name, level, health and full health of each creature.
        items: Kinds of items in the bag.
        money: In the game's currency.
    """

    map: str
    tile: tuple[int, int]
    goal: str
    reason: str
    set_aside: tuple[str, ...]
    party: tuple[tuple[str, int, int, int], ...]
    items: int
    money: int

    @classmethod
    def of(cls, state: GameState, goal: str, reason: str, set_aside: tuple[str, ...]) -> Self:
        """Return where a game stands."""
        place, bag = state.place, state.bag
        party = tuple((one.name, one.level, one.hp, one.max_hp) for one in state.party)
        pockets = (bag.items, bag.balls, bag.key_items, bag.machines, bag.berries)
        return cls(
            place.name, (place.x, place.y), goal, reason, set_aside, party,
            sum(map(len, pockets)), state.money,
        )  # fmt: skip


@dataclass(slots=True)
class Playthrough:
    """What happened with one seed so far.

    Attributes:
        milestones: By key, when each was reached.
        whiteouts: How often the whole party fainted and the player woke up elsewhere.
        stuck: The longest standstill of at least `STANDSTILL_STEPS`.
        spent: Where the steps went.
        frames: Of the game, in all steps.
        texts: The last on the screen, the newest last.
        maps: Names of the last maps that were walked on, the newest last.
        last: Where it stood when this was reported.
        ending: Why it ended; "": it has not.
    """

    seed: int
    is_success: bool = False
    steps: int = 0
    minutes: float = 0.0
    milestones: dict[str, Mark] = field(default_factory=dict)
    whiteouts: int = 0
    stuck: Standstill | None = None
    spent: Spent = field(default_factory=Spent)
    frames: int = 0
    texts: list[str] = field(default_factory=list)
    maps: list[str] = field(default_factory=list)
    last: Situation | None = None
    ending: str = ""

    def facts(self) -> dict[str, Any]:
        """Return it JSON-able."""
        return asdict(self)

    @classmethod
    def of(cls, facts: dict[str, Any]) -> Self:
        """Read what `facts` returned."""
        return TypeAdapter(cls).validate_python(facts)

    def note(self, state: GameState) -> None:
        """Note the text on the screen, and the map."""
        if state.control.is_free and self.maps[-1:] != [state.place.name]:
            self.maps = [*self.maps, state.place.name][-_MAPS:]
        text = one_line(" / ".join(state.screen_text), _TEXT_LENGTH)
        if not text or state.control.prompt is Prompt.PRINTING or text in self.texts[-1:]:
            return
        is_continued = bool(self.texts) and text.startswith(self.texts[-1])
        self.texts = [*(self.texts[:-1] if is_continued else self.texts), text][-_TEXTS:]


@dataclass(slots=True)
class StandstillWatch:
    """Find standstills.

    Progress is a milestone, and what was not seen since the last one: a tile, a text, an amount of
    experience, the healths in a battle. Steps in which the game moves by itself do not count,
    unless it does so for as long as a standstill lasts.
    """

    seen: set[tuple[int | str, ...]] = field(default_factory=set)
    since: int = 0
    busy: int = 0
    now: Standstill | None = None
    longest: Standstill | None = None

    def update(self, state: GameState, steps: int, *, is_milestone: bool) -> None:
        """Take the state after `steps` steps."""
        if is_milestone:
            self.seen.clear()
        known = len(self.seen)
        self.seen.update(_shown(state))
        if is_milestone or len(self.seen) > known:
            self.since, self.busy, self.now = steps, 0, None
            return
        is_scene = state.control.is_busy and state.control.prompt is Prompt.NONE
        self.busy += is_scene and self.busy < STANDSTILL_STEPS
        idle = steps - self.since - self.busy
        if idle >= STANDSTILL_STEPS and not is_scene:
            self._extend(state, idle)

    def _extend(self, state: GameState, idle: int) -> None:
        place, before = state.place, self.now
        first = before or Standstill(
            idle, self.since, place.name, (place.x, place.y), " / ".join(state.screen_text)
        )
        self.now = Standstill(idle, first.since, first.map, first.tile, first.screen)
        if self.longest is None or idle >= self.longest.steps:
            self.longest = self.now


def _shown(state: GameState) -> Iterator[tuple[int | str, ...]]:
    """Yield what can be new, part by part."""
    place, battle = state.place, state.battle
    if state.control.is_free:
        yield place.map.group, place.map.number, place.x, place.y
    if state.screen_text:
        yield tuple(state.screen_text)
    if state.party:
        yield (sum(one.experience or one.level for one in state.party),)
    if battle is not None and battle.own is not None and battle.enemy is not None:
        yield battle.enemy_slot, battle.own.hp, battle.enemy.hp
