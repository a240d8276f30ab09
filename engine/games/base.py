"""Define what the engine must know of a game; everything else is the same for all of them.

A game is a folder beside this file. It says what a file is (`recognise`) and gives a `Game`; the
environment, the agents, demonstrations and the cockpit take sizes, names and rules from that.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import IntEnum, StrEnum
from typing import Any, Protocol

from engine.config import EnvConfig, RunConfig, parse_config
from engine.emulator.base import Emulator
from engine.errors import ConfigurationError, RomError
from engine.games.overworld import Ability, BlockChange, Overworld
from engine.types import (
    ActionSet,
    Control,
    Creature,
    Facing,
    GameState,
    Goal,
    MapId,
    Move,
    Prompt,
)

MoveFacts = tuple[str, int, int, int, int]
"""Name, type id, power, accuracy in percent, points."""

Links = Mapping[tuple[int, int], tuple[tuple[str, int, int, tuple[int, int]], ...]]
"""Ways out of maps: (group, number) -> (kind, x, y, target), kind "warp" or a side's name."""

GAME_BOY_ROLE_PLAYING = "a role-playing game on a Game Boy"
"""The `Game.description` of those that the documented API's models play."""

GAME_BOY_ADVANCE_ROLE_PLAYING = "a role-playing game on a Game Boy Advance"


class MilestoneKind(StrEnum):
    """What in RAM shows that a milestone is reached; `Milestone.value` is the number meant."""

    MAP = "map"
    """The place is entered."""
    EVENT = "event"
    """The event flag is set."""
    EVENT_CLEAR = "event_clear"
    """The event flag is cleared."""
    ENGINE = "engine"
    """The engine flag is set."""
    PARTY = "party"
    """The party has as many creatures."""
    LEVEL = "level"
    """A creature of the party has the level."""
    BADGE = "badge"
    """The badge of the first region is won, by its bit."""
    KANTO_BADGE = "kanto_badge"
    """The badge of the second region is won, by its bit."""
    ITEM = "item"
    """The item is in the bag."""
    SCENE = "scene"
    """The place's scene has the number."""
    SCENE_LEFT = "scene_left"
    """The place's scene has the number no more."""
    VAR = "var"
    """The variable has the number, or a higher one."""
    MOVE = "move"
    """Somebody of the party knows the move."""


class Checked(StrEnum):
    """How it is known that a row of a game's tables holds."""

    PLAYED = "played"
    """The rules played it by themselves."""
    HELPED = "helped"
    """It was played, with some presses by hand, or a party or a place written into memory."""
    TABLES = "tables"
    """The game's tables say so; nobody played it."""


class Approach(StrEnum):
    """What a player does at a milestone's tile."""

    NONE = ""
    """Nothing: it comes by itself, or on entering the place."""
    TALK = "talk"
    """Face it and press A."""
    STEP = "step"
    """Step on it."""
    PUSH = "push"
    """Push the boulder whose hole it is onto it."""
    CATCH = "catch"
    """Catch there one that can learn the milestone's move."""


