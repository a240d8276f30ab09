"""Shape the reward of a battle, which is 1, 0 or -1 at its end, by potentials.

A potential's discounted differences are added (Ng, Harada and Russell 1999), so the best policy
stays the best: what is gained on the way is paid back at the end, whose potential is 0.
"""

import numpy as np
from numpy.typing import NDArray

from engine.battles.simulator import FOE_FAINTED, FOE_HP, OWN_FAINTED, OWN_HP


def potentials(
    info: NDArray[np.float32], damage_reward: float, faint_reward: float
) -> NDArray[np.float32]:
    """Return (n,) how good positions are by health and by who has fainted.

    Args:
        info: (n, 8) figures beside decisions.
        damage_reward: For the difference of all health, four members on each side.
        faint_reward: For the difference of four members that have fainted.
    """
    damage = damage_reward / 4 * (info[:, OWN_HP] - info[:, FOE_HP])
    faints = faint_reward / 4 * (info[:, FOE_FAINTED] - info[:, OWN_FAINTED])
    return np.asarray(damage + faints, np.float32)
