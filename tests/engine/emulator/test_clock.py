"""A cartridge with a clock, a battery and a program of a few instructions (no real one is ours)."""

import hashlib
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.emulator.cartridge import Battery, Cartridge
from engine.emulator.gameboy import GameBoy
from engine.emulator.gameboy_hooks import find_time
from engine.errors import EnvironmentError
from tests.engine.cartridges import BATTERY_AT, CLOCK_AT, FRAMES_AT, clock_cartridge

FRAMES_A_SECOND = 59.73
SECOND_AND_A_HALF = 90
ROOT = Path(__file__).parents[3]


def clock(machine: GameBoy) -> tuple[int, ...]:
    """Return what the program read last: seconds, minutes, hours, days."""
    return tuple(machine.read(0, CLOCK_AT, 4))


def frames(machine: GameBoy) -> int:
    return int.from_bytes(machine.read(0, FRAMES_AT, 2), "little")


@pytest.fixture(params=[False, True], ids=["read at once", "read a frame later"])
def rom(request: pytest.FixtureRequest) -> bytes:
    return clock_cartridge(is_read_late=request.param)


def test_clock_goes_with_the_emulated_time(rom: bytes) -> None:
    machine = GameBoy(rom)
    machine.tick(round(65.5 * FRAMES_A_SECOND))
    assert clock(machine) == (5, 1, 0, 0)
    assert frames(machine) > 3800


def test_power_on_does_not_depend_on_the_wall_time(rom: bytes) -> None:
    first = GameBoy(rom)
    time.sleep(1.1)
    second = GameBoy(rom)
    for machine in (first, second):
        machine.tick(100)
    assert first.save_state() == second.save_state()


def test_run_from_a_state_repeats_byte_for_byte_at_another_wall_time(rom: bytes) -> None:
    machine = GameBoy(rom)
    machine.tick(200)
    start = machine.save_state()
    machine.tick(400)
    end = machine.save_state()
    time.sleep(1.1)
    assert machine.save_state() == end, "standing still takes no time"
    machine.load_state(start)
    machine.tick(400)
    assert machine.save_state() == end, "in the same machine"
    fresh = GameBoy(rom)
    fresh.load_state(start)
    assert fresh.save_state() == start
    fresh.tick(400)
    assert fresh.save_state() == end, "in a fresh one"


@pytest.mark.slow
def test_saving_and_loading_in_between_changes_nothing(rom: bytes) -> None:
    straight, interrupted, fresh = GameBoy(rom), GameBoy(rom), GameBoy(rom)
    for _ in range(60):
        straight.tick(20)
        interrupted.tick(20)
        state = interrupted.save_state()
        interrupted.load_state(state)
        assert clock(interrupted) == clock(straight)
    assert interrupted.save_state() == straight.save_state()
    fresh.load_state(state)
    for _ in range(3):
        straight.tick(1)
        fresh.tick(1)
        assert clock(fresh) == clock(straight), "what was latched is there"


def test_run_repeats_in_a_fresh_process(tmp_path: Path) -> None:
    """Whether the clock is read at once or a frame later."""
    expected = []
    for number, is_read_late in enumerate((False, True)):
        rom = clock_cartridge(is_read_late=is_read_late)
        machine = GameBoy(rom)
        machine.tick(200)
        (tmp_path / f"rom{number}").write_bytes(rom)
        (tmp_path / f"state{number}").write_bytes(machine.save_state())
        machine.tick(400)
        expected.append(hashlib.sha1(machine.save_state()).hexdigest())
    code = (
        "import hashlib, pathlib, sys\n"
        "from engine.emulator.gameboy import GameBoy\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        "for number in range(2):\n"
        "    machine = GameBoy((folder / f'rom{number}').read_bytes())\n"
        "    machine.load_state((folder / f'state{number}').read_bytes())\n"
        "    machine.tick(400)\n"
        "    print(hashlib.sha1(machine.save_state()).hexdigest())\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert result.stdout.split() == expected


def test_state_that_pyboy_saved_long_ago_takes_no_wall_time(rom: bytes) -> None:
    machine = GameBoy(rom)
    machine.tick(200)
    state = machine.save_state()
    offset = find_time(state, 4e9, 4e9)
    assert offset is not None
    long_ago = state[:offset] + struct.pack("d", 1.6e9) + state[offset + 8 :]
    machine.load_state(long_ago)
    assert machine.save_state() == state


def test_state_of_a_cartridge_of_another_kind_is_refused(rom: bytes) -> None:
    machine = GameBoy(rom)
    state = machine.save_state()
    with pytest.raises(EnvironmentError, match="cannot load"):
        machine.load_state(state[:-1])
    with pytest.raises(EnvironmentError, match="cannot load"):
        machine.load_state(bytes((state[0] + 1,)) + state[1:])
    assert machine.save_state() == state


def test_battery_and_its_clock_are_there_at_power_on(rom: bytes) -> None:
    memory = bytes(range(1, 17)).ljust(0x8000, b"\0")
    footer = struct.pack("<10IQ", 7, 8, 9, 44, 1, 0, 0, 0, 0, 0, 1_600_000_000)
    battery = Battery.of(memory + footer, Cartridge.of(rom), "a.sav")
    machine = GameBoy(rom, battery)
    machine.tick(SECOND_AND_A_HALF)
    assert machine.read(0, BATTERY_AT, 16) == memory[:16]
    assert machine.read(0, CLOCK_AT, 5) == bytes((8, 8, 9, 44, 1))


def test_battery_without_a_clock_begins_at_zero(rom: bytes) -> None:
    machine = GameBoy(rom, Battery.of(bytes(0x8000), Cartridge.of(rom), "a.sav"))
    machine.tick(SECOND_AND_A_HALF)
    assert clock(machine) == (1, 0, 0, 0)


def test_time_is_found_in_a_state() -> None:
    state = bytes(123) + struct.pack("d", 1_700_000_000.5) + bytes(77)
    assert find_time(state, 1_700_000_000.0, 1_700_000_001.0) == 123
    assert find_time(bytes(500), 1_700_000_000.0, 1_700_000_001.0) is None
    earlier_too = struct.pack("d", 1_700_000_000.2) + state
    assert find_time(earlier_too, 1_700_000_000.0, 1_700_000_001.0) == 131
