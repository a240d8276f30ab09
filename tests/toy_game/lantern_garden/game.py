"""Be the garden: see `engine.games.base.Game`."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from engine.config import EnvConfig
from engine.emulator.base import Emulator
from engine.errors import ConfigurationError
from engine.games.base import Game, Reader, Recognised
from engine.types import GAME_BOY_ADVANCE_ACTIONS, Action, ActionSet, GameAction, GameState

from . import garden
from . import machine as at
from .picture import FRAME_SHAPE, WIDE_SHAPE
from .reader import GardenReader
from .tables import ATLAS, TABLES

ACTIONS = ActionSet(
    (
        GameAction("NORTH", ("n", "up"), Action.UP, help="Walk north."),
        GameAction("EAST", ("e", "right"), Action.RIGHT, help="Walk east."),
        GameAction("SOUTH", ("s", "down"), Action.DOWN, help="Walk south."),
        GameAction("WEST", ("w", "left"), Action.LEFT, help="Walk west."),
        GameAction(
            "WAIT", ("z",), Action.A, is_button=False, help="Stand still, and use what you face."
        ),
    )
)
_HEDGE = "a hedge is in the way"
_FACED = "it is faced already"
_LOCKED = "the gate is locked"
_NOTHING_TO_USE = "nothing ahead is of use"
_NO_FUNCTION = "it has no function in this game"
_LONGEST_WALK = 16
"""Frames."""


class GardenGame(Game):
    """The first edition: four directions, and waiting.

    Attributes:
        ways: Actions that walk, in the order of `FACINGS`.
        use: The action that uses what is faced.
    """

    title = "GARDEN"
    name = TABLES.NAME
    description = "a game of lanterns to be lit"
    tables = TABLES
    atlas = ATLAS
    actions = ACTIONS
    frame_shape = FRAME_SHAPE
    frames_per_s = 30.0
    emulator_version = "1"
    ways: tuple[int, ...] = (0, 1, 2, 3)
    use = 4

    def __init__(self, rom: bytes) -> None:
        self.rom = rom
        self.sha1 = hashlib.sha1(rom, usedforsecurity=False).hexdigest()

    def start(self) -> Emulator:
        return at.GardenMachine(self.rom, self.ways)

    def start_saved(self, battery: bytes, file: str) -> Emulator:
        raise ConfigurationError(f"{file} holds no saved game of {self.name}.", "Leave it out.")

    def reader(self, emulator: Emulator) -> Reader:
        return GardenReader(emulator)

    def play_introduction(
        self,
        emulator: Emulator,
        read: Callable[[], GameState],
        report: Callable[[int, int], None] = lambda done, most: None,
    ) -> None:
        emulator.press(self.ways[0])
        emulator.tick(1)
        emulator.release(self.ways[0])
        report(1, 1)

    def prepare(self, emulator: Emulator) -> None:
        pass

    def seed(self, emulator: Emulator, random: tuple[int, int]) -> None:
        emulator.write(0, at.CHANCE, bytes(random))

    def play(
        self, emulator: Emulator, action: int, state: GameState, config: EnvConfig, render: bool
    ) -> None:
        if action not in self.ways:
            emulator.tick(at.STILL_FRAMES, render)
            return
        emulator.press(action)
        emulator.tick(1)
        emulator.release(action)
        for _ in range(_LONGEST_WALK):
            if self.is_at_rest(emulator):
                break
            emulator.tick(1)
        emulator.tick(0, render)

    def is_at_rest(self, emulator: Emulator) -> bool:
        return not emulator.read(0, at.MOVING, 1)[0]

    def is_readable(self, emulator: Emulator) -> bool:
        return self.is_at_rest(emulator)

    def blocked(self, state: GameState) -> dict[int, str]:
        if not state.control.is_free:
            return {}
        place, view = state.place, state.map
        things = {(thing.x, thing.y) for thing in view.objects}
        doors = {(warp.x, warp.y) for warp in view.warps}
        blocked = {
            action: _NO_FUNCTION
            for action in range(len(self.actions))
            if action not in (*self.ways, self.use)
        }
        for action, facing in zip(self.ways, at.FACINGS, strict=True):
            dx, dy = facing.delta
            tile = (place.x + dx, place.y + dy)
            if tile in things:
                reason = _FACED if place.facing is facing else ""
            elif view.terrain[tile[1], tile[0]] & 1:
                reason = ""
            else:
                reason = _LOCKED if tile in doors else _HEDGE
            if reason:
                blocked[action] = reason
        if not view.answers(place.x, place.y, place.facing):
            blocked[self.use] = _NOTHING_TO_USE
        return blocked

    def digest(self, emulator: Emulator) -> str:
        memory = emulator.read(0, 0, at.RAM_SIZE)
        return hashlib.sha1(memory, usedforsecurity=False).hexdigest()


class WideGardenGame(GardenGame):
    """The second edition: a large picture, and ten buttons of which none waits."""

    actions = GAME_BOY_ADVANCE_ACTIONS
    frame_shape = WIDE_SHAPE
    ways = (4, 7, 5, 6)
    use = 0


def recognise(file: Path, rom: bytes) -> Recognised | None:
    """Return the garden if a file is one, else None: the entry point names this function."""
    if not garden.is_garden(rom):
        return None
    return Recognised(TABLES.NAME, (WideGardenGame if garden.is_wide(rom) else GardenGame)(rom))
