"""Remember steps for learning, and draw those more often from which more can be learnt.

Prioritised replay (Schaul et al. 2016, proportional) of n-step returns.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.agents.rollout import FloatArray
from engine.config import DQNConfig
from engine.types import Spaces

_MIN_PRIORITY = 1e-3
"""Added to every error, so that no step is forgotten."""
_RINGS = ("features", "pixels", "masks", "priors", "actions", "rewards", "returns", "ahead")


class SumTree:
    """Hold priorities, at first 0 and never negative, and find indices by their running sum.

    Attributes:
        leaves: (size,) float64, the priorities; changed by `set` alone.
    """

    def __init__(self, size: int) -> None:
        self._depth = max(1, (size - 1).bit_length())
        self._first = 1 << self._depth
        # Node k has the children 2k and 2k + 1; the root is 1.
        self._nodes = np.zeros(2 * self._first, np.float64)
        self._left, self._right = self._nodes[0::2], self._nodes[1::2]
        self.leaves = self._nodes[self._first : self._first + size]

    @property
    def total(self) -> float:
        """Return the sum of all priorities."""
        return float(self._nodes[1])

    def set(self, indices: NDArray[np.int64], priorities: NDArray[np.float64] | float) -> None:
        """Give each of `indices` (count,) its priority."""
        nodes = indices + self._first
        self._nodes[nodes] = priorities
        for _ in range(self._depth):
            nodes = nodes >> 1
            self._nodes[nodes] = self._left[nodes] + self._right[nodes]

    def find(self, sums: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the indices (count,) at which the priorities' running sum exceeds `sums`.

        `sums` (count,) are at least 0 and below `total`.
        """
        rest = sums.copy()
        nodes = np.ones(len(sums), np.int64)
        for _ in range(self._depth):
            left = self._left[nodes]
            # A rounded sum may lead past the last priority: never into a branch without any.
            is_right = (rest >= left) & (self._right[nodes] > 0)
            rest -= np.where(is_right, left, 0.0)
            nodes = 2 * nodes + is_right
        found: NDArray[np.int64] = nodes - self._first
        return found


@dataclass(frozen=True, slots=True)
class Sample:
    """Drawn steps.

    All are (batch,) but features (batch, F), masks and priors (batch, A) and pixels
    (batch, *pixels_shape).

    Attributes:
        indices: For `PrioritizedReplayBuffer.prioritise`.
        weights: Importance weights, which undo the drawing's bias; the largest is 1.
        returns: The discounted rewards up to the next state.
        discounts: On the value of the next state; 0 where the game was over.
    """

    indices: NDArray[np.int64]
    weights: FloatArray
    features: FloatArray
    masks: NDArray[np.bool_]
    priors: FloatArray
    actions: NDArray[np.int64]
    returns: FloatArray
    discounts: FloatArray
    next_features: FloatArray
    next_masks: NDArray[np.bool_]
    pixels: NDArray[np.uint8]
    next_pixels: NDArray[np.uint8]


