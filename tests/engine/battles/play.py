"""Play lanes of battles by random legal choices."""

import numpy as np

from engine.battles.sim.simulator import POLICY, Decisions, Lane, Simulator
from engine.battles.sim.teams import DEFAULT_FORMAT, Format, pool
from engine.bench.battles import random_choices

NOTHING = np.array([], np.int64)


def lane(seed: int, format: Format = DEFAULT_FORMAT, **options: int | str) -> Lane:
    """Return a lane in which both sides' decisions come from here."""
    teams = pool(format)
    pair = (teams[seed % len(teams)].packed, teams[(seed + 1) % len(teams)].packed)
    return Lane(format.id, pair, (POLICY, POLICY), seed, **options)  # type: ignore[arg-type]


def play_all(simulator: Simulator, rng: np.random.Generator) -> list[Decisions]:
    """Play until no lane has anything to decide; return all that was asked."""
    decisions = simulator.step(NOTHING, NOTHING)
    asked = [decisions]
    while len(decisions.seats):
        decisions = simulator.step(decisions.seats, random_choices(decisions, rng))
        asked.append(decisions)
    return asked
