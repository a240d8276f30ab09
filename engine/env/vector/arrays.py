"""Lay out the arrays that the trainer shares with its worker processes, by one table."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.env.stepping import SteppedEnv
from engine.ground.shared_arrays import map_arrays


class Role(Enum):
    """Who writes an array, and when."""

    ACTION = auto()
    """The trainer, before a step."""
    OBSERVATION = auto()
    """The worker, whenever an environment has changed."""
    RESULT = auto()
    """The worker, of a step; zero before the next."""
    FINAL = auto()
    """The worker, of an episode that ends; zero before the next step."""


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """An array of shape (N, *size) for N environments.

    Attributes:
        name: Of the array, and of the field of `Batch` that it becomes.
        size: Dimensions after N: "" for none, "features" for (F,), "actions" for (A,), or "pixels".
        source: Attribute of `SteppedEnv` that an observation or a final one is copied from.
    """

    name: str
    role: Role
    dtype: DTypeLike
    size: str = ""
    source: str = ""


SPECS = (
    ArraySpec("actions", Role.ACTION, np.int64),
    ArraySpec("choosers", Role.ACTION, np.uint8),
    ArraySpec("features", Role.OBSERVATION, np.float32, "features", "features"),
    ArraySpec("mask", Role.OBSERVATION, np.bool_, "actions", "mask"),
    ArraySpec("prior", Role.OBSERVATION, np.float32, "actions", "prior"),
    ArraySpec("advice_confidence", Role.OBSERVATION, np.float32, source="confidence"),
    ArraySpec("nearness", Role.OBSERVATION, np.float32, source="nearness"),
    ArraySpec("goal_kinds", Role.OBSERVATION, np.int64, source="goal_kind"),
    ArraySpec("goal_sources", Role.OBSERVATION, np.int64, source="goal_source"),
    ArraySpec("wants_plan", Role.OBSERVATION, np.bool_, source="wants_plan"),
    ArraySpec("is_walking", Role.OBSERVATION, np.bool_, source="is_walking"),
    ArraySpec("pixels", Role.OBSERVATION, np.uint8, "pixels", "pixels"),
    ArraySpec("rewards", Role.RESULT, np.float32),
    ArraySpec("terminated", Role.RESULT, np.bool_),
    ArraySpec("truncated", Role.RESULT, np.bool_),
    ArraySpec("final_features", Role.FINAL, np.float32, "features", "features"),
    ArraySpec("final_pixels", Role.FINAL, np.uint8, "pixels", "pixels"),
)
"""`engine.env.batch.Batch` documents each of them but the `Role.ACTION` ones."""
_OF_ACTIONS = frozenset(spec.name for spec in SPECS if spec.role is Role.ACTION)


@dataclass(frozen=True, slots=True)
class EnvFacts:
    """What is the same in all environments of a run.

    Attributes:
        feature_size: F, the length of a feature vector.
        num_actions: A.
        pixels_shape: Of the last frames, uint8; None where nobody wants them.
        reward_weights: (component, weight) as the environments were made.
        can_record: What is played can be kept as demonstrations.
        frames_per_s: As fast as the game runs on its own machine.
    """

    feature_size: int
    num_actions: int
    pixels_shape: tuple[int, ...] | None
    reward_weights: tuple[tuple[str, float], ...]
    can_record: bool
    frames_per_s: float


class SharedArrays(dict[str, NDArray[Any]]):
    """The arrays of `SPECS` by name, without those of pixels where nobody looks at any.

    They lie in `file`, which is made large enough, or in memory of this process alone.
    """

    def __init__(self, num_envs: int, facts: EnvFacts, file: BinaryIO | None = None) -> None:
        sizes: dict[str, tuple[int, ...] | None] = {
            "": (),
            "features": (facts.feature_size,),
            "actions": (facts.num_actions,),
            "pixels": facts.pixels_shape,
        }
        shapes = {
            spec: (num_envs, *size) for spec in SPECS if (size := sizes[spec.size]) is not None
        }
        arrays = map_arrays([(spec.dtype, shape) for spec, shape in shapes.items()], file)
        super().__init__({spec.name: array for spec, array in zip(shapes, arrays, strict=True)})
        self._published = self._sourced(Role.OBSERVATION)
        self._final = self._sourced(Role.FINAL)
        cleared = (Role.RESULT, Role.FINAL)
        self._cleared = [self[spec.name] for spec in shapes if spec.role in cleared]

    def publish(self, index: int, env: SteppedEnv) -> None:
        """Copy the current observation of environment `index`."""
        for view, source in self._published:
            view[index] = getattr(env, source)

    def publish_final(self, index: int, env: SteppedEnv) -> None:
        """Copy the last observation of the episode of environment `index`."""
        for view, source in self._final:
            view[index] = getattr(env, source)

    def forget_step(self) -> None:
        """Forget the results of the last step, and the ends of episodes."""
        for view in self._cleared:
            view[...] = 0

    def copies(self) -> dict[str, Any]:
        """Return copies of all arrays of what was seen, for the fields of `Batch`."""
        return {name: view.copy() for name, view in self.items() if name not in _OF_ACTIONS}

    def _sourced(self, role: Role) -> list[tuple[NDArray[Any], str]]:
        return [
            (self[spec.name], spec.source)
            for spec in SPECS
            if spec.role is role and spec.name in self
        ]
