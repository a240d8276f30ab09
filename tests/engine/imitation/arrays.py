"""Make examples by hand."""

import numpy as np

from engine.imitation.examples import CUT, Examples
from engine.types import Action


def make_examples(
    actions, maps=None, episodes=None, *, names=("TOWN", "ROUTE"), seed=0, size=6
) -> Examples:
    """Return examples whose features tell the action, and nothing else does."""
    actions = np.array(actions, np.int64)
    count = len(actions)
    rng = np.random.default_rng(seed)
    features = rng.normal(0, 0.1, (count, size + len(Action))).astype(np.float32)
    features[np.arange(count), size + actions] = 1.0
    return Examples(
        features,
        np.zeros((count, 0), np.uint8),
        np.ones((count, len(Action)), np.bool_),
        actions,
        np.zeros(count, np.int64) if maps is None else np.array(maps, np.int64),
        np.arange(count) // 10 if episodes is None else np.array(episodes, np.int64),
        np.zeros(count, np.float32),
        np.full(count, CUT, np.uint8),
        tuple(names),
    )
