"""What is imitated of a way that a search has found."""

import numpy as np

from engine.env.observation.layout import layout_of
from engine.games.catalog import load_game
from engine.training.warm_start import without_loops

_LAYOUT = layout_of(load_game(""))
_PLAIN = np.zeros(_LAYOUT.size, np.float32)


def at(column: int, *, level: float = 0.0, fights: bool = False) -> np.ndarray:
    row = _PLAIN.copy()
    row[_LAYOUT.slices["x"].start + column] = 1.0
    row[_LAYOUT.slices["party"].start] = level
    row[_LAYOUT.slices["battle"].start] = fights
    return row


def turned(row: np.ndarray) -> np.ndarray:
    row = row.copy()
    row[_LAYOUT.slices["facing"].start] = 1.0
    return row


def left(*rows: np.ndarray) -> list[int]:
    return without_loops(np.stack(rows), _LAYOUT).tolist()


def test_steps_that_led_back_to_a_place_are_left_out():
    assert left(at(1), at(2), at(3), at(2), at(1), at(4), at(5)) == [4, 5, 6]
    assert left(at(1), at(2), at(2), at(3)) == [0, 2, 3]
    # What was won on the way back counts, and a turn on the spot is no loop.
    assert left(at(1), at(2), at(2, level=0.5), at(1, level=0.5)) == [0, 1, 2, 3]
    assert left(at(1), at(2), turned(at(2)), at(3)) == [0, 1, 2, 3]


def test_fights_are_left_out_only_with_the_loop_they_lie_in():
    assert left(at(1), at(1, fights=True), at(1, fights=True), at(2)) == [0, 1, 2, 3]
    assert left(at(1), at(2, fights=True), at(1), at(3)) == [2, 3]
