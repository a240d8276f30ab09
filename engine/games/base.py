"""Say what the engine must know of a game: everything else is the same for all of them.

A game is a folder beside this file. It says what a file is (`recognise`) and gives a `Game`; the
environment, the agents, demonstrations and the cockpit take sizes, names and rules from that.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine.config import EnvConfig
from engine.emulator.base import Emulator
from engine.errors import RomError
from engine.types import ActionSet, GameState, Goal, MapId

MoveFacts = tuple[str, int, int, int, int]
"""Name, type id, power, accuracy in percent, points."""

Milestone = tuple[str, str, str, int | tuple[int, int]]
"""Key, text, kind and value: see `engine.env.milestones.MilestoneTracker`."""

Links = Mapping[tuple[int, int], tuple[tuple[str, int, int, tuple[int, int]], ...]]
"""Ways out of maps: (group, number) -> (kind, x, y, target), kind "warp" or a side's name."""

GAME_BOY_ROLE_PLAYING = "a role-playing game on a Game Boy"
"""The `Game.description` of those that the documented API's models play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameTables:
    """Names and figures of a game; what it does not have is empty.

    Attributes:
        NAME: The game's, for people.
        MAPS: (group, number) -> name.
        MAP_LANDMARKS: (group, number) -> number in `LANDMARKS`.
        SPAWNS: Number of a place to fly to -> the map where one lands or wakes up.
        TRAINER_CLASSES: Number -> name.
        SPECIES_TYPES: Species -> numbers in `TYPES`.
        TYPE_CHART: (attacking, defending type) -> factor; 1.0 for a pair that is absent.
        EVENT_FLAGS: Name -> bit; the story's only.
    """

    NAME: str = ""
    MAPS: Mapping[tuple[int, int], str] = field(default_factory=dict)
    MAP_LANDMARKS: Mapping[tuple[int, int], int] = field(default_factory=dict)
    LANDMARKS: Mapping[int, str] = field(default_factory=dict)
    SPAWNS: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    TRAINER_CLASSES: Mapping[int, str] = field(default_factory=dict)
    SPECIES: Mapping[int, str] = field(default_factory=dict)
    SPECIES_TYPES: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    TYPES: Mapping[int, str] = field(default_factory=dict)
    MOVES: Mapping[int, MoveFacts] = field(default_factory=dict)
    ITEMS: Mapping[int, str] = field(default_factory=dict)
    TYPE_CHART: Mapping[tuple[int, int], float] = field(default_factory=dict)
    EVENT_FLAGS: Mapping[str, int] = field(default_factory=dict)
    MILESTONES: tuple[Milestone, ...] = ()


@dataclass(frozen=True, slots=True)
class Atlas:
    """What is known of a game's world before it is seen; what is missing is left to chance.

    Attributes:
        links: Which map leads to which.
        spots: Where the milestones are reached that are no map to enter: the tile of who or what is
            faced and answers A.
        healers: Who heals the party.
        training: Where to gain levels.
        rest_name: Part of the names of the maps where one rests; "": no name tells.
        healer: Number among the objects of such a map of who heals there.
    """

    links: Links = field(default_factory=dict)
    spots: Mapping[str, tuple[MapId, tuple[int, int]]] = field(default_factory=dict)
    healers: tuple[Goal, ...] = ()
    training: Goal | None = None
    rest_name: str = ""
    healer: int = 0

    def is_rest(self, name: str) -> bool:
        """Return whether a map's name says that one rests there."""
        return bool(self.rest_name) and self.rest_name in name


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
    def milestones(self) -> tuple[tuple[str, str], ...]:
        """Return (key, text) of the milestones in order."""
        return tuple((key, text) for key, text, *_ in self.tables.MILESTONES)

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
            report: Called with the frames played and the most there can be; what it raises ends
                the introduction.

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
