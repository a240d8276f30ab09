from pathlib import Path

import numpy as np
import pytest

from engine.emulator.base import rom_slice
from engine.emulator.gameboy import GameBoy
from engine.errors import EnvironmentError
from engine.games.catalog import load_game
from engine.types import Action
from tests.engine.emulator.conftest import assert_drawn_by_ticks_that_draw


@pytest.fixture(scope="module")
def rom() -> bytes:
    return load_game().rom


@pytest.fixture
def machine(rom: bytes) -> GameBoy:
    machine = GameBoy(rom)
    machine.tick(60)
    return machine


def test_written_memory_reads_back_in_its_bank(machine: GameBoy) -> None:
    machine.write(1, 0xD84E, b"\x01\x02\x03")
    machine.write(0, 0xC4A0, b"\x55")
    machine.write(0, 0xFFE1, b"\x77")
    assert machine.read(1, 0xD84E, 3) == b"\x01\x02\x03"
    assert machine.read(0, 0xC4A0, 1) == b"\x55"
    assert machine.read(0, 0xFFE1, 1) == b"\x77"


def test_reads_reach_the_ends_of_both_work_ram_halves(machine: GameBoy) -> None:
    machine.write(1, 0xDFFE, b"\x0a\x0b")
    assert machine.read(1, 0xDFFE, 2) == b"\x0a\x0b"
    assert machine.read(1, 0xDFFF, 1) == b"\x0b"
    machine.write(0, 0xCFFE, b"\x0c\x0d")
    assert machine.read(0, 0xCFFE, 2) == b"\x0c\x0d"


def test_strided_read_takes_every_nth_byte(machine: GameBoy) -> None:
    machine.write(1, 0xD500, bytes(range(80)))
    assert machine.read_strided(1, 0xD500, 40, 2) == bytes([0, 40])


def test_rom_slice_is_what_the_cpu_sees() -> None:
    rom = bytes([1]) * 0x4000 + bytes([2]) * 0x4000 + bytes([3]) * 0x4000
    assert rom_slice(rom, 2, 0x5000, 2) == b"\x03\x03"
    assert rom_slice(rom, 2, 0x1000, 2) == b"\x01\x01"


def test_state_replays_exactly_in_a_fresh_machine(machine: GameBoy, rom: bytes) -> None:
    machine.press(Action.START)
    machine.tick(8)
    machine.release(Action.START)
    machine.tick(12)
    state = machine.save_state()
    other = GameBoy(rom)
    other.load_state(state)
    for game in (machine, other):
        game.press(Action.A)
        game.tick(40)
        game.release(Action.A)
        game.tick(200, render=True)
    assert machine.save_state() == other.save_state()
    assert np.array_equal(machine.frame(), other.frame())


def test_rendering_does_not_change_the_game(rom: bytes) -> None:
    seen, unseen = GameBoy(rom), GameBoy(rom)
    for _ in range(20):
        seen.tick(20, render=True)
        unseen.tick(20)
    assert seen.read(0, 0xC000, 0x1000) == unseen.read(0, 0xC000, 0x1000)
    assert seen.read(1, 0xD000, 0x1000) == unseen.read(1, 0xD000, 0x1000)


def test_frame_is_a_copy_in_rgb(machine: GameBoy) -> None:
    machine.tick(300, render=True)
    frame = machine.frame()
    assert (frame.shape, frame.dtype) == ((144, 160, 3), np.uint8)
    frame[:] = 1
    assert not np.array_equal(frame, machine.frame())


@pytest.mark.parametrize("state", [b"", b"nonsense", bytes(1000), bytes(300_000)])
def test_bad_state_is_refused_and_the_machine_continues(machine: GameBoy, state: bytes) -> None:
    good = machine.save_state()
    with pytest.raises(EnvironmentError) as caught:
        machine.load_state(state)
    assert caught.value.hint
    machine.load_state(good)
    machine.tick(10)


def test_game_boy_prints_and_writes_nothing(
    rom: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    machine = GameBoy(rom)
    machine.tick(10)
    machine.save_state()
    machine.close()
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_picture_is_of_now_only_after_a_tick_that_drew_it(machine: GameBoy) -> None:
    assert_drawn_by_ticks_that_draw(machine)
