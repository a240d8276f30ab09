"""Look ahead from a decision: try the policy's best choices in copies of the battle.

Each copy draws anew what the side cannot know (engine/battles/node/search.js). In every copy all
candidates meet the same answer of the foe, drawn from the policy as the foe would see the battle;
the policy's own value tells how the turn ended. The choice has the greatest
log(prior) + mean value / temperature: with few copies the prior decides, with many the outcome.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.battles.actions import PREVIEW_CODES
from engine.battles.policy import Policy
from engine.battles.simulator import Simulator

FloatArray = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How far to look.

    Attributes:
        samples: Copies of the battle a decision.
        candidates: Most choices that are tried, the likeliest first.
        least_share: Choices less likely than this are not tried.
        temperature: Difference of value (-1 to 1) that weighs as much as a factor e of the prior.
        foe_temperature: Of the policy that answers for the foe: below 1 it is surer than learned.
    """

    samples: int = 8
    candidates: int = 6
    least_share: float = 0.01
    temperature: float = 0.1
    foe_temperature: float = 0.3


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
    """Return the code to choose for a seat that has a decision to make.

    Args:
        simulator: What plays the seat's battle.
        policy: Proposes, answers for the foe, and values.
        seat: Lane * 2 + side.
        observation: (1560,) of that decision.
        legal: (90,) its masks.
        is_preview: It is a selection at team preview.
        settings: How far to look.
        rng: Draws the copies and the foe's answers.
    """
    prior = policy.log_probs(observation[None], legal[None], np.array([is_preview]))[0]
    candidates = _candidates(prior, is_preview, settings)
    if len(candidates) == 1:
        return int(candidates[0])
    foe = simulator.fork(seat, settings.samples, int(rng.integers(1 << 31)))
    answers = np.full(settings.samples, -1)
    if foe.results.all():
        log_probs = policy.log_probs(foe.observations, foe.legal, foe.is_preview)
        # The greatest of logits with Gumbel noise is a draw from their softmax.
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
    return int(candidates[np.argmax(prior[candidates] + worth / settings.temperature)])


def _candidates(prior: FloatArray, is_preview: bool, settings: SearchSettings) -> NDArray[np.int64]:
    if is_preview:
        prior = prior[:PREVIEW_CODES]
    best = np.argsort(-prior)[: settings.candidates]
    is_likely = prior[best] >= min(np.log(settings.least_share), prior[best[0]])
    likely: NDArray[np.int64] = best[is_likely]
    return likely
