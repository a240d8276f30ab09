"""Play lanes of battles by random legal choices."""

import numpy as np
from numpy.typing import NDArray

from engine.battles.actions import PREVIEW_CODES, joint_mask
from engine.battles.formats import DEFAULT_FORMAT, Format
from engine.battles.simulator import POLICY, Decisions, Lane, Simulator
from engine.battles.teams import pool

NOTHING = np.array([], np.int64)


def lane(seed: int, format: Format = DEFAULT_FORMAT, **options: int | str) -> Lane:
    """Return a lane in which both sides' decisions come from here."""
    teams = pool(format)
    pair = (teams[seed % len(teams)].packed, teams[(seed + 1) % len(teams)].packed)
    return Lane(format.id, pair, (POLICY, POLICY), seed, **options)  # type: ignore[arg-type]


def random_codes(decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a legal code for each decision."""
    mask = joint_mask(decisions.legal)
    codes = np.where(mask, rng.random(mask.shape), -1.0).argmax(1)
    previews = decisions.is_preview
    codes[previews] = rng.integers(PREVIEW_CODES, size=previews.sum())
    return codes


def play_all(simulator: Simulator, rng: np.random.Generator) -> list[Decisions]:
    """Play until no lane has anything to decide; return all that was asked."""
    decisions = simulator.step(NOTHING, NOTHING)
    asked = [decisions]
    while len(decisions.seats):
        decisions = simulator.step(decisions.seats, random_codes(decisions, rng))
        asked.append(decisions)
    return asked
