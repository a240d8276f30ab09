"""No memory stops a reading: every pointer and count in it may be anything."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.emerald.memory import SYMBOLS
from engine.types import Control, GameState
from tests.engine.games.emerald.memory_image import FUNCTIONS, MemoryImage, creature, fighter

_INTERESTING = (
    0, 1, 7, 0xFF, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x0200_0000, 0x0203_FFFF, 0x0300_7FFF,
    0x0800_0000, 0x0800_6000, 0x0800_FFFF, 0x0900_0000,
    *(address | 1 for address in FUNCTIONS.values()),
)  # fmt: skip


def _check(state: GameState) -> None:
    assert isinstance(state.control, Control)
    assert len(state.party) <= 6
    assert 0 <= state.money <= 999_999
    assert state.map.terrain.shape == (state.map.height, state.map.width)
    if state.map.width:
        assert state.map.contains(state.place.x, state.place.y)
    assert all(state.map.contains(one.x, one.y) for one in state.map.objects)
    assert all(one.hp <= one.max_hp for one in state.party)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_random_memory_is_read(seed: int) -> None:
    random = np.random.default_rng(seed)
    image = MemoryImage()
    image.ewram[:] = random.integers(0, 256, len(image.ewram), np.uint8)
    image.iwram[:] = random.integers(0, 256, len(image.iwram), np.uint8)
    _check(image.reader().read())


_CHANGE = st.tuples(
    st.sampled_from(sorted(SYMBOLS)), st.integers(0, 2**16), st.sampled_from(_INTERESTING)
)


@settings(max_examples=100, deadline=None)
@given(st.lists(_CHANGE, max_size=12), st.sampled_from(sorted(FUNCTIONS)))
def test_a_running_game_with_anything_in_places_is_read(
    changes: list[tuple[str, int, int]], callback: str
) -> None:
    image = MemoryImage().start()
    image.set_party(creature(1), creature(2))
    reader = image.reader()
    reader.read()
    image.run("CB1_Overworld", callback)
    image.set("gBattleMons", fighter(1) + fighter(2))
    for name, at, value in changes:
        symbol = SYMBOLS[name]
        data = value.to_bytes(4, "little")[: symbol.size]
        image.set(name, data, at % (symbol.size - len(data) + 1) & ~3)
        _check(reader.read())
    _check(image.reader().read())
