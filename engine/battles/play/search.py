"""Look ahead from a decision of a battle, as a matrix game that copies of it play out."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, isfinite

import numpy as np
from numpy.typing import NDArray

from engine.battles.policy import Policy
from engine.battles.sim.simulator import Decisions, Outlook, Simulator

FloatArray = NDArray[np.float32]
Table = NDArray[np.float64]

NOTHING = -1
"""Code of a side that has nothing to decide."""
_ROUNDS = 200
_FIRST_COPIES = 2
"""In these everything is tried, in the others what then looks worth it."""
_PROMISING = 0.05
"""Share from which a choice or an answer is worth more copies."""
_FORK_SHARE, _ROLL_SHARE = 0.2, 0.8
"""Of the time left for making copies, and for playing in them; the rest is for the values."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How far to look ahead.

    Attributes:
        samples: Copies of the battle for a decision.
        seconds: Time for a decision; where it ends, the likeliest answer in one copy has been met.
            0: no limit.
        candidates: The most choices that are tried, the likeliest first.
        answers: The most choices of the foe that they meet, the likeliest first.
        least_share: Choices less likely than this are not tried.
        temperature: Difference of value (-1 to 1) that weighs as much as a factor e of the prior.
        foe_temperature: Of the policy that answers for the foe; below 1 it is sharper than learnt.
        foe_caution: How often the foe is expected to answer what is best against us, 0 to 1;
            otherwise it follows the policy.
    """

    samples: int = 8
    seconds: float = 1.0
    candidates: int = 6
    answers: int = 3
    least_share: float = 0.01
    temperature: float = 0.1
    foe_temperature: float = 0.3
    foe_caution: float = 0.3


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


def analyse(
    simulator: Simulator,
    policy: Policy,
    waiting: Decisions,
    row: int,
    settings: SearchSettings,
    rng: np.random.Generator,
    also: Sequence[int] = (),
) -> Analysis:
    """Return what the choices of a decision are worth, by trying the policy's best ones in copies.

    Each copy of the battle draws anew what the side cannot know
    (engine/battles/sim/node/search.js). In every copy all candidates meet all answers of the foe,
    those that the policy likes best as the foe would see the battle; the policy's own value tells
    how the turn ended. The means are a matrix game, which is solved near the priors of both sides:
    with few copies and small differences the prior decides, else the outcome.

    Args:
        simulator: Plays the battle.
        policy: Proposes choices, answers for the foe, and estimates values.
        waiting: The simulator's waiting decisions.
        row: Which of them.
        settings: How far to look.
        rng: Draws the copies.
        also: Legal codes that are tried in any case, for what was really played.
    """
    end = time.monotonic() + (settings.seconds or inf)
    seat, observation = int(waiting.seats[row]), waiting.observations[[row]]
    prior = policy.log_probs(observation, waiting.legal[[row]], waiting.is_preview[[row]])[0]
    codes = _candidates(prior, settings.candidates, settings.least_share, also)
    if len(codes) == 1:
        value = float(policy.values(observation)[0])
        return Analysis(value, (Option(int(codes[0]), 1.0, value),))
    limit = _FORK_SHARE * settings.seconds
    views = simulator.fork(seat, settings.samples, int(rng.integers(1 << 31)), limit)
    answers, foe_prior, by_copy = _answers(policy, views, settings)
    rows, columns = np.arange(len(codes)), np.arange(len(answers))
    sums, counts = np.zeros((2, len(codes), len(answers)))
    for copies in np.split(np.arange(len(by_copy)), [_FIRST_COPIES]):
        if not len(copies) or len(rows) == 1 or (counts.any() and time.monotonic() > end):
            break
        copy, foe, own = np.array(list(product(copies, columns, rows))).T
        plays = np.stack([copy, codes[own], by_copy[copy, foe]], 1)
        values = _values_after(simulator, policy, seat, plays, end)
        np.add.at(sums, (own[: len(values)], foe[: len(values)]), values)
        np.add.at(counts, (own[: len(values)], foe[: len(values)]), 1)
        met = np.flatnonzero(counts.all(0))
        table = sums[:, met] / counts[:, met]
        shares, foe_shares = solve(table, prior[codes], foe_prior[met], settings)
        rows = np.flatnonzero((shares >= _PROMISING) | np.isin(codes, also))
        columns = met[foe_shares >= _PROMISING]
    options = _ranked(codes, shares, table @ foe_shares)
    foes = _ranked(answers[met], foe_shares, -shares @ table) if answers[0] != NOTHING else ()
    return Analysis(options[0].value, options, foes)


def solve(
    table: Table,
    prior: NDArray[np.floating],
    foe_prior: NDArray[np.floating],
    settings: SearchSettings,
) -> tuple[Table, Table]:
    """Return how often both sides choose each row and each column, near their priors.

    Smooth fictitious play: each side answers the other's mean choices so far.

    Args:
        table: (n, m) values of the rows' side, -1 to 1.
        prior: (n,) log-probabilities of the rows.
        foe_prior: (m,) of the columns.
        settings: Temperature and caution.
    """
    rows, columns = _softmax(prior), _softmax(foe_prior)
    likely, caution = columns, settings.foe_caution
    for number in range(2, _ROUNDS):
        best = _softmax(prior + table @ columns / settings.temperature)
        reply = _softmax(foe_prior - rows @ table / settings.temperature)
        rows = rows + (best - rows) / number
        columns = columns + ((1 - caution) * likely + caution * reply - columns) / number
    return rows, columns


def _values_after(
    simulator: Simulator,
    policy: Policy,
    seat: int,
    plays: NDArray[np.int64],
    end: float,
) -> FloatArray:
    """Return what the first plays lead to, as many as there is time for until `end`."""
    limit = max(1e-3, _ROLL_SHARE * (end - time.monotonic())) if isfinite(end) else 0.0
    after = simulator.roll(seat, plays, limit)
    return np.where(after.is_over, after.results, policy.values(after.observations))


def _answers(
    policy: Policy, views: Outlook, settings: SearchSettings
) -> tuple[NDArray[np.int64], Table, NDArray[np.int64]]:
    """Return the foe's likeliest codes, their log-probabilities, and (copies, codes) as played.

    Where a code is illegal in a copy, as who came along differs, its likeliest one is played.
    """
    if not views.results.all():
        return np.array([NOTHING]), np.zeros(1), np.full((len(views.results), 1), NOTHING)
    by_copy = policy.log_probs(views.observations, views.legal, views.is_preview)
    likely = [_softmax(each / settings.foe_temperature) for each in by_copy]
    with np.errstate(divide="ignore"):
        mean = np.log(np.mean(likely, 0))
    codes = _candidates(mean, settings.answers, settings.least_share)
    is_legal = np.isfinite(by_copy[:, codes])
    return codes, mean[codes], np.where(is_legal, codes, by_copy.argmax(1)[:, None])


def _candidates(
    prior: NDArray[np.floating], most: int, least_share: float, also: Sequence[int] = ()
) -> NDArray[np.int64]:
    """Return the likeliest codes, and those of `also`."""
    best = np.argsort(-prior, kind="stable")[:most]
    likely = best[prior[best] >= min(np.log(least_share), prior[best[0]])]
    return np.array(list(dict.fromkeys([*likely.tolist(), *also])))


def _ranked(codes: NDArray[np.int64], shares: Table, values: Table) -> tuple[Option, ...]:
    """Return options, the most often chosen first."""
    order = np.argsort(-shares, kind="stable")
    return tuple(Option(int(codes[i]), float(shares[i]), float(values[i])) for i in order)


def _softmax(scores: NDArray[np.floating]) -> Table:
    likely = np.exp(scores - scores.max(), dtype=np.float64)
    return np.asarray(likely / likely.sum())
