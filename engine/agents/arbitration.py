"""Decide between planner and policy, and explain who decided.

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

import math

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from engine.agents.base import ActionBatch, Guidance
from engine.agents.networks import entropy
from engine.agents.rollout import FloatArray
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
