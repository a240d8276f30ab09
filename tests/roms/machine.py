"""Run the practice game frame by frame and read its documented RAM, nothing else."""

import io
from collections.abc import Callable
from pathlib import Path

from pyboy import PyBoy

from engine.games.crystal.control import CHARMAP
from engine.games.crystal.memory import SYMBOLS

ROM = Path(__file__).parents[2] / "roms" / "practice.gbc"
HOLD_FRAMES, ACTION_FRAMES = 8, 24
RANDOM_ADD, RANDOM_SUB = 0xFFE1, 0xFFE2
WIDTH, HEIGHT = 20, 18
STANDING = 255


class Machine:
    """The game in an emulator.

    Attributes:
        actions: How many `act` calls there were.
        watch: Called after every action.
    """

    def __init__(self, rom: bytes | None = None, seed: int | None = None) -> None:
        image = ROM.read_bytes() if rom is None else rom
        self.rom = image
        self._boy = PyBoy(
            io.BytesIO(image), window="null", sound_emulated=False, cgb=True, log_level=5
        )
        self.actions = 0
        self.watch: Callable[[], None] = lambda: None
        if seed is not None:
            self.seed(seed)

    def seed(self, seed: int) -> None:
        """Write the two documented random bytes, once the start-up code has set its own."""
        while not self._boy.memory[RANDOM_ADD]:
            self.tick()
        self._boy.memory[RANDOM_ADD] = seed & 0xFF
        self._boy.memory[RANDOM_SUB] = seed >> 8 & 0xFF

    # ---- input -----------------------------------------------------------------------------

    def tick(self, frames: int = 1, render: bool = False) -> None:
        self._boy.tick(frames, render)

    def press(self, button: str) -> None:
        self._boy.button_press(button)

    def release(self, button: str) -> None:
        self._boy.button_release(button)

    def act(self, button: str = "", hold: int = HOLD_FRAMES, frames: int = ACTION_FRAMES) -> None:
        """One action: hold a button (or none) for `hold` of `frames` frames."""
        if button:
            self.press(button)
        self.tick(hold)
        if button:
            self.release(button)
        self.tick(frames - hold)
        self.actions += 1
        self.watch()

    # ---- memory ----------------------------------------------------------------------------

    def byte(self, address: int) -> int:
        memory = self._boy.memory
        return int(memory[1, address] if 0xD000 <= address < 0xE000 else memory[address])

    def rom_bytes(self, bank: int, address: int, size: int) -> bytes:
        start = address if address < 0x4000 else bank * 0x4000 + address - 0x4000
        return self.rom[start : start + size]

    def vram(self, bank: int, address: int, size: int) -> bytes:
        return bytes(self._boy.memory[bank, address : address + size])

    def read(self, name: str, offset: int = 0, size: int = 0) -> bytes:
        """Read a symbol's bytes from `offset` on."""
        symbol = SYMBOLS[name]
        start, count = symbol.address + offset, size or symbol.size - offset
        if symbol.address >= 0xFF00:
            return bytes(self.byte(start + i) for i in range(count))
        bank = 1 if start >= 0xD000 else 0
        return bytes(self._boy.memory[bank, start : start + count])

    def get(self, name: str, offset: int = 0) -> int:
        """Read one byte of a symbol."""
        return self.byte(SYMBOLS[name].address + offset)

    def number(self, name: str, offset: int = 0, size: int = 2) -> int:
        """Read a big-endian number."""
        return int.from_bytes(self.read(name, offset, size), "big")

    def poke(self, name: str, value: int, offset: int = 0) -> None:
        """Write one byte (only for tests that need a situation)."""
        address = SYMBOLS[name].address + offset
        if 0xD000 <= address < 0xE000:
            self._boy.memory[1, address] = value
        else:
            self._boy.memory[address] = value

    def event(self, number: int) -> bool:
        return bool(self.get("wEventFlags", number >> 3) >> (number & 7) & 1)

    # ---- what it means ---------------------------------------------------------------------

    @property
    def map_key(self) -> tuple[int, int]:
        return self.get("wMapGroup"), self.get("wMapNumber")

    @property
    def position(self) -> tuple[int, int]:
        return self.get("wXCoord"), self.get("wYCoord")

    @property
    def in_game(self) -> bool:
        return bool(self.get("wGameTimerPaused") & 1)

    @property
    def is_free(self) -> bool:
        """Whether the player is in control and stands still (facts/emulator.md)."""
        return (
            self.in_game
            and self.get("wMapStatus") == 2
            and not self.get("wBattleMode")
            and not self.get("wScriptRunning")
            and not self.get("wMapEventStatus")
            and not self.get("wWindowStackSize")
            and self.get("wPlayerWalking") == STANDING
        )

    @property
    def has_fast_options(self) -> bool:
        """Whether texts appear at once and battles have no scenes."""
        return self.get("wOptions") & 0x97 == 0x91

    @property
    def lines(self) -> list[str]:
        """The tile map as text; map tiles are spaces."""
        codes = self.read("wTilemap")
        text = "".join(CHARMAP.get(code, " ") if code >= 0x79 else " " for code in codes)
        return [text[y * WIDTH : (y + 1) * WIDTH] for y in range(HEIGHT)]

    def shows(self, text: str) -> bool:
        return any(text in line for line in self.lines)

    # ---- the rest --------------------------------------------------------------------------

    def save(self) -> bytes:
        out = io.BytesIO()
        self._boy.save_state(out)
        return out.getvalue()

    def load(self, state: bytes) -> None:
        self._boy.load_state(io.BytesIO(state))

    def screen(self) -> bytes:
        """Render one frame: 144 x 160 x RGBA."""
        self.tick(1, render=True)
        return bytes(self._boy.screen.ndarray.tobytes())

    def close(self) -> None:
        self._boy.stop(save=False)