@dataclass(frozen=True, slots=True)
class Milestone:
    """A step of the story, how RAM shows that it is reached, and how a player gets there.

    Attributes:
        key: Names it in settings, saved runs and results.
        text: What to do, in an imperative.
        value: See `MilestoneKind`.
        place: Where one goes to reach it; None: not known, or anywhere.
        target: Walk tile (x, y) there; None: the place is all there is to reach.
        requires: Keys of the milestones that come before it in the story.
        how: What to do at the target.
        who: The person or thing there; "" where there is none.
        level: Level that the party's strongest should have before; 0: any.
        scene: Place in `GameState.scenes` of the number that a milestone of kind scene or var looks
            at.
        holds_at_start: The condition also holds before `requires`, and counts only after them; so
            do scenes and cleared flags always.
        checked: How it is known that it is reached so.
        entered: The map that a milestone of kind map is about.
        move: Name of the move that one of kind move is about.
        is_taken_back: The game undoes it, after a defeat or on leaving: it counts while it is
            shown, until one that requires it and stays is reached.
        is_optional: Nothing depends on it: it is pursued only where the story has nothing to do.
    """

    key: str
    text: str
    kind: MilestoneKind
    value: int = 0
    place: MapId | None = None
    target: tuple[int, int] | None = None
    requires: tuple[str, ...] = ()
    how: Approach = Approach.NONE
    who: str = ""
    level: int = 0
    scene: int = -1
    holds_at_start: bool = False
    checked: Checked = Checked.PLAYED
    entered: MapId | None = None
    move: str = ""
    is_taken_back: bool = False
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What to reply to a question of the game.

    Attributes:
        question: Words of it, in lower case; "": any question.
        reply: YES or NO, an entry's text, the number of its row as "#2", or the buttons to press
            one after the other, as "DOWN DOWN A".
        map: Where it is asked; None: anywhere.
        goal: Key of the milestone on the way to which this is the reply; "": any.
    """

    question: str
    reply: str
    map: MapId | None = None
    goal: str = ""


@dataclass(frozen=True, slots=True)
class Ferry:
    """Somebody who takes the player elsewhere when spoken to, in a boat or a cable car.

    Attributes:
        place, person: Map and walk tile of who is spoken to.
        target, arrival: Map and walk tile where one comes out.
        flag: Event flag that must be set; -1: none.
        reply: To the question where to go, as in `Answer`; "": YES, or none is asked.
    """

    place: MapId
    person: tuple[int, int]
    target: MapId
    arrival: tuple[int, int]
    flag: int = -1
    reply: str = ""


@dataclass(frozen=True, slots=True)
class Tune:
    """A channel of the radio that somebody must hear before they can be spoken to.

    Attributes:
        place, person: Map and walk tile of who listens, the top left one of somebody large.
        music: `GameState.music` while the channel plays.
        dial: Where the radio's dial stands then.
    """

    place: MapId
    person: tuple[int, int]
    music: int
    dial: int


def final_milestone(milestones: Iterable[Milestone], goal: str, held: Collection[str]) -> str:
    """Return the key of the milestone that ends an episode; "" where none does.

    It is `goal`, or where that is "" the next badge, but none `held` at the episode's start.
    """
    if goal:
        return goal
    badges = (MilestoneKind.BADGE, MilestoneKind.KANTO_BADGE)
    return next((one.key for one in milestones if one.kind in badges and one.key not in held), "")


@dataclass(frozen=True, slots=True)
class BattleCells:
    """Where the entries of a battle's first menu are: (row, column), from 1."""

    fight: tuple[int, int] = (1, 1)
    team: tuple[int, int] = (1, 2)
    bag: tuple[int, int] = (2, 1)
    run: tuple[int, int] = (2, 2)


