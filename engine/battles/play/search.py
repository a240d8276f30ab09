"""Look ahead from a decision of a battle, in copies of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.battles.policy import Policy
from engine.battles.sim.actions import PREVIEW_CODES
from engine.battles.sim.simulator import Simulator

FloatArray = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How far to look ahead.

    Attributes:
        samples: Copies of the battle for a decision.
        candidates: The most choices that are tried, the likeliest first.
        least_share: Choices less likely than this are not tried.
        temperature: Difference of value (-1 to 1) that weighs as much as a factor e of the prior.
        foe_temperature: Of the policy that answers for the foe; below 1 it is sharper than learnt.
    """

    samples: int = 8
    candidates: int = 6
    least_share: float = 0.01
    temperature: float = 0.1
    foe_temperature: float = 0.3


@dataclass(frozen=True, slots=True)
class Option:
    """A choice that was tried.

    Attributes:
        code: Joint code, or a selection at team preview.
        share: How often a good player would choose it, 0 to 1; all options' sum to 1.
        value: What it is worth against the other side's answers, -1 (lost) to 1 (won).
    """

    code: int
    share: float
    value: float


@dataclass(frozen=True, slots=True)
class Analysis:
    """What looking ahead from a decision found.

    Attributes:
        value: What the decision is worth to the side, -1 to 1.
        options: The side's, best first.
        answers: The foe's, likeliest first, their values as the foe sees them; none where the foe
            has nothing to decide.
    """

    value: float
    options: tuple[Option, ...]
    answers: tuple[Option, ...] = ()


def search(
    simulator: Simulator,
    policy: Policy,
    seat: int,
    observation: FloatArray,
    legal: NDArray[np.bool_],
    is_preview: bool,
    settings: SearchSettings,
    rng: np.random.Generator,
) -> int:
    """Return the code to choose for a seat: the best option of `analyse`."""
    found = analyse(simulator, policy, seat, observation, legal, is_preview, settings, rng)
    return found.options[0].code


def analyse(
    simulator: Simulator,
    policy: Policy,
    seat: int,
    observation: FloatArray,
    legal: NDArray[np.bool_],
    is_preview: bool,
    settings: SearchSettings,
    rng: np.random.Generator,
    also: Sequence[int] = (),
) -> Analysis:
    """Return what a seat's choices are worth, by trying the policy's best ones in copies.

    Each copy of the battle draws anew what the side cannot know
    (engine/battles/sim/node/search.js). In every copy all candidates meet the same answer of the
    foe, drawn from the policy as the foe would see the battle; the policy's own value tells how the
    turn ended. The choice has the greatest log(prior) + mean value / temperature: with few copies
    the prior decides, with many the outcome.

    Args:
        simulator: Plays the seat's battle.
        policy: Proposes choices, answers for the foe, and estimates values.
        seat: Lane * 2 + side.
        observation: (1560,) of that decision.
        legal: (90,) its masks.
        is_preview: It is a selection at team preview.
        settings: How far to look.
        rng: Draws the copies and the foe's answers.
        also: Codes to try too, however unlikely; their options have a share of their own.
    """
    prior = policy.log_probs(observation[None], legal[None], np.array([is_preview]))[0]
    candidates = _candidates(prior, is_preview, settings)
    candidates = np.concatenate([candidates, np.setdiff1d(np.array(also, np.int64), candidates)])
    if len(candidates) == 1:
        value = float(policy.values(observation[None])[0])
        return Analysis(value, (Option(int(candidates[0]), 1.0, value),))
    foe = simulator.fork(seat, settings.samples, int(rng.integers(1 << 31)))
    answers = np.full(settings.samples, -1)
    if foe.results.all():
        log_probs = policy.log_probs(foe.observations, foe.legal, foe.is_preview)
        # The largest of logits with Gumbel noise is a draw from their softmax.
        noise = rng.gumbel(size=log_probs.shape)
        answers = (log_probs / settings.foe_temperature + noise).argmax(1)
    plays = np.array(
        [
            (sample, code, answers[sample])
            for sample in range(settings.samples)
            for code in candidates
        ]
    )
    after = simulator.roll(seat, plays)
    values = policy.values(after.observations)
    values = np.where(after.is_over, after.results, values)
    worth = values.reshape(settings.samples, len(candidates)).mean(0)
    scores = prior[candidates] + worth / settings.temperature
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    options = tuple(
        Option(int(candidates[index]), float(shares[index]), float(worth[index]))
        for index in np.argsort(-scores)
    )
    return Analysis(options[0].value, options)


def _candidates(prior: FloatArray, is_preview: bool, settings: SearchSettings) -> NDArray[np.int64]:
    if is_preview:
        prior = prior[:PREVIEW_CODES]
    best = np.argsort(-prior)[: settings.candidates]
    is_likely = prior[best] >= min(np.log(settings.least_share), prior[best[0]])
    likely: NDArray[np.int64] = best[is_likely]
    return likely
