from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.battles.sim.actions import (
    JOINT_CODES,
    PASS,
    PREVIEW_CODES,
    SELECTIONS,
    SLOT_CODES,
    SWITCH,
    is_gimmick,
    joint_mask,
)

SLOT = st.sets(st.integers(0, PASS), min_size=1)


def mask_of(first: set[int], second: set[int]) -> set[tuple[int, int]]:
    """Return the pairs that the joint mask allows of what each slot may do."""
    legal = np.zeros((1, 2, SLOT_CODES), bool)
    legal[0, 0, list(first)] = legal[0, 1, list(second)] = True
    found = joint_mask(legal.reshape(1, -1))[0]
    assert found.shape == (JOINT_CODES,)
    return {divmod(code, SLOT_CODES) for code in found.nonzero()[0].tolist()}


@given(SLOT, SLOT)
def test_a_joint_choice_is_legal_by_both_slots_and_the_joint_rules(first, second):
    expected = {
        (one, two)
        for one, two in product(first, second)
        if not (one == two and one >= SWITCH)
        if not (is_gimmick(one) and is_gimmick(two))
    }
    assert mask_of(first, second) == (expected or {(PASS, PASS)})


def test_with_one_left_to_send_in_one_slot_switches_and_the_other_passes():
    assert mask_of({SWITCH + 2, PASS}, {SWITCH + 2, PASS}) == {
        (SWITCH + 2, PASS),
        (PASS, SWITCH + 2),
    }


def test_who_commands_passes_while_the_other_acts():
    assert mask_of({PASS}, {3, SWITCH + 2}) == {(PASS, 3), (PASS, SWITCH + 2)}
    assert mask_of({PASS}, {PASS}) == {(PASS, PASS)}


def test_selections_are_all_fours_of_six_by_leads():
    assert len(set(SELECTIONS)) == PREVIEW_CODES == 90
    assert all(len(set(four)) == 4 for four in SELECTIONS)
    assert all(four[:2] == tuple(sorted(four[:2])) for four in SELECTIONS)
    assert (SELECTIONS[0], SELECTIONS[-1]) == ((0, 1, 2, 3), (4, 5, 2, 3))
