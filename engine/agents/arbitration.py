"""Decide between planner and policy, by trust or by exact shares, and explain who decided.

The planner's advice enters as a bias on the policy's logits:

    logits' = logits + STRENGTH * share * c_planner * prior

so planner and policy share one distribution, from which the action is drawn. Whose action it then
was follows from how much the bias raised its probability: with p before and p' after, the policy
alone would have taken it in min(1, p/p') of the cases. Below one half the planner made the
difference.

Where decisions are assigned by share (`Guidance.is_planners`), one of the two decides alone: the
planner's best action is taken as it is, unless the policy is as confident as the stage asks for, or
the policy draws without any bias.

The prior spreads over all buttons that serve the goal equally well, by what the decision history
knows of them in such situations (`engine.planning.goals.planned`).

Either's confidence is weighted by how reliable it proved (`engine.agents.calibration`), and the
planner's advice ages (`engine.planning.rules.goals`):

    c_planner = min(stated, 0.9) * (1 - age / life) * k(goal source, kind of goal)
    c_policy  = (1 - entropy / ln(valid actions)) * k(policy)
"""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from engine.agents.base import ActionBatch, Guidance
from engine.agents.networks import entropy
from engine.agents.rollout import FloatArray
from engine.config import TakeoverConfig
from engine.env.batch import Batch
from engine.env.choices import words
from engine.ground.text import counted
from engine.types import ActionSet, Decision, GameState, Goal, Source

STRENGTH = 6.0
"""Logits that fully trusted advice adds to the action it wants."""

_HALF = math.log(2)
_HIGHEST_STATED = 0.9


def calibrated(
    stated: FloatArray, certainty: FloatArray, guidance: Guidance
) -> tuple[FloatArray, FloatArray]:
    """Return c_planner and c_policy, (envs,) each.

    Args:
        stated: (envs,) the planner's own confidence, already less for old goals.
        certainty: (envs,) the policy's own.
        guidance: Holds how reliable they are.
    """
    c_planner = np.minimum(stated, _HIGHEST_STATED) * guidance.advice_reliability
    return c_planner.astype(np.float32), guidance.policy_reliability * certainty


def advice_bias(
    prior: FloatArray, c_planner: FloatArray, c_policy: FloatArray, guidance: Guidance
) -> FloatArray:
    """Return what the planner adds to the logits for its `prior`, (envs, A) both.

    A policy at least as confident as the curriculum stage asks for is left alone. Either confidence
    is calibrated, (envs,).
    """
    assigned = guidance.is_planners
    share = guidance.planner_share if assigned is None else assigned.astype(np.float32)
    weight = share * c_planner * (c_policy < guidance.needed_confidence)
    return (STRENGTH * weight[:, None] * prior).astype(np.float32)


def certainty(log_probs: Tensor, mask: NDArray[np.bool_]) -> FloatArray:
    """Return 1 - H / ln n (envs,) over the n valid actions: 0 undecided, 1 certain."""
    num_valid = np.maximum(mask.sum(1), 2)
    share = entropy(log_probs).numpy() / np.log(num_valid)
    result: FloatArray = np.clip(1.0 - share, 0.0, 1.0).astype(np.float32)
    return result


def is_planned(own_log_probs: FloatArray, acted_log_probs: FloatArray) -> NDArray[np.bool_]:
    """Return (envs,) whether the bias made the chosen action more than twice as likely."""
    return acted_log_probs - own_log_probs > _HALF


