"""Every read names its bank, reads are few, and no bytes at all make the reader fail."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.base import GameTables
from engine.games.crystal.memory import SYMBOLS
from engine.games.crystal.reader import CrystalReader
from engine.types import Battle, Creature, Facing, GameState
from tests.engine.fakes import MemoryMachine
from tests.engine.games.images import (
    CRYSTAL,
    PRACTICE,
    draw_box,
    party_struct,
    put_battle,
    put_cursor,
    put_map,
    put_party,
    rom_with_tables,
)

WORK_RAM, SWITCHED, WORK_RAM_END = 0xC000, 0xD000, 0xE000
HIGH_RAM = 0xFF80


class WatchedMachine(MemoryMachine):
    """Keep what was read: (bank, first address, last address)."""

    def __init__(self, rom: bytes = bytes(0x8000)) -> None:
        super().__init__(rom)
        self.seen: list[tuple[int, int, int]] = []

    def read(self, bank: int, address: int, size: int) -> bytes:
        self.seen.append((bank, address, address + size - 1))
        return super().read(bank, address, size)

    def read_strided(self, bank: int, address: int, stride: int, count: int) -> bytes:
        self.seen.append((bank, address, address + stride * (count - 1)))
        return super().read_strided(bank, address, stride, count)


@pytest.fixture
def machine(machine: MemoryMachine) -> WatchedMachine:
    watched = WatchedMachine(machine.rom)
    watched.memory[:] = machine.memory
    return watched


def scenes() -> dict[str, Callable[[MemoryMachine], None]]:
    return {
        "free": lambda machine: machine.put("wObject1Struct", 5, 2),
        "party": lambda machine: put_party(machine, *[party_struct()] * 6),
        "wild": put_battle,
        "trainer": lambda machine: put_battle(machine, trainer=True),
        "text": lambda machine: (
            machine.put("wBattleMode", 0),
            machine.put("wScriptRunning", 255),
            draw_box(machine, 0, 12, 20, 6),
            machine.put("hOAMUpdate", 1),
        ),
        "menu": lambda machine: (machine.put("wMenuCursorY", 1, 1), put_cursor(machine, 11, 2)),
        "transition": lambda machine: machine.put("wMapStatus", 1),
        "arrival": lambda machine: (machine.put("wMapStatus", 2), machine.put("wMapGroup", 24, 4)),
        "free again": lambda machine: (
            machine.put("wScriptRunning", 0),
            machine.put("wMenuCursorY", 0),
        ),
        "large map": lambda machine: machine.put("wMapHeight", 20, 44),
    }


def test_every_read_names_the_bank_of_its_address(machine: WatchedMachine) -> None:
    reader = CrystalReader(machine, CRYSTAL)
    found: dict[str, GameState] = {}
    for name, put in scenes().items():
        put(machine)
        found[name] = reader.read()
        other = CrystalReader(machine, CRYSTAL)
        other.restore(reader.save())
        other.read()
    assert len(machine.seen) > 100
    for bank, first, last in machine.seen:
        is_switched = SWITCHED <= first < WORK_RAM_END
        assert bank == is_switched, f"{bank}:{first:04X}"
        assert WORK_RAM <= first <= last < WORK_RAM_END or HIGH_RAM <= first <= last
        assert is_switched == (SWITCHED <= last < WORK_RAM_END), (
            f"{first:04X}-{last:04X} straddles the banks"
        )
    # The scenes are what their names say, so that the reads above mean something.
    assert len(found["party"].party) == 6
    assert all(found[name].battle.enemy for name in ("wild", "trainer"))
    assert found["text"].control.in_text
    assert found["menu"].control.in_menu
    assert found["transition"].control.in_transition
    assert found["arrival"].place.name == "NEW BARK TOWN"
    assert found["large map"].control.is_free
    assert (found["large map"].map.width, found["large map"].map.height) == (88, 40)


def test_a_state_takes_few_reads_and_little_memory(machine: WatchedMachine) -> None:
    put_party(machine, party_struct())
    machine.put("wObject1Struct", 5, 2)
    reader = CrystalReader(machine, CRYSTAL)
    reader.read()
    machine.seen.clear()
    reader.read()
    assert len(machine.seen) <= 22
    assert sum(last - first + 1 for _, first, last in machine.seen if last - first < 400) < 1300


# ---- any bytes ---------------------------------------------------------------------------------

SWITCHES: dict[str, tuple[int, ...]] = {
    "wGameTimerPaused": (0, 1),
    "wMapStatus": (1, 2),
    "wBattleMode": (0, 1, 2, 255),
    "wScriptRunning": (0, 255),
    "wMapEventStatus": (0, 1),
    "wWindowStackSize": (0, 2),
    "wPlayerWalking": (255, 5),
    "wMapGroup": (0, 24, 40, 255),
    "wMapNumber": (1, 4),
    "wXCoord": (0, 3, 255),
    "wYCoord": (0, 3, 255),
    "wMapWidth": (0, 2, 20, 255),
    "wMapHeight": (0, 2, 20, 255),
    "wCurMapWarpEventCount": (0, 5, 255),
    "wPartyCount": (0, 1, 6, 255),
    "wCurBattleMon": (0, 1, 255),
}
images = st.tuples(
    st.integers(0, 2**32),
    st.fixed_dictionaries({}, optional={n: st.sampled_from(v) for n, v in SWITCHES.items()}),
    st.booleans(),
)


@settings(max_examples=50, deadline=None)
@given(
    tables=st.sampled_from([CRYSTAL, PRACTICE]),
    rom_seed=st.integers(0, 2**32),
    sequence=st.lists(images, min_size=1, max_size=4),
)
def test_any_memory_gives_a_state_within_bounds(
    tables: GameTables, rom_seed: int, sequence: list[tuple[int, dict[str, int], bool]]
) -> None:
    machine = MemoryMachine(random.Random(rom_seed).randbytes(0x10000))
    reader = CrystalReader(machine, tables)
    for seed, switches, is_fight in sequence:
        machine.memory[WORK_RAM:WORK_RAM_END] = random.Random(seed).randbytes(0x2000)
        if is_fight:
            put_battle(machine)
        for name, value in switches.items():
            machine.put(name, value)
        state = reader.read()
        check(state)
        other = CrystalReader(machine, tables)
        other.restore(reader.save())
        again = other.read()
        check(again)
        assert again.place == state.place
        assert again.control == state.control


@settings(max_examples=30, deadline=None)
@given(name=st.sampled_from(sorted(SYMBOLS)), value=st.integers(0, 255))
def test_one_wrong_byte_does_no_harm(name: str, value: int) -> None:
    machine = MemoryMachine(rom_with_tables())
    put_map(machine)
    put_battle(machine)
    reader = CrystalReader(machine, CRYSTAL)
    check(reader.read())
    machine.put(name, value)
    check(reader.read())


def check(state: GameState) -> None:
    """Assert all that holds of any state."""
    control, place, view = state.control, state.place, state.map
    assert isinstance(place.facing, Facing)
    assert place.name
    assert place.x < 255
    assert place.y < 255
    if control.is_free:
        assert control.in_game
        assert not any((control.in_transition, control.in_text, control.in_menu))
        assert state.battle is None
        assert 0 <= place.x < view.width
        assert 0 <= place.y < view.height
    assert view.terrain.shape == (view.height, view.width)
    for thing in (*view.warps, *view.objects):
        assert 0 <= thing.x < view.width
        assert 0 <= thing.y < view.height
    assert len(view.objects) <= 12
    assert len(state.party) <= 6
    for creature in state.party:
        check_creature(creature)
    if state.battle is not None:
        check_battle(state.battle, len(state.party))
    assert 0 <= state.money <= 999_999
    assert state.play_time_s >= 0
    assert 0 <= state.caught <= 251
    assert 0 <= state.seen <= 251
    assert state.badge_count <= 16
    assert len(state.event_flags) == 256
    assert 0 <= state.repel_steps <= 255
    assert len(state.screen_text) <= 18 * 10
    bag = state.bag
    assert (len(bag.items) <= 20, len(bag.balls) <= 12) == (True, True)
    assert (len(bag.key_items) <= 25, len(bag.machines) <= 57) == (True, True)
    assert all(count <= 99 for _, count in (*bag.items, *bag.balls, *bag.machines))


def check_creature(creature: Creature) -> None:
    assert creature.name
    assert 0 <= creature.level <= 100
    assert 0 <= creature.hp <= creature.max_hp <= 0xFFFF
    assert len(creature.moves) <= 4
    assert all(0 <= move.points <= 63 for move in creature.moves)
    assert len(creature.types) <= 2
    assert len(creature.stats) == 5


def check_battle(battle: Battle, party_size: int) -> None:
    if battle.own is None:
        assert battle.enemy is None
    for creature in (battle.own, battle.enemy):
        if creature is not None:
            check_creature(creature)
            assert creature.level > 0
            assert creature.max_hp > 0
    if battle.own is not None:
        assert battle.own_slot < party_size
        assert bool(battle.legal_moves) == bool(battle.own.moves)
    assert 0 <= battle.enemy_slot < 6