class PrioritizedReplayBuffer:
    """A ring of the last steps of all environments; each observation is stored once.

    A step is drawn together with the state that its environment was in n steps later, which is
    another row of the ring. Where the trajectory ends before (the episode was truncated, or
    somebody else acted next), the window ends at the last state that has a row, and so a mask: the
    steps before it look less far ahead, and its own step is left out. Without a mask, the maximum
    over a final state's actions would count on actions that are invalid there.

    Features are kept as float16: 0 and 1, most of them, exactly, the rest to one part in 2048.

    Args:
        capacity: Steps of all environments together.
        num_envs: Environments that step together.
        spaces: Sizes of what is observed and done; pixels take ten times as much as features.
        config: How many rewards a return sums, the discount, and how much priorities count.

    Attributes:
        count: Steps that can be drawn.
    """

    def __init__(self, capacity: int, num_envs: int, spaces: Spaces, config: DQNConfig) -> None:
        rows = capacity // num_envs
        if rows < config.n_steps + 2:
            raise ValueError(f"{capacity} steps are too few for {num_envs} environments")
        self._num_envs = num_envs
        self._num_steps = config.n_steps
        self._discounts = (config.gamma ** np.arange(config.n_steps + 1)).astype(np.float32)
        self._alpha = config.alpha
        shape = (rows, num_envs)
        self._features = np.zeros((*shape, spaces.feature_size), np.float16)
        self._pixels = np.zeros((*shape, *spaces.pixels_shape), np.uint8)
        self._masks = np.zeros((*shape, spaces.num_actions), np.bool_)
        self._priors = np.zeros((*shape, spaces.num_actions), np.float16)
        self._actions = np.zeros(shape, np.min_scalar_type(spaces.num_actions - 1))
        self._rewards = np.zeros(shape, np.float32)
        self._returns = np.zeros(shape, np.float32)
        # Rows from a step to the state that its return continues from; 0 where the game was over.
        self._ahead = np.zeros(shape, np.uint8)
        self._tree = SumTree(rows * num_envs)
        self._highest = 1.0
        self._num_rows = 0
        self.count = 0
        # Of each environment's newest steps, how many still wait for the end of their window.
        self._pending = np.zeros(num_envs, np.int64)

    @property
    def _last(self) -> int:
        return (self._num_rows - 1) % len(self._rewards)

    def append(
        self,
        *,
        features: FloatArray,
        pixels: NDArray[np.uint8] | None,
        mask: NDArray[np.bool_],
        actions: NDArray[np.int64],
        rewards: FloatArray,
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        priors: FloatArray | None = None,
    ) -> None:
        """Store a step of every environment: observation, action, reward, and whether it ended.

        The priors (envs, A) are the planner's advice as a distribution; all 0 where there is none.
        """
        self._num_rows += 1
        row = self._last
        # Nothing is drawn from a row that is written anew.
        indices = row * self._num_envs + np.arange(self._num_envs)
        if num_lost := int(np.count_nonzero(self._tree.leaves[indices])):
            self._tree.set(indices, 0.0)
            self.count -= num_lost
        self._features[row] = features
        if pixels is not None and self._pixels.size:
            self._pixels[row] = pixels
        self._masks[row] = mask
        self._priors[row] = 0 if priors is None else priors
        self._actions[row] = actions
        self._rewards[row] = rewards
        self._pending += 1
        self._finish(np.flatnonzero(self._pending > self._num_steps), self._num_steps)
        np.minimum(self._pending, self._num_steps, out=self._pending)
        for env_index in np.flatnonzero(terminated | truncated):
            self.truncate_trajectory(int(env_index), is_over=bool(terminated[env_index]))

    def truncate_trajectory(self, env_index: int, *, is_over: bool = False) -> None:
        """Let no window of an environment continue beyond its last step.

        Args:
            env_index: The environment.
            is_over: The game was over with that step: it can be drawn too, as nothing follows.
        """
        for age in range(0 if is_over else 1, int(self._pending[env_index])):
            self._finish(np.array([env_index]), age, is_over=is_over)
        self._pending[env_index] = 0

    def _finish(self, envs: NDArray[np.int64], age: int, *, is_over: bool = False) -> None:
        """Make the step `age` rows before the last drawable; its window ends with the last row.

        The last row's own reward counts only where the game was over with it.
        """
        if not len(envs):
            return
        start = (self._last - age) % len(self._rewards)
        rows = (start + np.arange(age + is_over)) % len(self._rewards)
        rewards = self._rewards[rows[:, None], envs]
        self._returns[start, envs] = self._discounts[: len(rows)] @ rewards
        self._ahead[start, envs] = 0 if is_over else age
        self._tree.set(start * self._num_envs + envs, self._highest)
        self.count += len(envs)

    def sample(self, size: int, beta: float, rng: np.random.Generator) -> Sample:
        """Draw steps in proportion to their priorities, one from each of `size` equal shares.

        Where priorities do not count, each step is as likely as any other. The weights undo the
        bias of the drawing as far as `beta`, 0 to 1.
        """
        if self._alpha:
            total = self._tree.total
            indices = self._tree.find((np.arange(size) + rng.random(size)) / size * total)
            weights = (self.count * self._tree.leaves[indices] / total) ** -beta
        else:
            indices = self._draw_evenly(size, rng)
            weights = np.ones(size)
        rows, envs = np.divmod(indices, self._num_envs)
        ahead = self._ahead[rows, envs]
        next_rows = (rows + ahead) % len(self._rewards)
        return Sample(
            indices=indices,
            weights=(weights / weights.max()).astype(np.float32),
            features=self._features[rows, envs].astype(np.float32),
            masks=self._masks[rows, envs],
            priors=self._priors[rows, envs].astype(np.float32),
            actions=self._actions[rows, envs].astype(np.int64),
            returns=self._returns[rows, envs],
            discounts=np.where(ahead > 0, self._discounts[ahead], np.float32(0.0)),
            next_features=self._features[next_rows, envs].astype(np.float32),
            next_masks=self._masks[next_rows, envs],
            pixels=self._pixels[rows, envs],
            next_pixels=self._pixels[next_rows, envs],
        )

    def _draw_evenly(self, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return (size,) indices of steps that can be drawn, each as likely as any other."""
        num_stored = min(self._num_rows, len(self._rewards)) * self._num_envs
        indices = rng.integers(0, num_stored, size)
        while (missed := np.flatnonzero(self._tree.leaves[indices] == 0.0)).size:
            indices[missed] = rng.integers(0, num_stored, missed.size)
        return indices

    def prioritise(self, indices: NDArray[np.int64], errors: FloatArray) -> None:
        """Give drawn steps priorities by the size of their errors (batch,)."""
        if not self._alpha:
            return  # all are 1 for ever
        priorities = (np.abs(errors).astype(np.float64) + _MIN_PRIORITY) ** self._alpha
        self._tree.set(indices, priorities)
        self._highest = max(self._highest, float(priorities.max()))

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return the written rows and all else by name, for a checkpoint."""
        rows = min(self._num_rows, len(self._rewards))
        arrays = {name: getattr(self, f"_{name}")[:rows] for name in _RINGS}
        return arrays | {
            "priorities": self._tree.leaves[: rows * self._num_envs],
            "pending": self._pending,
            "num_rows": np.array(self._num_rows),
            "highest": np.array(self._highest),
        }

    def load(self, arrays: dict[str, NDArray[np.generic]]) -> None:
        """Restore the state that `save` returned; older checkpoints hold no priors."""
        for name in _RINGS:
            if name == "priors" and name not in arrays:
                continue
            getattr(self, f"_{name}")[: len(arrays[name])] = arrays[name]
        priorities = np.asarray(arrays["priorities"], np.float64)
        self._tree.set(np.arange(len(priorities)), priorities)
        self.count = int(np.count_nonzero(priorities))
        self._pending[:] = arrays["pending"]
        self._num_rows = int(arrays["num_rows"])
        self._highest = float(arrays["highest"])
