from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.battles.sim.actions import PREVIEW_CODES, joint_mask


class RandomPolicy:
    """Decides at random among what is legal."""

    def act(
        self,
        observations: NDArray[np.float32],
        legal: NDArray[np.bool_],
        is_preview: NDArray[np.bool_],
        rng: np.random.Generator,
        greedy: bool = False,
    ) -> tuple[NDArray[np.integer[Any]], None, None]:
        masks = joint_mask(legal)
        codes = [
            rng.integers(PREVIEW_CODES) if at_preview else rng.choice(np.flatnonzero(mask))
            for mask, at_preview in zip(masks, is_preview, strict=True)
        ]
        return np.array(codes), None, None
