"""Drive the mGBA core with a game that counts, looks and draws."""

import gc
import hashlib
import os
import random
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from engine.emulator.base import GAME_BOY_ADVANCE_FRAMES_PER_S
from engine.emulator.core import Core
from engine.emulator.core_hooks import POWER_ON_S
from engine.emulator.libretro import GameBoyAdvance
from engine.errors import EnvironmentError, RomError
from engine.games.bundled import find_image
from engine.ground.folders import CORE_VARIABLE
from engine.ground.processes import code_command, python_environment
from engine.types import GAME_BOY_ADVANCE_ACTIONS, GAME_BOY_ADVANCE_FRAME_SHAPE
from tests.engine.emulator.advance_image import BATTERY_BYTE, DATE, FRAMES, KEYS, advance_image
from tests.engine.emulator.conftest import assert_drawn_by_ticks_that_draw

ROM = advance_image()
A, B, START, L, R = map(GAME_BOY_ADVANCE_ACTIONS.names.index, ("A", "B", "START", "L", "R"))
BATTERY = bytes(range(256)) * 512


def image_of(game: str) -> bytes:
    return ROM if game == "counter" else find_image(game).read_bytes()


@pytest.fixture(params=["mosslight-advance", pytest.param("counter", marks=pytest.mark.slow)])
def game(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def number(machine: GameBoyAdvance, address: int, size: int = 4) -> int:
    return int.from_bytes(machine.read(0, address, size), "little")


@pytest.fixture
def machine(core: Core) -> Iterator[GameBoyAdvance]:
    machine = GameBoyAdvance(ROM, core=core)
    yield machine
    machine.close()


def play(machine: GameBoyAdvance, seed: int, steps: int = 12) -> None:
    """Press buttons at random for some frames, and for some none."""
    dice = random.Random(seed)
    for _ in range(steps):
        button = dice.randrange(len(GAME_BOY_ADVANCE_ACTIONS))
        machine.press(button)
        machine.tick(dice.randint(1, 20))
        machine.release(button)
        machine.tick(dice.randint(1, 20), render=True)


def test_every_button_arrives_as_its_key(machine: GameBoyAdvance) -> None:
    keys = {}
    for action, name in enumerate(GAME_BOY_ADVANCE_ACTIONS.names):
        machine.press(action)
        machine.tick(2)
        keys[name] = number(machine, KEYS, 2)
        machine.release(action)
    machine.tick(2)
    assert number(machine, KEYS, 2) == 0
    # GBATEK, "KEYINPUT".
    assert keys == {
        "A": 1, "B": 2, "SELECT": 4, "START": 8, "RIGHT": 16, "LEFT": 32, "UP": 64, "DOWN": 128,
        "R": 256, "L": 512,
    }  # fmt: skip


def test_two_buttons_can_be_held_at_once(machine: GameBoyAdvance) -> None:
    machine.press(A)
    machine.press(L)
    machine.tick(2)
    assert number(machine, KEYS, 2) == 1 | 512
    machine.release(A)
    machine.tick(2)
    assert number(machine, KEYS, 2) == 512


def test_views_show_memory_as_it_is_now_over_loads(machine: GameBoyAdvance) -> None:
    ewram, iwram = machine.ewram, machine.iwram
    assert (ewram.shape, iwram.shape) == ((0x40000,), (0x8000,))
    state = machine.save_state()
    machine.tick(5)
    count = number(machine, FRAMES)
    assert count
    assert int(ewram[:4].view("<u4")[0]) == int(iwram[:4].view("<u4")[0]) == count
    machine.load_state(state)
    assert not ewram[:4].any()
    ewram[0x1000] = 7
    assert machine.read(0, 0x0200_1000, 1) == b"\7"


@pytest.mark.parametrize(
    "address", [0x0200_0000, 0x0203_FFF0, 0x0300_7000, 0x0500_0100, 0x0600_0000, 0x0E01_FFF0]
)
def test_written_memory_reads_back(machine: GameBoyAdvance, address: int) -> None:
    machine.write(0, address, bytes(range(1, 17)))
    assert machine.read(0, address, 16) == bytes(range(1, 17))
    assert machine.read_strided(0, address, 4, 4) == bytes([1, 5, 9, 13])


def test_image_reads_as_it_is_and_nothing_reads_as_zeros(machine: GameBoyAdvance) -> None:
    assert machine.read(0, 0x0800_00A0, 16) == ROM[0xA0:0xB0]
    assert machine.read_strided(0, 0x0800_00A0, 2, 4) == ROM[0xA0:0xA8:2]
    machine.write(0, 0x0203_FFFF, b"\5")
    assert machine.read(0, 0x0203_FFFF, 3) == b"\5\0\0"
    for address in (0, 0x0100_0000, 0x0204_0000, 0x0800_8000, 0x0FFF_FFFF, 0xFFFF_FFFF):
        assert machine.read(0, address, 4) == bytes(4)


@pytest.mark.parametrize("address", [0, 0x0203_FFFF, 0x0800_0000, 0x1000_0000])
def test_write_outside_of_memory_is_refused(machine: GameBoyAdvance, address: int) -> None:
    with pytest.raises(ValueError, match="no RAM"):
        machine.write(0, address, b"12")


def test_frame_is_a_copy_in_rgb(machine: GameBoyAdvance) -> None:
    machine.tick(3, render=True)
    frame = machine.frame()
    assert (frame.shape, frame.dtype) == (GAME_BOY_ADVANCE_FRAME_SHAPE, np.uint8)
    pixels = frame[-1, :5].tolist()
    assert pixels == [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [0, 0, 0]]
    frame[:] = 1
    assert not np.array_equal(frame, machine.frame())


def test_frames_are_drawn_on_demand_alike(core: Core) -> None:
    seen, unseen = GameBoyAdvance(ROM, core=core), GameBoyAdvance(ROM, core=core)
    for count in (*range(1, 14), 24, 61, 7, 1, 130):
        for _ in range(count):
            seen.tick(1, render=True)
        unseen.tick(count - 1)
        unseen.tick(1, render=True)
        assert np.array_equal(seen.frame(), unseen.frame()), count
        seen.tick(count, render=True)
        unseen.tick(count, render=True)
        assert np.array_equal(seen.frame(), unseen.frame()), count
    assert seen.save_state() == unseen.save_state()


def test_frame_after_a_load_is_drawn_anew(core: Core) -> None:
    first, second = GameBoyAdvance(ROM, core=core), GameBoyAdvance(ROM, core=core)
    first.tick(40)
    second.tick(17, render=True)
    second.load_state(first.save_state())
    first.tick(1, render=True)
    second.tick(1, render=True)
    assert np.array_equal(first.frame(), second.frame())


def test_sprites_stay_where_a_load_changes_none(machine: GameBoyAdvance) -> None:
    machine.tick(5, render=True)
    assert (machine.frame()[50:58, 100:108] == 255).all()
    machine.load_state(machine.save_state())
    machine.tick(1, render=True)
    assert (machine.frame()[50:58, 100:108] == 255).all()


def test_picture_is_of_now_only_after_a_tick_that_drew_it(machine: GameBoyAdvance) -> None:
    assert_drawn_by_ticks_that_draw(machine)


def test_same_input_gives_the_same_machine_in_another_process(core: Core, game: str) -> None:
    code = (
        "import hashlib\n"
        "from engine.emulator.libretro import GameBoyAdvance\n"
        "from tests.engine.emulator.test_libretro import image_of, play\n"
        f"machine = GameBoyAdvance(image_of({game!r}))\n"
        "play(machine, 5, 60)\n"
        "print(hashlib.sha1(machine.save_state() + machine.frame().tobytes()).hexdigest())\n"
    )
    environment = python_environment(TZ="Asia/Tokyo", **{CORE_VARIABLE: str(core.path)})
    digest = subprocess.check_output(code_command(code), env=environment, text=True)
    machine = GameBoyAdvance(image_of(game), core=core)
    play(machine, 5, 60)
    own = hashlib.sha1(machine.save_state() + machine.frame().tobytes()).hexdigest()
    assert digest.strip() == own


def test_state_replays_exactly_in_a_fresh_machine(core: Core, game: str) -> None:
    machine, other = (GameBoyAdvance(image_of(game), core=core) for _ in range(2))
    play(machine, 1, 40)
    machine.press(B)
    state = machine.save_state()
    other.tick(77)
    other.load_state(state)
    assert other.save_state() == state
    for each in (machine, other):
        play(each, 2, 40)
    assert machine.save_state() == other.save_state()
    assert np.array_equal(machine.frame(), other.frame())


def test_state_holds_the_buttons(machine: GameBoyAdvance) -> None:
    machine.press(B)
    state = machine.save_state()
    machine.release(B)
    machine.press(R)
    machine.load_state(state)
    machine.tick(2)
    assert number(machine, KEYS, 2) == 2


def test_interleaved_machines_do_not_know_of_each_other(core: Core, game: str) -> None:
    rom, alone = image_of(game), []
    for seed in (1, 2):
        machine = GameBoyAdvance(rom, core=core)
        for step in range(8):
            play(machine, seed * 100 + step, 3)
        alone.append(machine.save_state())
        machine.close()
    machines = [GameBoyAdvance(rom, core=core) for _ in alone]
    for step in range(8):
        for seed, machine in enumerate(machines, 1):
            play(machine, seed * 100 + step, 3)
    assert [machine.save_state() for machine in machines] == alone
    assert alone[0] != alone[1]


def test_machines_run_in_threads_of_their_own(core: Core, game: str) -> None:
    def run(seed: int) -> bytes:
        machine = GameBoyAdvance(image_of(game), core=core)
        play(machine, seed, 20)
        return machine.save_state()

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(run, (1, 2, 3))) == [run(seed) for seed in (1, 2, 3)]


