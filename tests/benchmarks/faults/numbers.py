"""Numbers that are none: in what battles are observed by, and in what is learnt from."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from engine.battles.sim.setup import find_simulator
from engine.battles.sim.teams import FORMATS
from engine.errors import ConfigurationError
from tests.benchmarks.faults.fault import Fault, Lost, Skipped, Strike
from tests.benchmarks.faults.workshop import Workshop
from tests.engine.battles.test_fuzz import fuzz
from tests.engine.battles.test_learner import learner, played, update

_NONE = (np.nan, np.inf, -np.inf, np.finfo(np.float32).max)
_BATTLES = 20


@contextmanager
def battles(shop: Workshop) -> Iterator[Strike]:
    """Play battles of teams drawn from all that is legal in a format."""
    try:
        node = find_simulator()
    except ConfigurationError as error:
        raise Skipped(str(error)) from None

    def strike(rng: random.Random) -> None:
        found = fuzz(node, rng.choice(FORMATS).id, _BATTLES, rng.randrange(1 << 30))
        for what in found["faults"]:
            raise Lost(what)

    yield strike


@contextmanager
def experience(shop: Workshop) -> Iterator[Strike]:
    """Let a battle policy learn from what is no number, and then from what is."""
    one = learner()
    sound, _ = played(one)

    def strike(rng: random.Random) -> None:
        fields = ("observations", "advantages", "values", "log_probs")
        spoilt = sound._replace(**{name: getattr(sound, name).copy() for name in fields})
        row = rng.randrange(len(spoilt.codes))
        getattr(spoilt, rng.choice(fields))[row] = rng.choice(_NONE)
        for each in (spoilt, sound):
            figures = update(one, each)
            if not np.isfinite([*one.flat(), *figures.values()]).all():
                raise Lost("weights or figures are no numbers")
        if not figures["gradient_steps"]:
            raise Lost("nothing is learnt any more")

    yield strike


FAULTS = (
    Fault("battles of any legal teams", 12, battles),
    Fault("experience that is no number", 10, experience),
)
