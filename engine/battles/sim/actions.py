"""Number the choices of a doubles battle: 45 a slot, 2,025 joint ones, 90 at team preview.

A slot's code (the MDBO numbering) is (move - 1) * 10 + gimmick * 5 + target for a move, where the
target is an index into `TARGETS`; 40 to 43 to switch to the party's member 1 to 4 in the order of
the request; 44 to pass. A joint code is first * 45 + second.
"""

from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

SLOT_CODES = 45
JOINT_CODES = SLOT_CODES * SLOT_CODES
SWITCH, PASS = 40, 44
TARGETS = (-2, -1, 0, 1, 2)
"""Own slots, none, and the foe's slots, as Showdown writes them."""

LEADS = tuple(combinations(range(6), 2))


def _selections() -> tuple[tuple[int, int, int, int], ...]:
    found = []
    for first, second in LEADS:
        rest = [member for member in range(6) if member not in (first, second)]
        found += [(first, second, *back) for back in combinations(rest, 2)]
    return tuple(found)


SELECTIONS = _selections()
"""By preview code: the party's members (from 0) that are selected, the leads first."""
PREVIEW_CODES = len(SELECTIONS)


def _compatible() -> NDArray[np.bool_]:
    """Return (45, 45) bool, which codes of the two slots can be combined."""
    pairs = np.ones((SLOT_CODES, SLOT_CODES), bool)
    for first, second in product(range(SLOT_CODES), repeat=2):
        is_same_switch = first == second and SWITCH <= first < PASS
        is_gimmick_twice = is_gimmick(first) and is_gimmick(second)
        pairs[first, second] = not (is_same_switch or is_gimmick_twice)
    pairs[PASS, PASS] = False
    return pairs


def is_gimmick(code: int) -> bool:
    """Return whether a slot's code uses the format's gimmick."""
    return code < SWITCH and code % 10 >= 5


def joint_mask(legal: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which joint codes are legal, (n, 2025), of slot masks (n, 90).

    Passing twice is legal only where nothing else is.
    """
    first, second = legal[:, :SLOT_CODES, None], legal[:, None, SLOT_CODES:]
    mask = (first & second & COMPATIBLE).reshape(len(legal), JOINT_CODES)
    mask[:, -1] |= ~mask.any(1)
    return mask


COMPATIBLE = _compatible()
