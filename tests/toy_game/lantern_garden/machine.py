"""The machine that plays the garden: 32 bytes of memory, and a picture made of them."""

from engine.errors import EnvironmentError
from engine.types import Facing, Frame

from . import garden
from .picture import draw

RAM_SIZE = 32
CHANCE, TITLE, MAP, X, Y, FACING, MOVING, STILL, FLAGS, OIL, MOTH_X, MOTH_Y, CLOCK, HELD = (
    0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
)  # fmt: skip
"""Addresses; a byte each but for the two of chance."""

KEY_TAKEN = 1
"""Bit of the flags; those of the lanterns follow it, map by map."""
LANTERNS = 3
WALK_FRAMES, STILL_FRAMES = 4, 8
"""What a step takes, and how long one stands still to use what is faced."""
_MOTH_FRAMES = 16

FACINGS = (Facing.UP, Facing.RIGHT, Facing.DOWN, Facing.LEFT)
"""In the order of the four actions."""


class GardenMachine:
    """An `engine.emulator.base.Emulator`.

    Args:
        rom: The game's file.
        ways: Actions that walk, in the order of `FACINGS`.
    """

    def __init__(self, rom: bytes, ways: tuple[int, ...] = (0, 1, 2, 3)) -> None:
        self.rom, self._mark = rom, rom[: len(garden.MAGIC)]
        self._bits = {action: 1 << place for place, action in enumerate(ways)}
        self.ram = bytearray(RAM_SIZE)
        self.ram[TITLE] = 1
        self.ram[X], self.ram[Y] = garden.find(rom, 0, garden.START)[0]
        self.ram[FACING] = Facing.DOWN
        self.ram[OIL] = LANTERNS
        self._place_moth()
        self._frame = draw(rom, self.ram)
        self.is_drawn, self.frames_run = False, 0

    def tick(self, frames: int, render: bool = False) -> None:
        self.frames_run += frames
        for _ in range(frames):
            self._advance()
        self.is_drawn = render
        if render:
            self._frame = draw(self.rom, self.ram)

    def press(self, action: int) -> None:
        self.ram[HELD] |= self._bits.get(action, 0)

    def release(self, action: int) -> None:
        self.ram[HELD] &= ~self._bits.get(action, 0)

    def read(self, bank: int, address: int, size: int) -> bytes:
        return bytes(self.ram[address : address + size])

    def read_strided(self, bank: int, address: int, stride: int, count: int) -> bytes:
        return bytes(self.ram[address::stride][:count])

    def write(self, bank: int, address: int, data: bytes) -> None:
        self.ram[address : address + len(data)] = data

    def frame(self) -> Frame:
        return self._frame.copy()

    def save_state(self) -> bytes:
        return self._mark + bytes(self.ram)

    def load_state(self, state: bytes) -> None:
        if not state.startswith(self._mark) or len(state) != len(self._mark) + RAM_SIZE:
            raise EnvironmentError("This is no state of the garden.", "Start a new run.")
        self.ram[:] = state[len(self._mark) :]
        self.is_drawn = False

    def close(self) -> None:
        pass

    def thing_at(self, tile: garden.Tile) -> str:
        """Return the mark of what stands on a tile now; "." where nothing is left."""
        ram = self.ram
        if tile == (ram[MOTH_X], ram[MOTH_Y]):
            return garden.MOTH
        mark = garden.tiles(self.rom, ram[MAP])[tile]
        is_gone = mark in {garden.START, garden.MOTH}
        return "." if is_gone or (mark == garden.KEY and ram[FLAGS] & KEY_TAKEN) else mark

    @property
    def ahead(self) -> garden.Tile:
        """Return the tile that is faced."""
        dx, dy = Facing(self.ram[FACING]).delta
        return self.ram[X] + dx, self.ram[Y] + dy

    def lantern_bit(self, tile: garden.Tile) -> int:
        """Return the flag of the lantern on a tile of this map."""
        before = sum(len(garden.find(self.rom, n, garden.LANTERN)) for n in range(self.ram[MAP]))
        here = garden.find(self.rom, self.ram[MAP], garden.LANTERN)
        return KEY_TAKEN << (1 + before + here.index(tile))

    def _advance(self) -> None:
        ram = self.ram
        if ram[TITLE]:
            ram[TITLE] = not ram[HELD]
            return
        ram[CLOCK] = (ram[CLOCK] + 1) % _MOTH_FRAMES
        if not ram[CLOCK]:
            self._fly()
        if ram[MOVING]:
            ram[MOVING] -= 1
            if not ram[MOVING]:
                self._arrive()
        elif ram[HELD]:
            self._walk(next(n for n in range(len(FACINGS)) if ram[HELD] >> n & 1))
        else:
            ram[STILL] = min(ram[STILL] + 1, STILL_FRAMES)
            if ram[STILL] == STILL_FRAMES:
                self._use()

    def _walk(self, direction: int) -> None:
        """Turn, and set out if the way is free."""
        ram = self.ram
        ram[STILL] = 0
        ram[FACING] = FACINGS[direction]
        ram[MOVING] = WALK_FRAMES
        thing = self.thing_at(self.ahead)
        if thing == "." or (thing == garden.DOOR and ram[FLAGS] & KEY_TAKEN):
            ram[X], ram[Y] = self.ahead

    def _arrive(self) -> None:
        """Go through the gate where one stands in it."""
        ram = self.ram
        if self.thing_at((ram[X], ram[Y])) == garden.DOOR:
            ram[MAP] = 1 - ram[MAP]
            x, y = garden.find(self.rom, ram[MAP], garden.DOOR)[0]
            ram[X], ram[Y] = (x + 1 if x == 0 else x - 1), y
            self._place_moth()

    def _use(self) -> None:
        """Take the key, or light the lantern, that was faced for long enough."""
        ram, thing = self.ram, self.thing_at(self.ahead)
        if thing == garden.KEY:
            ram[FLAGS] |= KEY_TAKEN
        elif thing == garden.LANTERN and not ram[FLAGS] & self.lantern_bit(self.ahead):
            ram[FLAGS] |= self.lantern_bit(self.ahead)
            ram[OIL] -= 1

    def _fly(self) -> None:
        """Let the moth go where chance has it."""
        ram = self.ram
        chance = int.from_bytes(ram[CHANCE : CHANCE + 2], "big") * 25173 + 13849 & 0xFFFF
        ram[CHANCE : CHANCE + 2] = chance.to_bytes(2, "big")
        dx, dy = FACINGS[chance >> 12 & 3].delta
        tile = ram[MOTH_X] + dx, ram[MOTH_Y] + dy
        if self.thing_at(tile) == "." and tile != (ram[X], ram[Y]):
            ram[MOTH_X], ram[MOTH_Y] = tile

    def _place_moth(self) -> None:
        self.ram[MOTH_X], self.ram[MOTH_Y] = garden.find(self.rom, self.ram[MAP], garden.MOTH)[0]
