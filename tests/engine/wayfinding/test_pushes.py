"""Boulders, on rooms drawn for it."""

import pytest

from engine.types import Action
from engine.wayfinding.pushes import Push, find_push, first_step, steps_from


def drawn(rows):
    """Return the floor with the boulders' tiles, and the boulders."""
    floor = {(x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign != "#"}
    boulders = [(x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == "B"]
    return frozenset(floor), tuple(boulders)


def play(rows, start, *, hole=None, exits=frozenset(), most=40):
    """Push as told until the boulder has fallen, or the way is open; return the pushes."""
    floor, boulders = drawn(rows)
    pushes: list[Push] = []
    while len(pushes) < most:
        reach = steps_from(floor.difference(boulders), start)
        if not exits.isdisjoint(reach):
            return pushes
        push = find_push(floor, start, boulders, hole=hole, exits=exits)
        assert push is not None
        assert push.tile in reach
        dx, dy = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}[push.action.name]
        moved = push.tile[0] + dx, push.tile[1] + dy
        after = moved[0] + dx, moved[1] + dy
        assert moved in boulders
        pushes.append(push)
        if hole is not None and after == hole[1]:
            return pushes
        assert after in floor.difference(boulders)
        boulders = tuple(after if tile == moved else tile for tile in boulders)
        start = push.tile
    raise AssertionError(pushes)


def test_a_way_is_opened_past_boulders_that_would_shut_it():
    rows = ("##.##", "##.##", ".....", "#BBB#", ".....")
    pushes = play(rows, (2, 4), exits=frozenset({(2, 0)}))
    assert Push((2, 4), Action.UP) not in pushes
    assert len(pushes) <= 3


def test_a_boulder_is_pushed_onto_its_hole():
    rows = (".....", ".B...", ".....")
    assert play(rows, (0, 2), hole=(0, (4, 1))) == [
        Push((0, 1), Action.RIGHT), Push((1, 1), Action.RIGHT), Push((2, 1), Action.RIGHT)
    ]  # fmt: skip


def test_another_boulder_is_moved_aside_first():
    rows = ("......", ".BB...", "......")
    pushes = play(rows, (0, 2), hole=(0, (5, 1)))
    assert pushes[0].tile in {(2, 0), (2, 2), (3, 1)}


@pytest.mark.parametrize("rows", [("B....", "....."), ("#.#", "#B#", "###")])
def test_no_push_is_returned_where_there_is_no_way(rows):
    floor, boulders = drawn(rows)
    start = next(iter(sorted(floor.difference(boulders), reverse=True)))
    assert find_push(floor, start, boulders, hole=(0, (1, 1))) is None


def test_the_way_to_a_tile_begins_with_its_first_button():
    floor, boulders = drawn(("...", ".B.", "..."))
    reach = steps_from(floor.difference(boulders), (0, 1))
    assert first_step(reach, (0, 2)) is Action.DOWN
    assert first_step(reach, (0, 1)) is None
