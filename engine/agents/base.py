"""Define what the trainer needs of an agent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.agents.rollout import FloatArray
from engine.env.batch import Batch
from engine.env.choices import LEVELS, code_of
from engine.types import Source, Spaces


@dataclass(frozen=True, slots=True)
class Guidance:
    """How far the planner is followed: what the curriculum gives to the agent.

    Attributes:
        planner_share: 0 (never) to 1: how much its advice weighs.
        needed_confidence: Confidence from which the policy may act against the planner's advice.
        policy_reliability: How far the policy's confidence can be believed, 0 to 1
            (`engine.agents.calibration`).
        advice_reliability: (envs,) likewise the planner's, or one number for all.
        teaching: (envs,) how far the policy is to learn what is advised, 0 to 1, whether that is
            followed or not, or one number for all.
        is_alone: (envs,) bool, where the policy plays by itself whatever is advised, or one value.
        is_sharp: (envs,) bool, where it draws at its evaluation temperature, likewise.
        is_planners: (envs,) bool, whose decision it is where each is assigned to one of the two:
            True, the planner's advice is taken as it is; False, the policy decides alone. None:
            both decide together, and the advice weighs `planner_share`.
    """

    planner_share: float
    needed_confidence: float
    policy_reliability: float = 1.0
    advice_reliability: FloatArray | float = 1.0
    teaching: FloatArray | float = 0.0
    is_alone: NDArray[np.bool_] | bool = False
    is_sharp: NDArray[np.bool_] | bool = False
    is_planners: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class ActionBatch:
    """One chosen action per environment, and who chose it.

    Attributes:
        actions: (envs,) int64.
        confidences: (envs,) float32, 0 to 1: of whoever chose.
        is_planned: (envs,) bool: the planner's advice made the difference.
        source: Who acted where the planner did not.
        takeovers: (envs,) int64, decisions that the planner takes in a row from this one on, 0
            where it only advises; None from agents that it never takes over from.
        is_answered: Whether the advice is a language model's own answer.
        q_values: (envs,) what the policy takes the actions to be worth; None without action values.
    """

    actions: NDArray[np.int64]
    confidences: FloatArray
    is_planned: NDArray[np.bool_]
    source: Source
    takeovers: NDArray[np.int64] | None = None
    is_answered: bool = False
    q_values: FloatArray | None = None

    def by_model(self, batch: Batch) -> NDArray[np.bool_]:
        """Return (envs,) bool: a language model made the difference in `batch`.

        It does so by its answer or by its goal.
        """
        return self.is_planned & (self.is_answered | (batch.goal_sources > 0))

    def choosers(self, batch: Batch) -> NDArray[np.uint8]:
        """Return (envs,) who chose each action in `batch`, of `engine.env.choices.code_of`."""
        levels = np.clip(np.rint(self.confidences * LEVELS), 0, LEVELS).astype(np.uint8)
        planner = np.where(batch.is_walking, code_of(Source.PLANNER, 0), code_of(Source.RULES, 0))
        bases = np.where(self.is_planned, planner, code_of(self.source, 0))
        codes: NDArray[np.uint8] = (bases + levels).astype(np.uint8)
        return codes


PolicyFunction = Callable[[Batch, Guidance], ActionBatch]
"""Chooses an action for each environment, however many there are, and learns nothing."""


def spaces_of(batch: Batch) -> Spaces:
    """Return the sizes of a batch's observations and actions."""
    pixels = (0,) if batch.pixels is None else batch.pixels.shape[1:]
    return Spaces(batch.features.shape[1], batch.mask.shape[1], pixels)


class Agent(Protocol):
    """Choose actions for all environments at once, and learn from what follows.

    `decide` is always followed by `observe` with what the actions led to.
    """

    name: str

    def decide(self, batch: Batch, guidance: Guidance) -> ActionBatch:
        """Choose an action for each environment; never a masked one."""

    def observe(self, batch: Batch) -> None:
        """Take in what the chosen actions led to."""

    def truncate_trajectory(self, env_index: int, batch: Batch) -> None:
        """End an environment's trajectory here: learn nothing across its state in `batch`.

        Somebody else acts next, or its process failed and it began anew.
        """

    def player(self, seed: int) -> PolicyFunction:
        """Return the policy learnt so far, as it is to be evaluated.

        It draws random numbers of its own: training continues as if it had never been there.
        """

    @property
    def is_update_due(self) -> bool:
        """Return whether `update` has something to learn from."""

    def update(self, batch: Batch) -> dict[str, float]:
        """Learn, and return figures by name."""

    def save(self) -> tuple[dict[str, Any], dict[str, NDArray[np.generic]]]:
        """Return the state as JSON-able facts and arrays, for `load`."""

    def load(self, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Restore the state that `save` returned."""


@runtime_checkable
class HasPolicy(Agent, Protocol):
    """An agent with a learnt policy, which can play by itself."""

    learns_policy: bool

    def player(self, seed: int | np.random.Generator) -> PolicyFunction:
        """Return the policy alone; see `Agent.player`."""