def sample(log_probs: FloatArray, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw one action a row of masked log-probabilities (envs, A)."""
    cumulative = np.exp(log_probs.astype(np.float64)).cumsum(1)
    draws = rng.random((len(cumulative), 1)) * cumulative[:, -1:]
    return np.asarray((draws >= cumulative).sum(1), np.int64)


def draw_best(wanted: FloatArray, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the most wanted action of each row (envs, A); equals are drawn at random."""
    ties = rng.random(wanted.shape) * 1e-6
    return np.asarray((wanted + ties).argmax(1), np.int64)


def explain(
    action_batch: ActionBatch,
    env_index: int,
    goal: Goal | None,
    reason: str,
    state: GameState,
    actions: ActionSet,
) -> Decision:
    """Put one environment's decision into words: by the planner's goal and reason, if it led."""
    action = int(action_batch.actions[env_index])
    name = actions.name(action)
    confidence = float(action_batch.confidences[env_index])
    if action_batch.is_planned[env_index]:
        is_walking = state.control.is_free and state.battle is None
        source = Source.PLANNER if is_walking else Source.RULES
        text = words(source, confidence, name, reason)
        if action_batch.takeovers is not None and (left := int(action_batch.takeovers[env_index])):
            text += f" (planner in control for {counted(left, 'more step')})"
        if goal is not None and goal.text not in text:
            text += f" (goal: {goal.text})"
        return Decision(action, source, confidence, text)
    source = action_batch.source
    return Decision(action, source, confidence, words(source, confidence, name, ""))


FloatRows = NDArray[np.float64]

_TINY = 1e-9
_PLANNER = 0


class ExactShares:
    """Choose among sources, in each row separately, so that each has its share at any time.

    After n choices with the same shares, the number of a source's choices differs by less than one
    from n times its share (Tijdeman 1980, the chairman assignment problem); where shares change,
    credit is kept. It assigns decisions, blocks of them (`Takeovers`), or who sets a goal. Rows
    are environments, for example.
    """

    def __init__(self, num_rows: int, num_sources: int) -> None:
        self._credit: FloatRows = np.zeros((num_rows, num_sources))
        self._spare = 1 / max(1, 2 * num_sources - 2)

    def choose(self, shares: Sequence[float], rows: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return a source (rows,) wherever a choice is due by `rows` (rows,), -1 elsewhere.

        The shares of all sources sum to 1.
        """
        chosen = np.full(len(self._credit), -1, np.int64)
        portions = np.asarray(shares, np.float64)
        credit = self._credit[rows] + portions
        # Earliest deadline first, among the sources that do not get too far ahead by it.
        deadlines = (1 - self._spare - credit) / np.maximum(portions, _TINY)
        is_early = credit < self._spare - _TINY
        best = np.where(portions > 0, deadlines + is_early / _TINY, np.inf).argmin(1)
        credit[np.arange(len(credit)), best] -= 1
        self._credit[rows] = credit
        chosen[rows] = best
        return chosen

    def save(self) -> FloatRows:
        """Return the credit (rows, sources)."""
        return self._credit.copy()

    def load(self, saved: FloatRows) -> None:
        """Restore the state that `save` returned."""
        self._credit[:] = saved


def assign_decisions(
    shares: ExactShares, share: float, batch: Batch, guidance: Guidance
) -> Guidance:
    """Return `guidance` with each decision assigned to planner or policy, where there is advice.

    The planner's `share` (0 to 1) of a fixed strategy holds however sure the policy is. `shares`
    has a row for each environment, with planner and policy.
    """
    is_advised = ((batch.prior * batch.mask).max(1) > 0) & ~np.asarray(guidance.is_alone)
    chosen = shares.choose((share, 1 - share), is_advised)
    return dataclasses.replace(guidance, is_planners=chosen == 0, needed_confidence=math.inf)


class Takeovers:
    """Decide in each environment whether the planner's action is taken as it is.

    Where share * c_planner > (1 - share) * c_policy + margin, the next `length` decisions are
    assigned to one of the two, the planner having exactly `config.share` of its share: the policy
    needs most decisions for itself, for it learns what to do from no others. A takeover lasts its
    length whatever the confidences do; it ends early with the episode, without advice, or when
    somebody else acts.
    """

    def __init__(self, config: TakeoverConfig, num_envs: int) -> None:
        self._config = config
        self._shares = ExactShares(num_envs, 2)
        self._left = np.zeros(num_envs, np.int64)
        self._is_planners = np.zeros(num_envs, np.bool_)

    def next(
        self,
        share: float,
        c_planner: FloatArray,
        c_policy: FloatArray,
        is_advised: NDArray[np.bool_],
    ) -> NDArray[np.int64]:
        """Return (envs,) how many decisions in a row, from this one on, are the planner's.

        Args:
            share: The planner's.
            c_planner: (envs,) calibrated confidence of the advice.
            c_policy: (envs,) of the policy.
            is_advised: (envs,) whether the planner has a valid action.
        """
        if not self._config.length:
            return np.zeros_like(self._left)
        self._left[self._is_planners & ~is_advised] = 0
        is_surer = share * c_planner > (1 - share) * c_policy + self._config.margin
        begins = (self._left == 0) & is_surer & is_advised
        portion = self._config.share * share
        self._is_planners[self._left == 0] = False
        self._is_planners[begins] = (
            self._shares.choose((portion, 1 - portion), begins)[begins] == _PLANNER
        )
        self._left[begins] = self._config.length
        led = np.where(self._is_planners, self._left, 0)
        self._left = np.maximum(self._left - 1, 0)
        return led

    def end(self, rows: NDArray[np.bool_] | int) -> None:
        """Begin anew in these environments."""
        self._left[rows] = 0

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return arrays from which `load` continues."""
        return {
            "owed": self._shares.save(),
            "left": self._left.copy(),
            "is_planners": self._is_planners.copy(),
        }

    def load(self, arrays: dict[str, NDArray[np.generic]]) -> None:
        """Restore the state that `save` returned."""
        self._shares.load(np.asarray(arrays["owed"], np.float64))
        self._left[:] = arrays["left"]
        self._is_planners[:] = arrays["is_planners"]