def test_clock_counts_frames_in_universal_time(
    machine: GameBoyAdvance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    assert machine.is_clock_fixed

    def clock() -> datetime:
        year, month, day, _, hour, minute, second = (
            int(f"{byte:02x}") for byte in machine.read(0, DATE, 7)
        )
        return datetime(2000 + year, month, day, hour, minute, second, tzinfo=UTC)

    machine.tick(3)
    assert clock() == datetime.fromtimestamp(POWER_ON_S, UTC)
    machine.tick(597)
    state = machine.save_state()
    assert (clock() - datetime.fromtimestamp(POWER_ON_S, UTC)).total_seconds() == int(
        599 / GAME_BOY_ADVANCE_FRAMES_PER_S
    )
    machine.tick(300)
    later = clock()
    machine.load_state(state)
    machine.tick(300)
    assert clock() == later


def test_fresh_battery_memory_is_empty_flash(machine: GameBoyAdvance) -> None:
    assert machine.read(0, 0x0E00_0000, 0x20000) == b"\xff" * 0x20000
    machine.tick(3)
    assert number(machine, BATTERY_BYTE, 1) == 0xFF


def test_battery_memory_is_what_the_game_sees(core: Core) -> None:
    machine = GameBoyAdvance(ROM, BATTERY, core)
    machine.tick(3)
    assert number(machine, BATTERY_BYTE, 1) == BATTERY[16]
    assert machine.read(0, 0x0E00_0000, 0x20000) == BATTERY


def test_state_holds_the_battery_memory(core: Core) -> None:
    machine = GameBoyAdvance(ROM, BATTERY, core)
    machine.tick(3)
    state = machine.save_state()
    machine.write(0, 0x0E00_0010, b"\x99")
    machine.tick(2)
    assert number(machine, BATTERY_BYTE, 1) == 0x99
    other = GameBoyAdvance(ROM, core=core)
    for each in (machine, other):
        each.load_state(state)
        assert each.read(0, 0x0E00_0000, 0x20000) == BATTERY
        each.tick(2)
        assert number(each, BATTERY_BYTE, 1) == BATTERY[16]


def test_battery_memory_is_still_what_the_game_sees_after_a_load(machine: GameBoyAdvance) -> None:
    machine.load_state(machine.save_state())
    machine.write(0, 0x0E00_0010, b"\x77")
    machine.tick(3)
    assert number(machine, BATTERY_BYTE, 1) == 0x77


def test_state_holds_the_bank_of_the_battery_memory(core: Core) -> None:
    machine = GameBoyAdvance(ROM, bytes([1]) * 0x10000 + bytes([2]) * 0x10000, core)
    machine.tick(3)
    assert number(machine, BATTERY_BYTE, 1) == 1
    machine.press(START)
    machine.tick(3)
    machine.release(START)
    state = machine.save_state()
    for each in (machine, GameBoyAdvance(ROM, core=core)):
        each.load_state(state)
        each.tick(3)
        assert number(each, BATTERY_BYTE, 1) == 2


def damaged(state: bytes) -> dict[str, bytes]:
    changed = bytearray(state)
    changed[-9] ^= 1
    return {
        "empty": b"",
        "nonsense": b"nonsense",
        "zeros": bytes(528_384),
        "short": state[:-1],
        "long": state + b"\0",
        "header": state[:40],
        "changed": bytes(changed),
    }


@pytest.mark.parametrize("kind", damaged(bytes(64)))
def test_damaged_state_is_refused_and_the_machine_continues(
    machine: GameBoyAdvance, core: Core, kind: str
) -> None:
    play(machine, 3, 2)
    good = machine.save_state()
    machine.press(A)
    machine.tick(2, render=True)
    before = machine.save_state()
    with pytest.raises(EnvironmentError) as caught:
        machine.load_state(damaged(good)[kind])
    assert caught.value.hint
    assert machine.save_state() == before
    assert machine.is_drawn
    machine.load_state(good)
    machine.tick(2)


def test_state_of_another_rom_is_refused(machine: GameBoyAdvance, core: Core) -> None:
    other = GameBoyAdvance(advance_image(b"ANOTHER"), core=core)
    with pytest.raises(EnvironmentError, match="different ROM"):
        machine.load_state(other.save_state())


def test_state_of_another_core_is_refused_by_name(core: Core) -> None:
    machine = GameBoyAdvance(ROM, core=core)
    state = machine.save_state()
    machine.core_version = "mGBA 9.9"
    with pytest.raises(EnvironmentError, match=r"mGBA 0\..*this is mGBA 9\.9.*--core"):
        machine.load_state(state)


@pytest.mark.parametrize("rom", [b"", b"a", bytes(0x150), bytes(0x8000), b"text " * 99])
def test_what_cannot_run_is_refused(core: Core, rom: bytes) -> None:
    with pytest.raises(RomError) as caught:
        GameBoyAdvance(rom, core=core)
    assert caught.value.hint


def test_game_prints_and_writes_nothing(
    core: Core,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    machine = GameBoyAdvance(ROM, BATTERY, core)
    assert list(tmp_path.iterdir()) == []
    play(machine, 4, 2)
    machine.load_state(machine.save_state())
    machine.close()
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []
    assert machine.rom == advance_image(), "the core wrote into the image"


def loaded_cores() -> int:
    """Return how many mappings of this process are of copies of a core."""
    return Path("/proc/self/maps").read_text().count("poketui-scratch-")


def test_closed_machine_leaves_nothing_behind(core: Core) -> None:
    gc.collect()
    before = loaded_cores()
    machine = GameBoyAdvance(ROM, core=core)
    assert loaded_cores() > before
    view = machine.ewram
    machine.tick(2)
    machine.close()
    machine.close()
    assert view[:4].any(), "memory is there for as long as it is looked at"
    del view
    assert loaded_cores() == before


def resident_kb() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


@pytest.mark.slow
def test_memory_is_flat_over_starts_and_states(core: Core) -> None:
    def start() -> None:
        machine = GameBoyAdvance(ROM, core=core)
        machine.tick(2, render=True)
        machine.load_state(machine.save_state())
        machine.close()

    for _ in range(40):
        start()
    before = resident_kb()
    for _ in range(200):
        start()
    assert resident_kb() - before < 8192  # mGBA 0.7.0 itself loses 15 kB with each start
    machine = GameBoyAdvance(ROM, core=core)
    machine.load_state(machine.save_state())
    before = resident_kb()
    for _ in range(1000):
        machine.load_state(machine.save_state())
        machine.tick(1, render=True)
        machine.frame()
    assert resident_kb() - before < 4096