@dataclass(frozen=True, slots=True)
class Scale:
    """How long episodes towards a goal are, and how many games are played side by side.

    Attributes:
        episode_steps: Steps of an episode up to the first badge, about half as many again as the
            rules need there, or more.
        milestone_steps: What each milestone beyond that adds.
        stuck_steps: Steps without progress after which an episode is truncated, at most half of
            its steps; 0: never.
        num_envs: Games.
        archive_share: Of the episodes, how many begin at the saved state of a milestone, where the
            goal is beyond the first badge.
    """

    episode_steps: int = 1500
    milestone_steps: int = 250
    stuck_steps: int = 0
    num_envs: int = 32
    archive_share: float = 0.25

    def towards(self, goal: str, milestones: Collection[Milestone]) -> "Scale":
        """Return the scale of a way to a goal; "": to the next badge."""
        keys = [one.key for one in milestones]
        first = final_milestone(milestones, "", ())
        is_beyond = first in keys and goal in keys
        beyond = max(0, keys.index(goal) - keys.index(first)) if is_beyond else 0
        steps = self.episode_steps + beyond * self.milestone_steps
        return replace(
            self,
            episode_steps=steps,
            stuck_steps=min(self.stuck_steps, steps // 2),
            archive_share=self.archive_share if beyond else 0.0,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GameTables:
    """Names and figures of a game; what it does not have is empty.

    Attributes:
        NAME: The game's, for people.
        MAPS: (group, number) -> name.
        MAP_LANDMARKS: (group, number) -> number in `LANDMARKS`.
        SPAWNS: Number of a place to fly to -> the map where one lands or wakes up.
        TRAINER_CLASSES: Number -> name.
        TRAINERS: Number -> class and name, where trainers are numbered through.
        SPECIES_TYPES: Species -> numbers in `TYPES`.
        TYPE_CHART: (attacking, defending type) -> factor; 1.0 for a pair that is absent.
        EVENT_FLAGS: Name -> bit; the story's only.
        SCENES: (group, number) of a map -> place of its scene number in `GameState.scenes`.
        BLOCK_CHANGES: What scripts change on the maps.
        ANSWERS: What to reply to questions, the first that fits.
        SIDES: Group, number and walk tile of somebody -> in which directions alone the player looks
            when speaking to them there.
        HOLES: Group and number of a map -> number of a boulder on it -> walk tile of its hole.
        FERRIES: Ways by boat and the like.
        TUNES: Who listens to the radio.
        MACHINES: Item that teaches a move -> the move's name.
        LEARNERS: Name of a machine's move -> the species that can learn it; absent: not known.
        WILD_LEVELS: Group and number of a map -> lowest and highest level in its grass or cave.
        BATTLE_CELLS: Of the menu that opens each turn of a battle.
        BADGES: How many there are to win.
        SCALE: How long the way to the first badge is, and what lies beyond.
    """

    NAME: str = ""
    MAPS: Mapping[tuple[int, int], str] = field(default_factory=dict)
    MAP_LANDMARKS: Mapping[tuple[int, int], int] = field(default_factory=dict)
    LANDMARKS: Mapping[int, str] = field(default_factory=dict)
    SPAWNS: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    TRAINER_CLASSES: Mapping[int, str] = field(default_factory=dict)
    TRAINERS: Mapping[int, tuple[int, str]] = field(default_factory=dict)
    SPECIES: Mapping[int, str] = field(default_factory=dict)
    SPECIES_TYPES: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    TYPES: Mapping[int, str] = field(default_factory=dict)
    MOVES: Mapping[int, MoveFacts] = field(default_factory=dict)
    ITEMS: Mapping[int, str] = field(default_factory=dict)
    TYPE_CHART: Mapping[tuple[int, int], float] = field(default_factory=dict)
    EVENT_FLAGS: Mapping[str, int] = field(default_factory=dict)
    SCENES: Mapping[tuple[int, int], int] = field(default_factory=dict)
    BLOCK_CHANGES: tuple[BlockChange, ...] = ()
    MILESTONES: tuple[Milestone, ...] = ()
    ANSWERS: tuple[Answer, ...] = ()
    SIDES: Mapping[tuple[int, int, int, int], frozenset[Facing]] = field(default_factory=dict)
    HOLES: Mapping[tuple[int, int], Mapping[int, tuple[int, int]]] = field(default_factory=dict)
    FERRIES: tuple[Ferry, ...] = ()
    TUNES: tuple[Tune, ...] = ()
    MACHINES: Mapping[int, str] = field(default_factory=dict)
    LEARNERS: Mapping[str, frozenset[int]] = field(default_factory=dict)
    WILD_LEVELS: Mapping[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    BATTLE_CELLS: BattleCells = BattleCells()
    BADGES: int = 16
    SCALE: Scale = Scale()

    def map_name(self, map_id: MapId) -> str:
        """Return a map's name, its numbers where it has none."""
        found = self.MAPS.get((map_id.group, map_id.number))
        return found or f"map {map_id.group}.{map_id.number}"

    def species_name(self, species: int) -> str:
        """Return a species' name, its number where it has none."""
        return self.SPECIES.get(species) or f"no. {species}"

    def trainer_class_name(self, number: int) -> str:
        """Return the name of a class of trainers, its number where it has none."""
        return self.TRAINER_CLASSES.get(number) or f"trainer class {number}"

    def known_moves(self, ids: Iterable[int], points: Iterable[int]) -> tuple[Move, ...]:
        """Return a creature's moves, given the number and points of each; number 0 is none."""
        return tuple(
            Move(id_, self.MOVES[id_][0] if id_ in self.MOVES else f"move {id_}", left)
            for id_, left in zip(ids, points, strict=True)
            if id_
        )

    def potions(self) -> frozenset[int]:
        """Return the numbers of the items that heal."""
        return frozenset(number for number, name in self.ITEMS.items() if "POTION" in name)


@dataclass(frozen=True, slots=True)
class Atlas:
    """What is known of a game's world before it is seen; what is missing is left to chance.

    Attributes:
        links: Which map leads to which, where no image says it.
        healers: Who heals the party.
        training: Where to gain levels, one after the other as the party outgrows them.
        rest_name: Part of the names of the maps where one rests; "": no name tells.
        healer: Number among the objects of such a map of who heals there.
        field_moves: What opens a way -> the name of the move that one of the party must know, and
            the bit of the badge that allows it, None without one.
        shop_name: Part of the names of the maps where one buys; "": no name tells.
        clerk: Number among the objects of such a map of who sells there.
    """

    links: Links = field(default_factory=dict)
    healers: tuple[Goal, ...] = ()
    training: tuple[Goal, ...] = ()
    rest_name: str = ""
    healer: int = 0
    shop_name: str = ""
    clerk: int = 0
    field_moves: Mapping[Ability, tuple[str, int | None]] = field(default_factory=dict)

    def abilities(self, state: GameState) -> Ability:
        """Return what the party can do on its way now."""
        known = {move.name for creature in state.party for move in creature.moves}
        badges = state.badges[0] | state.badges[1] << 8
        found = Ability(0)
        for ability, (move, badge) in self.field_moves.items():
            if move in known and (badge is None or badges >> badge & 1):
                found |= ability
        return found

    def is_rest(self, name: str) -> bool:
        """Return whether a map's name says that one rests there."""
        return bool(self.rest_name) and self.rest_name in name

    def is_shop(self, name: str) -> bool:
        """Return whether a map's name says that one buys there."""
        return bool(self.shop_name) and self.shop_name in name


class Reader(Protocol):
    """Reads states of one running game."""

    def read(self) -> GameState:
        """Return the current state."""
        ...

    def save(self) -> Any:
        """Return what memory does not tell at any time, JSON-able."""
        ...

    def restore(self, saved: Any) -> None:
        """Put back what `save` returned."""
        ...


class Game(Protocol):
    """One game as it is read, played and talked about.

    Attributes:
        sha1: Of the whole ROM, lower-case hexadecimal: recordings and saved states name it.
        title: From the cartridge's header, e.g. "PM_CRYSTAL".
        name: For people.
        description: For language models, what is played: "a role-playing game on a Game Boy".
        rom: The image.
        tables: Names and figures.
        atlas: What is known of its world.
        actions: What can be done in it.
        healing_items: Numbers of the items that heal.
        frame_shape: (height, width, 3) of a frame.
        frames_per_s: As fast as it runs on the real machine.
        emulator_version: Saved states and recordings hold for this version only.
    """

    sha1: str
    title: str
    name: str
    description: str
    rom: bytes
    tables: GameTables
    atlas: Atlas
    actions: ActionSet
    healing_items: frozenset[int] = frozenset()
    frame_shape: tuple[int, int, int]
    frames_per_s: float
    emulator_version: str

    @property
    def overworld(self) -> Overworld | None:
        """Return the world that the image carries, read when first asked; None: not found."""
        return None

    @property
    def overworld_problem(self) -> str:
        """Return in one line why there is no `overworld`; "" where there is one."""
        return "This game's maps are read from memory alone."

    @property
    def milestones(self) -> tuple[tuple[str, str], ...]:
        """Return (key, text) of the milestones in order."""
        return tuple((one.key, one.text) for one in self.tables.MILESTONES)

    def check_emulator(self) -> None:
        """Check that a machine can be switched on here, without doing it.

        Raises:
            EnvironmentError: What it needs is missing.
        """
        return None

    def start(self) -> Emulator:
        """Switch a new machine on, with nothing saved on the cartridge."""
        ...

    def start_saved(self, battery: bytes, file: str) -> Emulator:
        """Switch a new machine on with the battery memory of a user's file.

        Raises:
            ConfigurationError: It is not of this game, or holds no saved game; `file` names it.
        """
        ...

    def reader(self, emulator: Emulator) -> Reader:
        """Return a reader of a machine that runs this game."""
        ...

    def play_introduction(
        self,
        emulator: Emulator,
        read: Callable[[], GameState],
        report: Callable[[int, int], None] = lambda done, most: None,
    ) -> None:
        """Play from the power-on, or a title, to the player's first control.

        Args:
            emulator: The machine.
            read: Reads the game.
            report: Called with the frames played and about how many there are; what it raises
                ends the introduction.

        Raises:
            EnvironmentError: The player is not in control after some ten minutes of play.
        """
        ...

    def prepare(self, emulator: Emulator) -> None:
        """Choose the options that suit training, as a player could: fast text, say."""
        ...

    def seed(self, emulator: Emulator, random: tuple[int, int]) -> None:
        """Let the game's random numbers follow from two bytes."""
        ...

    def play(
        self, emulator: Emulator, action: int, state: GameState, config: EnvConfig, render: bool
    ) -> None:
        """Take an action in the game that is in `state`, and let what it began come to its end.

        Args:
            emulator: The machine.
            action: Index in `actions`.
            state: The game now.
            config: How long a button is held and waited for.
            render: Draw the last frame.
        """
        ...

    def is_at_rest(self, emulator: Emulator) -> bool:
        """Return whether no step and no way through a door is under way."""
        ...

    def is_readable(self, emulator: Emulator) -> bool:
        """Return whether a state can be read now: the game is not on its way between two maps."""
        ...

    def blocked(self, state: GameState) -> dict[int, str]:
        """Return the actions that are of no use now, each with the reason; never all of them."""
        ...

    def digest(self, emulator: Emulator) -> str:
        """Return the SHA-1 of the work RAM: equal for two games that went the same way."""
        ...


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a game says of a file that is its own, or one of its kin.

    Attributes:
        name: For people, also of what is not played.
        game: How it is played; None: it cannot be.
        refusal: Why it is not played, or, where there is a game, not without being allowed.
    """

    name: str
    game: Game | None
    refusal: RomError | None = None


# Complete settings that are left to the game with the numbers that suit it and the goal.


def fit_env(config: EnvConfig, game: Game) -> EnvConfig:
    """Return the settings of an environment with no limit left to the game."""
    scale = _scale(game, config.goal)
    return config.completed(scale.episode_steps, scale.stuck_steps)


def _scale(game: Game, goal: str) -> Scale:
    return game.tables.SCALE.towards(goal, game.tables.MILESTONES)


def fit_run(config: RunConfig, game: Game) -> RunConfig:
    """Return the settings of a new run with nothing left to the game.

    Raises:
        ConfigurationError: The goal is no milestone of the game, or some do not suit its number
            of games.
    """
    check_goal(game, config.env.goal)
    env = fit_env(config.env, game)
    scale = _scale(game, config.env.goal)
    given = config.model_dump(exclude_unset=True)
    own: dict[str, Any] = {} if env is config.env else {"env": env.model_dump(exclude_unset=True)}
    if not config.num_envs:
        own["num_envs"] = scale.num_envs
    curriculum = given.get("curriculum", {})
    if scale.archive_share and "archive_share" not in curriculum and not config.start_setters:
        own["curriculum"] = curriculum | {"archive_share": scale.archive_share}
    return parse_config(given | own, game.name) if own else config


def check_goal(game: Game, goal: str) -> None:
    """Refuse what is no milestone's key.

    Raises:
        ConfigurationError: There is none of that name.
    """
    keys = [key for key, _ in game.milestones]
    if not goal or goal in keys:
        return
    near = get_close_matches(goal, keys, 3)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Choose one of: {', '.join(keys)}."
    raise ConfigurationError(f"{game.name} has no milestone {goal!r}.", hint)


# Say how well a move does, by the game's tables.

SAME_TYPE_BONUS = 1.5


def effectiveness(tables: GameTables, attack: int, types: tuple[int, ...]) -> float:
    """Return how an attack type does against a creature of `types`: 0 to 4."""
    result = 1.0
    for kind in set(types):  # a creature of one type has it twice
        result *= tables.TYPE_CHART.get((attack, kind), 1.0)
    return result


def strength(tables: GameTables, move_id: int, own: Creature, enemy: Creature | None) -> float:
    """Return the damage to expect of a move, in no unit; 0.0 for one that is not known."""
    facts = tables.MOVES.get(move_id)
    if facts is None:
        return 0.0
    _, kind, power, accuracy, _ = facts
    bonus = SAME_TYPE_BONUS if kind in own.types else 1.0
    return (
        power * accuracy / 100 * bonus * effectiveness(tables, kind, enemy.types if enemy else ())
    )


# Tell who is in control, and which menu is open.

FREE = Control(
    in_game=True,
    is_free=True,
    in_text=False,
    in_menu=False,
    is_scripted=False,
    in_transition=False,
    cursor=(0, 0),
    menu_size=(0, 0),
)
"""While the player can walk, nothing else asks for input: always the same."""
TEXT_PROMPTS = (Prompt.TEXT, Prompt.PRINTING)
MENU_PROMPTS = (Prompt.MENU, Prompt.YES_NO, Prompt.QUANTITY)


class MenuKind(IntEnum):
    """Kinds of menus that call for different answers."""

    NONE = 0
    BATTLE = 1
    """The battle's first menu: fight, party, bag, run."""
    MOVES = 2
    YES_NO = 3
    START = 4
    OTHER = 5


_FIRST_MENU_SIZE = (2, 2)


def menu_kind(state: GameState) -> MenuKind:
    """Return the kind of the open menu, by the prompt, its size and the words on the screen."""
    control = state.control
    if not control.in_menu:
        return MenuKind.NONE
    if control.prompt is Prompt.QUANTITY:
        return MenuKind.OTHER
    words = {line.lstrip("▶▷ ") for line in state.screen_text}
    # Words count only for games whose reader does not tell questions from menus.
    is_worded = control.prompt is Prompt.NONE and {"YES", "NO"} <= words
    if control.prompt is Prompt.YES_NO or is_worded:
        return MenuKind.YES_NO
    if state.battle is not None:
        own = state.battle.own
        # In some games both menus have two rows of two, and are told apart by their words.
        if own is not None and own.moves and own.moves[0].name in words:
            return MenuKind.MOVES
        return MenuKind.BATTLE if control.menu_size == _FIRST_MENU_SIZE else MenuKind.OTHER
    return MenuKind.START if "EXIT" in words else MenuKind.OTHER
